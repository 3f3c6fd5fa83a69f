"""`python -m graphrag_lite` is the command line."""

from graphrag_lite.cli import main

main()

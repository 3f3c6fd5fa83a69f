"""The sample corpus that ships with the program."""

from pathlib import Path

from graphrag_lite.distribution import shipped_folder

QUESTIONS = {"global": "What are the main themes?", "local": "Who was Lyman Spitzer and what did he propose?"}


def corpus() -> Path:
    """Return the folder of the sample corpus."""
    return shipped_folder("corpus", "examples", "corpus")

"""The sample corpus that ships with the program."""

from pathlib import Path

from graphrag_lite.distribution import shipped_folder

QUESTIONS = (  # each with the options that it is asked with
    ("What are the main themes?", "--method", "global"),
    ("Who was Lyman Spitzer and what did he propose?", "--method", "local"),
    ("Who was the director of the Space Telescope Science Institute?", "--valid-at", "1995-06-01"),
)


def corpus() -> Path:
    """Return the folder of the sample corpus."""
    return shipped_folder("corpus", "examples", "corpus")

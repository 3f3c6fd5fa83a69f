"""The sample corpus that ships with the program."""

from importlib import resources
from pathlib import Path

QUESTIONS = {"global": "What are the main themes?", "local": "Who was Lyman Spitzer and what did he propose?"}


def corpus() -> Path:
    """Return the folder of the sample corpus: in the wheel, or in a checkout."""
    package = Path(str(resources.files("graphrag_lite")))
    return next(f for f in (package / "shipped" / "corpus", package.parent / "examples" / "corpus") if f.is_dir())

"""How often the way of a question through local search goes back to a module that it had left: python question_way.py

A step of the way is a call of a function of this package that is handed the question: its text, or an object that holds
it (what a method reads off its own object is none). The way goes back where a step is in another module than the one
before, and an earlier step was in that module, too. The sample corpus is indexed and each question asked anew.
"""

import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import Any

import graphrag_lite

ROOT = Path(__file__).parents[1]
PACKAGE = str(ROOT / "graphrag_lite") + "/"
QUESTIONS = ("Who is Nancy Grace Roman?", "When was Hubble launched?", "Which company made the primary mirror?")


def way(root: Path, question: str) -> list[str]:
    """Return the modules of the steps, one after the other."""
    steps: list[str] = []

    def holds(value: Any) -> bool:
        held = getattr(value, "__dict__", {})
        texts = (value, held.get("text"), held.get("question"))
        return any(isinstance(text, str) and text == question for text in texts)

    def called(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE) and not code.co_name.startswith("<"):
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            if any(holds(frame.f_locals.get(name)) for name in names if name != "self"):
                steps.append(code.co_filename.removeprefix(PACKAGE))

    index = graphrag_lite.open(root / "output")
    sys.setprofile(called)
    try:
        index.query(question, method="local")
    finally:
        sys.setprofile(None)
    return steps


def returns(steps: list[str]) -> list[str]:
    """Return the modules that are gone back to.

    >>> returns(["a", "a", "b", "a", "c", "b"])
    ['a', 'b']
    """
    return [step for i, step in enumerate(steps) if i and step != steps[i - 1] and step in steps[: i - 1]]


def main() -> None:
    """Print for each question how many modules are gone back to, and which."""
    with tempfile.TemporaryDirectory() as folder:
        graphrag_lite.index(ROOT / "examples" / "corpus", folder)
        for asked in QUESTIONS:
            back = returns(way(Path(folder), asked))
            print(f"{len(back):3} {asked}  {' '.join(back)}")


if __name__ == "__main__":
    main()

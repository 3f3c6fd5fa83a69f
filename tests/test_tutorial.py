"""docs/tutorial.md, followed to the letter: its commands work, and print what it says.

`python tests/test_tutorial.py` writes what they print into the page.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from graphrag_lite.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "tutorial.md"
BLOCK = re.compile(r"```(bash|console|python)\n(.*?)```", re.S)
OF_THE_RUN = re.compile(r"\d{8}T\d{12}Z-[0-9a-f]{8}")  # the name of a snapshot


def shown(kind: str, block: str) -> str:
    """Run a block in the working folder, and return it with what it prints."""
    if kind == "bash":
        subprocess.run(["bash", "-ec", block], check=True)
        return block
    if kind == "python":
        with contextlib.redirect_stdout(io.StringIO()) as said:
            exec(block, {})  # noqa: S102
        assert said.getvalue().count("\n") == 2
        return block
    lines = []
    for line in block.splitlines():
        if line.startswith("$ "):
            name, *arguments = shlex.split(line.removeprefix("$ "))
            result = CliRunner().invoke(main, arguments, prog_name=name)
            assert result.exit_code == 0, f"{line}\n{result.output}"
            lines += [line, *(said.rstrip() for said in result.stdout.rstrip().splitlines())]
    return OF_THE_RUN.sub("20261122T120000000000Z-1234abcd", "\n".join(lines) + "\n")


def followed() -> str:
    return BLOCK.sub(lambda found: f"```{found[1]}\n{shown(found[1], found[2])}```", PAGE.read_text(encoding="utf-8"))


def test_the_tutorial_prints_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    assert followed() == PAGE.read_text(encoding="utf-8"), "run `python tests/test_tutorial.py`"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["COLUMNS"] = "120"
        PAGE.write_text(followed(), encoding="utf-8")

"""What the package is called where packages are installed, and what becomes of its namesake."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import graphrag_lite
from graphrag_lite import distribution

ROOT = Path(__file__).parents[1]
EXTRA = re.compile(r"graphrag-\w+\[\w*")


def test_the_name_stands_in_one_place() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (project["name"], set(project["scripts"])) == (distribution.NAME, {"graphrag-lite"})
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    for path in [*pages, *(ROOT / "graphrag_lite").rglob("*.py")]:
        if path.name not in ("log.md", "distribution.py"):
            text = path.read_text(encoding="utf-8")
            assert all(found.startswith(f"{distribution.NAME}[") for found in EXTRA.findall(text)), path
            assert path.suffix == ".md" or distribution.NAME not in text, f"{path}: `distribution` has the name"


@pytest.mark.parametrize("theirs", ["from .core import GraphRAG\n", None])
def test_files_of_the_namesake_are_told(tmp_path: Path, theirs: str | None) -> None:
    """Installed over this package it brings an `__init__.py` of its own; removed from it, it takes ours along."""
    left_out = shutil.ignore_patterns("__pycache__")
    folder = shutil.copytree(ROOT / "graphrag_lite", tmp_path / "graphrag_lite", ignore=left_out)
    if theirs is None:
        (folder / "__init__.py").unlink()
    else:
        (folder / "__init__.py").write_text(theirs)
        (folder / "core.py").write_text("class GraphRAG: ...\n")
        (folder / "prompts.py").write_text("PROMPTS = {}\n")
    run = (  # where the package of these tests is not to be found
        f"import os, sys; sys.path[:] = [{str(tmp_path)!r}, *(p for p in sys.path if not os.path.isdir(p + '/graphrag_lite/cli'))]"
        "\nfrom graphrag_lite.cli import main; main(['--help'])"
    )
    done = subprocess.run([sys.executable, "-c", run], cwd="/", env={}, capture_output=True, text=True)
    assert done.returncode == 1 and "pip uninstall graphrag-lite" in done.stderr and "Traceback" not in done.stderr


def test_nothing_is_told_where_all_files_are_there() -> None:
    assert distribution.namesake_hint() == "" and graphrag_lite.__version__

"""The recipes run as they stand, where their library is installed."""

import importlib.util
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

import graphrag_lite

ROOT = Path(__file__).parents[1]
PARTS = re.findall(
    r"^## (.+?)\n(.*?)(?=^## |\Z)", (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8"), re.M | re.S
)
BLOCKS = {title: block for title, text in PARTS for block in re.findall(r"```python\n(.*?)```", text, re.S)}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("recipes")
    (folder / "corpus").mkdir()
    for path in sorted((ROOT / "examples" / "corpus" / "notes").iterdir())[:8]:
        (folder / "corpus" / path.name).write_bytes(path.read_bytes())
    return graphrag_lite.index(folder / "corpus", root=folder)


@pytest.mark.parametrize("title", BLOCKS)
def test_a_recipe_runs_as_it_stands(title: str, index: Any) -> None:
    code = BLOCKS[title]
    for library in re.findall(r"^(?:from|import) (\w+)", code, re.M):
        if importlib.util.find_spec(library) is None:
            pytest.skip(f"{library} is not installed")
    made: dict[str, Any] = {"index": index}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other libraries
        exec(compile(code, f"recipe {title}", "exec"), made)  # noqa: S102
    assert len(made["found"]) > 0

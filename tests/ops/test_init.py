"""`init` writes the shipped defaults, and overwrites nothing without being told to."""

from pathlib import Path

import pytest

from graphrag_lite import settings
from graphrag_lite.errors import OutputError
from graphrag_lite.ops.init import write_defaults
from graphrag_lite.prompts import shipped
from graphrag_lite.settings import file as settings_file


def test_the_shipped_files_are_written(tmp_path: Path) -> None:
    written = write_defaults(tmp_path / "new" / "root", force=False)
    root = tmp_path / "new" / "root"
    assert (root / "settings.yaml").read_text(encoding="utf-8") == settings_file.render_defaults()
    assert {path.name: path.read_text(encoding="utf-8") for path in (root / "prompts").iterdir()} == shipped()
    assert sorted(written) == sorted(path for path in root.rglob("*") if path.is_file())
    assert settings_file.load(root) == settings.Settings()


def test_prompts_are_the_files_of_the_repository() -> None:
    folder = Path(settings.__file__).parents[2] / "prompts"
    assert shipped() == {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    assert shipped()


@pytest.mark.parametrize("name", ["settings.yaml", "prompts/README.md"])
def test_nothing_is_overwritten_unless_it_is_meant(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError, match=r"would be overwritten.*--force"):
        write_defaults(tmp_path, force=False)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / name], "nothing else is written"
    assert (tmp_path / name).read_text(encoding="utf-8") == "mine"
    write_defaults(tmp_path, force=True)
    assert (tmp_path / name).read_text(encoding="utf-8") != "mine"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"file: this is a file, not a folder\.$"):
        write_defaults(tmp_path / "file", force=False)
    with pytest.raises(OutputError, match="file"):
        write_defaults(tmp_path / "file" / "root", force=False)

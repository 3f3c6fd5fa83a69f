"""People who come from microsoft/graphrag: their words are understood, their settings file is told for what it is."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from graphrag_lite.cli import main
from graphrag_lite.errors import SettingsError
from graphrag_lite.settings import Settings
from graphrag_lite.settings import file as settings_file
from graphrag_lite.settings.of_graphrag import graphrag_keys

PAGE = Path(__file__).parents[1] / "docs" / "from-graphrag.md"
V2 = """
models:
  default_chat_model: {type: chat, model: gpt-4o, api_key: "${GRAPHRAG_API_KEY}", concurrent_requests: 25}
  default_embedding_model: {type: embedding, model: text-embedding-3-small}
input: {type: file, base_dir: input, file_pattern: ".*txt"}
chunks: {size: 1200, overlap: 100}
extract_graph: {model_id: default_chat_model, entity_types: [person], max_gleanings: 1}
cache: {type: file}
umap: {enabled: false}
"""


def test_their_settings_file_is_told_with_the_key_for_each_of_its_keys(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text(V2)
    with pytest.raises(SettingsError, match="is a settings file of microsoft/graphrag") as error:
        settings_file.load(tmp_path)
    told = str(error.value)
    assert "models.default_chat_model.model: llm.model" in told
    assert "models.default_embedding_model.model: embeddings.model" in told
    assert "chunks.size: split_text_units.size" in told and "nothing to set here: cache, umap" in told


def test_what_takes_a_place_is_a_setting_of_ours() -> None:
    sections = {name: values for name, values in Settings().model_dump().items() if isinstance(values, dict)}
    ours = {f"{section}.{key}" for section, values in sections.items() for key in values}
    for key in graphrag_keys()["replaced"].values():
        name = key.split(",")[0]
        assert name in ours or " " in name, name
    assert not graphrag_keys()["sections"] & set(Settings.model_fields)
    page = PAGE.read_text(encoding="utf-8")
    assert not [key for key, named in graphrag_keys()["replaced"].items() if f"| `{key}` | {named} |" not in page]


def test_their_words_do_what_ours_do(tmp_path: Path) -> None:
    (tmp_path / "input").mkdir()
    (tmp_path / "input" / "a.md").write_text("Ann Li founded Acme in Oslo. Acme makes tea.\n")

    def said(*words: str) -> str:
        done = CliRunner().invoke(main, [*words])
        assert done.exit_code == 0, done.stderr
        return done.stdout

    root = str(tmp_path)
    said("update", "-r", root, "-m", "fast-update", "-q")
    ours = said("query", "--root", root, "--method", "global", "--level", "0", "Who founded Acme?")
    theirs = ("--data", f"{root}/output", "-m", "global", "--community-level", "0", "--no-dynamic-community-selection")
    assert said("query", *theirs, "Who founded Acme?") == ours != ""
    assert "community-level" not in said("query", "--help")


def test_no_corpus_and_no_input_folder_is_wrong_usage(tmp_path: Path) -> None:
    for command in ("index", "plan"):
        done = CliRunner().invoke(main, [command, "--root", str(tmp_path)])
        assert done.exit_code == 2 and "Give a CORPUS" in done.stderr

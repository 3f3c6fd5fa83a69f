"""Settings: the shipped file is the defaults, and every problem is told at once."""

from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from graphrag_lite import settings
from graphrag_lite.errors import SettingsError
from graphrag_lite.settings import Settings
from graphrag_lite.settings.file import load, render_defaults


def problems(root: Path, text: str, *overrides: str) -> str:
    (root / "settings.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        load(root, overrides=overrides)
    return str(caught.value)


def test_the_shipped_file_is_the_defaults() -> None:
    shipped = Path(settings.__file__).parents[2] / "settings.yaml"
    assert shipped.read_text(encoding="utf-8") == render_defaults()


def test_the_shipped_file_loads_as_the_defaults(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text(render_defaults(), encoding="utf-8")
    assert load(tmp_path) == Settings() == load(tmp_path / "nowhere")


def test_every_setting_is_explained() -> None:
    for name, field in Settings.model_fields.items():
        inner = getattr(type(field.default), "model_fields", {name: field})
        assert all(setting.description for setting in inner.values()), name


def test_values_are_read_and_overridden(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text("split_text_units:\n  size: 300\nsearch:\n", encoding="utf-8")
    loaded = load(tmp_path, overrides=["split_text_units.overlap=50", "load_documents.text_field=a: b: c", "workers=2"])
    assert (loaded.split_text_units.size, loaded.split_text_units.overlap, loaded.workers) == (300, 50, 2)
    assert loaded.load_documents.text_field == "a: b: c"
    assert load(tmp_path, overrides=["search.top_k=3"]).search.top_k == 3


@pytest.mark.parametrize("text", ["", "# nothing\n", "search:\n  # top_k: 3\n", "{}"])
def test_files_that_set_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings.yaml").write_text(text, encoding="utf-8")
    assert load(tmp_path) == Settings()


def test_all_problems_are_told_with_a_suggestion(tmp_path: Path) -> None:
    text = (
        "split_text_units:\n  size: 0\n  overlaps: 5\nmethod: slow\nserch: {}\nworkers: many\nsearch:\n  top_k: true\n"
    )
    told = problems(tmp_path, text)
    assert told.startswith(f"{tmp_path / 'settings.yaml'} has 6 problems:")
    assert "split_text_units.size: must be greater than or equal to 20 (it is 0)" in told
    assert "split_text_units.overlaps: not a setting. Did you mean split_text_units.overlap?" in told
    assert "method: must be 'fast' or 'standard' (it is 'slow')" in told
    assert "serch: not a setting. Did you mean search?" in told
    assert "workers: must be a whole number (it is 'many')" in told
    assert "search.top_k: must be a whole number (it is true)" in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("split_text_units: {size: 30}", "split_text_units: overlap must be at most half of size (15)"),
        ("snapshots: 5", "snapshots: is a section: its settings stand below it, as `key: value` (it is 5)"),
        ("llm: {prices: 5}", "llm.prices: is a section"),
        ("extract_graph: {entity_types: person}", "entity_types: must be a list, as in [a, b] (it is 'person')"),
        ("load_documents: {text_field: on}", "load_documents.text_field: must be text; put quotes around it (it is tr"),
        ("- 1", "settings.yaml: must hold settings, a line `section:` and below it `  key: value`; it is a list"),
        ("fast", "it is 'fast' alone"),
        ("# x\nx: [", "settings.yaml:2: is not valid YAML: "),
        ("\tx: 1", "settings.yaml:1: is not valid YAML: found character"),
        ("search:\n  top_k: 3\n---\n", "settings.yaml:3: is not valid YAML: but found another document."),
        ("\n\0", r"settings.yaml:2: is not text: it holds the character '\x00'"),
        ("method: 2024-13-45", "settings.yaml: is not valid YAML: month must be in 1..12"),
        ("workers: !!bool maybe", "settings.yaml: is not valid YAML: "),
        ("workers: !!int ''", "settings.yaml: is not valid YAML: "),
        ("workers: !!timestamp x", "settings.yaml: is not valid YAML: "),
        ("search:\n  top_k: 3\n  top_k: 4\n", "search.top_k: stands there twice, in the lines 2 and 3"),
        ("search: {top_k: 3}\nsearch: {}\n", "search: stands there twice, in the lines 1 and 2"),
        ("search: &a {top_k: *a}", "search.top_k: must be a whole number"),
        ("1: 2", "1: not a setting."),
        ("model: gpt-4o-mini", "model: not a setting. Did you mean llm.model or embeddings.model or "),
        ("zzzzz: 1", "zzzzz: not a setting."),
        ("method: standard", ":\n  llm.model: method standard asks a model; name one"),
        (
            "llm: {prices: {mine: {inputs: 1}}}",
            "llm.prices.mine.inputs: not a setting. Did you mean llm.prices.mine.input?",
        ),
        ("llm: {prices: {mine: {inputs: 1}}}", "llm.prices.mine.input: is missing"),
        ("llm: {api_key_env: sk-1234}", "llm.api_key_env: is the name of an environment variable"),
        ("llm: {parameters: {since: 2024-01-01}}", "llm.parameters: must be JSON: "),
        ("embeddings: {api_key_env: sk-1234}", "embeddings.api_key_env: is the name of an environment variable"),
    ],
)
def test_problems(tmp_path: Path, text: str, told: str) -> None:
    assert told in problems(tmp_path, text)


@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("search.top_k", "write it as section.key=value"),
        ("search.top_kk=1", "Did you mean search.top_k?"),
        ("search.top_k=many", "must be a whole number (it is 'many')"),
        ("workers.x=1", "workers"),
        ("=1", "not a setting"),
        ("method=2024-13-45", "must be 'fast' or 'standard' (it is '2024-13-45')"),
        ("workers=!!bool maybe", "must be a whole number (it is '!!bool maybe')"),
        ("method=standard", "--set has a problem:\n  llm.model: method standard asks a model"),
    ],
)
def test_overrides_that_cannot_be(tmp_path: Path, override: str, told: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, overrides=[override])
    assert told in str(caught.value)
    assert "--set" in str(caught.value)


def test_what_the_file_has_wrong_is_told_apart_from_what_was_given(tmp_path: Path) -> None:
    assert problems(tmp_path, "search: {top_k: 0}", "search.level", "search.top_kk=1", "workers=0") == (
        f"{tmp_path / 'settings.yaml'} has a problem:\n"
        "  search.top_k: must be greater than or equal to 1 (it is 0)\n"
        "--set has 3 problems:\n"
        "  search.level: write it as section.key=value\n"
        "  workers: must be greater than or equal to 1 (it is 0)\n"
        "  search.top_kk: not a setting. Did you mean search.top_k?"
    )


def test_what_is_wrong_with_several_settings_of_the_file_is_not_told_of_what_was_given(tmp_path: Path) -> None:
    told = problems(tmp_path, "method: standard\nsplit_text_units: {size: 30}", "workers=1", "search.top_k=3")
    assert told.startswith(f"{tmp_path / 'settings.yaml'} has a problem:\n  split_text_units: overlap")
    told = problems(tmp_path, "method: standard", "workers=1", "llm.concurrency=2")
    assert told.startswith(f"{tmp_path / 'settings.yaml'} has a problem:\n  llm.model: method standard")
    told = problems(tmp_path, "split_text_units: {size: 300}", "split_text_units.size=30")
    assert told.startswith("--set has a problem:\n  split_text_units: overlap")


def test_a_section_of_the_file_that_is_no_section(tmp_path: Path) -> None:
    assert "search is not a section" in problems(tmp_path, "search: 3", "search.top_k=1")


def test_a_file_that_is_asked_for_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"mine\.yaml: there is no such settings file"):
        load(tmp_path, config=tmp_path / "mine.yaml")
    (tmp_path / "mine.yaml").write_text("search: {top_k: 4}", encoding="utf-8")
    assert load(tmp_path / "nowhere", config=tmp_path / "mine.yaml").search.top_k == 4


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_bytes(b"# Notes\n# caf\xe9\n")
    with pytest.raises(SettingsError, match=r"settings.yaml:2: is not UTF-8 text. Save the file"):
        load(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(SettingsError, match="cannot be read"):
        load(tmp_path, config=tmp_path / "folder")


def test_no_key_is_told_or_written_with_the_settings(tmp_path: Path) -> None:
    for section in ("llm", "embeddings"):
        assert "sk-1234" not in problems(tmp_path, f"{section}: {{api_key_env: sk-1234}}")
        values = {section: {"base_url": "https://me:secret@host:8000/v1?api-key=secret"}}
        settings = Settings.model_validate(values)
        assert "secret" in str(getattr(settings, section).base_url)
        assert settings.model_dump()[section]["base_url"] == "https://host:8000/v1"


def test_settings_do_not_change() -> None:
    with pytest.raises(ValidationError):
        Settings().search.top_k = 3


def test_the_file_is_yaml_of_sections() -> None:
    values = yaml.safe_load(render_defaults())
    assert list(values) == list(Settings.model_fields)
    assert Settings.model_validate(values) == Settings()

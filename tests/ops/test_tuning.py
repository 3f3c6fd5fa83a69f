"""`prompt-tune` writes prompts that can be used, from what a model says of a sample, and spends nothing in vain."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from stub_model import StubModel

from graphrag_lite import prompts
from graphrag_lite.errors import OutputError, PromptError, ReplyError, SettingsError
from graphrag_lite.extraction.model_rounds import NameSource, first_request
from graphrag_lite.llm.chat import Request
from graphrag_lite.ops import tuning
from graphrag_lite.ops.tuning import Description, Tuned, read_description, tune, valid_records
from graphrag_lite.prompts import Prompts
from graphrag_lite.replies.graph_records import GraphReply, read_graph
from graphrag_lite.settings import Settings
from graphrag_lite.settings.models import Llm

Corpus = Callable[..., Path]
SHARED_TYPES = ["person", "ghost", "place"]
SAID = {
    "domain": "Ghost stories.\nIgnore $text and $$",
    "language": "English",
    "reader": "a friend of the dead",
    "entity_types": SHARED_TYPES,
}
TEXT = "Marley was dead, to begin with. Scrooge met Marley in London for $5."
RECORDS = """("entity"<|>Marley<|>ghost<|>Marley is dead.)##
("entity"<|>Scrooge<|>person<|>Scrooge paid $5.)##
("entity"<|>Dickens<|>person<|>He is not in the text.)##
("relationship"<|>Scrooge<|>Marley<|>MEETS<|>Scrooge met Marley for $5.<|>7<|>1843<|>)##
("relationship"<|>Scrooge<|>Dickens<|>KNOWS<|>One end is not in the text.<|>7<|><|>)##
<|COMPLETE|>"""
SETTINGS = Settings(llm=Llm(model="stub"))


def replies(description: Any = SAID, records: str = RECORDS) -> StubModel:
    said = description if isinstance(description, str) else json.dumps(description)
    return StubModel(lambda request: said if is_description(request) else records)


def is_description(request: Request) -> bool:
    return request.messages[0]["content"].startswith("Describe a corpus by a sample of it")


def tuned(folder: Path, root: Path, model: StubModel | None = None, **options: Any) -> Tuned:
    return tune(folder, root, SETTINGS, model=model or replies(), **options)


@pytest.fixture
def tiny(corpus: Corpus) -> Path:
    """One document of two sentences."""
    return corpus({"a.txt": TEXT})


def test_the_prompts_can_be_used_and_say_whose_texts_these_are(tiny: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    result = tuned(tiny, root)
    folder = root / "prompts"
    assert {path.name for path in folder.iterdir()} == {*tuning.ADAPTED, tuning.EXAMPLES}
    assert sorted(result.written) == sorted(folder.iterdir())
    loaded, shipped = prompts.load(folder), prompts.shipped()
    about = "The corpus: Ghost stories. Ignore $text and $$. Most of it is in English. Read it as a friend of the dead would."
    for name in tuning.ADAPTED:
        first, blank, line, *rest = loaded.texts[name].split("\n")
        assert first == shipped[name].split("\n")[0] and not blank
        assert line == about.replace("$", "$$"), "what a model says is no placeholder"
        assert "\n".join(rest).strip() == shipped[name].partition("\n")[2].strip(), "the rest is as shipped"
    assert result.language == "English" and result.n_examples == 1


def test_the_examples_are_the_corpus_s_own_and_borne_out_by_it(tiny: Path, tmp_path: Path) -> None:
    tuned(tiny, tmp_path / "root")
    loaded = prompts.load(tmp_path / "root" / "prompts")
    shown = loaded.fill(prompts.ExtractGraphExamplesPrompt())
    assert shown.startswith(f"Entity types: person, ghost, place\nText:\n{TEXT}\nRecords:\n")
    reply = read_graph(shown.partition("Records:\n")[2], SHARED_TYPES)
    assert [entity.name for entity in reply.entities] == ["Marley", "Scrooge"]
    assert [(r.source, r.target, r.valid_at) for r in reply.relationships] == [("Scrooge", "Marley", "1843")]
    settings = Settings().extract_graph.model_copy(update={"entity_types": SHARED_TYPES})
    filled = first_request(NameSource("", "THE TEXT"), settings, loaded)[0]["content"]
    assert shown.strip() in filled and filled.index("THE TEXT") > filled.index("Scrooge paid $5.")
    assert filled.index("THE TEXT") > len(filled) - 200, "what varies stands last"


def test_the_entity_types_are_lines_for_the_settings_which_stay_as_they_are(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text("# mine\n")
    result = tuned(tiny, tmp_path)
    assert (tmp_path / "settings.yaml").read_text() == "# mine\n"
    values = yaml.safe_load(result.settings)
    assert Settings.model_validate(values).extract_graph.entity_types == SHARED_TYPES


def test_nothing_is_asked_before_files_would_be_overwritten(tiny: Path, tmp_path: Path) -> None:
    own = tmp_path / "prompts" / "local_search.md"
    own.parent.mkdir()
    own.write_text("mine")
    stub = replies()
    with pytest.raises(OutputError, match=r"local_search\.md would be overwritten.*--force"):
        tuned(tiny, tmp_path, stub)
    assert not stub.requests and not (tmp_path / "output").exists() and own.read_text() == "mine"
    tuned(tiny, tmp_path, stub, force=True)
    first = {path.name: path.read_text() for path in own.parent.iterdir()}
    tuned(tiny, tmp_path, stub, force=True)
    assert {path.name: path.read_text() for path in own.parent.iterdir()} == first, "no line is added twice"
    assert first["local_search.md"] != "mine"


def test_answers_are_kept_and_counted_like_all(tiny: Path, tmp_path: Path) -> None:
    stub = replies()
    usage = tuned(tiny, tmp_path, stub).usage
    assert usage["calls"] == len(stub.requests) == 2 and usage["prompt_tokens"] > 0
    again = tuned(tiny, tmp_path, stub, force=True).usage
    assert len(stub.requests) == 2 and (again["calls"], again["memo_hits"]) == (0, 2)


def test_the_sample_is_spread_over_the_corpus_and_the_same_every_time(corpus: Corpus, tmp_path: Path) -> None:
    folder = corpus({f"{n:02}.txt": f"Document number {n}. It is about nothing else." for n in range(40)})
    stubs = [replies(records="<|COMPLETE|>") for _ in range(2)]
    for number, stub in enumerate(stubs):
        tuned(folder, tmp_path / str(number), stub, n_units=4)
    asked = [[request.messages[0]["content"] for request in stub.requests] for stub in stubs]
    assert asked[0] == asked[1]
    sampled = [n for n in range(40) if f"Document number {n}." in asked[0][0]]
    assert sampled == [5, 15, 25, 35]


def test_a_long_unit_is_shown_in_part(corpus: Corpus, tmp_path: Path) -> None:
    folder = corpus({"a.txt": "Scrooge met Marley. " * 500, "b.txt": "x" * 100_000})
    stub = replies(records="<|COMPLETE|>")
    tuned(folder, tmp_path, stub, n_units=2)
    (described,) = filter(is_description, stub.requests)
    assert len(described.messages[0]["content"]) < 6_000


def test_without_a_good_example_the_shipped_ones_stay(tiny: Path, tmp_path: Path) -> None:
    for number, records in enumerate(
        ("<|COMPLETE|>", '("entity"<|>Marley<|>ghost<|>Dead.)##<|COMPLETE|>', "I cannot.")
    ):
        result = tuned(tiny, tmp_path / str(number), replies(records=records))
        assert result.n_examples == 0
        assert not (tmp_path / str(number) / "prompts" / tuning.EXAMPLES).exists()
        prompts.load(tmp_path / str(number) / "prompts")


def test_a_description_that_cannot_be_used_ends_it_and_writes_nothing(tiny: Path, tmp_path: Path) -> None:
    for said in (
        "I cannot.",
        {"domain": "", "entity_types": ["a"]},
        {"domain": "Notes.", "entity_types": [1, "", "?"]},
    ):
        with pytest.raises(ReplyError):
            tuned(tiny, tmp_path, replies(said))
    assert not (tmp_path / "prompts").exists()


@pytest.mark.parametrize(
    ("listed", "types"),
    [
        (["Person", "person ", "Ship.", "land mark", "x" * 41, "{{", None], ("person", "ship", "land mark")),
        ("person, ship", ("person", "ship")),
        ([f"kind {chr(97 + n)}" for n in range(26)], tuple(f"kind {chr(97 + n)}" for n in range(12))),
        (["人物", "地点"], ("人物", "地点")),
    ],
)
def test_types_are_words(listed: object, types: tuple[str, ...]) -> None:
    assert read_description(json.dumps({"domain": "d", "entity_types": listed})).entity_types == types


def test_a_description_is_one_line_of_limited_length() -> None:
    said = read_description(json.dumps({"domain": "a\x1b[31m\n\n## b " + "c" * 1_000_000, "entity_types": ["person"]}))
    assert "\n" not in said.domain and "\x1b" not in said.domain and len(said.domain) <= tuning.MAX_LINE


def test_no_model_is_an_error_of_the_settings(tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"llm\.model"):
        tune(tiny, tmp_path, Settings())
    assert not (tmp_path / "output").exists()


def test_a_broken_prompt_of_the_user_s_is_named(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "rate_report.md").write_text("no placeholders")
    stub = replies()
    with pytest.raises(PromptError, match=r"rate_report\.md"):
        tuned(tiny, tmp_path, stub)
    assert not stub.requests


def test_every_adapted_prompt_is_one_of_ours_with_its_task_in_the_first_line() -> None:
    shipped = Prompts(prompts.shipped())
    for name in tuning.ADAPTED:
        assert name in prompts.PROMPTS
        first, blank, *_ = shipped.texts[name].split("\n")
        assert first and not blank and "$" not in first
    said = Description("D", "", "", ("person",))
    assert tuning.adapt_prompt("Do.\n\nThis.", said) == "Do.\n\nThe corpus: D.\n\nThis."
    assert valid_records(read_graph(RECORDS, SHARED_TYPES), "Nothing of it.", SHARED_TYPES) == GraphReply()

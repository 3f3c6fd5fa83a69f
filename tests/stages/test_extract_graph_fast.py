"""What a text unit says depends on its text and its document's title, and each mention stands where it says."""

import asyncio
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from graphrag_lite import pipeline, tables
from graphrag_lite.extraction import mentions
from graphrag_lite.settings import ExtractGraphFast, Settings
from graphrag_lite.stages.extract_graph_fast import extract_graph_fast

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus"
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pa.Table]:
    small = Settings.model_validate({"split_text_units": {"size": 150, "overlap": 40}})
    run = pipeline.index(EXAMPLE, tmp_path_factory.mktemp("root") / "output", small)
    return {name: tables.read(run.snapshot, name) for name in ("source_documents", "source_units")}


def extract(read: dict[str, pa.Table], **settings: Any) -> tuple[Rows, Rows]:
    made = asyncio.run(extract_graph_fast(**read, settings=ExtractGraphFast(**settings), each=map))
    for name, table in zip(("entity_mentions", "relationship_mentions", "covariates"), made, strict=True):
        tables.check(name, table)
    assert made[2].num_rows == 0
    return made[0].to_pylist(), made[1].to_pylist()


def one_document(text: str, title: str = "", cuts: tuple[int, ...] = ()) -> dict[str, pa.Table]:
    """Make what the stage reads of one document, cut into units at `cuts`."""
    document = {"id": "d", "source_id": "a.txt", "title": title, "text": text, "path": "a.txt", "content_sha256": ""}
    document |= {"mime": "text/plain", "language": "en", "created_at": "", "metadata": "{}"}
    bounds = [0, *cuts, len(text)]
    units = [
        (f"u{i}", "d", i, start, end, text[start:end], 1)
        for i, (start, end) in enumerate(zip(bounds, bounds[1:], strict=False))
    ]
    return {
        "source_documents": tables.make("source_documents", [document]),
        "source_units": tables.make("source_units", units),
    }


def pairs(rows: Rows) -> list[tuple[str, str, str]]:
    return [(row["source"], row["relation"], row["target"]) for row in rows]


def test_every_mention_stands_where_it_says(read: dict[str, pa.Table]) -> None:
    texts = dict(zip(*(read["source_documents"][name].to_pylist() for name in ("id", "text")), strict=True))
    units = {row["id"]: row for row in read["source_units"].to_pylist()}
    entities, relationships = extract(read)
    placed = [row for row in entities if row["mention_start"] >= 0]
    assert len(placed) > 1000
    names = {}
    for row in (*placed, *relationships):
        unit = units[row["text_unit_id"]]
        assert row["document_id"] == unit["document_id"] and row["round"] == 0
        assert unit["char_start"] <= row["char_start"] < row["char_end"] <= unit["char_end"]
        sentence = texts[row["document_id"]][row["char_start"] : row["char_end"]]
        assert sentence == sentence.strip()
    for row in placed:
        names.setdefault(row["text_unit_id"], set()).add(row["name"])
        text = texts[row["document_id"]]
        assert row["char_start"] <= row["mention_start"] < row["char_end"]
        folded = " ".join(text[row["mention_start"] : row["mention_start"] + 2 * len(row["name"]) + 40].split())
        assert folded[:2].casefold() == row["name"][:2].casefold(), (row["name"], folded)
    exact = sum(texts[row["document_id"]].startswith(row["name"], row["mention_start"]) for row in placed)
    assert exact > 0.95 * len(placed)
    titles = [row for row in entities if row["mention_start"] < 0]
    assert titles and all(row["char_start"] == row["char_end"] == -1 for row in titles)
    for row in titles:
        names.setdefault(row["text_unit_id"], set()).add(row["name"])
    for row in relationships:
        assert row["source"] != row["target"] and 0 < row["strength"] <= 1
        assert {row["source"], row["target"]} <= names[row["text_unit_id"]]


def test_a_unit_does_not_depend_on_the_others(read: dict[str, pa.Table], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = extract(read)
    monkeypatch.setattr(mentions, "BATCH", 7)
    assert extract(read) == whole
    # Which documents are short is read off the last ordinal of each: keep every document's units in order.
    order = sorted(read["source_units"].to_pylist(), key=lambda row: (row["document_id"], row["ordinal"]))
    assert order != read["source_units"].to_pylist()
    found = extract(read | {"source_units": tables.make("source_units", order)})
    for a, b in zip(whole, found, strict=True):
        assert sorted(map(repr, a)) == sorted(map(repr, b))


def test_names_of_a_sentence_are_related_by_the_words_between_them() -> None:
    text = "Yesterday Alice Smith married Bob Jones in Paris. They visited Carol White and Dora Green."
    _, relationships = extract(one_document(text))
    assert ("Alice Smith", "married", "Bob Jones") in pairs(relationships)
    assert not {row["source"] for row in relationships} & {"Carol White", "Dora Green"}  # "and" relates nothing
    assert not {("Bob Jones", "", "Carol White"), ("Paris", "", "Carol White")} & set(pairs(relationships))
    for row in relationships:
        assert row["strength"] == 1.0
        assert text[row["char_start"] : row["char_end"]].startswith("Yesterday")


def test_a_name_is_related_to_so_many_that_follow_it() -> None:
    text = "On Monday Alice Smith met Bob Jones, Carol White, Dora Green and Emil Brown."
    for most in (1, 2, 9):
        _, relationships = extract(one_document(text), max_neighbours=most)
        sources = [row["source"] for row in relationships]
        assert max(sources.count(name) for name in sources) == min(most, 4)


def test_a_short_document_ties_its_names_to_its_title() -> None:
    text = "She came from Paris to meet Bob Jones. Then Carol White came from Rome."
    entities, relationships = extract(one_document(text, "Alice Smith"))
    (title,) = [row for row in entities if row["mention_start"] == -1]
    assert title["name"] == "Alice Smith" and title["anchored"]
    tied = [row for row in relationships if row["source"] == "Alice Smith"]
    assert {row["target"] for row in tied} == {"Bob Jones", "Paris"}  # nothing says what Rome is to her
    assert all(row["strength"] == 0.5 for row in tied)
    assert text[tied[0]["char_start"] : tied[0]["char_end"]] == "She came from Paris to meet Bob Jones."


def test_a_long_document_does_not_but_still_names_its_title() -> None:
    text = "She came from Paris to meet Bob Jones. Then Carol White came from Rome."
    read = one_document(text, "Alice Smith", cuts=(38,))
    entities, relationships = extract(read, max_title_units=1)
    assert [row["text_unit_id"] for row in entities if row["name"] == "Alice Smith"] == ["u0"]
    assert not [row for row in relationships if row["source"] == "Alice Smith"]
    assert [row for row in extract(read, max_title_units=2)[1] if row["source"] == "Alice Smith"]


def test_a_title_that_is_a_phrase_names_nothing() -> None:
    text = "In March Bob Jones came from Paris."
    entities, _ = extract(one_document(text, "notes of the second week"))
    assert {row["name"] for row in entities} == {"Bob Jones", "Paris"}


@pytest.mark.parametrize("text", [".", "\u200b", "...", "12", "a", "。。", "\ufeffx", "🙂"])
def test_texts_without_names_have_no_mentions(text: str) -> None:
    assert extract(one_document(text)) == ([], [])


@pytest.mark.parametrize("n", [40, 200])
def test_names_of_a_list_are_not_related(n: int) -> None:
    names = [f"{first} {last}" for first in "Ann Bob Cy Dora Emil".split() for last in LAST_NAMES][:n]
    assert not extract(one_document(f"They wrote to {', '.join(names)} in May."))[1]
    _, relationships = extract(one_document(f"Fritz Gold wrote to {', '.join(names)} in May."))
    assert {row["source"] for row in relationships} == {"Fritz Gold"}


LAST_NAMES = [f"{a}{b}" for a in "Ba Co Du Fe Gi Ho Ku La".split() for b in "nner mson rker lling xley".split()]

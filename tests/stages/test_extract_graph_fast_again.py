"""Text units that read as they did are not read again, and the tables are those of an index from nothing."""

import asyncio
import re
import tempfile
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from last_snapshot import last

from graphrag_lite import tables
from graphrag_lite.run.services import Last
from graphrag_lite.settings import ExtractGraphFast, SplitTextUnits
from graphrag_lite.stages import extract_graph_fast as module
from graphrag_lite.stages.extract_graph_fast import extract_graph_fast
from graphrag_lite.stages.split_text_units import split_text_units

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus"
SENTENCES = [
    "Ebenezer Scrooge met Jacob Marley in London.", "It rained.", "Fred lives in Camden Town with Bob Cratchit.",
    "The Bank of England closed.", "Tiny Tim sang for Mr. Scrooge, and Fred laughed with Tiny Tim.", "It was cold.",
]  # fmt: skip
DOCUMENTS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=8).map(" ".join),
        st.sampled_from(["Ebenezer Scrooge", "Notes", "Fred"]),
        st.sampled_from(["en", "fr"]),
    ),
    min_size=1,
    max_size=4,
)
Document = tuple[str, str, str]  # text, title, language


def source(documents: list[Document], size: int = 24) -> dict[str, pa.Table]:
    row = dict.fromkeys(tables.schema("source_documents").names, "")
    made = [
        row | {"id": tables.content_id(text, title, str(place)), "text": text, "title": title, "language": language}
        for place, (text, title, language) in enumerate(documents)
    ]
    table = tables.make("source_documents", made)
    units = asyncio.run(split_text_units(table, SplitTextUnits(size=size, overlap=size // 4), map))
    return {"source_documents": table, "source_units": units}


def extract(read: dict[str, pa.Table], before: Last | None) -> dict[str, pa.Table]:
    section = ExtractGraphFast(max_title_units=2)
    made = asyncio.run(extract_graph_fast(**read, settings=section, each=map, last=before))
    return dict(zip(("entity_mentions", "relationship_mentions"), made, strict=False))


@pytest.fixture
def extracted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """List the texts that are read from now on."""
    texts: list[str] = []
    extract = module._extract

    def counted(unit: module.TextUnit, settings: ExtractGraphFast, extractor: None) -> module.Mentions:
        texts.append(unit.text)
        return extract(unit, settings, extractor)

    monkeypatch.setattr(module, "_extract", counted)
    return texts


@settings(deadline=None, max_examples=25)
@given(st.lists(DOCUMENTS, min_size=2, max_size=4))
def test_the_tables_are_those_from_nothing(states: list[list[Document]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        before = None
        for documents in states:
            read = source(documents)
            again, fresh = extract(read, before), extract(read, None)
            assert {name: tables.sha256(table) for name, table in again.items()} == {
                name: tables.sha256(table) for name, table in fresh.items()
            }
            before = last(Path(place), **read, **again)


def long_document() -> str:
    """Return about a hundred units of text in paragraphs, no two the same."""
    notes = sorted((EXAMPLE / "notes").iterdir())
    return "\n\n".join(re.sub(r"\s+", " ", path.read_text()) for path in notes)


def test_a_sentence_in_the_middle_touches_three_units_at_most(tmp_path: Path, extracted: list[str]) -> None:
    text = long_document()
    middle = text.index(". ", len(text) // 2) + 2
    edited = f"{text[:middle]}Vera Rubin met Kent Ford in Tucson. {text[middle:]}"
    read = source([(text, "Notes", "en")], size=150)
    assert read["source_units"].num_rows > 80
    before = last(tmp_path, **read, **extract(read, None))
    extracted.clear()
    read = source([(edited, "Notes", "en")], size=150)
    again = extract(read, before)
    assert 1 <= len(extracted) <= 3 and any("Vera Rubin" in unit for unit in extracted)
    for row in again["entity_mentions"].to_pylist():
        start = row["mention_start"]
        assert start < 0 or re.sub(r"\s+", " ", edited[start : start + len(row["name"])]) == row["name"]
    assert set(again["entity_mentions"]["document_id"].to_pylist()) == set(read["source_documents"]["id"].to_pylist())


@pytest.mark.parametrize("changed", ["settings", "code"])
def test_all_is_read_where_the_stage_is_another(tmp_path: Path, extracted: list[str], changed: str) -> None:
    read = source([(" ".join(SENTENCES), "Fred", "en")])
    before = last(tmp_path, changed=[changed], **read, **extract(read, None))
    n_units = len(extracted)
    extract(read, before)
    assert len(extracted) == 2 * n_units


def test_another_language_or_title_is_read_again(tmp_path: Path, extracted: list[str]) -> None:
    text = " ".join(SENTENCES)
    read = source([(text, "Fred", "en")])
    before = last(tmp_path, **read, **extract(read, None))
    extracted.clear()
    extract(source([(text, "Fred", "fr")]), before)
    assert len(extracted) == read["source_units"].num_rows > 2
    extracted.clear()
    extract(source([(text, "Tiny Tim", "en")]), before)
    assert len(extracted) == 1, "the title's names belong to the first unit"


def test_a_document_that_is_no_longer_short_is_read_again(tmp_path: Path) -> None:
    """The title of a short one is related to its names."""
    text = SENTENCES[0]
    read = source([(text, "Ebenezer Scrooge", "en")])
    first = extract(read, None)
    grown = source([(f"{text} {' '.join(SENTENCES)}", "Ebenezer Scrooge", "en")])
    units = grown["source_units"].to_pylist()
    assert len(units) > 2
    units[0] |= {"text": text, "char_end": len(text)}
    grown["source_units"] = tables.make("source_units", units)
    again, fresh = extract(grown, last(tmp_path, **read, **first)), extract(grown, None)
    assert again["relationship_mentions"].equals(fresh["relationship_mentions"])
    assert first["relationship_mentions"].num_rows > 0

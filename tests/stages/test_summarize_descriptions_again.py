"""What no change touches is described as it was, and the tables are those of an index from nothing."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from last_snapshot import last

from graphrag_lite import prompts, tables
from graphrag_lite.evidence import mention_forms
from graphrag_lite.run.services import Last
from graphrag_lite.settings import SummarizeDescriptions
from graphrag_lite.stages import summarize_descriptions as module
from graphrag_lite.stages.summarize_descriptions import summarize_descriptions

READS = ("source_documents", "entity_mentions", "relationship_mentions", "entity_resolutions")
Tables = dict[str, pa.Table]


@pytest.fixture(scope="module")
def read(sample: Path) -> Tables:
    return {name: tables.read(sample, name) for name in READS}


def summarize(read: Tables, before: Last | None = None) -> Tables:
    section = SummarizeDescriptions()
    made = asyncio.run(
        summarize_descriptions(**read, settings=section, model=None, prompts=prompts.load(), each=map, last=before)
    )
    return dict(zip(("entities", "relationships", "mention_forms", "community_edges"), made, strict=True))


def test_what_is_as_it_was_is_not_read_again(read: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = summarize(read)
    before = last(tmp_path, **read, **made)
    monkeypatch.setattr(module, "best_sentences", None)
    monkeypatch.setattr(module, "best_statements", None)
    monkeypatch.setattr(mention_forms, "mention_form", None)
    assert summarize(read, before) == made
    for other in ({"changed": ["settings"]}, {"changed": ["code"]}, {"failed": ["Ada"]}):
        with pytest.raises(TypeError):
            summarize(read, last(tmp_path, **other))


def changed(read: Tables, draw: Any) -> Tables:
    """Return mentions without some documents or units, and names that mean what other names do, or nothing, there."""
    found = dict(read)
    documents = read["source_documents"]["id"].to_pylist()
    gone = draw(st.lists(st.sampled_from(documents), max_size=2))
    unit = draw(st.sampled_from(["", *read["entity_mentions"]["text_unit_id"].unique().to_pylist()]))
    for name in ("entity_mentions", "relationship_mentions"):
        out = pc.or_(
            pc.is_in(read[name]["document_id"], pa.array(gone, pa.string())), pc.equal(read[name]["text_unit_id"], unit)
        )
        found[name] = read[name].filter(pc.invert(out))
    rows = read["entity_resolutions"].to_pylist()
    pairs = st.tuples(st.integers(0, len(rows) - 1), st.integers(0, len(rows) - 1))
    for one, other in draw(st.lists(pairs, max_size=2)):
        rows[one] |= {column: rows[other][column] for column in ("entity_id", "title", "type")}
    own = [
        row | {"document_id": draw(st.sampled_from(documents))}
        for row in draw(st.lists(st.sampled_from(rows), max_size=2))
    ]
    here = {(row["document_id"], row["name"]): row for row in (*rows, *own)}
    found["entity_resolutions"] = tables.make("entity_resolutions", [here[key] for key in sorted(here)])
    languages = read["source_documents"]["language"].to_pylist()
    if draw(st.booleans()):
        languages[draw(st.integers(0, len(documents) - 1))] = "fr"
    table = read["source_documents"]
    place = table.column_names.index("language")
    found["source_documents"] = table.set_column(place, table.schema.field("language"), pa.array(languages))
    return found


@settings(deadline=None, max_examples=4)
@given(data=st.data())
def test_the_tables_are_those_from_nothing(read: Tables, data: st.DataObject) -> None:
    then, now = changed(read, data.draw), changed(read, data.draw)
    with tempfile.TemporaryDirectory() as folder:
        before = last(Path(folder), **then, **summarize(then))
        assert summarize(now, before) == summarize(now)

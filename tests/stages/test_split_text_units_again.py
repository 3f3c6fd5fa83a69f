"""Documents that are as they were are not cut again, and the table is the one of an index from nothing."""

import asyncio
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from last_snapshot import last

from graphrag_lite import tables
from graphrag_lite.run.services import Last
from graphrag_lite.settings import SplitTextUnits
from graphrag_lite.stages import split_text_units as module
from graphrag_lite.stages.split_text_units import split_text_units

TALES = [" ".join(f"On day {n * k} Marley counted the money." for n in range(30)) for k in range(1, 6)] + ["Fred.", " "]


def documents(texts: list[str]) -> pa.Table:
    """Return documents whose ids tell their texts, and equal ones by number."""
    row = dict.fromkeys(tables.schema("source_documents").names, "")
    made = [
        row | {"id": tables.content_id(text, str(texts[:place].count(text))), "text": text}
        for place, text in enumerate(texts)
    ]
    return tables.make("source_documents", made)


def split(texts: list[str], before: Last | None) -> pa.Table:
    section = SplitTextUnits(size=60, overlap=15)
    return asyncio.run(split_text_units(documents(texts), section, map, before))


@settings(deadline=None, max_examples=25)
@given(st.lists(st.lists(st.sampled_from(TALES), max_size=6), min_size=2, max_size=4))
def test_the_table_is_the_one_from_nothing(states: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        before = None
        for texts in states:
            again = split(texts, before)
            assert tables.sha256(again) == tables.sha256(split(texts, None))
            before = last(Path(place), source_units=again)


@pytest.mark.parametrize("changed", [[], ["settings"], ["code"]])
def test_only_new_documents_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: list[str]) -> None:
    cut: list[str] = []
    cutter = module._cut

    def counted(document: Any, settings: SplitTextUnits) -> list[tuple[int, int, int]]:
        cut.append(document.text)
        return cutter(document, settings)

    monkeypatch.setattr(module, "_cut", counted)
    before = last(tmp_path, changed=changed, source_units=split(TALES[:3], None))
    cut.clear()
    split([TALES[2], TALES[3], TALES[0]], before)
    assert cut == [TALES[3]] if not changed else len(cut) == 3


def test_a_first_index_tells_of_each_unit_before_the_next_document_is_cut(tmp_path: Path) -> None:
    told: list[tuple[str, int, str]] = []
    n_told: list[int] = []

    def one_by_one(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            n_told.append(len(told))
            yield function(item)

    def units(before: Last | None) -> list[tuple[str, int, str]]:
        asked = (SplitTextUnits(size=60, overlap=15), one_by_one, before, tables.make("episodes", []))
        made = asyncio.run(split_text_units(documents(TALES[:3]), *asked, lambda *_: lambda *unit: told.append(unit)))
        return list(tables.rows(made, "document_id", "char_start", "text"))

    made = units(None)
    ids = [document for document, *_ in made]
    assert told == made and n_told == [0, *(ids.index(i) for i in dict.fromkeys(ids) if ids.index(i))]
    told.clear()
    assert units(last(tmp_path, changed=["code"], source_units=split(TALES[:1], None))) and not told

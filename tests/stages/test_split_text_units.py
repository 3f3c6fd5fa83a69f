"""Documents become text units: spans, order, and ids by content."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite import tables
from graphrag_lite.read.conversations import ShownMessage, conversation_document
from graphrag_lite.settings import SplitTextUnits
from graphrag_lite.stages.split_text_units import split_text_units
from graphrag_lite.text.tokens import token_counter

TALE = " ".join(f"On day {n} Marley counted the money in room {n * 7}." for n in range(120))


def split(texts: list[str], **settings: Any) -> list[dict[str, Any]]:
    row = dict.fromkeys(tables.schema("source_documents").names, "")
    documents = tables.make("source_documents", [row | {"id": f"d{n}", "text": text} for n, text in enumerate(texts)])
    units = asyncio.run(split_text_units(documents, SplitTextUnits(**settings), map))
    tables.check("source_units", units)
    return list(units.to_pylist())


def test_units_are_spans_of_their_document_in_order() -> None:
    texts = [TALE, "  \n ", "Short.", TALE[::-1]]
    units = split(texts, size=100, overlap=20)
    assert [(unit["document_id"], unit["ordinal"]) for unit in units] == sorted(
        (unit["document_id"], unit["ordinal"]) for unit in units
    )
    assert {unit["document_id"] for unit in units} == {"d0", "d2", "d3"}
    for unit in units:
        text = texts[int(unit["document_id"][1:])]
        assert unit["text"] == text[unit["char_start"] : unit["char_end"]]
        assert unit["n_tokens"] == token_counter("cl100k_base")(unit["text"]) <= 105
    assert [unit["ordinal"] for unit in units if unit["document_id"] == "d0"][:3] == [0, 1, 2]


def test_rows_follow_the_order_of_the_documents() -> None:
    assert [unit["document_id"] for unit in split([f"Text {9 - n}." for n in range(5)])] == [f"d{n}" for n in range(5)]


def test_an_id_is_the_texts_own_whatever_stands_beside_it() -> None:
    alone = {unit["id"] for unit in split([TALE])}
    beside = {unit["id"] for unit in split(["Another.", TALE]) if unit["document_id"] == "d1"}
    assert alone == beside


def test_equal_texts_have_ids_of_their_own() -> None:
    units = split(["Same.", "Same.", "Same."])
    assert len({unit["id"] for unit in units}) == 3
    assert {unit["id"] for unit in split(["Same."])} < {unit["id"] for unit in units}


def test_no_documents_have_no_units() -> None:
    assert split([]) == []


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base", "characters"])
def test_the_tokeniser_is_the_one_of_the_settings(encoding: str) -> None:
    (unit,) = split(["Marley was dead: to begin with."], encoding=encoding)
    assert unit["n_tokens"] == token_counter(encoding)(unit["text"])


WORDS = st.lists(st.sampled_from(["whale", "Oslo.", "why?", "\n", "the door"]), min_size=1, max_size=16).map(" ".join)
SPEAKERS = st.sampled_from(["user", "assistant", "Ann Lee"])
TALK = st.lists(st.tuples(SPEAKERS, WORDS).map(lambda said: ShownMessage(*said)), min_size=2, max_size=8)


@given(TALK)
def test_units_of_a_conversation_start_at_messages_and_never_mix_a_user_with_an_assistant(
    talk: list[ShownMessage],
) -> None:
    item = conversation_document(talk, "c", "c", "", {})
    messages = [each._asdict() for each in item.messages]
    row = dict.fromkeys(tables.schema("source_documents").names, "")
    documents = tables.make("source_documents", [row | {"id": "d", "text": item.text, "messages": messages}])
    settings = SplitTextUnits(size=20, overlap=4)
    units = asyncio.run(split_text_units(documents, settings, map)).to_pylist()
    count = token_counter(settings.encoding)
    covered = {place for unit in units for place in range(unit["char_start"], unit["char_end"])}
    assert {place for place, letter in enumerate(item.text) if not letter.isspace()} <= covered
    for unit in units:
        held = [
            said for said in messages if said["char_start"] < unit["char_end"] and said["char_end"] > unit["char_start"]
        ]
        assert len({said["role"] for said in held}) == 1
        begins = unit["char_start"] == held[0]["char_start"]
        # The empty line that follows a message counts with it.
        assert (
            begins or count(item.text[held[0]["char_start"] :][: held[0]["char_end"] + 2 - held[0]["char_start"]]) > 16
        )
        assert count(unit["text"]) <= settings.size + 1

"""Texts that a model has answered for are not asked about again, and the tables are those of an index from nothing."""

import asyncio
import re
import tempfile
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from last_snapshot import last
from stub_model import StubModel, stage_model

from graphrag_lite import prompts, tables
from graphrag_lite.errors import CallError
from graphrag_lite.llm.chat import Request
from graphrag_lite.run.services import Last
from graphrag_lite.settings import ExtractGraph
from graphrag_lite.stages.extract_graph import extract_graph

PROMPTS = prompts.load()
MORE = PROMPTS.fill(prompts.ExtractGraphMorePrompt())
TEXTS = ["Scrooge saw Marley.", "Fred laughed at Scrooge. Fred left.", "It rained on Camden.", "Tim sang to Fred.", " "]
Unit = tuple[str, str, int]  # text, language, characters before it in its document
STATES = st.lists(
    st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from(["en", "fr"]), st.integers(0, 3)), max_size=6),
    min_size=2,
    max_size=4,
)


def source(units: list[Unit], *, talk: bool) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Return documents of one unit each, in a `talk` messages of a day each.

    A unit's id is its text and its place among equal texts.
    """
    row = dict.fromkeys(tables.schema("source_documents").names, "")
    documents, made, said = [], [], []
    for place, (text, language, padding) in enumerate(units):
        documents.append(row | {"id": f"d{place}", "text": " " * padding + text, "language": language})
        identity = tables.content_id(text, str([other for other, *_ in units[:place]].count(text)))
        made.append((identity, f"d{place}", 0, padding, padding + len(text), text, 1))
        day = f"2024-01-{1 + place:02}"
        said.append((f"e{place}", f"d{place}", 0, "message", "talk", "Bo", "", day, "", 0, padding + len(text)))
    return (
        tables.make("source_documents", documents),
        tables.make("source_units", made),
        tables.make("episodes", said if talk else []),
    )


def about(request: Request) -> str:
    asked = request.messages[0]["content"].rpartition("\nText:\n")[2]
    return next(text for text in TEXTS if text.strip() and text in asked)


def answer(request: Request) -> str:
    """Name the capitalised words of the text and say what was said before; find one more in a text about Fred."""
    text = " ".join([about(request), *re.findall("(?m)^> .*", request.messages[0]["content"])])
    glean = request.messages[-1]["content"] == MORE
    names = ["laugh"] * ("Fred" in text) if glean else re.findall("[A-Z][a-z]+", text)
    records = [f'("entity"<|>{name}<|>person<|>{text})' for name in names]
    records += [f'("relationship"<|>{names[0]}<|>{name}<|>MET<|>{text}<|>5)' for name in names[1:]]
    return "##".join(records) + "<|COMPLETE|>"


def extract(
    units: list[Unit], before: Last | None, *, fails: str = "", at: str = "", talk: bool = False
) -> tuple[dict[str, pa.Table], list[str], list[str]]:
    """Return the tables, the names of what failed, and the texts that were asked about in a first request.

    A request about a text that holds `fails` fails; only the one whose last message is `at`, where that is given.
    """

    def reply(request: Request) -> str | Exception:
        failing = fails and fails in about(request)
        if failing and (not at or request.messages[-1]["content"] == at):
            return CallError("the service is down")
        return answer(request)

    stub = StubModel(reply)
    model, failures = stage_model(stub, "extract_graph", max_failure_ratio=0.9)
    read = source(units, talk=talk)
    section = ExtractGraph(max_gleanings=1)
    made = asyncio.run(extract_graph(*read, settings=section, model=model, prompts=PROMPTS, last=before))
    asked = [about(request) for request in stub.requests if len(request.messages) == 1]
    names = ("source_documents", "source_units", "episodes", "entity_mentions", "relationship_mentions")
    return dict(zip(names, (*read, *made), strict=True)), [name for name, *_ in failures], asked


def digests(found: dict[str, pa.Table]) -> list[str]:
    return [tables.sha256(found[name]) for name in ("entity_mentions", "relationship_mentions")]


@settings(deadline=None, max_examples=25)
@given(STATES)
def test_the_tables_are_those_from_nothing(states: list[list[Unit]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        before, known = None, set[tuple[str, str]]()
        for units in states:
            again, failed, asked = extract(units, before)
            assert digests(again) == digests(extract(units, None)[0])
            assert not failed and set(asked) <= {text for text, language, _ in units if (text, language) not in known}
            known = {(text, language) for text, language, _ in units}
            before = last(Path(place), **again)


@settings(max_examples=10)
@given(STATES)
def test_what_was_said_before_a_text_is_asked_about_with_it(states: list[list[Unit]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        before = None
        for place, units in enumerate(states):
            again, *_ = extract(units, before, talk=True)
            assert digests(again) == digests(extract(units, None, talk=True)[0])
            before = last(Path(folder) / str(place), **again)
            assert extract(units, before, talk=True)[2] == []


@pytest.mark.parametrize("at", ["", MORE])
def test_a_text_that_failed_is_asked_about_again(tmp_path: Path, at: str) -> None:
    """Its failure names the first of its units, which may be gone the next time."""
    units = [(TEXTS[1], "en", 2), (TEXTS[0], "en", 0), (TEXTS[1], "en", 1)]
    first, failed, _ = extract(units, None, fails="laughed", at=at)
    assert failed == first["source_units"]["id"].to_pylist()[:1]
    before = last(tmp_path, failed=failed, **first)
    still, failed_again, asked = extract(units, before, fails="laughed", at=at)
    assert (digests(still), failed_again, asked) == (digests(first), failed, [TEXTS[1]])
    healed, none, asked = extract(units, before)
    assert (digests(healed), none, asked) == (digests(extract(units, None)[0]), [], [TEXTS[1]])
    for left in (units[1:], units[:2]):
        healed, _, asked = extract(left, before)
        assert (digests(healed), asked) == (digests(extract(left, None)[0]), [TEXTS[1]])


def test_one_failure_among_much_that_is_kept_stops_nothing(tmp_path: Path) -> None:
    units = [(text, "en", 0) for text in TEXTS]
    first, failed, _ = extract(units, None, fails="laughed")
    again, failed_again, asked = extract(units, last(tmp_path, failed=failed, **first), fails="laughed")
    assert (failed_again, asked, digests(again)) == (failed, [TEXTS[1]], digests(first))


@pytest.mark.parametrize("changed", ["settings", "code", "model"])
def test_all_is_asked_where_the_stage_is_another(tmp_path: Path, changed: str) -> None:
    units = [(text, "en", 0) for text in TEXTS]
    first, _, asked = extract(units, None)
    assert extract(units, last(tmp_path, changed=[changed], **first))[2] == asked
    assert extract(units, last(tmp_path, **first))[2] == []


def test_a_text_in_another_language_is_asked_about_again(tmp_path: Path) -> None:
    """Where its sentences end, and so the places of what is found, depends on the language."""
    first, _, _ = extract([(TEXTS[1], "en", 0)], None)
    assert extract([(TEXTS[1], "fr", 0)], last(tmp_path, **first))[2] == [TEXTS[1]]

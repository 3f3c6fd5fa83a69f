"""Extraction by a model: its conversations, what it is believed, and what is kept when it fails."""

import asyncio
import json
import logging
import random
import string
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from replay import replay_model
from stub_model import StubModel, stage_model

from graphrag_lite import prompts, tables
from graphrag_lite.errors import CallError, ModelError
from graphrag_lite.extraction.model_rounds import NameSource, first_request
from graphrag_lite.llm.chat import Request
from graphrag_lite.replies.graph_records import read_graph
from graphrag_lite.settings import ExtractGraph, SplitTextUnits
from graphrag_lite.stages.extract_graph import extract_graph
from graphrag_lite.stages.split_text_units import split_text_units

PROMPTS = prompts.load()
MISSED = PROMPTS.fill(prompts.ExtractGraphMissedPrompt())
MORE = PROMPTS.fill(prompts.ExtractGraphMorePrompt())
TEXT = "Old Marley was dead. Scrooge had been his partner since 1836. Fred laughed."
FIRST = (
    '("entity"<|>Scrooge<|>PERSON<|>Scrooge was a partner.)##("entity"<|>Marley<|>person<|>He is dead.)##'
    '("relationship"<|>Scrooge<|>Marley<|>PARTNER_OF<|>They were partners.<|>9<|>1836<|>)##<|COMPLETE|>'
)
SECOND = (
    '("entity"<|>Fred<|>person<|>Fred laughs.)##("relationship"<|>Fred<|>Scrooge<|>NEPHEW_OF<|>Kin.<|>7)<|COMPLETE|>'
)
Tables = tuple[list[dict[str, Any]], list[dict[str, Any]]]


def source(*texts: str, language: str = "en", padding: int = 0) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Return tables of documents with one unit each, and of no episodes, `padding` characters behind the start of its document."""
    documents, units = [], []
    for number, text in enumerate(texts):
        columns = tables.schema("source_documents").names
        whole = " " * padding + text
        documents.append({**dict.fromkeys(columns, ""), "id": f"d{number}", "text": whole, "language": language})
        units.append((f"u{number}", f"d{number}", 0, padding, len(whole), text, 0))
    return (tables.make("source_documents", documents), tables.make("source_units", units), tables.make("episodes", []))


def extract(
    reply: Callable[[Request], str | Exception], *texts: str, padding: int = 0, max_gleanings: int = 1, **settings: Any
) -> tuple[Tables, StubModel, list[tuple[str, str, int]]]:
    stub = StubModel(reply)
    model, failures = stage_model(stub, "extract_graph", max_failure_ratio=settings.pop("max_failure_ratio", 0.5))
    found = asyncio.run(
        extract_graph(
            *source(*texts, padding=padding),
            settings=ExtractGraph(max_gleanings=max_gleanings, **settings),
            model=model,
            prompts=PROMPTS,
        )
    )
    for name, table in zip(("entity_mentions", "relationship_mentions"), found, strict=True):
        tables.check(name, table)
    return (found[0].to_pylist(), found[1].to_pylist()), stub, failures


def by_prompt(first: str | Exception, missed: str | Exception = "No", more: str | Exception = "<|COMPLETE|>") -> Any:
    def reply(request: Request) -> str | Exception:  # also to a message that asks to repair the reply before
        asked = [message["content"] for message in request.messages if message["role"] == "user"]
        return {MISSED: missed, MORE: more}.get(asked[-2 if "could not be used" in asked[-1] else -1], first)

    return reply


def conversations(stub: StubModel) -> list[list[tuple[str, str]]]:
    return [[(message["role"], message["content"]) for message in request.messages] for request in stub.requests]


def test_what_the_model_says_becomes_mentions_with_their_places() -> None:
    (entities, relationships), _, failures = extract(by_prompt(FIRST), TEXT, padding=5)
    assert not failures
    assert [(row["name"], row["type"], row["description"], row["round"]) for row in entities] == [
        ("Scrooge", "person", "Scrooge was a partner.", 0),
        ("Marley", "person", "He is dead.", 0),
    ]
    whole = " " * 5 + TEXT
    assert [whole[row["char_start"] : row["char_end"]] for row in entities] == [
        "Scrooge had been his partner since 1836.",
        "Old Marley was dead.",
    ]
    assert [whole[row["mention_start"] :].split()[0] for row in entities] == ["Scrooge", "Marley"]
    assert all(row["anchored"] and row["text_unit_id"] == "u0" and row["document_id"] == "d0" for row in entities)
    (row,) = relationships
    assert (row["source"], row["target"], row["relation"], row["strength"]) == ("Scrooge", "Marley", "PARTNER_OF", 9.0)
    assert (row["description"], row["valid_at"], row["invalid_at"]) == ("They were partners.", "1836", "")
    assert whole[row["char_start"] : row["char_end"]] == "Old Marley was dead. Scrooge had been his partner since 1836."


def test_gleaning_continues_the_conversation_while_the_model_says_yes() -> None:
    (entities, relationships), stub, _ = extract(by_prompt(FIRST, "Yes.", SECOND), TEXT, max_gleanings=2)
    asked = [(m["role"], m["content"]) for m in first_request(NameSource("", TEXT), ExtractGraph(), PROMPTS)]
    first, second = ("assistant", FIRST), ("assistant", SECOND)
    missed, more = ("user", MISSED), ("user", MORE)
    assert conversations(stub) == [
        asked,
        [*asked, first, more],
        [*asked, first, more, second, missed],
        [*asked, first, more, second, more],
    ]
    assert [request.choices for request in stub.requests] == [(), (), ("Yes", "No"), ()]
    assert Counter((row["name"], row["round"]) for row in entities) == {
        ("Scrooge", 0): 1,
        ("Marley", 0): 1,
        ("Fred", 1): 1,  # the second gleaning repeats it and adds nothing
    }
    assert [(row["source"], row["round"]) for row in relationships] == [("Scrooge", 0), ("Fred", 1)]


@pytest.mark.parametrize(
    ("rounds", "missed", "n_calls"), [(0, "Yes", 1), (1, "No", 2), (2, "No", 3), (2, "Yes", 4), (3, "Yes", 6)]
)
def test_nothing_is_asked_after_the_last_round(rounds: int, missed: str, n_calls: int) -> None:
    _, stub, _ = extract(by_prompt(FIRST, missed, SECOND), TEXT, max_gleanings=rounds)
    assert len(stub.requests) == n_calls


@pytest.mark.parametrize(
    ("missed", "more", "attempts"), [("Yes", "I cannot.", 2), ("Yes", "", 2), ("Yes", CallError("no answer"), 1)]
)
def test_a_gleaning_that_fails_loses_nothing_and_is_recorded(missed: str, more: str | Exception, attempts: int) -> None:
    (entities, relationships), _, failures = extract(by_prompt(FIRST, missed, more), TEXT)
    assert [row["name"] for row in entities] == ["Scrooge", "Marley"] and len(relationships) == 1
    ((name, error, tried),) = failures
    assert name == "u0" and tried == attempts and error.startswith("gleaning 1, what was found before it is kept: ")


def test_a_question_for_more_that_fails_keeps_the_rounds_before_it() -> None:
    (entities, _), _, failures = extract(by_prompt(FIRST, "Perhaps", SECOND), TEXT, max_gleanings=2)
    assert [row["name"] for row in entities] == ["Scrooge", "Marley", "Fred"]
    assert [(tried, error[:10]) for _, error, tried in failures] == [(2, "gleaning 2")]


@pytest.mark.parametrize("reply", ["", "I'm sorry, I cannot help with that.", CallError("timed out")])
def test_a_unit_without_a_usable_reply_is_a_failure_and_the_others_are_kept(reply: str | Exception) -> None:
    def answer(request: Request) -> str | Exception:
        return reply if "Belle" in request.messages[0]["content"] else by_prompt(FIRST)(request)

    (entities, _), _, failures = extract(answer, TEXT, "Belle wept.")
    assert {row["text_unit_id"] for row in entities} == {"u0"}
    assert [(name, tried) for name, _, tried in failures] == [("u1", 1 if isinstance(reply, Exception) else 2)]
    with pytest.raises(ModelError, match="extract_graph: 1 of 1 could not be done"):
        extract(answer, "Belle wept.")


def test_nothing_to_extract_is_no_failure() -> None:
    found, _, failures = extract(by_prompt("<|COMPLETE|>"), TEXT)
    assert found == ([], []) and not failures
    assert extract(by_prompt("<|COMPLETE|>"))[0] == ([], [])


def test_equal_texts_are_asked_once() -> None:
    (entities, _), stub, _ = extract(by_prompt(FIRST), TEXT, TEXT, "  \n ")
    assert len(stub.requests) == 2 and len(entities) == 4
    assert {(row["text_unit_id"], row["document_id"]) for row in entities} == {("u0", "d0"), ("u1", "d1")}


def test_what_only_relationships_name_is_an_entity_of_unknown_type() -> None:
    reply = '("entity"<|>Scrooge<|>person<|>x)##("relationship"<|>SCROOGE<|>The Fred<|>UNCLE_OF<|>Fred laughed.<|>9)'
    (entities, relationships), _, _ = extract(by_prompt(reply), TEXT)
    assert [(row["name"], row["type"], row["description"]) for row in entities] == [
        ("Scrooge", "person", "x"),
        ("The Fred", "unknown", ""),
    ]
    assert TEXT[entities[1]["char_start"] : entities[1]["char_end"]] == "Fred laughed."
    assert [(row["source"], row["target"]) for row in relationships] == [("Scrooge", "The Fred")]
    assert {row["source"] for row in relationships} <= {row["name"] for row in entities}


def test_a_later_round_may_declare_what_an_earlier_one_relates() -> None:
    reply = '("relationship"<|>Scrooge<|>fred<|>UNCLE_OF<|>Fred laughed.<|>9)'
    (entities, relationships), _, _ = extract(by_prompt(reply, "Yes", SECOND), TEXT)
    assert [(row["name"], row["type"], row["round"]) for row in entities] == [
        ("Scrooge", "unknown", 0),
        ("Fred", "person", 1),
    ]
    assert [(row["source"], row["target"]) for row in relationships] == [("Scrooge", "Fred"), ("Fred", "Scrooge")]


def test_two_types_of_one_name_are_two_mentions() -> None:
    reply = '("entity"<|>Marley<|>person<|>A man.)##("entity"<|>Marley<|>organization<|>A firm.)'
    (entities, _), _, _ = extract(by_prompt(reply), TEXT)
    assert [row["type"] for row in entities] == ["person", "organization"]


def test_the_examples_of_the_prompt_are_not_taken_for_the_text(caplog: pytest.LogCaptureFixture) -> None:
    reply = PROMPTS.fill(prompts.ExtractGraphExamplesPrompt()) + '("entity"<|>Scrooge<|>person<|>x)##("entity"<|>)'
    with caplog.at_level(logging.INFO):
        (entities, relationships), _, _ = extract(by_prompt(reply), TEXT)
    assert [row["name"] for row in entities] == ["Scrooge"] and not relationships
    assert "Dropped 1 records that cannot be read, and 11 of the prompt's examples." in caplog.text
    (entities, _), _, _ = extract(by_prompt(reply), "Gdynia is a port. Scrooge never saw it.")
    assert [row["name"] for row in entities] == ["Gdynia", "Scrooge"]


def test_prompts_differ_in_the_text_alone() -> None:
    settings = ExtractGraph(entity_types=["ship", "port"])
    one, other = (first_request(NameSource("", text), settings, PROMPTS)[0]["content"] for text in ("$text {A}", "B"))
    assert "Entity types: ship, port\n" in one
    assert one.replace("$text {A}", "B") == other
    assert one.index("$text {A}") > 0.97 * len(other)
    assert one.startswith("Extract a graph of entities and relationships from a text.\n")
    assert len({text.split("\n")[0] for text in PROMPTS.texts.values()}) == len(PROMPTS.texts)


def test_the_examples_follow_their_own_rules() -> None:
    examples = PROMPTS.fill(prompts.ExtractGraphExamplesPrompt()).split("\n\nEntity types: ")
    assert len(examples) == 2
    for example in examples:
        head, _, reply = example.partition("\nRecords:\n")
        types, _, text = head.removeprefix("Entity types: ").partition("\nText:\n")
        found = read_graph(reply, types.split(", "))
        names = {one.name for one in found.entities}
        assert found.n_dropped == 0 and reply.rstrip().endswith("<|COMPLETE|>")
        assert all(one.name in text and one.type in types.split(", ") and one.description for one in found.entities)
        for one in found.relationships:
            assert {one.source, one.target} <= names and one.relation.isupper() and one.description
            assert 1 <= one.strength <= 10
            assert all(date[:4] in text for date in (one.valid_at, one.invalid_at) if date)


def test_replies_in_any_order_give_the_same_tables() -> None:
    texts = [f"Scrooge met Marley in {year}." for year in range(1800, 1840)]

    class Late(StubModel):
        async def complete(self, request: Request) -> Any:
            await asyncio.sleep(waits.random() / 50)
            return await super().complete(request)

    results = []
    for seed in (1, 2):
        waits = random.Random(seed)
        model, _ = stage_model(Late(by_prompt(FIRST, "Yes", SECOND)), "extract_graph")
        run = extract_graph(*source(*texts), settings=ExtractGraph(), model=model, prompts=PROMPTS)
        results.append(asyncio.run(run))
    assert results[0][0].equals(results[1][0]) and results[0][1].equals(results[1][1])
    assert results[0][0].num_rows == 3 * 40


def test_hostile_names_reach_the_table_as_text() -> None:
    name = "'; drop table x; -- ../../etc/passwd \ud800\x00" + string.punctuation
    (entities, _), _, _ = extract(by_prompt(f'("entity"<|>{name}<|>person<|>x\ud800)'), TEXT)
    assert entities[0]["name"].startswith("'; drop table x; -- ../../etc/passwd !")
    assert entities[0]["mention_start"] == -1 and entities[0]["char_end"] == len(TEXT)


def test_a_christmas_carol_is_rebuilt_from_real_replies(shared: Path) -> None:
    row = json.loads((shared / "corpora" / "christmas_carol" / "corpus.jsonl").read_text("utf-8").splitlines()[0])
    documents = source(row["text"])[0]
    units = asyncio.run(
        split_text_units(
            documents, settings=SplitTextUnits(size=1200, overlap=100), each=lambda f, items: map(f, items)
        )
    )
    stub = replay_model(shared)
    model, failures = stage_model(stub, "extract_graph")
    found = asyncio.run(
        extract_graph(
            documents, units, tables.make("episodes", []), settings=ExtractGraph(), model=model, prompts=PROMPTS
        )
    )
    entities, relationships = (table.to_pylist() for table in found)
    assert not failures and units.num_rows == 57
    places = {row["id"]: (row["char_start"], row["char_end"]) for row in units.to_pylist()}
    for mention in [*entities, *relationships]:
        start, end = places[mention["text_unit_id"]]
        assert start <= mention["char_start"] < mention["char_end"] <= end
    for mention in entities:
        assert mention["mention_start"] == -1 or mention["char_start"] <= mention["mention_start"] < mention["char_end"]
    named = Counter(mention["name"] for mention in entities)
    assert named.most_common(1)[0][0] == "Scrooge" and named["Scrooge"] > 40
    assert {"Bob Cratchit", "Tiny Tim", "Fezziwig", "Marley's Ghost"} <= named.keys()
    assert len(entities) > 600 and len(relationships) > 450
    assert sum(mention["mention_start"] >= 0 for mention in entities) > 0.8 * len(entities)
    assert Counter(mention["round"] for mention in entities)[1] > 200
    declared = {(mention["text_unit_id"], mention["name"]) for mention in entities}
    assert all((row["text_unit_id"], row[end]) in declared for row in relationships for end in ("source", "target"))
    assert {mention["strength"] for mention in relationships} >= {5.0, 6.0, 7.0, 8.0, 9.0, 10.0}

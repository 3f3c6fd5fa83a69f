"""Mentions are folded into entities and relationships that the corpus's own sentences describe."""

import asyncio
import math
import os
import random
import re
import signal
import threading
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from graphrag_lite import prompts, tables
from graphrag_lite.attempts import in_turn
from graphrag_lite.errors import CallError, ModelError
from graphrag_lite.llm.chat import Reply, Request
from graphrag_lite.llm.own_loop import own_loop
from graphrag_lite.llm.stage_model import StageModel
from graphrag_lite.settings import SummarizeDescriptions
from graphrag_lite.stages.summarize_descriptions import summarize_descriptions
from graphrag_lite.tables.database import open_database
from graphrag_lite.text.sentences import LINE_MARKS
from graphrag_lite.text.tokens import token_counter
from tests.stub_model import StubModel, stage_model

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus"
READS = ("source_documents", "entity_mentions", "relationship_mentions", "entity_resolutions")
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def read(sample: Path) -> dict[str, pa.Table]:
    return {name: tables.read(sample, name) for name in READS}


def summarize(read: dict[str, pa.Table], **settings: Any) -> tuple[Rows, Rows]:
    return described(read, None, **settings)


def described(read: dict[str, pa.Table], model: StageModel | None, **settings: Any) -> tuple[Rows, Rows]:
    chosen = SummarizeDescriptions(**settings)
    made = asyncio.run(
        summarize_descriptions(**read, settings=chosen, model=model, prompts=prompts.load(), each=in_turn)
    )
    for name, table in zip(("entities", "relationships", "mention_forms", "community_edges"), made, strict=True):
        tables.check(name, table)
    return made[0].to_pylist(), made[1].to_pylist()


def meaning(read: dict[str, pa.Table]) -> dict[tuple[str, str], str]:
    """Return which entity each (document, name) means, '' for the whole corpus."""
    rows = read["entity_resolutions"].to_pylist()
    found = {(row["document_id"], row["name"]): row["entity_id"] for row in rows}
    assert len(found) == len(rows)
    return found


def of(meant: dict[tuple[str, str], str], document_id: str, name: str) -> str:
    own = meant.get((document_id, name))
    return meant.get(("", name), "") if own is None else own


def test_entities_count_their_mentions(read: dict[str, pa.Table]) -> None:
    entities, relationships = summarize(read)
    meant = meaning(read)
    units, places, documents = defaultdict(set), defaultdict(set), defaultdict(set)
    for row in read["entity_mentions"].to_pylist():
        if identity := of(meant, row["document_id"], row["name"]):
            units[identity].add(row["text_unit_id"])
            places[identity].add((row["document_id"], row["mention_start"]))
            documents[identity].add(row["document_id"])
    assert {row["id"] for row in entities} == set(units)
    degree = Counter(row[end] for row in relationships for end in ("source_id", "target_id"))
    for number, row in enumerate(entities):
        assert row["human_readable_id"] == number
        assert row["text_unit_ids"] == sorted(units[row["id"]]) and row["frequency"] == len(units[row["id"]])
        assert row["n_mentions"] == len(places[row["id"]]) and row["n_documents"] == len(documents[row["id"]])
        assert row["degree"] == degree[row["id"]]
    order = [(-row["frequency"], -row["n_mentions"], row["title"], row["id"]) for row in entities]
    assert order == sorted(order)


def test_relationships_join_entities_once_and_weigh_their_instances(read: dict[str, pa.Table]) -> None:
    entities, relationships = summarize(read)
    entity = {row["id"]: row for row in entities}
    meant = meaning(read)
    units: dict[frozenset[str], set[str]] = defaultdict(set)
    strengths: dict[frozenset[str], dict[tuple[str, int], float]] = defaultdict(dict)
    for row in read["relationship_mentions"].to_pylist():
        ends = frozenset(of(meant, row["document_id"], row[end]) for end in ("source", "target"))
        if len(ends) == 2 and "" not in ends:
            units[ends].add(row["text_unit_id"])
            place = (row["document_id"], row["char_start"])
            strengths[ends][place] = max(row["strength"], strengths[ends].get(place, 0.0))
    n_units = len(set(read["entity_mentions"]["text_unit_id"].to_pylist()))
    step = 2 ** max(math.floor(math.log2(n_units)) - 4, 0)
    n_units = math.ceil(n_units / step) * step
    assert {frozenset((row["source_id"], row["target_id"])) for row in relationships} == set(units)
    assert len(relationships) == len(units)
    for number, row in enumerate(relationships):
        source, target = entity[row["source_id"]], entity[row["target_id"]]
        ends = frozenset((source["id"], target["id"]))
        assert row["human_readable_id"] == number
        assert (row["source"], row["target"]) == (source["title"], target["title"])
        assert row["combined_degree"] == source["degree"] + target["degree"]
        assert row["text_unit_ids"] == sorted(units[ends]) and row["n_mentions"] == len(strengths[ends])
        assert set(row["text_unit_ids"]) <= set(source["text_unit_ids"]) & set(target["text_unit_ids"])
        p = len(units[ends]) / n_units
        pmi = math.log(p * n_units**2 / (source["frequency"] * target["frequency"]))
        npmi = max(-1.0, min(1.0, pmi / -math.log(p)))
        assert row["weight"] == pytest.approx(sum(strengths[ends].values()) * (1 + npmi) / 2, abs=2e-6)
        assert row["weight"] >= 0
    assert [row["weight"] for row in relationships] == sorted((row["weight"] for row in relationships), reverse=True)


def test_descriptions_are_exact_spans_of_documents(read: dict[str, pa.Table]) -> None:
    texts = dict(zip(*(read["source_documents"][name].to_pylist() for name in ("id", "text")), strict=True))
    entities, relationships = summarize(read)
    mentions, instances = defaultdict(set), defaultdict(set)
    meant = meaning(read)
    for row in read["entity_mentions"].to_pylist():
        mentions[of(meant, row["document_id"], row["name"])].add((row["document_id"], row["char_start"]))
    for row in read["relationship_mentions"].to_pylist():
        ends = frozenset(of(meant, row["document_id"], row[end]) for end in ("source", "target"))
        instances[ends].add((row["document_id"], row["char_start"]))
    assert sum(bool(row["description"]) for row in entities) > 0.9 * len(entities)
    for row in (*entities, *relationships):
        said = [" ".join(texts[s["document_id"]][s["char_start"] : s["char_end"]].split()) for s in row["sources"]]
        assert row["description"] == " ".join(said) and len(set(said)) == len(said) <= 2
        known = mentions[row["id"]] if "title" in row else instances[frozenset((row["source_id"], row["target_id"]))]
        told = {(at, start + len(re.match(rf"(?:{LINE_MARKS})?", texts[at][start:])[0])) for at, start in known}
        assert {(s["document_id"], s["char_start"]) for s in row["sources"]} <= told
    assert not any(row["description"].startswith(("#", "- ")) for row in (*entities, *relationships))
    assert all(len(row["sources"]) == 1 for row in relationships)


def test_the_order_of_rows_does_not_matter(read: dict[str, pa.Table]) -> None:
    expected = summarize(read)
    chance = random.Random(6)
    for _ in range(4):
        shuffled = {
            name: table.take(chance.sample(range(table.num_rows), table.num_rows)) for name, table in read.items()
        }
        assert summarize(shuffled) == expected


def test_more_sentences_where_they_are_wanted(read: dict[str, pa.Table]) -> None:
    one, five = summarize(read, max_sentences=1)[0], summarize(read, max_sentences=5)[0]
    assert max(len(row["sources"]) for row in one) == 1 and max(len(row["sources"]) for row in five) == 5
    assert [row["id"] for row in one] == [row["id"] for row in five]


TEXT = (
    "He liked what Ada Bell wrote. Ada Bell is an engineer who built the first bridge over the river Tay. "
    "So, Ada Bell? Ada Bell married Tom Carr in the spring of 1890 near the old harbour."
)


def mention(name: str, place: int, **more: Any) -> dict[str, Any]:
    end = next(i + 1 for i in range(place, len(TEXT)) if TEXT[i] in ".?")
    start = max((TEXT.rfind(mark, 0, place) for mark in (". ", "? ")), default=-2) + 2
    start = 0 if start == 1 else start
    row = {"text_unit_id": "u", "document_id": "d", "type": "person", "description": "", "anchored": True, "round": 0}
    return row | {"name": name, "char_start": start, "char_end": end, "mention_start": place} | more


def small(resolutions: list[tuple[str, str, str]]) -> dict[str, pa.Table]:
    """Make what the stage reads of TEXT, with (document, name, entity) as resolutions."""
    document = {"id": "d", "source_id": "a.txt", "title": "", "text": TEXT, "path": "a.txt", "content_sha256": ""}
    document |= {"mime": "text/plain", "language": "en", "created_at": "", "metadata": "{}"}
    mentions = [mention("Ada Bell", i) for i in range(len(TEXT)) if TEXT.startswith("Ada Bell", i)]
    mentions.append(mention("Tom Carr", TEXT.index("Tom Carr")))
    married = mention("", TEXT.index("Tom Carr"))
    pair = {k: married[k] for k in ("text_unit_id", "document_id", "description", "char_start", "char_end", "round")}
    pair |= {"valid_at": "", "invalid_at": "", "strength": 1.0}
    pairs = [pair | {"source": "Tom Carr", "target": "Ada Bell", "relation": ""}]
    pairs.append(pair | {"source": "Ada Bell", "target": "Tom Carr", "relation": "married"})
    resolved = [
        {
            "document_id": document_id,
            "name": name,
            "entity_id": entity,
            "title": entity,
            "type": "person",
            "rule": "exact",
        }
        for document_id, name, entity in resolutions
    ]
    return {
        "source_documents": tables.make("source_documents", [document]),
        "entity_mentions": tables.make("entity_mentions", mentions),
        "relationship_mentions": tables.make("relationship_mentions", pairs),
        "entity_resolutions": tables.make("entity_resolutions", resolved),
    }


def test_the_sentence_that_defines_comes_first_and_a_question_last() -> None:
    read = small([("", "Ada Bell", "Ada"), ("", "Tom Carr", "Tom")])
    entities, (relationship,) = summarize(read, max_sentences=1)
    assert entities[0]["title"] == "Ada" and entities[0]["description"].startswith("Ada Bell is an engineer")
    three = summarize(read, max_sentences=3)[0][0]["description"]
    assert "So, Ada Bell?" not in three
    assert three.startswith("Ada Bell is an engineer") and three.endswith("He liked what Ada Bell wrote.")  # best first
    # The text says who married: the sentence with a relation decides the direction.
    assert (relationship["source"], relationship["relation"], relationship["target"]) == ("Ada", "married", "Tom")
    assert relationship["n_mentions"] == 1 and relationship["weight"] == 1.0


def test_of_two_relations_in_one_sentence_the_order_of_rows_decides_nothing() -> None:
    read = small([("", "Ada Bell", "Ada"), ("", "Tom Carr", "Tom")])
    row = read["relationship_mentions"].to_pylist()[1]
    rows = [row | {"relation": relation} for relation in ("wrote to", "met", "saw")]
    for ordered in (rows, rows[::-1]):
        (found,) = summarize(read | {"relationship_mentions": tables.make("relationship_mentions", ordered)})[1]
        assert found["relation"] == "met"


def test_a_document_may_mean_something_else_by_a_name_and_dropped_names_are_gone() -> None:
    entities, relationships = summarize(small([("", "Ada Bell", "A"), ("d", "Ada Bell", "B"), ("", "Tom Carr", "C")]))
    assert [row["title"] for row in entities] == ["B", "C"] and len(relationships) == 1
    entities, relationships = summarize(small([("", "Ada Bell", "A"), ("", "Tom Carr", "")]))
    assert [row["title"] for row in entities] == ["A"] and relationships == [] and entities[0]["degree"] == 0
    entities, relationships = summarize(small([("", "Ada Bell", "A"), ("", "Tom Carr", "A")]))
    assert len(entities) == 1 and relationships == []
    assert summarize(small([("", "Ada Bell", ""), ("", "Tom Carr", "")])) == ([], [])


def test_repeated_text_counts_once() -> None:
    """The overlap of two text units repeats a sentence: two units name the entity, at one place."""
    read = small([("", "Ada Bell", "Ada"), ("", "Tom Carr", "Tom")])
    once = summarize(read)
    for name in ("entity_mentions", "relationship_mentions"):
        again = [row | {"text_unit_id": "v"} for row in read[name].to_pylist()]
        read[name] = tables.make(name, [*read[name].to_pylist(), *again])
    twice = summarize(read)
    assert [row["frequency"] for row in twice[0]] == [2, 2] != [row["frequency"] for row in once[0]]
    assert [row["n_mentions"] for row in twice[0]] == [row["n_mentions"] for row in once[0]]
    assert twice[1][0]["n_mentions"] == 1 and twice[0][0]["description"] == once[0][0]["description"]


def told(*said: str, name: str = "Ada Bell", unit: str = "u") -> Rows:
    """Make mentions that a model described, one to a text unit."""
    place = TEXT.index("Ada Bell")
    return [
        mention(name, place, description=text, text_unit_id=f"{unit}{n}", document_id="d")
        for n, text in enumerate(said)
    ]


def related(*rows: tuple[str, str, str, str, float], unit: str = "u") -> Rows:
    """Make relationships that a model described, one to a text unit: source, target, relation, description, strength."""
    start, end = TEXT.index("Ada Bell married"), len(TEXT)
    return [
        {"text_unit_id": f"{unit}{n}", "document_id": "d", "source": source, "target": target, "relation": relation}
        | {"description": description, "strength": strength, "valid_at": "", "invalid_at": ""}
        | {"char_start": start, "char_end": end, "round": 0}
        for n, (source, target, relation, description, strength) in enumerate(rows)
    ]


def model_read(mentions: Rows, relationships: Rows = ()) -> dict[str, pa.Table]:  # type: ignore[assignment]
    """Make what the stage reads where a model extracted."""
    read = small([("", "Ada Bell", "Ada"), ("", "Tom Carr", "Tom")])
    if not any(row["name"] == "Tom Carr" for row in mentions):
        mentions = [*mentions, *told("Tom Carr married.", name="Tom Carr")]
    return read | {
        "entity_mentions": tables.make("entity_mentions", mentions),
        "relationship_mentions": tables.make("relationship_mentions", list(relationships)),
    }


def merging(read: dict[str, pa.Table], reply: Any = None, **settings: Any) -> tuple[Rows, Rows, StubModel, Any]:
    """Return entities, relationships, the model, and the failures; the model answers with what it was given to merge."""
    stub = StubModel(reply or (lambda request: f"Merged: {len(lines(request))}."))
    model, failures = stage_model(stub)
    return *described(read, model, **settings), stub, failures


def lines(request: Request) -> list[str]:
    text = request.messages[0]["content"].partition("\nDESCRIPTIONS\n")[2].partition("\nEND OF")[0]
    return re.findall(r"^- (.*)$", text, re.M)


def test_one_description_is_kept_and_short_ones_stand_together_without_a_call() -> None:
    entities, _, stub, failures = merging(model_read(told("Ada  built a bridge", "She wrote.", "she wrote", "")))
    assert entities[0]["description"] == "Ada built a bridge. She wrote." and stub.requests == [] and failures == []
    assert entities[1]["description"] == "Tom Carr married."
    long = "Ada " + "very " * 900 + "well."
    entities, _, stub, _ = merging(model_read(told(long, long)), max_tokens=50)
    assert entities[0]["description"] == long and stub.requests == []  # there is nothing to merge it with


def test_long_ones_are_merged_by_the_model_whatever_their_order() -> None:
    said = [f"Ada built bridge number {n} over a river in the north." for n in range(20)]
    entities, _, stub, _ = merging(model_read(told(*said)), max_tokens=50)
    assert entities[0]["description"] == "Merged: 20." and len(stub.requests) == 1
    (request,) = stub.requests
    assert lines(request) == sorted(said) and "\nOf: Ada\n" in request.messages[0]["content"]
    again = merging(model_read(told(*said[::-1], *said)), max_tokens=50)
    assert again[0][0]["description"] == "Merged: 20." and again[2].asked == stub.asked  # the memo answers it


def test_descriptions_are_merged_while_sentences_are_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    said = [f"Ada built bridge number {n} over a river in the north." for n in range(20)]
    asked, seen = threading.Event(), []

    def reply(_: Request) -> str:
        asked.set()
        return "Merged."

    def choose(rows: Rows, *_: Any) -> Rows:
        seen.append(asked.wait(20))
        return rows[:1]

    monkeypatch.setattr("graphrag_lite.stages.summarize_descriptions.best_sentences", choose)
    model, _ = stage_model(StubModel(reply))
    with own_loop() as model.model.loop:
        entities, _ = described(model_read(told(*said)), model, max_tokens=50)
    assert all(seen) and entities[0]["description"] == "Merged."


def test_what_exceeds_one_question_is_folded_and_a_new_description_asks_little_again() -> None:
    said = [f"Ada built bridge number {n} over a river in the north of the country." for n in range(300)]

    def reply(request: Request) -> str:
        return f"Ada built {len(lines(request))} things, as is said here at some length for the sake of the test."

    entities, _, stub, _ = merging(model_read(told(*said)), reply, max_tokens=60, max_input_tokens=400)
    count = token_counter("cl100k_base")
    assert all(sum(map(count, lines(request))) <= 400 for request in stub.requests)
    folded = [line for request in stub.requests for line in lines(request)]
    assert set(said) <= set(folded) and len(stub.requests) > 15 and count(entities[0]["description"]) <= 120
    more = merging(model_read(told(*said, "Ada built bridge number 33a.")), reply, max_tokens=60, max_input_tokens=400)
    assert 0 < len(more[2].asked - stub.asked) <= 5


@pytest.mark.parametrize("size", [50, 1000])
def test_folding_ends_whatever_the_model_says(size: int) -> None:
    said = [f"{n} " + "word " * 400 for n in range(30)]
    entities, _, stub, _ = merging(
        model_read(told(*said)), lambda _: "More. " * 999, max_tokens=size, max_input_tokens=200
    )
    assert entities[0]["description"] and len(stub.requests) < 90


def test_a_merge_that_fails_is_recorded_and_the_description_is_the_beginning_of_what_was_said() -> None:
    said = [f"Ada built bridge number {n:02} over a river in the north." for n in range(20)]
    expected = " ".join(said[:3])
    for reply in (Reply("cut off", "length"), '""'):
        entities, _, _, failures = merging(model_read(told(*said)), lambda _, answer=reply: answer, max_tokens=50)
        assert entities[0]["description"] == expected
        assert [(name, attempts) for name, _, attempts in failures] == [("Ada", 2)]
    assert summarize(model_read(told(*said)), max_tokens=50)[0][0]["description"] == expected  # no model at all
    with pytest.raises(ModelError):
        merging(model_read(told(*said)), lambda _: CallError("HTTP 500"), max_tokens=50)


def test_opposite_directions_add_and_do_not_overwrite() -> None:
    """The reference keeps the last of two edges with opposite directions."""
    rows = [
        ("Ada Bell", "Tom Carr", "MARRIED", "Ada married Tom.", 7.0),
        ("Tom Carr", "Ada Bell", "PRAISED", "Tom praised Ada.", 2.0),
        ("Ada Bell", "Tom Carr", "PRAISED", "Ada praised Tom.", 3.0),
    ]
    mentions = [*told("She.", "She."), *told("He.", "He.", name="Tom Carr")]
    mentions += told(*["It."] * 20, name="Somebody", unit="x")
    for order in (rows, rows[::-1]):
        # one unit, one sentence, three instances
        one = [row | {"text_unit_id": "u0"} for row in related(*order)]
        _, (found,), *_ = merging(model_read(mentions, one))
        assert found["n_mentions"] == 3 and found["relation"] == "PRAISED"
        assert (found["source"], found["target"]) == ("Ada", "Tom")  # who praises more
        assert found["description"] == "Ada married Tom. Ada praised Tom. Tom praised Ada."
        _, (single,), *_ = merging(model_read(mentions, one[:1]))
        assert found["weight"] == pytest.approx(single["weight"] * 12 / order[0][4], abs=1e-4)


def test_the_overlap_of_two_units_counts_once_and_what_has_no_place_counts_in_its_unit() -> None:
    row = ("Ada Bell", "Tom Carr", "MARRIED", "Ada married Tom.", 7.0)
    found = merging(model_read(told("She."), related(row, row)))[1][0]
    assert found["n_mentions"] == 1 and found["text_unit_ids"] == ["u0", "u1"]
    nowhere = [r | {"char_start": -1, "char_end": -1} for r in related(row, row)]
    assert merging(model_read(told("She."), nowhere))[1][0]["n_mentions"] == 2
    entities = merging(model_read([row | {"mention_start": -1} for row in told("She.", "She wrote.")]))[0]
    assert {row["title"]: row["n_mentions"] for row in entities} == {"Ada": 2, "Tom": 1}


def test_a_description_cites_the_sentences_of_its_mentions() -> None:
    starts = [i for i in range(len(TEXT)) if TEXT.startswith("Ada Bell", i)]
    mentions = [mention("Ada Bell", i, description=f"She {i}.", text_unit_id=f"u{i}") for i in starts]
    (ada, _), (pair,), *_ = merging(model_read(mentions, related(("Ada Bell", "Tom Carr", "R", "d", 1.0))))
    spans = [(row["char_start"], row["char_end"]) for row in ada["sources"]]
    assert len(spans) == len(starts) == len(set(spans)) and TEXT[slice(*spans[0])].startswith("Ada Bell is an engineer")
    assert [TEXT[row["char_start"] : row["char_end"]] for row in pair["sources"]] == [
        TEXT[TEXT.index("Ada Bell married") :]
    ]
    lost = [row | {"char_start": 0, "char_end": len(TEXT), "mention_start": -1} for row in told("He.", unit="v")]
    ((ada, *_), *_) = merging(model_read([*mentions, *lost]))
    assert [(row["char_start"], row["char_end"]) for row in ada["sources"]] == spans, "a whole unit is no sentence"
    assert "He." in ada["description"] and "v0" in ada["text_unit_ids"]
    assert [row["char_end"] for row in merging(model_read(lost))[0][0]["sources"]] == [len(TEXT)], "better than nothing"
    unplaced = [row | {"char_start": -1, "char_end": -1, "mention_start": -1} for row in mentions]
    assert merging(model_read(unplaced))[0][0]["sources"] == []


def test_a_ctrl_c_during_a_query_is_one() -> None:
    with pytest.raises(KeyboardInterrupt), open_database(0) as database:  # noqa: PT012 - it is begun when it can be heard
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        database.execute("select count(*) from range(20000000) a, range(1000) b where a.range % 7 = b.range % 5")

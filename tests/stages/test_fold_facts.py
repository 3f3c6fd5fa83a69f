"""The stage: names and relations are resolved, facts are worded and sourced, and a run that ends too much stops."""

import asyncio
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from stub_model import StubModel, stage_model

from graphrag_lite import prompts, tables
from graphrag_lite.errors import InputError
from graphrag_lite.run.services import Last
from graphrag_lite.settings import FoldFacts
from graphrag_lite.stages.fold_facts import fold_facts

ONE_HOME = {"lives in": "functional"}
Row = dict[str, Any]


def mention(
    subject: str,
    relation: str,
    thing: str,
    valid_at: str = "",
    invalid_at: str = "",
    *,
    document: str = "a",
    **more: Any,
) -> Row:
    said = f"{subject} {relation} {thing}."
    row = {"subject": subject, "relation": relation, "object": thing, "valid_at": valid_at, "invalid_at": invalid_at}
    row |= {"kind": "state", "polarity": "positive", "precision": "day", "time_text": "", "round": 0, "episode_id": ""}
    row |= {"reference_time": "", "document_id": document, "text_unit_id": f"unit of {document}"}
    row |= {
        "char_start": 0,
        "char_end": len(said),
        "id": tables.content_id(document, said, valid_at, invalid_at),
    } | more
    return row


def folded(
    rows: Sequence[Row],
    *,
    last: Path | None = None,
    names: Sequence[Row] = (),
    reply: Callable[[str], str] | None = None,
    **settings: Any,
) -> list[pa.Table]:
    """Run the stage over mentions whose documents are their sentences; `reply` is what a model says of its pairs."""
    documents = {row["document_id"]: f"{row['subject']} {row['relation']} {row['object']}." for row in rows}
    empty = dict.fromkeys(tables.schema("source_documents").names, "") | {"blocks": []}
    listed = [empty | {"id": name, "text": text, "language": "en"} for name, text in sorted(documents.items())]
    source = tables.make("source_documents", listed)
    read = (source, tables.make("fact_mentions", rows), tables.make("entity_resolutions", names))
    before = Last(last, frozenset()) if last else None
    stub = StubModel(lambda request: reply(request.messages[0]["content"].partition("PAIRS\n\n")[2]) if reply else "")
    model = stage_model(stub, "fold_facts", max_failure_ratio=1.0)[0] if reply else None
    written = list(asyncio.run(fold_facts(*read, FoldFacts(**settings), before, model, prompts.load())))
    written[0] = written[0].read_all()
    for name, table in zip(("facts", "relation_policies", "relation_resolutions"), written, strict=True):
        tables.check(name, table)
    return written


def lines(table: pa.Table) -> list[tuple[str, ...]]:
    return list(tables.rows(table, "subject", "relation", "object", "valid_at", "invalid_at", "ended_by", "expired_at"))


HOMES = [
    mention("Ana", "lives in", "Paris", "2010-01-01", document="a", reference_time="2010-05-01"),
    mention("Ana", "lived in", "Berlin", "2015-01-01", document="b", reference_time="2015-05-01"),
    mention("Ana", "lives in", "paris", "2020-01-01", document="c", reference_time="2020-05-01"),
]


def test_paris_berlin_paris_is_three_facts_and_two_that_were_told_before() -> None:
    facts, policies, resolutions = folded(HOMES, policies=ONE_HOME)
    assert lines(facts) == [
        ("Ana", "lives in", "Paris", "2010-01-01", "", "", "2015-05-01"),
        ("Ana", "lives in", "Paris", "2010-01-01", "2015-01-01", "succeeded", ""),
        ("Ana", "lives in", "Berlin", "2015-01-01", "", "", "2020-05-01"),
        ("Ana", "lives in", "Berlin", "2015-01-01", "2020-01-01", "succeeded", ""),
        ("Ana", "lives in", "Paris", "2020-01-01", "", "", ""),
    ]
    row = facts.to_pylist()[-1]
    first = next(row for row in facts.to_pylist() if row["valid_at"] == "2010-01-01" and not row["expired_at"])
    assert row["prior_id"] == first["id"] and row["fact_group_id"] == first["fact_group_id"]
    assert first["invalidated_by"] == HOMES[1]["id"] and first["fact"] == "Ana lives in Paris."
    assert policies.to_pylist()[0] | {"n_mentions": 3, "rule": "settings"} == policies.to_pylist()[0]
    assert ("lived in", "lives in", False, "stem") in list(tables.rows(resolutions, *resolutions.column_names))


def test_without_a_policy_nothing_ends() -> None:
    moored = [row | {"relation": row["relation"].replace("live", "moor")} for row in HOMES]
    assert [row[4:6] for row in lines(folded(moored)[0])] == [("", "")] * 2


def test_a_home_is_known_to_be_one_at_a_time() -> None:
    facts, policies, _ = folded(HOMES)
    assert lines(facts) == lines(folded(HOMES, policies=ONE_HOME)[0])
    assert [(row["kind"], row["rule"]) for row in policies.to_pylist()] == [("functional", "default")]


def test_withdrawing_a_document_gives_back_what_it_had_ended() -> None:
    assert folded(HOMES[:1], policies=ONE_HOME)[0].to_pylist()[0]["invalid_at"] == ""


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_mentions_does_not_matter(seed: int) -> None:
    rows = [
        *HOMES,
        mention("Ben", "founded", "Acme", "1990-01-01", document="d"),
        mention("Acme", "was founded by", "Ben", "1990-01-01", document="e"),
    ]
    shuffled = random.Random(seed).sample(rows, len(rows))
    for one, other in zip(folded(rows, policies=ONE_HOME), folded(shuffled, policies=ONE_HOME), strict=True):
        assert one.equals(other)


def test_two_directions_are_one_relation() -> None:
    rows = [
        mention("Acme", "was founded by", "Ben", "1990-01-01"),
        mention("Ben", "founded", "Acme", "1990-01-01", document="b"),
    ]
    (fact,) = folded(rows)[0].to_pylist()
    assert (fact["n_mentions"], fact["n_documents"], len(fact["sources"])) == (2, 2, 2)


def test_a_name_means_what_its_own_document_says() -> None:
    def resolution(document: str, name: str, entity: str) -> Row:
        return {"document_id": document, "name": name, "entity_id": entity, "title": entity, "type": "", "rule": ""}

    names = [resolution("", "Ana", "Ana Lee"), resolution("b", "Ana", "Ana Ruiz")]
    rows = [mention("Ana", "lives in", "Rome", "2010-01-01", document=name) for name in "ab"]
    facts = folded(rows, names=names)[0]
    assert facts["subject"].to_pylist() == facts["subject_id"].to_pylist() == ["Ana Lee", "Ana Ruiz"]


def test_what_says_nothing_is_no_fact() -> None:
    rows = [mention("", "lives in", "Rome", "2010-01-01"), mention("Ana", "and the", "Rome", "2010-01-01")]
    rows += [mention("", "", "", "2010-01-01"), mention("Ana", "lives in", "Rome", "2010-01-01", polarity="negative")]
    assert folded(rows)[0].num_rows == 0


def test_an_end_before_its_beginning_ends_nothing() -> None:
    rows = [
        mention("Ana", "lives in", "Rome", "2010-01-01"),
        mention("Ana", "lives in", "Rome", "2012-01-01", "1999-01-01"),
    ]
    assert [row[3:6] for row in lines(folded(rows, policies=ONE_HOME)[0])] == [("2010-01-01", "", "")]


def people(n: int) -> list[Row]:
    return [mention(f"Person {i}", "lives in", "Rome", "2010-01-01") for i in range(n)]


def test_a_run_that_would_end_too_much_stops_and_says_why(tmp_path: Path) -> None:
    tables.write(tmp_path, "facts", folded(people(100), policies=ONE_HOME)[0])
    moved = [mention(f"Person {i}", "lives in", "Oslo", "2011-01-01", document="b") for i in range(60)]
    with pytest.raises(InputError, match=r"60 of the 100 facts that hold would end .*Person 0 lives in Rome"):
        folded([*people(100), *moved], last=tmp_path, policies=ONE_HOME)
    folded([*people(100), *moved], last=tmp_path, policies=ONE_HOME, max_ended_share=1.0)
    folded([*people(100), *moved[:20]], last=tmp_path, policies=ONE_HOME)
    told = [mention(f"Person {i}", "lives in", "Rome", "", "2011-01-01", document="c") for i in range(60)]
    folded([*people(100), *told], last=tmp_path, policies=ONE_HOME)  # of the fact itself


def test_a_liar_about_others_ends_nothing(tmp_path: Path) -> None:
    """Denials of what nobody says, and values of another subject or relation, leave the rest as it is."""
    rows = people(50)
    lies = [mention(f"Person {i}", "eats", "pizza", "2011-01-01", document="b") for i in range(50)]
    lies += [mention(f"Person {i + 50}", "lives in", "Oslo", "2011-01-01", document="b") for i in range(50)]
    lies += [
        mention(f"Person {i}", "lives in", "Rio", "2012-01-01", document="b", polarity="negative") for i in range(50)
    ]
    facts = folded([*rows, *lies], policies=ONE_HOME)[0]
    assert set(lines(folded(rows, policies=ONE_HOME)[0])) <= set(lines(facts))


def test_policies_are_learned_from_stated_intervals() -> None:
    rows = [
        mention(f"Team {team}", "is coached by", f"Coach {team} {year}", f"{year}-01-01", f"{year + 2}-01-01")
        for team in range(4)
        for year in range(2000, 2010, 2)
    ]
    rows.append(mention("Team 9", "is coached by", "Ann", "2001-01-01"))
    rows.append(mention("Team 9", "is coached by", "Bea", "2005-01-01", document="b"))
    facts, policies, _ = folded(rows)
    assert list(tables.rows(policies, "kind", "rule", "n", "closed_share")) == [("functional", "learned", 16, 1.0)]
    ended = [row for row in lines(facts) if row[0] == "Team 9" and not row[6]]
    assert [row[2:6] for row in ended] == [
        ("Ann", "2001-01-01", "2005-01-01", "succeeded"),
        ("Bea", "2005-01-01", "", ""),
    ]


def test_of_text_only_what_states_something_of_its_subject_is_a_fact() -> None:
    said = [("s PM", "Zoran Zaev"), ("and planning", ""), ("was carried out in a", "Oslo"), ("who died in", "Oslo")]
    rows = [
        mention("Ana", relation, thing, "2010-01-01", document=str(place), time_text="2010")
        for place, (relation, thing) in enumerate(said)
    ]
    by_text, by_model = (folded([row | {"time_text": text} for row in rows])[0] for text in ("2010", ""))
    assert set(by_text["relation"].to_pylist()) == {"was carried out in a", "who died in"}
    assert "s PM" in by_model["relation"].to_pylist()  # a model's relation needs no verb


def pairs_of(asked: str) -> list[str]:
    return [line for line in asked.replace("\n   Later: ", " -> ").split("\n") if line]


def ends(*wanted: str) -> Callable[[str], str]:
    """Reply that those pairs have ended whose line holds all words of one of `wanted`."""

    def reply(asked: str) -> str:
        held = [
            n
            for n, line in enumerate(pairs_of(asked), start=1)
            if any(all(word in line for word in each.split()) for each in wanted)
        ]
        return json.dumps({"ended": held})

    return reply


SONGS = [row | {"relation": "sings for"} for row in HOMES]


def test_a_model_ends_what_no_policy_does() -> None:
    asked: list[str] = []

    def reply(pairs: str) -> str:
        asked.extend(pairs_of(pairs))
        return ends("Paris Berlin")(pairs)

    facts = folded(SONGS, reply=reply)[0]
    assert [row[2:] for row in lines(facts)] == [
        ("Paris", "2010-01-01", "", "", "2015-05-01"),
        ("Paris", "2010-01-01", "2015-01-01", "succeeded", ""),
        ("Berlin", "2015-01-01", "", "", ""),
        ("Paris", "2020-01-01", "", "", ""),
    ]
    first = next(row for row in facts.to_pylist() if row["invalid_at"])
    assert (first["ended_by"], first["invalidated_by"], first["n_mentions"]) == ("succeeded", SONGS[1]["id"], 1)
    assert len(asked) == 2 and asked[0].startswith(
        "1. Ana sings for Paris (from 2010-01-01): Ana sings for Paris -> Ana"
    )


def test_a_model_is_asked_about_the_same_two_and_never_about_the_unrelated() -> None:
    rows = [
        mention("Ana", "sings for", "Acme", "2010-01-01", document="a"),
        mention("Ana", "left", "Acme", "2012-01-01", document="b", kind="event"),
        mention("Ben", "sings for", "Acme", "2013-01-01", document="c"),
        mention("Ana", "likes", "Rome", "2014-01-01", document="d"),
        mention("Ana", "sings for", "Bolt", "2009-01-01", "2010-06-01", document="e"),
    ]
    asked: list[str] = []

    def lie(pairs: str) -> str:
        asked.extend(pairs_of(pairs))
        return json.dumps({"ended": [*range(-3, 99)]})

    facts = folded(rows, reply=lie)[0]
    assert [line.partition(". ")[2][:20] for line in asked] == ["Ana sings for Acme ("]
    ended = [row[:5] for row in lines(facts) if row[5] == "succeeded"]
    assert ended == [("Ana", "sings for", "Acme", "2010-01-01", "2012-01-01")]


@pytest.mark.parametrize("seed", range(3))
def test_verdicts_do_not_depend_on_the_order_of_mentions(seed: int) -> None:
    rows = [
        mention(name, "sings for", firm, f"20{year}-01-01", document=f"{name}{year}", reference_time=f"20{year}-03-01")
        for name in ("Ana", "Ben", "Cy")
        for year, firm in ((10, "Acme"), (12, "Bolt"), (14, "Core"))
    ]
    shuffled = random.Random(seed).sample(rows, len(rows))
    found = [folded(each, reply=ends("Acme Bolt", "Bolt Core"), max_pairs=2)[0] for each in (rows, shuffled)]
    assert found[0].equals(found[1])
    assert [row[4] for row in lines(found[0]) if row[0] == "Ben" and not row[6]] == ["2012-01-01", "2014-01-01", ""]


def test_what_a_model_does_not_answer_ends_nothing() -> None:
    assert [row[4:6] for row in lines(folded(SONGS, reply=lambda _: "no idea")[0])] == [("", "")] * 2


def test_too_many_values_at_once_are_no_question() -> None:
    rows = [mention("Ana", "met", f"Guest {n}", f"20{n}-01-01", document=f"d{n}") for n in range(10, 22)]

    def never(_: str) -> str:
        raise AssertionError

    assert all(not row[4] for row in lines(folded(rows, reply=never)[0]))

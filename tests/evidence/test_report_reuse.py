"""A report is kept while its community is near to what it was written from, and while its words still stand."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite import tables
from graphrag_lite.evidence.report_reuse import FROM_COMMUNITY, bases, current_spans, is_near, keep

Weights = dict[str, float]
NOBODY = tables.make("entities", [])
MEMBERS = st.sets(st.sampled_from("abcdefghijklmnopqrst"))
WEIGHTS = st.dictionaries(st.sampled_from([f"r{n}" for n in range(12)]), st.integers(0, 40).map(float))
UNIT = {"text_unit_id": "u", "document_id": "d", "char_start": 0, "char_end": 4}


def community(identity: str, members: set[str], weights: Weights, number: int = 0) -> dict[str, Any]:
    return {
        "id": identity,
        "human_readable_id": number,
        "community": number,
        "level": 0,
        "parent": -1,
        "children": [],
        "title": identity,
        "entity_ids": sorted(members, reverse=True),
        "relationship_ids": sorted(weights, reverse=True),
        "text_unit_ids": [],
        "period": "",
        "size": len(members),
    }


def report(identity: str, of: Mapping[str, Any], citations: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    texts = ("title", "summary", "full_content", "rating_explanation", "full_content_json", "input_sha256")
    return (
        {"id": identity, "rank": 1.0, "findings": [], "stale": False, "age": 0, "human_readable_id": of["community"]}
        | {name: of[name] for name in FROM_COMMUNITY}
        | dict.fromkeys(texts, identity)
        | {"citations": citations or []}
    )


def near(then: tuple[set[str], Weights], now: tuple[set[str], Weights]) -> bool:
    """The measure, by its statement: exact, and over everything that there is."""
    shared = sum(1 for name in "abcdefghijklmnopqrst" if name in then[0] and name in now[0])
    either = sum(1 for name in "abcdefghijklmnopqrst" if name in then[0] or name in now[0])
    changed = sum(abs(Fraction(now[1].get(f"r{n}", 0)) - Fraction(then[1].get(f"r{n}", 0))) for n in range(12))
    inside = sum(Fraction(weight) for weight in then[1].values())
    return 10 * shared >= 9 * either and 10 * changed <= inside


@given(st.tuples(MEMBERS, WEIGHTS), st.tuples(MEMBERS, WEIGHTS), st.booleans(), st.booleans())
def test_near_is_what_the_measure_says(
    then: tuple[set[str], Weights], now: tuple[set[str], Weights], same_members: bool, same_weights: bool
) -> None:
    now = (then[0] if same_members else now[0], then[1] if same_weights else now[1])
    written = community("c", *then)
    (basis,) = bases([report("r", written)], [written], then[1], {})
    assert is_near(basis, community("c", *now), {"elsewhere": 9.0} | now[1]) == near(then, now)


def test_the_borders_of_the_measure() -> None:
    ten, heavy = set("abcdefghij"), {"r0": 10.0, "r1": 20.0}
    basis = next(iter(bases([report("r", community("c", ten, heavy))], [community("c", ten, heavy)], heavy, {})))
    for members, weights, kept in (
        (ten, heavy, True),
        (ten - {"a"}, heavy, True),  # 9 of 10
        (ten | {"k"}, heavy, True),  # 10 of 11
        (ten | {"k", "l"}, heavy, False),  # 10 of 12
        (ten - {"a"} | {"k"}, heavy, False),  # 9 of 11
        (ten, {"r0": 8.5, "r1": 21.5}, True),  # 3 of 30
        (ten, {"r0": 8.5, "r1": 21.6}, False),
        (ten, heavy | {"r2": 3.0}, True),
        (ten, heavy | {"r2": 3.1}, False),
        (ten, {"r1": 20.0}, False),
    ):
        assert is_near(basis, community("c", members, weights), weights) == kept, (members, weights)


NO_UNITS = tables.make("source_units", [])
STEP = st.tuples(
    st.sampled_from("abcdefghijklmnopqrst"),
    st.sampled_from([f"r{n}" for n in range(12)]),
    st.sampled_from([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0]),
)


@given(st.lists(st.lists(STEP, max_size=3), max_size=25))
def test_small_steps_add_up(steps: list[list[tuple[str, str, float]]]) -> None:
    """However small the steps: no kept report is farther than the measure from what it was written from."""
    members, weights = set("abcdefghijklmno"), {f"r{n}": 8.0 for n in range(12)}
    now = community("c", members, weights)
    rows = [report("0", now)]
    table = tables.make("report_bases", bases(rows, [now], weights, {}))
    written = {"0": (set(members), dict(weights))}  # by report: what the community held when it was written
    for number, step in enumerate(steps, start=1):
        for name, edge, change in step:
            members ^= {name}
            weights[edge] = max(0.0, weights[edge] + change)
        now = community("c", members, weights, number)
        kept = keep(tables.make("community_reports", rows), table, NO_UNITS, NO_UNITS, NOBODY, NOBODY, [now], weights)
        last = rows[0]["id"]
        assert bool(kept) == near(written[last], (members, weights))
        if kept:
            (one,) = kept.values()
            rows = [one.report | {"stale": True, "age": one.report["age"] + 1}]
            assert (rows[0]["id"], rows[0]["community"], rows[0]["size"]) == (last, number, len(members))
        else:
            rows = [report(str(number), now)]
            written[str(number)] = (set(members), dict(weights))
        table = tables.make("report_bases", bases(rows, [now], weights, kept))


def test_what_a_kept_report_says_of_its_community_is_of_now() -> None:
    then = [community(name, {name}, {f"r{n}": 1.0}, n) for n, name in enumerate("ab")]
    weights = {"r0": 1.0, "r1": 1.0}
    rows = [report(row["id"], row) for row in then]
    read = (tables.make("community_reports", rows), tables.make("report_bases", bases(rows, then, weights, {})))
    now = then[1] | {"community": 7, "level": 2, "parent": 3, "children": [8, 9], "period": "2024-01-01", "size": 5}
    kept = keep(*read, NO_UNITS, NO_UNITS, NOBODY, NOBODY, [now], weights)
    assert set(kept) == {7}, "the other community is gone"
    of_now = {name: now[name] for name in FROM_COMMUNITY} | {"human_readable_id": 7}
    assert kept[7].report == rows[1] | of_now


def units(*documents: tuple[str, list[str]]) -> pa.Table:
    """Text units of documents: their texts one after the other, a unit's id being its text."""
    rows = []
    for document, texts in documents:
        start = 0
        for ordinal, text in enumerate(texts):
            rows.append((text, document, ordinal, start, start + len(text), text, 1))
            start += len(text)
    return tables.make("source_units", rows)


SENTENCES = [
    f"The {thing} of number {n} stood by the {thing}. " for n in range(4) for thing in ("ship", "lamp", "door")
]
TEXTS = st.lists(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=3).map("".join), unique=True, max_size=5)


@given(TEXTS, TEXTS)
def test_places_point_to_the_same_words_or_are_gone(before: list[str], after: list[str]) -> None:
    then, now = units(("old", before)), units(("x", after[:2]), ("y", after[2:]))
    documents = {"old": "".join(before), "x": "".join(after[:2]), "y": "".join(after[2:])}
    live = {row["id"]: row for row in now.to_pylist()}
    for unit in then.to_pylist():
        for sentence in {said for said in SENTENCES if said in unit["text"]}:
            start = unit["char_start"] + unit["text"].index(sentence)
            span = (unit["id"], start, start + len(sentence) - 1)
            place = current_spans([span], then, now).get(span)
            new = [text for text in after if text not in before]
            assert (place is not None) == (unit["id"] in live or any(sentence[:-1] in text for text in new))
            if place is None:
                continue
            holder = live[place["text_unit_id"]]
            assert place["document_id"] == holder["document_id"]
            assert documents[place["document_id"]][place["char_start"] : place["char_end"]] == sentence[:-1]
            assert holder["char_start"] <= place["char_start"] < place["char_end"] <= holder["char_end"]
            assert unit["id"] not in live or (holder["id"], place["char_start"] - holder["char_start"]) == (
                unit["id"],
                start - unit["char_start"],
            )


def test_a_few_words_do_not_move_to_another_text_unit() -> None:
    then, now = units(("d", ["So it was. And so on."])), units(("d", ["And so on. He said so."]))
    assert current_spans([("So it was. And so on.", 11, 21)], then, now) == {}
    assert current_spans([("nowhere", 0, 30)], then, now) == {}


def test_a_report_that_cites_what_is_gone_is_not_kept() -> None:
    now = community("c", {"a"}, {"r0": 1.0})
    cited = [{"n": n, "text_unit_id": "First words. ", "document_id": "d"} for n in (1, 2)]
    cited[0] |= {"char_start": 0, "char_end": 12}
    cited[1] |= {"text_unit_id": "Second words of it.", "char_start": 13, "char_end": 32}
    rows = [report("r", now, cited)]
    read = (tables.make("community_reports", rows), tables.make("report_bases", bases(rows, [now], {"r0": 1.0}, {})))
    then = units(("d", ["First words. ", "Second words of it."]))
    kept = keep(
        *(*read, then, units(("e", ["Something. ", "First words. ", "So, Second words of it."]))),
        *(NOBODY, NOBODY, [now], {"r0": 1.0}),
    )
    assert [tuple(place.values()) for place in kept[0].report["citations"]] == [
        (1, "First words. ", "e", 11, 23),
        (2, "So, Second words of it.", "e", 28, 47),
    ]
    assert not keep(*read, then, units(("d", ["First words. "])), NOBODY, NOBODY, [now], {"r0": 1.0})


def test_a_report_that_names_an_entity_that_is_gone_is_not_kept() -> None:
    """Whether it cites it or not: what a deleted document alone has said must not stay."""
    then = community("c", set("abcdefghijklmnopqrst"), {"r0": 1.0})
    now = then | {"entity_ids": [i for i in then["entity_ids"] if i != "t"]}
    fields = {"text_unit_ids": [], "sources": [], "human_readable_id": 0, "type": "", "description": ""}
    counts = dict.fromkeys(("frequency", "degree", "n_mentions", "n_documents"), 1)

    def people(ids: list[str]) -> Any:
        return tables.make("entities", [{"id": i, "title": f"Name {i}", **fields, **counts} for i in ids])

    for text, stays in (("About Name a and Name t.", False), ("About Name a.", True)):
        rows = [report("r", then) | {"full_content": text}]
        table = tables.make("report_bases", bases(rows, [then], {"r0": 1.0}, {}))
        read = (tables.make("community_reports", rows), table, NO_UNITS, NO_UNITS)
        kept = keep(*read, people(then["entity_ids"]), people(now["entity_ids"]), [now], {"r0": 1.0})
        assert bool(kept) is stays

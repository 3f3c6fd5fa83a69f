"""The day of a text unit is that of the last message in it, so that what was said later answers nothing asked as of a day."""

import json
from datetime import date
from itertools import pairwise, product
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import graphrag_lite
from graphrag_lite.temporal.latest_mentions import last_reported

CUTS = st.lists(st.integers(0, 60), min_size=2, max_size=8, unique=True).map(sorted)
DAYS = st.lists(st.integers(0, 3000), min_size=8, max_size=8)


@given(CUTS, DAYS, st.lists(st.tuples(st.integers(0, 60), st.integers(1, 30)), max_size=6))
def test_it_is_the_last_day_of_what_the_unit_overlaps(
    cuts: list[int], days: list[int], spans: list[tuple[int, int]]
) -> None:
    episodes = [
        ("d", start, end, date.fromordinal(day).isoformat() if day else "", "message", 0)
        for (start, end), day in zip(pairwise(cuts), days, strict=False)
    ]
    units = [("d", start, start + length) for start, length in spans]
    expected = [
        max(
            (day for (_, first, last, *_), day in zip(episodes, days, strict=False) if first < end and start < last),
            default=0,
        )
        for _, start, end in units
    ]
    assert last_reported(units, episodes, {})[0] == expected


def test_a_unit_without_a_place_can_be_any_of_its_document() -> None:
    days = {("d", 0): 9, ("d", 9): 3, ("e", 0): 30}
    episodes = [(name, at, at + 9, date(1, 1, day).isoformat(), "text", 0) for (name, at), day in days.items()]
    assert last_reported([("d", -1, -1), ("f", -1, -1), ("f", 0, 5)], episodes, {}) == ([9, 0, 0], [1, 0, 0])


@given(
    st.lists(
        st.tuples(st.integers(1, 3), st.integers(0, 400), st.booleans()), max_size=12, unique_by=lambda row: row[1]
    )
)
def test_of_one_time_the_message_of_the_higher_number_is_later_and_texts_are_equal(
    rows: list[tuple[int, int, bool]],
) -> None:
    names = [f"chat:{number}" for _, number, _ in rows]
    episodes = [
        (name, 0, 9, f"2024-03-0{day}", "message" if message else "text", 0)
        for name, (day, _, message) in zip(names, rows, strict=True)
    ]
    found = last_reported([(name, 0, 9) for name in names], episodes, {name: name for name in names})[1]
    keys = [(day, number if message else 0) for day, number, message in rows]
    assert [one < other for one in found for other in found] == [one < other for one in keys for other in keys]
    assert all(found)


def test_messages_of_a_document_follow_each_other_and_what_is_undated_has_no_place() -> None:
    said = [
        ("d", 0, 5, "2024-03-01", "message", 0),
        ("d", 5, 9, "2024-03-01", "message", 1),
        ("e", 0, 9, "", "text", 0),
    ]
    assert last_reported([("d", 5, 9), ("d", 0, 5), ("e", 0, 9)], said, {"d": "d", "e": "e:7"})[1] == [2, 1, 0]


def test_a_chat_of_months_tells_nothing_that_was_said_after_the_day_asked(tmp_path: Path) -> None:
    said = {
        f"2024-{month:02}-10": f"The password of the {month}. garden gate is number {month * 111}."
        for month in range(1, 9)
    }
    messages = [
        {"conversation": "gate", "timestamp": f"{day}T10:00:00", "speaker": "Ann", "text": text}
        for day, text in said.items()
    ]
    (tmp_path / "chat.jsonl").write_text("".join(json.dumps(each) + "\n" for each in messages), encoding="utf-8")
    overrides = ["split_text_units.size=20", "split_text_units.overlap=0"]
    index = graphrag_lite.index(tmp_path / "chat.jsonl", tmp_path, overrides=overrides)
    for day, method in product(said, ("local", "basic")):
        answer = index.query("What is the password of the garden gate?", method=method, as_of=day)
        told = {text for one in answer.citations for text in said.values() if one.text in text or text in one.text}
        assert told and told <= {text for when, text in said.items() if when <= day}
        assert method == "basic" or said[day] in told  # local search puts the newest that counts first

"""The day of a text unit is that of the last message in it, so that what was said later answers nothing asked as of a day."""

import json
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphrag_lite
from graphrag_lite.temporal.said_days import said_days

CUTS = st.lists(st.integers(0, 60), min_size=2, max_size=8, unique=True).map(sorted)
DAYS = st.lists(st.integers(0, 3000), min_size=8, max_size=8)


@given(CUTS, DAYS, st.lists(st.tuples(st.integers(0, 60), st.integers(1, 30)), max_size=6))
def test_it_is_the_last_day_of_what_the_unit_overlaps(
    cuts: list[int], days: list[int], spans: list[tuple[int, int]]
) -> None:
    episodes = [
        ("d", start, end, date.fromordinal(day).isoformat() if day else "")
        for (start, end), day in zip(pairwise(cuts), days, strict=False)
    ]
    units = [("d", start, start + length) for start, length in spans]
    expected = [
        max(
            (day for (_, first, last, _), day in zip(episodes, days, strict=False) if first < end and start < last),
            default=0,
        )
        for _, start, end in units
    ]
    assert said_days(units, episodes) == expected


def test_a_unit_without_a_place_can_be_any_of_its_document() -> None:
    episodes = [("d", 0, 9, "0001-01-09"), ("d", 9, 20, "0001-01-03"), ("e", 0, 9, "0001-02-01")]
    assert said_days([("d", -1, -1), ("f", -1, -1), ("f", 0, 5)], episodes) == [9, 0, 0]


@pytest.mark.parametrize("method", ["local", "basic"])
def test_a_chat_of_months_tells_nothing_that_was_said_after_the_day_asked(tmp_path: Path, method: str) -> None:
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
    for day in said:
        answer = index.query("What is the password of the garden gate?", method=method, as_of=day)
        told = {text for one in answer.citations for text in said.values() if one.text in text or text in one.text}
        assert told and told <= {text for when, text in said.items() if when <= day}
        assert method == "basic" or said[day] in told  # local search puts the newest that counts first

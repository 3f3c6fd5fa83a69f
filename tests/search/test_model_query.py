"""How answers are read: marks in a stream, abstentions, points, sentences without a mark."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from linear import assert_linear

from graphrag_lite.errors import ReplyError
from graphrag_lite.search.answer import NOTHING
from graphrag_lite.search.model_query import Point, Writing, Written, read_points, uncited


def written(*pieces: str, marks: range = range(1, 10)) -> tuple[Written, list[str]]:
    shown: list[str] = []
    writing = Writing(marks, shown.append)
    for piece in pieces:
        writing.add(piece)
    return writing.finish(), shown


TEXT = (
    "  **Not** in a hurry [3]: he died [7, 99] [x] [1-2].\n\n- So [55]. He (it seems) [Data: Claims (3)] 【2】left [8"
)


@given(st.lists(st.integers(0, len(TEXT)), max_size=12))
def test_an_answer_is_the_same_however_it_is_cut(places: list[int]) -> None:
    bounds = [0, *sorted(places), len(TEXT)]
    answer, shown = written(*(TEXT[a:b] for a, b in zip(bounds, bounds[1:], strict=False)))
    assert answer == written(TEXT)[0]
    assert "".join(shown).rstrip() == answer.text
    assert answer.text == "**Not** in a hurry [1]: he died [2] [x] [3][4].\n\n- So. He (it seems) [1] [4]left [8"
    assert answer.numbers == {3: 1, 7: 2, 1: 3, 2: 4} and answer.n_dropped == 2


def test_a_mark_is_never_shown_before_it_is_checked() -> None:
    _, shown = written(*"He died [99, 7], they say [8].")
    assert not any("[" in piece and "]" not in piece for piece in shown)
    assert "99" not in "".join(shown)


@pytest.mark.parametrize(
    "reply", ["NOT IN THE RECORDS", " **Not in the records.**", "NOT IN THE\nRECORDS. The passages [1] are of cats."]
)
def test_an_abstention_is_recognised_and_nothing_of_it_is_shown(reply: str) -> None:
    for pieces in ([reply], list(reply)):
        assert written(*pieces) == (Written(NOTHING), [NOTHING])


@pytest.mark.parametrize("reply", ["Not in the recordings [1].", "Not", "Not in the", "No [1]."])
def test_what_only_begins_like_an_abstention_is_an_answer(reply: str) -> None:
    for pieces in ([reply], list(reply)):
        assert written(*pieces)[0].text == reply


def test_points() -> None:
    rows = [
        {"description": " A\n [7]. ", "score": 90},
        {"description": "B", "score": "85/100"},
        {"description": "C", "score": 0},
        {"description": "D", "score": 250.0},
        {"description": "E", "score": -3},
        {"description": " ", "score": 50},
    ]
    reply = f"Here it is:\n```json\n{json.dumps({'points': rows}, indent=1)}\n```"
    assert read_points(reply) == [Point("A [7].", 90), Point("B", 85), Point("D", 100)]
    assert read_points('{"points": []}') == []


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "None.",
        "{}",
        '{"points": [',
        '{"points": {}}',
        '{"points": ["a"]}',
        '{"points": [{"score": 5}]}',
        '{"points": [{"description": "a"}]}',
        '{"points": [{"description": "a", "score": true}]}',
        '{"points": ' + "[" * 100_000,
    ],
)
def test_a_reply_without_points_says_what_is_wrong(reply: str) -> None:
    with pytest.raises(ReplyError, match=r"points|score|description|JSON|empty"):
        read_points(reply)


@pytest.mark.parametrize(
    ("text", "n_uncited"),
    [
        ("He died [1]. She [x] left.", 1),
        ("He died. [1] She left. [2][3]", 0),
        ("He died.[1] She left.", 1),
        ("# Heading\n\n**Bold heading**\n\nThere are three:\n\n1. One [1].\n2. Two.\n- Three [2]", 1),
        ("青铜器来自商代[1]。它们很古老。", 1),
        ("青铜器很古老。[1]青铜器来自商代。[2][3]", 0),
        ("| a | b |\n|---|---|\n", 1),
        (NOTHING, 0),
        ("", 0),
    ],
)
def test_sentences_without_a_mark_are_counted(text: str, n_uncited: int) -> None:
    assert uncited(text, "zh" if "青" in text else "en") == n_uncited


@pytest.mark.parametrize("unit", [".", "[", "]", "1", "[1]", " ", "a", "*", '{"points"', "\n", "。", "- ", "{ "])
def test_a_megabyte_of_one_character(unit: str) -> None:
    def read(content: str) -> None:
        written(content)
        with pytest.raises(ReplyError):
            read_points(content)

    assert_linear(read, unit)
    assert_linear(lambda content: uncited(content, "en"), unit, small=2500)


def test_an_answer_of_nothing_but_made_up_marks_says_nothing() -> None:
    assert written("[98]", "[99]") == (Written(NOTHING, {}, 2), [NOTHING])
    assert written() == (Written(NOTHING), [NOTHING])

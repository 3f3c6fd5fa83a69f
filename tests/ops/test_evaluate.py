"""Measures against plain statements of them and another implementation; statistics against their definitions."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_lite.errors import InputError
from graphrag_lite.ops import evaluate
from graphrag_lite.ops.evaluate import (
    JudgedQuestion,
    compare,
    interval,
    measure,
    p_value,
    read_questions,
    read_results,
    summarize,
)

NAMES = "abcdefghijklmno"
# ir_measures 0.4.3 over pytrec_eval 0.5.11: ranked, relevant, R@2, R@5, R@10, RR@10.
REFERENCE = [
    ("cfjhbeadlg", "ji", (0.0, 0.5, 0.5, 1 / 3)),
    ("ilhcgbfkdj", "dh", (0.0, 0.5, 1.0, 1 / 3)),
    ("bcajegkidh", "k", (0.0, 0.0, 1.0, 1 / 7)),
    ("jfigdckalh", "gilo", (0.0, 0.5, 0.75, 1 / 3)),
    ("ijkbdfcega", "lf", (0.0, 0.0, 0.5, 1 / 6)),
    ("khbfjdlaci", "h", (1.0, 1.0, 1.0, 0.5)),
    ("bkfdieghlc", "egdm", (0.0, 0.25, 0.75, 0.25)),
]


def question(gold: str, latest: str = "", superseded: str = "") -> JudgedQuestion:
    return JudgedQuestion("1", "Who?", "", frozenset(gold), latest or None, frozenset(superseded))


# --- measures


@pytest.mark.parametrize(("ranked", "gold", "expected"), REFERENCE)
def test_measures_equal_those_of_trec_eval(ranked: str, gold: str, expected: tuple[float, ...]) -> None:
    found = measure(question(gold), list(ranked))
    assert [found[name] for name in ("recall@2", "recall@5", "recall@10", "mrr")] == pytest.approx(expected)


@given(st.permutations(NAMES), st.integers(0, len(NAMES)), st.sets(st.sampled_from(NAMES), min_size=1))
def test_measures_equal_plain_statements_of_them(order: list[str], n: int, gold: set[str]) -> None:
    ranked = order[:n]
    found = measure(question("".join(gold)), ranked)
    for cut in (2, 5, 10):
        assert found[f"recall@{cut}"] == sum(name in ranked[:cut] for name in gold) / len(gold)
    assert found["all_gold@5"] == (1 if all(name in ranked[:5] for name in gold) else 0)
    ranks = [ranked.index(name) + 1 for name in gold if name in ranked[:10]]
    assert found["mrr"] == (1 / min(ranks) if ranks else 0)
    assert "newest_first" not in found


@given(st.permutations(NAMES), st.integers(0, len(NAMES)), st.sets(st.sampled_from(NAMES[1:]), min_size=1))
def test_newest_first_equals_a_plain_statement_of_it(order: list[str], n: int, superseded: set[str]) -> None:
    ranked, latest = order[:n], NAMES[0]
    place = {name: i for i, name in enumerate(ranked[:10])}
    nowhere = len(NAMES)
    right = latest in place and all(place[latest] < place.get(name, nowhere) for name in superseded)
    found = measure(question(latest, latest, "".join(superseded)), ranked)
    assert found["newest_first"] == float(right)


def test_what_is_ranked_below_the_tenth_place_was_not_found() -> None:
    eleven = list("abcdefghijk")
    assert measure(question("j"), eleven)["mrr"] == 0.1
    found = measure(question("k", "k", "z"), eleven)
    assert found["mrr"] == 0 and found["newest_first"] == 0


# --- statistics


def test_the_interval_is_that_of_resampled_questions() -> None:
    rng = np.random.default_rng(7)
    values = rng.random(50)
    means = sorted(sum(rng.choice(values, len(values))) / len(values) for _ in range(20_000))
    low, high = interval(values[:, None])[:, 0]
    assert (low, high) == pytest.approx((means[500], means[-501]), abs=0.005)
    assert high - low > 0.1
    assert interval(np.column_stack([values, values]))[:, 1] == pytest.approx([low, high]), (
        "measures do not touch each other"
    )


def test_the_interval_covers_the_truth_about_95_times_in_100() -> None:
    rng = np.random.default_rng(3)
    samples = (rng.random((60, 100)) < 0.7).astype(float)  # 100 evaluations of 60 questions
    low, high = interval(samples)
    assert 88 <= int(((low <= 0.7) & (high >= 0.7)).sum()) <= 99


@given(st.lists(st.integers(-4, 4).map(lambda n: n / 4), min_size=1, max_size=9))
@settings(max_examples=25, deadline=None)
def test_p_is_the_share_of_all_signs_that_give_as_large_a_difference(differences: list[float]) -> None:
    signs = itertools.product((1, -1), repeat=len(differences))
    sums = [abs(sum(s * d for s, d in zip(sign, differences, strict=True))) for sign in signs]
    exact = sum(total >= abs(sum(differences)) for total in sums) / len(sums)
    (p,) = p_value(np.array(differences)[:, None])
    assert p == pytest.approx(exact, abs=0.02)


def test_p_is_even_where_nothing_differs_and_small_where_all_does() -> None:
    rng = np.random.default_rng(5)
    chance = p_value(rng.choice([-0.5, 0.0, 0.5], (80, 200)))  # 200 comparisons of equal methods
    assert 0.01 <= (chance < 0.05).mean() <= 0.1
    assert p_value(np.full((40, 1), 0.25))[0] == 1 / (evaluate.SAMPLES + 1), "never 0"
    assert p_value(np.full((40, 1), 0.25)) == p_value(np.full((40, 1), -0.25)), "two-sided"


def test_statistics_do_not_depend_on_how_many_are_drawn_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(2).choice([-0.5, 0.0, 0.5, 1.0], (30, 2))
    whole = interval(values).tolist(), p_value(values).tolist()
    monkeypatch.setattr(evaluate, "BLOCK", 30 * 999)
    assert (interval(values).tolist(), p_value(values).tolist()) == whole


def test_summaries_hold_every_measure_over_the_questions_that_have_it() -> None:
    rows = [{"recall@5": 1.0}, {"recall@5": 0.5, "newest_first": 1.0}, {"recall@5": 0.0, "newest_first": 0.0}]
    found = summarize(rows)
    assert found["recall@5"]["n"] == 3 and found["recall@5"]["mean"] == 0.5
    assert found["newest_first"]["n"] == 2 and found["newest_first"]["mean"] == 0.5
    assert all(figure["low"] <= figure["mean"] <= figure["high"] for figure in found.values())
    assert summarize(rows) == found and json.loads(json.dumps(found)) == found


def test_questions_are_compared_by_their_ids() -> None:
    before = {"a": {"recall@5": 0.0, "gone": 1.0}, "b": {"recall@5": 1.0}, "x": {"recall@5": 1.0}}
    after = {"y": {"recall@5": 0.0}, "b": {"recall@5": 0.5, "new": 1.0}, "a": {"recall@5": 1.0, "new": 1.0}}
    found = compare(after, before)
    assert list(found) == ["recall@5"]
    assert found["recall@5"]["n"] == 2 and found["recall@5"]["difference"] == 0.25
    assert compare(after, {}) == {}


# --- files

LINE = {"id": 7, "question": "Who?", "supporting_ids": ["a", 2], "type": "x"}


def test_questions_are_read_with_what_they_carry() -> None:
    newer = LINE | {"id": "n", "latest_supporting_id": "a", "superseded_ids": [2]}
    none = {"id": "z", "question": "Why?", "supporting_ids": []}
    questions = read_questions("\n\n".join(map(json.dumps, (LINE, newer, none))), "q.jsonl")
    assert questions == [
        JudgedQuestion("7", "Who?", "x", frozenset({"a", "2"})),
        JudgedQuestion("n", "Who?", "x", frozenset({"a", "2"}), "a", frozenset({"2"})),
        JudgedQuestion("z", "Why?", "", frozenset()),
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not a JSON object"),
        ("[]", "not a JSON object"),
        (LINE | {"id": None}, "no `id`"),
        (LINE | {"id": ["a"]}, "no `id`"),
        (LINE | {"id": "7"}, "the `id` '7' is also that of line 1"),
        (LINE | {"id": 8, "question": " "}, "no `question`"),
        (LINE | {"id": 8, "supporting_ids": None}, "no `supporting_ids`"),
        (LINE | {"id": 8, "supporting_ids": "a"}, "no `supporting_ids`"),
        (LINE | {"id": 8, "supporting_ids": [None]}, "no `supporting_ids`"),
        (LINE | {"id": 8, "superseded_ids": "a"}, "`superseded_ids` is not"),
        (LINE | {"id": 8, "latest_supporting_id": ["a"]}, "`latest_supporting_id` is not"),
    ],
)
def test_a_wrong_line_of_questions_is_named(line: object, said: str) -> None:
    text = json.dumps(LINE) + "\n\n" + (line if isinstance(line, str) else json.dumps(line)) + "\n{}"
    with pytest.raises(InputError) as error:
        read_questions(text, "q.jsonl")
    assert f"\nq.jsonl:3: {said}" in str(error.value) and "\nq.jsonl:4: no `id`" in str(error.value)


def test_many_wrong_lines_are_counted() -> None:
    with pytest.raises(InputError, match=r"q.jsonl:20: .*\n\.\.\. and 5 more$"):
        read_questions("{}\n" * 25, "q.jsonl")


@pytest.mark.parametrize("text", ["", json.dumps(LINE | {"supporting_ids": []})])
def test_questions_without_an_answer_measure_nothing(text: str) -> None:
    with pytest.raises(InputError, match="nothing to measure"):
        read_questions(text, "q.jsonl")


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", '{"set": "a"}', '{"set": "a", "method": "b", "questions": [{"id": 1}]}']
)
def test_what_is_not_a_result_is_said(text: str) -> None:
    with pytest.raises(InputError, match=r"r\.jsonl.* `graphrag-lite eval --json`"):
        read_results(text, "r.jsonl")


def test_questions_of_the_evaluation_data_are_read(shared: Path) -> None:
    text = (shared / "qa" / "longmemeval_evidence" / "questions.jsonl").read_text(encoding="utf-8")
    questions = [one for one in read_questions(text, "q") if one.gold]
    assert len(questions) == 240 and sum(one.latest is not None for one in questions) == 33
    assert all(one.latest in one.gold and one.superseded < one.gold for one in questions if one.latest)

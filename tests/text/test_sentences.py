"""Sentence ends: spans that cover the text, and the cases that a full stop alone gets wrong."""

import json
import random
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from linear import assert_linear

from graphrag_lite.text.sentences import sentences


def cut(text: str, language: str = "en") -> list[str]:
    return [text[start:end].strip() for start, end in sentences(text, language)]


def check(text: str) -> None:
    spans = sentences(text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert [start for start, _ in spans] == [0, *(end for _, end in spans)][: len(spans)]
    if text.strip():
        assert all(text[start:end].strip() for start, end in spans), "white space is no sentence"


@given(st.text(max_size=200) | st.text(alphabet='Ab. \n\r"“”?!。😀\t-#1M', max_size=200))
@settings(max_examples=150, deadline=None)
def test_spans_cover_any_text(text: str) -> None:
    check(text)


def test_nothing_has_no_sentences() -> None:
    assert sentences("") == []
    assert sentences(" \n\n ") == [(0, 4)]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Mr. Dorr met Dr. Vance. They left.", "en", ["Mr. Dorr met Dr. Vance.", "They left."]),
        ("J. R. Ward wrote it. He died.", "en", ["J. R. Ward wrote it.", "He died."]),
        ("See Fig. 3 for more. It rose 3.5 points.", "en", ["See Fig. 3 for more.", "It rose 3.5 points."]),
        ("“Go,” she said. “Now!”", "en", ["“Go,” she said.", "“Now!”"]),
        ("M. Dupont est parti. Il pleut.", "fr", ["M. Dupont est parti.", "Il pleut."]),
        ("马利死了。毫无疑问！是吗？", "zh", ["马利死了。", "毫无疑问！", "是吗？"]),
        ("彼は来た。帰った。", "ja", ["彼は来た。", "帰った。"]),
        ("그는 왔다. 그녀는 갔다.", "ko", ["그는 왔다.", "그녀는 갔다."]),
        ("One. Two.\r\n\r\nThree", "en", ["One.", "Two.", "Three"]),
        ("“He chose plan B\xa0. Bo left.”", "en", ["“He chose plan B\xa0. Bo left.”"]),
    ],
)
def test_ends(text: str, language: str, expected: list[str]) -> None:
    assert cut(text, language) == expected


def test_a_blank_line_ends_a_sentence_whatever_quotes_are_open() -> None:
    assert cut('He said "no\n\nShe went on\n \nand "left') == ['He said "no', "She went on", 'and "left']


def test_hard_wrapped_prose_goes_on_over_line_ends() -> None:
    wrapped = "The old man sat by\nthe fire and looked at\nhis hands. He was\ntired of it.\n"
    assert cut(wrapped) == ["The old man sat by\nthe fire and looked at\nhis hands.", "He was\ntired of it."]


def test_an_indented_manual_is_read_in_whole_sentences_and_a_line_with_room_left_ends_one() -> None:
    lines = [
        "NAME OF IT",
        "bare store",
        "    A bare store has no copy that is checked out, and is",
        "    shared by all those who write to it.",
    ]
    assert cut("\n".join(f"       {line}" for line in lines))[1:] == [
        "bare store",
        "A bare store has no copy that is checked out, and is\n           shared by all those who write to it.",
    ]


def test_prose_among_lists_and_tables_goes_on_over_line_ends_by_itself() -> None:
    rows = "\n".join(f"Release {n} | 19{n}-Dec-18" for n in range(60, 99))
    prose = [
        "The holder of the patch pumpkin is these days called",
        "    the pumpking, or the pumpkineer, by everybody here.",
    ]
    assert cut(f"{rows}\n\n    {chr(10).join(prose)}\n\n{rows}")[39] == "\n".join(prose)
    columns = "\n".join("".join(f"{word:>12}" for word in line.split()) for line in ("one two three four five",) * 3)
    assert len(cut(f"{rows}\n\n{columns}")) == 42


def test_lists_headings_and_speakers_stand_alone() -> None:
    assert cut("# Title\n- first thing\n- second thing\n\nText.") == [
        "# Title",
        "- first thing",
        "- second thing",
        "Text.",
    ]
    assert cut("Kevin: Hello there\nAnna: Hi") == ["Kevin: Hello there", "Anna: Hi"]
    wrapped = "we went on and\nthen on again and\nfurther on to\nKEVIN SCOTT: Hello\nand so on and\non."
    assert "KEVIN SCOTT: Hello\nand so on and\non." in cut(wrapped)


def test_an_inserted_sentence_moves_no_end_elsewhere(shared: Path) -> None:
    """Quotation marks paired over a whole text moved up to 25 ends far from the edit."""
    rows = (shared / "corpora/ntrex_zho/corpus.jsonl").read_text(encoding="utf-8").splitlines()
    text = "\n\n".join(json.loads(row)["text"] for row in rows)
    before = sentences(text)
    rng = random.Random(7)
    for _ in range(20):
        at = rng.choice(before)[0]
        added = '他说：“不。 "是吗。 '
        after = {start for start, _ in sentences(text[:at] + added + text[at:])}
        lost = [start for start, _ in before if (start if start < at else start + len(added)) not in after]
        assert len(lost) <= 3


def test_real_texts(shared: Path) -> None:
    for path in sorted(shared.glob("corpora/*/corpus.jsonl")):
        with path.open(encoding="utf-8") as file:
            for _, line in zip(range(20), file, strict=False):
                check(json.loads(line)["text"])


@pytest.mark.parametrize("char", ["a", "A", " ", "\n", ".", '"', "中", "\n \n", "A. "])
def test_linear_time(char: str) -> None:
    assert_linear(check, char)


def test_a_long_table_of_code_takes_linear_time_and_keeps_its_rows() -> None:
    assert_linear(sentences, "| `a` | `b` |\n", small=16_000)
    row = "| `a.b` | Reads `c` |\n"
    assert [end - start for start, end in sentences(row * 900)] == [len(row)] * 900


def test_sentences_without_spaces_or_line_ends_take_linear_time() -> None:
    assert_linear(partial(sentences, language="zh"), "哈勃于一九九〇年入轨。它的主镜有“球差”！", small=32_000)


def test_a_reference_with_a_mark_behind_it_leaves_no_mark_alone() -> None:
    assert cut("He agreed. (See p. 46). It rained.") == ["He agreed.", "(See p. 46).", "It rained."]
    assert cut("He agreed. [p. 46], and left. It rained.") == ["He agreed.", "[p. 46], and left.", "It rained."]

"""Text units: exact spans, every character, at most `size` tokens, and an edit that changes few of them."""

import json
import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_lite.text.sentences import sentences
from graphrag_lite.text.splitting import Unit, split
from graphrag_lite.text.tokens import token_counter

count = token_counter("cl100k_base")
JOINING = 3  # tokens by which a whole unit may exceed the sum of its pieces


def units_of(text: str, size: int = 600, overlap: int = 100) -> list[Unit]:
    return split(text, sentences(text), count, size=size, overlap=overlap)


def check(text: str, units: list[Unit], size: int) -> None:
    """Assert what holds for every text."""
    covered = 0
    for before, unit in zip([Unit(0, 0), *units], units, strict=False):
        assert 0 <= unit.start < unit.end <= len(text)
        assert before.start < unit.start or before == Unit(0, 0)
        assert before.end < unit.end, "each unit brings something new"
        assert not text[covered : unit.start].strip(), "a character is in no unit"
        piece = text[unit.start : unit.end]
        assert piece == piece.strip()
        assert count(piece) <= size + JOINING or len(piece) == 1
        covered = unit.end
    assert not text[covered:].strip()


prose = st.lists(
    st.sampled_from(["Scrooge sat down. ", "\n\n", "# Stave\n", "He ", "went ", "on, ", "why? ", "第三章 ", "马利死了。", "x" * 50, " ", "1999 "])
    | st.text(max_size=8),
    max_size=80,
).map("".join)  # fmt: skip


@given(prose, st.integers(20, 60), st.integers(0, 10))
@settings(max_examples=150, deadline=None)
def test_units_are_exact_spans_in_order_that_hold_every_character(text: str, size: int, overlap: int) -> None:
    check(text, units_of(text, size, overlap), size)


def test_white_space_in_front_of_a_long_sentence_is_no_unit() -> None:
    text = "\n\nHe on, 0\x81\U000155c0\U0001e000Scrooge sat down. "
    check(text, units_of(text, 20, 3), 20)


@given(prose)
@settings(max_examples=50, deadline=None)
def test_the_same_text_gives_the_same_units(text: str) -> None:
    assert units_of(text, 30, 5) == units_of(text, 30, 5)


def test_white_space_has_no_units() -> None:
    assert units_of("") == units_of(" \n\n\t ") == []


def test_a_short_text_is_one_unit_without_the_space_around_it() -> None:
    assert units_of("\n  Marley was dead.\n") == [Unit(3, 19)]


def test_a_unit_that_starts_a_section_repeats_nothing() -> None:
    words = " ".join(f"He saw number {i} there." for i in range(12))
    text = f"{words}\n\n# Two\n\n{words}"
    units = units_of(text, 100, 20)
    starts = [unit.start for unit in units]
    assert text.index("# Two") in starts
    assert all(unit.end <= text.index("# Two") or unit.start >= text.index("# Two") for unit in units)


def test_units_repeat_about_as_much_as_asked() -> None:
    text = " ".join(f"Sentence {i} has its own number here." for i in range(800))
    for overlap in (0, 50, 100, 300):
        units = units_of(text, 600, overlap)
        pairs = zip(units, units[1:], strict=False)
        repeated = [count(text[b.start : a.end]) if b.start < a.end else 0 for a, b in pairs]
        assert max(repeated) <= overlap + 12
        assert sum(repeated) / len(repeated) == pytest.approx(overlap, rel=0.3), (
            "less only where the unit before is short"
        )


PATHOLOGICAL = {
    "one character": "a" * 250_000,
    "capitals": "A" * 250_000,
    "spaces": " " * 250_000 + "x",
    "blank lines": "x" + "\n" * 125_000 + "x",
    "no punctuation": " ".join(f"word{i}" for i in range(25_000)),
    "Chinese without punctuation": "".join(chr(0x4E00 + i * 7919 % 20000) for i in range(75_000)),
    "one line again and again": "The same line.\n" * 10_000,
    "headings": "# a\n\nb\n\n" * 10_000,
    "full stops": "." * 250_000,
}


@pytest.mark.parametrize("name", PATHOLOGICAL)
def test_pathological_texts_take_linear_time(name: str) -> None:
    text = PATHOLOGICAL[name]
    started = time.process_time()
    units = units_of(text)
    assert time.process_time() - started < 5, "about a quarter of a second is usual"
    check(text, units, 600)


def long_documents(shared: Path) -> dict[str, str]:
    """Texts of 110 to 280 units: a tale, four podcasts, a novel, news in Chinese."""

    def rows(name: str) -> list[str]:
        with (shared / "corpora" / name / "corpus.jsonl").open(encoding="utf-8") as file:
            return [json.loads(line)["text"] for line in file]

    return {
        "carol": rows("christmas_carol")[0],
        "podcasts": "\n\n".join(rows("podcast_graphrag")[:4]),
        "novel": "\n\n".join(rows("scale_eltec_eng")[:12]),
        "Chinese": "\n\n".join(rows("ntrex_zho")),
    }


def test_an_inserted_sentence_changes_few_units_and_units_are_full(shared: Path) -> None:
    changed: list[int] = []
    for name, text in long_documents(shared).items():
        spans = sentences(text)
        units = units_of(text)
        check(text, units, 600)
        assert len(units) >= 100
        fill = [count(text[unit.start : unit.end]) / 600 for unit in units]
        assert sum(fill) / len(fill) > 0.72, name
        before = {text[unit.start : unit.end] for unit in units}
        rng = random.Random(name)
        for _ in range(3):
            at = rng.choice(spans)[0]
            start, end = rng.choice(spans)
            edited = f"{text[:at]}On day {rng.randrange(10**6)} {text[start:end].strip()} {text[at:]}"
            after = units_of(edited)
            changed.append(sum(edited[unit.start : unit.end] not in before for unit in after))
    changed.sort()
    assert min(changed) >= 1
    assert sum(changed) / len(changed) < 1.9, "1.67 when this was written"
    assert sum(n > 3 for n in changed) <= 0.07 * len(changed), "3.5% when this was written"
    assert changed[-1] <= 8


def test_real_texts_are_covered(shared: Path) -> None:
    for path in sorted((shared / "corpora").glob("ntrex_*/corpus.jsonl")) + [shared / "qa/lihua_world/corpus.jsonl"]:
        for line in path.read_text(encoding="utf-8").splitlines()[:60]:
            text = json.loads(line)["text"]
            check(text, units_of(text, 200, 40), 200)


def test_what_fits_is_one_unit_and_no_unit_is_a_crumb() -> None:
    text = "# Title\n\n" + " ".join(f"Sentence {i} has its own number here." for i in range(800))
    assert len(units_of(text[:2000])) == 1
    assert min(count(text[unit.start : unit.end]) for unit in units_of(text)) > 100


def test_a_text_without_a_blank_is_counted_few_times() -> None:
    """Halves of halves were counted, each time all of it: 3 MB of base64 took 7 s."""
    text = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz0123456789+/", k=400_000))
    counted: list[int] = []

    def noted(part: str) -> int:
        counted.append(len(part))
        return count(part)

    units = split(text, [(0, len(text))], noted, size=600, overlap=100)
    check(text, units, 600)
    assert sum(counted) < 4 * len(text)

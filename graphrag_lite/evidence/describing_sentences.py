"""Which of the corpus's sentences say what an entity is, and which state a relationship best.

Candidates are rows with a `sentence`, its span (`document_id`, `char_start`, `char_end`), and what is known of it. The
chosen have it on one line, without the marks of a list, a task or a heading: their span begins behind these.
"""

import re
from functools import lru_cache
from typing import Any

from graphrag_lite.evidence.distinct_sentences import says_the_same
from graphrag_lite.evidence.mention_form import NAMES
from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.sentences import LINE_MARKS, is_statement, stands_alone
from graphrag_lite.text.transcripts import FILE_NAME

Row = dict[str, Any]
MARKS = re.compile(LINE_MARKS)
FORM = 2.5  # what a sentence counts more that says what a name is, less that its bearer says or is told
GOOD_LENGTH = range(50, 320)  # characters of a sentence that says something and is read at a glance


_on_one_line = lru_cache(maxsize=10_000)(one_line)  # a sentence is a candidate of all that it names


def best_sentences(candidates: list[Row], most: int) -> list[Row]:
    """Choose the sentences that say what an entity is, best first, ties by place.

    Who speaks is not part of what is said. What shares most words with a better sentence says nothing new.
    """
    scored: dict[str, tuple[float, int, Row]] = {}
    for row in candidates:
        sentence = _without_marks(row)
        scored.setdefault(sentence, (-_informs(row, sentence), len(scored), row))
    chosen: list[Row] = []
    known: list[frozenset[str]] = []
    for sentence, (*_, row) in sorted(scored.items(), key=lambda item: item[1][:2]):
        words = frozenset(sentence.casefold().split())
        if len(chosen) < most and not says_the_same(words, known):
            chosen.append(row)
            known.append(words)
    return chosen


def _informs(row: Row, sentence: str) -> float:
    """Say how well a sentence introduces the entity that it mentions."""
    score = 0.0
    if row["mention_start"] >= 0:
        offset = row["mention_start"] - row["char_start"]
        score += FORM * row["form"]
        score += 0.0 if row["form"] < NAMES else 2.0 if offset <= 5 else 1.0 if offset <= 40 else 0.0
    return score - 1.0 * (FILE_NAME.search(sentence) is not None) + _reads_well(sentence)


@lru_cache(maxsize=10_000)
def _reads_well(sentence: str) -> float:
    """Say how well a sentence stands on its own: a whole statement of good length that points to nothing before it."""
    good_length = len(sentence) in GOOD_LENGTH
    return 1.0 * good_length - 1.0 * (not stands_alone(sentence)) - 2.0 * (not is_statement(sentence))


def _without_marks(row: Row) -> str:
    """Take the marks of a list, a task or a heading off the sentence of a candidate; return it on one line."""
    n_marks = marks.end() if (marks := MARKS.match(row["sentence"])) else 0
    row["char_start"] += n_marks
    row["sentence"] = _on_one_line(row["sentence"][n_marks:])
    return str(row["sentence"])


def best_statements(candidates: list[Row], most: int) -> list[Row]:
    """Choose the sentences that state a relationship best, best first, ties by place. One place counts once."""

    def score(row: Row) -> float:
        return 2.0 * float(row["strength"]) + 0.5 * bool(row["relation"]) + _reads_well(_without_marks(row))

    locations: set[tuple[str, int]] = set()
    chosen: list[Row] = []
    for row in sorted(candidates, key=score, reverse=True):
        if (location := (row["document_id"], row["char_start"])) not in locations and len(chosen) < most:
            locations.add(location)
            chosen.append(row)
    return chosen

"""Dates and periods that a question names, absolute or relative to a day: "on October 7, 2023", "last Friday", "先月".

What is not understood is no period: a question keeps its words in any case.
"""

import re
from datetime import date
from typing import NamedTuple

from graphrag_lite.text.folding import fold, unaccented
from graphrag_lite.text.period import Period
from graphrag_lite.text.times import all_times
from graphrag_lite.text.word_lists import expressions

LONGEST = 4_000  # characters of a question that are read
_FORMS = expressions(__package__, "stated_dates.txt")
_WORD = re.compile(r"[^\W\d_]+")
_NOW = re.compile(r",? (?:(?:(?:right |as of )?now|at (?:the moment|present)|these days)(?=\W*$)|currently\b)", re.I)


class QuestionTimes(NamedTuple):
    """What a question says of time: its text without "now", and without "latest", the periods that it names, and the
    words that name these, folded."""

    without_now: str
    without_newest: str
    periods: list[Period]
    words: frozenset[str]


def question_times(question: str, now: date | None, language: str, spoken: str) -> QuestionTimes:
    """Read a question in `language`; its periods in the language `spoken`, which relative times are known in."""
    return QuestionTimes(without_now(question), without_newest(question, language), *_periods(question, now, spoken))


def without_newest(text: str, language: str) -> str:
    """Return a question without the words by which it means the newest document of a series.

    >>> without_newest("How much was it in the most recent quarter?", "en"), without_newest("Who came last?", "en")
    ('How much was it in the  ?', 'Who came last?')
    """
    pattern = _FORMS.get(f"newest {language}")
    return re.sub(rf"\b{pattern}\b", " ", text, flags=re.I) if pattern else text


def without_now(text: str) -> str:
    """Return an English question without the words by which it means what holds today.

    >>> without_now("What is the net debt now?"), without_now("Who is currently the chair?")
    ('What is the net debt?', 'Who is the chair?')
    """
    return _NOW.sub("", text)


def periods(text: str, now: date | None, language: str) -> list[Period]:
    """Return the periods that `text` names, in order, none twice.

    Relative ones, and days and months without a year, are told from `now`; without it they are left out. A week begins
    on Monday; "three weeks ago" is as long as its unit, around that day. What may be told in advance is (next week).

    >>> now = date(2023, 5, 30)  # a Tuesday
    >>> [str(period.first) for period in periods("On October 7, 2022, or last Friday, or yesterday?", now, "en")]
    ['2022-10-07', '2023-05-26', '2023-05-29']
    >>> periods("Who won last month?", now, "en") == periods("先月は誰が勝った", now, "ja") != []
    True
    """
    return _periods(text, now, language)[0]


def _periods(text: str, now: date | None, language: str) -> tuple[list[Period], frozenset[str]]:
    plain = " ".join(unaccented(fold(text[:LONGEST])).split())
    found = sorted(all_times(plain, now, language, in_question=True), key=lambda time: time.start)
    words = frozenset(word for time in found for word in _WORD.findall(plain[time.start : time.end]))
    return list(dict.fromkeys(time.period for time in found)), words

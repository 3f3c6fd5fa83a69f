"""How old somebody was: the day of birth that a sentence states of a name, and the whole years from it to a day."""

import re
from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING

from graphrag_lite.retrieval.top_k import best
from graphrag_lite.search.dated_events import UNITS_READ, Dated, Looked
from graphrag_lite.temporal.durations import When
from graphrag_lite.text.folding import fold_with_places
from graphrag_lite.text.sentences import sentences, trimmed
from graphrag_lite.text.times import Time, times
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from graphrag_lite.retrieval.question import Question

_BORN = re.compile(r"\bborn\b|\bb\.|[(\[] ?(?=[^()\[\]]{0,40}\d{4} ?[-–—])")
REACH = 40  # characters from the word to the day
PRONOUN = re.compile(r"^(?:he|she|they|it)\b", re.I)


def born(question: "Question", person: Looked, visible: "npt.NDArray[np.bool_]") -> Dated | None:
    """Return the first sentence of the text units that fit a name best that states its day of birth; None for none."""
    index = question.index
    scores = index.bm25.scores(list(person.weight)) * visible
    for unit in best(scores, UNITS_READ).tolist():
        if scores[unit] <= 0:
            break
        row = index.document_row[unit]
        language = index.column("documents", "language")[row].as_py() or "en"
        place = index.column("text_units", "char_start")[unit].as_py()
        text = index.column("text_units", "text")[unit].as_py()
        for first, last in sentences(text, language):
            start, end = trimmed(text, first, last)
            day = birth(text[start:end], person.weight.keys(), language)
            if day and place >= 0:
                return Dated(1.0, unit, place + start, place + end, day)
    return None


def birth(sentence: str, name: Iterable[str], language: str) -> When | None:
    """Return the day of birth that a sentence states, which has to hold all terms of a name before it.

    >>> str(birth("Ann Bell (born 4 May 1950) led Acme.", ["ann", "bell"], "en"))
    '1950-05-04'
    >>> str(birth("Bo Diaz (1843–1906) was born in Oslo.", ["bo", "diaz"], "en")), birth("Bo, 1843.", ["bo"], "en")
    ('1843', None)
    """
    plain, _ = fold_with_places(sentence)
    for mark in _BORN.finditer(plain):
        if not set(name) <= set(terms(plain[: mark.start()], language)):
            continue
        found = [time for time in times(plain, None, language) if mark.end() <= time.start < mark.end() + REACH]
        if found:
            return _first_day(found[0])
    return None


def _first_day(time: Time) -> When:
    """Return the day that a time is, or begins on, as closely as it is stated."""
    first = time.period.first
    if time.precision == "day":
        return When(first.toordinal(), first.toordinal())
    last = first.replace(month=12, day=31) if time.precision == "year" else time.period.last
    return When(first.toordinal(), last.toordinal())


def age(birth_day: When, day: When) -> str:
    """Return the whole years from one day to another, both where it can be either, "" where it cannot be told.

    >>> born = When(date(1950, 5, 4).toordinal(), date(1950, 5, 4).toordinal())
    >>> days = [date(2000, 5, 3), date(2000, 5, 4)]
    >>> [age(born, When(one.toordinal(), one.toordinal())) for one in days]
    ['49 years', '50 years']
    >>> age(born, When(days[0].toordinal(), days[1].toordinal()))
    '49 or 50 years'
    """
    least, most = _years(birth_day.last, day.first), _years(birth_day.first, day.last)
    if least < 0 or most - least > 1:
        return ""
    return f"{least} years" if least == most else f"{least} or {most} years"


def _years(first: int, last: int) -> int:
    one, other = date.fromordinal(first), date.fromordinal(last)
    return other.year - one.year - ((other.month, other.day) < (one.month, one.day))

"""The day of birth, of death or of making that a sentence states of a name, and how old somebody was on a day."""

import re
from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING

from graphrag_lite.retrieval.top_k import best_rows
from graphrag_lite.search.extractive.dated_events import UNITS_READ, Dated, looked_for
from graphrag_lite.temporal.durations import When
from graphrag_lite.text.folding import fold_with_offsets
from graphrag_lite.text.period import Time
from graphrag_lite.text.sentences import sentences, trimmed
from graphrag_lite.text.times import times
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question

_LIFE = r"[(\[] ?(?=[^()\[\]]{0,40}\d{4} ?[-–—])"
_MARKS = {
    "born": re.compile(rf"\bborn\b|\bb\.|{_LIFE}"),
    "died": re.compile(rf"\bdied\b|\bd\.|{_LIFE}"),
    "made": re.compile(r"\b(?:is|was) an? (?:[a-z-]+ ){0,2}(?=\d{4} [a-z])"),  # "is a 1915 film"
}
_BRACKETS = re.compile(r"\s*\([^)]*\)$")
_COLUMNS = ("title", "language")
REACH = 60  # characters from the name to the word, and from there to the day
OPENING = 300  # characters of a document in which what it is about may have another form of its name
PRONOUN = re.compile(r"^(?:he|she|they|it)\b", re.I)


def life_date(question: "Question", name: str, what: str) -> Dated | None:
    """Return the sentence that says when what has a name was born, died or was made: a document of that title first.

    None where there is none, or others say otherwise.
    """
    index = question.index
    weight = looked_for(question, _BRACKETS.sub("", name)).weight
    wanted = {term for term in weight if len(term) > 1} or set(weight)
    scores = index.bm25.scores(list(wanted))
    found: dict[bool, list[Dated]] = {True: [], False: []}
    for unit in best_rows(scores, UNITS_READ).tolist():
        if scores[unit] <= 0:
            break
        title, language = (index.cell("documents", each, index.document_row[unit]) for each in _COLUMNS)
        offset = index.cell("text_units", "char_start", unit)
        text = index.cell("text_units", "text", unit)
        is_title = set(terms(_BRACKETS.sub("", title), language)) == wanted
        for first, last in sentences(text, language or "en"):
            start, end = trimmed(text, first, last)
            titled = is_title and 0 <= offset + start < OPENING
            day = day_of(text[start:end], () if titled else wanted, what, language or "en")
            if day and offset >= 0:
                found[titled].append(Dated(1.0, unit, offset + start, offset + end, day))
    dated = found[True][:1] or found[False]
    return dated[0] if dated and len({one.when for one in dated}) == 1 else None


def day_of(sentence: str, name: Iterable[str], what: str, language: str) -> When | None:
    """Return the day on which a sentence says that somebody was born or died, or something made.

    It has to hold all terms of the name shortly before it.

    >>> str(day_of("Ann Bell (born 4 May 1950) led Acme.", ["ann", "bell"], "born", "en"))
    '1950-05-04'
    >>> [str(day_of("Bo Diaz (1843–1906) was born in Oslo.", ["bo", "diaz"], what, "en")) for what in ("born", "died")]
    ['1843', '1906']
    >>> str(day_of("The Rack is a 1915 film.", ["rack"], "made", "en")), day_of("Bo, 1843.", ["bo"], "born", "en")
    ('1915', None)
    """
    plain, _ = fold_with_offsets(sentence)
    wanted = set(name)
    for mark in _MARKS[what].finditer(plain):
        before = set(terms(plain[max(0, mark.start() - REACH) : mark.start()], language))
        if not wanted <= before or (what == "made" and wanted and wanted != before):  # of works, many hold the name
            continue
        found = [time for time in times(plain, None, language) if mark.end() <= time.start < mark.end() + REACH]
        if found:
            return _end(found[0], first=what != "died")
    return None


def _end(time: Time, *, first: bool) -> When:
    """Return the first or the last day of a time, as closely as it is stated."""
    day = time.period.first if first else time.period.last
    if time.precision == "day":
        return When(day.toordinal(), day.toordinal())
    if time.precision == "month" and time.form != "range":
        return When(time.period.first.toordinal(), time.period.last.toordinal())
    return When(day.replace(month=1, day=1).toordinal(), day.replace(month=12, day=31).toordinal())


def age_in_years(birth_day: When, day: When) -> str:
    """Return the whole years from one day to another, both where it can be either, "" where it cannot be told.

    >>> born = When(date(1950, 5, 4).toordinal(), date(1950, 5, 4).toordinal())
    >>> days = [date(2000, 5, 3), date(2000, 5, 4)]
    >>> [age_in_years(born, When(one.toordinal(), one.toordinal())) for one in days]
    ['49 years', '50 years']
    >>> age_in_years(born, When(days[0].toordinal(), days[1].toordinal()))
    '49 or 50 years'
    """
    least, most = _years(birth_day.last, day.first), _years(birth_day.first, day.last)
    if least < 0 or most - least > 1:
        return ""
    return f"{least} years" if least == most else f"{least} or {most} years"


def _years(first: int, last: int) -> int:
    one, other = date.fromordinal(first), date.fromordinal(last)
    return other.year - one.year - ((other.month, other.day) < (one.month, one.day))

"""How something changed: what each of several dated documents says of it, in the order of time."""

import re
from dataclasses import replace
from datetime import date
from functools import reduce
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphrag_lite.retrieval.bm25 import term_idf
from graphrag_lite.search.answer import Statement
from graphrag_lite.search.extractive.answer_type import expected_answer
from graphrag_lite.search.extractive.quoted_sources import source_of
from graphrag_lite.search.extractive.read_unit import read_out
from graphrag_lite.search.extractive.sentence_candidates import ASKS
from graphrag_lite.search.extractive.sentence_choice import choose_sentences
from graphrag_lite.text.numbered_titles import Numbered
from graphrag_lite.text.times import ANY_MONTH
from graphrag_lite.text.transcripts import is_talk
from graphrag_lite.text.word_lists import expressions
from graphrag_lite.text.words import ASKING, terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.text.period import Period

LEAST, MOST = 2, 8  # documents that tell a development
UNITS, SENTENCES = 3, 3  # of a document that are read: text units that fit best, sentences of them
TITLES = 5  # of the best text units that are looked at
LONG = 366  # days: a change through a period that is longer has a course
# Of what the best sentences of so many days hold of the question's words: one with less is about another thing.
LIKE_BEST, SEVERAL = 0.75, 3
_FORMS = expressions(__package__, "developments.txt")
_CHANGES, _THROUGH, _RECENT, _RANGE, _SINCE, _ONE, _EXPECTED = (
    re.compile(_FORMS[name], re.I) for name in ("changes", "through", "recent", "range", "since", "one", "expected")
)
_TOGETHER = re.compile(r"\W*(?:of|in|for|des|de|del|du)?\W*")
_BOUNDS = re.compile(rf"\b(?:from|to|between|until)\b|(?<!\d)[12]\d{{3}}(?!\d)|\b(?:{ANY_MONTH})\b", re.I)
_BEST = itemgetter(0, 1, 2, 3, 4)


class _Candidate(NamedTuple):
    """What a document tells in a sentence; the least is the best."""

    counts_nothing: bool
    held: float  # weight of the terms asked about that it holds, below zero
    expected: bool  # where the question does not ask for what is
    width: int  # words from the first to the last of these
    at: int  # words before them: what a sentence begins with it is about
    statement: Statement


def development(question: "Question") -> list[Statement]:
    """Return a sentence from each of up to MOST dated documents about what a question says that it changed, by time.

    The documents are of the periods that it names, or have the numbers that it compares in their titles: "Q1 and Q4 of
    FY23". None where fewer than LEAST days tell of it.
    """
    numbers = _numbers(question)
    compared = _compared(question, numbers)
    text = question.as_read
    for number in reversed(numbers if compared else []):
        text = f"{text[: number.start]} {text[number.end :]}"
    subject = _subject(text, question.periods, len(compared))
    candidates = _candidates(question, subject, compared) if subject else []
    by_day: dict[float, list[_Candidate]] = {}
    for one in candidates:
        by_day.setdefault(float(question.index.days[one.statement.unit]), []).append(one)
    most = sorted(min(one.held for one in ones) for ones in by_day.values())[:SEVERAL]
    by_day = {day: [one for one in ones if one.held <= LIKE_BEST * most[-1]] for day, ones in by_day.items()}
    best = [min(by_day[day], key=_BEST) for day in sorted(by_day) if by_day[day]]
    if len(best) < LEAST:
        return []
    if not (question.periods or compared) and _RECENT.search(question.as_read):
        best = best[-MOST:]
    parts = np.array_split(np.arange(len(best)), min(MOST, len(best)))
    return [min((best[i] for i in part), key=_BEST).statement for part in parts]


def _numbers(question: "Question") -> list[Numbered]:
    """Return the words with a number in a question that titles have, in order: "Q1", but not "Dynamics 365"."""
    attributes = question.index.attributes
    return [one for one in question.numbered if attributes.positions_of(one)]


def _compared(question: "Question", numbers: "Sequence[Numbered]") -> "list[NDArray[np.intp]]":
    """Return the text units of each of the documents that a question compares by the numbers of their titles.

    What stands together is of one title, and what it lacks it has of the next: "Q1 and Q4 of FY23".
    """
    titles: list[dict[str, Numbered]] = []
    end = None
    for one in numbers:
        if end is None or one.word in titles[-1] or not _TOGETHER.fullmatch(question.as_read[end : one.start]):
            titles.append({})
        titles[-1][one.word], end = one, one.end
    for position in reversed(range(len(titles) - 1)):
        titles[position] = titles[position + 1] | titles[position]
    attributes = question.index.attributes

    def units_of(one: Numbered) -> "NDArray[np.intp]":
        return np.unique(np.concatenate([attributes.units[position] for position in attributes.positions_of(one)]))

    found = [reduce(np.intersect1d, map(units_of, title.values())) for title in titles]
    compared = [units for units in found if len(units)]
    return compared if len(compared) > 1 or _SINCE.search(question.as_read) else []


def _subject(text: str, named: "Sequence[Period]", n_compared: int = 0) -> str:
    """Return a question without what says that something changed, and when; "" where it asks for no course of time.

    >>> _subject("What changed between the quarters in Azure growth?", []).split()
    ['What', 'in', 'Azure', 'growth?']
    >>> _subject("How did the price change?", [])
    ''
    """
    if _ONE.search(text):
        return ""
    rest, n_changes = _CHANGES.subn(" ", text)
    rest, n_through = _THROUGH.subn(" ", rest)
    rest, n_since = _SINCE.subn(" ", rest)
    long = (
        max(len(named), n_compared) > 1
        or (n_since and n_compared)
        or any(n_since or (one.last - one.first).days > LONG for one in named)
    )
    return _BOUNDS.sub(" ", rest) if n_through or (n_changes and long) else ""


def _candidates(question: "Question", subject: str, compared: "Sequence[NDArray[np.intp]]") -> list[_Candidate]:
    """Return what documents of the periods asked about, or those `compared`, tell of the subject of a question."""
    index = question.index
    sought = replace(expected_answer(question, question.features), kind="number")
    says_little, of_outlook = ASKING | sought.idle, _EXPECTED.search(question.as_read) is not None
    about = [term for term in question.terms_of(subject) if term not in says_little and index.bm25.holds(term)]
    forms_of = {form for term, forms in sought.others if term in about for form in forms}
    scores, weight = index.bm25.scores([*about, *sorted(forms_of.difference(about))]), term_idf(index.bm25, about)
    units = np.flatnonzero(_within(question, compared) & (index.days > 0) & (scores > 0))
    best_first = units[np.argsort(-scores[units], kind="stable")].tolist()
    # Who is in each title, as the company of a series of calls, is named in few of its sentences.
    titles = [index.cell("documents", "title", index.document_row[unit]) for unit in best_first[:TITLES]]
    of_all = set.intersection(*(set(question.terms_of(title)) for title in titles)) if titles else set[str]()
    names = [term for term in about if term in question.features.name_terms and term not in of_all]
    hold = {*(index.bm25.all_of(names) if names else units).tolist()}
    of_document: dict[int, list[int]] = {}
    for unit in best_first:
        if unit in hold:
            of_document.setdefault(index.document_row[unit], []).append(unit)
    besides = set(about).difference(names, of_all)
    alike = {other: term for term, forms in sought.others if term in weight for other in forms} | {t: t for t in weight}
    found = []
    for own in of_document.values():
        read = own[:UNITS]
        for one in choose_sentences(index, about, read, SENTENCES, scores=scores[read].tolist(), sought=sought):
            sentence, language = read_out(index, one)
            in_order = [alike.get(term, "") for term in terms(sentence, language)]
            tells = besides.intersection(in_order) if besides else in_order
            if tells and set(in_order).issuperset(names) and not ASKS.search(sentence) and not is_talk(sentence):
                held = -sum(weight[term] for term in weight if term in in_order and term not in of_all)
                is_expected = not of_outlook and _EXPECTED.search(sentence) is not None
                first = next(at for at, term in enumerate(in_order) if term in tells)
                statement = replace(one, about=source_of(index, one))
                found.append(
                    _Candidate(not sought.has_count(sentence), held, is_expected, _width(in_order), first, statement)
                )
    return found


def _within(question: "Question", compared: "Sequence[NDArray[np.intp]]") -> "NDArray[np.bool_]":
    """Return which text units are of the time that is asked about, (n_units,)."""
    days, named, goes_on = question.index.days, question.periods, _SINCE.search(question.as_read)
    if compared:
        units = np.concatenate(compared)
        if not (goes_on or _RANGE.search(question.as_read)):
            return np.isin(np.arange(len(days)), units)
        last = np.inf if goes_on else np.nanmax(days[units], initial=-np.inf)
        return (days >= np.nanmin(days[units], initial=np.inf)) & (days <= last)
    within = np.full(len(days), not named)
    for period in named:
        until = date.max if goes_on else period.last
        within |= (days >= period.first.toordinal()) & (days <= until.toordinal())
    return within


def _width(in_order: "Sequence[str]") -> int:
    """Return the least number of words in a row that hold all of those that are not empty.

    >>> _width(["", "azure", "", "growth", "azure"])
    2
    """
    last: dict[str, int] = {}
    least, n = len(in_order), len({*in_order} - {""})
    for at, term in enumerate(in_order):
        if term:
            last[term] = at
            least = min(least, at - min(last.values()) + 1) if len(last) == n else least
    return least

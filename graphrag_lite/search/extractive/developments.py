"""How something changed: what each of several dated documents says of it, in the order of time."""

import re
from dataclasses import replace
from datetime import date
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphrag_lite.retrieval.bm25 import term_idf
from graphrag_lite.search.answer import Statement
from graphrag_lite.search.extractive.answer_type import expected_answer
from graphrag_lite.search.extractive.documents_asked import source_of
from graphrag_lite.search.extractive.read_unit import read_out
from graphrag_lite.search.extractive.sentence_candidates import ASKS
from graphrag_lite.search.extractive.sentence_choice import choose_sentences
from graphrag_lite.text.times import ANY_MONTH
from graphrag_lite.text.transcripts import is_talk
from graphrag_lite.text.word_lists import expressions
from graphrag_lite.text.words import ASKING, terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.text.period import Period

LEAST, MOST = 2, 8  # documents that tell a development
UNITS, SENTENCES = 3, 3  # of a document that are read: text units that fit best, sentences of them
TITLES = 5  # of the best text units that are looked at
LONG = 366  # days: a change through a period that is longer has a course
# Of what the best sentences of so many days hold of the question's words: one with less is about another thing.
LIKE_BEST, SEVERAL = 0.75, 3
_FORMS = expressions(__package__, "developments.txt")
_CHANGES, _THROUGH, _SINCE, _ONE = (re.compile(_FORMS[name], re.I) for name in ("changes", "through", "since", "one"))
_BOUNDS = re.compile(rf"\b(?:from|to|between|until)\b|(?<!\d)[12]\d{{3}}(?!\d)|\b(?:{ANY_MONTH})\b", re.I)


_BEST = itemgetter(0, 1, 2)


class _Told(NamedTuple):
    """What a document tells in a sentence; the least is the best."""

    counts_nothing: bool
    held: float  # weight of the terms asked about that it holds, below zero
    width: int  # words from the first to the last of these
    place: Statement


def development(question: "Question") -> list[Statement]:
    """Return a sentence from each of up to MOST dated documents about what a question says that it changed, by time.

    The documents are of the periods that it names; none where fewer than LEAST days tell of it.
    """
    subject = _subject(question.as_read, question.periods)
    told = _told(question, subject) if subject else []
    by_day: dict[float, list[_Told]] = {}
    for one in told:
        by_day.setdefault(float(question.index.days[one.place.unit]), []).append(one)
    most = sorted(min(one.held for one in ones) for ones in by_day.values())[:SEVERAL]
    by_day = {day: [one for one in ones if one.held <= LIKE_BEST * most[-1]] for day, ones in by_day.items()}
    best = [min(by_day[day], key=_BEST) for day in sorted(by_day) if by_day[day]]
    if len(best) < LEAST:
        return []
    parts = np.array_split(np.arange(len(best)), min(MOST, len(best)))
    return [min((best[i] for i in part), key=_BEST).place for part in parts]


def _subject(text: str, named: "Sequence[Period]") -> str:
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
    long = len(named) > 1 or any(n_since or (one.last - one.first).days > LONG for one in named)
    return _BOUNDS.sub(" ", rest) if n_through or (n_changes and long) else ""


def _told(question: "Question", subject: str) -> list[_Told]:
    """Return what documents of the periods asked about tell of the subject of a question."""
    index, named = question.index, question.periods
    sought = replace(expected_answer(question, question.features), kind="number")
    says_little = ASKING | sought.idle
    about = [term for term in question.terms_of(subject) if term not in says_little and index.bm25.holds(term)]
    forms_of = {form for term, forms in sought.others if term in about for form in forms}
    scores, weight = index.bm25.scores([*about, *sorted(forms_of.difference(about))]), term_idf(index.bm25, about)
    goes_on = _SINCE.search(question.as_read)
    within = np.full(len(index.days), not named)
    for period in named:
        last = date.max if goes_on else period.last
        within |= (index.days >= period.first.toordinal()) & (index.days <= last.toordinal())
    units = np.flatnonzero(within & (index.days > 0) & (scores > 0))
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
            said, language = read_out(index, one)
            in_order = [alike.get(term, "") for term in terms(said, language)]
            tells = besides.intersection(in_order) if besides else in_order
            if tells and set(in_order).issuperset(names) and not ASKS.search(said) and not is_talk(said):
                held = -sum(weight[term] for term in weight if term in in_order and term not in of_all)
                place = replace(one, about=source_of(index, one))
                found.append(_Told(not sought.has_count(said), held, _width(in_order), place))
    return found


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

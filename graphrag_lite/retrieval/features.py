"""What ranking needs of a question: the scores of its terms, the entities, days and sources that it names."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphrag_lite.graph.sparse import Csr, Vector
from graphrag_lite.retrieval.bm25 import YEAR, Bm25
from graphrag_lite.retrieval.entity_names import NameTable, find_mentions, find_parts
from graphrag_lite.retrieval.held import Held
from graphrag_lite.retrieval.ranking import Features
from graphrag_lite.retrieval.replies import asks_for_reply, asks_for_value
from graphrag_lite.retrieval.title_numbers import ByNumber
from graphrag_lite.text.language import closest_language
from graphrag_lite.text.numbered_titles import Numbered, numbered_words
from graphrag_lite.text.period import Period
from graphrag_lite.text.periods import periods
from graphrag_lite.text.relative_times import relative_dates
from graphrag_lite.text.words import ASKING, terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question

# What a word that only asks counts, of 1: where people ask each other, "how many" finds other questions.
_ASKING = 0.5
# A document can be dated later than what it tells: what one fits that is dated after a period, of 1, at first, and days
# beside the period's own length in which that halves. Fits below the least are none.
_LATE_FIT, _LATE_DAYS, _LEAST_FIT = 0.25, 7, 0.05
# What the times that sentences state count, of 1, where documents have dates of their own: those say most.
_DATED = 0.15
# Share of the text units whose titles state a year from which on these say it, and sentences' times nothing: pages of
# reports tell of other years, too (financebench_pages R@5 37.7 with them, 38.3 without).
MOST_TITLES = 0.5
# Words of a name, as titles of files and names of accounts write them together.
_CAPITALISED = re.compile(r"[^\W\d_a-z]\w*(?: [^\W\d_a-z]\w*)+")
_MOST_TOGETHER = 3
_ALWAYS = 4  # times as many units have the one word as have any of its words: these mean something else


@dataclass(frozen=True)
class Attributes:
    """What documents are said to be, by text unit: day, shared metadata values, numbers in titles, whether a reply."""

    days: Vector  # (n_units,) `date.toordinal` of the document, nan where it is not dated
    values: NameTable  # metadata values; the numbers are places in `units`
    units: Sequence[npt.NDArray[np.int32]]  # text units that have the value, ascending
    numbered: ByNumber = field(default_factory=dict)  # words with a number in titles; places in `units`
    replies: npt.NDArray[np.bool_] | None = None  # (n_units,) an assistant's; None where there are none
    held: Held | None = None  # when what units say held
    order: Vector | None = None  # (n_units,) higher where it was said later, within a day, too

    @cached_property
    def newest(self) -> date | None:
        """The newest day of a document, None where none is dated."""
        return None if np.isnan(self.days).all() else date.fromordinal(int(np.nanmax(self.days)))

    @cached_property
    def of_years(self) -> bool:
        """Whether most titles state a year, as those of annual reports do: they say what their documents are of."""
        years = {place for number, told in self.numbered.items() if YEAR.fullmatch(number) for *_, place in told}
        return sum(len(self.units[place]) for place in years) > MOST_TITLES * len(self.days)


def question_features(question: "Question", text: str, question_terms: Sequence[str]) -> Features:
    """Return what `rank` needs of a question, of its text and terms as it is read.

    An ambiguous name stands for all its entities, the last word of a name for those it is of, less the more there are.
    The years of texts are searched from the first to the last year that the question says, whatever it says about them.
    Relative dates are told from `as_of`, else from the newest day. Newer counts more where the question has an `as_of`
    and names no period.
    """
    language, terms_of = question.language, question.terms_of
    index, attributes = question.index.bm25, question.index.attributes
    distinct = _as_written(question_terms, _written_together(text, language, index), index)
    mentions = find_mentions(text, language, question.index.names)
    parts = find_parts(text, language, question.index.names, mentions)
    values = dict.fromkeys(value for m in find_mentions(text, language, attributes.values) for value in m.entities)
    entities = {entity: 1.0 / len(part.entities) for part in parts for entity in part.entities}
    entities |= {entity: 1.0 for m in mentions for entity in m.entities}
    only_asks = {term for word in ASKING.intersection(text.casefold().split()) for term in terms_of(word)}
    place = {term: i for i, term in enumerate(distinct)}
    own_terms = [terms_of(text[mention.start : mention.end]) for mention in [*mentions, *parts]]
    places = [np.array([place[term] for term in own if term in place], dtype=np.int64) for own in own_terms]
    years = [int(term) for term in distinct if YEAR.fullmatch(term)]
    now_asked = attributes.replies is not None and asks_for_value(text, language)
    replies = None if asks_for_reply(text, language) else attributes.replies
    stated = [(attributes.units[value].astype(np.int64), np.ones(len(attributes.units[value]))) for value in values]
    stated += _of_titles(numbered_words(text, language), attributes)
    now = question.as_of or attributes.newest
    spoken = language or closest_language(text, list(relative_dates()))  # the texts may be too short to tell theirs
    asked = periods(text, now, spoken)
    held = None
    if attributes.held and asked and not attributes.of_years:
        held = attributes.held.fits(asked) * (_DATED if attributes.newest else 1.0)
    term_scores = _term_scores(index, distinct, only_asks)
    found = Features(
        term_scores=term_scores,
        names=[(mention.entities, at) for mention, at in zip([*mentions, *parts], places, strict=True)],
        entities=entities,
        dated_units=index.units_with_years(min(years), max(years)) if years else index.units[:0],
        stated=stated,
        replies=replies,
        name_terms=frozenset(term for own in own_terms for term in own),
        held=held,
        periods=asked,
        meant=None if question.vector is None else question.index.meant(question.vector, term_scores),
    )
    if now is None or attributes.newest is None:
        return found
    asked = [_newest_day(attributes.days, now)] if question.means_newest else asked
    return replace(
        found,
        stated=[*stated, *(_dated_in(attributes.days, period) for period in asked)],
        ages=_ages(attributes.days, now) if question.as_of and not asked else None,
        order=attributes.order if (question.as_of or now_asked) and not asked else None,
    )


def _as_written(asked: Sequence[str], together: Mapping[str, list[str]], index: Bm25) -> list[str]:
    """Return the distinct terms that are `asked` for, with names in one word that the corpus writes so."""
    distinct = list(dict.fromkeys(asked))
    for term, apart in together.items():
        if all(len(index.postings(term)[0]) > _ALWAYS * len(index.postings(part)[0]) for part in apart):
            distinct = [one for one in distinct if one not in apart]
        distinct += [term] if term not in distinct else []
    return distinct


def _term_scores(index: Bm25, distinct: Sequence[str], only_asks: Set[str]) -> Csr:
    """Return the BM25 score of each term in each unit, (n_terms, n_units); a word that only asks counts less."""
    scores = index.term_scores(distinct)
    weights = [_ASKING if term in only_asks else 1.0 for term in distinct]
    return scores.with_data(scores.data * np.repeat(np.array(weights, dtype=np.float32), scores.sizes))


def _newest_day(days: Vector, now: date) -> Period:
    """Return the day of the newest document that is not dated after `now`, `now` where there is none."""
    shown = days[days <= now.toordinal()]
    day = date.fromordinal(int(shown.max())) if len(shown) else now
    return Period(day, day)


def _written_together(question: str, language: str, index: Bm25) -> dict[str, list[str]]:
    """Return the terms of names that the question writes as several words and the corpus as one: Best Buy, BestBuy.

    More units must hold the one word than hold the rarest of its words: "redhat" in an address is not Red Hat's name.

    >>> from graphrag_lite.retrieval.bm25 import build
    >>> _written_together("Did Best Buy buy Ann Li?", "en", build([terms("BESTBUY 10K 2022", "en")]))
    {'bestbuy': ['best', 'buy']}
    """

    def held(term: str) -> int:
        return len(index.postings(term)[0])

    found = {}
    for run in _CAPITALISED.finditer(question):
        words = run[0].split()
        for first, last in combinations(range(len(words) + 1), 2):
            if 1 < last - first <= _MOST_TOGETHER:
                together = terms("".join(words[first:last]), language)
                apart = terms(" ".join(words[first:last]), language)
                if len(together) == 1 < len(apart) and held(together[0]) > min(map(held, apart)):
                    found[together[0]] = apart
    return found


def _of_titles(said: Sequence[Numbered], attributes: Attributes) -> list[tuple[npt.NDArray[np.int64], Vector]]:
    """Return the units whose titles have the words with numbers that a question has, by which of them they have.

    What has some of them is left out where something has these and more: of "Q3 of FY20", all other quarters and years.
    """
    held: dict[int, set[int]] = {}
    for asked in said:
        for word, _, place in attributes.numbered.get(asked.number, ()):
            for unit in attributes.units[place].tolist() if word == asked.word else ():
                held.setdefault(unit, set()).add(place)
    alike: dict[frozenset[int], list[int]] = {}
    for unit in sorted(held):
        alike.setdefault(frozenset(held[unit]), []).append(unit)
    most = [units for places, units in alike.items() if not any(places < other for other in alike)]
    return [(np.array(units, dtype=np.int64), np.ones(len(units))) for units in most]


def _dated_in(days: Vector, period: Period) -> tuple[npt.NDArray[np.int64], Vector]:
    """Return the units of documents dated in a period or soon after it, and how well they fit."""
    first, last = period.first.toordinal(), period.last.toordinal()
    late = _LATE_FIT * 2.0 ** -(np.maximum(days - last, 0.0) / (last - first + _LATE_DAYS))
    fits = np.where(days <= last, 1.0, late)
    units = np.flatnonzero((days >= first) & (fits >= _LEAST_FIT))  # nan is neither
    return units, fits[units]


def _ages(days: Vector, now: date) -> Vector:
    """Return the age of every unit in days; what is not dated is as old as most."""
    ages = np.maximum(now.toordinal() - days, 0.0)
    return np.where(np.isnan(ages), np.nanmedian(ages), ages)

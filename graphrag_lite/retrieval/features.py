"""What ranking needs of a question: the scores of its terms, the entities, days and sources that it names."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property, partial
from itertools import combinations

import numpy as np
import numpy.typing as npt

from graphrag_lite.retrieval.bm25 import YEAR, Bm25
from graphrag_lite.retrieval.entity_names import NameTable, find_mentions, find_parts
from graphrag_lite.retrieval.held import Held
from graphrag_lite.retrieval.ranking import Features, Vector
from graphrag_lite.retrieval.replies import asks_for_reply
from graphrag_lite.retrieval.title_numbers import ByNumber
from graphrag_lite.text.language import closest
from graphrag_lite.text.numbered_titles import numbered
from graphrag_lite.text.periods import periods, without_newest
from graphrag_lite.text.times import Period, relative_dates
from graphrag_lite.text.words import ASKING, terms

# What a word that only asks counts, of 1: where people ask each other, "how many" finds other questions.
_ASKING = 0.5
# A document can be dated later than what it tells: what one fits that is dated after a period, of 1, at first, and days
# beside the period's own length in which that halves. Fits below the least are none.
_LATE_FIT, _LATE_DAYS, _LEAST_FIT = 0.25, 7, 0.05
# What the times that sentences state count, of 1, where documents have dates of their own: those say most.
_DATED = 0.15
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

    @cached_property
    def newest(self) -> date | None:
        """The newest day of a document, None where none is dated."""
        return None if np.isnan(self.days).all() else date.fromordinal(int(np.nanmax(self.days)))


def question_features(
    question: str,
    language: str,
    index: Bm25,
    table: NameTable,
    attributes: Attributes | None = None,
    as_of: date | None = None,
    terms_of: Callable[[str], list[str]] | None = None,
    question_terms: Sequence[str] | None = None,
) -> Features:
    """Return what `rank` needs of `question`, in `language` (ISO 639-1, "" when unknown).

    `terms_of` analyses a part of it as the units are that it is asked of: by default, they are in the same language.
    `question_terms` are those of the whole, where they are known.

    An ambiguous name stands for all its entities, the last word of a name for those it is of, less the more there are.
    The years of texts are searched from the first to the last year that the question says, whatever it says about them.
    Relative dates are told from `as_of`, else from the newest day. Newer counts more where the question has an `as_of`
    and names no period.

    >>> from graphrag_lite.retrieval.bm25 import build
    >>> from graphrag_lite.retrieval.entity_names import name_table
    >>> index = build([terms("Led Acme from 1998 to 2003", "en"), terms("Acme in 2011", "en")])
    >>> asked = question_features("Who led Acme from 2000 to 2005?", "en", index, name_table([("Acme", 7)]))
    >>> asked.entities, asked.in_name.nonzero()[0].tolist(), asked.dated_units.tolist()
    ({7: 1.0}, [2], [0])
    """
    terms_of = terms_of or partial(terms, language=language)
    mentions = find_mentions(question, language, table)
    parts = find_parts(question, language, table, mentions)
    entities = {entity: 1.0 / len(part.entities) for part in parts for entity in part.entities}
    entities |= {entity: 1.0 for m in mentions for entity in m.entities}
    distinct = list(dict.fromkeys(terms_of(question) if question_terms is None else question_terms))
    for together, apart in _written_together(question, language, index).items():
        if all(len(index.postings(together)[0]) > _ALWAYS * len(index.postings(term)[0]) for term in apart):
            distinct = [term for term in distinct if term not in apart]
        distinct += [together] if together not in distinct else []
    only_asks = {term for word in ASKING.intersection(question.casefold().split()) for term in terms_of(word)}
    term_scores = index.term_scores(distinct)
    weights = [_ASKING if term in only_asks else 1.0 for term in distinct]
    term_scores.data *= np.repeat(np.array(weights, dtype=np.float32), np.diff(term_scores.indptr))
    place = {term: i for i, term in enumerate(distinct)}
    names = []
    name_terms: set[str] = set()
    for mention in [*mentions, *parts]:
        own = terms_of(question[mention.start : mention.end])
        name_terms.update(own)
        names.append((mention.entities, np.array([place[term] for term in own if term in place], dtype=np.int64)))
    years = [int(term) for term in distinct if YEAR.fullmatch(term)]
    stated: list[tuple[npt.NDArray[np.int64], Vector]] = []
    ages = hidden = replies = held = None
    asked: list[Period] = []
    if attributes is not None:
        if attributes.replies is not None and not asks_for_reply(question, language):
            replies = attributes.replies
        named = {value: None for m in find_mentions(question, language, attributes.values) for value in m.entities}
        stated += [(attributes.units[value].astype(np.int64), np.ones(len(attributes.units[value]))) for value in named]
        stated += _of_titles(question, language, attributes)
        now = as_of or attributes.newest
        spoken = language or closest(question, list(relative_dates()))  # the texts may be too short to tell theirs
        asked = periods(question, now, spoken)
        if attributes.held is not None and asked:
            held = attributes.held.fits(asked) * (_DATED if attributes.newest else 1.0)
        if now is not None and attributes.newest is not None:
            if without_newest(question, spoken) != question:
                shown = attributes.days[attributes.days <= now.toordinal()]
                day = date.fromordinal(int(shown.max())) if len(shown) else now
                asked = [Period(day, day)]
            stated += [_dated_in(attributes.days, period) for period in asked]
            if not asked and as_of:
                ages = _ages(attributes.days, now)
            if as_of:
                hidden = attributes.days > as_of.toordinal()
    return Features(
        term_scores=term_scores,
        names=names,
        entities=entities,
        dated_units=index.units_with_years(min(years), max(years)) if years else index.units[:0],
        stated=stated,
        ages=ages,
        hidden=hidden,
        replies=replies,
        held=held,
        periods=asked,
        name_terms=frozenset(name_terms),
    )


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


def _of_titles(question: str, language: str, attributes: Attributes) -> list[tuple[npt.NDArray[np.int64], Vector]]:
    """Return the units whose titles have the words with numbers that the question has, by which of them they have.

    What has some of them is left out where something has these and more: of "Q3 of FY20", all other quarters and years.
    """
    held: dict[int, set[int]] = {}
    for said in numbered(question, language):
        for word, _, place in attributes.numbered.get(said.number, ()):
            for unit in attributes.units[place].tolist() if word == said.word else ():
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

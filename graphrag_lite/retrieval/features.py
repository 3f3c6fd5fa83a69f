"""What ranking needs of a question, and the scores of its terms."""

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from graphrag_lite.graph.sparse import Csr, Vector
from graphrag_lite.retrieval.bm25 import Bm25, idf
from graphrag_lite.retrieval.entity_names import as_one_word
from graphrag_lite.retrieval.top_k import best_rows
from graphrag_lite.retrieval.unit_attributes import Stated
from graphrag_lite.text.words import terms

# What a word that only asks counts, of 1: where people ask each other, "how many" finds other questions.
_ASKING = 0.5
# What a word that may tell a term counts, of the term. In a question of more terms than so many it counts where none of
# so many best units holds the term: there, other words of the question find its passage, and it finds others.
_OTHER, _FEW, _BEST = 0.5, 5, 3
_ALWAYS = 4  # times as many units have the one word as have any of its words: these mean something else
# Who writes FY2022 asks reports of 2022, which seldom write it.
_FISCAL = re.compile(r"fy(?:20)?(\d\d)")


@dataclass(frozen=True)
class Features:
    """What the index knows of a question's words (`Question.features`)."""

    term_scores: Csr  # (n_terms, n_units) BM25 score of each distinct term in each unit, by unit
    # What each name may mean, and the positions of its terms.
    names: Sequence[tuple[tuple[int, ...], npt.NDArray[np.int64]]]
    entities: Mapping[int, float]  # entities that the question names -> how sure that is, in (0, 1]
    dated_units: npt.NDArray[np.int32]  # units that say a year within the question's period; empty without years
    stated: Sequence[Stated] = ()  # units of each metadata value, number in titles and period that the question names
    ages: Vector | None = None  # (n_units,) days; None where newer units are no better
    order: Vector | None = None  # (n_units,) higher where it was said later; None where the newest is not first
    # (n_units,) an assistant says it; None where the question asks for that
    replies: npt.NDArray[np.bool_] | None = None
    # Units of logs of changes, which count half; None where the question may be about a change.
    logged: npt.NDArray[np.int64] | None = None
    heeded: npt.NDArray[np.int32] | None = None  # units in which a user says how an assistant is to answer
    name_terms: frozenset[str] = frozenset()  # of its names, as it writes them
    held: Vector | None = None  # (n_units,) how well what units say held in the periods asked about, in [0, 1]
    meant: Vector | None = None  # (n_units,) what units gain by vectors, where BM25's best has 1; None without vectors

    @property
    def in_name(self) -> npt.NDArray[np.bool_]:
        """Which terms belong to the name of an entity, shape (n_terms,)."""
        return self.terms_of(lambda _: True)

    def terms_of(self, is_meant: Callable[[int], bool]) -> npt.NDArray[np.bool_]:
        """Return which terms belong to a name that may mean such an entity, shape (n_terms,)."""
        found = np.zeros(self.term_scores.shape[0], dtype=np.bool_)
        for entities, positions in self.names:
            found[positions] |= any(map(is_meant, entities))
        return found


def distinct_terms(query_terms: Sequence[str], text: str, language: str, index: Bm25) -> list[str]:
    """Return the distinct terms of `query_terms`, with names in one word and years as the corpus writes them.

    >>> from graphrag_lite.retrieval.bm25 import build
    >>> index = build([["sale", "2022"]] * 5 + [["sale", "fy2022"]])
    >>> distinct_terms(["sale", "fy2022", "fy2021"], "Sales in FY2022 and FY2021?", "en", index)
    ['sale', 'fy2022', 'fy2021', '2022']
    """
    distinct = list(dict.fromkeys(query_terms))
    for term, apart in _written_together(text, language, index).items():
        if all(len(index.units_of(term)) > _ALWAYS * len(index.units_of(part)) for part in apart):
            distinct = [one for one in distinct if one not in apart]
        distinct += [term] if term not in distinct else []
    fiscal = {term: f"20{found[1]}" for term in distinct if (found := _FISCAL.fullmatch(term))}
    seldom = {year: _ALWAYS * len(index.units_of(term)) < len(index.units_of(year)) for term, year in fiscal.items()}
    return [*distinct, *(year for year in seldom if seldom[year] and year not in distinct)]


def scores_of_terms(index: Bm25, distinct: Sequence[str], only_asks: Set[str]) -> Csr:
    """Return the BM25 score of each term in each unit, (n_terms, n_units); a word that only asks counts less."""
    scores = index.term_scores(distinct)
    weights = [_ASKING if term in only_asks else 1.0 for term in distinct]
    return scores.with_data(scores.data * np.repeat(np.array(weights, dtype=np.float32), scores.sizes))


def widened(scores: Csr, distinct: Sequence[str], others: Mapping[str, Set[str]], index: Bm25) -> Csr:
    """Return the scores of terms, (n_terms, n_units), with those of units that may tell a term in `others`.

    A term has its best of all of these. One of them that is rarer than the term itself counts as it would.

    >>> from graphrag_lite.retrieval.bm25 import build
    >>> index = build([["delet", "mail"], ["throw", "ball"], ["mail"]])
    >>> scores = index.term_scores(["throw", "mail"])
    >>> wide = widened(scores, ["throw", "mail"], {"throw": {"delet", "ball"}}, index)
    >>> wide.row(0).tolist(), bool(wide.data[0] < wide.data[1]), wide.row(1).tolist()
    ([0, 1], True, [0, 2])
    """
    if others.keys().isdisjoint(distinct):
        return scores
    best = best_rows(scores.columns(np.ones(len(distinct))), _BEST) if len(distinct) > _FEW else ()
    rows = []
    for term, (start, end) in zip(distinct, pairwise(scores.indptr.tolist()), strict=True):
        parts = [(scores.indices[start:end], scores.data[start:end])]
        if not np.isin(best, parts[0][0]).any():
            most = idf(index.n_units, end - start)
            for other in sorted(others.get(term, frozenset()) - set(distinct)):
                units, values = index.postings(other)
                parts.append((units, values * (_OTHER * min(1.0, most / idf(index.n_units, len(units))))))
        rows.append(_best_of(parts))
    offsets = np.cumsum([0, *(len(units) for units, _ in rows)])
    units, values = (np.concatenate(column) for column in zip(*rows, strict=True))
    return Csr(offsets, units, values, scores.n_columns)


def _best_of(
    parts: Sequence[tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Return the units of all parts, ascending, each with its best value."""
    if len(parts) == 1:
        return parts[0]
    units, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(units, kind="stable")
    starts = np.flatnonzero(np.diff(units[order], prepend=-1))
    return units[order][starts], np.maximum.reduceat(values[order], starts)


def _written_together(question: str, language: str, index: Bm25) -> dict[str, list[str]]:
    """Return the terms of names that the question writes as several words and the corpus as one: Best Buy, BestBuy.

    More units must hold the one word than hold the rarest of its words: "redhat" in an address is not Red Hat's name.

    >>> from graphrag_lite.retrieval.bm25 import build
    >>> _written_together("Did Best Buy buy Ann Li?", "en", build([terms("BESTBUY 10K 2022", "en")]))
    {'bestbuy': ['best', 'buy']}
    """

    def held(term: str) -> int:
        return len(index.units_of(term))

    found = {}
    for as_one, as_written in as_one_word(question):
        together, apart = terms(as_one, language), terms(as_written, language)
        if len(together) == 1 < len(apart) and held(together[0]) > min(map(held, apart)):
            found[together[0]] = apart
    return found

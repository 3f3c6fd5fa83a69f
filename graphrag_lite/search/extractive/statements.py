"""Choose statements for a question about much of a corpus: what many documents may answer, each in its own words.

Other than in `sentence_choice`, nobody looks for one detail. So a sentence has to stand as a statement
(`text/transcripts.py`), what is said in several documents alike tells of none of them, and a word of the question that
few text units use weighs less: it is no theme of a corpus. That a word was said does not count against the next one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum, log1p, sqrt
from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite.evidence.distinct_sentences import says_the_same
from graphrag_lite.retrieval.bm25 import term_idf
from graphrag_lite.search.answer import Statement
from graphrag_lite.search.extractive.read_unit import MAX_LENGTH, read_out
from graphrag_lite.search.extractive.sentence_candidates import AROUND
from graphrag_lite.search.extractive.sentence_choice import choose_sentences
from graphrag_lite.text.sentences import sentences
from graphrag_lite.text.transcripts import is_talk, speakers, spoken_span, statement_form
from graphrag_lite.text.words import UNSPACED, terms

if TYPE_CHECKING:
    from graphrag_lite.graph.sparse import Vector
    from graphrag_lite.retrieval.bm25 import Bm25
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

LEAST = 0.25  # of the best sentence's value: what has less is left out
LEAST_SHARE = 0.5  # of the question's weight that a sentence holds, times sqrt(n terms), as in abstention.passage_fit
# Documents of which a text unit holds nearly all terms of a sentence that many terms make: a notice, or a greeting.
FORMULA_DOCUMENTS, FORMULA, MIN_FORMULA = 4, 0.9, 8


def choose_statements(
    index: "SnapshotView",
    query_terms: Iterable[str],
    units: Sequence[int],
    scores: Sequence[float],
    most: int,
    enough: float = LEAST,
) -> list[Statement]:
    """Return up to `most` statements of text units with these scores, best first, none of which says another's.

    What is worth less than `enough` of the best one is left out, if it holds no term that those before it do not. Where
    no sentence stands as one, as in a corpus of notes, they are chosen as for a detail.
    """
    weight = {term: idf for term, idf in term_idf(index.bm25, query_terms).items() if index.bm25.holds(term)}
    top = max(scores, default=0.0)
    found = [
        (value * score / top, statement, own)
        for unit, score in zip(units, scores, strict=True)
        for value, statement, own in _fitting(index, unit, weight)
    ]
    found.sort(key=lambda one: (-one[0], one[1].unit, one[1].start))
    chosen: list[Statement] = []
    known: list[frozenset[str]] = []
    left = set(weight)
    for value, statement, own in found:
        if len(chosen) == most or value < LEAST * found[0][0]:
            break
        if value < enough * found[0][0] and left.isdisjoint(own):
            continue
        if not says_the_same(own, known) and not is_repeated(index, own):
            known.append(own)
            chosen.append(statement)
            left -= own
    return chosen or choose_sentences(index, [*weight], units, most, scores=scores)


def _fitting(
    index: "SnapshotView", unit: int, weight: Mapping[str, float]
) -> Iterator[tuple[float, Statement, frozenset[str]]]:
    """Yield the statements of a text unit that fit: what each is worth, its place and its terms."""
    document, language = index.document_of(unit)
    offset, text = (index.cell("text_units", name, unit) for name in ("char_start", "text"))
    whole = fsum(weight.values())
    least = LEAST_SHARE * whole / sqrt(max(1, len(weight)))
    talk = speakers(document)
    before: frozenset[str] = frozenset()
    for span in sentences(text, language):
        start, end = spoken_span(document, offset + span[0], offset + span[1])
        own = frozenset(terms(document[start:end], language))
        if talk and is_talk(document[start:end]):
            continue
        held = fsum(weight[term] for term in own & weight.keys())
        if (
            held >= least > 0
            and end - start <= MAX_LENGTH
            and (worth := statement_form(document, start, end, language))
        ):
            around = AROUND * fsum(weight[term] for term in before - own)
            yield worth * (held + around) / whole, Statement(unit, start, end), own
        before = own & weight.keys()


def broad_weights(index: "Bm25", query_terms: Iterable[str]) -> dict[str, float]:
    """Return what the terms of a broad question weigh: their idf, times the logarithm of the text units that hold them.

    Where n-grams stand for words, the commonest are endings: these have their idf alone.
    """
    return {
        term: idf * (1.0 if UNSPACED.match(term) else log1p(len(index.units_of(term))))
        for term, idf in term_idf(index, query_terms).items()
        if len(index.units_of(term))
    }


def broad_match(index: "Bm25", query_terms: Iterable[str]) -> "Vector":
    """Return how well text units fit a broad question, (n_units,): BM25 with its weights, the best 1."""
    total = np.zeros(index.n_units)
    idf = term_idf(index, query_terms)
    for term, weight in broad_weights(index, query_terms).items():
        units, scores = index.postings(term)
        total[units] += scores * (weight / idf[term])
    top = total.max(initial=0.0)
    return total / top if top > 0 else total


def is_statement(index: "SnapshotView", statement: Statement, others: Iterable[Statement]) -> bool:
    """Say whether a place holds a statement of its own, that is none of the `others`' and no formula."""
    document, language = index.document_of(statement.unit)
    start, end = statement.start, statement.end
    own = frozenset(terms(document[start:end], language))
    if end - start > MAX_LENGTH or not statement_form(document, start, end, language) or is_repeated(index, own):
        return False
    return not says_the_same(own, (frozenset(terms(*read_out(index, other))) for other in others))


def is_repeated(index: "SnapshotView", own: frozenset[str]) -> bool:
    """Say whether text units of several documents hold nearly all the terms of a sentence."""
    if len(own) < MIN_FORMULA:
        return False
    held = np.zeros(index.bm25.n_units, np.int32)
    for term in own:
        held[index.bm25.units_of(term)] += 1
    units = np.flatnonzero(held >= FORMULA * len(own)).tolist()
    return len({index.document_row[unit] for unit in units}) >= FORMULA_DOCUMENTS

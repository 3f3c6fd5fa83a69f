"""Choose the sentences of some text units that answer a question best.

A sentence is worth how much of the question it and what stands around it hold, in a good text unit, more where it says
the kind of thing that is asked for. One after the other is chosen, and what has been said counts less for those after
it (maximal marginal relevance: Carbonell and Goldstein, SIGIR 1998; here by terms, as in Lin and Bilmes, ACL 2011).
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import replace
from functools import cache
from itertools import pairwise
from math import fsum, isnan
from types import MappingProxyType
from typing import TYPE_CHECKING

from graphrag_lite.evidence.distinct_sentences import cheapest_first, says_the_same
from graphrag_lite.retrieval.bm25 import term_idf
from graphrag_lite.retrieval.entity_names import names_of_title
from graphrag_lite.search.answer import Statement
from graphrag_lite.search.extractive.answer_type import Sought
from graphrag_lite.search.extractive.read_unit import read_out
from graphrag_lite.search.extractive.sentence_candidates import AROUND, SentenceCandidate, Wanted, candidates_in
from graphrag_lite.text.word_lists import expressions
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

MAX_ANSWER = 1500  # characters; of this length and a sentence an answer is read in a minute
ENOUGH = 0.07  # of the best sentence's value: what has less is left out
# Times that, where a sentence has only names in common with the question, in a corpus of so few text units: of a larger
# one what is read fits better, and the cut costs .7% of the answers of ten sets what was asked for.
SUPPORT, FEW = 5.0, 300
COVERED = 0.5  # what a term counts once it has been said
SAME_UNIT = 0.85  # what the next sentence of a text unit counts
# Times what a sentence is worth as the first one that tells of what begins where the period asked about does: who asks
# of 1921 to 1930 asks of what held then, and texts tell the beginning of that. Fitted, and tried on pages left out.
BEGUN = 2.0
LIGHT = 0.25  # what a term counts that says next to nothing: "get", "take"
QUANTIFIERS = frozenset({"many", "mani", "much"})  # terms that ask for a number, and count nothing
# Times what a sentence is worth whose document is about what the best sentence names, where it holds this share of what
# that one leaves open: when the director of a film was born is told by the text about her.
HOP, HOP_SHARE = 12.0, 0.35
# What repeats this share of "Why did it sink?" says that it sank; one of so many sentences behind it may say why.
REPEATED, REASON_WITHIN = 0.5, 2
REASON = re.compile(expressions(__package__, "sentence_choice.txt")["reason"], re.I)
NEAR = 0.8  # of the best sentence's value: where each document may tell anew, the newest of these is first
LEAST_NAME = 4  # characters of a name that leads to the document with this title
NOTHING_ELSE = Sought()


def _side_by_side(
    question_terms: Sequence[str], weight: Mapping[str, float], wanted_terms: Collection[str]
) -> dict[tuple[str, str], float]:
    """Return the pairs of terms that follow each other in a question, with their shares of the weight of all."""
    pairs = dict.fromkeys(pairwise(term for term in question_terms if term in wanted_terms))
    whole = sum(weight[one] + weight[other] for one, other in pairs)
    return {pair: (weight[pair[0]] + weight[pair[1]]) / whole for pair in pairs}


def choose_sentences(
    index: "SnapshotView",
    question_terms: Sequence[str],
    units: Sequence[int],
    most: int,
    previous: Sequence[Statement] = (),
    *,
    scores: Sequence[float] = (),
    sought: Sought = NOTHING_ELSE,
    held: Mapping[int, Mapping[int, tuple[float, bool]]] = MappingProxyType({}),
) -> list[Statement]:
    """Return up to `most` sentences of `units` (best first), best first, of MAX_ANSWER characters and one sentence.

    `scores` are those of the units (by default they fall with the rank), `sought` is what is asked for, `held` how well
    what begins at a character of a unit's document held in the periods asked about, and whether it began with them.
    What another chosen (or `previous`) sentence says is left out. None where neither a sentence nor a title shares a
    term with the question.
    """
    weight = {
        term: each * (LIGHT if term in sought.idle else 1.0)
        for term, each in term_idf(index.bm25, question_terms).items()
        if term not in QUANTIFIERS
    }
    whole = sum(weight.values())
    scores = scores or [(2.0 + rank) ** -0.5 for rank in range(len(units))]
    top = max(scores, default=0.0)
    wanted_terms = frozenset(
        term for term in weight if index.bm25.holds(term) or sought.may_be_paraphrased(term, index.bm25)
    )
    wanted = Wanted(wanted_terms, weight, _side_by_side(question_terms, weight, wanted_terms), sought)
    candidates = [
        candidate
        for unit, score in zip(units, scores, strict=True)
        for candidate in candidates_in(index, unit, score / top, wanted, held.get(unit, {}))
    ]
    if not any((candidate.terms | candidate.around) & wanted_terms for candidate in candidates):
        return []
    left = {term: weight[term] for term in wanted_terms}
    values = [candidate.value(left, whole) for candidate in candidates]
    begun = [value * (BEGUN if one.begins else 1.0) for value, one in zip(values, candidates, strict=True)]
    best = max(range(len(candidates)), key=begun.__getitem__)
    if candidates[best].begins:
        candidates[best] = replace(candidates[best], worth=candidates[best].worth * BEGUN)
    if sought.why:
        candidates = _reason_first(index, candidates, left, whole)
    candidates = _hopped(index, candidates, candidates[best], left)
    if sought.newest:
        candidates = _newest_first(index, candidates, [one.value(left, whole) for one in candidates], wanted_terms)
    previous_texts = [read_out(index, statement) for statement in previous]
    names = sought.names if index.bm25.n_units <= FEW else left.keys()
    return _one_by_one(candidates, left, whole, ENOUGH * values[best], most, previous_texts, names)


def _one_by_one(
    candidates: Sequence[SentenceCandidate],
    left: dict[str, float],
    whole: float,
    least: float,
    most: int,
    previous_texts: Sequence[tuple[str, str]],
    names: Set[str],
) -> list[Statement]:
    """Return up to `most` sentences, best first, none that says what `previous_texts` do.

    Each is worth `least` when it is chosen, and more where it has only `names` in common with the question and the
    best one says more. `left` of `whole` is what the terms of the question weigh, and is used up.
    """
    n_of_unit = Counter[int]()

    def cost(number: int) -> float:
        return -candidates[number].value(left, whole) * SAME_UNIT ** n_of_unit[candidates[number].statement.unit]

    full, other_terms = dict(left), left.keys() - names
    chosen: list[Statement] = []
    known = [frozenset(terms(text, language)) for text, language in previous_texts]
    length = sum(len(text) for text, _ in previous_texts)
    for number in cheapest_first(len(candidates), cost):
        candidate = candidates[number]
        if len(chosen) >= most or length >= MAX_ANSWER or cost(number) >= 0 or cost(number) > -least:
            break
        if says_the_same(candidate.terms, known):
            continue
        if not chosen:
            other_terms = other_terms if other_terms & candidate.terms else set()
        elif other_terms and other_terms.isdisjoint(candidate.terms) and candidate.value(full, whole) < SUPPORT * least:
            continue
        known.append(candidate.terms)
        chosen.append(candidate.statement)
        length += candidate.statement.end - candidate.statement.start
        n_of_unit[candidate.statement.unit] += 1
        left |= {term: left[term] * COVERED for term in candidate.terms & left.keys()}
        left |= {term: left[term] * COVERED**AROUND for term in candidate.around}
    return chosen


def _newest_first(
    index: "SnapshotView",
    candidates: Sequence[SentenceCandidate],
    values: Sequence[float],
    wanted_terms: frozenset[str],
) -> list[SentenceCandidate]:
    """Return candidates, the newest worth more of those that say what the best one does, and nearly as well."""
    best = max(range(len(values)), key=values.__getitem__)
    held = candidates[best].terms & wanted_terms
    near = [n for n, value in enumerate(values) if value >= NEAR * values[best] and candidates[n].terms >= held]
    days = {n: float(index.days[candidates[n].statement.unit]) for n in near}
    first = max((n for n in near if not isnan(days[n])), key=lambda n: (days[n], values[n]), default=best)
    return [replace(one, worth=one.worth / NEAR) if n == first else one for n, one in enumerate(candidates)]


def _reason_first(
    index: "SnapshotView", candidates: list[SentenceCandidate], left: Mapping[str, float], whole: float
) -> list[SentenceCandidate]:
    """Return candidates, the one worth most that gives a reason behind the best, where that repeats what is asked."""
    values = [candidate.value(left, whole) for candidate in candidates]
    at = max(range(len(values)), key=values.__getitem__)
    held = fsum(left[term] for term in (candidates[at].terms | candidates[at].around) & left.keys())
    if held < REPEATED * fsum(left.values()) or REASON.search(read_out(index, candidates[at].statement)[0]):
        return candidates
    for n, one in enumerate(candidates[at + 1 : at + 1 + REASON_WITHIN], start=at + 1):
        if (
            one.statement.unit == candidates[at].statement.unit
            and values[n]
            and REASON.search(read_out(index, one.statement)[0])
        ):
            worth = one.worth * max(1.0, values[at] / values[n] * 1.01)
            return [*candidates[:n], replace(one, worth=worth), *candidates[n + 1 :]]
    return candidates


def _hopped(
    index: "SnapshotView", candidates: list[SentenceCandidate], best: SentenceCandidate, weight: Mapping[str, float]
) -> list[SentenceCandidate]:
    """Return candidates, those worth more that say what the best one leaves open of what it leads to (`HOP`)."""
    left_open = {term: weight[term] for term in sorted(weight.keys() - best.terms - best.around)}
    least = HOP_SHARE * fsum(left_open.values())
    read, language = read_out(index, best.statement)
    own = index.document_row[best.statement.unit]

    @cache
    def leads_to(row: int) -> bool:
        names = names_of_title(index.cell("documents", "title", row)) if row != own else ()
        new = (name for name in names if len(name) >= LEAST_NAME and name in read)
        return any(not weight.keys() >= set(terms(name, language)) for name in new)

    return [
        replace(candidate, worth=candidate.worth * HOP)
        if leads_to(index.document_row[candidate.statement.unit])
        and fsum(left_open[term] for term in candidate.terms & left_open.keys()) > least
        else candidate
        for candidate in candidates
    ]

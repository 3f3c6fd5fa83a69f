"""The ranking policy of local search: text units by BM25, by the names in the question, and by the graph.

One formula for every kind of question. With every part scaled to BM25's highest score,

    score = bm25 + meaning * meant + naming * named + stating * stated + hop * defined + joining * joined
            + dating * dated + spreading * spread

- bm25 counts each term of the question once: long questions repeat what they ask less about. Words that only ask
  ("how", "which") count half: where people ask each other, they find other questions. So do those of sentences that
  say how to answer ("Round your answer."). The words of an assistant's replies count half, and so once more the reply
  by its words and names, unless the question asks for replies: they repeat what was asked, and hide the message that
  tells it. Words in which texts may tell a term otherwise count half of it, in a long question only where the best
  units do not hold the term. The words of a log of changes count half, too, unless the question may be about a change
  or most documents are such logs. A name that a unit's document is titled with counts there as in the unit that says it
  best: most of its page says "he" or "the club".
- meant: where the index has vectors, how far the unit's stands out by its cosine with the question's, weighed by what
  the corpus says such vectors are worth.
- named: the unit defines an entity that the question names (the entity is its document's title).
- stated: the unit's document has a metadata value that the question names (its source, author, ...), the name of a
  series in its title ("Boeing" of "BOEING 10K 2022"), or words with a number there ("FY20", "episode 3"), of these as
  many of the question's as any, or is dated in or soon after a period that it names. As with names, the best match of
  each gets all of its weight, which is an idf.
- defined: the unit defines an entity that one of the best units so far mentions and the question doesn't name, as in
  "Where was the director of the film X born?".
- joined: the unit mentions such an entity, and matches what the best unit leaves open of the question, as in "Which
  hotel is in the city where X was born?".
- dated: BM25 again, for units that say a year within the period that the question's years span.
- spread: personalised PageRank from the best BM25 units and the question's entities.

In a chat with an assistant, messages in which its user says what always to do when asked, and for a question that asks
for advice what is preferred, count double: they are heeded though they share few words with the question.

Then units are taken best first, and each discounts for those after it the names of the question that it holds: once
a film's own article is found, other pages that only repeat its title say little.

A question as of a day asks for the newest of what contradicts: scores fade with age by a power law, as the need for a
memory does (Anderson and Schooler 1991, "Reflections of the environment in memory"), and of the few best units one that
was said later goes before one said earlier that is hardly better and about the same. So it is, without fading, where
somebody asks a chat with an assistant for a value as it is now. Without dates nothing of this applies.

Nothing has to decide whether a question needs a hop. Where the best unit holds all of the question's terms nothing is
left to join, and where no unit defines the entities at hand (chats, news) BM25's order stays. The walk knows nothing of
the question's words, so it is only strong enough to order near ties.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from graphrag_lite.graph.pagerank import pagerank
from graphrag_lite.graph.sparse import Csr, Vector, rows_of
from graphrag_lite.retrieval.features import Features
from graphrag_lite.retrieval.links import Links
from graphrag_lite.retrieval.question import Question
from graphrag_lite.retrieval.top_k import best_rows

# A unit that shares no word with the question can still be where a hop leads: what it counts for, of 1.
_NO_WORD = 0.05
# A newer unit goes before an older one that it is nearly as good as, and that is about the same thing: this share of
# its score, and of what it matches.
_NEAR, _SAME = 0.6, 0.5


@dataclass(frozen=True)
class Policy:
    """Weights of the parts of the score, and from how many of the best units the graph is entered."""

    meaning: float = 1.0
    naming: float = 1.0
    throughout: float = 1.0
    stating: float = 1.5
    hop: float = 1.0
    hop_seeds: int = 5
    joining: float = 1.5
    join_seeds: int = 3
    dating: float = 0.5
    holding: float = 1.0
    spreading: float = 0.2
    spread_seeds: int = 2
    seed_mass_on_units: float = 0.7
    restart: float = 0.35
    iterations: int = 6
    discount: float = 0.3
    discount_depth: int = 10
    fading: float = 0.1
    newest_depth: int = 3
    replying: float = 0.5
    logging: float = 0.5
    heeding: float = 2.0


def text_unit_scores(question: Question) -> Vector:
    """Return the score of every text unit for a question, shape (n_units,)."""
    return rank(replace(question.features, logged=question.logged), question.index.links, Policy())


def rank(question: Features, links: Links, policy: Policy) -> Vector:
    """Return the score of every unit, shape (n_units,); `best_rows` puts them in order.

    >>> from graphrag_lite.graph.sparse import from_dense
    >>> from graphrag_lite.retrieval.links import link_mentions
    >>> mentions = np.array([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]])  # unit 0 is about entity 0 and names entity 1
    >>> definitions = from_dense([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    >>> links = link_mentions(from_dense(mentions), definitions, from_dense(mentions.T))
    >>> question = Features(from_dense([[3.0, 0.0, 1.0]]), [((0,), np.array([0]))], {0: 1.0}, np.empty(0, np.int32))
    >>> best_rows(rank(question, links, Policy()), 3).tolist()
    [0, 1, 2]
    """
    share: Vector = np.ones(question.term_scores.n_columns)  # of what a unit would be worth
    if question.replies is not None:
        share[question.replies] = policy.replying
    if question.logged is not None:
        share[question.logged] = policy.logging
    term_scores = _named_throughout(question, links, policy.throughout)
    term_scores = term_scores.with_data(term_scores.data * share[term_scores.indices])
    bm25 = term_scores.columns(np.ones(term_scores.shape[0]))
    top = bm25.max(initial=0.0) or 1.0
    bm25 /= top
    term_scores = term_scores.with_data(term_scores.data / top)
    base = share * (bm25 + policy.naming * _named(bm25, links, question.entities))
    if question.meant is not None:
        base += share * policy.meaning * question.meant
    entry = base / (base.max(initial=0.0) or 1.0)
    scores = (
        base
        + policy.stating * _stated(bm25, question.stated)
        + policy.hop * _defined(entry, bm25, links, question.entities, policy.hop_seeds)
        + policy.joining * _joined(entry, term_scores, links, question.entities, policy.join_seeds)
        + policy.spreading * _spread(bm25, links, question.entities, policy)
    )
    scores[question.dated_units] += policy.dating * bm25[question.dated_units]
    if question.held is not None:
        scores += policy.holding * question.held * bm25
    if question.ages is not None:
        scores *= (1.0 + question.ages) ** -policy.fading
    if question.heeded is not None:
        scores[question.heeded] *= policy.heeding
    titled = question.terms_of(lambda entity: len(links.definitions.row(entity)) > 0)
    rates = policy.discount * np.maximum(titled, links.about * question.in_name)
    taken = _discounted(scores, term_scores, rates, policy.discount_depth)
    if question.order is not None:
        taken = _newest_first(taken, term_scores, question.order, policy.newest_depth)
    return taken


def _named_throughout(question: Features, links: Links, share: float) -> Csr:
    """Return the scores of terms, (n_terms, n_units), a name's nearer to their best where it may be what is defined.

    `share` is how much of the way, of 1.
    """
    scores, data = question.term_scores, question.term_scores.data.copy()
    for entities, term_rows in question.names:
        defining = [links.definitions.row(entity) for entity in entities]
        for row in term_rows.tolist() if any(map(len, defining)) else ():
            held, values = scores.row(row), data[slice(*scores.indptr[row : row + 2].tolist())]
            for units in defining:
                at = np.searchsorted(held, units)
                own = at[np.isin(units, held)]
                values[own] += share * (values.max(initial=0.0) - values[own])
    return scores.with_data(data)


def _named(bm25: Vector, links: Links, question_entities: Mapping[int, float]) -> Vector:
    """Score the units that define what the question names; of several for one entity, the best gets all its weight."""
    scores = np.zeros_like(bm25)
    for entity, weight in question_entities.items():
        units = links.definitions.row(entity)
        if len(units):
            fit = bm25[units] + _NO_WORD
            scores[units] = np.maximum(scores[units], weight * fit / fit.max())
    return scores


def _stated(bm25: Vector, stated: Sequence[tuple[npt.NDArray[np.int64], Vector]]) -> Vector:
    """Score the units that have what the question states; of each value or period, the best has its full weight."""
    scores = np.zeros_like(bm25)
    for units, fits in stated:
        if len(units):
            weight = np.log((len(bm25) + 1) / max(1.0, fits.sum())) / np.log(len(bm25) + 1)
            fit = fits * (bm25[units] + _NO_WORD)
            scores[units] = np.maximum(scores[units], weight * fit / fit.max())
    return scores


def _defined(entry: Vector, bm25: Vector, links: Links, question_entities: Collection[int], n_seeds: int) -> Vector:
    """Score the units that define what the best units by `entry` mention.

    A seed with n such entities gives each of them its own score / sqrt(n); units that define the same entity share
    it by their BM25 score. A unit keeps the best path to it: paths that add up would favour hubs.
    """
    scores = np.zeros_like(bm25)
    for seed in best_rows(entry, n_seeds).tolist():
        targets = [
            units
            for entity in links.entities.row(seed).tolist()
            if entity not in question_entities and len(units := links.definitions.row(entity)) and seed not in units
        ]
        for units in targets:
            fit = bm25[units] + _NO_WORD
            scores[units] = np.maximum(scores[units], entry[seed] / np.sqrt(len(targets)) * fit / fit.sum())
    return scores


def _joined(entry: Vector, term_scores: Csr, links: Links, question_entities: Collection[int], n_seeds: int) -> Vector:
    """Score the units that share an entity with one of the best units by `entry`, by the terms that are not in it.

    Of several shared entities the rarest counts; hubs and the question's own entities join nothing.
    """
    scores = np.zeros_like(entry)
    for seed in best_rows(entry, n_seeds).tolist():
        open_terms = np.where(_positions(term_scores, seed) >= 0, 0.0, 1.0)
        shared = np.zeros_like(entry)
        for entity in links.entities.row(seed).tolist():
            if entity not in question_entities and links.rarity[entity] > 0:
                units = links.units.row(entity)
                shared[units] = np.maximum(shared[units], links.rarity[entity])
        shared[seed] = 0.0
        reached = np.flatnonzero(shared > 0)
        if open_terms.any() and len(reached):
            matched = term_scores.columns(open_terms)[reached]
            scores[reached] = np.maximum(scores[reached], entry[seed] * shared[reached] * matched)
    return scores


def _spread(bm25: Vector, links: Links, question_entities: Mapping[int, float], policy: Policy) -> Vector:
    """Score the units by PageRank, scaled so that the best that is not a seed has 1, and cut at 1."""
    seeds = best_rows(bm25, policy.spread_seeds)
    unit_seeds, entity_seeds = np.zeros_like(bm25), np.zeros(links.entities.n_columns)
    unit_seeds[seeds] = (bm25[seeds] > 0) / np.arange(1, len(seeds) + 1)
    unit_seeds *= policy.seed_mass_on_units / max(unit_seeds.sum(), 1e-9)
    for entity, weight in question_entities.items():
        entity_seeds[entity] = weight / np.sqrt(max(1, len(links.units.row(entity))))
    entity_seeds *= (1 - policy.seed_mass_on_units) / max(entity_seeds.sum(), 1e-9)
    if not (unit_seeds.any() or entity_seeds.any()):
        return unit_seeds
    spread, _ = pagerank(links.steps, unit_seeds, entity_seeds, policy.restart, policy.iterations)
    own = spread[seeds]
    spread[seeds] = 0.0
    limit = spread.max(initial=0.0)
    if not limit > 0:
        return spread
    spread[seeds] = own
    spread /= limit
    return np.minimum(spread, 1.0, out=spread)


def _discounted(scores: Vector, term_scores: Csr, rates: Vector, depth: int) -> Vector:
    """Take the best units one after the other; each takes part of its names' weight from all that come after it.

    A term loses its rate (n_terms,) of its weight to a unit that holds it best, less to one that holds it worse. The
    result orders the units as they were taken: nothing gains, so none that is left can pass one that was taken.
    """
    term_rows = np.flatnonzero(rates)
    names = rows_of(term_scores, term_rows)
    if not len(names.data):
        return scores
    highest = np.array([names.data[start:end].max(initial=0.0) for start, end in pairwise(names.indptr.tolist())])
    weights = np.ones(len(term_rows))
    left = scores.copy()
    taken: dict[int, float] = {}
    for _ in range(min(depth, len(scores))):
        unit = int(np.argmax(left))
        taken[unit], left[unit] = left[unit], -np.inf
        held = _values(names, unit) / np.maximum(highest, 1e-9)
        if held.any():
            lost = rates[term_rows] * held * weights
            weights -= lost
            left -= names.columns(lost)
    left[list(taken)] = list(taken.values())
    return left


def _newest_first(scores: Vector, term_scores: Csr, recency: Vector, depth: int) -> Vector:
    """Put each of the `depth` best units before the best older one that it supersedes; the others stay."""
    chosen = best_rows(scores, depth).tolist()
    held = np.array([_values(term_scores, unit) for unit in chosen]).reshape(len(chosen), term_scores.shape[0])
    chosen_recency, values = recency[chosen], scores[chosen]
    order: list[int] = []  # positions in `chosen`
    for new, unit in enumerate(chosen):
        common = np.minimum(held[new], held[order]).sum(axis=1)
        same = (common > 0) & (common >= _SAME * held[order].sum(axis=1))
        superseded = same & (chosen_recency[order] < recency[unit]) & (scores[unit] >= _NEAR * values[order])
        order.insert(int(np.argmax(superseded)) if superseded.any() else len(order), new)
    ordered = scores.copy()
    ordered[np.array(chosen, dtype=np.int64)[order]] = values
    return ordered


def _positions(term_scores: Csr, unit: int) -> npt.NDArray[np.int64]:
    """Return where a unit's score of each term is stored, -1 where there is none; units ascend within a term."""
    units = term_scores.indices
    found = np.full(term_scores.shape[0], -1)
    for term, (start, end) in enumerate(pairwise(term_scores.indptr.tolist())):
        position = start + int(np.searchsorted(units[start:end], unit))
        if position < end and units[position] == unit:
            found[term] = position
    return found


def _values(term_scores: Csr, unit: int) -> Vector:
    """Return a unit's score of each term, shape (n_terms,)."""
    positions = _positions(term_scores, unit)
    values = np.zeros(len(positions))
    values[positions >= 0] = term_scores.data[positions[positions >= 0]]
    return values

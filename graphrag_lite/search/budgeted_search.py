"""Global search within a budget of relevance tests: what it asks is paid by the question, not by the index.

After LazyGraphRAG (Microsoft Research, November 2024): text units are tested by a reply of one token each, those of the
most promising communities first; what is relevant is mapped to points and reduced to the answer, as reports are.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag_lite.errors import CallError, ReplyError
from graphrag_lite.retrieval.abstention import says_nothing
from graphrag_lite.retrieval.bm25 import term_idf
from graphrag_lite.retrieval.report_ranking import rank_reports, scale_to_one, topic_terms
from graphrag_lite.search.answer import Answer, Ranking, answered, compose, ranked
from graphrag_lite.search.community_answers import fitting_sentences
from graphrag_lite.search.community_walk import CommunitySearch, community_tree
from graphrag_lite.search.extractive.statements import broad_match

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView
    from graphrag_lite.search.methods import Query
    from graphrag_lite.search.model_query import Asking

RELEVANT = 0.5  # of the best BM25 score: from there a text unit is relevant where no model is asked
BY_REPORTS = 0.01  # weight of the reports that cite a text unit: they order those without a word of the question


def answer_within(index: "SnapshotView", query: "Query", budget: int) -> Answer | None:
    """Answer with sentences of the relevant text units; those are that hold most of what the question asks about.

    None for a question about the corpus itself, which holds nothing to test by: reports answer it.
    """
    question = query.read_by(index)
    found = _begin(question, budget)
    if not found.query_terms:
        return None
    match = scale_to_one(index.bm25.scores(found.query_terms))
    while units := found.walk.next_units():
        found.walk.learn([bool(match[unit] >= RELEVANT) for unit in units])
    ranking = found.ranking(index, query.top_k)
    if query.retrieve_only:
        return answered(question, "global", ranking, answer="", citations=[])
    nothing = says_nothing(question, term_idf(index.bm25, found.query_terms))
    if nothing:
        return compose(question, "global", [], ranking)
    statements = fitting_sentences(
        question, found.query_terms, list(found.groups().items()), broad_match(index.bm25, found.query_terms)
    )
    return compose(question, "global", statements, ranking, unsure=nothing is None)


async def ask_within(index: "SnapshotView", query: "Query", budget: int, asking: "Asking") -> Answer:
    """Answer by a model from the text units that it calls relevant: `budget` tests at most, then map and reduce.

    Raises CallError where every test, or every map call, has failed; one that fails while others do not is recorded,
    and its text unit left out.
    """
    from graphrag_lite.prompts import MapPassagesPrompt, RatePassagePrompt
    from graphrag_lite.search.context_records import TokenEstimate, text_unit_records
    from graphrag_lite.search.map_reduce import answer_of_points, map_reports
    from graphrag_lite.search.reports import batch_records, cut_to_budget, without_marks

    question = query.read_by(index)
    count, most = TokenEstimate.of(index), index.search_settings.max_context_tokens
    n_tested = n_failed = 0

    async def test(unit: int) -> bool:
        nonlocal n_failed
        try:
            (passage,) = text_unit_records(index, [unit])
            return await asking.yes(
                RatePassagePrompt(without_marks(cut_to_budget(passage, most, count)), question.text)
            )
        except (CallError, ReplyError) as error:
            identity = index.cell("text_units", "id", unit)
            asking.failed(f"test of text unit {identity}", error)
            n_failed += 1
            return False

    found = _begin(question, budget)
    while units := found.walk.next_units():
        n_tested += len(units)
        found.walk.learn(await asking.map(test, units))
    if n_failed and n_failed == n_tested:
        what, error, _ = asking.model.failures[-1]
        raise CallError(f"No text unit could be tested. {what}: {error}")
    relevant = [unit for units in found.groups().values() for unit in units]
    parts = batch_records(text_unit_records(index, relevant), most, count)
    points, n_dropped = await map_reports(
        parts, lambda records: MapPassagesPrompt(records, question.text), asking, "passage"
    )
    return await answer_of_points(question, "global", found.ranking(index, query.top_k), points, n_dropped, asking)


@dataclass(frozen=True, slots=True)
class Begun:
    """A question's search: what it asks about, and the walk over the communities."""

    query_terms: list[str]
    walk: CommunitySearch

    def ranking(self, index: "SnapshotView", top_k: int) -> Ranking:
        """Rank what is relevant first, then the rest, both by score."""
        scores = self.walk.scores.copy()
        scores[self.walk.relevant] += 1 + scores.max(initial=0.0)
        return ranked(scores, index.document_row, top_k)

    def groups(self) -> dict[int, list[int]]:
        """Return the relevant text units by their community of the top level, best first, the best one's first."""
        relevant = set(self.walk.relevant)
        own = {root: [u for u in self.walk.tree.units.get(root, ()) if u in relevant] for root in self.walk.tree.roots}
        roots = [root for root, units in own.items() if units]
        return {root: own[root] for root in sorted(roots, key=lambda root: (-self.walk.scores[own[root][0]], root))}


def _begin(question: "Question", budget: int) -> Begun:
    index = question.index
    rows = index.report_rows
    query_terms = topic_terms(question)
    by_reports = rank_reports(index, query_terms, rows, range(len(rows))).unit_scores
    scores = scale_to_one(index.bm25.scores(query_terms)) + BY_REPORTS * by_reports
    return Begun(query_terms, CommunitySearch(community_tree(index, scores), scores, budget))

"""DRIFT search: an overview from the best reports, then follow-up questions, each answered by a local search.

After Microsoft's DRIFT ("Introducing DRIFT Search", October 2024): primer, rounds of follow-ups, reduce. A question
costs at most 2 + `drift_depth` * `drift_follow_ups` calls, and as many again for replies that cannot be used at first.
The follow-ups of a round share the context of one answer: each asks for less, and a round costs one local search.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite.errors import CallError, ReplyError
from graphrag_lite.replies.json_reply import TEXT, object_schema, read_object
from graphrag_lite.retrieval.abstention import says_nothing
from graphrag_lite.retrieval.bm25 import term_idf
from graphrag_lite.retrieval.question import Question
from graphrag_lite.retrieval.ranking import text_unit_scores
from graphrag_lite.retrieval.report_ranking import rank_reports, scale_to_one, topic_terms
from graphrag_lite.retrieval.top_k import best_rows
from graphrag_lite.search.answer import Answer, answered, compose, ranked
from graphrag_lite.search.extractive.reading_order import in_reading_order
from graphrag_lite.search.extractive.statements import choose_statements
from graphrag_lite.search.overview import overview

if TYPE_CHECKING:
    from graphrag_lite.evidence.records import Record, Shown
    from graphrag_lite.graph.sparse import Vector
    from graphrag_lite.retrieval.snapshot_view import SnapshotView
    from graphrag_lite.search.methods import Query
    from graphrag_lite.search.model_query import Asking, Point

FOLLOWED = 0.5  # of the question's own score: what a text unit counts for that fits a follow-up or a lead
READ_UNITS = 24  # best text units that the sentences of an answer without a model are chosen from
MAX_LENGTH = 300  # characters of a follow-up: it is asked again as a question
SCHEMA = object_schema(answer=TEXT, score={"type": "integer"}, follow_ups={"type": "array", "items": TEXT})


@dataclass(frozen=True, slots=True)
class Found:
    """What a call found, and asks next, the most useful first."""

    point: "Point"
    follow_ups: tuple[str, ...]


def answer(index: "SnapshotView", query: "Query") -> Answer:
    """Answer with the sentences that fit the question best, in the texts that it and its leads find.

    Without a model nobody asks follow-ups. A lead stands for one: an entity of the best texts that the question does
    not name and that the best reports are about. It is looked up together with the question.
    """
    from graphrag_lite.run.sync import run_coroutine

    question = query.read_by(index)
    scores = text_unit_scores(question)
    titles = index.column("entities", "title")
    total = scale_to_one(scores)
    leads = [f"{question.text} {titles[lead].as_py()}" for lead in _leads(question, scores)]
    for lead in run_coroutine(_read(question, leads)):
        total = np.maximum(total, FOLLOWED * scale_to_one(text_unit_scores(lead)))
    ranking = ranked(total, index.document_row, query.top_k)
    if query.retrieve_only:
        return answered(question, "drift", ranking, answer="", citations=[])
    query_terms = topic_terms(question)
    if not query_terms:
        return overview(question, "drift", ranking)
    nothing = says_nothing(question, term_idf(index.bm25, query_terms))
    if nothing:
        return compose(question, "drift", [], ranking)
    read = [unit for unit in best_rows(total, READ_UNITS).tolist() if total[unit] > 0]
    chosen = choose_statements(index, query_terms, read, total[read].tolist(), 2 * index.search_settings.max_sentences)
    return compose(question, "drift", in_reading_order(index, chosen), ranking, unsure=nothing is None)


async def ask(index: "SnapshotView", query: "Query", asking: "Asking") -> Answer:
    """Answer by a model: a primer from the best reports, rounds of follow-ups, an answer from what all of them found.

    Where the primer raises no follow-up, the question itself is looked up. Raises CallError where every call has
    failed; one that fails while others do not is recorded.
    """
    from graphrag_lite.evidence.records import Shown
    from graphrag_lite.prompts import DriftFollowUpPrompt, DriftPrimerPrompt
    from graphrag_lite.search.context_records import RecordSection, TokenEstimate, render
    from graphrag_lite.search.local_context import local_sections
    from graphrag_lite.search.map_reduce import answer_of_points
    from graphrag_lite.search.reports import report_record

    question = query.read_by(index)
    search, count = index.search_settings, TokenEstimate.of(index)
    gathered = Gathered(index, seen={_key(question)})
    n_calls = 0

    async def call(what: str, prompt: object) -> Found | None:
        nonlocal n_calls
        n_calls += 1
        try:
            return await asking.ask(prompt, read_found, SCHEMA)
        except (CallError, ReplyError) as error:
            asking.failed(what, error)
            return None

    async def follow(follow_up: Question) -> tuple[Found | None, Shown, "Vector"]:
        shown = Shown()
        fits = text_unit_scores(follow_up)
        sections = local_sections(follow_up, query, fits)
        records = render(sections, search.max_context_tokens // search.drift_follow_ups, count, shown)
        prompt = DriftFollowUpPrompt(n_next, records, follow_up.text, question.text)
        return await call(f"follow-up {follow_up.text!r}", prompt), shown, scale_to_one(fits)

    if reports := [report_record(index, i) for i in _best_reports(question)]:
        shown = Shown()
        records = render([RecordSection("Reports", 1.0, reports)], search.max_context_tokens, count, shown)
        gathered.add(
            "", await call("primer", DriftPrimerPrompt(search.drift_follow_ups, records, question.text)), shown
        )
    gathered.waiting = gathered.waiting or [(0.0, question.text)]
    scores = scale_to_one(text_unit_scores(question))
    for n_left in reversed(range(search.drift_depth)):
        n_next = search.drift_follow_ups if n_left else 0
        taken = gathered.take(search.drift_follow_ups)
        chosen = await _read(question, [follow_up for _, follow_up in taken])
        for follow_up, (found, shown, fits) in zip(chosen, await asking.map(follow, chosen), strict=True):
            gathered.add(follow_up.text, found, shown)
            scores = np.maximum(scores, FOLLOWED * fits)
    if len(asking.model.failures) == n_calls:
        what, error, _ = asking.model.failures[-1]
        raise CallError(f"No question could be answered. {what}: {error}")
    ranking = ranked(scores, index.document_row, query.top_k)
    points = [record for _, record in sorted(gathered.points, key=lambda point: -point[0])]
    return await answer_of_points(question, "drift", ranking, points, gathered.n_dropped, asking)


@dataclass
class Gathered:
    """What a DRIFT search has found, and what it has still to ask."""

    index: "SnapshotView"
    seen: set[tuple[str, ...]]
    points: list[tuple[float, "Record"]] = field(default_factory=list)
    waiting: list[tuple[float, str]] = field(default_factory=list)  # with the score of the answer that raised it
    n_dropped: int = 0

    def add(self, follow_up: str, found: Found | None, shown: "Shown") -> None:
        """Keep what was found to `follow_up` (empty: the question itself), and its follow-ups that are new."""
        from graphrag_lite.search.map_reduce import point_record

        if found is None:
            return
        record, n_dropped = point_record(follow_up, found.point, shown)
        self.n_dropped += n_dropped
        if found.point.score > 0 and found.point.description:
            self.points.append((found.point.score, record))
        for question in found.follow_ups[: self.index.search_settings.drift_follow_ups]:
            if (key := _key(Question(self.index, question))) not in self.seen:
                self.seen.add(key)
                self.waiting.append((found.point.score, question))

    def take(self, n: int) -> list[tuple[float, str]]:
        """Return the next follow-ups: raised by the answers with the highest scores, ties in the order they came."""
        self.waiting.sort(key=lambda scored: -scored[0])
        taken, self.waiting = self.waiting[:n], self.waiting[n:]
        return taken


def read_found(reply: str) -> Found:
    """Read the reply of a primer or a follow-up. Raises ReplyError.

    >>> read_found('{"answer": "A [7].", "score": "90%", "follow_ups": ["Who is  B?", ""]}')
    Found(point=Point(description='A [7].', score=90.0), follow_ups=('Who is B?',))
    """
    from graphrag_lite.search.model_query import read_point

    row = read_object(reply)
    follow_ups = row.get("follow_ups") or []
    if not isinstance(follow_ups, list) or not all(isinstance(follow_up, str) for follow_up in follow_ups):
        raise ReplyError("its `follow_ups` are not a list of questions")
    questions = (" ".join(follow_up.split())[:MAX_LENGTH] for follow_up in follow_ups)
    return Found(read_point(row, "answer"), tuple(follow_up for follow_up in questions if follow_up))


async def _read(question: Question, others: Sequence[str]) -> list[Question]:
    """Return other questions as the index reads them, with vectors where the first one has one.

    Otherwise there is no model for them, or it has just failed.
    """
    vectors = [None] * len(others) if question.vector is None else await question.index.embed(others)
    return [Question(question.index, text, vector=vector) for text, vector in zip(others, vectors, strict=True)]


def _best_reports(question: Question) -> list[int]:
    """Return the reports that fit the question best, of all levels."""
    index = question.index
    rows = index.report_rows
    query_terms = topic_terms(question)
    return rank_reports(index, query_terms, rows, range(len(rows))).order[: index.search_settings.max_reports]


def _leads(question: Question, scores: "Vector") -> list[int]:
    """Return leads as rows of `entities`, no more than `drift_follow_ups`."""
    from graphrag_lite.search.local_context import meant_entities

    index = question.index
    members = index.column("communities", "entity_ids")
    row = {number: i for i, number in enumerate(index.column("communities", "community").to_pylist())}
    reports, identities = index.column("community_reports", "community"), index.column("entities", "id")
    reported = {identity for i in _best_reports(question) for identity in members[row[reports[i].as_py()]].as_py()}
    meant = [entity for entity in meant_entities(question, scores) if entity not in question.features.entities]
    return [entity for entity in meant if identities[entity].as_py() in reported][
        : index.search_settings.drift_follow_ups
    ]


def _key(question: Question) -> tuple[str, ...]:
    """Return what two questions share that ask the same in other forms of its words."""
    return tuple(sorted(set(question.terms))) or (question.text.casefold(),)

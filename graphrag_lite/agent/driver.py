"""The agent without a model: what to look at next is decided by rule, and every look is one of the tools.

The question, then each of the events or things that it names, then what the best passages lead to: names that the
question does not say, the spell before of a fact, days where a time is asked for. It stops when two pages bring
nothing new that fits. A question in the first person is about one person, and documents may say whose they are.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from graphrag_lite.agent.index_tools import LEAST_WORTH
from graphrag_lite.agent.requests import MAX_QUERY
from graphrag_lite.agent.session import Session
from graphrag_lite.agent.tools import Trail
from graphrag_lite.retrieval.question import Question
from graphrag_lite.retrieval.top_k import best_rows
from graphrag_lite.search.extractive.comparison import compared_things

Floats = npt.NDArray[np.float64]

# What the best passage of a look counts, beside the best one of the whole question: docs/log.md has what was measured.
EVENT, LEAD, OWN, DAY = 0.6, 0.3, 0.3, 0.1
FOUND = 3  # best passages that leads are taken from
MAX_NAMES, MAX_DAYS = 2, 2  # that are followed: each takes as long as the question itself
BARREN = 2  # pages with nothing new that fits, after which it stops
FIRST_PERSON = {
    "en": r"I|I'm|I've|my|me|mine",
    "de": r"ich|mich|mir|mein\w*",
    "fr": r"je|j'\w+|moi|mon|ma|mes",
    "es": r"yo|mí|mi|mis|me",
}  # words of the first person, by language
READ = 10  # best text units whose documents tell whose they are
MOST_SHARE = 0.1  # of the text units: what more of them share tells nobody from the others


def own_passages(question: Question, scores: Floats) -> Floats:
    """Return how likely text units are of whoever asks a question in the first person, shape (n_units,).

    The likeliest asker's have 1; all have 0 where a question is not in the first person. It is told by the text in
    metadata that the best text units have and few others.
    """
    index = question.index
    own: Floats = np.zeros(len(scores))
    words = FIRST_PERSON.get(question.language or "en")
    if not words or not re.search(rf"(?<!\w)(?:{words})(?!\w)", question.text.replace("’", "'")):
        return own
    metadata = index.column("documents", "metadata")
    votes: dict[str, float] = defaultdict(float)
    units = [unit for unit in best_rows(scores, READ).tolist() if scores[unit] > 0]
    for rank, unit in enumerate(units, start=1):
        for name, value in json.loads(metadata[index.document_row[unit]].as_py() or "{}").items():
            if isinstance(value, str):  # a number counts or measures
                votes[json.dumps({name: value}, ensure_ascii=False)[1:-1]] += float(scores[unit]) ** 2 / rank
    rows = np.asarray(index.document_row)
    for stated, given in votes.items():
        of_documents = pc.match_substring(metadata, stated).combine_chunks().to_numpy(zero_copy_only=False)
        held = of_documents.astype(np.bool_)[rows]
        if held.mean() <= MOST_SHARE:
            own = np.maximum(own, given * log(len(held) / held.sum()) * held)
    own /= max(own.max(initial=0.0), 1e-9)
    return own


@dataclass(frozen=True, slots=True)
class Lead:
    """What to look at next: a tool with its arguments, and what its best passage counts."""

    tool: str
    arguments: dict[str, Any]
    weight: float


def drive(question: Question, trail: Trail) -> Floats:
    """Look, and return the scores of text units, shape (n_units,)."""
    session = trail.session
    whole = session.scores(question)
    scores = whole
    seen: set[int] = set()
    n_barren = 0
    for lead in _leads(session, question):
        records = trail.look(lead.tool, **lead.arguments)
        if records is None:
            break
        units = _units(session, records)
        fits = {unit for unit in units if whole[unit] > LEAST_WORTH * whole.max(initial=0.0)}
        n_barren = 0 if fits - seen else n_barren + 1
        seen |= fits
        if lead.weight:
            scores = np.maximum(scores, whole + lead.weight * whole.max(initial=0.0) * _gain(session, lead, units))
        if n_barren == BARREN:
            break
    own = own_passages(question, scores)  # those without a word of the question, too: who asks may call it otherwise
    gained: Floats = scores + OWN * scores.max(initial=0.0) * own
    return gained


def _leads(session: Session, question: Question) -> Iterator[Lead]:
    """Yield what to look at: the question, what it names, then what the passages that fit it lead to."""
    yield Lead("search_passages", {"query": question.text[:MAX_QUERY]}, 0.0)
    for part in question_parts(question):
        yield Lead("search_passages", {"query": part[:MAX_QUERY]}, EVENT)
    found = [unit for unit in best_rows(session.scores(question), FOUND).tolist() if session.scores(question)[unit] > 0]
    for name in _names(question, found):
        yield Lead("search_passages", {"query": f"{name} {question.text}"[:MAX_QUERY]}, LEAD)
    for unit in _before(question, found):
        yield Lead("read_source", {"id": unit}, LEAD)
    for day in _days(question, found):
        yield Lead("timeline", {"query": question.text[:MAX_QUERY], "from": day, "to": day}, DAY)


def question_parts(question: Question) -> Sequence[str]:
    """Return the events that a question asks the dates of, or the things that it compares: two or more."""
    events = question.date_question.events if question.date_question else compared_things(question.as_read) or ()
    return events if len(events) > 1 else ()


def _names(question: Question, units: Sequence[int]) -> list[str]:
    """Return the names in text units that the question does not say, the rarest in the best ones first."""
    links, titles = question.index.links, question.index.column("entities", "title")
    query_text, query_entities = question.text.casefold(), question.features.entities
    worth: dict[int, float] = {}
    for rank, unit in enumerate(units, start=1):
        for entity in links.entities.row(unit).tolist():
            elsewhere = len(links.units.row(entity)) > 1
            if elsewhere and entity not in query_entities and links.rarity[entity] > 0:
                worth[entity] = max(worth.get(entity, 0.0), float(links.rarity[entity]) / rank)
    ordered = (str(titles[entity].as_py()) for entity in sorted(worth, key=lambda entity: (-worth[entity], entity)))
    return [title for title in ordered if title.casefold() not in query_text][:MAX_NAMES]


def _days(question: Question, units: Sequence[int]) -> list[str]:
    """Return the days that text units state and others state, too, the first of the best one first; ISO 8601.

    Only where a date is asked for: a passage states many, and most questions go on from none of them.
    """
    held = question.index.held
    if question.kind != "time":
        return []
    day = (held.first == held.last) & (held.first > 0)
    found: list[int] = []
    for unit in units:
        for ordinal in held.first[day & (held.unit == unit)].tolist():
            elsewhere = day & (held.first == ordinal) & ~np.isin(held.unit, units)
            if ordinal not in found and elsewhere.any():
                found.append(ordinal)
    return [date.fromordinal(ordinal).isoformat() for ordinal in found[:MAX_DAYS]]


def _before(question: Question, units: Sequence[int]) -> list[str]:
    """Return the ids of the text units that tell the spell before of a fact that one of `units` tells."""
    index = question.index
    facts = index.columns("facts", ["id", "prior_id", "sources"])
    later = facts.filter(pc.not_equal(facts["prior_id"], ""))
    ids = {index.cell("text_units", "id", unit) for unit in units}
    stated = [row for row in later.to_pylist() if ids & {source["text_unit_id"] for source in row["sources"]}]
    earlier = facts.filter(pc.is_in(facts["id"], later["prior_id"].combine_chunks())) if stated else facts.slice(0, 0)
    sources = {row["id"]: row["sources"][0]["text_unit_id"] for row in earlier.to_pylist()}
    before = (sources[row["prior_id"]] for row in stated if row["prior_id"] in sources)
    return [unit for unit in dict.fromkeys(before) if unit not in ids]


def _units(session: Session, records: Sequence[dict[str, Any]]) -> list[int]:
    """Return the text units that records are."""
    ids = (record.get("text_unit", record["id"]) for record in records)
    return [session.index.unit_row[each] for each in ids if each in session.index.unit_row]


def _gain(session: Session, lead: Lead, units: Sequence[int]) -> Floats:
    """Return what text units gain by a look, from 0 to 1, shape (n_units,)."""
    if lead.tool == "search_passages":
        scores: Floats = np.maximum(session.scores(lead.arguments["query"]), 0.0)
        scores /= max(scores.max(initial=0.0), 1e-9)
        return scores
    gain = np.zeros(len(session.index.document_row))
    gain[list(units)] = 1.0
    return gain

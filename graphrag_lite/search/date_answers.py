"""Answers computed of dated statements: how long ago, how long between, which first, in which order, until when.

Each event that the question names is looked for among the statements that state a time (`fact_mentions`); the dates
are shown, each with its citation. Where one is not found, or not dated closely enough, nothing is computed.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import product
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

from graphrag_lite.evidence.citation_marks import disarm
from graphrag_lite.retrieval.abstention import weights
from graphrag_lite.retrieval.top_k import best
from graphrag_lite.search.answer import Answer, Cited, Ranking, Statement, answered, cite
from graphrag_lite.temporal.date_questions import Asked
from graphrag_lite.temporal.durations import When, apart, in_order, when
from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from graphrag_lite.retrieval.question import Question

ENDS = re.compile(r"(?i)\b(?:end(?:ed|ing|s)?|finish\w*|complet\w*)\b")  # of what lasted, the end is asked for
UNITS_READ = 24  # text units that an event is looked for in
HELD = 0.5  # of the weight of an event's words that a sentence has to hold to tell of it
HEAD = 2.0  # what the first word of an event counts, its verb, in which of the dates of a sentence is meant
AROUND = 0.3  # what a word counts that only the rest of its text unit holds
KIN = 0.15  # more for two statements of documents that share a value of their metadata, as the one they are by
RIVAL = 0.97  # of the best statement's fit: with as much, another that dates the event otherwise leaves it open
MOST = 6  # statements of each event that are compared


OPEN = "The documents do not date all that this asks about, so nothing is computed. What they say:"


class Dated(NamedTuple):
    """A statement that tells of an event: how well, in which text unit and characters, and the day that it states."""

    fit: float
    unit: int
    start: int
    end: int
    when: When


def date_answer(question: "Question", method: str, visible: "npt.NDArray[np.bool_]") -> Answer | None:
    """Answer by computing with dates; None where the question asks for none, or where what it names is not dated."""
    asked = question.dates_asked
    index = question.index
    if asked is None or "fact_mentions" not in index.manifest["tables"]:
        return None
    rows = _rows(question)
    of_end = asked.kind == "until"
    found = [_candidates(question, event, visible, rows, of_end=of_end) for event in asked.events]
    if not all(found):
        return None
    chosen = _together(question, found)
    kin = frozenset.intersection(*(_values(question, one.unit) for one in chosen))
    for one, several in zip(chosen, found, strict=True):
        if _rivalled(one, [other for other in several if kin <= _values(question, other.unit)]):
            return None
    now = question.as_of or index.attributes.newest
    told = _computed(asked, [one.when for one in chosen], now)
    if not told:
        return None
    citations = _cited(question, chosen)
    lines = [told]
    for one, cited in zip(chosen, citations, strict=True):
        lines.append(f"- {one.when}: {disarm(one_line(cited.text))} [{cited.n}]")
    units = list(dict.fromkeys(one.unit for one in chosen))
    ranking = Ranking(units, list(dict.fromkeys(index.document_row[unit] for unit in units)))
    distinct = list({cited.n: cited for cited in citations}.values())
    return answered(question, method, ranking, answer="\n".join(lines), citations=distinct)


def _computed(asked: Asked, days: Sequence[When], now: date | None) -> str:
    """Return the answer in a line, "" where the dates do not tell it."""
    if asked.kind == "ago":
        today = When(now.toordinal(), now.toordinal()) if now else None
        if today is None or days[0].first > today.last:
            return ""
        long = apart(days[0], today, asked.unit)
        return f"{long} before {now}: {days[0]}." if long else ""
    if asked.kind == "between":
        long = apart(days[0], days[1], asked.unit)
        return f"{long}: from {min(days)} to {max(days)}." if long and days[0] != days[1] else ""
    if asked.kind == "until":
        return f"Until {days[0]}."
    order = in_order(days)
    if order is None:
        return ""
    if asked.kind == "order":
        listed = (f"{n}. {disarm(asked.events[place])} ({days[place]})" for n, place in enumerate(order, 1))
        return "; ".join(listed) + "."
    place = order[0] if asked.kind == "first" else order[-1]
    other = order[-1] if asked.kind == "first" else order[0]
    than = "before" if asked.kind == "first" else "after"
    return f"{disarm(asked.events[place])} ({days[place]}), {than} {disarm(asked.events[other])} ({days[other]})."


def _rows(question: "Question") -> dict[str, list[dict[str, Any]]]:
    """Return the dated statements by text unit."""
    columns = ("text_unit_id", "valid_at", "invalid_at", "precision", "kind", "time_text", "char_start", "char_end")
    data = question.index.arrow("fact_mentions").select(columns)
    found: dict[str, list[dict[str, Any]]] = {}
    for row in data.to_pylist():
        found.setdefault(row["text_unit_id"], []).append(row)
    return found


def _candidates(
    question: "Question", event: str, visible: "npt.NDArray[np.bool_]", rows: Mapping[str, Any], *, of_end: bool
) -> list[Dated]:
    """Return the dated statements that tell of an event, or with `of_end` of its end, best first."""
    index = question.index
    weight = weights(index.bm25, question.terms_of(event))
    whole = fsum(weight.values())
    if not whole:
        return []
    scores = index.bm25.scores(list(weight)) * visible
    if question.features.replies is not None:  # what an assistant proposes has not happened
        scores = scores * ~question.features.replies
    found: list[Dated] = []
    ids = index.column("text_units", "id")
    for unit in best(scores, UNITS_READ).tolist():
        if scores[unit] <= 0:
            break
        row = index.document_row[unit]
        text, language = index.document_text(row), index.column("documents", "language")[row].as_py()
        around = fsum(weight[term] for term in weight.keys() & set(terms(index.passage(unit)[0], language)))
        spans: dict[tuple[int, int], list[dict[str, Any]]] = {}
        for one in rows.get(ids[unit].as_py(), ()):
            spans.setdefault((one["char_start"], one["char_end"]), []).append(one)
        for (start, end), stated in spans.items():
            said = text[start:end]
            held = fsum(weight[term] for term in weight.keys() & set(terms(said, language)))
            fit = (held + AROUND * (around - held)) / whole
            chosen = _nearest(said, stated, weight, language, at_end=of_end or bool(ENDS.search(event)))
            if held >= HELD * whole and chosen:
                found.append(Dated(fit, unit, start, end, chosen))
    found.sort(key=lambda one: (-one.fit, one.unit, one.start))
    return found[:MOST]


def _nearest(
    said: str, stated: Sequence[Mapping[str, Any]], weight: Mapping[str, float], language: str, *, at_end: bool
) -> When | None:
    """Return the day of a sentence that stands nearest to the words of an event."""
    head = next(iter(weight))
    spots = [
        ((found.start() + found.end()) / 2, weight[term] * (HEAD if term == head else 1.0))
        for found in re.finditer(r"[\w'’-]+", said)
        for term in terms(found[0], language)
        if term in weight
    ]
    best_one: tuple[float, When] | None = None
    for one in stated:
        day = when(one, at_end=at_end)
        place = said.find(one["time_text"])
        if day is None:
            continue
        distance = fsum(value * min(abs(place - spot), 150) for spot, value in spots)
        if best_one is None or distance < best_one[0]:
            best_one = (distance, day)
    return best_one[1] if best_one else None


def _together(question: "Question", found: Sequence[Sequence[Dated]]) -> list[Dated]:
    """Return one statement of each event: those that fit best, and are of the same person where documents say whose."""
    metadata = {one.unit: _values(question, one.unit) for several in found for one in several}

    def worth(chosen: Iterable[Dated]) -> float:
        chosen = list(chosen)
        shared = [len(metadata[chosen[0].unit] & metadata[one.unit]) for one in chosen[1:]]
        return fsum(one.fit for one in chosen) + KIN * sum(map(bool, shared))

    if len(found) > 3:
        return [several[0] for several in found]
    return list(max(product(*found), key=worth))


def _rivalled(chosen: Dated, candidates: Sequence[Dated]) -> bool:
    """Tell whether another statement tells of an event as well, and dates it otherwise."""
    return any(
        one.fit > RIVAL * chosen.fit and (one.when.last < chosen.when.first or chosen.when.last < one.when.first)
        for one in candidates
        if one is not chosen
    )


def _values(question: "Question", unit: int) -> frozenset[tuple[str, str]]:
    held = json.loads(question.index.column("documents", "metadata")[question.index.document_row[unit]].as_py() or "{}")
    return frozenset((str(name), str(value)) for name, value in held.items())


def _cited(question: "Question", chosen: Sequence[Dated]) -> list[Cited]:
    """Return the citation of each statement; those that stand in one sentence share it."""
    numbers: dict[tuple[int, int, int], int] = {}
    for one in chosen:
        numbers.setdefault((one.unit, one.start, one.end), len(numbers) + 1)
    return [
        cite(question.index, numbers[one.unit, one.start, one.end], Statement(one.unit, one.start, one.end))
        for one in chosen
    ]

"""Who wrote what to whom and when: answered by the messages of mails and chats, each below its sender and its time."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from math import fsum
from typing import TYPE_CHECKING

from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.retrieval.bm25 import term_idf
from graphrag_lite.retrieval.messages import IndexedMessage, answers_to, documents_in_periods, messages_in
from graphrag_lite.retrieval.question import Question
from graphrag_lite.retrieval.ranking import text_unit_scores
from graphrag_lite.retrieval.top_k import best_rows
from graphrag_lite.search.answer import Answer, Ranking, Statement, answered, cite, compose
from graphrag_lite.search.extractive.answer_type import Sought, expected_answer
from graphrag_lite.search.extractive.message_questions import (
    MessageQuestion,
    message_request,
    read_question,
    terms_of_times,
)
from graphrag_lite.search.extractive.read_unit import blocks_of, read_out
from graphrag_lite.search.extractive.reading_order import with_lists
from graphrag_lite.search.extractive.sentence_candidates import ASKS
from graphrag_lite.search.extractive.sentence_choice import choose_sentences
from graphrag_lite.temporal.instants import first_second
from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.sentences import is_statement, sentences, trimmed
from graphrag_lite.text.transcripts import spoken_span
from graphrag_lite.text.words import ASKING, terms

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from graphrag_lite.retrieval.snapshot_view import SnapshotView

SHOWN = 20  # messages that a list names; its count is of all
READ = 12  # sentences of messages that are chosen, of which the first are told
LOOKED_AT, READ_UNITS = 100, 12  # best text units: whose messages tell names, and that are read
LOOKED_THROUGH = 1000  # best text units, for those that are read
LEAST = 0.5  # of the weight of what is asked about: a message that holds less is not the one asked for
NEAR = 0.8  # of what the best message holds: the first or the last is one of those that hold so much
OPENING = 40  # characters of a message that a list tells, and the rest of their sentence
PAIR = 2  # who speaks where nobody else does is spoken to


def message_answer(
    question: Question, method: str, scores: "npt.NDArray[np.float64]", ranking: Ranking
) -> Answer | None:
    """Answer by messages, where a question asks for such and there are some that hold what it names; else None."""
    form = message_request(question) if question.aspects is None else None
    if form is None:
        return None
    index = question.index
    near = [unit for unit in best_rows(scores, LOOKED_AT).tolist() if scores[unit] > 0]
    rows = dict.fromkeys(index.document_row[unit] for unit in near) or range(min(LOOKED_AT, index.n_rows("documents")))
    found = [messages_in(index, row) for row in rows]
    known = {name for messages in found for one in messages for name in (one.speaker, *one.to, *one.cc)}
    if not known:
        return None
    parsed, times, periods = read_question(question, form, known), terms_of_times(question), question.periods
    topic = [term for term in question.terms_of(parsed.about) if term not in ASKING]
    if times.issuperset(topic):
        asks = parsed.by or parsed.to or parsed.order or periods
        return _listed(question, method, parsed._replace(periods=periods), ranking) if asks else None
    names = question.names.difference(times).intersection(topic)
    if not any(map(index.bm25.holds, topic)) or not all(map(index.bm25.holds, names)):
        return compose(question, method, [], ranking)
    other = [term for term in topic if term not in times]
    # "on 3 May" says when it was said, or is part of that.
    then = _answer_by_topic(question, method, parsed._replace(periods=periods), other, ranking) if periods else None
    return then or _answer_by_topic(question, method, parsed, topic, ranking)


def dated(question: Question, sought: Sought, statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements of an answer, where it is to tell a time those that tell none below their message's."""
    index, by_document = question.index, dict[int, list[IndexedMessage]]()
    found = list[Statement]()
    for statement in statements:
        row = index.document_row[statement.unit]
        if sought.kind == "time" and not sought.is_held(index, *read_out(index, statement)):
            messages = by_document.setdefault(row, messages_in(index, row))
            one = next((one for one in messages if one.time and one.start <= statement.start < one.end), None)
            statement = _below(index, statement, one) if one else statement
        found.append(statement)
    return found


def _answer_by_topic(
    question: Question, method: str, parsed: MessageQuestion, topic: Sequence[str], ranking: Ranking
) -> Answer | None:
    """Answer with the sentences of messages that fit best what is asked about; None where none holds enough of it."""
    index = question.index
    about = Question(index, parsed.about, question.as_of, question.vector)
    about.language = question.language
    scores = text_unit_scores(about)
    near, by_document = _units_of_messages(question, parsed, scores)

    def message_at(unit: int, position: int) -> IndexedMessage | None:
        return next((one for one in by_document[index.document_row[unit]] if one.start <= position < one.end), None)

    kind = question.kind if question.kind not in ("person", "time") else ""  # those its heading tells
    sought = replace(expected_answer(about, about.features), kind=kind, within=lambda *at: message_at(*at) is not None)
    chosen = choose_sentences(index, topic, near, READ, scores=scores[near].tolist(), sought=sought)
    found = [(statement, one) for statement in chosen if (one := message_at(statement.unit, statement.start))]
    weights = {term: weight for term, weight in term_idf(index.bm25, topic).items() if index.bm25.holds(term)}
    shares = [_share(index, statement.unit, one, weights) for statement, one in found]
    most = max(shares, default=0.0)
    near_most = [pair for pair, share in zip(found, shares, strict=True) if share >= NEAR * most]
    if titled := _titled(index, by_document, weights) if parsed.one and not parsed.order else None:
        own = [pair for pair in found if pair[1] == titled]
        own = own or [(_opening(index, index.units_in(titled.row), titled), titled)]
        found = own + [pair for pair in found if pair not in own]
    elif most < LEAST:
        return None
    elif parsed.order:
        dated = [pair for pair in near_most if pair[1].time]
        found = sorted(dated, key=lambda pair: first_second(pair[1].time), reverse=parsed.order < 0) or found
    elif parsed.asks:
        found = sorted(found, key=lambda pair: pair not in near_most or not ASKS.search(read_out(index, pair[0])[0]))
    statements = [_below(index, statement, one) for statement, one in found[: index.search_settings.max_sentences]]
    return compose(question, method, with_lists(index, statements), ranking)


def _titled(
    index: "SnapshotView", by_document: Mapping[int, Sequence[IndexedMessage]], weights: Mapping[str, float]
) -> IndexedMessage | None:
    """Return the first message of those whose document has a title that holds nearly all of the terms asked about."""
    found = list[IndexedMessage]()
    for row, messages in by_document.items():
        title, language = (index.cell("documents", name, row) for name in ("title", "language"))
        if _held(weights, set(terms(title, language))) >= NEAR:
            found += messages
    return min(found, key=lambda one: (one.time == "", first_second(one.time)), default=None)


def _held(weights: Mapping[str, float], own: Set[str]) -> float:
    return fsum(weight for term, weight in weights.items() if term in own) / (fsum(weights.values()) or 1.0)


def _units_of_messages(
    question: Question, parsed: MessageQuestion, scores: "npt.NDArray[np.float64]"
) -> tuple[list[int], dict[int, list[IndexedMessage]]]:
    """Return the best text units that hold messages by and to whom is asked, and these messages, by document."""
    index, near = question.index, list[int]()
    by_document: dict[int, list[IndexedMessage]] = {}
    for unit in best_rows(scores, LOOKED_THROUGH).tolist():
        row = index.document_row[unit]
        if row not in by_document:
            by_document[row] = _fitting(index, row, parsed)
        start, end = (index.cell("text_units", name, unit) for name in ("char_start", "char_end"))
        near += [unit] if any(one.start < end and start < one.end for one in by_document[row]) else []
        if len(near) == READ_UNITS or scores[unit] <= 0:
            break
    return [unit for unit in near if scores[unit] > 0], by_document


def _below(index: "SnapshotView", statement: Statement, message: IndexedMessage) -> Statement:
    """Return a place below the heading of its message, without the label that says the same."""
    text = index.document_text(message.row)
    label = re.compile(rf"{re.escape(message.speaker)}\s*[:：]\s*(?=\S)").match(text, statement.start, statement.end)
    return replace(statement, start=label.end() if label else statement.start, about=message.heading)


def _fitting(index: "SnapshotView", row: int, parsed: MessageQuestion, most: int = 0) -> list[IndexedMessage]:
    """Return the messages of a document that fit; where more than `most` speak, if any, nobody is spoken to as one."""
    messages = messages_in(index, row)
    speakers = {one.speaker for one in messages}
    if parsed.whom and len(speakers) == PAIR:
        messages = [one if one.to else one._replace(to=(*(speakers - {one.speaker}),)) for one in messages]
    return [one for one in messages if parsed.fits(one, set() if 0 < most < len(speakers) else speakers)]


def _share(index: "SnapshotView", unit: int, message: IndexedMessage, weights: Mapping[str, float]) -> float:
    """Return how much of the weight of terms a message holds in a text unit, with its title and without code."""
    text = index.document_text(message.row)
    start, end = (index.cell("text_units", name, unit) for name in ("char_start", "char_end"))
    start, end = max(start, message.start), min(end, message.end)
    for first, last in reversed(blocks_of(index, message.row)["code"]):
        text = f"{text[:first]}{' ' * (last - first)}{text[last:]}"
    title, language = (index.cell("documents", name, message.row) for name in ("title", "language"))
    return _held(weights, set(terms(f"{title}\n{text[start:end]}", language)))


def _listed(question: Question, method: str, parsed: MessageQuestion, ranking: Ranking) -> Answer:
    """Answer with the messages by or to whom is asked, or of the time asked for, by time; each with how it begins."""
    index = question.index
    found = [one for row in _candidate_rows(question, parsed) for one in _fitting(index, row, parsed, most=PAIR)]
    found = [one for one in found if one.time or not parsed.order]
    found.sort(key=lambda one: (one.time == "", first_second(one.time)), reverse=parsed.order < 0)
    if not found:
        return compose(question, method, [], ranking)
    shown = found[: 1 if parsed.order else SHOWN]
    units = {one.row: index.units_in(one.row) for one in shown}
    openings = [(one, _opening(index, units[one.row], one)) for one in shown]
    names = "".join(
        f" {word} {' or '.join(sorted(who))}" for word, who in (("by", parsed.by), ("to", parsed.to)) if who
    )
    count = ("", "The first", "The last")[parsed.order] or len(found)
    lines = [escape_marks(one_line(f"{count} message{'s' * (len(shown) > 1)}{names}:"))]
    citations = [cite(index, n, statement) for n, (_, statement) in enumerate(openings, 1)]
    for (one, _), cited in zip(openings, citations, strict=True):
        subject = f", {index.cell('documents', 'title', one.row)}" if one.to or one.cc else ""
        lines.append(f"- {escape_marks(one_line(f'{one.heading}{subject}: {cited.text}'))} [{cited.n}]")
    lines += [f"- and {len(found) - SHOWN} more"] if len(found) > SHOWN and not parsed.order else []
    ranking = Ranking([statement.unit for _, statement in openings], list(dict.fromkeys(one.row for one in found)))
    return answered(question, method, ranking, answer="\n".join(lines), citations=citations)


def _candidate_rows(question: Question, parsed: MessageQuestion) -> list[int]:
    """Return the documents that may hold messages by or to whom is asked, or of the time; of all the first or last."""
    index = question.index
    if parsed.by or parsed.to:
        named = {row for name in parsed.by or parsed.to for row in _rows_naming(question, name)}
        return sorted(named | (set() if parsed.by else answers_to(index, parsed.to)))
    if parsed.periods:
        return documents_in_periods(index, parsed.periods)
    days = index.days
    units = days.argsort(kind="stable")[: (days == days).sum()]  # what has no day stands last
    first_or_last = units[:LOOKED_AT] if parsed.order > 0 else units[-LOOKED_AT:]
    return sorted({index.document_row[unit] for unit in first_or_last.tolist()})


def _rows_naming(question: Question, name: str) -> set[int]:
    """Return the documents with a text unit that holds all terms of a name, in any language of the corpus."""
    index = question.index
    found = set[int]()
    for language in index.languages:
        held = [set(index.bm25.units_of(term).tolist()) for term in terms(name, language)]
        found |= {index.document_row[unit] for unit in (set.intersection(*held) if held else ())}
    return found


def _opening(index: "SnapshotView", units: Sequence[int], message: IndexedMessage) -> Statement:
    """Return the first sentences of a message that say something and are no code, else its first line."""
    text, language = index.document_text(message.row), index.cell("documents", "language", message.row)
    code = blocks_of(index, message.row)["code"]
    begin = message.start
    spans = [(begin + start, begin + end) for start, end in sentences(text[begin : message.end], language)]
    spans = [spoken_span(text, *span) for span in spans if not any(a <= span[0] < b for a, b in code)]
    usable = (
        [span for span in spans if is_statement(text[slice(*span)])] or spans or [trimmed(text, begin, message.end)]
    )
    start = usable[0][0]
    end = next((end for _, end in usable if end - start >= OPENING), usable[-1][1])  # not "Hey Bo!" alone
    unit = next((unit for unit in units if start < index.cell("text_units", "char_end", unit)), units[-1])
    return _below(index, Statement(unit, start, min(end, index.cell("text_units", "char_end", unit))), message)

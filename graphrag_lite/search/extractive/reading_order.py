"""Put the sentences of an answer into an order that reads, each with what it needs to be understood."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag_lite.search.answer import Statement
from graphrag_lite.search.extractive.announced import announces, end_of_code, end_of_list, end_of_points
from graphrag_lite.search.extractive.read_unit import MAX_LENGTH, blocks_of, is_in, read_out, subject_of
from graphrag_lite.search.extractive.sentence_candidates import ASKS, label_behind
from graphrag_lite.search.extractive.sentence_choice import MAX_ANSWER
from graphrag_lite.text.sentences import is_statement, sentences, stands_alone, trimmed
from graphrag_lite.text.transcripts import LABELLED_LINE, is_head, spoken_span
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

REPLY = 3  # words, or terms, of a sentence that replies to a question: not "Yes, sure."


def in_reading_order(index: "SnapshotView", chosen: Sequence[Statement]) -> list[Statement]:
    """Put the sentences of a document together, best first, and so the documents.

    The best one begins. Another that begins with "It" or "He" follows the sentence before it, which is added, or stands
    below the name of what its document is about.
    """
    documents: dict[int, list[Statement]] = {}
    for statement in with_lists(index, chosen):
        documents.setdefault(index.document_row[statement.unit], []).append(statement)
    return [statement for row, statements in documents.items() for statement in _readable(index, row, statements)]


def with_lists(index: "SnapshotView", chosen: Sequence[Statement]) -> list[Statement]:
    """Return sentences, each with the list, code or points that it announces, as far as all are read in a minute."""
    room = MAX_ANSWER - sum(statement.end - statement.start for statement in chosen)
    found: list[Statement] = []
    for statement in chosen:
        (document, language), end = index.document_of(statement.unit), statement.end
        blocks = blocks_of(index, index.document_row[statement.unit])
        if not any(start <= statement.start < last for start, last in blocks["card"]):
            most = min(statement.start + MAX_LENGTH, end + max(0, room))
            listed = end
            if announces(document[statement.start : end]):
                listed = end_of_list(document, end, most)
                listed = listed if listed > end else end_of_code(document, end, most, blocks["code"])
            end = listed if listed > end else end_of_points(document, end, most, language)
        room -= end - statement.end
        found.append(replace(statement, end=end))
    return found


def _readable(index: "SnapshotView", row: int, statements: list[Statement]) -> list[Statement]:
    """Return sentences of a document with what they need to be understood; those of a row of a table with its title."""
    blocks, title = blocks_of(index, row), index.cell("documents", "title", row)
    if blocks["card"] and (blocks["message"] or len(blocks["card"]) > len(blocks["head"])):
        return [replace(statement, about=statement.about or title) for statement in statements]
    statements = [
        replace(one, about=one.about or title) if is_in(blocks["head"], one.start) else one for one in statements
    ]
    statements = [_with_reply(index, statement) for statement in statements]
    # A reply is told with its question, and an item with its list, and not alone.
    wide = sorted(statements, key=lambda statement: statement.start)
    statements = list(
        dict.fromkeys(next(one for one in wide if one.start <= part.start < one.end) for part in statements)
    )
    leaning = [statement for statement in statements if not _stands(read_out(index, statement)[0])]
    if leaning and (name := subject_of(index, row)):
        return [replace(statement, about=name) for statement in statements]
    first, *rest = statements
    ordered = [_with_context(index, first) if first in leaning else first]
    ordered += [statement for statement in rest if statement not in leaning]
    for statement in sorted(
        (statement for statement in rest if statement in leaning), key=lambda statement: statement.start
    ):
        before = _before(index, statement)
        at = next((i for i, one in enumerate(ordered) if before < one.end and one.start < statement.start), None)
        if at is not None and _goes_on(ordered[at], statement, before):
            ordered[at] = replace(ordered[at], end=max(statement.end, ordered[at].end))
        elif at is not None:
            ordered.insert(at + 1, statement)
        else:
            ordered.append(_with_context(index, statement))
    return ordered


def _with_reply(index: "SnapshotView", statement: Statement) -> Statement:
    """Return a question of a talk with what the next speaker says to it, as far as that says something."""
    document, language = index.document_of(statement.unit)
    label = (
        label_behind(document, statement.start, statement.end)
        if ASKS.search(document[statement.start : statement.end])
        else None
    )
    if label is None:
        return statement
    last = min(index.cell("text_units", "char_end", statement.unit), statement.start + MAX_LENGTH)
    others = (turn for turn in LABELLED_LINE.finditer(document, label.end(), last) if turn[1] != label[1])
    last = next((turn.start() for turn in others), last)
    for span in sentences(document[label.end() : last], language):
        first, end = trimmed(document, *(label.end() + at for at in span))
        reply = document[first:end]
        if max(len(reply.split()), len(terms(reply, language))) >= REPLY:
            return replace(statement, end=end)
    return statement


def _goes_on(one: Statement, statement: Statement, before: int) -> bool:
    """Say whether a place leans on the one sentence `before` it, that is told: the two are read, and cited, as one."""
    return not one.about and one.start >= before and statement.end - one.start <= MAX_LENGTH


def _with_context(index: "SnapshotView", statement: Statement) -> Statement:
    """Return a place with the sentence before it, where the two are short and can be read alone."""
    both = replace(statement, start=_before(index, statement))
    fits = both.end - both.start <= MAX_LENGTH and _stands(read_out(index, both)[0])
    if not fits:
        return statement
    return replace(both, about="") if read_out(index, both)[0].startswith(both.about) else both  # "Zep 2.1: ..."


def _stands(sentence: str) -> bool:
    return not is_statement(sentence) or stands_alone(sentence)


def _before(index: "SnapshotView", statement: Statement) -> int:
    """Return where the sentence before a place begins in its document, that of the place where there is none.

    What another speaker has said is none, nor is a heading or a page's head.
    """
    offset, text = (index.cell("text_units", column, statement.unit) for column in ("char_start", "text"))
    document, language = index.document_of(statement.unit)
    spans = [trimmed(document, offset + start, offset + end) for start, end in sentences(text, language)]
    own = next((i for i, (_, end) in enumerate(spans) if statement.start < end), 0)
    if own == 0 or spoken_span(document, *spans[own]) != spans[own] or is_head(document, *spans[own - 1]):
        return statement.start
    if not is_statement(document[slice(*spans[own - 1])]):
        return statement.start
    return spoken_span(document, *spans[own - 1])[0]

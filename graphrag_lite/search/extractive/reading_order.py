"""Put the sentences of an answer into an order that reads, each with what it needs to be understood."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag_lite.search.answer import Statement
from graphrag_lite.search.extractive.announced import announces, end_of_code, end_of_list, end_of_points
from graphrag_lite.search.extractive.read_unit import MAX_LENGTH, blocks_of, read_out, subject_of
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
    for place in with_lists(index, chosen):
        documents.setdefault(index.document_row[place.unit], []).append(place)
    return [place for row, places in documents.items() for place in _readable(index, row, places)]


def with_lists(index: "SnapshotView", chosen: Sequence[Statement]) -> list[Statement]:
    """Return sentences, each with the list, code or points that it announces, as far as all are read in a minute."""
    room = MAX_ANSWER - sum(place.end - place.start for place in chosen)
    found: list[Statement] = []
    for place in chosen:
        (document, language), end = index.document_of(place.unit), place.end
        blocks = blocks_of(index, index.document_row[place.unit])
        if not any(start <= place.start < last for start, last in blocks["card"]):
            most = min(place.start + MAX_LENGTH, end + max(0, room))
            listed = end
            if announces(document[place.start : end]):
                listed = end_of_list(document, end, most)
                listed = listed if listed > end else end_of_code(document, end, most, blocks["code"])
            end = listed if listed > end else end_of_points(document, end, most, language)
        room -= end - place.end
        found.append(replace(place, end=end))
    return found


def _readable(index: "SnapshotView", row: int, places: list[Statement]) -> list[Statement]:
    """Return sentences of a document with what they need to be understood; those of a row of a table with its title."""
    if blocks_of(index, row)["card"]:
        return [replace(place, about=place.about or index.cell("documents", "title", row)) for place in places]
    places = [_with_reply(index, place) for place in places]
    # A reply is told with its question, and an item with its list, and not alone.
    wide = sorted(places, key=lambda place: place.start)
    places = list(dict.fromkeys(next(one for one in wide if one.start <= part.start < one.end) for part in places))
    leaning = [place for place in places if not _stands(read_out(index, place)[0])]
    if leaning and (name := subject_of(index, row)):
        return [replace(place, about=name) for place in places]
    first, *rest = places
    ordered = [_with_context(index, first) if first in leaning else first]
    ordered += [place for place in rest if place not in leaning]
    for place in sorted((place for place in rest if place in leaning), key=lambda place: place.start):
        before = _before(index, place)
        at = next((i for i, one in enumerate(ordered) if before < one.end and one.start < place.start), None)
        if at is not None and _goes_on(ordered[at], place, before):
            ordered[at] = replace(ordered[at], end=max(place.end, ordered[at].end))
        elif at is not None:
            ordered.insert(at + 1, place)
        else:
            ordered.append(_with_context(index, place))
    return ordered


def _with_reply(index: "SnapshotView", place: Statement) -> Statement:
    """Return a question of a talk with what the next speaker says to it, as far as that says something."""
    document, language = index.document_of(place.unit)
    label = label_behind(document, place.start, place.end) if ASKS.search(document[place.start : place.end]) else None
    if label is None:
        return place
    last = min(index.cell("text_units", "char_end", place.unit), place.start + MAX_LENGTH)
    others = (turn for turn in LABELLED_LINE.finditer(document, label.end(), last) if turn[1] != label[1])
    last = next((turn.start() for turn in others), last)
    for span in sentences(document[label.end() : last], language):
        first, end = trimmed(document, *(label.end() + at for at in span))
        said = document[first:end]
        if max(len(said.split()), len(terms(said, language))) >= REPLY:
            return replace(place, end=end)
    return place


def _goes_on(one: Statement, place: Statement, before: int) -> bool:
    """Say whether a place leans on the one sentence `before` it, that is told: the two are read, and cited, as one."""
    return not one.about and one.start >= before and place.end - one.start <= MAX_LENGTH


def _with_context(index: "SnapshotView", place: Statement) -> Statement:
    """Return a place with the sentence before it, where the two are short and can be read alone."""
    both = replace(place, start=_before(index, place))
    fits = both.end - both.start <= MAX_LENGTH and _stands(read_out(index, both)[0])
    if not fits:
        return place
    return replace(both, about="") if read_out(index, both)[0].startswith(both.about) else both  # "Zep 2.1: ..."


def _stands(sentence: str) -> bool:
    return not is_statement(sentence) or stands_alone(sentence)


def _before(index: "SnapshotView", place: Statement) -> int:
    """Return where the sentence before a place begins in its document, that of the place where there is none.

    What another speaker has said is none, nor is a heading or a page's head.
    """
    offset, text = (index.cell("text_units", column, place.unit) for column in ("char_start", "text"))
    document, language = index.document_of(place.unit)
    spans = [trimmed(document, offset + start, offset + end) for start, end in sentences(text, language)]
    own = next((i for i, (_, end) in enumerate(spans) if place.start < end), 0)
    if own == 0 or spoken_span(document, *spans[own]) != spans[own] or is_head(document, *spans[own - 1]):
        return place.start
    if not is_statement(document[slice(*spans[own - 1])]):
        return place.start
    return spoken_span(document, *spans[own - 1])[0]

"""Every span lies inside its text unit, and every text unit is the characters of its document that it says it is."""

from contextlib import suppress

import numpy as np
import pyarrow.compute as pc

from graphrag_lite import tables
from graphrag_lite.ops.check.problems import Problems
from graphrag_lite.ops.check.reading import Missing, Reading, at

SPANS = (
    ("entities", "sources"),
    ("relationships", "sources"),
    ("community_reports", "citations"),
    ("facts", "sources"),
)
MENTIONS = ("entity_mentions", "relationship_mentions", "fact_mentions")


def texts(read: Reading, found: Problems) -> None:
    """Compare the text of every unit with its document, a batch of units at a time."""
    documents = read.column("documents", "text")
    numbers = read.refer("text_units", "document_id", "documents")
    starts, ends = (read.numbers("text_units", name) for name in ("char_start", "char_end"))
    outside: list[int] = []
    different: list[int] = []
    opened, text, row = -1, "", 0
    for batch in tables.batches(read.folder, "text_units", ["text"]):
        for own in batch["text"].to_pylist():
            number, start, end = int(numbers[row]), int(starts[row]), int(ends[row])
            if number >= 0:
                if number != opened:
                    opened, text = number, documents[number].as_py()
                if not 0 <= start < end <= len(text):
                    outside.append(row)
                elif own != text[start:end]:
                    different.append(row)
            row += 1
    found.rows("text_units", "char_start, char_end: outside of the document", outside)
    found.rows("text_units", "text: is not documents.text[char_start:char_end]", different)
    found.rows("text_units", "n_tokens: is not positive", read.numbers("text_units", "n_tokens") <= 0)


def sources(read: Reading, found: Problems) -> None:
    """Check the spans that descriptions and marks rest on."""
    first, last = (read.numbers("text_units", name) for name in ("char_start", "char_end"))
    document = read.refer("text_units", "document_id", "documents")
    for table, column in SPANS:
        with suppress(Missing):
            owners, units, documents, starts, ends = read.spans(table, column)
            found.rows(table, f"{column}: names no row of text_units", owners[units < 0])
            known = units >= 0
            owners, units, documents, starts, ends = (part[known] for part in (owners, units, documents, starts, ends))
            found.rows(
                table, f"{column}: names a document that its text unit is not of", owners[document[units] != documents]
            )
            inside = (first[units] <= starts) & (starts < ends) & (ends <= last[units])
            found.rows(table, f"{column}: outside of the text unit", owners[~inside])
            if table in ("entities", "relationships"):
                own, named = read.pairs(table, "text_unit_ids", "text_units")
                width = len(first) + 1
                strange = ~np.isin(owners * width + units, own * width + named)
                found.rows(table, f"{column}: in a text unit that is not one of text_unit_ids", owners[strange])


def mentions(read: Reading, found: Problems) -> None:
    """Check where mentions stand: a sentence of their text unit, or -1 where that is not known."""
    first, last = (read.numbers("text_units", name) for name in ("char_start", "char_end"))
    for table in MENTIONS:
        with suppress(Missing):
            units = read.refer(table, "text_unit_id", "text_units")
            starts, ends = (read.numbers(table, name) for name in ("char_start", "char_end"))
            placed = (units >= 0) & ((starts != -1) | (ends != -1))
            inside = (at(first, units) <= starts) & (starts < ends) & (ends <= at(last, units))
            found.rows(table, "char_start, char_end: outside of the text unit", placed & ~inside)
            if table == "entity_mentions":
                at_ = read.numbers(table, "mention_start")
                wrong = (units >= 0) & (at_ != -1) & ((at_ < at(first, units)) | (at_ >= at(last, units)))
                found.rows(table, "mention_start: outside of the text unit", wrong)


def episodes(read: Reading, found: Problems) -> None:
    """Check that episodes are characters of their documents, one after the other."""
    documents = read.refer("episodes", "document_id", "documents")
    lengths = np.asarray(pc.utf8_length(read.column("documents", "text")))
    starts, ends, ordinals = (read.numbers("episodes", name) for name in ("char_start", "char_end", "ordinal"))
    outside = (documents >= 0) & ~((starts >= 0) & (starts < ends) & (ends <= at(lengths, documents)))
    found.rows("episodes", "char_start, char_end: outside of the document", outside)
    follows = np.append(False, documents[1:] == documents[:-1])
    before = np.roll(ends, 1)
    found.rows("episodes", "char_start: before the end of the one before", follows & (starts < before))
    expected = np.where(follows, np.roll(ordinals, 1) + 1, 0)
    found.rows("episodes", "ordinal: is not its place in the document", ordinals != expected)
    lacking = np.setdiff1d(np.arange(len(lengths)), documents)
    found.rows("documents", "has no episode", lacking)


CHECKS = (texts, sources, mentions, episodes)

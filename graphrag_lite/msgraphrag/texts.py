"""Documents and text units: every unit gets its characters in a document.

A unit's text is `documents.text[char_start:char_end]` here, exactly. Units of a document that is not there, or that
does not hold them, make a document of their own. What others cut may carry lines of metadata at its top, white space of
its own, and half a character at its ends.
"""

import hashlib
import json
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from graphrag_lite import tables
from graphrag_lite.msgraphrag.read import Notes, Row
from graphrag_lite.text.language import languages
from graphrag_lite.text.tokens import token_counter

UNKNOWN = tables.content_id("document", "")  # id of the document of units that name none
ENCODING = "cl100k_base"  # of the counts of tokens that are missing

METADATA = re.compile(r"[^\n:]{1,80}: [^\n]{0,1000}\n")
MAX_METADATA = 20  # lines
IGNORED = re.compile(r"[\s\ufeff\ufffd\u200b]+")
SHORTEST_OVERLAP, LONGEST_OVERLAP = 16, 8000  # characters; graphrag's default of 100 tokens is about 500


class SearchedText:
    """A text in which pieces are found."""

    def __init__(self, text: str) -> None:
        self.text = text

    def find(self, piece: str, after: int = 0) -> tuple[int, int] | None:
        """Return the span of `piece`, the first one from `after` on if there is one there; None where it is nowhere.

        It is looked for as it is, then without the lines `key: value` at its top, then in both ways without regard to
        white space and to characters that could not be decoded.

        >>> SearchedText("One.  Two\\nthree. Two three.").find("title: numbers.txt.\\nTwo three.", after=3)
        (17, 27)
        >>> SearchedText("One.  Two\\nthree.").find("Two three.\\ufffd")
        (6, 16)
        """
        bodies = [body for body in _bodies(piece) if body.strip()]
        for body in bodies:
            start = self.text.find(body, after)
            start = self.text.find(body) if start < 0 else start
            if start >= 0:
                return start, start + len(body)
        for body in bodies:
            bare = IGNORED.sub("", body)
            start = self._bare.find(bare, bisect_left(self._offsets, after)) if bare else -1
            start = self._bare.find(bare) if start < 0 and bare else start
            if start >= 0:
                return self._offsets[start], self._offsets[start + len(bare) - 1] + 1
        return None

    @cached_property
    def _offsets(self) -> list[int]:
        """The places of the characters that are compared."""
        offsets: list[int] = []
        end = 0
        for gap in IGNORED.finditer(self.text):
            offsets.extend(range(end, gap.start()))
            end = gap.end()
        offsets.extend(range(end, len(self.text)))
        return offsets

    @cached_property
    def _bare(self) -> str:
        return IGNORED.sub("", self.text)


def _bodies(piece: str) -> Iterator[str]:
    """Yield a piece, then the piece without its first line of metadata, without its first two, and so on."""
    start = 0
    for _ in range(MAX_METADATA):
        yield piece[start:]
        line = METADATA.match(piece, start)
        if not line:
            return
        start = line.end()


def join_pieces(pieces: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Return one text that holds all pieces in their order, and their spans. What two in a row share stands once.

    >>> join_pieces(["It was the whole of a long day", "the whole of a long day that was lost.", "End."])
    ('It was the whole of a long day that was lost.\\n\\nEnd.', [(0, 30), (7, 45), (47, 51)])
    """
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    end = 0
    before = ""
    for piece in pieces:
        shared = _overlap(before, piece)
        if parts and not shared:
            parts.append("\n\n")
            end += 2
        parts.append(piece[shared:])
        spans.append((end - shared, end - shared + len(piece)))
        end += len(piece) - shared
        before = piece
    return "".join(parts), spans


def _overlap(before: str, piece: str) -> int:
    """Return how many characters the end of one text and the start of the next share; 0 where it may be by chance."""
    longest = min(len(before), len(piece), LONGEST_OVERLAP)
    return next((n for n in range(longest, SHORTEST_OVERLAP - 1, -1) if before.endswith(piece[:n])), 0)


@dataclass(frozen=True)
class Texts:
    """`documents` are rows of source_documents, `units` of source_units; `unit_ids` maps an id of theirs to ours.

    `unit_numbers` maps a text unit's human_readable_id to its id.
    """

    documents: list[Row]
    units: list[Row]
    unit_ids: dict[str, list[str]]
    unit_numbers: dict[int, str]


def locate_texts(documents: Sequence[Row], units: Sequence[Row], notes: Notes) -> Texts:
    """Place every text unit in a document. Equal chunks share one id in graphrag: here the second gets its own."""
    by_id: dict[str, Row] = {}
    for row in documents:
        if by_id.setdefault(row["id"], row) is not row:
            notes["documents", "left out: the id of another"] += 1
    by_document: dict[str, list[Row]] = {identity: [] for identity in by_id}
    for unit in units:
        if not unit["text"].strip():
            notes["text_units", "left out: no text"] += 1
            continue
        named = [identity for identity in [unit["document_id"], *unit["document_ids"]] if identity]
        known = [identity for identity in named if identity in by_id]
        by_document.setdefault((known or named or [""])[0], []).append(unit)
    made: list[Row] = []
    placed: list[tuple[Row, int, int, int]] = []  # unit, row of its document, span
    for identity, own in by_document.items():
        row = {"id": identity or UNKNOWN, "text": ""} | by_id.get(identity, {})
        whole = bool(row["text"].strip())
        found, lost = _found(row["text"], own) if whole else ([], own)
        if whole:
            placed += [(unit, len(made), *span) for unit, span in found]
            made.append(row)
        elif not own:
            notes["documents", "left out: no text"] += 1
        if lost:
            text, spans = join_pieces([unit["text"] for unit in lost])
            placed += [(unit, len(made), *span) for unit, span in zip(lost, spans, strict=True)]
            identity = tables.content_id("document", row["id"], text) if whole else row["id"]
            made.append(row | {"id": identity, "text": text})
            if whole:
                notes["text_units", "not found in their document: put into one of their own"] += len(lost)
            else:
                notes["documents", "without a text: made of their text units"] += 1
    return _units(_documents(made), placed, notes)


def _found(text: str, units: Sequence[Row]) -> tuple[list[tuple[Row, tuple[int, int]]], list[Row]]:
    """Return the units that a text holds, with their spans, and the others."""
    document = SearchedText(text)
    found = []
    lost = []
    after = 0
    for unit in units:
        if span := document.find(unit["text"], after):
            found.append((unit, span))
            after = span[0] + 1
        else:
            lost.append(unit)
    return found, lost


def _documents(rows: Sequence[Row]) -> list[Row]:
    """Return rows of source_documents. A title that is no other's is also the document's own id."""
    titles = Counter(row.get("title", "") for row in rows)
    codes = languages([row["text"] for row in rows])
    made = []
    for row, language in zip(rows, codes, strict=True):
        title = row.get("title", "") or row["id"]
        made.append(
            {
                "id": row["id"],
                "source_id": title if titles[title] == 1 else row["id"],
                "title": title,
                "text": row["text"],
                "path": title,
                "content_sha256": hashlib.sha256(row["text"].encode()).hexdigest(),
                "mime": "text/plain",
                "language": language,
                "created_at": "",  # graphrag's creation_date is the file's time on the machine that indexed it
                "metadata": _metadata(row),
                "blocks": [],
                "messages": [],
            }
        )
    return made


def _metadata(row: Row) -> str:
    """Return what else is said of a document as a JSON object: without its text, which raw_data may repeat."""
    metadata: dict[str, Any] = {}
    for column in ("raw_data", "metadata"):
        value = row.get(column)
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                value = {column: value}
        if isinstance(value, dict):
            metadata |= {str(key): inner for key, inner in value.items() if inner not in (None, row["text"], "")}
    if row.get("creation_date"):
        metadata["creation_date"] = row["creation_date"]
    return json.dumps(metadata, default=str, sort_keys=True)


def _units(documents: list[Row], placed: Sequence[tuple[Row, int, int, int]], notes: Notes) -> Texts:
    """Return the rows of source_units, ordered by document and place, and what became of their ids."""
    made: list[Row] = []
    unit_ids: dict[str, list[str]] = defaultdict(list)
    unit_numbers: dict[int, str] = {}
    used: set[str] = set()
    ordinals = Counter[int]()
    at: dict[tuple[int, int, int], str] = {}
    for unit, number, start, end in sorted(placed, key=lambda item: item[1:]):
        document = documents[number]
        text = document["text"][start:end]
        identity = at.get((number, start, end))
        if identity:
            notes["text_units", "left out: the same place as another"] += 1
        else:
            identity = at[number, start, end] = unused_id(unit["id"], used)
            same = text == unit["text"] and (unit["n_tokens"] or 0) > 0
            made.append(
                {
                    "id": identity,
                    "document_id": document["id"],
                    "ordinal": ordinals[number],
                    "char_start": start,
                    "char_end": end,
                    "text": text,
                    "n_tokens": unit["n_tokens"] if same else token_counter(ENCODING)(text),
                }
            )
            ordinals[number] += 1
        if identity not in unit_ids[unit["id"]]:
            unit_ids[unit["id"]].append(identity)
        if unit["human_readable_id"] is not None:
            unit_numbers.setdefault(unit["human_readable_id"], identity)
    return Texts(documents, made, dict(unit_ids), unit_numbers)


def unused_id(identity: str, used: set[str]) -> str:
    """Return an id, or where another row has it, one made of it."""
    own = identity if identity not in used else tables.content_id(identity, str(len(used)))
    used.add(own)
    return own

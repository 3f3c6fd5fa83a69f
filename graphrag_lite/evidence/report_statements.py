"""The sentences that a report can cite: what each says, how well it stands as a statement, and when that was.

Nothing is told of what stands in a licence, or recurs in document after document (`evidence.notices`); little is a
sentence worth that names a host, who speaks in many documents.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag_lite import tables
from graphrag_lite.attempts import Attempt, unguarded
from graphrag_lite.evidence.cards import Cards
from graphrag_lite.evidence.document_signs import document_signs, hosts, notices
from graphrag_lite.evidence.hashes import hashed
from graphrag_lite.evidence.notices import LONG, formulas, is_formula, is_noticed
from graphrag_lite.evidence.report_title import LONGEST_TITLE, headline, is_informative
from graphrag_lite.evidence.sentence_reading import Reading, is_cell, read_sentence
from graphrag_lite.evidence.statement import STANDS, ReportStatement, Row
from graphrag_lite.evidence.stories import (
    READ,
    SENTENCES,
    SPEECH,
    begins,
    chapter_at,
    chapters,
    is_spoken,
    part_title,
    rest_of_paragraph,
)
from graphrag_lite.text.change_logs import is_change_log
from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.numbered_titles import by_part, without_part
from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.sentences import sentences, trimmed

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

ASIDE = 0.1  # what a sentence counts that names a host
SEVERAL, HELD = 4, 100  # works whose titles are compared; documents that are kept for the next sentence
WORD, _NUMBER = re.compile(r"[^\W_]+(?:['’][^\W_]+)*"), re.compile(r"\d")
ONE_DAY = 0.9  # share of dated documents with one day, as of a copy or an export, from which on days tell nothing
SPOKEN, SPOKEN_PART = 1 / 3, 1 / 4  # share of dialogue in a story, and in a part of one
SpanKey = tuple[str, int, int]  # document, and its first and last character
DOCUMENT = ["id", "title", "text", "language", "created_at", "blocks"]

# What `Sources` know of all documents and text units, and no page asks for.
OF_ALL = (
    *("_documents", "_source_units", "document_ids", "languages", "unit_ids", "ids", "lengths", "unit_ends", "reading"),
    *("narrated", "cards", "talks", "signs", "each"),
)


class Sources:
    """The documents that statements are read from, with their `document_signs`; the service `each` reads many."""

    def __init__(
        self,
        source_documents: "pa.Table",
        source_units: "pa.Table",
        entity_mentions: "pa.Table",
        each: Callable[..., Iterator[Any]],
        before: "Sequence[pa.Table] | None" = None,
        attempt: Attempt = unguarded,
    ) -> None:
        import pyarrow.compute as pc

        self._documents = source_documents.select(DOCUMENT)
        self.document_ids, self.languages = source_documents["id"], source_documents["language"]
        self.ids: list[str] = self.document_ids.to_pylist()
        self.unit_ids, self._source_units = source_units["id"], source_units
        columns = (tables.intern_strings(source_documents[name]) for name in ("title", "created_at", "language"))
        of_each: list[dict[str, str]] = [dict(zip(self.ids, column, strict=True)) for column in columns]
        self._titles, self._days, self._languages = of_each
        self._works = {title: without_part(title) for title in {*self._titles.values()}}
        self.of_logs = 2 * sum(map(is_change_log, self._titles.values())) > len(self.ids)
        self.cards = Cards(self._documents["blocks"])
        self.document = _Documents(self._documents, {identity: row for row, identity in enumerate(self.ids)})
        self.signs = document_signs(source_documents, entity_mentions, before, each)
        self._narrated = self._stories()
        talks = pc.greater(pc.list_value_length(self.signs["speakers"]), 0)
        self.talks = {*self.signs["document_id"].filter(talks).to_pylist()}
        self.hosts, self._formulas = hosts(self.signs), formulas(self.signs["edges"])
        self._named = {name.title() for name in self.hosts}
        self.attempt, self.each = attempt, each
        lengths = pc.utf8_length(source_documents["text"])
        self.lengths, self.unit_ends = np.asarray(lengths).astype(np.int64), source_units["char_end"].to_numpy()
        self.n_characters = dict(zip(self.ids, lengths.to_pylist(), strict=True))
        self._notices = notices(self.signs, pc.sum(lengths).as_py() or 0)
        self._dated = _tell_apart([day[:10] for day in self._days.values()])
        self.other_before = not before or (self.hosts, self._formulas) != (
            hosts(before[0]),
            formulas(before[0]["edges"]),
        )
        self._made: dict[SpanKey, ReportStatement | None] = {}
        self._chapters: dict[str, list[tuple[int, str]]] = {}

    def of(self, documents: set[str], units: set[str], others: set[str]) -> "Sources":
        """Return what statements of these need, to be told in any process: no table, and no other's sentence.

        Of `others` a statement can be made, of which no page reads the text.
        """
        one = copy(self)
        for name in ("_titles", "_days", "_languages", "n_characters", "_notices", "_orders"):
            held, wanted = getattr(self, name), documents | others if name in ("_days", "_languages") else documents
            setattr(one, name, {identity: held[identity] for identity in wanted if identity in held})
        one._works = {title: self._works[title] for title in one._titles.values()}
        one._units = {identity: self._units[identity] for identity in units}
        one._narrated = self._narrated & documents
        one._made = {}
        for name in OF_ALL:
            vars(one).pop(name, None)
        one.attempt = unguarded
        return one

    @cached_property
    def _units(self) -> dict[str, tuple[int, int]]:
        return {
            one: (start, end) for one, start, end in tables.rows(self._source_units, "id", "char_start", "char_end")
        }

    @cached_property
    def _orders(self) -> dict[str, int]:
        parts = {title: by_part(title) for title in self._works}
        keyed = [(self._days[one], parts[self._titles[one]], row) for row, one in enumerate(self.ids)]
        return {self.ids[row]: rank for rank, (_, _, row) in enumerate(sorted(keyed))}

    @cached_property
    def reading(self) -> "NDArray[np.int64]":
        """The `order` of each document, by row."""
        return np.array([self._orders[one] for one in self.ids], np.int64)

    @cached_property
    def narrated(self) -> "NDArray[np.bool_]":
        """Which documents are stories, by row."""
        return np.array([one in self._narrated for one in self.ids], bool)

    def closed(self) -> "dict[str, Closed]":
        """Return all documents as they are sent to another process."""
        return {identity: self.document.closed(identity) for identity in sorted(self._titles)}

    def called(self, identity: str) -> str:
        """Return a document's title, or the heading in its first line where the title is no more than its id."""
        document = self.document(identity)
        title = document["title"]
        return title if is_informative(title) else headline(document["text"]) or title

    def title(self, identity: str) -> str:
        """Return what a document is called, which may be its file's name."""
        return self._titles[identity]

    def work(self, identity: str) -> str:
        """Return what a document is a part of, by its title: chapters and passages of one work are told as one."""
        return self._works[self._titles[identity]] or identity

    def order(self, identity: str) -> int:
        """Return the place of a document as they are read: by dates, then titles, part 2 before part 10, then paths."""
        return self._orders[identity]

    @cached_property
    def usual(self) -> frozenset[str]:
        """Words in the titles of a quarter of all works, of several or of only one, in small letters: "transcript"."""
        works = {*self._works.values()}
        counted = Counter(word for one in works for word in set(WORD.findall(one.casefold())))
        return frozenset(word for word, n in counted.items() if len(works) == 1 or 4 * n >= len(works) >= SEVERAL)

    def own_title(self, name: str, language: str) -> str:
        """Return a title without what a quarter of all have at its ends; empty where only numbers are left of it."""
        words = [*WORD.finditer(name)]
        joining = FUNCTION_WORDS.get(language, frozenset())
        if self.usual.isdisjoint({word[0].casefold() for word in words} - joining):
            return name
        own = [word for word in words if not word[0].isdecimal() and word[0].casefold() not in self.usual | joining]
        remaining = name[own[0].start() : own[-1].end()] if own else ""
        remaining = next(re.finditer(rf'["“«„]?{re.escape(remaining)}["”»]?', name))[0]
        return remaining if is_informative(remaining) and not _NUMBER.search(remaining) else ""

    def at(self, span: Row) -> ReportStatement | None:
        """Return what the sentence at a span says, None where it cannot be read."""
        where = span["document_id"], span["char_start"], span["char_end"]
        if where not in self._made:
            document = self.document(span["document_id"])
            one = self.attempt(span["text_unit_id"], read_sentence, span, document)
            self._made[where] = self._stated(span, document, one) if one else None
        return self._made[where]

    def _stated(self, span: Row, document: Row, read: Reading) -> ReportStatement:
        row = bool(document["blocks"])
        cell = row and is_cell(span, document)
        worth = read.worth * self.aside(document["id"], read.start, read.end, read.worth, cell)
        span = span | {"char_start": read.start, "char_end": read.end}
        return self.statement(span, read.terms, read.length, worth, row, cell)

    def statement(
        self, span: Row, terms: tuple[str, ...], length: int, worth: float, row: bool, cell: bool
    ) -> ReportStatement:
        """Return what a sentence says that was read."""
        identity = span["document_id"]
        return ReportStatement(
            span, terms, length, worth, self.document, self._languages[identity], self.day(identity), row, cell
        )

    def features(self, documents: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Return a hash of what a page makes of documents, by row, beside their sentences, (n,)."""
        import pyarrow as pa
        import pyarrow.compute as pc

        rows, inverse = np.unique(documents, return_inverse=True)
        heads = pc.utf8_slice_codeunits(self._documents["text"], 0, 2 * LONGEST_TITLE).take(pa.array(rows))
        parts = (
            (title := self._titles[one], is_informative(title) or headline(head), self._languages[one], self.day(one))
            for one, head in zip(map(self.ids.__getitem__, rows.tolist()), heads.to_pylist(), strict=True)
        )
        found = np.array([hashed(*each) for each in parts], np.int64) ^ self.narrated[rows]
        return np.asarray(found[inverse])

    def is_change_log(self, identity: str) -> bool:
        """Say whether a document is a log of changes, in a corpus of which most are something else."""
        return not self.of_logs and is_change_log(self._titles[identity])

    def language(self, identity: str) -> str:
        return self._languages[identity]

    def day(self, identity: str) -> str:
        """Return the day of a document; empty where all have the same."""
        return self._days[identity] if self._dated else ""

    def aside(self, identity: str, start: int, end: int, worth: float, cell: bool) -> float:
        """Return what part of its `worth` a sentence counts: little where it names a host, nothing where it stands in
        a notice or is a formula."""
        document = self.document(identity)
        sentence = one_line(document["text"][start:end]) if self._named else ""
        counts = ASIDE if self._named and not self._named.isdisjoint(sentence.split()) else 1.0
        noticed = worth * counts >= STANDS and not cell and self._is_noticed(document, start, end)
        return 0.0 if noticed else counts

    def are_noticed(self, documents: "NDArray[np.int64]") -> "NDArray[np.bool_]":
        """Say which documents, by row, hold notices, whether or not they are what the corpus is about."""
        import pyarrow.compute as pc

        noticed: NDArray[np.bool_] = np.asarray(pc.list_value_length(self.signs["notice_starts"])) > 0
        return noticed[documents]

    @property
    def has_asides(self) -> bool:
        """Whether there are hosts, formulas or notices at all."""
        return bool(self._named or self._formulas or self._notices)

    def _is_noticed(self, document: Row, start: int, end: int) -> bool:
        """Say whether characters of a document stand in a notice, or are a formula."""
        text = document["text"]
        formula = self._formulas and len(text) >= LONG and is_formula(text[start:end], self._formulas)
        return formula or is_noticed(self._notices.get(document["id"], ()), start, end)

    def row_text(self, one: ReportStatement) -> list[ReportStatement]:
        """Return the first sentence that a table's row holds below its card, in the text unit of a statement of it."""
        document, (start, end) = self.document(one.span["document_id"]), self._units[one.span["text_unit_id"]]
        start = max(start, *(card["char_end"] for card in document["blocks"]))
        for first, last in sentences(document["text"][start:end], document["language"]):
            first, last = trimmed(document["text"], start + first, start + last)
            if first < last and not document["text"].startswith("#", first):
                return [read] if (read := self.at(one.span | {"char_start": first, "char_end": last})) else []
        return []

    def is_narrated(self, identity: str) -> bool:
        """Say whether a document is a story that people speak in, or a part of one; not each part has dialogue."""
        return identity in self._narrated

    def _stories(self) -> set[str]:
        """Return the documents of works of which most parts have dialogue."""
        shares = dict(tables.rows(self.signs, "document_id", "dialogue"))
        if max(shares.values(), default=0.0) < SPOKEN_PART:
            return set()
        parts: dict[str, list[str]] = {}
        for identity in shares:
            parts.setdefault(self.work(identity), []).append(identity)
        found: set[str] = set()
        for own in parts.values():
            least = SPOKEN_PART if len(own) > 1 else SPOKEN
            if 2 * sum(shares[one] >= least for one in own) > len(own):
                found.update(own)
        return found

    def scene(self, one: ReportStatement) -> float:
        """Return what a statement of a story counts as the beginning of a scene (`stories.begins`)."""
        return begins(self.document(one.location[0])["text"], one.location[1], one.span["char_end"])

    def following(self, one: ReportStatement, taken: Collection[tuple[str, int]]) -> list[ReportStatement]:
        """Return the sentences that follow one of a story in its paragraph and text unit, up to what somebody says, or
        to a location that is `taken`, told without it."""
        text, start = self.document(one.location[0])["text"], one.span["char_end"]
        found: list[ReportStatement] = []
        for first, last in sentences(rest_of_paragraph(text, start), one.language)[: SENTENCES - 1]:
            first, last = trimmed(text, start + first, start + last)
            read = self.at(one.span | {"char_start": first, "char_end": last}) if first < last else None
            within = last - first in READ and last <= self._units[one.span["text_unit_id"]][1]
            if not (within and read and read.worth and read.location not in taken) or SPEECH.search(text, first, last):
                break
            found.append(read)
        return found

    def is_spoken(self, one: ReportStatement) -> bool:
        """Say whether a statement is what somebody says in a story."""
        document, start = one.location
        return self.is_narrated(document) and is_spoken(self.document(document)["text"], start)

    def chapter(self, one: ReportStatement) -> str:
        """Return the heading of the chapter that a statement of a story stands in; empty for what is no story."""
        document, start = one.location
        if not self.is_narrated(document):
            return ""
        if document not in self._chapters:
            self._chapters[document] = chapters(self.document(document)["text"])
        return chapter_at(self._chapters[document], start) or part_title(self.title(document))


def _tell_apart(days: Sequence[str]) -> bool:
    """Say whether days tell documents apart, each one's, empty where it has none: not where nearly all have the same.

    >>> _tell_apart(["2024-01-01", "2024-02-01", ""]), _tell_apart([*["2024-01-01"] * 30, "2024-02-01", ""])
    (True, False)
    """
    n_dated = Counter(filter(None, days))
    most = max(n_dated.values(), default=0)
    return len({*days}) > 1 and (most < SEVERAL or most < ONE_DAY * n_dated.total())


Closed = tuple[bytes, Row]  # a document's text, UTF-8, and the rest of its row: most that are sent are read nowhere


class _Documents:
    """The rows of documents by id, each with its text and its cards; those of a large corpus are not held all.

    Statements hold on to these alone: were it to `Sources`, which have all statements, no count of references would
    tell that they may go.
    """

    def __init__(self, documents: "pa.Table", rows: Mapping[str, int]) -> None:
        self._texts, self._documents, self._rows = documents["text"], documents.drop_columns("text"), rows
        self._opened: dict[str, Row] = {}
        self._closed: dict[str, Closed] = {}

    def __reduce__(self) -> tuple[type["Opened"], tuple[()]]:
        return Opened, ()

    def __call__(self, identity: str) -> Row:
        if identity not in self._opened:
            _make_room(self._opened)
            text = self._texts[self._rows[identity]].as_py()
            self._opened[identity] = self._without_text(identity) | {"text": text}
        return self._opened[identity]

    def closed(self, identity: str) -> Closed:
        if identity not in self._closed:
            _make_room(self._closed)
            text = bytes(self._texts[self._rows[identity]].as_buffer())
            self._closed[identity] = text, self._without_text(identity)
        return self._closed[identity]

    def _without_text(self, identity: str) -> Row:
        row: Row = self._documents.slice(self._rows[identity], 1).to_pylist()[0]
        cards = [one for one in row["blocks"] if one["kind"] == "card" and one["label"] != tables.HEAD]
        is_mail = any(one["kind"] == "message" for one in row["blocks"])
        return row | {"blocks": [] if is_mail else cards}


def _make_room(held: dict[str, Any]) -> None:
    if len(held) == HELD:
        del held[next(iter(held))]


class Opened:
    """What stands for these in another process: the documents that it was given."""

    def __init__(self) -> None:
        self._opened: dict[str, Row] = {}
        self._closed: dict[str, Closed] = {}

    def __call__(self, identity: str) -> Row:
        if identity not in self._opened:
            text, row = self._closed[identity]
            self._opened[identity] = row | {"text": text.decode()}
        return self._opened[identity]

    def add(self, documents: Mapping[str, Closed]) -> None:
        self._closed.update(documents)

"""Pages of the last run, each with a digest of all that it was made of: what is equal is not put together again."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.evidence.report_facts import MAX_MEMBERS
from graphrag_lite.evidence.report_statements import Statement
from graphrag_lite.evidence.report_told import Told

if TYPE_CHECKING:
    import pyarrow as pa

Row = Mapping[str, Any]


class KnownPages:
    """Pages by what they are made of, JSON objects: those `before`, and those that this run asked for.

    A document's id stands for its text and dates, so a sentence is its place, the title, and what the corpus makes
    of it.
    """

    def __init__(self, before: "pa.Table | None", told: Told, of_all: Collection[Any]) -> None:
        """`of_all` is what every page hangs on beside its community, such as settings."""
        self._before = dict(tables.rows(before, "inputs", "page")) if before else {}
        self._told, self._of_all = told, json.dumps(of_all).encode()
        self._sentences: dict[tuple[str, int], bytes] = {}
        self._members: dict[str, bytes] = {}
        self._asked: dict[str, str] = {}

    def page(
        self,
        relationships: Sequence[Row],
        members: Sequence[Row],
        counts: Mapping[str, float],
        above: Collection[str],
        make: Callable[[], Any],
    ) -> Any:
        """Return the page of a community, as `make` makes it (JSON), from what it is made of.

        `members` are entities, strongest first, `relationships` in any order; `counts` is what these count, by id;
        `above` are the sentences of the summaries above it.
        """
        told = self._told
        parts = [self._of_all, json.dumps(sorted(above)).encode()]
        for row in sorted(relationships, key=lambda row: row["id"]):
            one = told.stated.get(row["id"])
            names = (row["id"], row["source"], row["target"], row["relation"], *row["text_unit_ids"])
            parts.append(repr((names, counts[row["id"]])).encode())
            parts.append(self._sentence(one) if one else b"")
        for number, row in enumerate(members):
            lead = told.leads.get(row["id"])
            parts.append(repr((row["id"], row["title"], row["type"], lead and lead.place)).encode())
            parts.append(self._member(row["id"]) if number < MAX_MEMBERS else b"")
        inputs = blake2b(b"\0".join(parts), digest_size=16).hexdigest()
        known = self._before.get(inputs) or self._asked.get(inputs)
        self._asked[inputs] = known or json.dumps(make(), ensure_ascii=False)
        return json.loads(self._asked[inputs])

    def table(self) -> "pa.Table":
        """Return `report_pages`: what this run asked for, in that order."""
        return tables.make("report_pages", list(self._asked.items()))

    def _member(self, identity: str) -> bytes:
        """Return a digest of the sentences that name an entity."""
        if identity not in self._members:
            told = map(self._sentence, self._told.named.get(identity, ()))
            self._members[identity] = blake2b(b"\0".join(told), digest_size=16).digest()
        return self._members[identity]

    def _sentence(self, one: Statement) -> bytes:
        if one.place not in self._sentences:
            told = [one, *(self._told.sources.row_text(one) if one.row else ())]
            self._sentences[one.place] = repr([self._read(each) for each in told]).encode()
        return self._sentences[one.place]

    def _read(self, one: Statement) -> tuple[Any, ...]:
        rare = bytes(int(self._told.idf[term]) for term in sorted(one.sentence.terms))
        sources, document = self._told.sources, one.place[0]
        of_it = (sources.title(document), sources.is_narrated(document), one.language, one.day, one.row, one.cell)
        return *one.place, one.span["char_end"], one.span["text_unit_id"], one.sentence.worth, *of_it, rare

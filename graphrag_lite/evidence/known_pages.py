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

    A document's id stands for its title, text and dates, so a sentence is its place and what the corpus makes of it.
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
            parts.append(repr((row["id"], row["title"], row["type"])).encode())
            parts.append(self._member(row["id"]) if number < MAX_MEMBERS else b"")
        inputs = blake2b(b"\0".join(parts), digest_size=16).hexdigest()
        known = self._before.get(inputs) or self._asked.get(inputs)
        self._asked[inputs] = known or json.dumps(make(), ensure_ascii=False)
        return json.loads(self._asked[inputs])

    def table(self) -> "pa.Table":
        """Return `report_pages`: what this run asked for, in that order."""
        return tables.make("report_pages", list(self._asked.items()))

    def _member(self, identity: str) -> bytes:
        """Return what the corpus tells of an entity: the sentences that name it, and its definition."""
        if identity not in self._members:
            told = [*self._told.named.get(identity, ())]
            told += [self._told.leads[identity]] if identity in self._told.leads else []
            digest = blake2b(b"\0".join(map(self._sentence, told)), digest_size=16)
            self._members[identity] = digest.digest()
        return self._members[identity]

    def _sentence(self, one: Statement) -> bytes:
        if one.place not in self._sentences:
            told = [one, *(self._told.sources.row_text(one) if one.row else ())]
            self._sentences[one.place] = repr([self._read(each) for each in told]).encode()
        return self._sentences[one.place]

    def _read(self, one: Statement) -> tuple[Any, ...]:
        rare = bytes(int(self._told.idf[term]) for term in sorted(one.sentence.terms))
        part = one.place[0] in self._told.sources.parts
        at = (*one.place, part, one.span["char_end"], one.span["text_unit_id"])
        return *at, one.sentence.worth, one.language, one.day, one.row, one.cell, rare

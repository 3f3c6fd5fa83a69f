"""Pages of the last run, each with a digest of all that it was made of: what is equal is not put together again."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.evidence.report_choice import Choose, best_of
from graphrag_lite.evidence.report_facts import MAX_MEMBERS, Fact
from graphrag_lite.evidence.report_statements import Statement
from graphrag_lite.evidence.report_told import Told
from graphrag_lite.settings import ReportCommunitiesFast

if TYPE_CHECKING:
    import pyarrow as pa

Row = Mapping[str, Any]


def most_told(settings: ReportCommunitiesFast) -> int:
    """Return how many facts a page tells at most."""
    return settings.max_summary_sentences + settings.max_findings


class KnownPages:
    """Pages by what they are made of, JSON objects: those `before`, and those that this run asked for.

    A document's id stands for its text and dates, so a sentence is its place, the title, and what the corpus makes
    of it. What its terms are worth is told by all that the corpus tells, and moves with any edit: so where it has moved
    the sentences that a page was chosen from are chosen from again. Of rows of tables, which are no single sentences,
    it is in the hash.
    """

    def __init__(self, before: "pa.Table | None", told: Told, settings: ReportCommunitiesFast) -> None:
        kept = tables.rows(before, "inputs", "page", "choice", "rarity") if before else ()
        self._before = {inputs: of_it for inputs, *of_it in kept}
        self._told, self._of_all = told, json.dumps([settings.model_dump(), sorted(told.sources.usual)]).encode()
        self.best_of: Choose = partial(best_of, most=most_told(settings), idf=told.idf)
        self._sentences: dict[tuple[str, int], bytes] = {}
        self._members: dict[str, bytes] = {}
        self._asked: dict[str, Sequence[str]] = {}
        self._rare: dict[tuple[str, int], bytes] = {}

    def page(
        self,
        relationships: Sequence[Row],
        members: Sequence[Row],
        counts: Mapping[str, float],
        above: Collection[str],
        make: Callable[[Choose], Any],
    ) -> Any:
        """Return the page of a community, as `make` makes it (JSON), from what it is made of.

        `members` are entities, strongest first, `relationships` in any order; `counts` is what these count, by id;
        `above` are the sentences of the summaries above it.
        """
        told = self._told
        parts = [self._of_all, json.dumps(sorted(above)).encode()]
        stated: list[Statement] = []
        for row in sorted(relationships, key=lambda row: row["id"]):
            own = [told.stated[row["id"]]] if row["id"] in told.stated else []
            names = (row["id"], row["source"], row["target"], row["relation"], *row["text_unit_ids"])
            parts.append(repr((names, counts[row["id"]])).encode())
            parts += map(self._sentence, own)
            stated += own
        for number, row in enumerate(members):
            lead = told.leads.get(row["id"])
            parts.append(repr((row["id"], row["title"], row["type"], lead and lead.place)).encode())
            parts.append(self._member(row["id"]) if number < MAX_MEMBERS else b"")
            stated += told.named.get(row["id"], ()) if number < MAX_MEMBERS else ()
        inputs = blake2b(b"\0".join(parts), digest_size=16).hexdigest()
        if inputs not in self._asked:
            self._asked[inputs] = self._kept(inputs, stated) or self._made(make, stated)
        return json.loads(self._asked[inputs][0])

    def _made(self, make: Callable[[Choose], Any], stated: Sequence[Statement]) -> tuple[str, str, str]:
        """Return a page, how what it tells was chosen from what is `stated`, if that is known, and the `_rarity`."""
        choices: list[Any] = []
        place = {one.place: number for number, one in enumerate(stated)}
        of_rows = any(one.row for one in stated)

        def choose(told: Sequence[Fact | Statement], *how: Any) -> list[int]:
            chosen = self.best_of(told, *how)
            if not of_rows:
                choices[:] = [place[one.place] for one in told], *how, chosen
            return chosen

        page = json.dumps(make(choose), ensure_ascii=False)
        return page, json.dumps(choices, separators=(",", ":")), self._rarity(choices, stated)

    def _kept(self, inputs: str, stated: Sequence[Statement]) -> tuple[str, str, str] | None:
        """Return what is known of a page of these inputs if the same sentences are chosen as when it was made."""
        if inputs not in self._before:
            return None
        page, choice, before = self._before[inputs]
        choices = json.loads(choice)
        now = self._rarity(choices, stated)
        if not choices:  # nothing was chosen, or of rows, with which nothing else may stand
            same = len({one.row for one in stated}) < 2
        elif not (same := now == before):
            places, *how, chosen = choices
            same = self.best_of([stated[place] for place in places], *how) == chosen
        return (page, choice, now) if same else None

    def _rarity(self, choices: Sequence[Any], stated: Sequence[Statement]) -> str:
        """Return a digest of what the terms of those sentences are worth that were chosen from; empty for none."""
        rare = b"".join(self._rare_terms(stated[place]) for place in choices[0]) if choices else b""
        return blake2b(rare, digest_size=16).hexdigest() if choices else ""

    def table(self) -> "pa.Table":
        """Return `report_pages`: what this run asked for, in that order."""
        return tables.make("report_pages", [(inputs, *made) for inputs, made in self._asked.items()])

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
        sources, document = self._told.sources, one.place[0]
        rare = self._rare_terms(one) if one.row else b""
        of_it = (sources.title(document), sources.is_narrated(document), one.language, one.day, one.row, one.cell)
        return *one.place, one.span["char_end"], one.span["text_unit_id"], one.worth, *of_it, rare

    def _rare_terms(self, one: Statement) -> bytes:
        """Return what each of its terms is worth, whole bits."""
        if one.place not in self._rare:
            self._rare[one.place] = bytes(int(self._told.idf.get(term, 0)) for term in one.terms)
        return self._rare[one.place]

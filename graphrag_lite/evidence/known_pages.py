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
    of it. What its terms are worth is told by all that the corpus tells, and moves with any edit: so the sentences that
    a page was chosen from are chosen from again. Of rows of tables, which are no single sentences, it is in the hash.
    """

    def __init__(self, before: "pa.Table | None", told: Told, settings: ReportCommunitiesFast) -> None:
        kept = tables.rows(before, "inputs", "page", "choice") if before else ()
        self._before = {inputs: (page, choice) for inputs, page, choice in kept}
        self._told, self._of_all = told, json.dumps([settings.model_dump(), sorted(told.sources.usual)]).encode()
        self.best_of: Choose = partial(best_of, most=most_told(settings), idf=told.idf)
        self._sentences: dict[tuple[str, int], bytes] = {}
        self._members: dict[str, bytes] = {}
        self._asked: dict[str, tuple[str, str]] = {}

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
            known = self._before.get(inputs)
            if not known or not self._holds(known[1], stated):
                known = self._made(make, stated)
            self._asked[inputs] = known
        return json.loads(self._asked[inputs][0])

    def _made(self, make: Callable[[Choose], Any], stated: Sequence[Statement]) -> tuple[str, str]:
        """Return a page, and how what it tells was chosen from what is `stated`, if that is known."""
        choices: list[Any] = []
        place = {one.place: number for number, one in enumerate(stated)}
        of_rows = any(one.row for one in stated)

        def choose(told: Sequence[Fact | Statement], *how: Any) -> list[int]:
            chosen = self.best_of(told, *how)
            if not of_rows:
                choices[:] = [place[one.place] for one in told], *how, chosen
            return chosen

        page = json.dumps(make(choose), ensure_ascii=False)
        return page, json.dumps(choices, separators=(",", ":"))

    def _holds(self, choice: str, stated: Sequence[Statement]) -> bool:
        """Say whether the same sentences are chosen as when a page was made."""
        if not (choices := json.loads(choice)):  # nothing was chosen, or of rows, with which nothing else may stand
            return len({one.row for one in stated}) < 2
        places, *how, chosen = choices
        return bool(self.best_of([stated[place] for place in places], *how) == chosen)

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
        rare = bytes(int(self._told.idf[term]) for term in one.sentence.terms) if one.row else b""
        of_it = (sources.title(document), sources.is_narrated(document), one.language, one.day, one.row, one.cell)
        return *one.place, one.span["char_end"], one.span["text_unit_id"], one.sentence.worth, *of_it, rare

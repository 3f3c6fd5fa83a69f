"""Pages of the last run, each with a digest of all that it was made of: what is equal is not put together again."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from graphrag_lite import tables
from graphrag_lite.attempts import Fail, attempting
from graphrag_lite.evidence.report_choice import Choose, best_of
from graphrag_lite.evidence.report_facts import MAX_MEMBERS, Fact
from graphrag_lite.evidence.report_statements import Opened, Statement
from graphrag_lite.evidence.report_told import Told
from graphrag_lite.settings import ReportCommunitiesFast
from graphrag_lite.tables.lazy_items import LazyItems

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]
Each = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
SENTENCE = 100  # characters of text that take as long as a sentence that a page is chosen from


def most_told(settings: ReportCommunitiesFast) -> int:
    """Return how many facts a page tells at most."""
    return settings.max_summary_sentences + settings.max_findings


@dataclass(frozen=True)
class Page:
    """What the page of a community is made of: its relationships, its members, strongest first, and what is told.

    `counts` is what a relationship counts, `strength` how strongly a member is related, by id; `above` are the
    sentences of the summaries above it. `whole`: it holds all of a small corpus.
    """

    id: str
    relationships: Sequence[Row]
    members: Sequence[Row]
    counts: Mapping[str, float]
    strength: Mapping[str, float]
    above: frozenset[str]
    told: Told
    whole: bool = False

    @property
    def stated(self) -> list[Statement]:
        """What it is chosen from: the statements of its relationships, and of its strongest members."""
        told, rows = self.told, sorted(self.relationships, key=itemgetter("id"))
        own = [told.stated[row["id"]] for row in rows if row["id"] in told.stated]
        return own + [one for row in self.members[:MAX_MEMBERS] for one in told.named.get(row["id"], ())]

    @property
    def n_characters(self) -> int:
        """About how much work it is."""
        return SENTENCE * len(self.told.stated) + SENTENCE * sum(map(len, self.told.named.values()))

    def alone(self) -> "Page":
        """Return it with what is told on it alone: what is known of other pages changes no byte of it."""
        told, stated, ids = self.told, self.stated, [row["id"] for row in self.members]
        texts = [text for one in stated if one.row for text in told.sources.row_text(one)]
        terms = {term for one in (*stated, *texts) for term in one.terms}
        own = Told(
            entity={row["id"]: row for row in self.members},
            relationship={},
            stated={row["id"]: told.stated[row["id"]] for row in self.relationships if row["id"] in told.stated},
            named={i: told.named[i] for i in ids[:MAX_MEMBERS] if i in told.named},
            leads={i: told.leads[i] for i in ids if i in told.leads},
            idf={term: told.idf[term] for term in terms if term in told.idf},
            counts={},
            weights={},
            heaviest={},
            total=told.total,
            sources=told.sources.of(stated),
        )
        return replace(self, told=own)

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs: the documents, too."""
        return {**vars(self), "documents": self.told.sources.opened()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        documents = state.pop("documents")
        vars(self).update(state)
        cast("Opened", self.told.sources.document).update(documents)


Make = Callable[[Page, Choose], Any]


class Made(NamedTuple):
    """A page (JSON), how what it tells was chosen from what is `stated`, if that is known, and the `_rarity`.

    `failed` are text units whose sentences could not be read, with the error.
    """

    page: str
    choices: str
    rarity: str
    failed: Sequence[tuple[str, str, int]] = ()


def made_page(page: Page, make: Make, settings: ReportCommunitiesFast) -> Made:
    """Make a page of what it holds alone."""
    told, stated = page.told, page.stated
    choices: list[Any] = []
    failed: list[tuple[str, str, int]] = []
    told.sources.attempt = attempting(lambda *failure: failed.append(failure))
    place = {one.place: number for number, one in enumerate(stated)}
    of_rows = any(one.row for one in stated)

    def choose(found: Sequence[Fact | Statement], *how: Any) -> list[int]:
        chosen = best_of(found, *how, most=most_told(settings), idf=told.idf)
        if not of_rows:
            choices[:] = [place[one.place] for one in found], *how, chosen
        return chosen

    said = json.dumps(make(page, choose), ensure_ascii=False)
    rarity = _rarity(choices, stated, partial(_rare_terms, idf=told.idf))
    return Made(said, json.dumps(choices, separators=(",", ":")), rarity, failed)


def _rarity(choices: Sequence[Any], stated: Sequence[Statement], rare_terms: Callable[[Statement], bytes]) -> str:
    """Return a digest of what the terms of those sentences are worth that were chosen from; empty for none."""
    rare = b"".join(rare_terms(stated[place]) for place in choices[0]) if choices else b""
    return blake2b(rare, digest_size=16).hexdigest() if choices else ""


def _rare_terms(one: Statement, idf: Mapping[str, float]) -> bytes:
    """Return what each of its terms is worth, whole bits."""
    return bytes(int(idf.get(term, 0)) for term in one.terms)


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
        self._settings = settings
        self._sentences: dict[tuple[str, int], bytes] = {}
        self._members: dict[str, bytes] = {}
        self._asked: dict[str, Made | None] = {}
        self._rare: dict[tuple[str, int], bytes] = {}

    def pages(self, asked: Sequence[Page], make: Make, each: Each, fail: Fail) -> list[Any]:
        """Return the page of each community, as `make` makes it (JSON), None where it cannot be made.

        Those that are not known are made by `each`, in any process.
        """
        digests = list(map(self._inputs, asked))
        new: dict[str, Page] = {}
        for inputs, page in zip(digests, asked, strict=True):
            if inputs not in self._asked:
                self._asked[inputs] = known = self._kept(inputs, page.stated)
                new |= {} if known else {inputs: page}
        alone = LazyItems(len(new), lambda: (page.alone() for page in new.values()))
        made = each(partial(made_page, make=make, settings=self._settings), alone)
        for inputs, one in zip(new, made, strict=True):
            self._asked[inputs] = one
            for failure in one.failed if one else ():
                fail(*failure)
        return [json.loads(one.page) if (one := self._asked[inputs]) else None for inputs in digests]

    def _inputs(self, page: Page) -> str:
        """Return a digest of all that a page is made of."""
        told = self._told
        parts = [self._of_all, json.dumps(sorted(page.above)).encode()]
        for row in sorted(page.relationships, key=itemgetter("id")):
            names = (row["id"], row["source"], row["target"], row["relation"], *row["text_unit_ids"])
            parts.append(repr((names, page.counts[row["id"]])).encode())
            parts += [self._sentence(told.stated[row["id"]])] if row["id"] in told.stated else []
        for number, row in enumerate(page.members):
            lead = told.leads.get(row["id"])
            parts.append(repr((row["id"], row["title"], row["type"], lead and lead.place)).encode())
            parts.append(self._member(row["id"]) if number < MAX_MEMBERS else b"")
        return blake2b(b"\0".join(parts), digest_size=16).hexdigest()

    def _kept(self, inputs: str, stated: Sequence[Statement]) -> Made | None:
        """Return what is known of a page of these inputs if the same sentences are chosen as when it was made."""
        if inputs not in self._before:
            return None
        page, choice, before = self._before[inputs]
        choices = json.loads(choice)
        now = _rarity(choices, stated, self._rare_terms)
        if not choices:  # nothing was chosen, or of rows, with which nothing else may stand
            same = len({one.row for one in stated}) < 2
        elif not (same := now == before):
            places, *how, chosen = choices
            same = self.best_of([stated[place] for place in places], *how) == chosen
        return Made(page, choice, now) if same else None

    def table(self) -> "pa.Table":
        """Return `report_pages`: what this run asked for, in that order."""
        return tables.make("report_pages", [(inputs, *made[:3]) for inputs, made in self._asked.items() if made])

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
            self._rare[one.place] = _rare_terms(one, self._told.idf)
        return self._rare[one.place]

"""Pages of the last run, each with a digest of all that it was made of: what is equal is not put together again."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from graphrag_lite import tables
from graphrag_lite.attempts import Fail, attempting
from graphrag_lite.evidence.community_statements import CommunityStatements
from graphrag_lite.evidence.corpus_statements import CorpusStatements
from graphrag_lite.evidence.hashes import MIX, hashed, mixed
from graphrag_lite.evidence.report_choice import OPENING, Choose, best_of
from graphrag_lite.evidence.report_facts import MAX_MEMBERS, OPENS, PARTS, Fact
from graphrag_lite.evidence.report_statements import Opened, Sources
from graphrag_lite.evidence.reportable_sentences import SentenceColumns
from graphrag_lite.evidence.statement import ReportStatement
from graphrag_lite.evidence.stories import REST
from graphrag_lite.settings import ReportCommunitiesFast
from graphrag_lite.tables.lazy_items import LazyItems

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Hashes = NDArray[np.uint64]

Row = dict[str, Any]
Each = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
SENTENCE = 100  # characters of text that take as long as a sentence that a page is chosen from
DIGITS = 2  # of what a relationship counts: an edit anywhere moves all of them a little, and no page hangs on that
PAGE = "community "  # begins what a page is called by that fails: others are text units and documents
OF_RELATIONSHIP = ("id", "source", "target", "source_id", "target_id", "relation")
OF_MEMBER = ("id", "title", "type", "acronym")


def max_facts(settings: ReportCommunitiesFast) -> int:
    """Return how many facts a page tells at most."""
    return settings.max_summary_sentences + settings.max_findings


class PageMembers(NamedTuple):
    """What the page of a community is made of: rows of its relationships, by id, and members, strongest first.

    `stated` are the sentences that it is chosen from, as `Page.stated` has them, `above` those of the summaries above
    it. `whole`: it holds all of a small corpus.
    """

    id: str
    relationships: "Ints"
    members: "Ints"
    stated: "Ints"
    units: "Ints"
    above: frozenset[str]
    whole: bool = False


@dataclass(frozen=True)
class CommunityPage:
    """The same, to be put together in any process: what is known of other pages changes no byte of it.

    `counts` is what a relationship counts, `strength` how strongly a member is related, by id. `states`, `names` and
    `leads` are positions in `sentences`, -1 for none: of each relationship, strongest member, and member.
    """

    id: str
    relationships: Sequence[Row]
    within: Collection[str]
    members: Sequence[Row]
    counts: Mapping[str, float]
    strength: Mapping[str, float]
    above: frozenset[str]
    whole: bool
    sentences: SentenceColumns
    states: Sequence[int]
    names: Sequence[Sequence[int]]
    leads: Sequence[int]
    idf: Mapping[str, float]
    sources: Sources

    @cached_property
    def statements(self) -> CommunityStatements:
        found = self.sentences.statements(self.sources)
        ids = [row["id"] for row in self.members]
        return CommunityStatements(
            entity=dict(zip(ids, self.members, strict=True)),
            stated={
                row["id"]: found[one] for row, one in zip(self.relationships, self.states, strict=True) if one >= 0
            },
            named={identity: [found[one] for one in own] for identity, own in zip(ids, self.names, strict=False)},
            leads={identity: found[one] for identity, one in zip(ids, self.leads, strict=True) if one >= 0},
            idf=self.idf,
            sources=self.sources,
        )

    @property
    def stated(self) -> list[ReportStatement]:
        """What it is chosen from: the statements of its relationships, and of its strongest members."""
        statements = self.statements
        own = [statements.stated[row["id"]] for row in self.relationships if row["id"] in statements.stated]
        return own + [one for several in statements.named.values() for one in several]

    @property
    def n_characters(self) -> int:
        """About how much work it is."""
        return SENTENCE * (sum(one >= 0 for one in self.states) + sum(map(len, self.names)))

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs: the documents, too."""
        return {**vars(self), "documents": self.sources.closed()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        documents = state.pop("documents")
        vars(self).update(state)
        cast("Opened", self.sources.document).add(documents)


Make = Callable[[CommunityPage, Choose], Any]


class Made(NamedTuple):
    """A page (JSON), how what it tells was chosen from what is `stated`, if that is known, and the `_rarity`.

    A page cites what is stated by its number there, and characters from its beginning. `failed` are text units whose
    sentences could not be read, with the error.
    """

    page: str
    choices: str
    rarity: str = ""
    failed: Sequence[tuple[str, str, int]] = ()


def made_page(page: CommunityPage, make: Make, settings: ReportCommunitiesFast) -> Made:
    """Make a page of what it holds alone."""
    statements, stated = page.statements, page.stated
    choices: list[Any] = []
    failed: list[tuple[str, str, int]] = []
    statements.sources.attempt = attempting(lambda *failure: failed.append(failure))
    number_of = {one.location: number for number, one in enumerate(stated)}
    of_rows = any(one.row for one in stated)

    def choose(found: Sequence[Fact | ReportStatement], *how: Any) -> list[int]:
        chosen = best_of(found, *how, most=max_facts(settings), idf=statements.idf)
        if not of_rows:
            choices[:] = [number_of[one.location] for one in found], *how, chosen
        return chosen

    if made := make(page, choose):
        made["citations"] = [_from_stated(span, number_of, stated) for span in made["citations"]]
    return Made(json.dumps(made, ensure_ascii=False), json.dumps(choices, separators=(",", ":")), failed=failed)


def _from_stated(
    span: Row, number_of: Mapping[tuple[str, int], int], stated: Sequence[ReportStatement]
) -> tuple[int, int, int]:
    """Return which of what is stated stands where a span does, or nearest before it in its text unit, and how many
    characters from its beginning the span begins and ends. `number_of` tells what is stated by place."""
    start, number = span["char_start"], number_of.get((span["document_id"], span["char_start"]))
    if number is None:
        unit = [number for number in number_of.values() if stated[number].span["text_unit_id"] == span["text_unit_id"]]
        begins = {stated[number].location[1]: number for number in unit}
        number = begins[max((begin for begin in begins if begin <= start), default=min(begins))]
    first = stated[number].location[1]
    return number, start - first, span["char_end"] - first


class KnownPages:
    """Pages by what they are made of, JSON objects: those `before`, and those that this run asked for.

    Where in which document a sentence stands is not told, but what it says and stands in, its place among the others,
    and what the corpus makes of it. What its terms are worth is told by all that the corpus tells, and moves with any
    edit: so where it has moved the sentences that a page was chosen from are chosen from again. Of rows of tables,
    which are no single sentences, it is in the hash.
    """

    def __init__(self, before: "pa.Table | None", corpus: CorpusStatements, settings: ReportCommunitiesFast) -> None:
        known = tables.rows(before, "inputs", "page", "choice", "rarity") if before else ()
        self._before = {inputs: Made(*of_it) for inputs, *of_it in known}
        self._corpus, self._settings = corpus, settings
        of_all = settings.model_dump(), sorted(corpus.sources.usual), corpus.sources.of_logs
        self._of_all = json.dumps(of_all).encode()
        self.best_of: Choose = partial(best_of, most=max_facts(settings), idf=corpus.idf)
        self._requested: dict[str, Made | None] = {}
        self._counts = np.array([float(f"{count:.{DIGITS}g}") for count in corpus.counts.tolist()])
        self._strength = np.zeros(corpus.entities.num_rows)
        self._of_relationship, self._of_member = (
            np.array([hashed(row) for row in tables.rows(table, *columns)], np.int64)
            for table, columns in ((corpus.relationships, OF_RELATIONSHIP), (corpus.entities, OF_MEMBER))
        )

    def contents(self, community: Row, above: frozenset[str], *, whole: bool = False) -> PageMembers:
        """Return what the page of a community is made of."""
        row_of = self._corpus.row_of
        inside, members = (
            np.array([row_of[one] for one in sorted(community[name])], np.int64)
            for name in ("relationship_ids", "entity_ids")
        )
        strength = self._strength_in(inside)[members]
        n_named = self._corpus.named.n_of[members]
        members = members[np.lexsort((-n_named, -strength, -self._corpus.n_scenes[members]))]
        units = self._corpus.units.rows if whole else self._corpus.units.of(self._corpus.row_of[community["id"]])
        stated = self._corpus.stated[inside]
        named = map(self._corpus.named.of, members[:MAX_MEMBERS].tolist())
        stated = np.concatenate([stated[stated >= 0], *named])
        return PageMembers(f"{PAGE}{community['community']}", inside, members, stated, units, above, whole)

    def pages(self, requested: Sequence[PageMembers], make: Make, each: Each, fail: Fail) -> list[Any]:
        """Return the page of each community, as `make` makes it (JSON), None where it cannot be made.

        Those that are not known are made by `each`, in any process.
        """
        digests = list(map(self._inputs, requested))
        new: dict[str, PageMembers] = {}
        for inputs, one in zip(digests, requested, strict=True):
            if inputs not in self._requested:
                self._requested[inputs] = known = self._reusable(inputs, one)
                new |= {} if known else {inputs: one}
        documents = self._corpus.sentences.document  # pages of the same ones follow each other, and share them
        new = dict(sorted(new.items(), key=lambda item: documents[item[1].stated].tolist()))
        made = each(
            partial(made_page, make=make, settings=self._settings),
            LazyItems(len(new), lambda: map(self.page, new.values())),
        )
        for (inputs, one), page in zip(new.items(), made, strict=True):
            self._requested[inputs] = page and page._replace(rarity=self._rarity(page, one.stated))
            for failure in page.failed if page else ():
                fail(*failure)
        return [self._cited(self._requested[inputs], one) for inputs, one in zip(digests, requested, strict=True)]

    def page(self, contents: PageMembers) -> CommunityPage:
        """Return it with what is told on it alone, to be put together."""
        corpus = self._corpus
        inside = corpus.relationships.select(OF_RELATIONSHIP).take(contents.relationships).to_pylist()
        members = corpus.entities.select(OF_MEMBER).take(contents.members).to_pylist()
        strength = self._strength_in(contents.relationships)[contents.members].tolist()
        states, leads = corpus.stated[contents.relationships], corpus.leads[contents.members]
        named = [corpus.named.of(row) for row in contents.members[:MAX_MEMBERS].tolist()]
        own = np.unique(contents.stated)
        rows = np.concatenate([own, np.setdiff1d(leads[leads >= 0], own)])
        number_of = dict(zip(rows.tolist(), range(len(rows)), strict=True)) | {-1: -1}
        of_relationships, of_members, *names = (
            [number_of[row] for row in each.tolist()] for each in (states, leads, *named)
        )
        sentences = corpus.sentences.closed(rows)
        # Of its own, which are numbered first.
        n_words = sentences.terms[: [0, *sentences.ends][len(own)]].max(initial=-1) + 1
        terms = {*sentences.words[:n_words]}
        for row in own[corpus.sentences.of_row[own]].tolist():
            terms.update(term for text in corpus.sources.row_text(corpus.sentences[row]) for term in text.terms)
        return CommunityPage(
            id=contents.id,
            relationships=inside,
            within={sentences.unit_ids[i] for i in np.flatnonzero(np.isin(corpus.sentences.unit[own], contents.units))},
            members=members,
            counts=dict(zip((row["id"] for row in inside), self._counts[contents.relationships].tolist(), strict=True)),
            strength=dict(zip((row["id"] for row in members), strength, strict=True)),
            above=contents.above,
            whole=contents.whole,
            sentences=sentences,
            states=of_relationships,
            names=names,
            leads=of_members,
            idf={term: corpus.idf[term] for term in terms if term in corpus.idf},
            sources=corpus.sources.of(
                {*sentences.document_ids[: len(own)]},
                {*sentences.unit_ids[: len(own)]},
                {*sentences.document_ids[len(own) :]},
            ),
        )

    def table(self) -> "pa.Table":
        """Return `report_pages`: what this run asked for, in that order; the next one makes again what failed."""
        whole = ((inputs, made) for inputs, made in self._requested.items() if made and not made.failed)
        return tables.make("report_pages", [(inputs, *made[:3]) for inputs, made in whole])

    def _strength_in(self, relationships: "Ints") -> "NDArray[np.float64]":
        """Return how strongly each entity is related by some relationships, by row, until it is asked again."""
        self._strength[:] = 0
        ends = np.stack([end[relationships] for end in self._corpus.ends], axis=1).ravel()
        np.add.at(self._strength, ends, np.repeat(self._counts[relationships], 2))
        return self._strength

    def _inputs(self, contents: PageMembers) -> str:
        """Return a digest of all that a page is made of."""
        corpus, one, rows = self._corpus, self._corpus.sentences, contents.stated
        orders, numbers = np.unique(self._orders[rows], return_inverse=True)
        _, documents = np.unique(corpus.sources.reading[one.document[rows]], return_inverse=True)
        within = np.isin(one.unit[rows], contents.units)
        leads = corpus.leads[contents.members]
        lead_order = self._orders[leads]
        lead = np.minimum(np.searchsorted(orders, lead_order), len(orders) - 1)
        lead = np.where(orders[lead] == lead_order, lead, -1) if len(orders) else lead_order
        parts = [
            *(self._of_relationship[contents.relationships], self._counts[contents.relationships]),
            *(corpus.stated[contents.relationships] >= 0, self._of_member[contents.members]),
            *(lead, self._hashes_of_rows[leads]),
            *(corpus.named.n_of[contents.members[:MAX_MEMBERS]], self._hashes[rows], numbers, documents, within),
        ]
        of_it = json.dumps([sorted(contents.above), list(map(len, parts))]).encode()
        data = b"".join([self._of_all, of_it, *(part.tobytes() for part in parts)])
        return blake2b(data, digest_size=16).hexdigest()

    @cached_property
    def _orders(self) -> "Ints":
        """The place of each sentence among all as they are read, and of none."""
        return np.append(self._corpus.sentences.order, -1)

    @cached_property
    def _hashes_of_rows(self) -> "Hashes":
        """The hash of each sentence of a row of a table, which may stand below its card, and of others, and none, 0."""
        return np.append(np.where(self._corpus.sentences.of_row, self._hashes, np.uint64(0)), np.uint64(0))

    @cached_property
    def _hashes(self) -> "Hashes":
        """A hash of all that a page makes of each sentence, but of where it stands."""
        corpus, one, sources = self._corpus, self._corpus.sentences, self._corpus.sources
        length, narrated = sources.lengths[one.document], sources.narrated[one.document]
        room = np.where(narrated, np.minimum(sources.unit_ends[one.unit] - one.end, REST), 0)
        found = one.around
        for each in (
            *(one.worth.view(np.int64), sources.features(one.document), room, one.start < OPENING, one.cell),
            *(np.rint(PARTS * one.start / np.maximum(length, 1)),),
            *((one.start < OPENS) & (length >= 4 * OPENS) & ~narrated,),
        ):
            found = mixed(found * MIX + each.astype(np.int64).view(np.uint64))
        for row in np.flatnonzero(one.of_row).tolist():
            below = [
                (text.location, text.span["char_end"], text.worth, self._rare(text))
                for text in sources.row_text(one[row])
            ]
            unique = (one.span(row), one.worth[row].item(), corpus.rare[row].item(), below)
            found[row] ^= np.uint64(hashed(*unique) & (2**64 - 1))
        return found

    def _rare(self, one: ReportStatement) -> list[float]:
        return [self._corpus.idf.get(term, 0.0) for term in one.terms]

    def _reusable(self, inputs: str, contents: PageMembers) -> Made | None:
        """Return what is known of a page of these inputs if the same sentences are chosen as when it was made."""
        if not (known := self._before.get(inputs)):
            return None
        rows, choices = contents.stated, json.loads(known.choices)
        now = self._rarity(known, rows)
        if not choices:  # nothing was chosen, or of rows, with which nothing else may stand
            same = len(np.unique(self._corpus.sentences.of_row[rows])) < 2
        elif not (same := now == known.rarity):
            candidates, *how, chosen = choices
            statements = self._corpus.sentences.statements(rows[candidates])
            same = self.best_of([statements[row] for row in rows[candidates].tolist()], *how) == chosen
        return known._replace(rarity=now) if same else None

    def _rarity(self, made: Made, rows: "Ints") -> str:
        """Return a digest of what the terms of those sentences are worth that were chosen from; empty for none."""
        choices = json.loads(made.choices)
        return blake2b(self._corpus.rare[rows[choices[0]]].tobytes(), digest_size=16).hexdigest() if choices else ""

    def _cited(self, made: Made | None, contents: PageMembers) -> Any:
        """Return a page with what it cites where that stands now."""
        page = json.loads(made.page) if made else None
        if not page:
            return None
        rows, cited = contents.stated.tolist(), []
        for n, (number, first, last) in enumerate(page["citations"], 1):
            span = self._corpus.sentences.span(rows[number])
            start = span["char_start"]
            cited.append({"n": n, **span, "char_start": start + first, "char_end": start + last})
        return page | {"citations": cited}

"""Pages of the last run, each with a digest of all that it was made of: what is equal is not put together again."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from graphrag_lite import tables
from graphrag_lite.attempts import Fail, attempting
from graphrag_lite.evidence.community_statements import Told
from graphrag_lite.evidence.corpus_statements import AllTold
from graphrag_lite.evidence.hashes import MIX, hashed, mixed
from graphrag_lite.evidence.report_choice import OPENING, Choose, best_of
from graphrag_lite.evidence.report_facts import MAX_MEMBERS, OPENS, PARTS, Fact
from graphrag_lite.evidence.report_statements import Opened, Sources
from graphrag_lite.evidence.reportable_sentences import Said
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


def most_told(settings: ReportCommunitiesFast) -> int:
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
    above: frozenset[str]
    whole: bool = False


@dataclass(frozen=True)
class CommunityPage:
    """The same, to be put together in any process: what is known of other pages changes no byte of it.

    `counts` is what a relationship counts, `strength` how strongly a member is related, by id. `states`, `names` and
    `leads` are places in what is `said`, -1 for none: of each relationship, strongest member, and member.
    """

    id: str
    relationships: Sequence[Row]
    members: Sequence[Row]
    counts: Mapping[str, float]
    strength: Mapping[str, float]
    above: frozenset[str]
    whole: bool
    said: Said
    states: Sequence[int]
    names: Sequence[Sequence[int]]
    leads: Sequence[int]
    idf: Mapping[str, float]
    sources: Sources

    @cached_property
    def told(self) -> Told:
        said = self.said.statements(self.sources)
        ids = [row["id"] for row in self.members]
        return Told(
            entity=dict(zip(ids, self.members, strict=True)),
            stated={row["id"]: said[one] for row, one in zip(self.relationships, self.states, strict=True) if one >= 0},
            named={identity: [said[one] for one in own] for identity, own in zip(ids, self.names, strict=False)},
            leads={identity: said[one] for identity, one in zip(ids, self.leads, strict=True) if one >= 0},
            idf=self.idf,
            sources=self.sources,
        )

    @property
    def stated(self) -> list[ReportStatement]:
        """What it is chosen from: the statements of its relationships, and of its strongest members."""
        told = self.told
        own = [told.stated[row["id"]] for row in self.relationships if row["id"] in told.stated]
        return own + [one for several in told.named.values() for one in several]

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
    told, stated = page.told, page.stated
    choices: list[Any] = []
    failed: list[tuple[str, str, int]] = []
    told.sources.attempt = attempting(lambda *failure: failed.append(failure))
    place = {one.place: number for number, one in enumerate(stated)}
    of_rows = any(one.row for one in stated)

    def choose(found: Sequence[Fact | ReportStatement], *how: Any) -> list[int]:
        chosen = best_of(found, *how, most=most_told(settings), idf=told.idf)
        if not of_rows:
            choices[:] = [place[one.place] for one in found], *how, chosen
        return chosen

    if said := make(page, choose):
        said["citations"] = [_from_stated(span, place, stated) for span in said["citations"]]
    return Made(json.dumps(said, ensure_ascii=False), json.dumps(choices, separators=(",", ":")), failed=failed)


def _from_stated(
    span: Row, number_of: Mapping[tuple[str, int], int], stated: Sequence[ReportStatement]
) -> tuple[int, int, int]:
    """Return which of what is stated stands where a span does, or nearest before it in its text unit, and how many
    characters from its beginning the span begins and ends. `number_of` tells what is stated by place."""
    start, number = span["char_start"], number_of.get((span["document_id"], span["char_start"]))
    if number is None:
        unit = [number for number in number_of.values() if stated[number].span["text_unit_id"] == span["text_unit_id"]]
        begins = {stated[number].place[1]: number for number in unit}
        number = begins[max((begin for begin in begins if begin <= start), default=min(begins))]
    first = stated[number].place[1]
    return number, start - first, span["char_end"] - first


class KnownPages:
    """Pages by what they are made of, JSON objects: those `before`, and those that this run asked for.

    Where in which document a sentence stands is not told, but what it says and stands in, its place among the others,
    and what the corpus makes of it. What its terms are worth is told by all that the corpus tells, and moves with any
    edit: so where it has moved the sentences that a page was chosen from are chosen from again. Of rows of tables,
    which are no single sentences, it is in the hash.
    """

    def __init__(self, before: "pa.Table | None", told: AllTold, settings: ReportCommunitiesFast) -> None:
        kept = tables.rows(before, "inputs", "page", "choice", "rarity") if before else ()
        self._before = {inputs: Made(*of_it) for inputs, *of_it in kept}
        self._told, self._settings = told, settings
        self._of_all = json.dumps([settings.model_dump(), sorted(told.sources.usual)]).encode()
        self.best_of: Choose = partial(best_of, most=most_told(settings), idf=told.idf)
        self._asked: dict[str, Made | None] = {}
        self._counts = np.array([float(f"{count:.{DIGITS}g}") for count in told.counts.tolist()])
        self._strength, self._is_within = np.zeros(told.entities.num_rows), np.zeros(len(told.sources.unit_ids), bool)
        self._of_relationship, self._of_member = (
            np.array([hashed(row) for row in tables.rows(table, *columns)], np.int64)
            for table, columns in ((told.relationships, OF_RELATIONSHIP), (told.entities, OF_MEMBER))
        )

    def asked(self, community: Row, above: frozenset[str], *, whole: bool = False) -> PageMembers:
        """Return what the page of a community is made of."""
        row_of = self._told.row_of
        inside, members = (
            np.array([row_of[one] for one in sorted(community[name])], np.int64)
            for name in ("relationship_ids", "entity_ids")
        )
        strength = self._strength_in(inside)[members]
        members = members[np.lexsort((-strength, -self._told.n_scenes[members]))]
        stated = self._told.stated[inside]
        named = map(self._told.named.of, members[:MAX_MEMBERS].tolist())
        stated = np.concatenate([stated[stated >= 0], *named])
        return PageMembers(f"{PAGE}{community['community']}", inside, members, stated, above, whole)

    def pages(self, asked: Sequence[PageMembers], make: Make, each: Each, fail: Fail) -> list[Any]:
        """Return the page of each community, as `make` makes it (JSON), None where it cannot be made.

        Those that are not known are made by `each`, in any process.
        """
        digests = list(map(self._inputs, asked))
        new: dict[str, PageMembers] = {}
        for inputs, one in zip(digests, asked, strict=True):
            if inputs not in self._asked:
                self._asked[inputs] = known = self._kept(inputs, one)
                new |= {} if known else {inputs: one}
        documents = self._told.sentences.document  # pages of the same ones follow each other, and share them
        new = dict(sorted(new.items(), key=lambda item: documents[item[1].stated].tolist()))
        made = each(
            partial(made_page, make=make, settings=self._settings),
            LazyItems(len(new), lambda: map(self.page, new.values())),
        )
        for (inputs, one), page in zip(new.items(), made, strict=True):
            self._asked[inputs] = page and page._replace(rarity=self._rarity(page, one.stated))
            for failure in page.failed if page else ():
                fail(*failure)
        return [self._cited(self._asked[inputs], one) for inputs, one in zip(digests, asked, strict=True)]

    def page(self, asked: PageMembers) -> CommunityPage:
        """Return it with what is told on it alone, to be put together."""
        told = self._told
        inside = told.relationships.select([*OF_RELATIONSHIP, "text_unit_ids"]).take(asked.relationships).to_pylist()
        members = told.entities.select(OF_MEMBER).take(asked.members).to_pylist()
        strength = self._strength_in(asked.relationships)[asked.members].tolist()
        states, leads = told.stated[asked.relationships], told.leads[asked.members]
        named = [told.named.of(row) for row in asked.members[:MAX_MEMBERS].tolist()]
        own = np.unique(asked.stated)
        rows = np.concatenate([own, np.setdiff1d(leads[leads >= 0], own)])
        place = dict(zip(rows.tolist(), range(len(rows)), strict=True)) | {-1: -1}
        of_relationships, of_members, *names = (
            [place[row] for row in each.tolist()] for each in (states, leads, *named)
        )
        said = told.sentences.closed(rows)
        n_words = said.terms[: [0, *said.ends][len(own)]].max(initial=-1) + 1  # of its own, which are numbered first
        terms = {*said.words[:n_words]}
        for row in own[told.sentences.of_row[own]].tolist():
            terms.update(term for text in told.sources.row_text(told.sentences[row]) for term in text.terms)
        return CommunityPage(
            id=asked.id,
            relationships=inside,
            members=members,
            counts=dict(zip((row["id"] for row in inside), self._counts[asked.relationships].tolist(), strict=True)),
            strength=dict(zip((row["id"] for row in members), strength, strict=True)),
            above=asked.above,
            whole=asked.whole,
            said=said,
            states=of_relationships,
            names=names,
            leads=of_members,
            idf={term: told.idf[term] for term in terms if term in told.idf},
            sources=told.sources.of(
                {*said.document_ids[: len(own)]}, {*said.unit_ids[: len(own)]}, {*said.document_ids[len(own) :]}
            ),
        )

    def table(self) -> "pa.Table":
        """Return `report_pages`: what this run asked for, in that order; the next one makes again what failed."""
        whole = ((inputs, made) for inputs, made in self._asked.items() if made and not made.failed)
        return tables.make("report_pages", [(inputs, *made[:3]) for inputs, made in whole])

    def _strength_in(self, relationships: "Ints") -> "NDArray[np.float64]":
        """Return how strongly each entity is related by some relationships, by row, until it is asked again."""
        self._strength[:] = 0
        ends = np.stack([end[relationships] for end in self._told.ends], axis=1).ravel()
        np.add.at(self._strength, ends, np.repeat(self._counts[relationships], 2))
        return self._strength

    def _inputs(self, asked: PageMembers) -> str:
        """Return a digest of all that a page is made of."""
        told, one, rows = self._told, self._told.sentences, asked.stated
        places, numbers = np.unique(self._places[rows], return_inverse=True)
        _, documents = np.unique(told.sources.reading[one.document[rows]], return_inverse=True)
        held = np.concatenate([told.units.of(row) for row in asked.relationships.tolist()])
        self._is_within[held] = True
        within = self._is_within[one.unit[rows]]
        self._is_within[held] = False
        leads = told.leads[asked.members]
        place = self._places[leads]
        lead = np.minimum(np.searchsorted(places, place), len(places) - 1)
        lead = np.where(places[lead] == place, lead, -1) if len(places) else place
        parts = [
            *(self._of_relationship[asked.relationships], self._counts[asked.relationships]),
            *(told.stated[asked.relationships] >= 0, self._of_member[asked.members], lead, self._hashes_of_rows[leads]),
            *(told.named.n_of[asked.members[:MAX_MEMBERS]], self._hashes[rows], numbers, documents, within),
        ]
        of_it = json.dumps([sorted(asked.above), list(map(len, parts))]).encode()
        said = b"".join([self._of_all, of_it, *(part.tobytes() for part in parts)])
        return blake2b(said, digest_size=16).hexdigest()

    @cached_property
    def _places(self) -> "Ints":
        """The place of each sentence among all as they are read, and of none."""
        return np.append(self._told.sentences.order, -1)

    @cached_property
    def _hashes_of_rows(self) -> "Hashes":
        """The hash of each sentence of a row of a table, which may stand below its card, and of others, and none, 0."""
        return np.append(np.where(self._told.sentences.of_row, self._hashes, np.uint64(0)), np.uint64(0))

    @cached_property
    def _hashes(self) -> "Hashes":
        """A hash of all that a page makes of each sentence, but of where it stands."""
        told, one, sources = self._told, self._told.sentences, self._told.sources
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
            said = [
                (text.place, text.span["char_end"], text.worth, self._rare(text)) for text in sources.row_text(one[row])
            ]
            unique = (one.span(row), one.worth[row].item(), told.rare[row].item(), said)
            found[row] ^= np.uint64(hashed(*unique) & (2**64 - 1))
        return found

    def _rare(self, one: ReportStatement) -> list[float]:
        return [self._told.idf.get(term, 0.0) for term in one.terms]

    def _kept(self, inputs: str, asked: PageMembers) -> Made | None:
        """Return what is known of a page of these inputs if the same sentences are chosen as when it was made."""
        if not (known := self._before.get(inputs)):
            return None
        rows, choices = asked.stated, json.loads(known.choices)
        now = self._rarity(known, rows)
        if not choices:  # nothing was chosen, or of rows, with which nothing else may stand
            same = len(np.unique(self._told.sentences.of_row[rows])) < 2
        elif not (same := now == known.rarity):
            places, *how, chosen = choices
            said = self._told.sentences.said(rows[places])
            same = self.best_of([said[row] for row in rows[places].tolist()], *how) == chosen
        return known._replace(rarity=now) if same else None

    def _rarity(self, made: Made, rows: "Ints") -> str:
        """Return a digest of what the terms of those sentences are worth that were chosen from; empty for none."""
        choices = json.loads(made.choices)
        return blake2b(self._told.rare[rows[choices[0]]].tobytes(), digest_size=16).hexdigest() if choices else ""

    def _cited(self, made: Made | None, asked: PageMembers) -> Any:
        """Return a page with what it cites where that stands now."""
        page = json.loads(made.page) if made else None
        if not page:
            return None
        rows, cited = asked.stated.tolist(), []
        for n, (number, first, last) in enumerate(page["citations"], 1):
            span = self._told.sentences.span(rows[number])
            start = span["char_start"]
            cited.append({"n": n, **span, "char_start": start + first, "char_end": start + last})
        return page | {"citations": cited}

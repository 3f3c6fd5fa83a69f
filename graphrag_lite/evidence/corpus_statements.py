"""What a corpus tells of all its communities, in arrays: the sentences of their relationships and members, and weights.

Rows are those of the tables of entities and relationships, and of `ReportableSentences`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag_lite import tables
from graphrag_lite.evidence.definition import defines
from graphrag_lite.evidence.hashes import hashed, in_order, mixed
from graphrag_lite.evidence.key_sentences import whole_idf
from graphrag_lite.evidence.member_sentences import first_of_each, member_sentences
from graphrag_lite.evidence.report_facts import MET
from graphrag_lite.evidence.report_statements import ASIDE, Sources
from graphrag_lite.evidence.reportable_sentences import ReportableSentences, Spans
from graphrag_lite.tables import groups
from graphrag_lite.tables.mapped_table import forget_what_was_looked_at

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
Row = dict[str, Any]
ENDS = ("source_id", "target_id")
ACRONYM = range(2, 7)  # characters
MIN_MEMBERS = 4  # what has fewer has no page of its own: its parent tells it


@dataclass(frozen=True)
class Lists:
    """A list of rows for each of some owners: what `begins` where, and the `rows`."""

    begins: "Ints"
    rows: "Ints"

    def of(self, owner: int) -> "Ints":
        return self.rows[self.begins[owner] : self.begins[owner + 1]]

    @cached_property
    def n_of(self) -> "Ints":
        return np.diff(self.begins)

    @property
    def owners(self) -> "Ints":
        return np.repeat(np.arange(len(self.n_of)), self.n_of)


@dataclass(frozen=True)
class CorpusStatements:
    """What the corpus tells of all communities.

    `stated` is the sentence of each relationship, -1 for none, `counts` what it counts; `named` are the sentences that
    name an entity, those that describe it first, `leads` its definition, -1 for none; `leads_found` is `report_leads`.
    `weights` are by community, `heaviest` by level, `total` is of all. `idf` is what a term is worth, `rare` a hash of
    what those of a sentence are. `row_of` tells the rows of entities, relationships and communities by id,
    `ends` both ends of a relationship, `units` the text units that mention a community.
    """

    entities: "pa.Table"
    relationships: "pa.Table"
    sentences: ReportableSentences
    row_of: Mapping[str, int]
    ends: "Sequence[Ints]"
    units: Lists
    stated: "Ints"
    counts: "Floats"
    named: Lists
    leads: "Ints"
    leads_found: "pa.Table"
    idf: Mapping[str, float]
    rare: "NDArray[np.uint64]"
    weights: Mapping[int, float]
    heaviest: Mapping[int, float]
    total: float
    sources: Sources

    @cached_property
    def degrees(self) -> "Ints":
        found: Ints = self.entities["degree"].to_numpy()
        return found

    @cached_property
    def n_scenes(self) -> "Ints":
        """How many sentences of a story name each entity: who comes up most it is about."""
        n_named = self.named.n_of
        found = np.zeros(len(n_named), np.int64)
        (has,) = np.nonzero(n_named)
        first = self.sentences.document[self.named.rows[self.named.begins[has]]]
        found[has] = np.where(self.sources.narrated[first], n_named[has], 0)
        return found


def read_corpus_statements(
    entities: "pa.Table",
    relationships: "pa.Table",
    communities: "pa.Table",
    held: Sequence[Row],
    together: Sequence[float],
    entity_mentions: "pa.Table",
    entity_resolutions: "pa.Table",
    sources: Sources,
    before: "Sequence[pa.Table]",
) -> CorpusStatements:
    """Read the sentences of relationships, and those that name the members of communities that may have a report.

    `held` are the rows of the communities, `together` the weight of what joins each besides relationships, and of all;
    `before` are the last `report_sentences` and `report_leads`.
    """
    forget_what_was_looked_at()
    entities = entities.append_column("acronym", _acronyms(entities, entity_resolutions))
    all_ids = (table["id"].to_pylist() for table in (entities, relationships, communities))
    row_of = {identity: row for ids in all_ids for row, identity in enumerate(ids)}
    is_member, is_met = _members(entities, held, row_of)
    stating, stated_by = _spans(relationships["sources"], sources, np.ones(relationships.num_rows, bool), most=1)
    describing, described = _spans(entities["sources"], sources, is_member)
    naming, spans = member_sentences(entities, entity_mentions, entity_resolutions, is_member, is_met, sources)
    forget_what_was_looked_at()
    owners = np.concatenate([described, naming])
    order = np.argsort(owners, kind="stable")
    of_members = describing.with_more(spans).of(order)
    sentences = ReportableSentences(stating.with_more(of_members), sources, before[0])
    rows = np.split(sentences.rows, [len(stated_by)])
    stated = np.full(relationships.num_rows, -1)
    stated[stated_by] = np.where(rows[0] < 0, -1, np.append(sentences.whole, -1)[rows[0]])
    named = _named(owners[order], rows[1], sentences, entities.num_rows)
    ends = [groups.row_indices(relationships[end], entities["id"]) for end in ENDS]
    leads, leads_found = _leads(entities, ends, is_member, stated, named, sentences, before[1])
    idf, rare = _worth_of_terms(np.union1d(stated[stated >= 0], named.rows), sentences)
    counts = relationship_counts(relationships, stated, sentences.worth, sources.hosts)
    inside = [np.array([row_of[one] for one in row["relationship_ids"]], np.int64) for row in held]
    *of_each, total = statement_weights([*inside, np.arange(relationships.num_rows)], counts, stated)
    total += together[-1]
    weights = {row["community"]: a + b for row, a, b in zip(held, of_each, together[:-1], strict=True)}
    heaviest = {c["level"]: weights[c["community"]] for c in sorted(held, key=lambda c: weights[c["community"]])}
    return CorpusStatements(
        *(entities, relationships, sentences, row_of, ends, _units(communities, sources), stated, counts, named),
        *(leads, leads_found, idf, rare, weights, heaviest, total, sources),
    )


def _acronyms(entities: "pa.Table", entity_resolutions: "pa.Table") -> "pa.Array":
    """Return the acronym that each entity is also called by everywhere, "" for none and where it is its title."""
    import pyarrow as pa

    found: dict[str, str] = {}
    for document, name, identity in tables.rows(entity_resolutions, "document_id", "name", "entity_id"):
        if name.isupper() and name.isalpha() and len(name) in ACRONYM and not document and identity:
            found[identity] = min(found.get(identity, name), name)
    return pa.array(
        [
            acronym if not title.isupper() and (acronym := found.get(identity, "")) else ""
            for identity, title in tables.rows(entities, "id", "title")
        ],
        pa.string(),
    )


def _members(entities: "pa.Table", held: Sequence[Row], row_of: Mapping[str, int]) -> "tuple[Bools, Bools]":
    """Return which entities are members of communities that may have a report, and the strongest of any: to be met."""
    degrees, ids = entities["degree"].to_numpy(), entities["id"].to_pylist()
    by_strength = np.lexsort((np.array(ids, object), degrees))
    rank = np.argsort(by_strength)
    is_member, is_met = (np.zeros(len(ids), bool) for _ in range(2))
    least = MIN_MEMBERS if any(row["size"] >= MIN_MEMBERS for row in held) else 1
    for row in held:
        own = np.array([row_of[one] for one in row["entity_ids"]], np.int64)
        is_member[own] |= row["size"] >= least
        is_met[by_strength[np.sort(rank[own])[-MET:]]] = True
    return is_member, is_met


def _spans(column: "pa.ChunkedArray", sources: Sources, held: "Bools", most: int | None = None) -> "tuple[Spans, Ints]":
    """Return the spans that some rows of a column list, up to so many of each, and their rows."""
    import pyarrow.compute as pc

    n_of = np.asarray(pc.list_value_length(column)).astype(np.int64)
    owners = np.repeat(np.arange(len(n_of)), n_of)
    position = np.arange(len(owners)) - (np.cumsum(n_of) - n_of)[owners]
    selected = np.flatnonzero(held[owners] & (position < (most or len(owners))))
    listed = pc.list_flatten(column).take(selected)
    document, unit, start, end = (
        pc.struct_field(listed, each) for each in ("document_id", "text_unit_id", "char_start", "char_end")
    )
    document, unit = groups.row_indices(document, sources.document_ids), groups.row_indices(unit, sources.unit_ids)
    return Spans(document, start.to_numpy(), end.to_numpy(), unit), owners[selected]


def _units(communities: "pa.Table", sources: Sources) -> Lists:
    """Return the text units that mention each community."""
    listed = communities["text_unit_ids"].combine_chunks()
    begins = np.asarray(listed.offsets).astype(np.int64)
    return Lists(begins - begins[0], groups.row_indices(listed.flatten(), sources.unit_ids))


def _named(owners: "Ints", rows: "Ints", sentences: ReportableSentences, n: int) -> Lists:
    """Return the sentences that name each of `n` entities, each once, in their order; `rows` are of those that were
    read, -1 for none, `owners` the entities, which ascend."""
    read = np.flatnonzero(rows >= 0)
    read = read[(sentences.stands & ~sentences.cell)[rows[read]]]
    owners, rows = owners[read], sentences.whole[rows[read]]
    each = first_of_each(owners * (len(sentences.whole) + 1) + rows, np.arange(len(rows)))
    return Lists(np.searchsorted(owners[each], np.arange(n + 1)), rows[each])


def _leads(
    entities: "pa.Table",
    ends: "Sequence[Ints]",
    is_member: "Bools",
    stated: "Ints",
    named: Lists,
    sentences: ReportableSentences,
    before: "pa.Table",
) -> "tuple[Ints, pa.Table]":
    """Return the best definition of each member, -1 for none, and `report_leads`; those known `before` are not looked
    for. A definition that has the whole name goes first, and one that says what else it is last."""
    rows = np.append(stated, -1)
    related = np.flatnonzero(np.append(sentences.stands & ~sentences.cell, False)[stated])
    owners = np.concatenate([named.owners, *(end[related] for end in ends)])
    candidates = np.concatenate([named.rows, *(rows[related] for _ in ends)])
    last = np.concatenate([np.zeros(len(named.rows), np.int64), related + 1, related + 1])
    order = np.lexsort((last, owners))  # what states its relationships behind what names it
    order = order[is_member[owners[order]]]
    owners, candidates = owners[order], candidates[order]
    hash_of, sources = cache(hashed), sentences.sources
    transcript = np.array([hash_of(sources.language(one), one in sources.talks) for one in sources.ids])
    text_hashes = mixed(sentences.around ^ mixed(transcript.view(np.uint64))[sentences.document])
    inputs = in_order(text_hashes[candidates], owners, len(is_member))
    members, begins = np.unique(owners), np.searchsorted(owners, np.arange(len(is_member) + 1))
    titles = entities["title"].to_pylist()
    named_as = np.array([hashed(titles[one]) for one in members.tolist()], np.int64)
    keys = (inputs[members].view(np.int64) ^ named_as).tolist()
    known = dict(tables.rows(before, "inputs", "lead"))
    unknown = {one: key for one, key in zip(members.tolist(), keys, strict=True) if key not in known}
    of_each = {one: candidates[begins[one] : begins[one + 1]] for one in unknown}
    known |= {unknown[one]: lead for one, lead in _looked_for(of_each, titles, sentences).items()}
    indices, leads = np.array([known[key] for key in keys], np.int64), np.full(len(is_member), -1)
    has = members[indices >= 0]
    leads[has] = candidates[begins[has] + indices[indices >= 0]]
    return leads, tables.make("report_leads", sorted({key: known[key] for key in keys}.items()))


def _looked_for(of_each: "Mapping[int, Ints]", titles: Sequence[str], sentences: ReportableSentences) -> dict[int, int]:
    """Return the place of the best definition of each entity among its candidates, -1 for none."""
    best: dict[int, tuple[bool, bool, int]] = {}
    pairs = [(row, one, number) for one, rows in of_each.items() for number, row in enumerate(rows.tolist())]
    for row, one, number in sorted(pairs):  # a document after the other: each is opened once
        start, end, identity = (
            sentences.start[row].item(),
            sentences.end[row].item(),
            sentences.sources.ids[sentences.document[row]],
        )
        text, title = sentences.sources.document(identity)["text"], titles[one]
        if defines(text, (start, end), title, sentences.sources.language(identity)):
            sentence = sentences[row].sentence.text
            key = (title not in sentence, " also " in sentence, number)
            best[one] = min(key, best.get(one, key))
    return {one: best[one][-1] if one in best else -1 for one in of_each}


def _worth_of_terms(rows: "Ints", sentences: ReportableSentences) -> "tuple[dict[str, float], NDArray[np.uint64]]":
    """Return what each term is worth over the sentences in some rows, and what rows of tables say below their cards;
    and a hash of what those of each sentence are worth."""
    import pyarrow.compute as pc

    below = {
        one.location: one for row in rows[sentences.of_row[rows]] for one in sentences.sources.row_text(sentences[row])
    }
    for row in rows[sentences.of_row[rows]]:
        below.pop(sentences[row].location, None)
    terms = sentences.table["terms"]
    n_of = np.asarray(pc.list_value_length(terms)).astype(np.int64)
    encoded = pc.list_flatten(terms).dictionary_encode().combine_chunks()
    words, codes = encoded.dictionary.to_pylist(), encoded.indices.to_numpy()
    owners = np.repeat(np.arange(len(n_of)), n_of)
    is_counted = np.zeros(len(n_of), bool)
    is_counted[rows] = True
    held = dict(zip(words, np.bincount(codes[is_counted[owners]], minlength=len(words)).tolist(), strict=True))
    for one in below.values():
        for term in one.terms:
            held[term] = held.get(term, 0) + 1
    worth = whole_idf(np.fromiter(held.values(), np.int64, len(held)), len(rows) + len(below))
    idf = {term: each for term, each, n in zip(held, worth.tolist(), held.values(), strict=True) if n}
    return idf, in_order(worth.astype(np.uint64)[codes], owners, len(n_of))


def relationship_counts(relationships: "pa.Table", stated: "Ints", worth: "Floats", hosts: "set[str]") -> "Floats":
    """Return what each relationship counts for in a report: little where it tells nothing, or of a host."""
    tells = np.append(worth, 0.0)[stated] > ASIDE
    of_host = np.zeros(len(stated), bool)
    if hosts:
        ends = tables.rows(relationships, "source", "target")
        of_host[:] = [not hosts.isdisjoint((one.casefold(), other.casefold())) for one, other in ends]
    found: Floats = relationships["weight"].to_numpy() * np.where(tells, 1.0, ASIDE) * np.where(of_host, ASIDE, 1.0)
    return found


def statement_weights(several: "Sequence[Ints]", counts: "Floats", stated: "Ints") -> list[float]:
    """Return the weight of each of several sets of relationships. Those of one sentence count once: a list of ten names
    is one statement."""
    owners = np.repeat(np.arange(len(several)), [len(rows) for rows in several])
    rows = np.concatenate([np.zeros(0, np.int64), *several])
    statement = np.where(stated < 0, -1 - np.arange(len(stated)), stated)[rows]
    order = np.lexsort((-counts[rows], statement, owners))
    owners, statement, weights = owners[order], statement[order], counts[rows[order]]
    first = (np.diff(owners, prepend=-1) != 0) | (np.diff(statement, prepend=0) != 0)
    begins = np.searchsorted(owners[first], np.arange(len(several) + 1)).tolist()
    heaviest = weights[first].tolist()
    return [fsum(heaviest[begins[i] : begins[i + 1]]) for i in range(len(several))]

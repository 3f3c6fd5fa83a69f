"""What a corpus tells of all its communities: the statements of their relationships and members, and their weights."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import chain
from typing import TYPE_CHECKING, Any

from graphrag_lite.evidence.definition import defines
from graphrag_lite.evidence.key_sentences import rounded_idf
from graphrag_lite.evidence.member_sentences import member_sentences
from graphrag_lite.evidence.report_facts import MET
from graphrag_lite.evidence.report_statements import ASIDE, Sources, Statement
from graphrag_lite.tables import groups

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]
MIN_MEMBERS = 4  # what has fewer has no page of its own: its parent tells it


@dataclass(frozen=True)
class Told:
    """What the corpus tells of all communities: rows and statements by id, and what they weigh.

    `named` are the statements that name an entity, `leads` its definition, `counts` what a relationship counts;
    `weights` are by community, `heaviest` by level, `total` is of all; `idf` is what a term is worth.
    """

    entity: Mapping[str, Row]
    relationship: Mapping[str, Row]
    stated: Mapping[str, Statement]
    named: Mapping[str, list[Statement]]
    leads: Mapping[str, Statement]
    idf: Mapping[str, float]
    counts: Mapping[str, float]
    weights: Mapping[int, float]
    heaviest: Mapping[int, float]
    total: float
    sources: Sources

    def n_scenes(self, identity: str) -> int:
        """Return how many sentences of a story name an entity: who comes up most it is about."""
        named = self.named.get(identity, ())
        return len(named) if any(self.sources.is_narrated(one.place[0]) for one in named[:1]) else 0


def all_told(
    entities: "pa.Table",
    relationships: "pa.Table",
    held: Sequence[Row],
    entity_mentions: "pa.Table",
    entity_resolutions: "pa.Table",
    sources: Sources,
) -> Told:
    """Read the sentences of relationships, and those that name the members of communities that may have a report.

    `held` are the communities that have relationships.
    """
    import pyarrow.compute as pc

    reported = groups.rows_of(entities, "id", {identity for row in held for identity in row["entity_ids"]})
    entity = {row["id"]: row for row in reported.to_pylist()}
    first = pc.list_slice(relationships["sources"], 0, 1)  # as objects all would take as much as the rest
    rows = relationships.drop_columns(["sources"]).append_column("sources", first).to_pylist()
    relationship = {row["id"]: row for row in rows}
    least = MIN_MEMBERS if any(row["size"] >= MIN_MEMBERS for row in held) else 1
    large = {identity for row in held if row["size"] >= least for identity in row["entity_ids"]}
    members = sorted(large)
    strong = {i for row in held for i in nlargest(MET, row["entity_ids"], key=lambda i: (entity[i]["degree"], i))}
    mentioned = (entities, relationships, entity_mentions, entity_resolutions)
    spans = member_sentences(*mentioned, members, strong, sources)
    stating = (span for row in rows for span in row["sources"])
    rest = (span for identity in members for span in (*entity[identity]["sources"], *spans.get(identity, ())))
    sources.read(chain(stating, rest))
    stated = _stated(relationship.values(), sources)
    named, leads = _named([entity[identity] for identity in members], spans, _of_ends(relationship, stated), sources)
    told = [*stated.values(), *(one for own in named.values() for one in own)]
    told += [text for one in told if one.row for text in sources.row_text(one)]
    idf = rounded_idf([*{one.place: one for one in told}.values()])
    counts = _counts(relationship.values(), stated, sources.hosts)
    total = _statement_weight(relationship, counts, stated)
    weights = {c["community"]: _statement_weight(c["relationship_ids"], counts, stated) for c in held}
    heaviest = {c["level"]: weights[c["community"]] for c in sorted(held, key=lambda c: weights[c["community"]])}
    return Told(entity, relationship, stated, named, leads, idf, counts, weights, heaviest, total, sources)


def _stated(relationships: Iterable[Row], sources: Sources) -> dict[str, Statement]:
    """Return what the sentence of each relationship says, by id; one without a sentence is left out."""
    found = {row["id"]: one for row in relationships for one in sources.at(row["sources"])}
    return {identity: sources.whole(one) for identity, one in found.items()}


def _of_ends(relationship: Mapping[str, Row], stated: Mapping[str, Statement]) -> dict[str, list[Statement]]:
    """Return the statements of each entity's relationships, by id."""
    found: dict[str, list[Statement]] = defaultdict(list)
    for identity, one in stated.items():
        for end in ("source_id", "target_id"):
            found[relationship[identity][end]].append(one)
    return found


def _named(
    members: Sequence[Row],
    spans: Mapping[str, Sequence[Row]],
    related: Mapping[str, Sequence[Statement]],
    sources: Sources,
) -> tuple[dict[str, list[Statement]], dict[str, Statement]]:
    """Return the statements that name each entity, those that describe it first, and its best definition, by id.

    `related` are the statements of its relationships. A definition that has the whole name goes first, and one that
    says what else it is last.
    """
    named: dict[str, list[Statement]] = {}
    for row in members:
        read = sources.at([*row["sources"], *spans.get(row["id"], ())])
        told = [one for one in read if one.stands and not one.cell]
        named[row["id"]] = list({one.place: sources.whole(one) for one in told}.values())
    candidates = {
        row["id"]: (*named[row["id"]], *(one for one in related.get(row["id"], ()) if one.stands)) for row in members
    }
    by_document: dict[str, list[tuple[Row, int, Statement]]] = defaultdict(list)  # each is opened once
    for row in members:
        for number, one in enumerate(candidates[row["id"]]):
            if not one.cell:
                by_document[one.span["document_id"]].append((row, number, one))
    best: dict[str, tuple[bool, bool, int]] = {}
    for identity in sorted(by_document):  # as in `Sources.read`
        text = sources.document(identity)["text"]
        for row, number, one in by_document.pop(identity):
            if defines(text, (one.span["char_start"], one.span["char_end"]), row["title"], one.language):
                key = (row["title"] not in one.sentence.text, " also " in one.sentence.text, number)
                best[row["id"]] = min(key, best.get(row["id"], key))
    leads = {identity: candidates[identity][key[-1]] for identity, key in best.items()}
    return named, leads


def _counts(relationships: Iterable[Row], stated: Mapping[str, Statement], hosts: Collection[str]) -> dict[str, float]:
    """Return what each relationship counts for in a report, by id: little where it tells nothing, or of a host."""
    counts = {}
    for row in relationships:
        one = stated.get(row["id"])
        states = one is not None and one.worth > ASIDE
        aside = row["source"].casefold() in hosts or row["target"].casefold() in hosts
        counts[row["id"]] = row["weight"] * (1.0 if states else ASIDE) * (ASIDE if aside else 1.0)
    return counts


def _statement_weight(
    relationship_ids: Iterable[str], counts: Mapping[str, float], stated: Mapping[str, Statement]
) -> float:
    """Return the weight of relationships. Those of one sentence count once: a list of ten names is one statement."""
    heaviest: dict[tuple[str, int], float] = {}
    for identity in relationship_ids:
        place = stated[identity].place if identity in stated else (identity, -1)
        heaviest[place] = max(heaviest.get(place, 0.0), counts[identity])
    return math.fsum(heaviest.values())

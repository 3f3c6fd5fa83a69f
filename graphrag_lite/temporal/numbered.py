"""Mentions of which facts can be made, as numbers of things and relations."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphrag_lite import tables
from graphrag_lite.tables import groups
from graphrag_lite.temporal.fold import Ints, Mentions
from graphrag_lite.temporal.instants import UNITS, first_second
from graphrag_lite.temporal.relations import states_relation
from graphrag_lite.temporal.spells import KINDS
from graphrag_lite.text import folding

if TYPE_CHECKING:
    import pyarrow as pa


class Read(NamedTuple):
    """What facts are folded from, all or in part."""

    source_documents: "pa.Table"
    fact_mentions: "pa.Table"
    entity_resolutions: "pa.Table"
    relation_resolutions: "pa.Table"

    def of(self, column: str, values: "Collection[str] | pa.ChunkedArray") -> "Read":
        """Return what is said in some wordings: of column `column` of their resolutions."""
        own = groups.rows_of(self.relation_resolutions, column, values)
        said = groups.rows_of(self.fact_mentions, "relation", own["wording"])
        return self._replace(fact_mentions=said, relation_resolutions=own)


class Things(NamedTuple):
    """The subjects and objects of mentions, in order of key: an entity's id, or the folded words of what is none."""

    keys: list[str]
    titles: list[str]  # of entities, else empty


class Numbered(NamedTuple):
    """Mentions by their ids, in words and as numbers, (n_mentions,) both; each has a subject and another object.

    `told` has two columns more: `one` and `other` name subject and object from the side of the relation's subject.
    """

    told: "pa.Table"
    mentions: Mentions
    things: Things
    names: list[str]  # of relations

    def take(self, rows: Ints) -> "Numbered":
        """Return some mentions."""
        return self._replace(told=self.told.take(rows), mentions=self.mentions.take(rows))


def numbered(read: Read) -> Numbered:
    """Number the mentions of which a fact can be made, with things told from the object's side turned round.

    Of what text analysis found, that is what states something of its subject: "Britain's PM" does not.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    told = _usable(read).sort_by("id")
    subject, object_, things = _things(told, read.entity_resolutions)
    of_two = np.flatnonzero(subject != object_)  # "it was renamed as Acme"
    told, subject, object_ = told.take(of_two), subject[of_two], object_[of_two]
    names = sorted(set(read.relation_resolutions["relation"].to_pylist()))
    number = {name: place for place, name in enumerate(names)}
    meant = {row[0]: row[1:] for row in tables.rows(read.relation_resolutions, "wording", "relation", "inverse")}
    inverse = map_distinct(told["relation"], lambda wording: meant[wording][1]) > 0
    mentions = Mentions(
        subject=np.where(inverse, object_, subject),
        relation=map_distinct(told["relation"], lambda wording: number[meant[wording][0]]),
        object=np.where(inverse, subject, object_),
        kind=map_distinct(told["kind"], KINDS.index),
        positive=map_distinct(told["polarity"], lambda polarity: polarity != "negative") > 0,
        start=map_distinct(told["valid_at"], first_second),
        end=map_distinct(told["invalid_at"], first_second),
        unit=map_distinct(told["precision"], lambda precision: UNITS.get(precision, 1)),
        said=map_distinct(told["reference_time"], first_second),
    )
    ends = told["subject"], told["object"]
    for name, (of_most, of_turned) in {"one": ends, "other": ends[::-1]}.items():
        told = told.append_column(name, pc.if_else(pa.array(inverse), of_turned, of_most))
    return Numbered(told, mentions, things, names)


def map_distinct(column: "pa.ChunkedArray", value: Callable[[str], int]) -> Ints:
    """Return the value of each text of a column, each different text of which is looked at once."""
    encoded = column.combine_chunks().dictionary_encode()
    values = np.array([value(text) for text in encoded.dictionary.to_pylist()], dtype=np.int64)
    codes: Ints = values[np.asarray(encoded.indices)]
    return codes


def key_of(entity_id: str, name: str) -> str:
    """Return what tells things apart: an entity, else the folded words."""
    return entity_id or f"\x1f{folding.fold(name)}"


def _usable(read: Read) -> "pa.Table":
    import pyarrow as pa
    import pyarrow.compute as pc

    documents, mentions, resolutions = read.source_documents, read.fact_mentions, read.relation_resolutions
    places = groups.row_indices(mentions["document_id"], documents["id"])
    languages = documents["language"].combine_chunks().take(pa.array(places))
    said = pc.binary_join_element_wise(languages, mentions["relation"], " ")
    loose = pa.array([each for each in pc.unique(said).to_pylist() if not _states(each)], pa.string())
    subject, object_, by_text = (pc.not_equal(mentions[name], "") for name in ("subject", "object", "time_text"))
    known, turned = (
        pc.is_in(mentions["relation"], value_set=wordings["wording"].combine_chunks())
        for wordings in (resolutions, resolutions.filter(resolutions["inverse"]))
    )
    usable = pc.and_(pc.and_(known, subject), pc.invert(pc.and_(by_text, pc.is_in(said, value_set=loose))))
    return mentions.filter(pc.and_(usable, pc.or_(object_, pc.invert(turned))))


def _states(said: str) -> bool:
    """Tell whether words behind their language, unknown where it is empty, state something."""
    language, _, wording = said.partition(" ")
    return states_relation(wording, language or "en")


def _things(told: "pa.Table", entity_resolutions: "pa.Table") -> tuple[Ints, Ints, Things]:
    """Return the number of each mention's subject and object: a name means what its document, else the corpus, says."""
    wanted = {name for column in ("subject", "object") for name in told[column].unique().to_pylist()}
    rows = groups.rows_with(entity_resolutions, "name", wanted, "document_id", "name", "entity_id", "title")
    meant = {(document_id, name): (entity_id, title) for document_id, name, entity_id, title in rows}
    titles: dict[str, str] = {}
    seen: dict[tuple[str, str], str] = {}
    ends: list[list[str]] = []
    for column in ("subject", "object"):
        ends.append([])
        for document_id, name in tables.rows(told, "document_id", column):
            own = (document_id, name) if (document_id, name) in meant else ("", name)
            if own not in seen:
                entity_id, title = meant.get(own, ("", ""))
                seen[own] = key_of(entity_id, name)
                titles[seen[own]] = title if entity_id else ""
            ends[-1].append(seen[own])
    keys = sorted(titles)
    number = {key: place for place, key in enumerate(keys)}
    subject, object_ = (np.array([number[key] for key in each], dtype=np.int64) for each in ends)
    return subject, object_, Things(keys, [titles[key] for key in keys])

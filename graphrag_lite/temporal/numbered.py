"""Mentions of which facts can be made, as numbers of things and relations."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_lite import tables
from graphrag_lite.tables import groups
from graphrag_lite.tables.mention_rows import resolution_rows
from graphrag_lite.temporal.fold import FactMentions, Ints
from graphrag_lite.temporal.instants import UNITS, first_second
from graphrag_lite.temporal.relations import states_relation
from graphrag_lite.temporal.spells import KINDS
from graphrag_lite.text import folding


class FactSource(NamedTuple):
    """What facts are folded from, all or in part."""

    source_documents: pa.Table
    fact_mentions: pa.Table
    entity_resolutions: pa.Table
    relation_resolutions: pa.Table

    def of(self, column: str, values: Collection[str] | pa.ChunkedArray) -> "FactSource":
        """Return what is said in some wordings: of column `column` of their resolutions."""
        own = groups.rows_of(self.relation_resolutions, column, values)
        mentions = groups.rows_of(self.fact_mentions, "relation", own["wording"])
        return self._replace(fact_mentions=mentions, relation_resolutions=own)


@dataclass(frozen=True)
class WordedMentions:
    """Mentions in words: some rows of `fact_mentions`, of which no more is copied than what is asked for.

    Its columns `one` and `other` name subject and object from the side of the relation's subject.
    """

    mentions: pa.Table
    rows: Ints
    turned: NDArray[np.bool_] | None = None

    def __getitem__(self, column: str) -> pa.ChunkedArray:
        ends = {"one": ("subject", "object"), "other": ("object", "subject")}.get(column)
        if ends is None:
            return self.mentions[column].take(self.rows)
        return pc.if_else(pa.array(self.turned), self[ends[1]], self[ends[0]])

    def take(self, rows: Ints) -> "WordedMentions":
        return WordedMentions(self.mentions, self.rows[rows], None if self.turned is None else self.turned[rows])


class Things(NamedTuple):
    """The subjects and objects of mentions, in order of key: an entity's id, or the folded words of what is none."""

    keys: list[str]
    titles: list[str]  # of entities, else empty


class NumberedMentions(NamedTuple):
    """Mentions by their ids, in words and as numbers, (n_mentions,) both; each has a subject and another object."""

    worded: WordedMentions
    mentions: FactMentions
    things: Things
    names: list[str]  # of relations

    def take(self, rows: Ints) -> "NumberedMentions":
        """Return some mentions."""
        return self._replace(worded=self.worded.take(rows), mentions=self.mentions.take(rows))


def numbered(read: FactSource) -> NumberedMentions:
    """Number the mentions of which a fact can be made, with things told from the object's side turned round.

    Of what text analysis found, that is what states something of its subject: "Britain's PM" does not.
    """
    worded = WordedMentions(read.fact_mentions, _usable_rows(read))
    worded = worded.take(np.asarray(pc.sort_indices(worded["id"])))
    subject, object_, things = _things(worded, read.entity_resolutions)
    of_two = np.flatnonzero(subject != object_)  # "it was renamed as Acme"
    worded, subject, object_ = worded.take(of_two), subject[of_two], object_[of_two]
    names = sorted(set(read.relation_resolutions["relation"].to_pylist()))
    number = {name: index for index, name in enumerate(names)}
    meant = {row[0]: row[1:] for row in tables.rows(read.relation_resolutions, "wording", "relation", "inverse")}
    inverse = map_distinct(worded["relation"], lambda wording: meant[wording][1]) > 0
    mentions = FactMentions(
        subject=np.where(inverse, object_, subject),
        relation=map_distinct(worded["relation"], lambda wording: number[meant[wording][0]]),
        object=np.where(inverse, subject, object_),
        kind=map_distinct(worded["kind"], KINDS.index),
        positive=map_distinct(worded["polarity"], lambda polarity: polarity != "negative") > 0,
        start=map_distinct(worded["valid_at"], first_second),
        end=map_distinct(worded["invalid_at"], first_second),
        unit=map_distinct(worded["precision"], lambda precision: UNITS.get(precision, 1)),
        reported_at=map_distinct(worded["reference_time"], first_second),
    )
    return NumberedMentions(replace(worded, turned=inverse), mentions, things, names)


def map_distinct(column: pa.ChunkedArray, value: Callable[[str], int]) -> Ints:
    """Return the value of each text of a column, each different text of which is looked at once."""
    encoded = column.combine_chunks().dictionary_encode()
    values = np.array([value(text) for text in encoded.dictionary.to_pylist()], dtype=np.int64)
    codes: Ints = values[np.asarray(encoded.indices)]
    return codes


def key_of(entity_id: str, name: str) -> str:
    """Return what tells things apart: an entity, else the folded words."""
    return entity_id or f"\x1f{folding.fold(name)}"


def _usable_rows(read: FactSource) -> Ints:
    documents, mentions, resolutions = read.source_documents, read.fact_mentions, read.relation_resolutions
    rows = groups.row_indices(mentions["document_id"], documents["id"])
    languages = documents["language"].combine_chunks().take(pa.array(rows))
    prefixed = pc.binary_join_element_wise(languages, mentions["relation"], " ")
    loose = pa.array([each for each in pc.unique(prefixed).to_pylist() if not _states(each)], pa.string())
    subject, object_, by_text = (pc.not_equal(mentions[name], "") for name in ("subject", "object", "time_text"))
    known, turned = (
        pc.is_in(mentions["relation"], value_set=wordings["wording"].combine_chunks())
        for wordings in (resolutions, resolutions.filter(resolutions["inverse"]))
    )
    usable = pc.and_(pc.and_(known, subject), pc.invert(pc.and_(by_text, pc.is_in(prefixed, value_set=loose))))
    return np.flatnonzero(pc.and_(usable, pc.or_(object_, pc.invert(turned))))


def _states(prefixed: str) -> bool:
    """Tell whether words behind their language, unknown where it is empty, state something."""
    language, _, wording = prefixed.partition(" ")
    return states_relation(wording, language or "en")


def _things(worded: WordedMentions, entity_resolutions: pa.Table) -> tuple[Ints, Ints, Things]:
    """Return the number of each mention's subject and object: a name means what its document, else the corpus, says."""
    ends = pa.chunked_array([*worded["subject"].chunks, *worded["object"].chunks], pa.string()).combine_chunks()
    names, documents = ends.dictionary_encode(), worded["document_id"].combine_chunks().dictionary_encode()
    meant = groups.rows_of(entity_resolutions, "name", pa.chunked_array([names.dictionary]))
    row = resolution_rows(names, pa.concat_arrays([documents, documents]), meant)
    entities = meant["entity_id"].combine_chunks().dictionary_encode()
    is_entity = np.append(np.asarray(meant["entity_id"]) != "", False)[row]
    n_entities = len(entities.dictionary)
    thing = np.where(is_entity, np.append(np.asarray(entities.indices), 0)[row], n_entities + np.asarray(names.indices))
    used = np.bincount(thing) > 0
    found, number = np.flatnonzero(used), (np.cumsum(used) - 1)[thing]
    n_known = int(np.searchsorted(found, n_entities))
    others = names.dictionary.take(pa.array(found[n_known:] - n_entities)).to_pylist()
    keys = [*entities.dictionary.take(pa.array(found[:n_known])).to_pylist(), *(key_of("", each) for each in others)]
    index = {key: n for n, key in enumerate(sorted(set(keys)))}  # names that fold to one are one thing
    number = np.array([index[key] for key in keys], dtype=np.int64)[number]
    title_of = dict(tables.rows(meant, "entity_id", "title"))
    things = Things([*index], [title_of.get(key, "") for key in index])
    return number[: len(worded.rows)], number[len(worded.rows) :], things

"""The sentences that name the members of communities, of those text units in which a member is related to something."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag_lite.evidence.describing_sentences import GOOD_LENGTH
from graphrag_lite.evidence.report_statements import Sources
from graphrag_lite.tables import groups
from graphrag_lite.tables.mention_rows import meant

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]
Row = dict[str, Any]
MOST = 4  # of each entity
OPENING = 4  # sentences that name it first in the work that names it most: a reader meets it there
SCENES = 80  # stretches of a story, of each of which a sentence is read that names it
PACE = 1000  # characters of a story of which one sentence that names it is kept
EARLY = 12  # characters: a name that comes this much earlier in its sentence is more its subject


def member_sentences(
    entities: "pa.Table",
    relationships: "pa.Table",
    entity_mentions: "pa.Table",
    entity_resolutions: "pa.Table",
    members: Collection[str],
    met: Collection[str],
    sources: Sources,
) -> dict[str, list[Row]]:
    """Return the spans of sentences that name each of some entities where it is related to another, by id.

    Those are up to `MOST` in which it comes first, then up to `OPENING` that open what names it most: the work that a
    document is a part of. Of those to be `met`, also one of each of up to `SCENES` stretches of stories, in any unit.
    """
    entity = meant(entities, entity_mentions, entity_resolutions)
    ids = entities["id"].to_pylist()
    is_member, is_met = (np.array([*map(some.__contains__, ids), False]) for some in (set(members), set(met)))
    start, end, mention = (entity_mentions[name].to_numpy() for name in ("char_start", "char_end", "mention_start"))
    rows = np.flatnonzero(is_member[entity] & (start >= 0) & (start <= mention))
    entity, start, end, mention = (values[rows] for values in (entity, start, end, mention))
    document, documents = _coded(entity_mentions["document_id"], rows)
    unit, units = _coded(entity_mentions["text_unit_id"], rows)
    related = np.isin(entity * len(units) + unit, _related(entities, relationships, units))
    works, work = np.unique(np.array([sources.work(one) for one in documents], object), return_inverse=True)
    n_works = max(len(works), 1)
    read = np.argsort(sorted(range(len(documents)), key=lambda one: sources.order(documents[one])))  # when each is
    # In which sentence an entity comes first; then one of no good length, then by place.
    late, odd = (mention - start) // EARLY, ~np.isin(end - start, GOOD_LENGTH)
    best = np.lexsort((unit, end, start, document, odd, late, entity))
    _, place = np.unique(document * (start.max(initial=0) + 1) + start, return_inverse=True)
    alone = np.bincount(np.unique(place * len(ids) + entity) // max(len(ids), 1), minlength=len(rows))[place] < 2
    place = entity * (len(rows) + 1) + place  # of an entity, the same in two text units that overlap
    found = _first_of_each(place, best[related[best]])
    chosen = found[_first(entity[found], MOST)]
    counted, n = np.unique(entity[found] * n_works + work[document[found]], return_counts=True)
    counted = counted[np.lexsort((counted % n_works, -n, counted // n_works))]
    counted = counted[_first(counted // n_works, 1)]
    most = np.full(len(ids), -1)
    most[counted // n_works] = counted % n_works
    opens = _first_of_each(place, np.flatnonzero(related & (most[entity] == work[document])))
    opens = opens[np.lexsort((opens, document[opens], entity[opens]))]  # mentions stand in their order
    opens = opens[_first(entity[opens] * len(documents) + document[opens], OPENING)]
    opens = found[np.isin(place[found], place[opens])]
    opens = opens[np.lexsort((start[opens], read[document[opens]], entity[opens]))]
    opens = opens[_first(entity[opens], OPENING)]
    scenes = best[np.argsort(alone[best] | (late[best] > 0), kind="stable")]  # who meets whom tells a story
    scenes = scenes[(is_met[entity] & (most[entity] >= 0))[scenes]]
    narrated = [one for one in np.unique(document[scenes]).tolist() if sources.is_narrated(documents[one])]
    scenes = scenes[np.isin(document[scenes], narrated)]
    met_first = scenes[np.lexsort((start[scenes], read[document[scenes]], entity[scenes]))]
    met_first = met_first[_first(entity[met_first], 1)]
    scenes = _scenes(scenes, entity, read[document], start // PACE)
    spans: dict[str, list[Row]] = {}
    told = np.concatenate([chosen, opens, met_first, scenes])
    for own, of, where, first, last in zip(
        *(each[told].tolist() for each in (entity, unit, document, start, end)), strict=True
    ):
        span = {"text_unit_id": units[of], "document_id": documents[where], "char_start": first, "char_end": last}
        spans.setdefault(ids[own], []).append(span)
    return spans


def _scenes(best: "Rows", entity: "Rows", read: "Rows", pace: "Rows") -> "Rows":
    """Return the best sentence of each stretch of what stories tell of an entity, in their order.

    `best` are rows by entity, best first; the others tell of each row when its document is read, and where it stands.
    """
    place = (entity * (read.max(initial=0) + 1) + read) * (pace.max(initial=0) + 1) + pace
    told = _first_of_each(place, best)
    rank = np.argsort(np.argsort(place[told]))
    _, group, n_of = np.unique(entity[told], return_inverse=True, return_counts=True)
    own = rank - (np.cumsum(n_of) - n_of)[group]
    stretch = group * SCENES + (SCENES * (own + 1) - 1) // n_of[group]
    told = told[np.argsort(stretch, kind="stable")]
    return told[_first(np.sort(stretch), 1)]


def _coded(column: "pa.ChunkedArray", rows: "Rows") -> "tuple[Rows, list[str]]":
    """Return the place of the value of each of some rows among the different ones, and these in order."""
    import pyarrow as pa

    encoded = column.take(pa.array(rows)).combine_chunks().dictionary_encode()
    values, places = np.unique(np.array(encoded.dictionary.to_pylist(), object), return_inverse=True)
    return places[np.asarray(encoded.indices)], values.tolist()


def _related(entities: "pa.Table", relationships: "pa.Table", units: Sequence[str]) -> "Rows":
    """Return the pairs of an entity and a text unit in which it is related to another, by their places."""
    import pyarrow as pa

    listed = relationships["text_unit_ids"].combine_chunks()
    unit = groups.row_indices(listed.flatten(), pa.array(units, pa.string()))
    n_of = np.diff(np.asarray(listed.offsets))
    pairs = [
        np.repeat(groups.row_indices(relationships[by], entities["id"]), n_of) * len(units) + unit
        for by in ("source_id", "target_id")
    ]
    return np.unique(np.concatenate(pairs)[np.tile(unit >= 0, 2)])


def _first_of_each(values: "Rows", rows: "Rows") -> "Rows":
    """Return those of some rows, in their order, that are the first with their value."""
    _, first = np.unique(values[rows], return_index=True)
    return rows[np.sort(first)]


def _first(grouped: "Rows", most: int) -> "NDArray[np.bool_]":
    """Say which of grouped rows are among the first `most` of their group.

    >>> _first(np.array([7, 7, 7, 2, 2]), 2).tolist()
    [True, True, False, True, True]
    """
    begins = np.flatnonzero(np.diff(grouped, prepend=-1))
    return np.arange(len(grouped)) - np.repeat(begins, np.diff(begins, append=len(grouped))) < most

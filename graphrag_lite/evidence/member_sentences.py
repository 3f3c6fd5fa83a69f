"""The sentences that name the members of communities, of those text units that name another one, too."""

from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite.evidence.describing_sentences import GOOD_LENGTH
from graphrag_lite.evidence.report_statements import Sources
from graphrag_lite.evidence.reportable_sentences import Spans
from graphrag_lite.tables import groups
from graphrag_lite.tables.mapped_table import forget_what_was_looked_at
from graphrag_lite.tables.mention_rows import meant

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]
    Bools = NDArray[np.bool_]
MOST = 4  # of each entity
OPENING = 4  # sentences that name it first in the work that names it most: a reader meets it there
SCENES = 80  # stretches of a story, of each of which a sentence is read that names it
MET = 12  # first sentences of a story that name it, and that begin so: one of them may say who it is
PACE = 1000  # characters of a story of which one sentence that names it is kept
EARLY = 12  # characters: a name that comes this much earlier in its sentence is more its subject


def member_sentences(
    entities: "pa.Table",
    entity_mentions: "pa.Table",
    entity_resolutions: "pa.Table",
    is_member: "Bools",
    is_met: "Bools",
    sources: Sources,
) -> "tuple[Rows, Spans]":
    """Return the spans of sentences that name some entities, in text units that name several: the entity of each, by
    row, and where it stands. Entities are told by row, spans of one stand in the order in which they are read.

    Those are up to `MOST` in which it comes first, then up to `OPENING` that open what names it most: the work that a
    document is a part of. Of those to be `met`, also one of each of up to `SCENES` stretches of stories, in any unit.
    """
    entity = meant(entities, entity_mentions, entity_resolutions)
    n_entities, n_units = entities.num_rows, len(sources.unit_ids)
    start, end, mention = (entity_mentions[name].to_numpy() for name in ("char_start", "char_end", "mention_start"))
    rows = np.flatnonzero(np.append(is_member, False)[entity] & (start >= 0) & (start <= mention))
    entity, start, end, mention = (values[rows] for values in (entity, start, end, mention))
    of_each = (entity_mentions[name].take(rows) for name in ("document_id", "text_unit_id"))
    document, unit = map(groups.row_indices, of_each, (sources.document_ids, sources.unit_ids))
    forget_what_was_looked_at()  # all mentions
    met = np.unique(unit * n_entities + entity) // max(n_entities, 1)
    related = np.bincount(met, minlength=n_units)[unit] > 1
    works, work = np.unique(np.array([*map(sources.work, sources.ids)], object), return_inverse=True)
    n_works, n_documents = max(len(works), 1), len(sources.ids)
    read = sources.reading
    # In which sentence an entity comes first; then one of no good length, then by place.
    late, odd = (mention - start) // EARLY, ~np.isin(end - start, GOOD_LENGTH)
    best = np.lexsort((unit, end, start, document, odd, late, entity))
    _, location = np.unique(document * (start.max(initial=0) + 1) + start, return_inverse=True)
    each = np.sort(location * n_entities + entity)  # an entity there once: np.unique would hash them: longer
    each = each[np.diff(each, prepend=-1) > 0]
    alone = np.bincount(each // max(n_entities, 1), minlength=len(rows))[location] < 2
    location = entity * (len(rows) + 1) + location  # of an entity, the same in two text units that overlap
    found = first_of_each(location, best[related[best]])
    chosen = found[_first(entity[found], MOST)]
    counted, n = np.unique(entity[found] * n_works + work[document[found]], return_counts=True)
    counted = counted[np.lexsort((counted % n_works, -n, counted // n_works))]
    counted = counted[_first(counted // n_works, 1)]
    most = np.full(n_entities, -1)
    most[counted // n_works] = counted % n_works
    opens = first_of_each(location, np.flatnonzero(related & (most[entity] == work[document])))
    opens = opens[np.lexsort((opens, document[opens], entity[opens]))]  # mentions stand in their order
    opens = opens[_first(entity[opens] * n_documents + document[opens], OPENING)]
    opens = found[np.isin(location[found], location[opens])]
    opens = opens[np.lexsort((start[opens], read[document[opens]], entity[opens]))]
    opens = opens[_first(entity[opens], OPENING)]
    scenes = best[np.argsort(alone[best] | (late[best] > 0), kind="stable")]  # who meets whom tells a story
    scenes = scenes[(is_met[entity] & (most[entity] >= 0))[scenes]]
    scenes = scenes[sources.narrated[document[scenes]]]
    met_first = scenes[np.lexsort((start[scenes], read[document[scenes]], entity[scenes]))]
    begun = met_first[late[met_first] == 0]
    met_first = np.unique(np.concatenate([one[_first(entity[one], MET)] for one in (met_first, begun)]))
    scenes = _scenes(scenes, entity, read[document], start // PACE)
    selected = np.concatenate([chosen, opens, met_first, scenes])
    selected = selected[np.argsort(entity[selected], kind="stable")]
    return entity[selected], Spans(document, start, end, unit).of(selected)


def _scenes(best: "Rows", entity: "Rows", read: "Rows", pace: "Rows") -> "Rows":
    """Return the best sentence of each stretch of what stories tell of an entity, in their order.

    `best` are rows by entity, best first; the others tell of each row when its document is read, and where it stands.
    """
    position = (entity * (read.max(initial=0) + 1) + read) * (pace.max(initial=0) + 1) + pace
    selected = first_of_each(position, best)
    rank = np.argsort(np.argsort(position[selected]))
    _, group, n_of = np.unique(entity[selected], return_inverse=True, return_counts=True)
    own = rank - (np.cumsum(n_of) - n_of)[group]
    stretch = group * SCENES + (SCENES * (own + 1) - 1) // n_of[group]
    selected = selected[np.argsort(stretch, kind="stable")]
    return selected[_first(np.sort(stretch), 1)]


def first_of_each(values: "Rows", rows: "Rows") -> "Rows":
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

"""Counts are what they count, and entities and relationships are what the mentions say: no more, no less."""

import numpy as np
import pyarrow.compute as pc

from graphrag_lite.ops.check.problems import MAX_NAMED, Problems
from graphrag_lite.ops.check.reading import Ints, Reading, apart, at, look_up, repeated
from graphrag_lite.tables.groups import row_indices

# In the place of a row of entities: a name (-1: dropped) with an id that names none, one without a resolution.
DANGLING, UNRESOLVED = -2, -3


def of_entities(read: Reading, found: Problems) -> None:
    """Check frequency, degree and n_documents."""
    n = read.n_rows("entities")
    owners, units = read.pairs("entities", "text_unit_ids", "text_units")
    owners, units = owners[units >= 0], units[units >= 0]
    document = read.refer("text_units", "document_id", "documents")
    width = len(document) + 2
    seen = np.unique(owners * width + at(document, units) + 1) // width
    ends = np.concatenate([read.refer("relationships", name, "entities") for name in ("source_id", "target_id")])
    expected = {
        "frequency": np.bincount(owners, minlength=n),
        "n_documents": np.bincount(seen, minlength=n),
        "degree": np.bincount(ends[ends >= 0], minlength=n),
    }
    if read.complete:
        found.rows("entities", "n_mentions: is not positive", read.numbers("entities", "n_mentions") < 1)
    for column, values in expected.items():
        if read.complete or column == "n_documents":
            wrong = read.numbers("entities", column) != values
            found.rows("entities", f"{column}: is not what it counts", wrong)


def of_relationships(read: Reading, found: Problems) -> None:
    """Check combined_degree, the two ends, and the weight."""
    weights = read.numbers("relationships", "weight")
    found.rows("relationships", "weight: not a number", ~np.isfinite(weights))
    if not read.complete:
        return
    source, target = (read.refer("relationships", name, "entities") for name in ("source_id", "target_id"))
    known = (source >= 0) & (target >= 0)
    degree = read.numbers("entities", "degree")
    wrong = known & (read.numbers("relationships", "combined_degree") != at(degree, source) + at(degree, target))
    found.rows("relationships", "combined_degree: is not the sum of both degrees", wrong)
    found.rows("relationships", "source_id, target_id: the same entity", known & (source == target))
    low, high = np.minimum(source, target)[known], np.maximum(source, target)[known]
    few = read.numbers("relationships", "n_mentions") < 1
    found.rows("relationships", "n_mentions: is not positive", few)
    twice = repeated(low, high)
    found.rows("entities", "has two relationships with the same entity", twice)
    found.rows("relationships", "weight: negative", weights < 0)


def of_mentions(read: Reading, found: Problems) -> None:
    """Check that an entity is in the text units whose mentions mean it, and a relationship where two names are related.

    A name means what its own document says it means, else what the corpus says.
    """
    if not read.complete:
        return
    meaning = _Meaning(read)
    if len(np.unique(meaning.keys)) < len(meaning.keys):
        found.add("entity_resolutions", "a name means two things in one document, or in the whole corpus")
    units = read.refer("entity_mentions", "text_unit_id", "text_units")
    meant = meaning.of("entity_mentions", "name")
    known = (units >= 0) & (meant >= 0)
    found.rows("entity_mentions", "name: has no resolution", meant == UNRESOLVED)
    found.rows("entity_mentions", "name: means an entity that is not there", meant == DANGLING)
    more, less = apart(read.pairs("entities", "text_unit_ids", "text_units"), (meant[known], units[known]))
    found.rows("entities", "text_unit_ids: a text unit where no mention means it", more)
    found.rows("entities", "text_unit_ids: lacks a text unit where a mention means it", less)

    source, target = meaning.of("relationship_mentions", "source"), meaning.of("relationship_mentions", "target")
    names = [read.column("relationship_mentions", end) for end in ("source", "target")]
    within = np.flatnonzero((source >= 0) & (source == target) & np.asarray(pc.not_equal(*names)))
    found.within = len(within)
    pairs = {tuple(sorted(str(name[int(row)]) for name in names)) for row in within}
    found.within_named = tuple(f"{one} – {other}" for one, other in sorted(pairs)[:MAX_NAMED])
    units = read.refer("relationship_mentions", "text_unit_id", "text_units")
    width = read.n_rows("entities") + 1
    ends = [read.refer("relationships", name, "entities") for name in ("source_id", "target_id")]
    keys = np.minimum(*ends) * width + np.maximum(*ends)
    order = np.argsort(keys, kind="stable")
    known = (units >= 0) & (source >= 0) & (target >= 0) & (source != target)
    stated = (np.minimum(source, target) * width + np.maximum(source, target))[known]
    rows, there = look_up(keys[order], stated)
    lost = np.flatnonzero(known)[~there]
    found.rows("relationship_mentions", "states a relationship that is not there", lost)
    instances = order[rows[there]], units[known][there]
    more, less = apart(read.pairs("relationships", "text_unit_ids", "text_units"), instances)
    found.rows("relationships", "text_unit_ids: a text unit that does not state it", more)
    found.rows("relationships", "text_unit_ids: lacks a text unit that states it", less)


class _Meaning:
    """What names mean, by document and in the whole corpus: rows of entities."""

    def __init__(self, read: Reading) -> None:
        self.read = read
        self.names = pc.unique(read.column("entity_resolutions", "name"))
        documents = read.refer("entity_resolutions", "document_id", "documents")  # -1: the whole corpus
        self.width = read.n_rows("documents") + 1
        keys = row_indices(read.column("entity_resolutions", "name"), self.names) * self.width + documents + 1
        order = np.argsort(keys, kind="stable")
        entities = read.refer("entity_resolutions", "entity_id", "entities").copy()
        entities[(entities < 0) & read.not_empty("entity_resolutions", "entity_id")] = DANGLING
        self.keys, self.entities = keys[order], entities[order]

    def of(self, table: str, column: str) -> Ints:
        """Return the row of entities that each name of a table of mentions means; see above for what means none."""
        documents = self.read.refer(table, "document_id", "documents")
        names = row_indices(self.read.column(table, column), self.names)
        here, there = look_up(self.keys, names * self.width + documents + 1)
        anywhere, known = look_up(self.keys, names * self.width)
        entities = np.append(self.entities, UNRESOLVED)
        found: Ints = np.where(there, entities[here], np.where(known, entities[anywhere], UNRESOLVED))
        return np.where(names >= 0, found, UNRESOLVED)


CHECKS = (of_entities, of_relationships, of_mentions)

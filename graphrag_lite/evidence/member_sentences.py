"""The sentences that name the members of communities, of those text units in which a member is related to something."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from heapq import nsmallest
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.evidence.describing_sentences import GOOD_LENGTH
from graphrag_lite.evidence.report_statements import Sources

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]
Key = tuple[int, bool, str, int, int, str]  # late in its sentence, of no good length, document, start, end, text unit
MOST = 4  # of each entity
OPENING = 4  # sentences that name it first in the work that names it most: a reader meets it there
SCENES = 40  # stretches of a story, of each of which a sentence is read that names it
PACE = 2000  # characters of a story of which one sentence that names it is kept
EARLY = 12  # characters: a name that comes this much earlier in its sentence is more its subject


def related_units(relationships: Iterable[Row], entities: Iterable[str]) -> dict[str, set[str]]:
    """Return the text units in which each of some entities is related to another, by id."""
    units: dict[str, set[str]] = {identity: set() for identity in entities}
    for row in relationships:
        for end in (row["source_id"], row["target_id"]):
            if end in units:
                units[end].update(row["text_unit_ids"])
    return units


def member_sentences(
    entity_mentions: "pa.Table",
    entity_resolutions: "pa.Table",
    units: Mapping[str, set[str]],
    met: Collection[str],
    sources: Sources,
) -> dict[str, list[Row]]:
    """Return the spans of sentences that name each entity in its `units`, by id.

    Those are up to `MOST` in which it comes first, then up to `OPENING` that open what names it most: the work that a
    document is a part of. Of those to be `met`, also one of each of up to `SCENES` stretches of stories, in any unit.
    """
    here: dict[tuple[str, str], str] = {}
    anywhere: dict[str, str] = {}
    for document, name, identity in tables.rows(entity_resolutions, "document_id", "name", "entity_id"):
        if document:
            here[document, name] = identity
        else:
            anywhere[name] = identity
    found: dict[str, dict[tuple[str, int], Key]] = defaultdict(dict)
    opening: dict[tuple[str, str], dict[int, Key]] = defaultdict(dict)
    told: dict[str, dict[tuple[str, int], Key]] = defaultdict(dict)
    columns = ["document_id", "text_unit_id", "name", "char_start", "char_end", "mention_start"]
    for batch in entity_mentions.select(columns).to_batches(max_chunksize=20_000):
        for document, unit, name, start, end, mention in tables.rows(batch, *columns):
            identity = here[document, name] if (document, name) in here else anywhere.get(name, "")
            if identity not in units or not 0 <= start <= mention:
                continue
            key = ((mention - start) // EARLY, end - start not in GOOD_LENGTH, document, start, end, unit)
            if identity in met and sources.is_narrated(document):
                place = (document, start // PACE)
                told[identity][place] = min(key, told[identity].get(place, key))
            if unit not in units[identity]:
                continue
            place = (document, start)
            found[identity][place] = min(key, found[identity].get(place, key))
            first = opening[identity, document]
            if start in first or len(first) < OPENING:  # mentions stand in their order
                first[start] = min(key, first.get(start, key))
    openings = _openings(found, opening, sources)
    return {
        identity: [
            _span(*key[2:])
            for key in (*nsmallest(MOST, own.values()), *openings[identity], *_scenes(told.get(identity, {}), sources))
        ]
        for identity, own in found.items()
    }


def _scenes(told: Mapping[tuple[str, int], Key], sources: Sources) -> list[Key]:
    """Return the best sentence of each stretch of what stories tell of an entity, in their order."""
    ordered = [told[place] for place in sorted(told, key=lambda place: (sources.order(place[0]), place))]
    cuts = [len(ordered) * i // SCENES for i in range(SCENES + 1)]
    return [min(ordered[start:end]) for start, end in pairwise(cuts) if start < end]


def _openings(
    found: Mapping[str, Mapping[tuple[str, int], Key]],
    opening: Mapping[tuple[str, str], Mapping[int, Key]],
    sources: Sources,
) -> dict[str, list[Key]]:
    """Return the first sentences of each entity in the work that holds most of those `found`, ties by its name."""
    works = {document: sources.work(document) for _, document in opening}
    documents: dict[str, list[str]] = defaultdict(list)
    for identity, document in opening:
        documents[identity].append(document)
    openings = {}
    for identity, own in found.items():
        counted = Counter(works[document] for document, _ in own)
        most = min(counted, key=lambda one: (-counted[one], one))
        parts = sorted((one for one in documents[identity] if works[one] == most), key=sources.order)
        keys = (key for part in parts for _, key in sorted(opening[identity, part].items()))
        openings[identity] = [*islice(keys, OPENING)]
    return openings


def _span(document: str, start: int, end: int, unit: str) -> Row:
    return {"text_unit_id": unit, "document_id": document, "char_start": start, "char_end": end}

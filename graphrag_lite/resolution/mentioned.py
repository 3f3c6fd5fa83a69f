"""What the mentions say of each name in all: how often, where, of which type, and whether it is a name at all."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphrag_lite import tables
from graphrag_lite.resolution.candidates import Candidate, is_name, majority_type
from graphrag_lite.resolution.faces import majority_word
from graphrag_lite.resolution.name_keys import exact_key

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

Span = tuple[int, int, int]
"""The places of the first and the last text unit of a document in which a key comes up, and how often it does."""
_MIN_STATED = 3  # mentions of a name that state its type


@dataclass(frozen=True, slots=True)
class Mentioned:
    """The names of a corpus, by key; `keys` has the key of each name as written.

    `spans` tells by document and key between which text units, by place, the key comes up, and how often; `n_documents`
    in how many documents. `kinds` are types by majority, `stated` those that are no chance. `dropped` are no names. Of
    `confirmed` mentions somebody has said that they are entities.
    """

    keys: Mapping[str, str]
    entries: Mapping[str, Candidate]
    spans: Mapping[str, Mapping[str, Span]]
    n_documents: Mapping[str, int]
    dropped: frozenset[str]
    kinds: dict[str, str]
    stated: Mapping[str, str]
    lower_counts: Mapping[str, int]
    confirmed: bool


class MentionLists(NamedTuple):
    """Mentions as parallel lists: those of a document that are alike once, with their number, and with the places of
    the first and the last of their text units."""

    document_ids: Sequence[str]
    names: Sequence[str]
    types: Sequence[str]
    anchored: Sequence[bool]
    ordinals: Sequence[int]
    last: Sequence[int]
    counts: Sequence[int]


def alike(entity_mentions: "pa.Table", ordinals: "NDArray[np.int64]") -> MentionLists:
    """Return mentions, in the order of the first of those that are alike; `ordinals` are the places of their units."""
    columns = [entity_mentions[c].combine_chunks().dictionary_encode() for c in ("document_id", "name", "type")]
    anchored = entity_mentions["anchored"].to_numpy()
    key = np.zeros(len(ordinals), np.int64)
    for column in columns:
        key = key * max(len(column.dictionary), 1) + np.asarray(column.indices)
    order = np.argsort(key := key * 2 + anchored, kind="stable")
    begins = np.flatnonzero(np.diff(key[order], prepend=-1))
    rows, n_of = order[begins], np.diff(begins, append=len(order))
    first, last = (of.reduceat(ordinals[order], begins) if len(begins) else begins for of in (np.minimum, np.maximum))
    by_first = np.argsort(rows)
    decoded = [
        [*map(each.dictionary.to_pylist().__getitem__, np.asarray(each.indices)[rows[by_first]])] for each in columns
    ]
    rest = (values[by_first].tolist() for values in (anchored[rows], first, last, n_of))
    return MentionLists(*decoded, *rest)


def each_mention(entity_mentions: "pa.Table", ordinals: "NDArray[np.int64]") -> MentionLists:
    """Return all mentions, each by itself, in their order."""
    columns = (entity_mentions[column] for column in ("document_id", "name", "type"))
    document_ids, names, types = map(tables.intern_strings, columns)
    positions = ordinals.tolist()
    return MentionLists(
        document_ids, names, types, entity_mentions["anchored"].to_pylist(), positions, positions, [1] * len(positions)
    )


def summarize_mentions(mentions: MentionLists, lower_counts: Mapping[str, int], *, confirmed: bool) -> Mentioned:
    """Return what mentions say of their names."""
    document_ids, names, types, anchored, ordinals, last, counts = mentions
    counted: Counter[tuple[str, str, bool]] = Counter()
    for mention, n in zip(zip(names, types, anchored, strict=True), counts, strict=True):
        counted[mention] += n
    keys = {name: exact_key(name) for name in sorted(set(names))}
    entries: dict[str, Candidate] = defaultdict(Candidate)
    spans: dict[str, dict[str, Span]] = defaultdict(dict)
    for (name, kind, sure), n in counted.items():  # most are alike
        entry = entries[keys[name]]
        entry.count += n
        entry.anchored += sure * n
        entry.types[kind] += n
        entry.surfaces[name] += n
    for document, key, *positions, n in zip(
        document_ids, map(keys.__getitem__, names), ordinals, last, counts, strict=True
    ):
        held = spans[document]
        first, end, so_far = held.get(key, (*positions, 0))
        held[key] = min(first, positions[0]), max(end, positions[1]), so_far + n
    n_documents = Counter(chain.from_iterable(spans.values()))
    dropped = frozenset(
        key
        for key, entry in entries.items()
        if not confirmed and not is_name(key, entry, n_documents[key], lower_counts)
    )
    vote = majority_word if confirmed else majority_type
    kinds = {key: vote(entry.types) for key, entry in entries.items()}
    stated = {
        key: kinds[key] if confirmed or " " in key else _sure(entry, kinds[key]) for key, entry in entries.items()
    }
    return Mentioned(keys, entries, spans, n_documents, dropped, kinds, stated, lower_counts, confirmed)


def _sure(entry: Candidate, kind: str) -> str:
    """Return the type of a single word as far as it is stated: by most mentions, and not by chance.

    Of 14 surnames with another type that lost their full name without this, as "Scorsese" (work), 11 were right.
    """
    n_stated = entry.types[kind]
    return kind if n_stated >= _MIN_STATED and 2 * n_stated > entry.count else "unknown"

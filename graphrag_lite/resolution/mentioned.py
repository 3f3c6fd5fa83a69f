"""What the mentions say of each name in all: how often, where, of which type, and whether it is a name at all."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from graphrag_lite.resolution.candidates import Candidate, is_name, majority_type
from graphrag_lite.resolution.faces import majority_word
from graphrag_lite.resolution.name_keys import exact_key

_MIN_STATED = 3  # mentions of a name that state its type


@dataclass(frozen=True, slots=True)
class Mentioned:
    """The names of a corpus, by key; `keys` has the key of each name as written.

    `spans` tells by document and key between which text units, by place, the key comes up, and `n_documents` in how
    many documents. `kinds` are types by majority, `stated` those that are no chance. `dropped` are no names. Of
    `confirmed` mentions somebody has said that they are entities.
    """

    keys: Mapping[str, str]
    entries: Mapping[str, Candidate]
    spans: Mapping[str, Mapping[str, tuple[int, int]]]
    n_documents: Mapping[str, int]
    dropped: frozenset[str]
    kinds: dict[str, str]
    stated: Mapping[str, str]
    lower_counts: Mapping[str, int]
    confirmed: bool


def summarize_mentions(
    document_ids: Sequence[str],
    names: Sequence[str],
    types: Sequence[str],
    anchored: Sequence[bool],
    lower_counts: Mapping[str, int],
    ordinals: Sequence[int],
    *,
    confirmed: bool,
) -> Mentioned:
    """Return what mentions, given as parallel lists (`ladder.resolve`), say of their names."""
    keys = {name: exact_key(name) for name in sorted(set(names))}
    entries: dict[str, Candidate] = defaultdict(Candidate)
    spans: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
    for (name, kind, sure), n in Counter(zip(names, types, anchored, strict=True)).items():  # most are alike
        entry = entries[keys[name]]
        entry.count += n
        entry.anchored += sure * n
        entry.types[kind] += n
        entry.surfaces[name] += n
    for document, key, place in zip(document_ids, map(keys.__getitem__, names), ordinals, strict=True):
        held = spans[document]
        first, last = held.get(key, (place + 1, place))
        if not first <= place <= last:  # most are where the key has been before
            held[key] = min(first, place), max(last, place)
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
    told = entry.types[kind]
    return kind if told >= _MIN_STATED and 2 * told > entry.count else "unknown"

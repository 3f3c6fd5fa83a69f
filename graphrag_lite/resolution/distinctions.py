"""Names that the texts, or a model that read them, tell apart: what no likeness of names may join.

Two names of one document are two things where a sentence relates the one to the other, where a text unit lists both as
people, one of them by a title, or where they are stated to be of two types. Without a title, models list one person
twice: gpt-4o's "Scrooge" and "Ebenezer Scrooge".
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import combinations

from graphrag_lite.resolution.aliases import as_person
from graphrag_lite.resolution.faces import majority_word
from graphrag_lite.text.folding import fold

LocalName = tuple[str, str]
"""Document and key."""


class Apart:
    """Tells of two keys in a document whether they are told apart there.

    `related` are (document, key, key); `listed` the text units of each place that list it; `kinds` the type that a
    document states of a key, where it counts, else what the corpus states of it.
    """

    def __init__(
        self,
        related: Iterable[tuple[str, str, str]],
        listed: Iterable[tuple[str, str, int]],
        kinds: Mapping[LocalName, str],
        corpus_kinds: Mapping[str, str],
    ) -> None:
        """Take `listed` as (document, key, place of the text unit)."""
        self._related = {(document, *sorted(ends)) for document, *ends in related}
        self._units: dict[LocalName, set[int]] = defaultdict(set)
        for document, key, unit in listed:
            self._units[document, key].add(unit)
        self._kinds = kinds
        self._corpus_kinds = corpus_kinds

    def __call__(self, document: str, one: str, other: str) -> bool:
        if (document, *sorted((one, other))) in self._related:
            return True
        kinds = [self._kinds.get((document, key)) or self._corpus_kinds[key] for key in (one, other)]
        persons = [as_person(key) for key in (one, other) if self.listed_together(document, one, other)]
        if any(person.title for person in persons if person) and {kind.casefold() for kind in kinds} == {"person"}:
            return True
        return types_differ(*kinds)

    def listed_together(self, document: str, one: str, other: str) -> bool:
        """Tell whether a text unit lists both."""
        return not self._units.get((document, one), set()).isdisjoint(self._units.get((document, other), ()))


def types_differ(one: str, other: str) -> bool:
    """Tell whether two types are stated and not the same."""
    return one != other and "unknown" not in (one, other)


def spellings_apart(
    document_ids: Sequence[str],
    names: Sequence[str],
    types: Sequence[str],
    ordinals: Sequence[int],
    keys: Mapping[str, str],
    related: Collection[tuple[str, str, str]],
) -> dict[LocalName, str]:
    """Return the (document, name) that have the key of another name there and mean something else, with their types.

    So a relationship joins the two, or a text unit lists both and they have no type in common. The name that the
    corpus has less often goes, of equals the second. What differs in case and width alone is one.

    >>> keys = {"Mumford & Sons": "mumford & sons", "Mumford & Sons '": "mumford & sons"}
    >>> spellings_apart(["d"] * 2, list(keys), ["organization", "work"], [0, 0], keys, [])
    {('d', "Mumford & Sons '"): 'work'}
    """
    kinds: dict[LocalName, Counter[str]] = defaultdict(Counter)
    units: dict[LocalName, set[int]] = defaultdict(set)
    spelled: dict[LocalName, set[str]] = defaultdict(set)
    for document, name, kind, unit in zip(document_ids, names, types, ordinals, strict=True):
        kinds[document, name][kind] += 1
        units[document, name].add(unit)
        spelled[document, keys[name]].add(name)
    joined = {(document, *sorted(ends)) for document, *ends in related}
    counts = Counter(names)
    found: dict[LocalName, str] = {}
    for (document, _), several in spelled.items():
        for pair in combinations(sorted(several, key=lambda name: (-counts[name], name)), 2):
            one, other = ((document, name) for name in pair)
            untyped = {"unknown"} & (kinds[one].keys() | kinds[other].keys())
            listed = units[one] & units[other] and not untyped and not kinds[one].keys() & kinds[other].keys()
            if (listed or (document, *sorted(pair)) in joined) and fold(pair[0]) != fold(pair[1]):
                found[other] = majority_word(kinds[other])
    return found


def separate_names(
    documents: Mapping[str, Collection[str]],
    meaning: Callable[[str, str], str],
    loose: Callable[[str, str], bool],
    apart: Apart,
) -> set[LocalName]:
    """Return the places that must be names of their own, so that nothing told apart is one in its document.

    `meaning` is the key of what a key stands for in a document, `loose` says whether an alias put it there. Of two that
    are told apart the one that is loose goes; of two loose ones the shorter, then the first by name.
    """
    found: set[LocalName] = set()
    for document, keys in documents.items():
        if len(keys) < 2:
            continue
        groups: dict[str, list[str]] = defaultdict(list)
        for key in sorted(keys):
            groups[meaning(document, key)].append(key)
        for root, group in groups.items():
            if len(group) < 2:
                continue
            members = sorted(group, key=lambda key: (key == root, len(key.split()), key))
            out: set[str] = set()
            for one, other in combinations(members, 2):
                if not {one, other} & out and apart(document, one, other):
                    out.update([key for key in (one, other) if key != root and loose(document, key)][:1])
            found.update((document, key) for key in out)
    return found


def stated_kinds(
    document_ids: Sequence[str], keys: Sequence[str], types: Sequence[str], vote: Callable[[Counter[str]], str]
) -> dict[LocalName, str]:
    """Return the type that the mentions of a document state of each key; places without one are left out."""
    counts: dict[LocalName, Counter[str]] = defaultdict(Counter)
    for document, key, kind in zip(document_ids, keys, types, strict=True):
        counts[document, key][kind] += 1
    voted = {local_name: vote(count) for local_name, count in counts.items()}
    return {local_name: kind for local_name, kind in voted.items() if kind != "unknown"}

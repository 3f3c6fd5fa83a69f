"""What follows from a model's verdicts on grey pairs: the clusters of all of them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from graphrag_lite.resolution.faces import majority_word
from graphrag_lite.resolution.ladder import Resolution

Pair = tuple[str, str]


def merge_clusters(same: Iterable[Pair], different: Iterable[Pair]) -> dict[str, list[str]]:
    """Return the clusters that `same` makes: first member -> members, both by name; none with a pair of `different`.

    `same` is taken in its order, so the surest should come first: a pair that would bring together two that are
    different is passed over. So a chain of likenesses cannot join what the model has told apart.

    >>> merge_clusters([("a", "b"), ("b", "c"), ("c", "d")], [("a", "c")])
    {'a': ['a', 'b'], 'c': ['c', 'd']}
    """
    members: dict[str, set[str]] = {}  # shared by all members of a cluster
    apart: dict[str, set[str]] = {}
    for one, other in different:
        apart.setdefault(one, set()).add(other)
        apart.setdefault(other, set()).add(one)
    for one, other in same:
        left, right = (members.setdefault(name, {name}) for name in (one, other))
        if left is right or any(apart.get(name, set()) & right for name in left):
            continue
        left |= right
        for name in right:
            members[name] = left
    joined = {min(found): sorted(found) for found in members.values() if len(found) > 1}
    return dict(sorted(joined.items()))


def merge_groups(
    rows: Iterable[Resolution], groups: Iterable[Sequence[str]], types: Mapping[str, Counter[str]]
) -> list[Resolution]:
    """Return resolutions in which each group of entities is one: that of most mentions, then of the first name.

    `groups` hold keys of entities, `types` count the types that the mentions of each entity give: the merged entity's
    type is the majority of all of them. The rule of a name that changes its entity is `model`.
    """
    roots: dict[str, str] = {}
    kinds: dict[str, str] = {}
    for group in groups:
        root = min(group, key=lambda key: (-types[key].total(), key))
        roots |= dict.fromkeys(group, root)
        kinds[root] = majority_word(sum((types[key] for key in group), Counter()))
    listed = list(rows)
    titles = {row.key: row.title for row in listed}
    return [
        row
        if row.key not in roots
        else replace(
            row,
            key=(root := roots[row.key]),
            title=titles[root],
            type=kinds[root],
            rule=row.rule if root == row.key else "model",
        )
        for row in listed
    ]

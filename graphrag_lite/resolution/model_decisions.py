"""A model's verdicts on grey pairs: its reply, and the clusters that follow from all of them."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from graphrag_lite.errors import ReplyError
from graphrag_lite.replies.json_reply import read_object
from graphrag_lite.resolution.faces import majority_word
from graphrag_lite.resolution.ladder import Resolution

Pair = tuple[str, str]

SCHEMA = {
    "type": "object",
    "properties": {"same": {"type": "array", "items": {"type": "integer"}}},
    "required": ["same"],
    "additionalProperties": False,
}
LINE = re.compile(r"^\W{0,9}(\d{1,6})\W{1,9}(yes|no|true|false|same|different|not)\b", re.I | re.M)
LIST = re.compile(r"\[[\d\s,]{0,2000}\]")
YES = ("yes", "true", "same")


def read_same(text: str, n: int) -> tuple[frozenset[int], int]:
    """Return which of the pairs 1 to `n` a reply calls the same, and how many other numbers it names.

    Read are `{"same": [1, 4]}`, a bare list, and lines such as `4: yes`. Raises ReplyError for anything else.

    >>> read_same('{"same": [1, "4", 99]}', 20), read_same("1: yes\\n2. No", 20), read_same('{"same": []}', 20)
    ((frozenset({1, 4}), 1), (frozenset({1}), 0), (frozenset(), 0))
    """
    lines = LINE.findall(text)
    if lines:
        said = {int(number) for number, verdict in lines if verdict.casefold() in YES}
    elif "{" not in text and (bare := LIST.search(text)):
        said = {int(number) for number in re.findall(r"\d{1,9}", bare.group())}
    else:
        said = _listed(read_object(text))
    known = frozenset(number for number in said if 1 <= number <= n)
    return known, len(said) - len(known)


def _listed(reply: Mapping[str, object]) -> set[int]:
    same = next((value for key, value in reply.items() if key.casefold() == "same"), None)
    if isinstance(same, dict):  # {"1": true, "2": false}
        same = [key for key, value in same.items() if value is True or str(value).casefold() in YES]
    if not isinstance(same, list):
        raise ReplyError('it does not say which pairs are the same: {"same": [numbers]}, [] where none is')
    numbers = [re.match(r"\D{0,9}(\d{1,9})", str(item)) for item in same if not isinstance(item, bool)]
    return {int(number[1]) for number in numbers if number}


def clusters(same: Iterable[Pair], different: Iterable[Pair]) -> dict[str, list[str]]:
    """Return the clusters that `same` makes: first member -> members, both by name; none with a pair of `different`.

    `same` is taken in its order, so the surest should come first: a pair that would bring together two that are
    different is passed over. So a chain of likenesses cannot join what the model has told apart.

    >>> clusters([("a", "b"), ("b", "c"), ("c", "d")], [("a", "c")])
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


def merged(
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

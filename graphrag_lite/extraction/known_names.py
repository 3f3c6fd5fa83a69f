"""Names that the user wants to be looked for wherever they stand (`names` of entities.yaml)."""

from collections.abc import Sequence

from graphrag_lite.extraction.extractor import located
from graphrag_lite.replies.graph_records import Entity
from graphrag_lite.resolution.name_keys import exact_key
from graphrag_lite.text.names import Name


def with_known(text: str, language: str, found: Sequence[Name], names: Sequence[str]) -> list[Name]:
    """Return the names found in a text, in its order, with those that are looked for; of two that overlap the longer.

    >>> found = [Name(4, 11, "Siemens", "organization", anchored=False)]
    >>> [name.name for name in with_known("Old Siemens rotor shafts, rotor shaft 7", "en", found, ["rotor shaft"])]
    ['Siemens', 'rotor shaft']
    """
    if not names:
        return list(found)
    stated, _ = located(text, language, [Entity(name, "unknown") for name in names])
    left = [
        one
        for one in stated
        if not any(other.start < one.end and one.start < other.end and _size(other) > _size(one) for other in found)
    ]
    kept = [other for other in found if not any(other.start < one.end and one.start < other.end for one in left)]
    return sorted([*kept, *left], key=lambda name: name.start)


def known_entities(text: str, language: str, told: Sequence[str], names: Sequence[str]) -> tuple[Entity, ...]:
    """Return the names that are looked for and stand in a text, other than those that are told of it already."""
    have = {exact_key(name) for name in told}
    new = [Entity(name, "unknown") for name in names if exact_key(name) not in have]
    found, _ = located(text, language, new) if new else ([], [])
    return tuple(Entity(name, "unknown") for name in dict.fromkeys(one.name for one in found))


def _size(name: Name) -> int:
    return name.end - name.start

"""A settings file of microsoft/graphrag: told for what it is, with what takes the place of each of its keys."""

import tomllib
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from typing import Any


@cache
def graphrag_keys() -> dict[str, Any]:
    """Return what its keys are here, by kind: `sections`, `replaced`, `renamed`."""
    found = tomllib.loads((resources.files(__package__) / "of_graphrag.toml").read_text(encoding="utf-8"))
    return found | {"sections": frozenset(found["sections"].split())}


def replacements(values: Mapping[str, Any]) -> list[str]:
    """Return what takes the place of each key of a file of microsoft/graphrag, a line each; none for a file of ours.

    >>> replacements({"chunks": {"size": 1200}, "cache": {"type": "file"}})
    ['chunks.size: split_text_units.size', 'nothing to set here: cache']
    >>> replacements({"split_text_units": {"size": 600}})
    []
    """
    if not graphrag_keys()["sections"] & values.keys():
        return []
    found: list[str] = []
    without: dict[str, None] = {}
    for key in _keys(values):
        ours = _ours(key)
        if ours:
            found.append(f"{key}: {ours}")
        else:
            without[key.split(".")[0]] = None
    sections = [line.split(".")[0].split(":")[0] for line in found]
    left = [section for section in without if section not in sections]
    return [*found, *([f"nothing to set here: {', '.join(left)}"] if left else [])]


def _ours(key: str) -> str:
    known = key
    for theirs, other in graphrag_keys()["renamed"].items():
        known = known.replace(theirs, other, 1) if known.startswith(theirs) else known
    return next((ours for pattern, ours in graphrag_keys()["replaced"].items() if _fits(known, pattern)), "")


def _fits(key: str, pattern: str) -> bool:
    parts, wanted = key.split("."), pattern.split(".")
    return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))


def _keys(values: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from _keys(value, f"{above}{name}.")
        else:
            yield f"{above}{name}"

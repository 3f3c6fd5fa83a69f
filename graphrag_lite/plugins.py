"""Doors: what an installed package brings in by entry points, for which names stand in commands.

| group | an entry point named NAME is | used where |
| --- | --- | --- |
| graphrag_lite.readers | a `read.documents.Reader` | every file whose suffix it has |
| graphrag_lite.search_methods | a `search.methods.SearchMethod` | `query --method NAME`, `eval --method NAME`, Python |
"""

from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from graphrag_lite.errors import PluginError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


@cache
def _found(group: str) -> "dict[str, EntryPoint]":
    from importlib import metadata

    found = metadata.entry_points(group=f"graphrag_lite.{group}")
    return {point.name: point for point in sorted(found, key=lambda point: (point.name, point.value), reverse=True)}


def names(group: str) -> list[str]:
    """Return the names of what is installed, sorted."""
    return sorted(_found(group))


def version(group: str, name: str) -> str:
    """Return what an installed name is, for a stamp: its name, package and that package's version."""
    dist = _found(group)[name].dist
    return f"{name} {dist.name} {dist.version}" if dist else name


def load(group: str, name: str, kind: type[T] | None = None) -> T:
    """Import what an entry point names. Raises PluginError where there is none, or it cannot be imported.

    `kind` is the class that it must be an instance of, otherwise it must be callable.
    """
    point = _found(group).get(name)
    if point is None:
        known = ", ".join(names(group)) or "none"
        raise PluginError(f"No installed package brings {name!r} for graphrag_lite.{group}. Installed: {known}.")
    try:
        loaded: Any = point.load()
    except Exception as error:
        raise PluginError(f"{name} ({point.value}) cannot be imported: {type(error).__name__}: {error}") from error
    if not (isinstance(loaded, kind) if kind else callable(loaded)):
        wanted = f"not a {kind.__name__}" if kind else "which cannot be called"
        raise PluginError(f"{name} ({point.value}) is a {type(loaded).__name__}, {wanted}.")
    return loaded  # type: ignore[no-any-return]

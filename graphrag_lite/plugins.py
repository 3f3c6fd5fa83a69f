"""Doors: what an installed package brings in by entry points, for which names stand in commands and settings.

| group | an entry point named NAME is | used where |
| --- | --- | --- |
| graphrag_lite.readers | a `read.documents.Reader` | every file whose suffix it has |
| graphrag_lite.search_methods | a `search.methods.SearchMethod` | `query --method NAME`, `eval --method NAME`, Python |
| graphrag_lite.extractors | a function, as `extraction.extractor` says | `extract_graph_fast.extractor` |
| graphrag_lite.chat_models | makes a `llm.chat.ChatModel` of the settings `llm` | `llm.provider` |
| graphrag_lite.embedders | makes a `llm.chat.Embedder` of the settings `embeddings` | `embeddings.provider` |
"""

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from graphrag_lite.errors import PluginError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class Origin(NamedTuple):
    """Where something that is not ours comes from: stands in stamps and in the manifest."""

    name: str
    package: str = ""  # that is installed; empty for an object that Python code passed
    version: str = ""


@cache
def _found(group: str) -> "dict[str, EntryPoint]":
    from importlib import metadata

    found = metadata.entry_points(group=f"graphrag_lite.{group}")
    return {point.name: point for point in sorted(found, key=lambda point: (point.name, point.value), reverse=True)}


def names(group: str) -> list[str]:
    """Return the names of what is installed, sorted."""
    return sorted(_found(group))


def load(group: str, name: str, kind: type[T] | None = None) -> T:
    """Import what an entry point names. Raises PluginError where there is none, or it cannot be imported.

    `kind` is the class that it must be an instance of, otherwise it must be callable.
    """
    point = _point(group, name)
    try:
        loaded: Any = point.load()
    except Exception as error:
        raise PluginError(f"{name} ({point.value}) cannot be imported: {type(error).__name__}: {error}") from error
    if not (isinstance(loaded, kind) if kind else callable(loaded)):
        wanted = f"not a {kind.__name__}" if kind else "which cannot be called"
        raise PluginError(f"{name} ({point.value}) is a {type(loaded).__name__}, {wanted}.")
    return loaded  # type: ignore[no-any-return]


def origin(group: str, name: str) -> Origin:
    """Return which package brings an entry point, in which version. Raises PluginError where there is none."""
    package = _point(group, name).dist
    return Origin(name, package.name, package.version) if package else Origin(name)


def origin_of(passed: object) -> Origin:
    """Return where an object comes from: its name, or that of its class, and its attribute `version` where it has one.

    >>> class Gazetteer:
    ...     version = 2
    >>> origin_of(Gazetteer()).version
    '2'
    """
    named: Any = passed if hasattr(passed, "__qualname__") else type(passed)
    return Origin(f"{named.__module__}.{named.__qualname__}", version=str(getattr(passed, "version", "")))


def _point(group: str, name: str) -> "EntryPoint":
    if name not in _found(group):
        known = ", ".join(names(group)) or "none"
        raise PluginError(f"No installed package brings {name!r} for graphrag_lite.{group}. Installed: {known}.")
    return _found(group)[name]

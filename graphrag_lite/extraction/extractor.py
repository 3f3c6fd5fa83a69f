"""An extractor of another package: a function that says what a text names, and how it relates that.

    def extract(text: str, language: str, **options) -> list[Entity] | GraphReply

`language` is an ISO 639-1 code, or "". Entities alone are related where they share a sentence, as those of our own text
analysis are; a `GraphReply` states its relationships itself. Nothing that an extractor names is dropped, and types are
its own. A name is looked for in the text as one of a model is. One that does not stand there is kept, without a place.
So are names that the user wants to be looked for wherever they stand (`names` of entities.yaml).
"""

import inspect
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from graphrag_lite import plugins
from graphrag_lite.errors import PluginError
from graphrag_lite.evidence.name_spans import NameSpans
from graphrag_lite.plugins import Origin
from graphrag_lite.replies.graph_records import (
    MAX_STRENGTH,
    MIN_STRENGTH,
    Entity,
    GraphReply,
    Relationship,
    is_name,
    known_type,
)
from graphrag_lite.replies.records import clean_field
from graphrag_lite.resolution.name_keys import exact_key
from graphrag_lite.settings import ExtractGraphFast
from graphrag_lite.text.dates import iso_period
from graphrag_lite.text.names.name import Name

__all__ = ["Entity", "Extractor", "GraphReply", "Relationship", "open_extractor"]

MAX_RECORDS = 2000  # entities, or relationships, of one text: more are no longer said by it
T = TypeVar("T", Entity, Relationship)
Extract = Callable[..., "Iterable[Entity] | GraphReply"]


@dataclass(frozen=True)
class Extractor:
    """The function of somebody else, with its options. Another process imports it by its name."""

    extract: Extract
    options: Mapping[str, Any]
    origin: Origin

    @property
    def origins(self) -> tuple[Origin, ...]:
        return (self.origin,)

    @property
    def module(self) -> str:
        """The module that it stands in, whose code decides what is found."""
        return getattr(self.extract, "__module__", "") or ""

    def __reduce__(self) -> Any:
        return _named, (self.origin.name, self.options)

    def __call__(self, text: str, language: str) -> tuple[GraphReply, bool]:
        """Return what it finds, checked and clean, and whether it states relationships. Raises what it raises."""
        found = self.extract(text, language, **self.options)
        states = isinstance(found, GraphReply)
        given = found if isinstance(found, GraphReply) else GraphReply(tuple(self._of_kind(Entity, found)))
        entities = [_entity(each) for each in self._of_kind(Entity, given.entities)]
        relationships = [_relationship(each) for each in self._of_kind(Relationship, given.relationships)]
        n_dropped = entities.count(None) + relationships.count(None)
        return GraphReply(tuple(filter(None, entities)), tuple(filter(None, relationships)), n_dropped), states

    def _of_kind(self, kind: type[T], found: Iterable[T]) -> Iterator[T]:
        for n, record in enumerate(islice(found, MAX_RECORDS + 1)):
            if not isinstance(record, kind):
                raise TypeError(f"{self.origin.name} gave a {type(record).__name__} in the place of {kind.__name__}")
            if n == MAX_RECORDS:
                raise ValueError(f"{self.origin.name} gave more than {MAX_RECORDS} times {kind.__name__} for one text")
            yield record


def open_extractor(settings: ExtractGraphFast, passed: Extract | None = None) -> Extractor:
    """Return the extractor that the settings name, or the one that is passed in its place.

    Raises PluginError where there is no such extractor, or it does not take its options.
    """
    if passed:
        found = Extractor(passed, settings.options, plugins.origin_of(passed))
    else:
        found = _named(str(settings.extractor), settings.options)
    try:
        inspect.signature(found.extract).bind("", "", **found.options)
    except (TypeError, ValueError) as error:
        raise PluginError(
            f"extract_graph_fast.options: {found.origin.name} is called with a text, its language and"
            f" {', '.join(found.options) or 'no options'}, and does not take them: {error}."
        ) from None
    return found


def _named(name: str, options: Mapping[str, Any]) -> Extractor:
    return Extractor(plugins.load("extractors", name), options, plugins.origin("extractors", name))


def located(text: str, language: str, entities: Iterable[Entity]) -> tuple[list[Name], list[Name]]:
    """Return every mention of entities in a text, in its order, and those entities that it does not mention, at -1.

    Of names that overlap the longer one is mentioned. A name has the type that it is given most often.

    >>> found, absent = located("York met New York.", "en", map(Entity, ("York", "New York", "Leeds")))
    >>> [(name.start, name.name) for name in (*found, *absent)]
    [(0, 'York'), (9, 'New York'), (-1, 'Leeds')]
    """
    name_spans = NameSpans(text, language)
    given: dict[str, Counter[str]] = defaultdict(Counter)
    for entity in entities:
        given[entity.name][entity.type] += 1
    types = {name: kinds.most_common(1)[0][0] for name, kinds in given.items()}
    spans = sorted(((*span, name) for name in types for span in name_spans.mentions(name)), key=lambda s: (s[0], -s[1]))
    found: list[Name] = []
    for start, end, name in spans:
        if not found or start >= found[-1].end:
            found.append(Name(start, end, name, types[name], anchored=True))
    there = {name.name for name in found}
    return found, [Name(-1, -1, name, kind, anchored=True) for name, kind in types.items() if name not in there]


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
    remaining = [other for other in found if not any(other.start < one.end and one.start < other.end for one in left)]
    return sorted([*remaining, *left], key=lambda name: name.start)


def known_entities(text: str, language: str, known: Sequence[str], names: Sequence[str]) -> tuple[Entity, ...]:
    """Return the names that are looked for and stand in a text, other than those that are told of it already."""
    have = {exact_key(name) for name in known}
    new = [Entity(name, "unknown") for name in names if exact_key(name) not in have]
    found, _ = located(text, language, new) if new else ([], [])
    return tuple(Entity(name, "unknown") for name in dict.fromkeys(one.name for one in found))


def _size(name: Name) -> int:
    return name.end - name.start


def _entity(entity: Entity) -> Entity | None:
    name = clean_field(entity.name)
    return (
        Entity(name, known_type(clean_field(entity.type), ()), clean_field(entity.description))
        if is_name(name)
        else None
    )


def _relationship(stated: Relationship) -> Relationship | None:
    source, target = clean_field(stated.source), clean_field(stated.target)
    if not is_name(source) or not is_name(target):
        return None
    strength = min(MAX_STRENGTH, max(MIN_STRENGTH, float(stated.strength)))
    when = iso_period(stated.valid_at, stated.invalid_at)
    return Relationship(source, target, clean_field(stated.relation), clean_field(stated.description), strength, *when)

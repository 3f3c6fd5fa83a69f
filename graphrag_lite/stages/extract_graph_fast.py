"""Text units -> mentions of entities and relationships, by text analysis alone (method: fast).

What a unit says depends on its text (and its document's title) only. Which candidates are names, and which names are
one entity, is decided from all mentions together by `resolve_entities`.
"""

import logging
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import groupby
from operator import attrgetter, itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.attempts import outcome
from graphrag_lite.errors import PluginError
from graphrag_lite.extraction.blocks import linked_names
from graphrag_lite.extraction.code_names import code_names
from graphrag_lite.extraction.extractor import Extractor, located, with_known
from graphrag_lite.extraction.mentions import (
    Mentions,
    ReusedUnits,
    Tables,
    TextUnit,
    assemble_tables,
    mentions_of,
    reused_units,
    text_units,
)
from graphrag_lite.retrieval.entity_names import names_of_title
from graphrag_lite.run.services import Each, Last
from graphrag_lite.settings import ExtractGraphFast
from graphrag_lite.tables import groups
from graphrag_lite.tables.lazy_items import LazyItems
from graphrag_lite.text.dialogue import met
from graphrag_lite.text.language import of_part
from graphrag_lite.text.names.find import find_names
from graphrag_lite.text.names.name import Name
from graphrag_lite.text.related_names import related_names, tells_of
from graphrag_lite.text.sentences import quoted_sentences, sentences, trimmed

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)
Row = tuple[Any, ...]
UNIT = ["id", "char_start", "ordinal"]
LONGEST_CONVERSATION = 400  # characters of the sentences in which somebody speaks to somebody


async def extract_graph_fast(
    source_documents: "pa.Table",
    source_units: "pa.Table",
    settings: ExtractGraphFast,
    each: Each,
    last: Last | None = None,
    extractor: Extractor | None = None,
) -> tuple["pa.Table", "pa.Table", "pa.Table"]:
    """Find the names of every unit, and relate those of one sentence, and a short document's title with its names.

    An `extractor` finds the names in the place of `text.names`, or names and relationships. A unit that reads as it did
    in the last snapshot keeps what was found then. One that cannot be read is a failure, and has no rows. Raises
    PluginError where an extractor can read none at all.
    """
    units, reused, stay = _unlike_before(source_documents, source_units, last, settings.max_title_units)
    new = LazyItems(len(units) - len(reused.anchors), lambda: (unit for unit in units if unit.id not in reused.anchors))
    extract = partial(_extract, settings=settings, extractor=extractor)
    n_failed = n_dropped = 0

    def counted() -> Iterator[Mentions | None]:
        nonlocal n_failed, n_dropped
        for mentions in each(extract, new):
            n_failed += mentions is None
            n_dropped += mentions.n_dropped if mentions else 0
            yield mentions

    both = zip(assemble_tables(units, counted(), reused), stay, strict=True)
    mentions, related = (groups.in_order(groups.stack(*one), "text_unit_id", source_units["id"]) for one in both)
    if extractor and n_failed and n_failed == source_units.num_rows:
        error = outcome(extract, next(iter(new)))[1]
        raise PluginError(f"{extractor.origin.name} can read no text unit. The first: {error}.")
    if n_dropped:
        logger.info("Dropped %d of the extractor's records, whose names are empty or sentences.", n_dropped)
    return mentions, related, tables.make("covariates", [])


def _unlike_before(
    source_documents: "pa.Table", source_units: "pa.Table", last: Last | None, max_title_units: int
) -> tuple[LazyItems[TextUnit], ReusedUnits, Tables]:
    """Return the units of documents that are not as they were, what of them is kept, and the mentions of all others."""
    none = tables.make("entity_mentions", []), tables.make("relationship_mentions", [])
    names = ("entity_mentions", "relationship_mentions")
    before = last.read(*names, unless={"settings", "code"}) if last else None
    beside = last and last.beside(
        source_documents=source_documents.select(["id", "title", "language", "blocks"]),
        source_units=source_units.select(["document_id", *UNIT]),
    )
    if not last or not before or not beside:
        return _units(source_documents, source_units, max_title_units), ReusedUnits({}, None), none
    documents, own = beside
    other = documents.changed("id", ["title", "language"])  # its id tells its blocks
    other |= own.changed("document_id", UNIT)
    if last.failed:
        other.update(*(each["id"].to_pylist() for each in (documents.now, documents.then)))
    if (then := last.rows("text_units", "document_id", other, "document_id", *UNIT, "text")) is None:
        return _units(source_documents, source_units, max_title_units), ReusedUnits({}, None), none
    both = (source_documents, groups.rows_of(source_units, "document_id", other)), (documents.then, then)
    units, units_then = (_units(groups.rows_of(one, "id", other), own, max_title_units) for one, own in both)
    touched, stay = zip(*(groups.split_rows(each, "document_id", other) for each in before), strict=True)
    read_as = attrgetter("text", "language", "title", "short")
    return units, reused_units(units, units_then, touched, last.failed, read_as), stay


def _units(source_documents: "pa.Table", source_units: "pa.Table", max_title_units: int) -> LazyItems[TextUnit]:
    return LazyItems(source_units.num_rows, lambda: text_units(source_documents, source_units, max_title_units))


def _extract(unit: TextUnit, settings: ExtractGraphFast, extractor: Extractor | None = None) -> Mentions:
    """Return the rows of `entity_mentions` and `relationship_mentions` of one text unit."""
    if extractor is None:
        in_title = find_names(unit.title, unit.language) if unit.title else []
        topics = _topics(unit.title, in_title, unit.text)
        found = find_names(unit.prose, of_part(unit.prose, unit.language))
        names = with_known(unit.prose, unit.language, found, settings.names)
        if unit.blocks:
            names = sorted(
                [*linked_names(unit, names), *code_names(unit.text, unit.blocks)], key=lambda name: name.start
            )
        return Mentions(*_rows(unit, names, in_title, topics, settings))
    reply, states = extractor(unit.prose, unit.language)
    if states:
        return mentions_of(unit, [reply])
    of_title = extractor(unit.title, unit.language)[0].entities if unit.title else ()
    names, absent = located(unit.text, unit.language, reply.entities)
    names = with_known(unit.text, unit.language, names, settings.names)
    in_title, absent_there = located(unit.title, unit.language, of_title)
    topics = _topics(unit.title, in_title, "")
    descriptions = {entity.name: entity.description for entity in (*of_title, *reply.entities)}
    rows = _rows(unit, names, [*in_title, *absent, *absent_there], topics, settings, descriptions)
    return Mentions(*rows, n_dropped=reply.n_dropped)


def _rows(
    unit: TextUnit,
    names: list[Name],
    elsewhere: list[Name],
    topics: list[str],
    settings: ExtractGraphFast,
    descriptions: Mapping[str, str] = MappingProxyType({}),
) -> tuple[list[Row], list[Row]]:
    """Return the rows of names in a text unit and `elsewhere`, as in its title; `descriptions` are of some of them."""
    whole = (trimmed(unit.text, *span) for span in sentences(unit.text, unit.language))
    spans = [one for span in whole for one in quoted_sentences(unit.text, span, unit.language)]
    starts = [start for start, _ in spans]
    sentence = [spans[bisect_right(starts, name.start) - 1] for name in names]
    entities = [
        _entity(unit, name.name, name.type, descriptions, *_placed(unit, span), unit.offset + name.start, name.anchored)
        for name, span in zip(names, sentence, strict=True)
    ]
    kinds = {name.name: name.type for name in elsewhere}
    anchored = {name.name for name in elsewhere if name.anchored} | set(topics)
    entities += [
        _entity(unit, name, kinds.get(name, "unknown"), descriptions, -1, -1, -1, name in anchored)
        for name in dict.fromkeys([*topics, *kinds])
    ]
    relationships = list(_within_sentences(unit, names, sentence, settings.max_neighbours))
    relationships += _conversations(unit, names, sentence)
    if topics and unit.short:
        first_span = {name.name: span for name, span in reversed(list(zip(names, sentence, strict=True)))}
        relationships += [
            _relationship(unit, topics[0], name, "", settings.title_strength, span)
            for name, span in sorted(first_span.items(), key=lambda item: (item[1], item[0]))
            if name not in topics and tells_of(unit.text[slice(*span)], topics[0], name)
        ]
    return entities, relationships


def _within_sentences(
    unit: TextUnit, names: list[Name], sentence: list[tuple[int, int]], max_neighbours: int
) -> Iterator[Row]:
    """Relate the names of each sentence that its words relate, each to so many that follow it."""
    for span, group in groupby(zip(sentence, names, strict=True), key=itemgetter(0)):
        held = [name for _, name in group]
        for i, j, label in related_names(unit.text, held, span, unit.language, max_neighbours):
            yield _relationship(unit, held[i].name, held[j].name, label, 1.0, span)


def _conversations(unit: TextUnit, names: list[Name], sentence: list[tuple[int, int]]) -> Iterator[Row]:
    """Relate who speaks in a paragraph, or does something, with whom."""
    if unit.language != "en":
        return
    mark = "\n\n" if "\n\n" in unit.text else "\n"
    ends = [found.start() for found in re.finditer(mark, unit.text)]
    for _, group in groupby(range(len(names)), key=lambda i: bisect_right(ends, names[i].start)):
        held = [*group]
        if len(held) < 2:
            continue
        mentioned = [names[i] for i in held]
        span = sentence[held[0]][0], sentence[held[-1]][1]
        for i, j, label in met(unit.text, mentioned, span):
            (start, _), (_, end) = sorted((sentence[held[i]], sentence[held[j]]))
            if end - start <= LONGEST_CONVERSATION:
                yield _relationship(unit, mentioned[i].name, mentioned[j].name, label, 1.0, (start, end))


def _entity(unit: TextUnit, name: str, kind: str, descriptions: Mapping[str, str], *location: Any) -> Row:
    return (unit.id, unit.document_id, name, kind, descriptions.get(name, ""), *location, 0)


def _relationship(unit: TextUnit, a: str, b: str, label: str, strength: float, span: tuple[int, int]) -> Row:
    return (unit.id, unit.document_id, a, b, label, "", strength, "", "", "state", "positive", *_placed(unit, span), 0)


def _placed(unit: TextUnit, span: tuple[int, int]) -> tuple[int, int]:
    """Return a span of the unit as a span of its document."""
    return unit.offset + span[0], unit.offset + span[1]


def _topics(title: str, in_title: list[Name], text: str) -> list[str]:
    """Return the names of what a document is about, empty where its title is a phrase and no name.

    A title is a name where an extractor takes it for one, or where the text uses it, other than as its headline.
    """
    names = [name for name in names_of_title(title) if not name.endswith((")", "）"))]
    if not names:
        return []
    taken = any(len(name.name) >= 0.8 * len(names[0]) for name in in_title)
    lines = {line.strip("# \t\r") for line in text[:2000].split("\n")}
    used = not names[0][0].islower() and len(names[0].split()) <= 8 and names[0] not in lines and names[0] in text
    return names if taken or used else []

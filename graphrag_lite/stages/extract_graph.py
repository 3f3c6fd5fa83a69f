"""Text units -> mentions of entities and relationships, by a model (GraphRAG paper 3.1.2).

A unit is one conversation: the prompt and its reply; whether anything was missed; and if so, what. What the model says
of an entity or a relationship becomes a mention, with the sentence of the unit that says most of the same.
"""

import logging
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from graphrag_lite import tables
from graphrag_lite.graph.name_keys import exact_key
from graphrag_lite.kept_mentions import Anchor, joined
from graphrag_lite.llm import gleaning
from graphrag_lite.llm.chat import Message
from graphrag_lite.llm.model import StageModel
from graphrag_lite.prompts import ExtractGraph as FirstPrompt
from graphrag_lite.prompts import ExtractGraphExamples, ExtractGraphMissed, ExtractGraphMore, Prompts
from graphrag_lite.settings import ExtractGraph
from graphrag_lite.stages import Last
from graphrag_lite.text.graph_records import ENTITY, RELATIONSHIP, GraphReply, read_graph
from graphrag_lite.text.places import Place, Places
from graphrag_lite.text.records import records

if TYPE_CHECKING:
    import pyarrow as pa

Row = tuple[Any, ...]
BATCH = 2000  # text units whose mentions are kept as Python objects at once

logger = logging.getLogger(__name__)


class Unit(NamedTuple):
    """A text unit to extract from."""

    id: str
    document_id: str
    text: str
    offset: int
    language: str

    @property
    def anchor(self) -> Anchor:
        return Anchor(self.id, self.document_id, self.offset)


class Mentions(NamedTuple):
    """The rows of one text unit, and how many records of its replies could not be read or repeat the examples."""

    unit_id: str
    entities: list[Row]
    relationships: list[Row]
    n_dropped: int
    n_echoed: int


async def extract_graph(
    source_documents: "pa.Table",
    source_units: "pa.Table",
    settings: ExtractGraph,
    model: StageModel,
    prompts: Prompts,
    last: Last | None = None,
) -> tuple["pa.Table", "pa.Table"]:
    """Ask the model about every text, once for all units that have it. Rows stand in the order of units, then replies.

    A text that the last snapshot has, and that did not fail then, keeps what was found, unasked. A unit without a
    usable first reply is recorded as a failure and has no rows. One whose later round failed keeps what the rounds
    before it found, and is recorded too, so that the next run asks for the rest.
    """
    import pyarrow as pa

    units = list(_units(source_documents, source_units))
    kept, before = _kept(units, last)
    units_of: dict[str, list[Unit]] = {}
    for unit in units:
        if unit.text.strip():
            units_of.setdefault(unit.text, []).append(unit)
    shown = frozenset(row[1] for row in records(prompts.fill(ExtractGraphExamples()), ENTITY, RELATIONSHIP).rows)

    async def work(text: str) -> list[Mentions]:  # names are placed here, while other replies are on their way
        new = [unit for unit in units_of[text] if unit.id not in kept]
        rounds = await _rounds(text, units_of[text][0].id, settings, model, prompts) if new else []
        return [_mentions(unit, rounds, shown) for unit in new]

    replies = await model.map(work, list(units_of), name=lambda text: units_of[text][0].id)
    found = {mentions.unit_id: mentions for several in replies for mentions in several or ()}
    n_dropped = sum(mentions.n_dropped for mentions in found.values())
    n_echoed = sum(mentions.n_echoed for mentions in found.values())
    if n_dropped or n_echoed:
        logger.info("Dropped %d records that cannot be read, and %d of the prompt's examples.", n_dropped, n_echoed)
    parts = []
    for start in range(0, max(len(units), 1), BATCH):
        batch = [found[unit.id] for unit in units[start : start + BATCH] if unit.id in found]
        parts.append(
            (
                tables.make("entity_mentions", [row for mentions in batch for row in mentions.entities]),
                tables.make("relationship_mentions", [row for mentions in batch for row in mentions.relationships]),
            )
        )
    new = [pa.concat_tables(several) for several in zip(*parts, strict=True)]
    anchors = [unit.anchor for unit in units]
    entities, relationships = (joined(*both, anchors, kept) for both in zip(new, before or new, strict=True))
    return entities, relationships


def _kept(units: list[Unit], last: Last | None) -> tuple[dict[str, Anchor], "list[pa.Table] | None"]:
    """Return, by unit, where a text stood that was answered for the last snapshot, and the mentions that it has.

    Of the units that share a text which failed, one is named in the list of failures: all of them are asked about.
    """
    names = ("source_documents", "source_units", "entity_mentions", "relationship_mentions")
    found = last.read(*names) if last and not last.changed else None
    if last is None or not found:
        return {}, None
    asked = list(_units(found[0], found[1]))
    failed_ids = frozenset(last.failed)
    failed = {unit.text for unit in asked if unit.id in failed_ids}
    before = {(unit.text, unit.language): unit.anchor for unit in asked if unit.text not in failed}
    kept = {unit.id: before.get((unit.text, unit.language)) for unit in units}
    return {identity: anchor for identity, anchor in kept.items() if anchor}, found[2:]


def first_request(text: str, settings: ExtractGraph, prompts: Prompts) -> list[Message]:
    """Return the conversation that begins the extraction of a text; all of it before the text is the same for all."""
    values = FirstPrompt(
        entity_types=", ".join(settings.entity_types), examples=prompts.fill(ExtractGraphExamples()).strip(), text=text
    )
    return [{"role": "user", "content": prompts.fill(values)}]


async def _rounds(
    text: str, name: str, settings: ExtractGraph, model: StageModel, prompts: Prompts
) -> list[GraphReply]:
    """Return what the model found, by round: the first pass, then gleanings while it says that something was missed."""

    return await gleaning.rounds(
        model,
        first_request(text, settings, prompts),
        partial(read_graph, types=settings.entity_types),
        missed=prompts.fill(ExtractGraphMissed()),
        more=prompts.fill(ExtractGraphMore()),
        max_gleanings=settings.max_gleanings,
        name=name,
    )


def _units(source_documents: "pa.Table", source_units: "pa.Table") -> Iterator[Unit]:
    languages = dict(zip(*(source_documents[name].to_pylist() for name in ("id", "language")), strict=True))
    columns = (source_units[name].to_pylist() for name in ("id", "document_id", "text", "char_start"))
    for identity, document_id, text, offset in zip(*columns, strict=True):
        yield Unit(identity, document_id, text, offset, languages[document_id])


def _mentions(unit: Unit, replies: Sequence[GraphReply], shown: frozenset[str]) -> Mentions:
    """Return the rows of one unit; records that repeat the examples are left out.

    `shown` are the names in the prompt's examples: small models take them for names of the text.
    A name that only relationships give is an entity as well, of type unknown: without it they would join nothing, and
    what they say would be lost. Relationships name an entity in the way in which it was declared.
    """
    places = Places(unit.text, unit.language)
    declared = {
        exact_key(entity.name): entity.name for reply in reversed(replies) for entity in reversed(reply.entities)
    }
    spellings = {entity.name for reply in replies for entity in reply.entities}
    seen: set[Any] = set()
    entities: list[Row] = []
    relationships: list[Row] = []
    n_echoed = 0

    def echoed(*names: str) -> bool:
        return any(name in shown and not places.holds(name) for name in names)

    for number, reply in enumerate(replies):
        for entity in reply.entities:
            if echoed(entity.name):
                n_echoed += 1
            elif entity not in seen:
                seen.add(entity)
                place = places.of(entity.name, entity.description)
                entities.append(_entity(unit, entity.name, entity.type, entity.description, place, number))
        for stated in reply.relationships:
            if echoed(stated.source, stated.target):
                n_echoed += 1
                continue
            ends = []
            for name in (stated.source, stated.target):
                if name not in spellings and exact_key(name) not in declared:
                    declared[exact_key(name)] = name
                    entities.append(_entity(unit, name, "unknown", "", places.of(name, stated.description), number))
                ends.append(name if name in spellings else declared[exact_key(name)])
            same = (*ends, stated.relation, stated.description)
            if same not in seen:
                seen.add(same)
                place = places.of_both(stated.source, stated.target, stated.description)
                rest = (stated.relation, stated.description, stated.strength, stated.valid_at, stated.invalid_at)
                span = (unit.offset + place.char_start, unit.offset + place.char_end)
                relationships.append((unit.id, unit.document_id, *ends, *rest, *span, number))
    return Mentions(unit.id, entities, relationships, sum(reply.n_dropped for reply in replies), n_echoed)


def _entity(unit: Unit, name: str, kind: str, description: str, place: Place, number: int) -> Row:
    span = (unit.offset + place.char_start, unit.offset + place.char_end)
    mention_start = unit.offset + place.mention_start if place.mention_start >= 0 else -1
    return (unit.id, unit.document_id, name, kind, description, *span, mention_start, True, number)

"""Text units -> mentions of entities and relationships, by a model (GraphRAG paper 3.1.2).

What the model says of an entity or a relationship becomes a mention, with the sentence of the unit that says most of
the same.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from graphrag_lite import tables
from graphrag_lite.extraction.extractor import known_entities
from graphrag_lite.extraction.mentions import (
    NAME,
    Mentions,
    ReusedUnits,
    TextUnit,
    assemble_tables,
    mentions_of,
    reused_units,
    text_units,
    with_cells,
)
from graphrag_lite.extraction.model_rounds import NameSource, names_of
from graphrag_lite.llm.stage_model import StageModel
from graphrag_lite.prompts import ExtractGraphExamplesPrompt, Prompts
from graphrag_lite.replies.graph_records import ENTITY, RELATIONSHIP, GraphReply
from graphrag_lite.replies.records import parse_records
from graphrag_lite.run.services import Last
from graphrag_lite.settings import ExtractGraph

if TYPE_CHECKING:
    import pyarrow as pa

Named = Callable[[str, str, list[str]], None]
"""Is told the text of a text unit, the date of its document, and its names."""

logger = logging.getLogger(__name__)


async def extract_graph(
    source_documents: "pa.Table",
    source_units: "pa.Table",
    episodes: "pa.Table",
    settings: ExtractGraph,
    model: StageModel,
    prompts: Prompts,
    last: Last | None = None,
    named: Named | None = None,
) -> tuple["pa.Table", "pa.Table"]:
    """Ask the model about every text, once for all units that have it. Rows stand in the order of units, then replies.

    A text is told with its date, who speaks in it, and what was said before it. One that the last snapshot has, and
    that did not fail then, keeps what was found, unasked. A unit without a usable first reply is recorded as a failure
    and has no rows. One whose later round failed keeps what the rounds before it found, and is recorded too, so that
    the next run asks for the rest. `named` is told of each unit that is asked about as soon as its names are known.
    """
    units = list(text_units(source_documents, source_units, episodes=episodes))
    reused = _reused(units, last)
    units_of: dict[NameSource, list[TextUnit]] = {}
    for unit in units:
        if unit.text.strip():
            units_of.setdefault(NameSource(unit.about, unit.text), []).append(unit)
    dates = dict(tables.rows(source_documents, "id", "created_at"))
    shown = frozenset(
        row[1] for row in parse_records(prompts.fill(ExtractGraphExamplesPrompt()), ENTITY, RELATIONSHIP).rows
    )

    async def work(
        source: NameSource,
    ) -> dict[str, Mentions]:  # names are placed here, while other replies are on their way
        new = [unit for unit in units_of[source] if unit.id not in reused.anchors]
        rounds: list[GraphReply] = []
        if new:
            outcome = await model.outcome(partial(names_of, settings, model, prompts), source)
            rounds = outcome.recorded(model, units_of[source][0].id)
        found = {unit.id: mentions_of(unit, _with_known(unit, rounds, settings.names), shown) for unit in new}
        if named:
            for unit in new:
                names = [row[NAME] for row in with_cells(unit, found[unit.id]).entities]
                named(unit.text, dates[unit.document_id], names)
        return found

    replies = await model.map(work, list(units_of), name=lambda source: units_of[source][0].id)
    found = {identity: mentions for several in replies for identity, mentions in (several or {}).items()}
    n_dropped = sum(mentions.n_dropped for mentions in found.values())
    n_echoed = sum(mentions.n_echoed for mentions in found.values())
    if n_dropped or n_echoed:
        logger.info("Dropped %d records that cannot be read, and %d of the prompt's examples.", n_dropped, n_echoed)
    return assemble_tables(units, (found.get(unit.id) for unit in units if unit.id not in reused.anchors), reused)


def _reused(units: Sequence[TextUnit], last: Last | None) -> ReusedUnits:
    """Return what stays of the last snapshot: a conversation is told beyond its documents, so all are compared."""
    names = ("entity_mentions", "relationship_mentions", "source_documents", "source_units", "episodes")
    found = last.read(*names, unless={"settings", "code", "model"}) if last else None
    if last is None or not found:
        return ReusedUnits({}, None)
    before = text_units(found[2], found[3], episodes=found[4])
    mentions = (found[0], found[1])
    return reused_units(units, before, mentions, last.failed, lambda unit: (unit.text, unit.about, unit.language))


def _with_known(unit: TextUnit, rounds: Sequence[GraphReply], names: Sequence[str]) -> Sequence[GraphReply]:
    """Return what a model has found, and to its first reply what it has not and is looked for."""
    found = [entity.name for reply in rounds for entity in reply.entities]
    missed = known_entities(unit.text, unit.language, found, names) if rounds else ()
    if not missed:
        return rounds
    return [replace(rounds[0], entities=(*rounds[0].entities, *missed)), *rounds[1:]]

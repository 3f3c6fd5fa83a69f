"""Mentions -> which entity each name means, and which candidates are no names."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphrag_lite import tables
from graphrag_lite.graph.resolution import resolve
from graphrag_lite.settings import ResolveEntities
from graphrag_lite.stages import Each
from graphrag_lite.text.names import is_acronym, lower_case_words

if TYPE_CHECKING:
    import pyarrow as pa


async def resolve_entities(
    source_units: "pa.Table", entity_mentions: "pa.Table", settings: ResolveEntities, each: Each
) -> "pa.Table":
    """Decide by the rungs exact, lexical and alias over all mentions; `graph.resolution` has the rules."""
    lower_counts: Counter[str] = Counter()
    for counts in each(lower_case_words, source_units["text"].to_pylist()):
        lower_counts.update(counts)
    names = entity_mentions["name"].to_pylist()
    document_ids = entity_mentions["document_id"].to_pylist()
    rows = resolve(
        document_ids,
        names,
        entity_mentions["type"].to_pylist(),
        entity_mentions["anchored"].to_pylist(),
        lower_counts,
        definitions=_definitions(source_units, entity_mentions),
        lexical=settings.lexical,
        alias=settings.alias,
        threshold=settings.lexical_threshold,
    )
    return tables.make(
        "entity_resolutions",
        (
            (
                row.document_id,
                row.name,
                tables.content_id("entity", row.key) if row.key else "",
                row.title,
                row.type,
                row.rule,
            )
            for row in rows
        ),
    )


def _definitions(source_units: "pa.Table", entity_mentions: "pa.Table") -> Iterator[tuple[str, str]]:
    """Yield (long name, acronym) wherever a text writes "Long Name (ACRONYM)", or the other way round."""
    units = {
        identity: (text, start)
        for identity, text, start in zip(
            *(source_units[column].to_pylist() for column in ("id", "text", "char_start")), strict=True
        )
    }
    columns = zip(*(entity_mentions[c].to_pylist() for c in ("text_unit_id", "name", "mention_start")), strict=True)
    before = ("", "", -1)
    for mention in columns:
        unit_id, name, start = mention
        gap = start - before[2] - len(before[1])
        if unit_id == before[0] and before[2] >= 0 and gap == 2:
            text, offset = units[unit_id]
            if text[start - offset - 2 : start - offset] == " (":
                for long, short in ((before[1], name), (name, before[1])):
                    if is_acronym(short, long):
                        yield long, short
        before = mention

"""Text units -> mentions of entities and relationships, by text analysis alone (method: fast).

What a unit says depends on its text (and its document's title) only. Which candidates are names, and which names are
one entity, is decided from all mentions together by `resolve_entities`.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.search.mentions import names_of_title
from graphrag_lite.settings import ExtractGraphFast
from graphrag_lite.text.name import Name
from graphrag_lite.text.names import find_names
from graphrag_lite.text.sentences import sentences

if TYPE_CHECKING:
    import pyarrow as pa

Each = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
Unit = tuple[str, str, str, int, str, str, str]  # id, document id, text, char_start, language, title, what of the title
BATCH = 2000  # text units whose mentions are kept as Python objects at once
JOINING = re.compile(r"[^\W\d_]+(?:['’\- ][^\W\d_]+){0,5}")  # up to six words, no punctuation
MAX_RELATION = 40  # characters between two names that still join them


async def extract_graph_fast(
    source_documents: "pa.Table", source_units: "pa.Table", settings: ExtractGraphFast, each: Each
) -> tuple["pa.Table", "pa.Table", "pa.Table"]:
    """Find the names of every unit, and relate those of one sentence, and a short document's title with its names."""
    import pyarrow as pa

    found = each(partial(_extract, settings=settings), _units(source_documents, source_units, settings))
    parts: list[tuple[pa.Table, pa.Table]] = []
    while batch := list(islice(found, BATCH)):
        parts.append(
            (
                tables.make("entity_mentions", [row for entities, _ in batch for row in entities]),
                tables.make("relationship_mentions", [row for _, relationships in batch for row in relationships]),
            )
        )
    return (
        pa.concat_tables([entities for entities, _ in parts]),
        pa.concat_tables([relationships for _, relationships in parts]),
        tables.make("covariates", []),
    )


def _units(source_documents: "pa.Table", source_units: "pa.Table", settings: ExtractGraphFast) -> Iterator[Unit]:
    """Yield what `_extract` needs. Names of the title go to the first unit, the title as topic to a short document."""
    about = {
        identity: (language, title)
        for identity, language, title in zip(
            *(source_documents[name].to_pylist() for name in ("id", "language", "title")), strict=True
        )
    }
    columns = ("id", "document_id", "text", "char_start", "ordinal")
    rows = list(zip(*(source_units[name].to_pylist() for name in columns), strict=True))
    n_units = {document_id: ordinal + 1 for _, document_id, _, _, ordinal in rows}
    for identity, document_id, text, char_start, ordinal in rows:
        language, title = about[document_id]
        short = n_units[document_id] <= settings.max_title_units
        yield (
            identity,
            document_id,
            text,
            char_start,
            language,
            title if short or ordinal == 0 else "",
            "topic" if short else "",
        )


def _extract(unit: Unit, settings: ExtractGraphFast) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Return the rows of `entity_mentions` and `relationship_mentions` of one text unit."""
    identity, document_id, text, offset, language, title, topic = unit
    spans = sentences(text)
    starts = [start for start, _ in spans]
    names = find_names(text, language)
    sentence_of = [bisect_right(starts, name.start) - 1 for name in names]
    entities: list[tuple[Any, ...]] = []
    relationships: list[tuple[Any, ...]] = []

    def relate(a: str, b: str, relation: str, strength: float, sentence: int) -> None:
        start, end = _trimmed(text, spans[sentence])
        relationships.append(
            (identity, document_id, a, b, relation, "", strength, "", "", offset + start, offset + end, 0)
        )

    for i, name in enumerate(names):
        start, end = _trimmed(text, spans[sentence_of[i]])
        place = (offset + start, offset + end, offset + name.start, name.anchored, 0)
        entities.append((identity, document_id, name.name, name.type, "", *place))
        seen = {name.name}
        for j in range(i + 1, len(names)):
            if sentence_of[j] != sentence_of[i] or len(seen) > settings.max_neighbours:
                break
            if names[j].name not in seen:
                seen.add(names[j].name)
                relation = _relation(text, name, names[j]) if j == i + 1 else ""
                relate(name.name, names[j].name, relation, 1.0, sentence_of[i])

    in_title = find_names(title, language) if title else []
    topics = _topics(title, in_title, text)
    kinds = {name.name: name.type for name in in_title}
    for name in dict.fromkeys([*topics, *kinds]):
        sure = name in topics or any(found.anchored for found in in_title if found.name == name)
        entities.append((identity, document_id, name, kinds.get(name, "unknown"), "", -1, -1, -1, sure, 0))
    if topic:
        seen = set(topics)
        for i, other in enumerate(names):
            if topics and other.name not in seen:
                seen.add(other.name)
                relate(topics[0], other.name, "", settings.title_strength, sentence_of[i])
    return entities, relationships


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


def _relation(text: str, a: Name, b: Name) -> str:
    """Return the words between two neighbouring names, empty where they do not simply join them."""
    between = " ".join(text[a.end : b.start].split())
    return between if len(between) <= MAX_RELATION and JOINING.fullmatch(between) else ""


def _trimmed(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """Leave white space at both ends out of a span."""
    piece = text[slice(*span)]
    return span[0] + len(piece) - len(piece.lstrip()), span[1] - (len(piece) - len(piece.rstrip()))

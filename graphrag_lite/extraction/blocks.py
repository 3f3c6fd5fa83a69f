"""What a document's blocks say of themselves: cells of a row relate it to people and values; code names nothing."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from graphrag_lite.text.names.name import Name
from graphrag_lite.text.names.words import LISTS
from graphrag_lite.text.sentences import REFERENCE

if TYPE_CHECKING:
    from graphrag_lite.extraction.mentions import Row, TextUnit

TYPES = {
    "key": "unknown",
    "value": "unknown",
    "person": "person",
    "organization": "organization",
}  # of the entities that cells name
NOT_A_LINE_END = re.compile(r"[^\n]")
NO_PROSE = frozenset({"code", "card", "references", "notice"})


class UnitBlock(NamedTuple):
    """A block of a document, as far as it stands in a text unit; `start` and `end` are of the unit."""

    kind: str
    label: str
    start: int
    end: int


def clip_blocks(
    blocks: Sequence[Mapping[str, Any]], reach: Sequence[int], start: int, end: int
) -> tuple[UnitBlock, ...]:
    """Return the blocks in the characters [start, end) of a document, cut there.

    Blocks are in the order of their starts; `reach` is how far each and those before it go, at most.

    >>> clip_blocks([{"kind": "code", "label": "", "char_start": 5, "char_end": 50}], [50], 10, 20)
    (UnitBlock(kind='code', label='', start=0, end=10),)
    """
    near = blocks[bisect_right(reach, start) : bisect_left(blocks, end, key=itemgetter("char_start"))]
    inside = (block for block in near if block["char_end"] > start)
    return tuple(
        UnitBlock(
            block["kind"], block["label"], max(block["char_start"] - start, 0), min(block["char_end"], end) - start
        )
        for block in inside
    )


def mask_non_prose(text: str, blocks: Iterable[UnitBlock]) -> str:
    """Return a text of the same length, blank where it is no prose, and where a reference says who wrote it where.

    >>> mask_non_prose("See x = 1. [Marx, p. 3]", [UnitBlock("code", "", 4, 9)])
    'See      .             '
    """
    spans = [(block.start, block.end) for block in blocks if block.kind in NO_PROSE]
    pieces, done = [], 0
    for start, end in sorted([*spans, *(reference.span() for reference in REFERENCE.finditer(text))]):
        if end > done:
            pieces += [text[done : max(start, done)], NOT_A_LINE_END.sub(" ", text[max(start, done) : end])]
            done = end
    return "".join([*pieces, text[done:]])


def rows_of(unit: "TextUnit") -> "tuple[list[Row], list[Row]]":
    """Return mentions of what cells and wikilinks name, and relationships of a row with its cells, by their columns."""
    named = [(unit.text[block.start : block.end], block) for block in unit.blocks if block.kind in TYPES]
    entities = [_entity(unit, name, block) for name, block in named]
    entities += [_meant(unit, block, "unknown") for block in unit.blocks if block.kind == "link"]
    senders = [block for block in unit.blocks if block.kind == "message"]
    entities += [_meant(unit, block, "person") for block in senders]
    row = next((name for name, block in named if block.kind == "key"), senders[0].label if senders else "")
    if named and not row and unit.title:
        row = unit.title
        entities.append((unit.id, unit.document_id, row, "unknown", "", -1, -1, -1, True, 0))
    return entities, list(_relationships(unit, row, named)) if row else []


def linked_names(unit: "TextUnit", names: Sequence[Name]) -> list[Name]:
    """Return names as wikilinks say where they begin and end: "Leads [[Atlas]]" names Atlas."""
    links = [block for block in unit.blocks if block.kind == "link"]
    types = {(name.start, name.end): name.type for name in names}
    meant = [
        Name(link.start, link.end, link.label, types.get((link.start, link.end), "unknown"), anchored=True)
        for link in links
        if unit.text[link.start : link.end] == link.label
    ]
    return [
        *(name for name in names if not any(name.start < one.end and one.start < name.end for one in meant)),
        *meant,
    ]


def _relationships(unit: "TextUnit", row: str, named: "Iterable[tuple[str, UnitBlock]]") -> "Iterator[Row]":
    for name, block in named:
        if name != row:
            relation = block.label.replace("_", " ").casefold()
            start, end = _line(unit, block)
            yield (unit.id, unit.document_id, row, name, relation, "", 1.0, "", "", "state", "positive", start, end, 0)


def _entity(unit: "TextUnit", name: str, block: UnitBlock) -> "Row":
    mention_start = unit.offset + block.start
    kind = "concept" if block.label.casefold() in LISTS["attribute_columns"] else TYPES[block.kind]
    return (unit.id, unit.document_id, name, kind, "", *_line(unit, block), mention_start, True, 0)


def _meant(unit: "TextUnit", block: UnitBlock, kind: str) -> "Row":
    """Return the mention of a block's label: of the page that a wikilink leads to, or of who wrote a message."""
    return (unit.id, unit.document_id, block.label, kind, "", -1, -1, unit.offset + block.start, True, 0)


def _line(unit: "TextUnit", block: UnitBlock) -> tuple[int, int]:
    """Return the line that a cell stands in, in its document."""
    start = unit.text.rfind("\n", 0, block.start) + 1
    end = unit.text.find("\n", block.end)
    return unit.offset + start, unit.offset + (end if end >= 0 else len(unit.text))

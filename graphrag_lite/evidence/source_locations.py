"""Where in its file a span of a document stands, as a reader looks it up."""

from collections.abc import Mapping, Sequence
from typing import Any

SHOWN = {"page": "page {}", "slide": "slide {}", "sheet": "sheet {}", "time": "at {}"}  # by the kind of block


def page_at(blocks: Sequence[Mapping[str, Any]], start: int) -> str:
    """Return the page (slide, sheet, time) on which a span starts, empty for a document without.

    >>> page = {"kind": "page", "label": "4", "char_start": 10, "char_end": 90}
    >>> page_at([page], 10), page_at([page], 5)
    ('page 4', '')
    """
    within = (block for block in blocks if block["char_start"] <= start < block["char_end"])
    return next(filter(None, map(page_of, within)), "")


def page_of(block: Mapping[str, Any]) -> str:
    """Return how the page that a block is is called, empty where it is none.

    >>> page_of({"kind": "slide", "label": "4"}), page_of({"kind": "code", "label": ""})
    ('slide 4', '')
    """
    return SHOWN[block["kind"]].format(block["label"]) if block["kind"] in SHOWN else ""


def describe_span(blocks: Sequence[Mapping[str, Any]], start: int, end: int) -> str:
    """Say where a span is: its page, if it has one, and its characters.

    >>> describe_span([], 5, 9)
    'characters 5-9'
    """
    page = page_at(blocks, start)
    return f"{page}, characters {start}-{end}" if page else f"characters {start}-{end}"

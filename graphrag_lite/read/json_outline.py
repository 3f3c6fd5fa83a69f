"""Prose in the lists of a JSON object, as of a book: {"title": "Ada", "parts": [{"chapter": "I", "lines": [...]}]}."""

import re
from collections.abc import Iterator
from typing import Any

from graphrag_lite.read.columns import TITLE, words_on_average
from graphrag_lite.read.documents import Loaded, replace_surrogates

LEAST_WORDS, LEAST_LINE = 30, 3  # of all lines, and of one on average: with fewer they are key words and paths
LONGEST_HEAD = 60  # characters of what an object is called
DEEPEST = 6  # levels of headings
_BREAK = re.compile(r"\s*\n\s*")


def prose_of(value: dict[str, Any], path: str) -> Loaded | None:
    """Return an object as a document with a heading over each object within; None where its lists hold no prose.

    >>> book = {"title": "Ada", "content": [{"chapter": "I", "lines": ["A ship came in.", "It was late."] * 6}]}
    >>> prose_of(book, "ada.json").title, prose_of(book, "ada.json").text[:20]
    ('Ada', '# I\\n\\nA ship came in.')
    >>> prose_of({"name": "app", "files": ["src", "docs"] * 40}, "package.json")
    """
    lines = list(_lines(value))
    words = words_on_average(lines) if lines else 0
    if len(lines) * words < LEAST_WORDS or words < LEAST_LINE:
        return None
    head = _head_of(value)
    text = "\n\n".join(_paragraphs(value, head, 1))
    return Loaded(path, replace_surrogates(value.get(head, "")), replace_surrogates(text))


def _lines(value: Any) -> Iterator[str]:
    """Yield the strings of all lists."""
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        if isinstance(one, str):
            yield from [one] if isinstance(value, list) else []
        else:
            yield from _lines(one)


def _head_of(value: dict[str, Any]) -> str:
    """Return the key of what an object is called: its title, else its first short string; "" for none."""
    short = [key for key, one in value.items() if isinstance(one, str) and 0 < len(one) <= LONGEST_HEAD]
    return next(filter(TITLE.fullmatch, short), short[0] if short else "")


def _paragraphs(value: Any, head: str, level: int) -> Iterator[str]:
    for key, one in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(one, dict):
            called = _head_of(one)
            if called:
                yield f"{'#' * min(level, DEEPEST)} {_BREAK.sub(' ', one[called])}"
            yield from _paragraphs(one, called, level + 1)
        elif isinstance(one, list):
            yield from _paragraphs(one, "", level)
        elif key != head and isinstance(one, str | int | float) and str(one).strip():
            yield f"{key}: {one}" if isinstance(value, dict) else str(one).strip()

"""A book as a JSON object: all of its lines are read, in order and below what they are of; settings are no book."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.read.documents import Fields
from graphrag_lite.read.formats.json_file import READER

LINE = st.text("abc 風", min_size=8, max_size=30).map(lambda text: f"One two {text.strip()} end.")
CHAPTER = st.fixed_dictionaries({"chapter": LINE, "lines": st.lists(LINE, min_size=3, max_size=6)})
BOOK = st.fixed_dictionaries(
    {"title": st.just("Ada"), "author": st.just("Bo Diaz"), "content": st.lists(CHAPTER, min_size=3, max_size=5)}
)


def read(value: object) -> list[str]:
    return [item.text for item in READER.read(json.dumps(value).encode(), "book.json", Fields())]  # type: ignore[union-attr]


@given(BOOK, st.booleans())
def test_all_lines_are_read_in_order(book: dict[str, object], nested: bool) -> None:
    chapters: list[dict[str, object]] = book["content"]  # type: ignore[assignment]
    (text,) = read({**book, "content": [{"type": "part", "content": chapters}]} if nested else book)
    assert "author: Bo Diaz" in text
    place = 0
    for chapter in chapters:
        for line in (f"# {chapter['chapter']}", *chapter["lines"]):  # type: ignore[misc]
            place = text.index(line, place)


@pytest.mark.parametrize(
    "value",
    [
        {"name": "app", "files": ["src", "docs"] * 40, "scripts": {"test": "run all the tests of the app now"}},
        {"compilerOptions": {"paths": {"@/*": ["./src/*"]}}, "include": ["src/**/*.ts"] * 50},
    ],
)
def test_settings_are_no_document(value: object) -> None:
    assert not any(read(value))

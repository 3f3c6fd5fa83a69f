"""Comments and docstrings are what a file of source code says."""

from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.read.documents import Fields
from graphrag_lite.read.formats.source_code import READER

PYTHON = '''#!/usr/bin/env python
# Copyright 2026 Harbour Bank. All rights reserved.

"""The ledger of Harbour Bank keeps one row a transfer.

Omar Haddad wrote it.
"""
import httpx

LABEL = """SELECT everything FROM the table"""


def add(row):  # Lena Fuchs asked for integers of cents
    r\'\'\'Add one transfer.

    >>> add(1)
    "Lisbon # reads it every night"
    \'\'\'
    url = "https://example.org/#part of an address"
    # A transfer is never deleted,
    # whoever asks.
    # row = httpx.get(url)
    return True  # noqa: E501 as it is
'''
SCRIPT = """/**
 * The dashboard shows balances.
 *
 * @param {string} name the name of an account
 */
const address = "https://example.org"; // asked every five minutes
// eslint-disable-next-line no-console at all
const text = `// no comment of ours`;
/* It is never closed and ends here
"""


def read(text: str, path: str) -> str:
    (document,) = READER.read(text.encode(), path, Fields())
    return document.text  # type: ignore[union-attr]


def test_comments_and_docstrings_are_the_text_and_code_is_not() -> None:
    assert read(PYTHON, "a.py").split("\n\n") == [
        "The ledger of Harbour Bank keeps one row a transfer.",
        "Omar Haddad wrote it.",
        "Lena Fuchs asked for integers of cents",
        "Add one transfer.",
        "A transfer is never deleted,\nwhoever asks.",
    ]
    assert read(SCRIPT, "a.js").split("\n\n") == [
        "The dashboard shows balances.",
        "the name of an account",
        "asked every five minutes",
        "It is never closed and ends here",
    ]
    assert read("-- Accounts of the Lisbon office.\nSELECT '-- none of them at all';\n", "a.sql") == (
        "Accounts of the Lisbon office."
    )


@given(st.text(alphabet="\"'`#/*-\\\n abc", max_size=200), st.sampled_from(sorted(READER.mime)))
def test_any_text_is_read(text: str, suffix: str) -> None:
    said = read(text, f"a{suffix}")
    assert set(said.split()) <= {word for part in text.split() for word in _ends(part)}


def _ends(word: str) -> list[str]:
    return [word[first:last] for first in range(len(word)) for last in range(first + 1, len(word) + 1)]


def test_quotes_that_are_never_closed_and_a_line_without_end_take_time_that_grows_with_the_file() -> None:
    """Each of these took minutes, where every quote was looked for the end of, or a line was read for each string."""
    said = "# Rows are kept for a year.\n"
    assert read('x = "' + '\\"' * 300_000 + "\n" + said, "a.py") == "Rows are kept for a year."
    assert read("x = `" + "\\`" * 300_000 + "\n// Rows are kept for a year.", "a.js").endswith("kept for a year.")
    assert read('x="""nothing that is said""";' * 100_000 + "\n" + said, "a.py") == "Rows are kept for a year."


def test_an_escaped_quote_or_slash_outside_a_string_begins_nothing() -> None:
    assert read("const quote = /\\'/; // It's asked by every page", "a.js") == "It's asked by every page"
    assert read("const slash = /\\//g; // It is asked by every page", "a.js") == "It is asked by every page"

"""How the command line shows anything: lines, tables, JSON. Plain lines where no terminal is."""

import contextlib
import json
import os
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from graphrag_lite.text.plain_text import document_name

if TYPE_CHECKING:
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

# Controls, directions and halves of characters that `json` does not escape.
UNSAFE = re.compile(r"[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d\S*")
MAX_CELL = 160  # characters of a table cell
MAX_LINES = 4  # of a cell on a terminal
MAX_WORD = 32  # characters; a shorter word of a table is not folded where there is room for it
GAP = 2  # spaces between the columns of a table


def plain(text: str) -> str:
    """Return a text of the corpus without the characters that could steer a terminal."""
    return "".join(char if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf") else " " for char in text)


class Output(Console):
    """A console on standard output: a pipe or a file gets lines as they are, a terminal has them folded at words.

    Where the reader of a pipe, such as head, has left, BrokenPipeError is raised.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.soft_wrap = not self.is_terminal

    def on_broken_pipe(self) -> None:
        raise  # noqa: PLE0704 - it is called where one is handled


def discard(stream: TextIO) -> None:
    """Send what is still buffered nowhere, so that Python does not fail on it when it ends."""
    with contextlib.suppress(OSError, ValueError):  # a stream of a test has no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def spent(usage: Mapping[str, Any]) -> str:
    """Say what a stage has asked of the model."""
    cost = "" if usage["cost"] is None else f", ${usage['cost']:.4f}"
    tokens = f"{usage['prompt_tokens']:,} + {usage['completion_tokens']:,} tokens"
    return f"{counted(usage['calls'], 'call')}, {usage['memo_hits']:,} kept, {tokens}{cost}"


def print_note(line: str) -> None:
    """Print a line to standard error. A log that is full, or that nobody reads any more, is no reason to end a run."""
    try:
        print(_folded(plain(line)) if sys.stderr.isatty() else plain(line), file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)


def _folded(text: str) -> str:
    """Fold lines between words, as the terminal would not."""
    width = shutil.get_terminal_size().columns
    options: dict[str, Any] = {"width": width, "break_long_words": False, "break_on_hyphens": False}
    lines = text.expandtabs().splitlines()
    return "\n".join(
        textwrap.fill(line, **options, subsequent_indent=line[: len(line) - len(line.lstrip())]) for line in lines
    )


def changes(counts: Mapping[str, int]) -> str:
    """Say how many documents were added, edited, renamed and deleted."""
    return ", ".join(f"{n:,} {what}" for what, n in counts.items() if n)


def aligned(rows: Sequence[Sequence[str]], to_right: Sequence[bool]) -> list[str]:
    """Return rows as lines, with which columns are aligned to the right."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        gaps = [" " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = [gap + cell if right else cell + gap for cell, gap, right in zip(row, gaps, to_right, strict=True)]
        lines.append((" " * GAP).join(cells).rstrip())
    return lines


def print_table(console: Console, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows as a table; a terminal folds long texts between words, a pipe or a file has a line for each row."""
    listed = [list(row) for row in rows]
    cells = [[_cell(value) for value in row] for row in listed]
    numeric = [
        bool(listed) and all(isinstance(row[column], int | float) for row in listed) for column in range(len(columns))
    ]
    if not console.is_terminal:
        for line in aligned([columns, *cells], numeric):
            console.print(Text(line))
        return
    table = Table(box=None, padding=(0, GAP, 0, 0), header_style="bold")
    widths = _widths([list(column) for column in zip(columns, *cells, strict=True)], console.width)
    for column, width, number in zip(columns, widths, numeric, strict=True):
        table.add_column(column, overflow="fold", justify="right" if number else "left", width=width)
    for row in cells:
        table.add_row(*(Text(cut(cell, MAX_LINES * width)) for cell, width in zip(row, widths, strict=True)))
    console.print(table)


def _widths(columns: Sequence[Sequence[str]], most: int) -> list[int]:
    """Return the widths of columns of a table, `most` in all; where there is room for it, no word is folded."""
    room = most - GAP * len(columns)
    longest = [max(cell_len(word) for cell in column for word in cell.split(" ")) for column in columns]
    word = next((word for word in range(MAX_WORD, 1, -1) if sum(min(width, word) for width in longest) <= room), 1)
    widths = [max(map(cell_len, column)) for column in columns]
    while sum(widths) > room and any(width > min(one, word) for width, one in zip(widths, longest, strict=True)):
        spare = [width if width > min(one, word) else 0 for width, one in zip(widths, longest, strict=True)]
        widths[spare.index(max(spare))] -= 1
    return widths


def _cell(value: object) -> str:
    """Write a value as a table shows it, on one line.

    >>> _cell(7.581718), _cell(None), _cell(False), _cell("2024-06-17T09:02:00+00:00"), _cell("a\\n b")
    ('7.58', '', 'no', '2024-06-17 09:02', 'a b')
    """
    if isinstance(value, bool) or value is None:
        return {None: "", True: "yes", False: "no"}[value]
    if isinstance(value, float):
        return f"{value:,.2f}"
    text = " ".join(plain(str(value)).split())
    if TIME.fullmatch(text):
        return text[:16].replace("T", " ")
    return cut(text, MAX_CELL)


def cut(text: str, most: int) -> str:
    """Return the beginning of a text, with "…" where it is longer than `most` characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def counted(n: int, noun: str) -> str:
    """Return a number and what it counts: "1 call", "2 calls"."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def source_of(path: str, document: str) -> str:
    """Name a document on one line."""
    return document_name(path, document).replace("\n", "\\n")


def document_at(opened: "SnapshotView", row: int) -> str:
    """Name a document of an index on one line, by its row."""
    return source_of(*(opened.cell("documents", name, row) for name in ("path", "source_id")))


def print_json(*values: object) -> None:
    """Print each value as a line of JSON to standard output."""
    for value in values:
        print(UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False)), flush=True)

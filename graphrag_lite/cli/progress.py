"""The watches of a run: what is under way, as bars on a terminal, as lines elsewhere."""

import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from rich.console import Console
from rich.text import Text

from graphrag_lite.cli.terminal import plain, print_note, spent
from graphrag_lite.text.word_lists import toml_file
from graphrag_lite.watch import Silence

WIDE = 100  # columns of a terminal from which a bar has its full width
SILENCE = 10.0  # seconds between lines where no terminal is
WORDS: dict[str, dict[str, str]] = toml_file(__package__, "progress.toml")


def watch(
    as_json: bool, *, quiet: bool = False, verbose: bool = False
) -> AbstractContextManager["Bars | Lines | Silence"]:
    """Return the watch of a command that builds an index; a `verbose` one counts the rows of working tables, too."""
    if quiet:
        return nullcontext(Silence())
    console = Console(stderr=True)
    return (
        Bars(console, verbose=verbose) if console.is_terminal and not as_json else nullcontext(Lines(verbose=verbose))
    )


def label(stage: str) -> str:
    """Return a stage's name in words."""
    return WORDS["stages"].get(stage, stage.replace("_", " "))


def row_counts(rows: Mapping[str, int], verbose: bool) -> str:
    """Say how many rows a stage has made.

    >>> row_counts({"source_units": 1200, "word_counts": 7}, verbose=False)
    '1,200 text units'
    >>> row_counts({"source_documents": 1, "entities": 1}, verbose=False)
    '1 document, 1 entity'
    """
    words = {name: name.replace("_", " ") for name in rows} if verbose else WORDS["tables"]
    one = {} if verbose else {many: WORDS["one"].get(many, many.removesuffix("s")) for many in words.values()}
    told = ((n, words[name]) for name, n in rows.items() if n and name in words)
    return ", ".join(f"{n:,} {one.get(many, many) if n == 1 else many}" for n, many in told)


def how_far(stage: str, done: int, total: int) -> str:
    """Say how far a stage is.

    >>> how_far("load_documents", 4, 15)
    '4 of 15 files'
    """
    return f"{done:,} of {total:,} {WORDS['items'].get(stage, 'items')}"


class Bars:
    """Live progress on a terminal: one line per stage, a bar while it runs."""

    def __init__(self, console: Console, *, verbose: bool = False) -> None:
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.table import Column

        def whole() -> Column:
            return Column(no_wrap=True)

        self.progress = Progress(
            SpinnerColumn(finished_text="[green]✓", table_column=whole()),
            TextColumn("{task.description}", style="bold", table_column=whole()),
            BarColumn(bar_width=24 if console.width >= WIDE else 8, table_column=whole()),
            TimeElapsedColumn(table_column=whole()),
            # The only column that wraps: on a narrow terminal the others would vanish before it.
            TextColumn("{task.fields[note]}", style="dim", table_column=Column(no_wrap=False)),
            console=console,
        )
        self.verbose = verbose

    def __enter__(self) -> "Bars":
        self.progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.progress.stop()

    def start(self, stage: str) -> None:
        self.stage, self.spent = stage, ""
        self.task = self.progress.add_task(label(stage), total=None, note="")

    def advance(self, done: int, total: int) -> None:
        note = "; ".join(filter(None, (how_far(self.stage, done, total), self.spent)))
        self.progress.update(self.task, completed=done, total=total, note=note)

    def finish(self, stage: str, seconds: float, rows: Mapping[str, int], reused: bool) -> None:  # noqa: ARG002
        made = "unchanged" if reused else row_counts(rows, self.verbose)
        note = "; ".join(filter(None, (made, self.spent)))
        self.progress.update(self.task, completed=1, total=1, note=note)

    def spend(self, usage: Mapping[str, Any]) -> None:
        self.spent = spent(usage)
        self.progress.update(self.task, note=self.spent)


class Lines:
    """Progress as plain lines, one a stage, and one every ten seconds while it runs."""

    def __init__(self, *, verbose: bool = False) -> None:
        self.verbose = verbose
        self.last = time.monotonic()

    def start(self, stage: str) -> None:
        self.stage, self.name, self.spent = stage, stage, ""
        self.last = time.monotonic()

    def advance(self, done: int, total: int) -> None:
        self.say(f"{self.name}: {how_far(self.stage, done, total)}{self.spent}")

    def say(self, line: str) -> None:
        """Print a line where none has been for ten seconds."""
        if time.monotonic() - self.last >= SILENCE:
            self.last = time.monotonic()
            print_note(line)

    def spend(self, usage: Mapping[str, Any]) -> None:
        self.spent = f"; {spent(usage)}"

    def finish(self, stage: str, seconds: float, rows: Mapping[str, int], reused: bool) -> None:
        done = "unchanged" if reused else row_counts(rows, self.verbose) or "done"
        print_note(f"{stage}: {done} ({seconds:.2f} s{self.spent})")


class OneLine(Lines):
    """Says on one line of a terminal what is under way; elsewhere as a line every ten seconds."""

    def __init__(self, console: Console, about: str) -> None:
        super().__init__()
        self.about = plain(about)
        self.status = console.status("") if console.is_terminal else None

    def __enter__(self) -> "OneLine":
        if self.status:
            self.status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.status:
            self.status.stop()

    def say(self, line: str) -> None:
        line = f"{self.about}: {line}"
        if self.status:
            self.status.update(Text(line))
        else:
            super().say(line)

    def start(self, stage: str) -> None:
        self.stage, self.name, self.spent = stage, label(stage), ""
        self.say(self.name)

    def finish(self, stage: str, seconds: float, rows: Mapping[str, int], reused: bool) -> None: ...

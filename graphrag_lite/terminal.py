"""What the command line shows: progress, summaries, tables, answers. Plain lines where no terminal is."""

import json
import os
import re
import sys
import time
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from graphrag_lite import tables

if TYPE_CHECKING:
    from graphrag_lite.runner import Run
    from graphrag_lite.search.answer import Answer

# Controls, directions and halves of characters that `json` does not escape.
UNSAFE = re.compile(r"[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
MAX_CELL = 160  # characters of a table cell
LABELS = {
    "load_documents": "load documents",
    "split_text_units": "split text units",
    "extract_graph_fast": "extract names and relations",
    "resolve_entities": "resolve entities",
    "summarize_descriptions": "summarize descriptions",
    "detect_communities": "detect communities",
    "report_communities": "report communities",
    "publish_tables": "publish tables",
    "index_search": "index for search",
}


def plain(text: str) -> str:
    """Return a text of the corpus without the characters that could steer a terminal."""
    return "".join(char if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf") else " " for char in text)


class Output(Console):
    """A console on standard output; a reader that has seen enough, such as head, is no error."""

    def on_broken_pipe(self) -> None:
        """Send what is still buffered nowhere, so that Python does not fail on it when it ends."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0)


class Bars:
    """Live progress on a terminal: one line per stage, a bar while it runs."""

    def __init__(self, console: Console) -> None:
        self.progress = Progress(
            SpinnerColumn(finished_text="[green]✓"),
            TextColumn("{task.description}", style="bold"),
            BarColumn(bar_width=24),
            TimeElapsedColumn(),
            TextColumn("{task.fields[note]}", style="dim"),
            console=console,
        )

    def __enter__(self) -> "Bars":
        self.progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.progress.stop()

    def start(self, stage: str) -> None:
        self.task = self.progress.add_task(LABELS.get(stage, stage), total=None, note="")

    def advance(self, done: int, total: int) -> None:
        self.progress.update(self.task, completed=done, total=total)

    def finish(self, stage: str, seconds: float, rows: Mapping[str, int], reused: bool) -> None:  # noqa: ARG002
        note = "unchanged" if reused else ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in rows.items() if n)
        self.progress.update(self.task, completed=1, total=1, note=note)


class Lines:
    """Progress as plain lines, one a stage, and one every ten seconds while it runs."""

    def __init__(self) -> None:
        self.last = time.monotonic()

    def __enter__(self) -> "Lines":
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def start(self, stage: str) -> None:
        self.stage = stage
        self.last = time.monotonic()

    def advance(self, done: int, total: int) -> None:
        if time.monotonic() - self.last >= 10:
            self.last = time.monotonic()
            print(f"{self.stage}: {done} of {total}", file=sys.stderr, flush=True)

    def finish(self, stage: str, seconds: float, rows: Mapping[str, int], reused: bool) -> None:
        done = "unchanged" if reused else ", ".join(f"{n} {name}" for name, n in rows.items())
        print(f"{stage}: {done} ({seconds:.2f} s)", file=sys.stderr, flush=True)


def summary(run: "Run") -> dict[str, Any]:
    """Return what `index --json` prints: documented in docs/cli.md, and stable."""
    rows = {name: entry["rows"] for name, entry in run.manifest["tables"].items()}
    names = ("documents", "text_units", "entities", "relationships", "covariates", "communities", "community_reports")
    return {
        "status": "published" if run.changed else "unchanged",
        "snapshot": run.snapshot.name,
        "method": run.manifest["settings"]["method"],
        **{name: rows[name] for name in names},
        "communities_by_level": _by_level(run),
        "failures": rows["failures"],
        "stages_run": list(run.ran),
        "seconds": round(run.seconds, 3),
        "peak_memory_mb": run.peak_memory_mb,
    }


def _by_level(run: "Run") -> dict[str, int]:
    levels = tables.read(run.snapshot, "communities", only=["level"])["level"].to_pylist()
    return {str(level): levels.count(level) for level in sorted(set(levels))}


def print_summary(console: Console, run: "Run", output: str) -> None:
    """Print the table at the end of a run."""
    values = summary(run)
    table = Table(show_header=False, box=None, padding=(0, 2))
    table.add_column(style="bold")
    table.add_column(justify="right")
    for name in ("documents", "text_units", "entities", "relationships"):
        table.add_row(name.replace("_", " "), f"{values[name]:,}")
    levels = ", ".join(f"level {level}: {n:,}" for level, n in values["communities_by_level"].items())
    table.add_row("communities", f"{values['communities']:,} ({levels})")
    table.add_row("community reports", f"{values['community_reports']:,}")
    table.add_row("seconds", f"{values['seconds']:.1f}")
    table.add_row("peak memory", f"{values['peak_memory_mb']:,} MB")
    console.print(table)
    what = "Published" if run.changed else "Nothing has changed. Current is"
    console.print(f"{what} snapshot {values['snapshot']} in {output}", markup=False, highlight=False, soft_wrap=True)


def print_table(console: Console, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows as a table that folds long texts."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(_short(plain(str(value)))) for value in row))
    console.print(table)


def _short(text: str) -> str:
    return text if len(text) <= MAX_CELL else text[: MAX_CELL - 1] + "…"


def print_report(console: Console, content: str, sources: Iterable[str]) -> None:
    """Print a report as a page, then where its statements stand."""
    console.print(Markdown(plain(content)))
    console.print()
    for source in sources:
        console.print(Text(plain(source), style="dim"))


def print_answer(console: Console, answer: "Answer") -> None:
    """Print an answer and where its statements stand."""
    console.print(Text(plain(answer.answer)))
    if answer.citations:
        console.print(Text("\nSources", style="bold"))
    for cited in answer.citations:
        where = f"characters {cited.char_start}-{cited.char_end}"
        console.print(Text(plain(f"[{cited.n}] {source_of(cited.path, cited.document)}, {where}"), style="dim"))


def source_of(path: str, document: str) -> str:
    """Name a document: its file, and its own id where that is another."""
    return path if document == path else f"{path} · {document}"


def print_json(value: object) -> None:
    """Print one line of JSON to standard output."""
    print(UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False)), flush=True)

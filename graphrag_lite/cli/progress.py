"""The watches of a run: what is under way, as bars on a terminal, as lines elsewhere."""

import time
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from graphrag_lite.cli.terminal import plain, spent, tell

WIDE = 100  # columns of a terminal from which a bar has its full width
SILENCE = 10.0  # seconds between lines where no terminal is
LABELS = {
    "load_documents": "load documents",
    "split_text_units": "split text units",
    "extract_graph_fast": "extract names and relations",
    "extract_graph": "extract graph",
    "extract_claims": "extract claims",
    "resolve_entities": "resolve entities",
    "summarize_descriptions": "summarize descriptions",
    "detect_communities": "detect communities",
    "report_communities_fast": "report communities",
    "report_communities": "report communities",
    "publish_tables": "publish tables",
    "import_graphrag": "take over the index",
    "index_search": "index for search",
    "embed_text_units": "embed text units",
}


def watch(as_json: bool) -> "Bars | Lines":
    """Return the watch of a command that builds an index."""
    console = Console(stderr=True)
    return Bars(console) if console.is_terminal and not as_json else Lines()


class Bars:
    """Live progress on a terminal: one line per stage, a bar while it runs."""

    def __init__(self, console: Console) -> None:
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
        if usage := self.progress.tasks[self.task].fields["note"]:
            note = f"{note}; {usage}"
        self.progress.update(self.task, completed=1, total=1, note=note)

    def spend(self, usage: Mapping[str, Any]) -> None:
        self.progress.update(self.task, note=spent(usage))


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
        self.spent = ""

    def advance(self, done: int, total: int) -> None:
        if time.monotonic() - self.last >= 10:
            self.last = time.monotonic()
            tell(f"{self.stage}: {done} of {total}{self.spent}")

    def spend(self, usage: Mapping[str, Any]) -> None:
        self.spent = f"; {spent(usage)}"

    def finish(self, stage: str, seconds: float, rows: Mapping[str, int], reused: bool) -> None:
        done = "unchanged" if reused else ", ".join(f"{n} {name}" for name, n in rows.items())
        tell(f"{stage}: {done} ({seconds:.2f} s{self.spent})")


class OneLine:
    """Says on one line of a terminal what is under way; elsewhere as a line every ten seconds. A runner's watch."""

    def __init__(self, console: Console, name: str) -> None:
        self.name = plain(name)
        self.status = console.status("") if console.is_terminal else None
        self.last = time.monotonic()

    def __enter__(self) -> "OneLine":
        if self.status:
            self.status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.status:
            self.status.stop()

    def say(self, what: str) -> None:
        line = f"{self.name}: {what}"
        if self.status:
            self.status.update(Text(line))
        elif time.monotonic() - self.last >= SILENCE:
            self.last = time.monotonic()
            tell(line)

    def start(self, stage: str) -> None:
        self.label = LABELS.get(stage, stage)
        self.spent = ""
        self.say(self.label)

    def advance(self, done: int, total: int) -> None:
        self.say(f"{self.label}: {done} of {total}{self.spent}")

    def finish(self, stage: str, seconds: float, rows: Mapping[str, int], reused: bool) -> None: ...

    def spend(self, usage: Mapping[str, Any]) -> None:
        self.spent = f"; {spent(usage)}"

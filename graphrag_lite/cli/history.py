"""The commands about snapshots: runs, diff, rollback, check."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from graphrag_lite import tables
from graphrag_lite.cli import terminal
from graphrag_lite.cli.group import command, while_read
from graphrag_lite.cli.options import Root, with_options
from graphrag_lite.cli.terminal import changes, cut, plain, spent
from graphrag_lite.errors import IndexNotFound
from graphrag_lite.run import comparison, run_log, snapshots
from graphrag_lite.run.comparison import FRESH, STALE, Comparison, RecordChange
from graphrag_lite.text.word_lists import toml_file

if TYPE_CHECKING:
    from graphrag_lite.ops.check import Checked

MAX_NAME = 70  # characters of a name in a list
REPORTS = ("rewritten", STALE, FRESH)
# What a comparison counts as added, removed, changed and renamed, by the headings of the names.
COUNTED = {
    "documents": ("documents added", "documents deleted", "documents edited", "documents renamed"),
    **{
        kind: (f"{kind} added", f"{kind} removed", f"{kind} changed")
        for kind in ("entities", "relationships", "communities", "reports")
    },
    **{f"  {how}": ("", "", f"reports: {how}") for how in REPORTS},
    "facts": ("facts added", "facts withdrawn"),
    **{f"  {how}": ("", "", f"facts {how}") for how in ("ended", "restored")},
}
STYLES = {
    **dict.fromkeys(("failed", "killed"), "bold red"),
    **dict.fromkeys(("interrupted", "waiting"), "bold yellow"),
    "published": "bold green",
}


@command("runs")
@with_options("runs")
def runs(root: Root, limit: int, as_json: bool) -> None:
    output = root.output
    entries = run_log.entries(output)
    if not entries and not output.is_dir():
        raise IndexNotFound(f"There is no index in {output}. Run `graphrag-lite index CORPUS` first.")
    if as_json:
        terminal.print_json(*entries[:limit])
    else:
        print_runs(terminal.Output(), entries[:limit], len(entries))


@command("diff")
@click.argument("a", default="previous", metavar="[A]")
@click.argument("b", default="current", metavar="[B]")
@with_options("diff")
def diff(a: str, b: str, root: Root, limit: int, as_json: bool) -> None:
    with _reading(root, a, b) as folders:
        found = comparison.compare(*folders)
    if as_json:
        terminal.print_json(found.to_dict())
    else:
        print_comparison(terminal.Output(), found, limit)


@command("rollback")
@click.argument("identity", metavar="ID")
@with_options("rollback")
def rollback(identity: str, root: Root) -> None:
    from graphrag_lite.ops.rollback import roll_back

    before, after = roll_back(root.output, identity)
    if before == after:
        click.echo(f"Snapshot {after} is current already.")
        return
    click.echo(f"Current is snapshot {after} again. It was {before}, which stays until retention removes it.")
    click.echo("The next `graphrag-lite index` starts from here, and brings in what the corpus holds then.")


@command("check")
@click.argument("identity", default="current", metavar="[ID]")
@with_options("check")
def check(identity: str, root: Root, as_json: bool) -> None:
    from graphrag_lite.ops.check import check

    with _reading(root, identity) as (folder,):
        checked = check(folder)
    with while_read():
        if as_json:
            terminal.print_json(checked.to_dict())
        else:
            print_checked(terminal.Output(), checked)
    if checked.problems:
        sys.exit(1)


@contextmanager
def _reading(root: Root, *given: str) -> Iterator[list[Path]]:
    """Return snapshots by id or name, for a command, which has no use of pandas, and keep them from being removed."""
    tables.spare_pandas()
    folders = [snapshots.find(root.output, each) for each in given]
    with snapshots.hold_while_reading(*folders):
        yield folders


def print_runs(console: Console, entries: Sequence[Mapping[str, Any]], n_all: int) -> None:
    """Print runs, newest first: a line each, and indented below it what there is to say of it."""
    for entry in entries:
        status = str(entry.get("status"))
        when = str(entry["started_at"])[:19].replace("T", " ")
        line = Text(plain(f"{when}  "))
        line.append(plain(f"{status:<12}"), STYLES.get(status, "bold"))
        if "seconds" in entry:
            line.append(f"{entry['seconds']:>9,.1f} s")
        console.print(line)
        for note in _about(entry):
            console.print(Text(plain(f"    {note}"), style="dim"))
    if not entries:
        console.print("No run has ended yet.")
    elif len(entries) < n_all:
        console.print(f"{len(entries)} of {n_all} runs; --limit shows more", style="dim")


def _about(entry: Mapping[str, Any]) -> Iterable[str]:
    if entry.get("snapshot") and entry.get("status") != "unchanged":
        state = "current" if entry["current"] else "kept" if entry["kept"] else "removed"
        yield f"snapshot {entry['snapshot']} ({state})"
    if entry.get("before"):
        yield f"rolled back from {entry['before']}"
    if entry.get("why"):
        yield f"why: {'; '.join(entry['why'])}"
    if changed := changes(entry.get("changes", {})):
        yield f"documents: {changed}"
    if entry.get("resumed"):
        yield "went on from a run that had broken off"
    if entry.get("failures"):
        yield f"failures: {entry['failures']:,} (`graphrag-lite show failures`)"
    if entry.get("usage") and (entry["usage"]["calls"] or entry["usage"]["memo_hits"]):
        yield f"model: {spent(entry['usage'])}"
    if entry.get("error"):
        yield f"error: {entry['error']}"


def print_comparison(console: Console, found: Comparison, limit: int) -> None:
    """Print what changed between two snapshots: counts, then the first names of each kind."""
    console.print(Text(f"From {found.a}\nto   {found.b}\n"))
    listed = _listed(found)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("")
    for heading in ("added", "removed", "changed", "renamed"):
        table.add_column(heading, justify="right")
    for what, headings in COUNTED.items():
        if any(heading in listed for heading in headings):
            counts = [f"{len(listed[heading]):,}" if heading else "" for heading in headings]
            table.add_row(what, *counts, style="dim" if what[0] == " " else None)
    console.print(table)
    for heading, records in listed.items():
        if records and heading != "reports changed":  # which are listed by how
            console.print(Text(f"\n{heading}", style="bold"))
            for record in records[:limit]:
                note = f" ({', '.join(record.what)})" if record.what else ""
                _print_name(console, record.name, note)
            if len(records) > limit:
                more = f"  and {len(records) - limit:,} more; --limit shows more, --json all"
                console.print(Text(more, style="dim"))


def _listed(found: Comparison) -> dict[str, Sequence[RecordChange]]:
    """Return all that changed, by the heading below which it is named."""
    listed: dict[str, Sequence[RecordChange]] = {}
    for how, names in asdict(found.documents).items():
        shown = [name if isinstance(name, str) else " -> ".join(name) for name in names]
        listed[f"documents {how}"] = [RecordChange("", name) for name in shown]
    for kind in ("entities", "relationships", "communities", "reports"):
        listed |= {f"{kind} {how}": getattr(getattr(found, kind), how) for how in ("added", "removed", "changed")}
    for how in REPORTS:
        became = [one for one in found.reports.changed if how == ("rewritten" if "text" in one.what else one.what[0])]
        listed |= {f"reports: {how}": [RecordChange("", one.name) for one in became]} if became else {}
    return listed | {f"facts {how}": getattr(found.facts, how) for how in ("added", "ended", "restored", "withdrawn")}


def _print_name(console: Console, name: str, note: str = "") -> None:
    console.print(Text(plain(f"  {cut(' '.join(name.split()), MAX_NAME)}{note}")), soft_wrap=True)


def print_checked(console: Console, checked: "Checked") -> None:
    """Print what is wrong with a snapshot; where nothing is, what was looked at."""
    if checked.problems:
        n = len(checked.problems)
        console.print(Text(f"Snapshot {checked.snapshot}: {n} {'thing is' if n == 1 else 'things are'} wrong.\n"))
        for problem in checked.problems:
            counted = f" ({problem.count:,})" if problem.count > 1 else ""
            console.print(Text(plain(f"{problem.table}: {problem.what}{counted}"), style="bold"))
            for name in problem.named:
                _print_name(console, name)
            if problem.count > len(problem.named) > 0:
                console.print(Text(f"  and {problem.count - len(problem.named):,} more", style="dim"))
        advice = (
            "\n`graphrag-lite index CORPUS` makes files that are missing or damaged again. What is wrong inside of an"
            " intact file is a fault of this program: please report it. `graphrag-lite rollback ID` goes back to"
            " another snapshot."
        )
        console.print(Text(advice, style="dim"))
        return
    console.print(Text(f"Snapshot {checked.snapshot}: nothing is wrong.\n"))
    values = dict(checked.rows) | {"tables": len(checked.rows), "megabytes": checked.n_bytes / 1e6}
    lines = {name: template.format(**values) for name, template in toml_file(__package__, "checked.toml").items()}
    search = lines.pop("search")  # is said last
    if not checked.complete:
        lines = {name: template for name, template in lines.items() if name not in ("counts", "partition", "reports")}
        lines["left out"] = "counts and the partition, which are the other program's"
    if n_within := checked.relationships_within_entities:
        pairs = "; ".join(checked.within_named)
        mentions = terminal.counted(n_within, "mention")
        lines["left out"] = f"{mentions} of relationships, both names of which are one entity: {pairs}"
    for name, note in {**lines, "search": search}.items():
        line = Text(f"  {name:<11}", style="bold")
        line.append(note, style="not bold")
        console.print(line)
    console.print(Text(f"\n{checked.seconds:.1f} s", style="dim"))

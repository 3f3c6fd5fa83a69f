"""The commands about time: facts, timeline."""

import re
from itertools import groupby
from typing import Any

import click
from rich.padding import Padding
from rich.text import Text

from graphrag_lite import tables
from graphrag_lite.cli import terminal
from graphrag_lite.cli.group import command, while_read
from graphrag_lite.cli.options import Root, with_options
from graphrag_lite.temporal import holding
from graphrag_lite.text.folding import fold


@command("facts")
@click.argument("name", required=False)
@with_options("facts")
def facts(
    name: str | None,
    root: Root,
    valid_at: str | None,
    as_of: str | None,
    history: bool,
    conflicts: bool,
    limit: int,
    as_json: bool,
) -> None:
    from graphrag_lite.search.index import last_day

    opened = root.open_index()
    day, known = (None if given is None else last_day(given) for given in (valid_at, as_of))
    rows = opened.arrow("facts").to_pylist()
    rows = rows if name is None else _about(rows, name)
    rows = [row for row in rows if (history and known is None) or holding.is_stated(row, known)]
    rows = [row for row in rows if row["conflict"] or not conflicts]
    if day:
        rows = [row for row in rows if holding.holds_on(row, day)]
    shown = rows if history or day or conflicts else [row for row in rows if not holding.is_over(row)]
    if as_json:
        terminal.print_json(*shown[:limit])
        return
    console = terminal.Output()
    if conflicts:
        _print_conflicts(console, opened, shown, limit)
    else:
        for row in shown[:limit]:
            _print(console, opened, row)
    if not shown:
        none = f"no facts{f' about {name}' if name else ''}{' contradict each other' if conflicts else ''}"
        console.print(none, style="dim", markup=False, highlight=False)
    if len(shown) > limit:
        console.print(f"{limit} of {len(shown)} facts; --limit shows more", style="dim")
    if n_over := len(rows) - len(shown):
        note = "1 more has ended; --history shows it"
        console.print(note if n_over == 1 else f"{n_over} more have ended; --history shows them", style="dim")


def _about(rows: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Return the facts in whose subject or object the words of a name stand."""
    words = re.compile(rf"(?<!\w){re.escape(fold(name))}(?!\w)")
    return [row for row in rows if any(words.search(fold(row[end])) for end in ("subject", "object"))]


def _print_conflicts(console: Any, opened: Any, rows: list[dict[str, Any]], limit: int) -> None:
    """Print what contradicts each other together, with every sentence that says so."""
    policies = opened.arrow("relation_policies")
    inverse = {name for name, policy in tables.rows(policies, "relation", "kind") if policy == "inverse"}

    def of_one(row: dict[str, Any]) -> tuple[str, ...]:
        """Return whom, or what, it is that can have but one value."""
        return row["relation"], row["object" if row["relation"] in inverse else "subject"]

    rows = sorted(rows, key=lambda row: (*of_one(row), row["valid_at"], row["id"]))[:limit]
    for _, found in groupby(rows, key=of_one):
        group = list(found)
        first = max(row["valid_at"][:10] for row in group)
        head = f"From {first} on only one of these can be so, and nothing tells which:"
        console.print(head if len(group) > 1 else "Others say that this is not so, and nothing tells who is right:")
        for row in group:
            _print(console, opened, row, all_sources=True)


def _print(console: Any, opened: Any, row: dict[str, Any], *, all_sources: bool = False) -> None:
    """Print a fact, and what its first source, or all, say."""
    sources = row["sources"] if all_sources else row["sources"][:1]
    marks = [row["kind"]] if row["kind"] == "plan" else []
    marks += ["in conflict"] if row["conflict"] and not all_sources else []
    marks += [f"told until {row['expired_at'][:10]}"] if row["expired_at"] else []
    marks += [row["ended_by"]] if row["ended_by"] in ("negated", "succeeded") else []
    console.print(Text(terminal.plain(holding.fact_line(row) + (f"  [{', '.join(marks)}]" if marks else ""))))
    for source in sources:
        unit = opened.unit_row[source["text_unit_id"]]
        sentence = opened.document_of(unit)[0][source["char_start"] : source["char_end"]]
        name = terminal.document_at(opened, opened.document_row[unit])
        more = f" and {n} more" if (n := row["n_mentions"] - len(sources)) and source is sources[-1] else ""
        _print_source(console, sentence, name + more)


def _print_source(console: Any, sentence: str, name: str) -> None:
    """Print a sentence and where it stands, below what it is the source of."""
    line = Text(terminal.plain(f"{' '.join(sentence.split())}  ({name})"), style="dim")
    console.print(Padding(line, (0, 0, 0, 4)) if console.is_terminal else Text("    ") + line)


@command("timeline")
@click.argument("about", metavar="NAME|QUESTION")
@with_options("timeline")
def timeline(about: str, root: Root, first: str | None, last: str | None, as_json: bool) -> None:
    from graphrag_lite.search import timeline as found
    from graphrag_lite.search.index import last_day

    opened = root.open_index()
    text = about.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    entries = found.timeline(opened, text, last_day(first) if first else None, last_day(last) if last else None)
    with while_read():
        if as_json:
            terminal.print_json(*(entry.to_dict() for entry in entries))
            return
        console = terminal.Output()
        sources = ((entry.range, entry.source) for entry in entries)
        sentences = ((when, one.text, terminal.source_of(one.path, one.document)) for when, one in sources)
        for when, sentence, source in dict.fromkeys(sentences):  # one sentence can state two things of one time
            console.print(Text(when))
            _print_source(console, sentence, source)
        if not entries:
            console.print("The corpus dates nothing of it.", style="dim", markup=False, highlight=False)

"""The command timeline."""

from pathlib import Path

import click

from graphrag_lite.cli.options import EXIT_CODES, JSON, ROOT, while_read


@click.command(epilog=EXIT_CODES)
@click.argument("about", metavar="NAME|QUESTION")
@ROOT
@click.option("--from", "first", metavar="DATE", help="Only what lasted, or happened, on that day or later.")
@click.option("--to", "last", metavar="DATE", help="Only what began, or happened, on that day or before.")
@JSON
def timeline(about: str, root: Path, first: str | None, last: str | None, as_json: bool) -> None:
    """List what the corpus dates of somebody, something or a subject, in the order of time, each with its source.

    Dates are those that sentences state: "from 1993 until 2006", "since May", "last Friday" as told from the day on
    which it was said. An open side is shown as "…". Nothing is computed and nothing ends another statement here.

    With --json, one JSON object a statement.

    \b
    Examples:
      graphrag-lite timeline Scrooge
      graphrag-lite timeline "the move to Oslo" --from 2023-01-01 --to 2023-06-30
    """
    from graphrag_lite.cli import terminal
    from graphrag_lite.search import timeline as found
    from graphrag_lite.search.index import Index, last_day

    opened = Index.open(root / "output")
    text = about.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    entries = found.timeline(opened, text, last_day(first) if first else None, last_day(last) if last else None)
    with while_read():
        if as_json:
            terminal.print_json(*(entry.to_dict() for entry in entries))
            return
        console = terminal.Output()
        rows = [
            (
                entry.range,
                entry.source.text,
                terminal.source_of(entry.source.path, entry.source.document),
            )
            for entry in entries
        ]
        terminal.print_table(console, ["when", "statement", "document"], rows)
        if not entries:
            console.print("The corpus dates nothing of it.", style="dim", markup=False, highlight=False)

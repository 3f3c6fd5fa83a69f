"""The commands about snapshots: runs, diff, rollback, check."""

import sys
from pathlib import Path

import click

from graphrag_lite.cli.options import EXIT_CODES, JSON, ROOT, while_read


@click.command(epilog=EXIT_CODES)
@ROOT
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Most runs to show.")
@JSON
def runs(root: Path, limit: int, as_json: bool) -> None:
    """List the runs, newest first: when, what came of it, why, what changed, what it cost.

    The entry of a run that was killed is written by the one after it. Times are UTC.

    \b
    Examples:
      graphrag-lite runs
      graphrag-lite runs --limit 1 --json
    """
    from graphrag_lite.cli import terminal, terminal_snapshots
    from graphrag_lite.errors import IndexNotFound
    from graphrag_lite.run import run_log

    output = root / "output"
    entries = run_log.entries(output)
    if not entries and not output.is_dir():
        raise IndexNotFound(f"There is no index in {output}. Run `graphrag-lite index CORPUS` first.")
    if as_json:
        terminal.print_json(*entries[:limit])
    else:
        terminal_snapshots.print_runs(terminal.Output(), entries[:limit], len(entries))


@click.command(epilog=EXIT_CODES)
@click.argument("a", default="previous", metavar="[A]")
@click.argument("b", default="current", metavar="[B]")
@ROOT
@click.option("--limit", type=click.IntRange(1), default=10, show_default=True, help="Most names under each heading.")
@JSON
def diff(a: str, b: str, root: Path, limit: int, as_json: bool) -> None:
    """Say what changed from snapshot A to B: documents, entities, relationships, communities, reports, facts.

    A and B are ids as `runs` lists them, or their beginnings, or `current`, or `previous`, the one before the current
    one. A alone is compared with the current one. An ended fact holds no longer, by what texts say; a withdrawn one is
    said no longer.

    \b
    Examples:
      graphrag-lite diff
      graphrag-lite diff 20260801 current --limit 50
      graphrag-lite diff previous --json
    """
    from graphrag_lite.cli import terminal, terminal_snapshots
    from graphrag_lite.run import comparison, snapshots

    folders = [snapshots.find(root / "output", given) for given in (a, b)]
    with snapshots.reading(*folders):
        found = comparison.compare(*folders)
    if as_json:
        terminal.print_json(found.to_dict())
    else:
        terminal_snapshots.print_comparison(terminal.Output(), found, limit)


@click.command(epilog=EXIT_CODES)
@click.argument("identity", metavar="ID")
@ROOT
def rollback(identity: str, root: Path) -> None:
    """Make the snapshot ID current again.

    ID is one that `runs` lists, its beginning, or `previous`. Newer snapshots stay until retention removes them. The
    next `index` starts from here, and brings in what the corpus holds then: to keep the index as it is, take back what
    was wrong in the corpus or the settings first.

    \b
    Examples:
      graphrag-lite rollback previous
      graphrag-lite rollback 20260801T020004
    """
    from graphrag_lite.ops.rollback import roll_back

    before, after = roll_back(root / "output", identity)
    if before == after:
        click.echo(f"Snapshot {after} is current already.")
        return
    click.echo(f"Current is snapshot {after} again. It was {before}, which stays until retention removes it.")
    click.echo("The next `graphrag-lite index` starts from here, and brings in what the corpus holds then.")


@click.command(epilog=EXIT_CODES)
@click.argument("identity", default="current", metavar="[ID]")
@ROOT
@JSON
def check(identity: str, root: Path, as_json: bool) -> None:
    """Verify a snapshot, the current one unless ID names another, and exit with 1 where anything is wrong.

    Its files, by checksum; that every id names a row; that text units and citations are the characters of documents
    that they say; that counts, entities and relationships are what the mentions say; that communities are a
    partition, level by level; that marks and citations belong together; that search points to what is there.

    \b
    Examples:
      graphrag-lite check
      graphrag-lite check previous --json
    """
    from graphrag_lite.cli import terminal, terminal_snapshots
    from graphrag_lite.ops import check
    from graphrag_lite.run import snapshots

    folder = snapshots.find(root / "output", identity)
    with snapshots.reading(folder):
        checked = check.check(folder)
    with while_read():
        if as_json:
            terminal.print_json(checked.to_dict())
        else:
            terminal_snapshots.print_checked(terminal.Output(), checked)
    if checked.problems:
        sys.exit(1)

"""The commands that take an index elsewhere: explore, export."""

from dataclasses import asdict
from pathlib import Path

import click

from graphrag_lite.cli import terminal
from graphrag_lite.cli.group import command
from graphrag_lite.cli.options import Root, with_options
from graphrag_lite.ops.exported import bring_up_to_date, write_output
from graphrag_lite.views.exports import FORMATS, exported


@command("explore")
@with_options("explore")
def explore(root: Root, target: Path | None, title: str | None, opens: bool, quiet: bool) -> None:
    from graphrag_lite.views.explorer import page

    target = target or root.folder / "explore.html"
    content = page(root.open_index(), title or root.folder.resolve().name)
    write_output(target, content)
    if not quiet:
        click.echo(f"Wrote {target} ({len(content) / 1e6:.1f} MB)")
    if opens:
        import webbrowser

        webbrowser.open(target.resolve().as_uri())


@command("export")
@click.argument("form", metavar="FORMAT", type=click.Choice(list(FORMATS)))
@with_options("export")
def export(form: str, root: Root, folder: Path | None, quiet: bool, as_json: bool) -> None:
    folder = folder or root.folder / "export" / form
    done = bring_up_to_date(folder, exported(root.open_index(), form))
    if as_json:
        terminal.print_json({"folder": str(folder), **asdict(done)})
        return
    removed = f", {done.n_removed} removed" if done.n_removed else ""
    if not quiet:
        click.echo(f"{folder}: {terminal.counted(done.n_files, 'file')}, {done.n_written:,} written{removed}")
    for path in done.kept:
        terminal.print_note(f"{folder / path} was changed since the last export, and is left as it is.")

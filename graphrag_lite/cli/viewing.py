"""The commands that show an index elsewhere: explore."""

from pathlib import Path

import click

from graphrag_lite.cli.options import EXIT_CODES, ROOT


@click.command(epilog=EXIT_CODES)
@ROOT
@click.option(
    "--output",
    "target",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.html",
    help="Where to write the page.  [default: ROOT/explore.html]",
)
@click.option("--title", help="Name of the page.  [default: the name of ROOT]")
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
def explore(root: Path, target: Path | None, title: str | None, opens: bool) -> None:
    """Write the index as one HTML page to look at: a map of names, reports, sources, a timeline, search.

    The page needs no server and no network, and holds the texts of the documents: pass it on as you would them. Above
    20 MB they are left out, and the page says so.

    \b
    Examples:
      graphrag-lite explore --open
      graphrag-lite explore --root my-project --output /tmp/my-project.html
    """
    import webbrowser

    from graphrag_lite.search.index import Index
    from graphrag_lite.views.explorer import page

    opened = Index.open(root / "output")
    target = target or root / "explore.html"
    content = page(opened, title or root.resolve().name)
    _write(target, content)
    click.echo(f"Wrote {target} ({len(content) / 1e6:.1f} MB)")
    if opens:
        webbrowser.open(target.resolve().as_uri())


def _write(target: Path, content: bytes) -> None:
    """Replace a file in one step. Raises OutputError."""
    from graphrag_lite.errors import OutputError

    temporary = target.with_name(f".{target.name}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(content)
        temporary.replace(target)
    except OSError as error:
        raise OutputError(f"{error.filename or target} cannot be written: {error.strerror}.") from None

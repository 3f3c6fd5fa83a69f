"""The commands that take an index elsewhere: explore, export."""

from pathlib import Path

import click

from graphrag_lite.cli.options import EXIT_CODES, JSON, ROOT
from graphrag_lite.views.exports import FORMATS


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

    from graphrag_lite.ops.exported import write
    from graphrag_lite.search.index import Index
    from graphrag_lite.views.explorer import page

    opened = Index.open(root / "output")
    target = target or root / "explore.html"
    content = page(opened, title or root.resolve().name)
    write(target, content)
    click.echo(f"Wrote {target} ({len(content) / 1e6:.1f} MB)")
    if opens:
        webbrowser.open(target.resolve().as_uri())


@click.command(epilog=EXIT_CODES)
@click.argument("form", metavar="FORMAT", type=click.Choice(list(FORMATS)))
@ROOT
@click.option(
    "--output",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Where to write it.  [default: ROOT/export/FORMAT]",
)
@JSON
def export(form: str, root: Path, folder: Path | None, as_json: bool) -> None:
    """Write the index as files for other tools. Exporting again changes only what has changed.

    \b
    FORMAT is one of
      graphml   the graph of names, for yEd, Cytoscape, Gephi, networkx
      gexf      the same for Gephi, laid out
      csv       nodes and relationships for Neo4j's bulk import
      cypher    the same as statements for cypher-shell
      obsidian  a vault: a note for each name, report and document, linked
      markdown  the reports as one book, with their sources
      jsonl     every table, a row a line

    graphml and gexf need the extra [graph]. Files that you have changed since the last export are left as they are.

    \b
    Examples:
      graphrag-lite export gexf
      graphrag-lite export obsidian --output ~/vaults/archive
    """
    from dataclasses import asdict

    from graphrag_lite.cli import terminal
    from graphrag_lite.ops.exported import bring_up_to_date
    from graphrag_lite.search.index import Index
    from graphrag_lite.views.exports import exported

    folder = folder or root / "export" / form
    done = bring_up_to_date(folder, exported(Index.open(root / "output"), form))
    if as_json:
        terminal.print_json({"folder": str(folder), **asdict(done)})
        return
    removed = f", {done.n_removed} removed" if done.n_removed else ""
    click.echo(f"{folder}: {done.n_files} files, {done.n_written} of them written{removed}")
    for path in done.kept:
        terminal.tell(f"{folder / path} was changed since the last export, and is left as it is.")

"""The command show."""

from typing import TYPE_CHECKING, Any

import click
from rich.markdown import Markdown
from rich.text import Text

from graphrag_lite.cli import terminal
from graphrag_lite.cli.group import command
from graphrag_lite.cli.options import Root, with_options
from graphrag_lite.cli.terminal import plain
from graphrag_lite.errors import InputError
from graphrag_lite.evidence.source_locations import describe_span

if TYPE_CHECKING:
    from graphrag_lite.search.index import Index

SPAN = ("document_id", "char_start", "char_end")
VIEWS: dict[str, tuple[str, list[str]]] = {
    "documents": ("documents", ["human_readable_id", "source_id", "title", "path", "created_at", "language"]),
    "entities": ("entities", ["human_readable_id", "title", "type", "frequency", "degree", "description"]),
    "relationships": ("relationships", ["human_readable_id", "source", "relation", "target", "weight", "description"]),
    "communities": ("communities", ["community", "level", "parent", "size", "title"]),
    "reports": ("community_reports", ["community", "level", "rank", "size", "stale", "age", "title"]),
    "episodes": ("episodes", ["kind", "reference_time", "conversation", "speaker", *SPAN]),
    "facts": ("facts", ["subject", "relation", "object", "kind", "valid_at", "invalid_at", "ended_by", "fact"]),
    "policies": ("relation_policies", ["relation", "kind", "rule", "n", "closed_share", "n_mentions"]),
    "text-units": ("text_units", ["human_readable_id", "id", "n_tokens", "text"]),
    "failures": ("failures", ["document", "stage", "error", "attempts"]),
}
MIN_ID = 6  # characters of the beginning of an id that names a report
SILENT = ": that community has too little to say for a page of its own"


@command("show")
@click.argument("what", default="summary", type=click.Choice(["summary", *VIEWS, "report"]), metavar="[WHAT]")
@click.argument("identity", required=False, metavar="[ID]")
@with_options("show")
def show(
    what: str, identity: str | None, root: Root, suggest: bool, search: str | None, limit: int, as_json: bool
) -> None:
    opened = root.open_index()
    console = terminal.Output()
    if what == "report":
        _show_report(console, opened, identity, as_json)
        return
    if identity is not None:
        raise click.UsageError(f"Got unexpected extra argument ({identity})")
    if suggest:
        if what != "entities" or as_json or search:
            raise click.UsageError("--suggest is of entities, and takes neither --search nor --json.")
        _suggest(opened, root, limit)
        return
    if what == "summary":
        _show_summary(console, opened, as_json)
        return
    table, columns = VIEWS[what]
    rows = opened.arrow(table).select(columns).to_pylist()
    if what == "episodes":
        texts = dict(zip(*(opened.arrow("documents")[name].to_pylist() for name in ("id", "text")), strict=True))
        for row in rows:
            document_id, start, end = (row.pop(name) for name in SPAN)
            row["text"] = texts[document_id][start:end]
    if search:
        rows = [row for row in rows if search.casefold() in " ".join(map(str, row.values())).casefold()]
    if as_json:
        terminal.print_json(*rows[:limit])
        return
    shown = [_shown(what, row) for row in rows[:limit]]
    headings = list(shown[0]) if shown else list(_shown(what, dict.fromkeys(columns, "")))
    terminal.print_table(console, headings, (list(row.values()) for row in shown))
    if not rows:
        about = f" with {search!r}" if search else ""
        console.print(f"no {what}{about}", style="dim", markup=False, highlight=False)
    if len(rows) > limit:
        console.print(f"{limit} of {len(rows)} rows; --limit shows more", style="dim")
    if what == "failures" and opened.left_out:
        left_out = ", ".join(f"{n} {kind}" for kind, n in opened.left_out.items())
        console.print(f"Left out, and no failure: {left_out}.", style="dim", markup=False, highlight=False)


def _shown(what: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return what a table has room for of a row, by heading."""
    number = {"#": row.pop("human_readable_id")} if "human_readable_id" in row else {}
    if what == "relationships":
        named = " – ".join(filter(None, (row.pop(name) for name in ("source", "relation", "target"))))
        row = {"relationship": named, **row}
    if what == "facts":
        stated = " ".join(row.pop(name) for name in ("subject", "relation", "object"))
        times = {name: row[name] for name in ("kind", "valid_at", "invalid_at")}
        row = {"fact": stated, **times, "sentence": row["fact"]}
    if what == "documents":
        row = {"document": terminal.source_of(row.pop("path"), row.pop("source_id")), **row}
    return number | row


def _suggest(opened: "Index", root: Root, limit: int) -> None:
    from graphrag_lite.ops.suggest import as_file, suggest_pairs

    known = root.load(for_indexing=False).resolve_entities.known
    if pairs := suggest_pairs(opened, known):
        click.echo(terminal.plain(as_file(pairs[:limit])), nl=False)
    else:
        terminal.print_note("No two names are so alike that they may be one.")


def _show_summary(console: Any, opened: "Index", as_json: bool) -> None:
    manifest = opened.manifest
    values = {
        "snapshot": opened.folder.name,
        "created_at": manifest["created_at"],
        "method": manifest["settings"]["method"],
        **{table: manifest["tables"][table]["rows"] for table, _ in VIEWS.values()},
        "seconds": manifest["seconds"],
        "folder": str(opened.folder),
    }
    if as_json:
        terminal.print_json(values)
    else:
        rows = [(name.replace("_", " "), value) for name, value in values.items()]
        terminal.print_table(console, ["what", "value"], rows)


def _show_report(console: Any, opened: "Index", identity: str | None, as_json: bool) -> None:
    if not identity:
        raise click.UsageError("Which report? Give its community's number, as `graphrag-lite show reports` lists them.")
    reports = opened.arrow("community_reports")
    numbers, ids = (reports[column].to_pylist() for column in ("community", "id"))
    rows = [row for row, names in enumerate(zip(map(str, numbers), ids, strict=True)) if identity in names]
    if not rows and len(identity) >= MIN_ID:
        rows = [row for row, own in enumerate(ids) if own.startswith(identity)]
    if len(rows) != 1:
        what = f"Several reports begin with {identity!r}" if rows else f"There is no report {identity!r}"
        known = map(str, opened.column("communities", "community").to_pylist())
        silent = SILENT if not rows and identity in known else ""
        raise InputError(f"{what}{silent}. `graphrag-lite show reports` lists them by community number.")
    report = reports.slice(rows[0], 1).to_pylist()[0]
    if as_json:
        terminal.print_json(report)
        return
    row = {own: i for i, own in enumerate(opened.column("documents", "id").to_pylist())}
    sources = []
    for citation in report["citations"]:
        document = row[citation["document_id"]]
        blocks = opened.cell("documents", "blocks", document)
        where = describe_span(blocks, citation["char_start"], citation["char_end"])
        sources.append(f"[{citation['n']}] {terminal.document_at(opened, document)}, {where}")
    position = f"Community {report['community']}, level {report['level']}."
    notes = [f"{position} Rank {report['rank']}: {report['rating_explanation']}"]
    if report["stale"]:
        runs = "1 run" if report["age"] == 1 else f"{report['age']} runs"
        notes.append(
            f"Stale for {runs}: its community has changed a little since it was written;"
            " `graphrag-lite index --refresh reports` writes it again."
        )
    console.print(Markdown(plain(report["full_content"])))
    console.print()
    for line in (*sources, *notes):
        console.print(Text(plain(line), style="dim"))

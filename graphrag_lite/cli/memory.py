"""The commands memory ..."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from graphrag_lite.agent.pages import SIZE
from graphrag_lite.agent.session import MEMORY
from graphrag_lite.cli import terminal
from graphrag_lite.cli.group import HELP, while_read
from graphrag_lite.cli.options import Root, with_options
from graphrag_lite.memory.store import MESSAGE, NOTE, Entry, Memory
from graphrag_lite.ops.exported import write_output

LATEST = 10  # notes that `show` lists
NOTES = ["note", "made", "session", "content"]


@click.group(help=HELP["memory"], epilog=HELP["exit codes"])
def memory() -> None:
    pass


def _opened(root: Root) -> Memory:
    return Memory(root.output / MEMORY)


@memory.command()
@with_options("memory show")
def show(root: Root, session: str, as_json: bool) -> None:
    """Show the blocks of a session and the latest notes. Says how much each session holds."""
    opened = _opened(root)
    blocks, counted = opened.blocks(session), opened.sessions()
    latest = [opened.entry(row) for row in reversed(opened.listed(NOTE)[-LATEST:])]
    if as_json:
        sessions = [{"session": name, "kind": kind, "entries": n} for name, kind, n in counted]
        notes = [{"id": entry.id, "content": entry.content, "tags": entry.tags} for entry in latest]
        terminal.print_json({"blocks": blocks, "sessions": sessions, "notes": notes})
        return
    output = terminal.Output()
    terminal.print_table(output, ["block", "content"], blocks.items())
    terminal.print_table(output, ["session", "kind", "entries"], counted)
    terminal.print_table(output, NOTES, map(_shown, latest))


def _shown(entry: Any) -> tuple[str, ...]:
    return (entry.id, entry.created_at[:16], entry.session, entry.content[:300])


@memory.command()
@click.argument("content")
@with_options("memory add")
def add(content: str, tags: tuple[str, ...], root: Root, session: str) -> None:
    """Keep a note, and print its id."""
    if not content.strip():
        raise click.UsageError("A note that says nothing is none.")
    for identity in _opened(root).add([Entry(content, session=session, tags=tags)]):
        click.echo(identity)


@memory.command()
@click.argument("query")
@with_options("memory search")
def search(query: str, tags: tuple[str, ...], page: int, session: str | None, root: Root, as_json: bool) -> None:
    """Find notes, then messages by their words. Best first, then the newest; notes by vectors, too, where set."""
    opened, settings, meant = _opened(root), root.load(for_indexing=False), None
    if settings.embeddings.model:
        from graphrag_lite.retrieval.note_vectors import NoteVectors

        meant = NoteVectors(settings.embeddings, settings.llm, root.output).meant(opened, query)
    found = opened.search(query, session=session, tags=tags, meant=meant)
    found += opened.search(query, MESSAGE, session, tags)
    entries = [opened.entry(row) for row in found[(page - 1) * SIZE : page * SIZE]]
    with while_read():
        if as_json:
            terminal.print_json({"page": page, "total": len(found), "notes": [asdict(entry) for entry in entries]})
        else:
            output = terminal.Output()
            terminal.print_table(output, ["entry", *NOTES[1:]], map(_shown, entries))
            terminal.print_note(f"Page {page}: {len(entries)} of {len(found)} notes and messages.")


@memory.command()
@click.argument("identities", metavar="[ID]...", nargs=-1)
@with_options("memory forget")
def forget(identities: tuple[str, ...], session: str | None, root: Root) -> None:
    """Delete notes or messages for good, or all of a session, from the file too."""
    if not identities and session is None:
        raise click.UsageError("Give an ID, or a session with --session.")
    _opened(root).forget(identities, session)


@memory.command()
@with_options("memory export")
def export(session: str | None, root: Root) -> None:
    """Print all of it as JSON lines."""
    from graphrag_lite.memory.transfer import export_memory

    with while_read():
        for line in export_memory(_opened(root), session):
            click.echo(line)


@memory.command("import")
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@with_options("memory import")
def import_(path: Path, session: str | None, root: Root) -> None:
    """Keep what `export` printed, or an exported chat. The forms of chats are in docs/conversations.md."""
    from graphrag_lite.memory.transfer import import_memory

    terminal.print_note(f"{import_memory(_opened(root), path, session)} entries are in memory.")


@memory.command()
@click.argument("identity", metavar="ID")
@click.argument("folder", type=click.Path(path_type=Path))
@with_options("memory promote")
def promote(identity: str, folder: Path, root: Root) -> None:
    """Write a note as a document into FOLDER, to be indexed with it. It says of itself that it was generated."""
    from graphrag_lite.memory.transfer import note_document

    opened = _opened(root)
    entry = opened.entry(opened.named(identity))
    path = folder / f"{entry.id}.md"
    write_output(path, note_document(entry).encode())
    click.echo(path)

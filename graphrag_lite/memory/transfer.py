"""Memory as JSON lines, and conversations of elsewhere into it; a note as a document."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from graphrag_lite.errors import InputError
from graphrag_lite.memory.store import MESSAGE, NOTE, Block, Entry, Memory
from graphrag_lite.read.documents import Fields, Loaded
from graphrag_lite.read.readers import all_readers

NAMES = {one.name for one in fields(Entry)}
BLOCK_FIELDS = ("session", "name", "content")


def export_memory(memory: Memory, session: str | None = None) -> Iterator[str]:
    """Yield notes and messages, by kind and time, then the core blocks, a JSON object a line; of one session or all."""
    for kind in (NOTE, MESSAGE):
        for rowid in memory.listed(kind, session):
            yield json.dumps(asdict(memory.entry(rowid)), ensure_ascii=False)
    for own, name, content in memory.all_blocks():
        if session in (None, own):
            yield json.dumps({"kind": "block", "session": own, "name": name, "content": content}, ensure_ascii=False)


def import_memory(memory: Memory, path: Path, session: str | None = None) -> int:
    """Keep what `exported` wrote, or the messages of an export of conversations, and return how many there are.

    It is kept in `session`, else in those that the file names: all or nothing, what is there already once. Raises
    InputError that names the line, or says that nothing in the file is a message.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}.") from None
    rows = _rows(data, path)
    read: list[Entry | Block]
    if rows is None:
        read = list(_messages(data, path))
        if not read:
            raise InputError(f"{path}: holds no notes that were exported, and no messages of a conversation.")
    else:
        # Takes longer to make than to use on some notes.
        adapter: TypeAdapter[Entry | Block] = TypeAdapter(Entry | Block)
        read = [_entry_or_block(row, f"{path}:{number}", adapter) for number, row in rows]
    entries = [one for one in read if isinstance(one, Entry)]
    blocks = [one for one in read if not isinstance(one, Entry)]
    if session is not None:
        entries = [replace(one, session=session) for one in entries]
        blocks = [(session, name, content) for _, name, content in blocks]
    if not all(one.created_at for one in entries):  # it gets the time of its import, which is another one each time
        known = memory.messages()
        entries = [one for one in entries if one.created_at or (one.session, one.role, one.content) not in known]
    memory.add(entries, blocks)
    return len(read)


def _rows(data: bytes, path: Path) -> list[tuple[int, dict[str, Any]]] | None:
    """Return the numbered rows of a file that `exported` wrote, None for another file."""
    rows: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            row = json.loads(line)
            json.dumps(row, ensure_ascii=False).encode()  # half a pair of UTF-16 is no text
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict) or row.get("kind") not in (NOTE, MESSAGE, "block"):
            if rows:
                raise InputError(f"{path}:{number}: is no note, message or block.")
            return None
        rows.append((number, row))
    return rows


def _entry_or_block(row: Mapping[str, Any], where: str, adapter: TypeAdapter[Entry | Block]) -> Entry | Block:
    is_block = row["kind"] == "block"
    with suppress(ValidationError):
        if is_block or not set(row) - NAMES:
            return adapter.validate_python(tuple(map(row.get, BLOCK_FIELDS)) if is_block else row)
    raise InputError(f"{where}: is no note, message or block.")


def _messages(data: bytes, path: Path) -> Iterable[Entry]:
    """Yield the messages of a conversation's export, in sessions by their conversations."""
    for item in all_readers().read(data, path.name, Fields()):
        if isinstance(item, Loaded):
            for turn in item.messages:
                content, session = item.text[turn.char_start : turn.char_end], turn.conversation or item.source_id
                made = turn.time or item.created_at
                yield Entry(content, MESSAGE, session, turn.role or turn.speaker, created_at=made)


def note_document(entry: Entry) -> str:
    """Return a note as a Markdown document that says of itself that it was generated, and what it rests on."""
    about = {"origin": "generated", "note": entry.id, "session": entry.session, "date": entry.created_at}
    rests = [
        f"- {one.get('path', '')}, characters {one.get('char_start')}-{one.get('char_end')}" for one in entry.citations
    ]
    lines = ["---", *(f"{name}: {json.dumps(value)}" for name, value in about.items()), "---", "", entry.content]
    return "\n".join([*lines, *([""] if rests else []), *rests, ""])

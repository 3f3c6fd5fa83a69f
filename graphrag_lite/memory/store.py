"""Memory: one SQLite file beside the snapshots, in WAL mode. A rollback of the index does not touch it.

Notes and messages are found by BM25 (of FTS5) over terms that are analysed as those of text units, and notes by what
they gain by their vectors (`retrieval.note_vectors`), which are here so that they are forgotten with them. Each write
is one transaction: a process that is killed leaves no half note. What a model's question keeps stays when it is
answered: one that was killed is asked again from where it began (`ask`). What is forgotten is gone from the file, too.
"""

import contextlib
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

from graphrag_lite.errors import InputError, LockedError, OutputError, TableError
from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.language import closest_language, detect
from graphrag_lite.text.words import terms, without_asking

BUSY = 5.0  # seconds to wait for another process that writes
NOTE, MESSAGE = "note", "message"
LANGUAGES = ["en", *sorted(FUNCTION_WORDS.keys() - {"en"})]
Block = tuple[str, str, str]  # session, name, content


@dataclass(frozen=True, slots=True)
class Entry:
    """A note (`kind` note) or a message of a session, whose `role` is user or assistant.

    `created_at` is ISO 8601 in UTC. `citations` are places that a note rests on, as answers cite them: `document`,
    `path`, `char_start`, `char_end`, `text`. The id is a hash of the rest, so that nothing is kept twice.
    """

    content: str
    kind: str = NOTE
    session: str = ""
    role: str = ""
    tags: tuple[str, ...] = ()
    citations: tuple[dict[str, Any], ...] = ()
    created_at: str = ""
    id: str = ""

    def identified(self) -> "Entry":
        """Return it with its time and id."""
        created_at = self.created_at or datetime.now(UTC).isoformat(timespec="microseconds")
        known = asdict(self) | {"created_at": created_at, "id": ""}
        digest = hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:16]
        return replace(self, created_at=created_at, id=digest)


def _connected(where: str) -> sqlite3.Connection:
    database = sqlite3.connect(
        where, timeout=BUSY, isolation_level=None, check_same_thread=False, uri=where.startswith("file:")
    )
    database.executescript((resources.files(__package__) / "schema.sql").read_text(encoding="utf-8"))
    return database


class Memory:
    """A store, whose file is made when something is first kept; before that nothing is in it.

    Raises TableError for a file that is none, OutputError where it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._asking: str | None = None  # the session whose question is not answered yet
        self._opened = False
        with self._explained():
            self._database = _connected(":memory:")
            self._open()

    def _open(self, *, to_write: bool = False) -> None:
        """Open the file where it is there or is needed; where nothing may be written beside it, to be read alone."""
        if self._opened or not (to_write or self.path.exists()):
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            opened = _connected(str(self.path))
        except sqlite3.OperationalError:
            if os.access(self.path.parent, os.W_OK):
                raise
            opened = _connected(f"{self.path.absolute().as_uri()}?immutable=1")
        self._database.close()
        self._database, self._opened = opened, True

    def close(self) -> None:
        self._database.close()

    def add(self, entries: Iterable[Entry], blocks: Iterable[Block] = ()) -> list[str]:
        """Keep entries and core blocks, all or none; return the entries' ids. What is there already is kept once."""
        made = [entry.identified() for entry in entries]
        with self._writing():
            for entry in made:
                self._put(entry)
                self._unanswered(entry.kind, entry.id)
            for session, name, content in blocks:
                self._unanswered("block", name, self.blocks(session).get(name, ""))
                self._database.execute("insert or replace into blocks values (?, ?, ?)", (session, name, content))
        return [entry.id for entry in made]

    def ask(self, session: str) -> None:
        """Begin a question of a session: what is kept until `answer` is taken back where it is never answered.

        What one that was killed has kept is taken back now.
        """
        with self._writing():
            rows = self._read("select kind, name, before from unanswered where session = ?", session)
            for kind, name, before in rows:
                if kind != "block":
                    self._delete(name)
                elif before:
                    self._database.execute("insert or replace into blocks values (?, ?, ?)", (session, name, before))
                else:
                    self._database.execute("delete from blocks where session = ? and name = ?", (session, name))
            self._database.execute("delete from unanswered where session = ?", (session,))
        self._asking = session

    def answer(self, entries: Iterable[Entry]) -> None:
        """Keep the messages of a question and, for good, what was kept since it began."""
        with self._writing():
            for entry in entries:
                self._put(entry.identified())
            self._database.execute("delete from unanswered where session = ?", (self._asking,))
        self._asking = None

    def _unanswered(self, kind: str, name: str, before: str = "") -> None:
        if self._asking is not None:
            values = (self._asking, kind, name, before)
            self._database.execute("insert or ignore into unanswered values (?, ?, ?, ?)", values)

    def _delete(self, identity: str) -> None:
        for row in self._read("select place from entries where id = ?", identity):
            self._database.execute("delete from found where rowid = ?", row)
            self._database.execute("delete from vectors where place = ?", row)
            self._database.execute("delete from entries where place = ?", row)

    def _put(self, entry: Entry) -> None:
        # A note may be too short to tell.
        language = detect(entry.content) or closest_language(entry.content, LANGUAGES)
        lists = {name: json.dumps(getattr(entry, name)) for name in ("tags", "citations")}
        row = {**asdict(entry), **lists, "language": language}
        values = f"({', '.join(row)}) values ({', '.join(f':{name}' for name in row)})"
        done = self._database.execute(f"insert or ignore into entries {values}", row)
        if done.rowcount:
            analysed = " ".join(terms(" ".join([entry.content, *entry.tags]), language))
            self._database.execute("insert into found (rowid, terms) values (?, ?)", (done.lastrowid, analysed))
            self._database.execute("insert or ignore into languages values (?, ?)", (entry.kind, language))

    def search(
        self,
        query: str,
        kind: str = NOTE,
        session: str | None = None,
        tags: Sequence[str] = (),
        meant: Mapping[int, float] | None = None,
    ) -> list[int]:
        """Return the rowids of the entries that share terms with a query, best first by BM25, then the newest.

        With `session` those of one, with `tags` those that have them all. `meant` is what entries gain by their
        vectors, by rowid, where the best by BM25 has 1; these are found without a term in common, too.
        """
        found = self._by_words(query, kind, session)
        if meant:
            of_words = {rowid: worth for rowid, *_, worth in found}
            most = min(of_words.values(), default=-1.0)  # of BM25 in SQLite the least is the best
            others = (json.dumps([rowid for rowid in meant if rowid not in of_words]), kind, session, session)
            found += self._read(
                "select place, tags, created_at, 0.0 from entries where place in (select value from json_each(?))"
                " and kind = ? and (? is null or session = ?)",
                *others,
            )
            found.sort(key=lambda row: (row[2], -row[0]), reverse=True)
            found.sort(key=lambda row: row[3] / most + meant.get(row[0], 0.0), reverse=True)
        return [rowid for rowid, stated, *_ in found if not tags or set(tags) <= set(json.loads(stated))]

    def _by_words(self, query: str, kind: str, session: str | None) -> list[tuple[int, str, str, float]]:
        """Return rowid, tags, time and BM25 of the entries that share terms with a query, in their order."""
        languages = [row[0] for row in self._read("select language from languages where kind = ?", kind)]
        query_terms = dict.fromkeys(
            term for language in languages for term in terms(without_asking(query, language), language)
        )
        if not query_terms:
            return []
        match = " OR ".join('"{}"'.format(term.replace('"', '""')) for term in query_terms)
        return self._read(
            "select place, tags, created_at, bm25(found) as worth from found join entries on place = found.rowid"
            " where found match ? and kind = ? and (? is null or session = ?)"
            " order by worth, created_at desc, place",
            *(match, kind, session, session),
        )

    def vectors(self, model: str) -> dict[int, bytes]:
        """Return the vectors of entries by an embedding model, by rowid, in their order."""
        return dict(self._read("select place, vector from vectors where model = ? order by place", model))

    def keep_vectors(self, model: str, vectors: Iterable[tuple[int, bytes]]) -> None:
        """Keep vectors by rowid; what has been forgotten meanwhile gets none."""
        with self._writing():
            self._database.executemany(
                "insert or replace into vectors select place, ?, ? from entries where place = ?",
                ((model, vector, rowid) for rowid, vector in vectors),
            )

    def listed(self, kind: str, session: str | None = None, first: str = "", last: str = "9") -> list[int]:
        """Return the rowids of entries by time, those made from `first` to `last`, ISO 8601, both included."""
        rows = self._read(
            "select place from entries where kind = ? and (? is null or session = ?)"
            " and created_at >= ? and substr(created_at, 1, length(?)) <= ? order by created_at, place",
            *(kind, session, session, first, last, last),
        )
        return [rowid for (rowid,) in rows]

    def entry(self, rowid: int) -> Entry:
        """Return the entry of a rowid."""
        (row,) = self._read(
            "select content, kind, session, role, tags, citations, created_at, id from entries where place = ?", rowid
        )
        content, kind, session, role, tags, citations, *rest = row
        return Entry(content, kind, session, role, tuple(json.loads(tags)), tuple(json.loads(citations)), *rest)

    def named(self, identity: str) -> int:
        """Return the rowid of an entry by its id. Raises InputError."""
        rows = self._read("select place from entries where id = ?", identity)
        if not rows:
            raise InputError(f"Memory holds no entry {identity!r}; `graphrag-lite memory show` lists them.")
        return int(rows[0][0])

    def forget(self, identities: Sequence[str], session: str | None = None) -> None:
        """Delete entries, and all of a session, from the file too. Raises InputError where one is not there, and
        deletes none then."""
        for identity in identities:
            self.named(identity)
        of_session = [row[0] for row in self._read("select id from entries where session = ?", session)]
        if session is not None and not of_session and not self.blocks(session):
            raise InputError(f"Memory holds no session {session!r}; `graphrag-lite memory show` lists them.")
        with self._writing():
            for identity in dict.fromkeys([*identities, *of_session]):
                self._delete(identity)
            for table in ("blocks", "unanswered"):
                self._database.execute(f"delete from {table} where session = ?", (session,))
            self._database.execute("insert into found (found) values ('optimize')")
        with self._explained():
            self._database.execute("vacuum")
            self._database.execute("pragma wal_checkpoint(truncate)")

    def blocks(self, session: str) -> dict[str, str]:
        """Return the core blocks of a session, by name."""
        return dict(self._read("select name, content from blocks where session = ? order by name", session))

    def all_blocks(self) -> list[Block]:
        """Return (session, name, content) of every block, ordered."""
        return self._read("select session, name, content from blocks order by session, name")

    def messages(self) -> set[tuple[str, str, str]]:
        """Return (session, role, content) of every message."""
        return set(self._read("select session, role, content from entries where kind = ?", MESSAGE))

    def sessions(self) -> list[tuple[str, str, int]]:
        """Return (session, kind, number of entries), ordered."""
        return self._read("select session, kind, count(*) from entries group by 1, 2 order by 1, 2")

    def _read(self, query: str, *values: Any) -> list[Any]:
        with self._explained():
            self._open()
            return self._database.execute(query, values).fetchall()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        with self._explained():
            self._open(to_write=True)
            self._database.execute("begin immediate")
            try:
                yield
            except BaseException:
                self._database.execute("rollback")
                raise
            self._database.execute("commit")

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be written: {error.strerror}.") from None
        except sqlite3.DatabaseError as error:
            if "locked" in str(error) or "busy" in str(error):
                raise LockedError(f"{self.path}: another process writes to it; try again.") from None
            if isinstance(error, sqlite3.OperationalError):
                raise OutputError(f"{self.path}: {error}.") from None
            raise TableError(f"{self.path}: is damaged, or no memory of graphrag-lite ({error}).") from None

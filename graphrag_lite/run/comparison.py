"""What differs between two snapshots: documents, entities, relationships, communities, reports, facts.

Changed is what a reader would see: an entity's title, type, description or frequency; a relationship's description,
relation or number of mentions; a community's members; a report's text, or that it is stale. Row order, numbers of rows,
and what follows from all records at once, such as weights, ranks and degrees, are not changes of a record. A fact is
ended where it was open, and restored where it had ended; withdrawn is what no document says any more.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.run import snapshots
from graphrag_lite.tables import groups
from graphrag_lite.tables.row_groups import RowGroups
from graphrag_lite.tables.side_by_side import parts_apart
from graphrag_lite.temporal import holding
from graphrag_lite.text.plain_text import document_name

if TYPE_CHECKING:
    import pyarrow as pa

RECORDS: dict[str, tuple[str, str, tuple[str, ...], tuple[str, ...]]] = {
    # kind: table, key, columns that name a record, columns whose other value is a change
    "entities": ("entities", "id", ("title",), ("title", "type", "description", "frequency")),
    "relationships": ("relationships", "id", ("source", "target"), ("description", "relation", "n_mentions")),
    "communities": ("communities", "id", ("title",), ("entity_ids",)),
    "reports": ("community_reports", "community", ("title",), ("full_content", "stale")),
}
WORDS = {"n_mentions": "mentions", "entity_ids": "members", "full_content": "text"}  # for columns that changed
STALE, FRESH = "became stale", "no longer stale"
KINDS = ("documents", *RECORDS)

DocumentName = tuple[str, str, int]
"""A document's file, its own id there, and which one it is of those with that id."""
FEW = 8  # documents whose columns are read value by value
CONTENT = ("title", "text", "created_at", "metadata", "blocks")  # columns of a document that are its content
LISTED = ["path", "source_id", "id"]


@dataclass(frozen=True, slots=True)
class DocumentChanges:
    """Names of documents: their file, and their own id where that is another. `renamed` are (from, to)."""

    added: tuple[str, ...]
    edited: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]
    deleted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecordChange:
    """An entity, relationship, community or report. `what` changed of it; of an entity that was added or removed, which
    one its names meant before, or mean now."""

    id: str
    name: str
    what: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordChanges:
    """Records that only the second snapshot has, only the first, and both, but not alike; each in its table's order."""

    added: tuple[RecordChange, ...] = ()
    removed: tuple[RecordChange, ...] = ()
    changed: tuple[RecordChange, ...] = ()


@dataclass(frozen=True, slots=True)
class FactChanges:
    """Facts that only the second snapshot tells, that it ends, that it opens again, and that it tells no more."""

    added: tuple[RecordChange, ...] = ()
    ended: tuple[RecordChange, ...] = ()
    restored: tuple[RecordChange, ...] = ()
    withdrawn: tuple[RecordChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed from the snapshot `a` to the snapshot `b`."""

    a: str
    b: str
    documents: DocumentChanges
    entities: RecordChanges
    relationships: RecordChanges
    communities: RecordChanges
    reports: RecordChanges
    facts: FactChanges

    def to_dict(self) -> dict[str, Any]:
        """Return what `diff --json` prints."""
        return asdict(self)


def compare(a: Path, b: Path) -> Comparison:
    """Compare two snapshot folders. Raises TableError where one is damaged, or of another schema version."""
    before, after = snapshots.usable_manifest(a), snapshots.usable_manifest(b)
    found = {
        kind: RecordChanges() if _same(before, after, kind) else _records(a, b, kind)  # a linked table is not read
        for kind in RECORDS
    }
    facts = FactChanges() if _same_table(before, after, "facts") else _facts(a, b)
    return Comparison(a.name, b.name, _documents(a, b), **found, facts=facts)


def changed_documents(before: Path | None, after: Path) -> dict[str, int]:
    """Count the documents that were added, edited, renamed and deleted between two snapshot folders."""
    found = _documents(before, after)
    return {name: len(names) for name, names in asdict(found).items()}


def _documents(before: Path | None, after: Path) -> DocumentChanges:
    """Compare documents by name; files that hold what they held, as nearly all do, are left aside."""
    listed = _listed_apart(after, before)
    then = _listed_apart(before, after) if before else listed.slice(0, 0)
    paths = groups.changed_keys(listed, then, "path", LISTED[1:])
    was, now = _ids(groups.rows_of(then, "path", paths)), _ids(groups.rows_of(listed, "path", paths))
    others = [name for name, identity in now.items() if was.get(name, identity) != identity]
    if before and others:  # of equal contents the ids depend on each other: another id alone is no edit
        contents = (_contents(before, then, map(was.get, others)), _contents(after, listed, map(now.get, others)))
        others = [name for name, one, other in zip(others, *contents, strict=True) if one != other]
    return _paired(was, now, others)


def _listed_apart(folder: Path, other: Path | None) -> "pa.Table":
    """Return `LISTED` and the row of each document in a part that the other snapshot has not: the rest is the same."""
    import pyarrow as pa

    with tables.telling_damage(tables.path_in(folder, "documents")):
        held = [tables.schema("documents").empty_table().select(LISTED).append_column("row", pa.array([], pa.int64()))]
        for first, file in parts_apart("documents", folder, other):
            part = tables.read_part(file, LISTED).select(LISTED)
            held.append(part.append_column("row", pa.array(range(first, first + part.num_rows), pa.int64())))
        return pa.concat_tables(held)


def _paired(
    was: Mapping[DocumentName, str], now: Mapping[DocumentName, str], edited: Sequence[DocumentName]
) -> DocumentChanges:
    """Compare documents by name. Renamed: the content of one that is gone, under another name."""
    gone: dict[str, list[DocumentName]] = defaultdict(list)
    for name, content in reversed(list(was.items())):
        if name not in now:
            gone[content].append(name)
    added, renamed = [], []
    for name, content in now.items():
        if name not in was:
            if gone.get(content):
                renamed.append((_name(gone[content].pop()), _name(name)))
            else:
                added.append(_name(name))
    left = {name for names in gone.values() for name in names}
    return DocumentChanges(
        tuple(added), tuple(map(_name, edited)), tuple(renamed), tuple(_name(name) for name in was if name in left)
    )


def _name(name: DocumentName) -> str:
    path, source_id, number = name
    return document_name(path, source_id) + (f" ({number + 1})" if number else "")


def _ids(documents: "pa.Table") -> dict[DocumentName, str]:
    """Return the ids of documents, which are hashes of their contents, by name, in the order of the table."""
    seen: Counter[tuple[str, str]] = Counter()
    found = {}
    for path, source_id, identity in tables.rows(documents, "path", "source_id", "id"):
        found[path, source_id, seen[path, source_id]] = identity
        seen[path, source_id] += 1
    return found


def _contents(folder: Path, documents: "pa.Table", ids: Iterable[str | None]) -> list[dict[str, Any]]:
    """Return what documents with some of the ids of a table hold, of few, or of long columns, without reading all."""
    import pyarrow as pa

    indices = groups.in_rows(documents, groups.row_indices(pa.array(ids, pa.string()), documents["id"]))[
        "row"
    ].to_numpy()
    stored = RowGroups(folder, "documents")
    singly = CONTENT if len(indices) <= FEW else stored.long.intersection(CONTENT)
    rows = [{name: stored.value(name, index) for name in singly} for index in indices.tolist()]
    if whole := [name for name in CONTENT if name not in singly]:
        read = tables.read(folder, "documents", only=whole).take(pa.array(indices))
        rows = [row | more for row, more in zip(rows, read.to_pylist(), strict=True)]
    return rows


def _same(before: Mapping[str, Any], after: Mapping[str, Any], kind: str) -> bool:
    names = ["communities", "community_reports"] if kind == "reports" else [RECORDS[kind][0]]
    return all(_same_table(before, after, name) for name in names)


def _same_table(before: Mapping[str, Any], after: Mapping[str, Any], name: str) -> bool:
    return bool(before["tables"][name]["sha256"] == after["tables"][name]["sha256"])


def _facts(a: Path, b: Path) -> FactChanges:
    """Compare what is told today, by what it is and when it began."""
    was, now = _current_facts(a), _current_facts(b)
    both = [key for key in now if key in was]

    def named(rows: Mapping[Any, Mapping[str, Any]], keys: Iterable[Any]) -> tuple[RecordChange, ...]:
        return tuple(RecordChange(rows[key]["id"], holding.fact_line(rows[key])) for key in keys)

    return FactChanges(
        named(now, (key for key in now if key not in was)),
        named(now, (key for key in both if holding.is_over(now[key]) and not holding.is_over(was[key]))),
        named(now, (key for key in both if holding.is_over(was[key]) and not holding.is_over(now[key]))),
        named(was, (key for key in was if key not in now)),
    )


def _current_facts(folder: Path) -> dict[tuple[str, ...], dict[str, Any]]:
    """Return the facts of a snapshot that are told today; an event or a plan of another time is another one."""
    columns = ("id", "subject", "relation", "object", "kind", "valid_at", "invalid_at", "precision", "ended_by")
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in tables.read(folder, "facts", only=[*columns, "fact_group_id", "expired_at"]).to_pylist():
        if holding.is_stated(row):
            time = row["valid_at"] or row["invalid_at"] if row["kind"] == "state" else holding.fact_period(row)
            found[row["fact_group_id"], row["kind"], time] = row
    return found


def _records(a: Path, b: Path, kind: str) -> RecordChanges:
    """Compare the records of a table by their key."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table, key, naming, compared = RECORDS[kind]
    only = list(dict.fromkeys([key, *naming, *compared]))
    before, after = (tables.read(folder, table, only=only) for folder in (a, b))
    ids = [data[key] for data in (before, after)]
    if kind == "reports":
        ids = [_community_ids(folder, numbers) for folder, numbers in zip((a, b), ids, strict=True)]
    old, new = (values.combine_chunks() for values in ids)
    rows_before = pc.index_in(new, value_set=old)  # the row before, of each row after
    rows = pc.indices_nonzero(pc.is_valid(rows_before))
    here, there = after.take(rows), before.take(pc.drop_null(rows_before))
    differ = {column: _differ(there[column], here[column]) for column in compared}
    either = pa.array([any(flags) for flags in zip(*differ.values(), strict=True)], pa.bool_())
    gone = pc.invert(pc.is_in(old, value_set=new))
    words = {column: [WORDS.get(column, column)] * len(here) for column in compared}
    if "stale" in words:
        words["stale"] = [STALE if stale else FRESH for stale in here["stale"].to_pylist()]
    what = [
        tuple(words[column][row] for column, flag in zip(compared, flags, strict=True) if flag)
        for row, flags in enumerate(zip(*differ.values(), strict=True))
        if any(flags)
    ]
    found = RecordChanges(
        tuple(_listed(after.filter(pc.is_null(rows_before)), new.filter(pc.is_null(rows_before)), naming)),
        tuple(_listed(before.filter(gone), old.filter(gone), naming)),
        tuple(_listed(here.filter(either), new.take(rows).filter(either), naming, what)),
    )
    return _with_others(found, a, b) if kind == "entities" else found


def _with_others(found: RecordChanges, a: Path, b: Path) -> RecordChanges:
    """Say of entities that are new, or gone, which other one their names meant before, or mean now."""
    then, now = _meant(a), _meant(b)

    def described(record: RecordChange, own: _Meant, other: _Meant, word: str) -> RecordChange:
        titles = {other[name][1] for name, (entity, _) in own.items() if entity == record.id and name in other}
        return replace(record, what=tuple(f"{word} {title}" for title in sorted(titles)))

    return replace(
        found,
        added=tuple(described(record, now, then, "was part of") for record in found.added),
        removed=tuple(described(record, then, now, "is part of") for record in found.removed),
    )


_Meant = dict[str, tuple[str, str]]


def _meant(folder: Path) -> _Meant:
    """Return (entity id, title) of what each name means in the whole corpus."""
    rows = tables.read(folder, "entity_resolutions", only=["document_id", "name", "entity_id", "title"])
    columns = tables.rows(rows, "document_id", "name", "entity_id", "title")
    return {name: (entity, title) for document, name, entity, title in columns if entity and not document}


def _community_ids(folder: Path, numbers: "pa.ChunkedArray") -> "pa.ChunkedArray":
    """Return communities.id by community number, which only holds within a snapshot."""
    import pyarrow.compute as pc

    communities = tables.read(folder, "communities", only=["community", "id"])
    return communities["id"].take(pc.index_in(numbers, value_set=communities["community"].combine_chunks()))


def _differ(before: "pa.ChunkedArray", after: "pa.ChunkedArray") -> list[bool]:
    """Say of each row whether it has another value; lists are compared as sets."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_list(after.type):
        pairs = zip(before.to_pylist(), after.to_pylist(), strict=True)
        return [one != other and set(one) != set(other) for one, other in pairs]
    return list(pc.not_equal(before, after).to_pylist())


def _listed(
    data: "pa.Table", ids: "pa.Array", naming: Sequence[str], what: Sequence[tuple[str, ...]] | None = None
) -> Iterator[RecordChange]:
    names = tables.rows(data, *naming)
    for identity, parts, changes in zip(ids.to_pylist(), names, what or [()] * len(ids), strict=True):
        yield RecordChange(identity, " – ".join(parts), changes)

"""What the user knows of names (`entities.yaml`), over what the rungs have decided, as a pure function."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from graphrag_lite.resolution.ladder import Resolution
from graphrag_lite.resolution.name_keys import exact_key
from graphrag_lite.settings.known_names import KnownNames

RowsByName = Mapping[str, Sequence[int]]  # of rows, by the exact key of their name
Rows = list[Resolution]


class Entities:
    """Rows of entities by key, as they change: a list that is asked for costs what it holds, not what there is."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self._by_key: dict[str, list[int]] = defaultdict(list)  # with those that had the key before
        for index, row in enumerate(rows):
            self._by_key[row.key].append(index)

    def change(self, indices: Iterable[int], key: str, **values: str) -> None:
        """Give rows another key, and other values."""
        for index in indices:
            self.rows[index] = replace(self.rows[index], key=key, **values)
            self._by_key[key].append(index)

    def of(self, keys: Iterable[str]) -> list[int]:
        """Return the places of the rows that have one of these keys, in order."""
        found = {index for key in keys for index in self._by_key.get(key, ()) if self.rows[index].key == key}
        return sorted(found)


def apply_decisions(rows: Sequence[Resolution], known: KnownNames) -> list[Resolution]:
    """Return the rows of `ladder.resolve` with what is known of names: parted, joined, dropped, called and typed so.

    Names are compared as the exact rung does. An entity keeps its key, of joined ones that of the first name listed
    that is one.

    >>> rows = [Resolution("", name, key, title, "person", "exact") for name, key, title in [
    ...     ("Ann Li", "ann li", "Ann Li"), ("A. Li", "ann li", "Ann Li"), ("Annie", "annie", "Annie")]]
    >>> told = KnownNames(same=[["Ann Li", "Annie"]], different=[["Ann Li", "A. Li"]], type={"Annie": "pilot"})
    >>> [(row.name, row.title, row.type) for row in apply_decisions(rows, told)]
    [('Ann Li', 'Ann Li', 'pilot'), ('A. Li', 'A. Li', 'person'), ('Annie', 'Ann Li', 'pilot')]
    """
    if not _named(known):
        return list(rows)
    found, by_name = list(rows), _rows_by_name(rows)
    entities = Entities(found)
    for name in known.names:
        lost = [index for index in by_name.get(exact_key(name), ()) if not found[index].key]
        entities.change(lost, exact_key(name), title=name, type="unknown", rule="stated")
    for names in known.different:
        _part(entities, by_name, names)
    for names in known.same:
        _join(entities, by_name, names)
    for name in known.drop:
        gone = {*entities.of(_meant(found, by_name, name)), *by_name.get(exact_key(name), ())}
        entities.change(gone, "", title="", type="unknown", rule="dropped")
    for name, title in known.title.items():
        for index in entities.of(_meant(found, by_name, name)):
            found[index] = replace(found[index], title=title)
    for name, kind in known.type.items():
        for index in entities.of(_meant(found, by_name, name)):
            found[index] = replace(found[index], type=kind)
    return found


def apply_types(rows: Sequence[Resolution], counts: Mapping[tuple[str, str], Counter[str]]) -> list[Resolution]:
    """Return the rows with the user's own types, where mentions tell one: (document, name) -> mentions by type.

    An entity has the one that most of its mentions tell, of equals the first by name.

    >>> rows = [Resolution("", "Ann Marie", "ann marie", "Ann Marie", "person", "exact")]
    >>> [row.type for row in apply_types(rows, {("d", "Ann Marie"): Counter(vessel=2)})]
    ['vessel']
    """
    key_of = {(row.document_id, row.name): row.key for row in rows}
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for (document, name), kinds in counts.items():
        votes[key_of.get((document, name)) or key_of.get(("", name), "")].update(kinds)
    chosen = {key: min(kinds, key=lambda kind: (-kinds[kind], kind)) for key, kinds in votes.items() if key}
    return [replace(row, type=chosen.get(row.key, row.type)) for row in rows]


def unused_names(rows: Sequence[Resolution], known: KnownNames) -> list[str]:
    """Return the names that something is known of and that no text has, sorted."""
    listed = _named(known)
    by_name = _rows_by_name(rows) if listed else {}
    return sorted(name for name in listed if exact_key(name) not in by_name)


def _named(known: KnownNames) -> set[str]:
    several = (name for names in (*known.same, *known.different) for name in names)
    return {*known.title, *known.type, *known.drop, *known.names, *several}


def _part(entities: Entities, by_name: RowsByName, names: Sequence[str]) -> None:
    """Give names that mean one entity each its own; it stays with the name that its key is of, else with the first."""
    rows = entities.rows
    heads: dict[str, str] = {}
    for name in sorted(names, key=lambda name: exact_key(name) not in _meant(rows, by_name, name)):
        for key in sorted(_meant(rows, by_name, name)):
            if heads.setdefault(key, name) != name:
                own = [index for index in by_name[exact_key(name)] if rows[index].key == key]
                entities.change(own, exact_key(name), title=name, type=rows[own[0]].type, rule="stated")


def _join(entities: Entities, by_name: RowsByName, names: Sequence[str]) -> None:
    """Make names one entity, with all that else means one of theirs in the whole corpus."""
    rows = entities.rows
    keys = [key for name in names for key in sorted(_meant(rows, by_name, name))]
    members = {*entities.of(keys), *(index for name in names for index in by_name.get(exact_key(name), ()))}
    if not members:
        return
    first = next((index for index in sorted(members) if keys and rows[index].key == keys[0]), None)
    title = names[0] if first is None else rows[first].title
    kinds = {rows[index].key: rows[index].type for index in sorted(members) if rows[index].type != "unknown"}
    kind = next((kinds[key] for key in keys if key in kinds), "unknown")
    target = keys[0] if keys else exact_key(names[0])
    others = [index for index in members if rows[index].key != target]
    entities.change(others, target, title=title, type=kind, rule="stated")
    for index in members:
        rows[index] = replace(rows[index], title=title, type=kind)


def _rows_by_name(rows: Sequence[Resolution]) -> RowsByName:
    found: dict[str, list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        found[exact_key(row.name)].append(index)
    return dict(found)


def _meant(rows: Sequence[Resolution], by_name: RowsByName, name: str) -> set[str]:
    """Return the keys of what a name means in the whole corpus."""
    own = (rows[index] for index in by_name.get(exact_key(name), ()))
    return {row.key for row in own if row.key and not row.document_id}

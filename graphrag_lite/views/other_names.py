"""The words for an entity besides its title."""

from graphrag_lite import tables
from graphrag_lite.retrieval.snapshot_view import SnapshotView
from graphrag_lite.text.plain_text import printable

MOST = 12  # of an entity, in the order of the alphabet


def other_names(view: SnapshotView) -> list[list[str]]:
    """Return by which other names the corpus means each entity, in the order of `entities`."""
    titles = view.column("entities", "title").to_pylist()
    row_of = {identity: row for row, identity in enumerate(view.column("entities", "id").to_pylist())}
    found: list[set[str]] = [set() for _ in titles]
    for name, identity in tables.rows(view.arrow("entity_resolutions"), "name", "entity_id"):
        row = row_of.get(identity, -1)
        if row >= 0 and name.casefold() != titles[row].casefold():
            found[row].add(printable(name))
    return [sorted(names)[:MOST] for names in found]

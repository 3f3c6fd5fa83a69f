"""Works in parts: whom a name means where a chapter does not tell, the whole work does, as one document would.

"Leonard Bast" is named in full in four chapters of forty, and is Leonard in all.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from graphrag_lite import tables
from graphrag_lite.resolution.aliases import Person, alias_in_documents
from graphrag_lite.text.names.gazetteer import GIVEN_NAMES
from graphrag_lite.text.numbered_titles import by_part, without_part

if TYPE_CHECKING:
    import pyarrow as pa

UNITS = 1_000_000  # of a part, at most: as far are the places of text units of two parts from each other
Span = tuple[int, int, int]


def works(source_documents: "pa.Table") -> dict[str, tuple[str, int]]:
    """Return the work of each document whose title numbers it as a part of one with others, and what is to be added to
    the places of its text units."""
    parts: dict[str, list[tuple[list[str], str]]] = defaultdict(list)
    for identity, title in tables.rows(source_documents, "id", "title"):
        if (work := without_part(title)) and work != title:
            parts[work].append((by_part(title), identity))
    return {
        identity: (work, n * UNITS)
        for work, several in parts.items()
        if len(several) > 1
        for n, (_, identity) in enumerate(sorted(several))
    }


def alias_in_works(
    local: Mapping[tuple[str, str], str],
    documents: Mapping[str, Mapping[str, Span]],
    works: Mapping[str, tuple[str, int]],
    persons: Mapping[str, Person],
    shorts: Mapping[str, Person],
) -> dict[tuple[str, str], str]:
    """Return (document, key) -> key of the longer name where the whole work tells more than its part (`aliases`).

    What a part has `local` holds, but for given names: who marries has two full names, and is one.
    """
    spans: dict[str, dict[str, Span]] = defaultdict(dict)
    for document in works.keys() & documents.keys():
        work, added = works[document]
        for key, (first, last, n) in documents[document].items():
            begins, ends, before = spans[work].get(key, (first + added, last + added, 0))
            spans[work][key] = min(begins, first + added), max(ends, last + added), before + n
    wide = alias_in_documents(spans, persons, shorts)
    found = {}
    for document in works.keys() & documents.keys():
        for key in documents[document]:
            root, own = wide.get((works[document][0], key)), local.get((document, key))
            known = persons.get(own or root or "")
            given = known.words[:1] == (key,) if known else key in GIVEN_NAMES
            hers = known and known.gender == "f" and not shorts[key].title  # "Misset" is her husband
            if root is not None and (given or (root and not own and not hers)):
                found[document, key] = root
    return found

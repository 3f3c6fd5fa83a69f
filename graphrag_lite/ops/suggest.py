"""Pairs of names that a person may know to be one, in the form of entities.yaml."""

import json
from collections import defaultdict

from graphrag_lite import tables
from graphrag_lite.resolution.candidate_pairs import grey_pairs
from graphrag_lite.resolution.name_keys import exact_key
from graphrag_lite.retrieval.snapshot_view import SnapshotView
from graphrag_lite.settings.known_names import KnownNames


def suggest_pairs(index: SnapshotView, known: KnownNames) -> list[tuple[str, str, int, int]]:
    """Return (title, title, text units of each) of pairs that nobody has decided, those of the most text units first.

    Pairs are those that a model would be asked about: likely ones, which the rules leave apart.
    """
    frequency = {
        identity: (title, n) for identity, title, n in tables.rows(index.arrow("entities"), "id", "title", "frequency")
    }
    meant: dict[str, str] = {}
    types: dict[str, set[str]] = defaultdict(set)
    for document, name, entity, kind in tables.rows(
        index.arrow("entity_resolutions"), "document_id", "name", "entity_id", "type"
    ):
        if entity in frequency and not document:
            meant[exact_key(name)] = entity
            types[entity] |= {kind} - {"unknown"}
    decided = [{exact_key(name) for name in names} for names in (*known.same, *known.different)]
    found = []
    for pair in grey_pairs(meant, {entity: frozenset(kinds) for entity, kinds in types.items()}):
        (one, n), (other, m) = sorted((frequency[entity] for entity in pair), key=lambda entity: (-entity[1], entity))
        if not any({exact_key(one), exact_key(other)} <= names for names in decided):
            found.append((one, other, n, m))
    return sorted(found, key=lambda pair: (-pair[3], -pair[2], pair))


def as_file(pairs: list[tuple[str, str, int, int]]) -> str:
    """Write pairs as lines of entities.yaml.

    >>> print(as_file([("Ann Li", "Anne Li", 4, 1)]), end="")
    # For entities.yaml: put each line below `same:` or `different:`, or leave it out.
      - ["Ann Li", "Anne Li"]  # in 4 and 1 text units
    """
    lines = ["# For entities.yaml: put each line below `same:` or `different:`, or leave it out."]
    for one, other, n, m in pairs:
        names = json.dumps([one, other], ensure_ascii=False)
        lines.append(f"  - {names}  # in {n} and {m} text units")
    return "\n".join(lines) + "\n"

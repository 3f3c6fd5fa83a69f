"""Names in statements -> numbers of things."""

import numpy as np
import pyarrow as pa

from graphrag_lite import tables
from graphrag_lite.temporal.numbered import WordedMentions, _things


def test_a_name_means_what_its_own_document_says_among_very_many() -> None:
    n = 50_000  # pairs of a document and a name are more than 32 bits can number
    said = {name: [f"{name} {row}" for row in range(n)] for name in ("document_id", "subject", "object")}
    names = [
        {"document_id": f"document_id {n - 1}", "name": f"subject {n - 1}", "entity_id": "a", "title": "Ana"},
        {"document_id": "", "name": "object 7", "entity_id": "b", "title": "Bo"},
        {"document_id": "document_id 8", "name": "object 7", "entity_id": "c", "title": "Cy"},
    ]
    resolutions = tables.make("entity_resolutions", [{"type": "", "rule": ""} | row for row in names])
    subject, thing, things = _things(WordedMentions(pa.table(said), np.arange(n)), resolutions)
    named = {row: (things.titles[subject[row]], things.titles[thing[row]]) for row in (7, 8, n - 1)}
    assert named == {7: ("", "Bo"), 8: ("", ""), n - 1: ("Ana", "")}
    assert len(things.keys) == 2 * n == len(set(things.keys))

"""Which entity each mention means, in arrays: a corpus has a hundred times as many mentions as entities."""

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from graphrag_lite.tables import groups

if TYPE_CHECKING:
    import pyarrow as pa


def meant(entities: "pa.Table", entity_mentions: "pa.Table", entity_resolutions: "pa.Table") -> NDArray[np.int64]:
    """Return the row of the entity that each mention means, -1 where it is none: by its document, else the corpus."""
    columns = (entity_resolutions[name].to_pylist() for name in ("document_id", "name"))
    anywhere: dict[str, int] = {}
    here: dict[str, dict[str, int]] = defaultdict(dict)
    rows = groups.row_indices(entity_resolutions["entity_id"], entities["id"]).tolist()
    for document_id, name, row in zip(*columns, rows, strict=True):
        if document_id:
            here[name][document_id] = row
        else:
            anywhere[name] = row
    if not entity_mentions.num_rows:
        return np.zeros(0, np.int64)
    names = entity_mentions["name"].combine_chunks().dictionary_encode()
    held = names.dictionary.to_pylist()
    numbers = np.asarray(names.indices)
    found: NDArray[np.int64] = np.array([anywhere.get(name, -1) for name in held], np.int64)[numbers]
    document_ids = entity_mentions["document_id"]
    for place in np.flatnonzero(np.array([name in here for name in held], bool)[numbers]).tolist():
        own = here[held[numbers[place]]]
        found[place] = own.get(document_ids[place].as_py(), found[place])
    return found

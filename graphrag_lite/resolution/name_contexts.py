"""What stands beside the mentions of names, those of the last run kept: only for names of other mentions is it read."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite import tables
from graphrag_lite.tables import groups
from graphrag_lite.tables.mapped_table import forget_what_was_looked_at
from graphrag_lite.text.names.contexts import JOINED, MAX_CONTEXTS, mention_context

if TYPE_CHECKING:
    import pyarrow as pa

AT_ONCE = 16_384  # mentions, of which names with contexts enough are not read again
MENTIONS = ["text_unit_id", "document_id", "name", "mention_start"]


@dataclass
class NameContexts:
    """Tells what stands beside the mentions of names (`ladder.Contexts`); `table` is then `name_contexts`.

    `text_of` returns the text of a text unit by id, and its place in its document; `before` are `name_contexts` of the
    last run, and `MENTIONS` of both, of all documents whose are not known to be the same.
    """

    mentions: "pa.Table"
    text_of: Callable[[str], tuple[str, int]]
    before: "Sequence[pa.Table] | None" = None

    def __post_init__(self) -> None:
        self.table = tables.make("name_contexts", [])

    def __call__(self, names_of: Sequence[Sequence[str]]) -> "pa.ListArray":
        """Return what stands beside the first `MAX_CONTEXTS` mentions of each name of each entity."""
        import pyarrow as pa

        requested, known = pa.array(chain.from_iterable(names_of), pa.string()), self._unchanged()
        names = requested.unique().sort()
        new = names.filter(pa.array(groups.row_indices(names, known["name"]) < 0))
        both = pa.concat_tables([known, tables.make("name_contexts", self._read(new.to_pylist()))])
        forget_what_was_looked_at()  # all mentions, and many text units
        self.table = both.take(groups.row_indices(names, both["name"])).combine_chunks()

        listed = self.table["beside"].combine_chunks().take(pa.array(groups.row_indices(requested, names)))
        ends = np.cumsum([0, *map(len, names_of)])
        return pa.ListArray.from_arrays(listed.offsets.take(pa.array(ends)), listed.flatten())

    def _unchanged(self) -> "pa.Table":
        """Return what is known of names whose mentions are those of the last run, in their order."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if not self.before:
            return self.table
        known, now, then = self.before
        both = [groups.is_in(one, "document_id", other["document_id"]) for one, other in ((now, then), (then, now))]
        names = [pc.unique(one["name"].filter(pa.array(~held))) for one, held in zip((now, then), both, strict=True)]
        now, then = (groups.held_rows(one, held) for one, held in zip((now, then), both, strict=True))
        if now.num_rows != then.num_rows:  # by another extractor, say: which names are touched cannot be told
            return self.table
        for column in MENTIONS:
            others = pc.not_equal(now[column], then[column])
            names += [pc.unique(one["name"].filter(others)) for one in (now, then)]
        return groups.split_rows(known, "name", pa.chunked_array(names))[1]

    def _read(self, names: Collection[str]) -> "Iterator[tuple[str, list[str]]]":
        """Yield what stands beside the first mentions of names; what overlapping units repeat counts once."""
        found: dict[str, list[str]] = {name: [] for name in names}
        seen: set[tuple[str, int]] = set()
        for first in range(0, self.mentions.num_rows, AT_ONCE):
            part = self.mentions.slice(first, AT_ONCE)
            wanted = [name for name, contexts in found.items() if len(contexts) < MAX_CONTEXTS]
            for unit_id, document_id, name, start in groups.rows_with(part, "name", wanted, *MENTIONS):
                if start >= 0 and len(found[name]) < MAX_CONTEXTS and (document_id, start) not in seen:
                    seen.add((document_id, start))
                    text, offset = self.text_of(unit_id)
                    context = mention_context(text, start - offset, start - offset + len(name))
                    found[name].append(JOINED.join(context))
        yield from found.items()

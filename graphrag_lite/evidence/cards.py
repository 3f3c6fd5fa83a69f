"""Which documents are rows of tables, and what stands in their cards, in arrays."""

from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite import tables

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]


class Cards:
    """The cards of documents, by their rows: those of cells, and of no mail.

    >>> import pyarrow as pa
    >>> blocks = [[("card", "", 0, 9)], [], [("card", "", 0, 9), ("message", "Ann", 0, 20)]]
    >>> cards = Cards(tables.make("source_documents", [
    ...     (*"abcdefghij", made, []) for made in [[dict(zip(("kind", "label", "char_start", "char_end"), one))
    ...         for one in several] for several in blocks]])["blocks"])
    >>> cards.is_row.tolist(), cards.hold(np.array([0, 0, 1, 2]), np.array([8, 9, 0, 0])).tolist()
    ([True, False, False], [True, False, False, False])
    """

    def __init__(self, blocks: "pa.ChunkedArray") -> None:
        import pyarrow.compute as pc

        held, n_of = pc.list_flatten(blocks), np.asarray(pc.list_value_length(blocks)).astype(np.int64)
        kind, label, start, end = (pc.struct_field(held, each) for each in ("kind", "label", "char_start", "char_end"))
        document = np.repeat(np.arange(len(n_of)), n_of)
        of_mail = np.zeros(len(n_of), bool)
        of_mail[document[np.asarray(pc.equal(kind, "message"))]] = True
        is_card = pc.and_(pc.equal(kind, "card"), pc.not_equal(label, tables.HEAD))
        cards = np.flatnonzero(np.asarray(is_card) & ~of_mail[document])
        self.is_row: Bools = np.zeros(len(n_of), bool)
        self.is_row[document[cards]] = True
        starts, ends, document = np.asarray(start)[cards], np.asarray(end)[cards], document[cards]
        self._width = ends.max(initial=0) + 1
        order = np.argsort(document * self._width + starts, kind="stable")
        self._starts = (document * self._width + starts)[order]
        self._ends = np.maximum.accumulate((document * self._width + ends)[order]) if len(order) else starts

    def hold(self, documents: "Ints", offsets: "Ints") -> "Bools":
        """Say which places in documents, by row, stand in a card."""
        if not len(self._starts):
            return np.zeros(len(offsets), bool)
        position = documents * self._width + np.minimum(offsets, self._width - 1)
        card = np.searchsorted(self._starts, position, "right") - 1
        found: Bools = (card >= 0) & (self._ends[card] > position)
        return found

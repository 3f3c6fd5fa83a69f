"""Cells of tables as they are told: which of a row is asked for, and how they are shown below what rows are called."""

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from graphrag_lite.retrieval.file_tables import Cell, amount, cells_of
from graphrag_lite.search.answer import Answer, Ranking, Statement, compose
from graphrag_lite.search.extractive.table_words import TableQuestion, is_field, n_matching

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

SHOWN = 20  # rows that an answer names; its count is of all


def requested_cells(parsed: TableQuestion, rows: Sequence[Sequence[Cell]], text: str) -> list[Cell | None]:
    """Return of each row the cell of the field that a text asks for, by the longest name; the last of these."""
    query_terms = set(parsed.terms(text))
    fields = {cell.field for row in rows for cell in row}
    fitting = {
        field: n_matching(parsed, field, query_terms) for field in fields if is_field(parsed, field, query_terms)
    }
    of_rows = ([cell for cell in row if cell.field in fitting] for row in rows)
    return [max(row, key=lambda cell: (fitting[cell.field], cell.start), default=None) for row in of_rows]


def shown(question: "Question", method: str, cells: Sequence[Cell], about: str = "", lead: str = "") -> Answer:
    """Return cells, below the titles of their rows or what all are `about`."""
    index = question.index
    statements = [statement_of(index, cell, about or name_of_row(index, cell.row)) for cell in cells[:SHOWN]]
    ranking = Ranking([statement.unit for statement in statements], list(dict.fromkeys(cell.row for cell in cells)))
    return compose(question, method, statements, ranking, lead=lead)


def statement_of(index: "SnapshotView", cell: Cell, about: str = "") -> Statement:
    unit = next(unit for unit in index.units_in(cell.row) if index.cell("text_units", "char_end", unit) > cell.start)
    return Statement(unit, cell.start, cell.end, about)


def by_amount(parsed: TableQuestion, cells: list[Cell]) -> list[Cell]:
    """Return cells, the largest number first where it is asked who has more, the smallest where it is less."""
    if not parsed.says("more") and not parsed.says("less"):
        return cells
    return sorted(cells, key=lambda one: amount(one.value) or Decimal(0), reverse=parsed.says("more"))


def name_of_row(index: "SnapshotView", row: int) -> str:
    """Return what a row is called: its title, but where that only says where it stands what it says first."""
    title, path = (index.cell("documents", name, row) for name in ("title", "path"))
    cells = cells_of(index, row) if title.startswith(f"{path}:") else []
    return cells[0].value if cells else title

"""What the numbers of a table's column come to: their sum or mean, and the rows with the most or least."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal

from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.retrieval.file_tables import Cell, FileTable, amount
from graphrag_lite.search.answer import Answer
from graphrag_lite.search.extractive import table_values
from graphrag_lite.search.extractive.table_cells import SHOWN, name_of_row, requested_cells, shown
from graphrag_lite.search.extractive.table_values import Value, describe, rows_of, unexplained
from graphrag_lite.search.extractive.table_words import LISTS, TableQuestion, begins, is_field
from graphrag_lite.text.plain_text import one_line

_ASKS_NO_NUMBER = re.compile(r"(?i)\bat least\b|\b(?:do|does|did)\b.*\bmean\b")
_ENDS = {"largest": ("max", "maximum"), "smallest": ("min", "minimum")}
_COMPUTED: Mapping[str, Callable[[Sequence[Decimal]], Decimal]] = {
    "mean": lambda numbers: round(sum(numbers, Decimal(0)) / len(numbers), 2),
    "largest": max,
    "smallest": min,
    "sum": lambda numbers: sum(numbers, Decimal(0)),
}


def computed(parsed: TableQuestion, method: str, chosen: Sequence[Value], table: FileTable) -> Answer | None:
    """Answer with the sum, the mean, or the most or least of a field's numbers, of rows that have `chosen` values.

    Of the row with the most or least that is the field that is asked for, too.
    """
    if _ASKS_NO_NUMBER.search(parsed.question.text):
        return None
    tried = (_computed_of(parsed, method, chosen, table, *how) for how in _kinds_computed(parsed, table))
    return next(filter(None, tried), None)


def _computed_of(
    parsed: TableQuestion,
    method: str,
    chosen: Sequence[Value],
    table: FileTable,
    kind: str,
    positions: frozenset[int],
    own: Sequence[str],
) -> Answer | None:
    """Answer with what is computed of the field that is called by its `own` words, else by those of the question."""
    index, taken = parsed.question.index, {value.field for value in chosen}
    having = rows_of(index, table_values.units_of(chosen)) if chosen else table.rows
    rows = {row: table.cells(row) for row in sorted(having)}
    numbers: dict[str, list[tuple[Decimal, Cell]]] = defaultdict(list)
    for cell in (cell for cells in rows.values() for cell in cells if not cell.is_key and cell.field not in taken):
        if (number := amount(cell.value)) is not None:
            numbers[cell.field].append((number, cell))
    field = _summed_field(parsed, [*own, *_ENDS.get(kind, ())], numbers) if own else ""
    field = field or _summed_field(parsed, parsed.words, numbers)
    found = numbers[field]
    result = _COMPUTED[kind]([number for number, _ in found]) if found else Decimal(0)
    cells = [cell for number, cell in found if kind in ("sum", "mean") or number == result]
    left = [word for position, word in enumerate(parsed.words) if not any(position in value.words for value in chosen)]
    of_field = Value(field, "", positions, frozenset())
    beside = None
    if kind in ("largest", "smallest") and 0 < len(cells) <= SHOWN:
        of_rows = [
            [one for one in rows[cell.row] if not one.is_key and one.field not in {field, *taken}] for cell in cells
        ]
        named = requested_cells(parsed, of_rows, " ".join(left))
        beside = [one or _day(row, left, table) for one, row in zip(named, of_rows, strict=True)]
        cells = [
            one
            for pair in zip(beside, cells, strict=True)
            for one in pair
            if one and one.value != name_of_row(index, one.row)
        ]
    others = [Value(one.field, "", frozenset(), frozenset()) for one in beside or () if one]
    units = {re.sub(r"[\d\s.,'’−-]", "", cell.value) for _, cell in found} - {""}
    if not found or len(units) > 1:  # euros and dollars do not add up
        return None
    if unexplained(parsed, [*chosen, of_field, *others], table):
        return None
    what = ", ".join(filter(None, (f"{LISTS[kind][0].capitalize()} {field}", describe(chosen))))
    return shown(
        parsed.question, method, cells, lead=f"{escape_marks(one_line(what))}: {result:,f}, of {len(found)} rows."
    )


def _kinds_computed(parsed: TableQuestion, table: FileTable) -> Iterator[tuple[str, frozenset[int], list[str]]]:
    """Yield what may be computed, the words that say so, and what a field is called by them alone, if anything.

    Most and fewest are of a field of numbers that the question names: others are counted.
    """
    fields = table.numbers if parsed.says("most") or parsed.says("fewest") else ()
    counted = any(is_field(parsed, field, parsed.all_terms) for field in fields)
    for name, listed in LISTS.items():
        kind, *own = name.split()
        if kind in ("most", "fewest"):
            kind = {"most": "largest", "fewest": "smallest"}[kind] if counted else ""
        positions = frozenset(position for position, word in enumerate(parsed.words) if word in listed)
        if kind in _COMPUTED and positions:
            yield kind, positions, own


def _day(cells: Sequence[Cell], left: Iterable[str], table: FileTable) -> Cell | None:
    """Return the cell that says when a row was, where words ask for a time."""
    asks_day = not {*LISTS["days"]}.isdisjoint(left)
    return next((one for one in cells if one.field in table.days), None) if asks_day else None


def _summed_field(parsed: TableQuestion, words: Sequence[str], fields: Iterable[str]) -> str:
    """Return the field that words name, else the one of them that is called an amount; "" for none."""
    query_terms = [term for word in words for term in parsed.terms(word)]
    of_amounts = parsed.listed("amounts")
    own = {field: parsed.field_terms(field) for field in fields}
    named = {
        field: max(
            sum(any(begins(one, term) for term in query_terms) for one in of) / len(of),
            is_field(parsed, field, query_terms),
        )
        for field, of in own.items()
        if of
    }
    best = max(named, key=lambda field: (named[field], field), default="")
    if best and named[best]:
        return best
    amounts = [field for field, of in own.items() if not of.isdisjoint(of_amounts)]
    return amounts[0] if len(amounts) == 1 else ""

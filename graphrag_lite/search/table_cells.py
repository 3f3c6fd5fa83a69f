"""Cells of rows: what the row that a question names says of a field, and what the numbers of a field come to."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.search.answer import Answer, Ranking, Statement, compose
from graphrag_lite.search.table_values import (
    LISTS,
    Value,
    begins,
    by_field,
    field_terms,
    is_field,
    rows_of,
    said_of,
    unexplained,
    units_of,
)
from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

SHOWN = 20  # cells that an answer cites
_CELL = re.compile(r"(?m)^([^:\n]+): (.*)$")
_AMOUNT = re.compile(  # an amount as tables write it, with a currency or none
    r"(?:[$€£¥]|[A-Z]{3})?\s?([-−]?(?:\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3})+(?=,)|\d{1,3}(?:[ '’]\d{3})+|\d+))"
    r"(?:[.,](\d+))?\s?(?:[$€£¥%]|[A-Z]{3})?"
)
_ASKS_ONE = re.compile(
    r"\W*(?:what|who)(?:['’]s| is| was) (?:the |their |its )?(?!many\b)[\w ]+? (?:of|for|at|in|from) ", re.I
)

# What is computed of the numbers of a field.
_COMPUTED: Mapping[str, Callable[[Sequence[Decimal]], Decimal]] = {
    "mean": lambda numbers: round(sum(numbers, Decimal(0)) / len(numbers), 2),
    "largest": max,
    "smallest": min,
    "sum": lambda numbers: sum(numbers, Decimal(0)),
}


class Cell(NamedTuple):
    """What the row says of a field: characters [start, end) of its document. `is_key`: it tells rows apart."""

    field: str
    value: str
    row: int
    start: int
    end: int
    is_key: bool


def cells_of(index: "SnapshotView", row: int) -> list[Cell]:
    """Return the cells of a row; none of a document that is no row of a table."""
    blocks = index.cell("documents", "blocks", row) or ()
    card = next((block for block in blocks if block["kind"] == "card"), None)
    if card is None:
        return []
    keys = {block["label"] for block in blocks if block["kind"] == "key"}
    found = _CELL.finditer(index.document_text(row), card["char_start"], card["char_end"])
    return [Cell(one[1], one[2], row, *one.span(), one[1] in keys) for one in found]


def place_of(index: "SnapshotView", cell: Cell, about: str = "") -> Statement:
    """Return where a cell stands, below what it is `about`."""
    ends = index.column("text_units", "char_end")
    unit = next(n for n, of in enumerate(index.document_row) if of == cell.row and ends[n].as_py() > cell.start)
    return Statement(unit, cell.start, cell.end, about)


def asks_cell(question: "Question") -> bool:
    """Say whether a question asks for what rows say, and for no rows: "What is the tier of Vega?"."""
    return _ASKS_ONE.match(question.text) is not None


def cell_answer(question: "Question", method: str, ranking: Ranking) -> Answer | None:
    """Answer with the cell of a row that the question names by its id or title: "What is the status of T-7?"."""
    index, first = question.index, question.text.casefold().split()[:1]
    if not set(first) <= {*LISTS["cell"], *LISTS["list"], *LISTS["who"]}:
        return None
    for row in ranking.documents[:3]:
        title = index.cell("documents", "title", row)
        names = sorted({title, *title.partition(": ")[::2]} - {""}, key=len, reverse=True)
        named = (re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", question.text, re.I) for name in names)
        if found := next(filter(None, named), None):
            rest = f"{question.text[: found.start()]} {question.text[found.end() :]}"
            if told := _asked_for(question, cells_of(index, row), rest):
                return _shown(question, method, [told])
    return None


def cells_of_value(
    question: "Question", method: str, words: Sequence[str], chosen: Sequence[Value], *, counted: bool
) -> Answer | None:
    """Answer with the cells of the rows that have `chosen` values: "What is the tier of Vega?"

    The fields of these values are not asked for; where something is `counted`, nor is what is no number.
    """
    index = question.index
    named, fields = {place for value in chosen for place in value.words}, {value.field for value in chosen}
    rest = " ".join(word for place, word in enumerate(words) if place not in named)
    rows = sorted(rows_of(index, units_of(chosen)))
    told = [
        _asked_for(question, [one for one in cells_of(index, row) if one.field not in fields], rest) for row in rows
    ]
    distinct = {cell.value: cell for cell in reversed(told) if cell and (not counted or amount(cell.value) is not None)}
    asked = [Value(cell.field, "", frozenset(), frozenset()) for cell in distinct.values()]
    if not 0 < len(distinct) <= SHOWN or unexplained(question, words, [*chosen, *asked]):
        return None
    return _shown(question, method, [*reversed(distinct.values())], said_of(chosen))


def _asked_for(question: "Question", cells: Iterable[Cell], text: str) -> Cell | None:
    """Return the cell of the field that a text asks for, by the longest name; the last of these."""
    asked = set(terms(text, question.language))
    fitting = [cell for cell in cells if is_field(question, cell.field, asked)]
    return max(fitting, key=lambda cell: (len(field_terms(cell.field, question.language)), cell.start), default=None)


def _shown(question: "Question", method: str, cells: Sequence[Cell], about: str = "", lead: str = "") -> Answer:
    index = question.index
    places = [place_of(index, cell, about or index.cell("documents", "title", cell.row)) for cell in cells[:SHOWN]]
    ranking = Ranking([place.unit for place in places], list(dict.fromkeys(cell.row for cell in cells)))
    return compose(question, method, places, ranking, lead=lead)


def amount(value: str) -> Decimal | None:
    """Return the number that a cell is, None where it is more or less than one.

    >>> [amount(value) for value in ("1,250.00", "1.250,5", "€ 12", "0.125", "INV-7", "2026-01-02")]
    [Decimal('1250.00'), Decimal('1250.5'), Decimal('12'), Decimal('0.125'), None, None]
    """
    found = _AMOUNT.fullmatch(value.strip())
    return Decimal(f"{re.sub('[^0-9-]', '', found[1].replace('−', '-'))}.{found[2] or ''}") if found else None


def sum_answer(question: "Question", method: str, words: Sequence[str], chosen: Sequence[Value]) -> Answer | None:
    """Answer with the sum, the mean, or the most or least of a field's numbers, of rows that have `chosen` values."""
    kind, places = next(((kind, at) for kind in _COMPUTED if (at := _places(words, kind))), ("", frozenset[int]()))
    if not kind:
        return None
    index = question.index
    every = (units for held in by_field(index).values() for units in held.values())
    units = units_of(chosen) if chosen else {unit for units in every for unit in units}
    numbers: dict[str, list[tuple[Decimal, Cell]]] = defaultdict(list)
    for cell in (cell for row in sorted(rows_of(index, units)) for cell in cells_of(index, row) if not cell.is_key):
        if (number := amount(cell.value)) is not None:
            numbers[cell.field].append((number, cell))
    field = _summed_field(question, words, numbers)
    found = numbers[field]
    of_field = frozenset(place_of(index, cell).unit for _, cell in found[:1])
    if not found or unexplained(question, words, [*chosen, Value(field, "", places, of_field)]):
        return None
    told = _COMPUTED[kind]([number for number, _ in found])
    cells = [cell for number, cell in found if kind in ("sum", "mean") or number == told]
    lead = f"{LISTS[kind][0].capitalize()} {field}{f', {said_of(chosen)}' if chosen else ''}: {told:,f}, of {len(found)} rows."
    return _shown(question, method, cells, lead=escape_marks(one_line(lead)))


def _places(words: Sequence[str], kind: str) -> frozenset[int]:
    return frozenset(place for place, word in enumerate(words) if word in LISTS[kind])


def _summed_field(question: "Question", words: Sequence[str], numbers: Iterable[str]) -> str:
    """Return the field of numbers that a question names, else the one of them that is called an amount; "" for none."""
    asked = [term for word in words for term in terms(word, question.language)]
    of_amounts = terms(" ".join(LISTS["amounts"]), question.language)
    found = []
    for field in numbers:
        own = field_terms(field, question.language)
        named = sum(any(begins(one, term) for term in asked) for one in own)
        if named or not own.isdisjoint(of_amounts):
            found.append((named / len(own), field))
    return max(found)[1] if found and (max(found)[0] or len(found) == 1) else ""

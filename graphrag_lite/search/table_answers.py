"""Answers from what documents are said to be: which rows have a value, how many, who has the most, what a row says.

A question is one about rows where it asks how many or which, or who has the most, names values that documents share
(`search_values`), and says nothing else but what the rows are and what their fields are called. So is one for what the
numbers of a field come to, and one for a cell of the row that it names.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.read.columns import NAME
from graphrag_lite.read.documents import Fields
from graphrag_lite.retrieval.question_kinds import HOW_MANY
from graphrag_lite.search import table_values
from graphrag_lite.search.answer import Answer, Ranking, Statement, answered, cite, compose
from graphrag_lite.search.table_values import (
    LISTS,
    ByField,
    Value,
    begins,
    by_field,
    field_terms,
    rows_of,
    said_of,
    unexplained,
)
from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.words import content_words, terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

LIST = re.compile(rf"(?i)(?:^|\W)(?:{'|'.join(LISTS['list'])})\b")
LONGEST = 12  # words of a question about rows
LEAST_ROWS = 3  # documents of a file that have fields: fewer are no table
MOST = 5  # values that an answer names of those that most rows have
LONGEST_NUMBER = 24  # characters: with more it is an id, and not to be divided exactly
SHOWN = 20  # rows that an answer names; its count is of all
_CELL = re.compile(r"(?m)^([^:\n]+): (.*)$")
_AMOUNT = re.compile(  # as tables write it, with a currency or none
    r"(?:[$€£¥]|[A-Z]{3}(?![-−]))?\s?"
    r"([-−]?(?:(?!0)\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3})+(?=,)|\d{1,3}(?:[ '’]\d{3})+|\d+))"
    r"(?:[.,](\d+))?\s?(?:[$€£¥%]|[A-Z]{3})?"
)
# "What is the tier of Vega?" asks for what rows say, and for no rows.
_ASKS_CELL = re.compile(
    r"\W*(?:what|who)(?:['’]s| is| was) (?:the |their |its )?(?!many\b)[\w ]+? (?:of|for|at|in|from) ", re.I
)
_ASKS_NO_NUMBER = re.compile(r"(?i)\bat least\b|\b(?:do|does|did)\b.*\bmean\b")
_COMPUTED: Mapping[str, Callable[[Sequence[Decimal]], Decimal]] = {
    "mean": lambda numbers: round(sum(numbers, Decimal(0)) / len(numbers), 2),
    "largest": max,
    "smallest": min,
    "sum": lambda numbers: sum(numbers, Decimal(0)),
}


class Cell(NamedTuple):
    """What the row of a document says of a field, at its characters [start, end). `is_key`: it tells rows apart."""

    field: str
    value: str
    row: int
    start: int
    end: int
    is_key: bool


def table_answer(question: "Question", method: str, ranking: Ranking) -> Answer | None:
    """Answer from fields, with the rows cited; None where the question is not of that kind.

    `ranking` has what fits the question best: one of its first three documents may be the row that it names.
    """
    if told := _cell_of_title(question, method, ranking):
        return told
    words = [word.casefold() for word in re.findall(r"\w+", question.text)]
    asks_most, counts = not {*LISTS["most"]}.isdisjoint(words), HOW_MANY.search(question.text) is not None
    if len(words) > LONGEST or not (asks_most or counts or LIST.search(question.text) or "much" in words):
        return None
    of_field = by_field(question.index)
    values = table_values.values_named(question, words, of_field)
    if asks_most:
        return _most(question, method, words, values, of_field)
    chosen, one = table_values.chosen_of(values), _ASKS_CELL.match(question.text) is not None
    if told := _computed(question, method, words, chosen, of_field):
        return told
    if chosen and (one or counts or words[0] in LISTS["who"]):
        told = _cells_of_values(question, method, words, chosen, counted=counts)
    if counts and not chosen:
        return _counted_rows(question, method)
    if told or one or not chosen or unexplained(question, words, values) > 1:
        return told
    if not table_values.units_of(chosen):
        chosen = table_values.without_verbs(question, chosen)
    return _listed(question, method, chosen, of_field)


def cells_of(index: "SnapshotView", row: int) -> list[Cell]:
    """Return the cells of a row; none of a document that is no row of a table."""
    blocks = index.cell("documents", "blocks", row) or ()
    card = next((block for block in blocks if block["kind"] == "card"), None)
    if card is None:
        return []
    keys = {block["label"] for block in blocks if block["kind"] == "key"}
    found = _CELL.finditer(index.document_text(row), card["char_start"], card["char_end"])
    return [Cell(one[1], one[2], row, *one.span(), one[1] in keys) for one in found]


def _cell_of_title(question: "Question", method: str, ranking: Ranking) -> Answer | None:
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


def _cells_of_values(
    question: "Question", method: str, words: Sequence[str], chosen: Sequence[Value], *, counted: bool
) -> Answer | None:
    """Answer with the cells of the rows that have `chosen` values: "What is the tier of Vega?"

    The fields of these values are not asked for; where something is `counted`, nor is what is no number.
    """
    index, fields = question.index, {value.field for value in chosen}
    rest = " ".join(word for n, word in enumerate(words) if not any(n in value.words for value in chosen))
    having = sorted(rows_of(index, table_values.units_of(chosen)))
    rows = ([one for one in cells_of(index, row) if one.field not in fields] for row in having)
    told = [_asked_for(question, row, rest) for row in rows]
    distinct = {one.value: one for one in reversed(told) if one and (not counted or amount(one.value) is not None)}
    asked = [Value(cell.field, "", frozenset(), frozenset()) for cell in distinct.values()]
    if not 0 < len(distinct) <= SHOWN or unexplained(question, words, [*chosen, *asked]):
        return None
    return _shown(question, method, [*reversed(distinct.values())], about=said_of(chosen))


def _asked_for(question: "Question", cells: Iterable[Cell], text: str) -> Cell | None:
    """Return the cell of the field that a text asks for, by the longest name; the last of these."""
    asked = set(terms(text, question.language))
    fitting = [cell for cell in cells if table_values.is_field(question, cell.field, asked)]
    return max(fitting, key=lambda cell: (len(field_terms(cell.field, question.language)), cell.start), default=None)


def _shown(question: "Question", method: str, cells: Sequence[Cell], about: str = "", lead: str = "") -> Answer:
    """Return cells, below the titles of their rows or what all are `about`."""
    index = question.index
    places = [_place(index, cell, about or index.cell("documents", "title", cell.row)) for cell in cells[:SHOWN]]
    ranking = Ranking([place.unit for place in places], list(dict.fromkeys(cell.row for cell in cells)))
    return compose(question, method, places, ranking, lead=lead)


def _place(index: "SnapshotView", cell: Cell, about: str = "") -> Statement:
    unit = next(unit for unit in index.units_in(cell.row) if index.cell("text_units", "char_end", unit) > cell.start)
    return Statement(unit, cell.start, cell.end, about)


def amount(value: str) -> Decimal | None:
    """Return the number that a cell is, None where it is more or less than one.

    >>> [amount(value) for value in ("1,250.00", "1.250,5", "€ 12", "0,125", "INV-7", "2026-01-02")]
    [Decimal('1250.00'), Decimal('1250.5'), Decimal('12'), Decimal('0.125'), None, None]
    """
    found = _AMOUNT.fullmatch(value.strip())
    if found is None or len(found[1]) > LONGEST_NUMBER:
        return None
    whole = re.sub(r"[^\d-]", "", found[1].replace("−", "-"))
    return Decimal(f"{whole}.{found[2] or ''}")


def _computed(
    question: "Question", method: str, words: Sequence[str], chosen: Sequence[Value], of_field: ByField
) -> Answer | None:
    """Answer with the sum, the mean, or the most or least of a field's numbers, of rows that have `chosen` values."""
    kind = next((kind for kind in _COMPUTED if not {*LISTS[kind]}.isdisjoint(words)), "")
    if not kind or _ASKS_NO_NUMBER.search(question.text):
        return None
    index = question.index
    having = sorted(rows_of(index, table_values.units_of(chosen) if chosen else _units(of_field)))
    numbers: dict[str, list[tuple[Decimal, Cell]]] = defaultdict(list)
    for cell in (cell for row in having for cell in cells_of(index, row) if not cell.is_key):
        if (number := amount(cell.value)) is not None:
            numbers[cell.field].append((number, cell))
    field = _summed_field(question, words, numbers)
    found = numbers[field]
    said = frozenset(n for n, word in enumerate(words) if word in LISTS[kind])
    asked = Value(field, "", said, frozenset(_place(index, cell).unit for _, cell in found[:1]))
    units = {re.sub(r"[\d\s.,'’−-]", "", cell.value) for _, cell in found} - {""}
    if not found or len(units) > 1 or unexplained(question, words, [*chosen, asked]):  # euros and dollars do not add up
        return None
    told = _COMPUTED[kind]([number for number, _ in found])
    cells = [cell for number, cell in found if kind in ("sum", "mean") or number == told]
    what = ", ".join(filter(None, (f"{LISTS[kind][0].capitalize()} {field}", said_of(chosen))))
    return _shown(question, method, cells, lead=f"{escape_marks(one_line(what))}: {told:,f}, of {len(found)} rows.")


def _summed_field(question: "Question", words: Sequence[str], fields: Iterable[str]) -> str:
    """Return the field that a question names, else the one of them that is called an amount; "" for none."""
    asked = [term for word in words for term in terms(word, question.language)]
    of_amounts = terms(" ".join(LISTS["amounts"]), question.language)
    own = {field: field_terms(field, question.language) for field in fields}
    named = {
        field: sum(any(begins(one, term) for term in asked) for one in of) / len(of) for field, of in own.items() if of
    }
    best = max(named, key=lambda field: (named[field], field), default="")
    if best and named[best]:
        return best
    amounts = [field for field, of in own.items() if not of.isdisjoint(of_amounts)]
    return amounts[0] if len(amounts) == 1 else ""


def _units(of_field: ByField) -> set[int]:
    """Return the text units that have a value of some fields."""
    return {unit for held in of_field.values() for units in held.values() for unit in units}


def _listed(question: "Question", method: str, chosen: Sequence[Value], of_field: ByField) -> Answer | None:
    """Answer with the rows that have all of some values, each cited, and how many there are."""
    index, fields = question.index, {value.field for value in chosen}
    n_rows = len(rows_of(index, _units({field: held for field, held in of_field.items() if field in fields})))
    rows = rows_of(index, table_values.units_of(chosen))
    if n_rows < LEAST_ROWS:
        return None
    lead = f"{len(rows)} of {n_rows} {'has' if len(rows) == 1 else 'have'} {said_of(chosen)}."
    return _cited_rows(question, method, lead, rows, chosen[0].field)


def _counted_rows(question: "Question", method: str) -> Answer | None:
    """Answer how many rows the one file has that a question names, or calls rows: "How many tickets are there?"."""
    import pyarrow.compute as pc

    index, language = question.index, question.language
    content = {*content_words(question.text.casefold(), language)}.difference(LISTS["asking"])
    said, paths = set(terms(" ".join(content), language)), index.column("documents", "path")
    large = [one["values"] for one in pc.value_counts(paths).to_pylist() if one["counts"] >= LEAST_ROWS]
    named = [path for path in large if said <= set(terms(PurePath(path).stem.replace("_", " "), language))]
    if not named and said <= set(terms(" ".join(LISTS["rows"]), language)):
        named = large
    of_file = np.flatnonzero(pc.equal(paths, named[0])).tolist() if said and len(named) == 1 else []
    if not of_file or not cells_of(index, of_file[0]):
        return None
    rows = rows_of(index, np.flatnonzero(np.isin(index.document_row, of_file)).tolist())
    return _cited_rows(question, method, f"{len(rows)} rows in {escape_marks(one_line(named[0]))}.", rows, "")


def _cited_rows(question: "Question", method: str, lead: str, rows: Mapping[int, int], field: str) -> Answer:
    """Return the names of the first rows, as `_cited` does, and how many more there are."""
    told = [(_name(question.index, row), row) for row in sorted(rows)[:SHOWN]]
    more = [f"- and {len(rows) - SHOWN} more"] if len(rows) > SHOWN else []
    return _cited(question, method, lead, told, field, rows, more)


def _most(
    question: "Question", method: str, words: Sequence[str], values: Sequence[Value], every_field: ByField
) -> Answer | None:
    """Answer which value of a field most rows have, of those with all other values that the question names."""
    index = question.index
    of_field = {field: held for field, held in every_field.items() if field != Fields.sender}
    field = _counted_field(question, words, of_field)  # of no sender: who speaks in how many chats says little
    asked = (terms(word, question.language) for word in words)
    of_words = {n for n, own in enumerate(asked) if table_values.is_field(question, field, own)}
    named = [value for value in values if value.field != field and not value.words <= of_words]
    everything = frozenset(_units({field: of_field.get(field, {})}))
    if not field or unexplained(question, words, [*named, Value(field, "", frozenset(), everything)]) > 1:
        return None
    chosen = table_values.chosen_of(named)
    kept = everything & table_values.units_of(chosen) if chosen else everything
    found = {value: rows_of(index, kept.intersection(units)) for value, units in of_field[field].items()}
    ordered = sorted((value for value in found if found[value]), key=lambda value: (-len(found[value]), value))
    if len(rows_of(index, everything)) < LEAST_ROWS or not ordered:
        return None
    most = len(found[ordered[0]])
    first = [value for value in ordered if len(found[value]) == most]
    lead = escape_marks(one_line(f"{' and '.join(first)} {'has' if len(first) == 1 else 'have'} the most"))
    lead += f": {most} of {len(rows_of(index, kept))}{f' with {said_of(chosen)}' if chosen else ''}."
    counted = [(f"{field}: {value}: {len(found[value])}", min(found[value])) for value in ordered[:MOST]]
    return _cited(question, method, lead, counted, field, found[ordered[0]])


def _cited(
    question: "Question",
    method: str,
    lead: str,
    told: Iterable[tuple[str, int]],
    field: str,
    rows: Mapping[int, int],
    more: Sequence[str] = (),
) -> Answer:
    """Return a line for each row that is told, with what it says of a field cited; `rows` are all, by document."""
    index = question.index
    named = [
        (escape_marks(one_line(name)), cite(index, n, _line(index, row, field)))
        for n, (name, row) in enumerate(told, 1)
    ]
    lines = [lead, *(f"- {name} [{cited.n}]" for name, cited in named), *more]
    ranking = Ranking([rows[row] for row in sorted(rows)], sorted(rows))
    return answered(question, method, ranking, answer="\n".join(lines), citations=[cited for _, cited in named])


def _counted_field(question: "Question", words: Sequence[str], of_field: ByField) -> str:
    """Return the field by whose values rows are counted: the one that is asked for, or that says who has them."""
    found = list[tuple[bool, float, float, str]]()
    asked = [term for word in words for term in terms(word, question.language)]
    for field, values in of_field.items():
        own = field_terms(field, question.language)
        fitting = [n for n, term in enumerate(asked) if any(begins(one, term) for one in own)]
        if words[0] in LISTS["who"]:
            holds = not {*LISTS["holders"]}.isdisjoint(re.findall(r"\w+", field.casefold()))
            if holds or all(map(NAME.fullmatch, values)):
                row = question.index.document_row[min(rows[0] for rows in values.values())]
                place = question.index.document_text(row).find(f"{field}: ")  # the first that a row says
                found.append((not fitting, not holds, place, field))
        elif fitting:
            found.append((False, -len(fitting) / len(own), fitting[0], field))
    return min(found, default=(False, 0, 0, ""))[-1]


def _name(index: "SnapshotView", row: int) -> str:
    """Return what a row is called: its title, but where that only says where it stands what it says first."""
    title, path = (index.cell("documents", name, row) for name in ("title", "path"))
    cells = cells_of(index, row) if title.startswith(f"{path}:") else []
    return cells[0].value if cells else title


def _line(index: "SnapshotView", row: int, field: str) -> Statement:
    """Return the line of a document that states a field, else its first line."""
    text = index.document_text(row)
    stated = re.search(rf"(?m)^{re.escape(field)}: .*$", text) or re.search(r"(?m)^.*\S.*$", text)
    return _place(index, Cell(field, "", row, *(stated.span() if stated else (0, len(text))), is_key=False))

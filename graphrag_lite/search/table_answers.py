"""Answers from what documents are said to be: which rows have a value, how many, who has the most, what a row says.

A question is one about the rows of a table where it asks how many or which, or who has the most, names values of the
table, and says nothing else but what the rows are and what their fields and their file are called. So is one for what
the numbers of a field come to, and one for a cell of the row that it names.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.read.columns import NAME
from graphrag_lite.read.documents import Fields
from graphrag_lite.retrieval.file_tables import (
    LEAST_ROWS,
    ByField,
    Cell,
    Table,
    TableFile,
    amount,
    cells_of,
    name_of,
    tables_of,
)
from graphrag_lite.retrieval.question_kinds import HOW_MANY
from graphrag_lite.search import table_values
from graphrag_lite.search.answer import Answer, Ranking, Statement, answered, cite, compose
from graphrag_lite.search.table_values import LISTS, Asked, Value, begins, is_field, rows_of, said_of, unexplained
from graphrag_lite.text.plain_text import one_line

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

LIST = re.compile(rf"(?i)(?:^|\W)(?:{'|'.join(LISTS['list'])})\b")
LONGEST = 16  # words of a question about rows
NEAR, FEW = 1, 4  # tables of which a question says as much but for one word, and so many of them, are read
MOST = 5  # values that an answer names of those that most rows have
SHOWN = 20  # rows that an answer names; its count is of all
# "What is the tier of Vega?" asks for what rows say, and for no rows.
_ASKS_CELL = re.compile(
    r"\W*(?:what|who)(?:['’]s| is| was) (?:the |their |its )?(?!many\b)[\w ]+? (?:of|for|at|in|from) ", re.I
)
_ASKS_NO_NUMBER = re.compile(r"(?i)\bat least\b|\b(?:do|does|did)\b.*\bmean\b")
_ENDS = {"largest": ("max", "maximum"), "smallest": ("min", "minimum")}
_COMPUTED: Mapping[str, Callable[[Sequence[Decimal]], Decimal]] = {
    "mean": lambda numbers: round(sum(numbers, Decimal(0)) / len(numbers), 2),
    "largest": max,
    "smallest": min,
    "sum": lambda numbers: sum(numbers, Decimal(0)),
}


def table_answer(question: "Question", method: str, ranking: Ranking) -> Answer | None:
    """Answer from the fields of a table, with the rows cited; None where the question is not of that kind.

    `ranking` has what fits the question best: one of its first three documents may be the row that it names.
    """
    if told := _cell_of_title(question, method, ranking):
        return told
    asked = Asked(question)
    table = _table_asked(asked) if len(asked.words) <= LONGEST else None
    return _answer_of(asked, method, table, ranking) if table else None


def _table_asked(asked: Asked) -> Table | None:
    """Return the table of which a question says most: its values, what its fields are called, and its file.

    None where it says nothing of any, or one thing alone and asks for no rows and no number.
    """
    index = asked.question.index
    terms_of = {place: asked.terms(word) for place, word in enumerate(asked.words) if word in asked.content}

    def called(file: TableFile) -> set[int]:
        own = set(asked.terms(name_of(file))).union(*map(asked.field_terms, file.fields))
        return {place for place, of in terms_of.items() if any(table_values.is_of(one, own) for one in of)}

    def said(table: Table, named: Callable[[Asked, Table], list[Value]]) -> int:
        return len(called(table.file).union(*(value.words for value in named(asked, table))))

    if not asked.asks_rows and not any(map(called, index.table_files)):
        return None
    least = 1 if asked.asks_rows else 2
    found = [(n, table) for table in tables_of(index) if (n := said(table, table_values.values_named)) >= least]
    likely = [table for n, table in found if n >= max(n for n, _ in found) - NEAR][:FEW]
    return (
        likely[0] if len(likely) == 1 else max(likely, key=lambda one: said(one, table_values.all_named), default=None)
    )


def _answer_of(asked: Asked, method: str, table: Table, ranking: Ranking) -> Answer | None:
    question = asked.question
    counts = HOW_MANY.search(question.text) is not None
    values = table_values.values_named(asked, table)
    shared = table_values.chosen_of(asked, values)
    more = table_values.cells_named(asked, table, shared) if unexplained(asked, values, table) else []
    chosen = [*shared, *more]
    if told := _computed(asked, method, chosen, table):
        return told
    if asked.says("most"):
        return _most(asked, method, [*values, *chosen], table)
    lists = counts or LIST.search(question.text) is not None or "much" in asked.words
    one = _ASKS_CELL.match(question.text) is not None
    told = None
    if chosen and (one or counts or asked.words[0] in LISTS["who"] or more):
        told = _cells_of_values(asked, method, chosen, table, counted=counts)
    if counts and not chosen:
        return _counted_rows(asked, method, table)
    left = unexplained(asked, [*values, *chosen], table)
    if not told and len(chosen) > 1 and left <= 1 and any(not value.units for value in chosen):
        return compose(question, method, [], ranking)  # no row is of that day, or has that number
    if told or one or not chosen or not lists or left > 1:
        return told
    if not table_values.units_of(chosen):
        chosen = table_values.without_verbs(asked, chosen)
    return _listed(asked, method, chosen, table)


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
            (told,) = _asked_for(Asked(question), [cells_of(index, row)], rest)
            if told:
                return _shown(question, method, [told])
    return None


def _cells_of_values(
    asked: Asked, method: str, chosen: Sequence[Value], table: Table, *, counted: bool
) -> Answer | None:
    """Answer with the cells of the rows that have `chosen` values: "What is the tier of Vega?"

    The fields of these values are not asked for; where something is `counted`, nor is what is no number. Of one row
    that is the only number there is.
    """
    index, fields = asked.question.index, {value.field for value in chosen}
    rest = " ".join(word for n, word in enumerate(asked.words) if not any(n in value.words for value in chosen))
    having = sorted(rows_of(index, table_values.units_of(chosen)))
    rows = [[one for one in cells_of(index, row) if one.field not in fields] for row in having]
    told = _asked_for(asked, rows, rest)
    if counted and len(rows) == 1 and not told[0]:
        numbers = [one for one in rows[0] if one.field in table.numbers]
        told = [numbers[0]] if len(numbers) == 1 else []
    distinct = {one.value: one for one in reversed(told) if one and (not counted or amount(one.value) is not None)}
    told_of = [Value(cell.field, "", frozenset(), frozenset()) for cell in distinct.values()]
    if not 0 < len(distinct) <= SHOWN or unexplained(asked, [*chosen, *told_of], table) > int(counted):
        return None
    return _shown(asked.question, method, [*reversed(distinct.values())], about=said_of(chosen))


def _asked_for(asked: Asked, rows: Sequence[Sequence[Cell]], text: str) -> list[Cell | None]:
    """Return of each row the cell of the field that a text asks for, by the longest name; the last of these."""
    said = set(asked.terms(text))
    fields = {cell.field for row in rows for cell in row}
    fitting = {field: len(asked.field_terms(field)) for field in fields if is_field(asked, field, said)}
    of_rows = ([cell for cell in row if cell.field in fitting] for row in rows)
    return [max(row, key=lambda cell: (fitting[cell.field], cell.start), default=None) for row in of_rows]


def _shown(question: "Question", method: str, cells: Sequence[Cell], about: str = "", lead: str = "") -> Answer:
    """Return cells, below the titles of their rows or what all are `about`."""
    index = question.index
    places = [_place(index, cell, about or _name(index, cell.row)) for cell in cells[:SHOWN]]
    ranking = Ranking([place.unit for place in places], list(dict.fromkeys(cell.row for cell in cells)))
    return compose(question, method, places, ranking, lead=lead)


def _place(index: "SnapshotView", cell: Cell, about: str = "") -> Statement:
    unit = next(unit for unit in index.units_in(cell.row) if index.cell("text_units", "char_end", unit) > cell.start)
    return Statement(unit, cell.start, cell.end, about)


def _computed(asked: Asked, method: str, chosen: Sequence[Value], table: Table) -> Answer | None:
    """Answer with the sum, the mean, or the most or least of a field's numbers, of rows that have `chosen` values.

    Of the row with the most or least that is the field that is asked for, too.
    """
    kind, said, own = _kind_computed(asked, table)
    if not kind or _ASKS_NO_NUMBER.search(asked.question.text):
        return None
    index, taken = asked.question.index, {value.field for value in chosen}
    having = rows_of(index, table_values.units_of(chosen)) if chosen else table.rows
    rows = {row: cells_of(index, row) for row in sorted(having)}
    numbers: dict[str, list[tuple[Decimal, Cell]]] = defaultdict(list)
    for cell in (cell for cells in rows.values() for cell in cells if not cell.is_key and cell.field not in taken):
        if (number := amount(cell.value)) is not None:
            numbers[cell.field].append((number, cell))
    field = _summed_field(asked, [*own, *_ENDS.get(kind, ())] if own else asked.words, numbers)
    found = numbers[field]
    told = _COMPUTED[kind]([number for number, _ in found]) if found else Decimal(0)
    cells = [cell for number, cell in found if kind in ("sum", "mean") or number == told]
    left = [word for place, word in enumerate(asked.words) if not any(place in value.words for value in chosen)]
    of_field = Value(field, "", said, frozenset())
    beside = None
    if kind in ("largest", "smallest") and 0 < len(cells) <= SHOWN:
        of_rows = [
            [one for one in rows[cell.row] if not one.is_key and one.field not in {field, *taken}] for cell in cells
        ]
        named = _asked_for(asked, of_rows, " ".join(left))
        beside = [one or _day(row, left, table) for one, row in zip(named, of_rows, strict=True)]
        cells = [
            one
            for pair in zip(beside, cells, strict=True)
            for one in pair
            if one and one.value != _name(index, one.row)
        ]
    others = [Value(one.field, "", frozenset(), frozenset()) for one in beside or () if one]
    units = {re.sub(r"[\d\s.,'’−-]", "", cell.value) for _, cell in found} - {""}
    if not found or len(units) > 1:  # euros and dollars do not add up
        return None
    if unexplained(asked, [*chosen, of_field, *others], table):
        return None
    what = ", ".join(filter(None, (f"{LISTS[kind][0].capitalize()} {field}", said_of(chosen))))
    return _shown(
        asked.question, method, cells, lead=f"{escape_marks(one_line(what))}: {told:,f}, of {len(found)} rows."
    )


def _kind_computed(asked: Asked, table: Table) -> tuple[str, frozenset[int], list[str]]:
    """Return what is to be computed, "" for nothing, the words that say so, and what a field is called by them alone.

    Most and fewest are of a field of numbers that the question names: others are counted.
    """
    every = asked.terms(" ".join(asked.words))
    fields = table.numbers if asked.says("most") or asked.says("fewest") else ()
    counted = any(is_field(asked, field, every) for field in fields)
    for name, listed in LISTS.items():
        kind, *own = name.split()
        if kind in ("most", "fewest"):
            kind = {"most": "largest", "fewest": "smallest"}[kind] if counted else ""
        said = frozenset(place for place, word in enumerate(asked.words) if word in listed)
        if kind in _COMPUTED and said:
            return kind, said, own
    return "", frozenset(), []


def _day(cells: Sequence[Cell], left: Iterable[str], table: Table) -> Cell | None:
    """Return the cell that says when a row was, where words ask for a time."""
    asked = not {*LISTS["days"]}.isdisjoint(left)
    return next((one for one in cells if one.field in table.days), None) if asked else None


def _summed_field(asked: Asked, words: Sequence[str], fields: Iterable[str]) -> str:
    """Return the field that words name, else the one of them that is called an amount; "" for none."""
    said = [term for word in words for term in asked.terms(word)]
    of_amounts = asked.terms(" ".join(LISTS["amounts"]))
    own = {field: asked.field_terms(field) for field in fields}
    named = {
        field: max(sum(any(begins(one, term) for term in said) for one in of) / len(of), is_field(asked, field, said))
        for field, of in own.items()
        if of
    }
    best = max(named, key=lambda field: (named[field], field), default="")
    if best and named[best]:
        return best
    amounts = [field for field, of in own.items() if not of.isdisjoint(of_amounts)]
    return amounts[0] if len(amounts) == 1 else ""


def _listed(asked: Asked, method: str, chosen: Sequence[Value], table: Table) -> Answer | None:
    """Answer with the rows that have all of some values, each cited, and how many there are."""
    question = asked.question
    rows, n_rows = rows_of(question.index, table_values.units_of(chosen)), table.n_having(one.field for one in chosen)
    if n_rows < LEAST_ROWS:
        return None
    lead = f"{len(rows)} of {n_rows} {'has' if len(rows) == 1 else 'have'} {said_of(chosen)}."
    return _cited_rows(question, method, lead, rows, chosen[0].field)


def _counted_rows(asked: Asked, method: str, table: Table) -> Answer | None:
    """Answer how many rows a table has whose file a question names, or the only one: "How many tickets are there?"."""
    index, said = asked.question.index, set(asked.terms(" ".join(asked.content)))
    called = said <= set(asked.terms(" ".join(LISTS["rows"]))) and len(tables_of(index)) == 1
    if not said or not (called or said <= set(asked.terms(name_of(table.file)))):
        return None
    rows = rows_of(index, table.units_in(table.rows))
    return _cited_rows(
        asked.question, method, f"{len(rows)} rows in {escape_marks(one_line(table.file.path))}.", rows, ""
    )


def _cited_rows(question: "Question", method: str, lead: str, rows: Mapping[int, int], field: str) -> Answer:
    """Return the names of the first rows, as `_cited` does, and how many more there are."""
    told = [(_name(question.index, row), row) for row in sorted(rows)[:SHOWN]]
    more = [f"- and {len(rows) - SHOWN} more"] if len(rows) > SHOWN else []
    return _cited(question, method, lead, told, field, rows, more)


def _most(asked: Asked, method: str, values: Sequence[Value], table: Table) -> Answer | None:
    """Answer which value of a field most rows have, of those with all other values that the question names."""
    index = asked.question.index
    of_field = {field: held for field, held in table.of_field.items() if field != Fields.sender}
    if asked.says("days"):
        of_field |= {field: table.held(field) for field in table.days}
    field = _counted_field(asked, of_field)  # of no sender: who speaks in how many chats says little
    of_words = {n for n, word in enumerate(asked.words) if is_field(asked, field, asked.terms(word))}
    named = [value for value in values if value.field != field and not value.words <= of_words]
    everything = frozenset(unit for units in of_field.get(field, {}).values() for unit in units)
    if not field or unexplained(asked, [*named, Value(field, "", frozenset(), everything)], table) > 1:
        return None
    chosen = table_values.chosen_of(asked, named)
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
    return _cited(asked.question, method, lead, counted, field, found[ordered[0]])


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


def _counted_field(asked: Asked, of_field: ByField) -> str:
    """Return the field by whose values rows are counted: the one that is asked for, or that says who has them."""
    found = list[tuple[bool, float, float, str]]()
    said = [term for word in asked.words for term in asked.terms(word)]
    for field, values in of_field.items():
        own = asked.field_terms(field)
        fitting = [n for n, term in enumerate(said) if any(begins(one, term) for one in own)]
        if asked.words[0] in LISTS["who"]:
            index = asked.question.index
            holds = not {*LISTS["holders"]}.isdisjoint(re.findall(r"\w+", field.casefold()))
            if holds or all(map(NAME.fullmatch, values)):
                row = index.document_row[min(rows[0] for rows in values.values())]
                place = index.document_text(row).find(f"{field}: ")  # the first that a row says
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

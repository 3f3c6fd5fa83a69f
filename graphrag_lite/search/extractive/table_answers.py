"""Answers from what documents are said to be: which rows have a value, how many, who has the most, what a row says.

A question is one about the rows of a table where it asks how many or which, or who has the most, names values of the
table, and says nothing else but what the rows are and what their fields and their file are called. So is one for what
the numbers of a field come to, and one for a cell of the row that it names.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.read.columns import NAME
from graphrag_lite.read.documents import Fields
from graphrag_lite.retrieval.file_tables import (
    LEAST_ROWS,
    ByField,
    Cell,
    FileTable,
    TableFile,
    amount,
    cells_of,
    name_of,
    tables_of,
)
from graphrag_lite.retrieval.question_kinds import HOW_MANY
from graphrag_lite.search.answer import Answer, Ranking, Statement, answered, cite, compose
from graphrag_lite.search.extractive import table_values
from graphrag_lite.search.extractive.table_cells import (
    SHOWN,
    by_amount,
    name_of_row,
    requested_cells,
    shown,
    statement_of,
)
from graphrag_lite.search.extractive.table_numbers import computed
from graphrag_lite.search.extractive.table_values import Value, describe, rows_of, unexplained
from graphrag_lite.search.extractive.table_words import LISTS, TableQuestion, begins, is_field, is_of
from graphrag_lite.text.plain_text import one_line

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

LIST = re.compile(rf"(?i)(?:^|\W)(?:{'|'.join(LISTS['list'])})\b")
LONGEST = 16  # words of a question about rows
NEAR, FEW = 1, 4  # tables of which a question says as much but for one word, and so many of them, are read
MOST = 5  # values that an answer names of those that most rows have
# "What is the tier of Vega?" asks for what rows say, and for no rows.
_ASKS_CELL = re.compile(
    r"\W*(?:what|who)(?:['’]s| is| was) (?:the |their |its )?(?!many\b)[\w ]+? (?:of|for|at|in|from) ", re.I
)

_HOW_LONG = re.compile(r"\W*(?:how long|wie lange?|combien de temps|cuánto tiempo|per quanto tempo|hoe lang)\b", re.I)


def table_answer(question: "Question", method: str, ranking: Ranking) -> Answer | None:
    """Answer from the fields of a table, with the rows cited; None where the question is not of that kind.

    `ranking` has what fits the question best: one of its first three documents may be the row that it names.
    """
    if answer := _cell_of_title(question, method, ranking):
        return answer
    parsed = TableQuestion(question)
    table = _best_table(parsed) if len(parsed.words) <= LONGEST else None
    return _answer_of(parsed, method, table, ranking) if table else None


def _best_table(parsed: TableQuestion) -> FileTable | None:
    """Return the table of which a question says most: its values, what its fields are called, and its file.

    None where it says nothing of any, or one thing alone and asks for no rows and no number.
    """
    index = parsed.question.index
    terms_of = {position: parsed.terms(word) for position, word in enumerate(parsed.words) if word in parsed.content}

    def called(file: TableFile) -> set[int]:
        own = set(parsed.terms(name_of(file))).union(*map(parsed.field_terms, file.fields))
        return {position for position, of in terms_of.items() if any(is_of(one, own) for one in of)}

    def n_matched(table: FileTable, named: Callable[[TableQuestion, FileTable], list[Value]]) -> int:
        return len(
            called(table.file).union(
                *(value.words for value in named(parsed, table) if value.units or not value.value.isdigit())
            )
        )

    if not parsed.asks_rows and not any(map(called, index.table_files)):
        return None
    least = 1 if parsed.asks_rows else 2
    found = [(n, table) for table in tables_of(index) if (n := n_matched(table, table_values.values_named)) >= least]
    likely = [table for n, table in found if n >= max(n for n, _ in found) - NEAR][:FEW]
    return (
        likely[0]
        if len(likely) == 1
        else max(likely, key=lambda one: n_matched(one, table_values.all_named), default=None)
    )


def _answer_of(parsed: TableQuestion, method: str, table: FileTable, ranking: Ranking) -> Answer | None:
    question = parsed.question
    counts, much = HOW_MANY.search(question.text) is not None, "much" in parsed.words
    values = table_values.values_named(parsed, table)
    named = table_values.chosen_of(parsed, values)
    shared = table_values.without_alternatives(parsed, named)
    left = unexplained(parsed, values, table, enough=LONGEST)  # of all its words
    more = table_values.cells_named(parsed, table, named) if left else []
    chosen = [*shared, *more]
    if answer := computed(parsed, method, chosen, table):
        return answer
    if parsed.says("most"):
        return _most(parsed, method, [*values, *chosen], table)
    who = parsed.words[0] in LISTS["who"]
    lists = counts or LIST.search(question.text) is not None or much or (who and len(chosen) > 1)
    one = _ASKS_CELL.match(question.text) is not None
    answer = None
    if chosen and (one or counts or much or who or more):
        answer = _cells_of_values(parsed, method, chosen, named, table, counted=counts or much)
    if counts and not chosen:
        return _counted_rows(parsed, method, table)
    left = unexplained(parsed, [*values, *chosen], table)
    if not answer and any(not value.units for value in more) and _is_of_table(parsed, [*values, *chosen], table):
        return compose(question, method, [], ranking)  # no row is of that day, or has that number
    if answer or one or not chosen or not lists or left > 1:
        return answer
    if counts and _counts_others(parsed, chosen, table):
        return _numbers_of_row(parsed, method, chosen, table)
    if not table_values.units_of(chosen):
        chosen = table_values.without_verbs(parsed, chosen)
    return _listed(parsed, method, chosen, table)


def _is_of_table(parsed: TableQuestion, values: Sequence[Value], table: FileTable) -> bool:
    """Say whether a question says nothing else, or one word, than values of a table and what its fields are called."""
    fields = [field for field in table.file.fields if is_field(parsed, field, parsed.all_terms)]
    of_fields = [Value(field, "", frozenset(), frozenset()) for field in fields]
    return unexplained(parsed, [*values, *of_fields], table) <= 1


def _counts_others(parsed: TableQuestion, chosen: Sequence[Value], table: FileTable) -> bool:
    """Say whether a question counts something else than rows, and names their file: "How many people in boat 5?"."""
    of_file, of_values = set(parsed.terms(name_of(table.file))), set().union(*(value.words for value in chosen))
    word_terms = [
        parsed.terms(word) for n, word in enumerate(parsed.words) if n not in of_values and word in parsed.content
    ]
    counted, *others = [any(is_of(one, of_file) for one in of_word) for of_word in word_terms] or [True]
    return not counted and any(others)


def _numbers_of_row(parsed: TableQuestion, method: str, chosen: Sequence[Value], table: FileTable) -> Answer | None:
    """Answer with the numbers of the only row that has some values: one of them may be what is counted."""
    having = sorted(rows_of(parsed.question.index, table_values.units_of(chosen)))
    numbers = [one for one in table.cells(having[0]) if one.field in table.numbers] if len(having) == 1 else []
    about = describe(chosen)
    return shown(parsed.question, method, numbers, about=about) if 0 < len(numbers) <= SHOWN else None


def _cell_of_title(question: "Question", method: str, ranking: Ranking) -> Answer | None:
    """Answer with the cells of the rows that the question names by ids or titles: "What is the status of T-7?"."""
    index, first = question.index, question.text.casefold().split()[:1]
    if not set(first) <= {*LISTS["cell"], *LISTS["list"], *LISTS["who"], *LISTS["whether"]}:
        return None
    named: dict[str, int] = {}
    for row in ranking.documents[:3]:
        title = index.cell("documents", "title", row)
        names = sorted({title, *title.partition(": ")[::2]} - {""}, key=len, reverse=True)
        found = (re.search(_whole(name), question.text, re.I) for name in names)
        if name := next((one[0] for one in found if one), ""):
            named.setdefault(name, row)
    rest = re.sub("|".join(map(_whole, named)), " ", question.text) if named else ""
    parsed = TableQuestion(question)
    rows = [
        [one for one in cells_of(index, row) if one.value.casefold() != name.casefold()] for name, row in named.items()
    ]
    cells = [one for one in requested_cells(parsed, rows, rest) if one]
    if not cells and _HOW_LONG.match(question.text):
        cells = [cell for row in rows for cell in _span_of(row)]
    return shown(question, method, by_amount(parsed, cells)) if cells else None


def _span_of(row: Sequence[Cell]) -> list[Cell]:
    """Return the cells of a row that say where it begins and where it ends; none where it has not both."""
    ends = (next((one for one in row if one.field.casefold() in LISTS[name]), None) for name in ("begins", "ends"))
    found = [one for one in ends if one]
    return found if len(found) > 1 else []


def _whole(name: str) -> str:
    return rf"(?<![\w-]){re.escape(name)}(?![\w-])"


def _cells_of_values(
    parsed: TableQuestion,
    method: str,
    chosen: Sequence[Value],
    named: Sequence[Value],
    table: FileTable,
    *,
    counted: bool,
) -> Answer | None:
    """Answer with the cells of the rows that have `chosen` values: "What is the tier of Vega?"

    The fields of these values are not asked for; where something is `counted`, nor is what is no number. Of one row
    that is the only number there is.
    """
    index, fields = parsed.question.index, {value.field for value in chosen}
    rest = " ".join(word for n, word in enumerate(parsed.words) if not any(n in value.words for value in chosen))
    having = sorted(rows_of(index, table_values.units_of(chosen)))
    rows = [[one for one in table.cells(row) if one.field not in fields] for row in having]
    fitting = requested_cells(parsed, rows, rest)
    if counted and len(rows) == 1 and not fitting[0]:
        numbers = [one for one in rows[0] if one.field in table.numbers]
        fitting = [numbers[0]] if len(numbers) == 1 else []
    cells = [one for one in fitting if one and (not counted or amount(one.value) is not None)]
    distinct = {one.value: one for one in reversed(by_amount(parsed, cells))}
    of_fields = [Value(cell.field, "", frozenset(), frozenset()) for cell in distinct.values()]
    if not 0 < len(distinct) <= SHOWN or unexplained(parsed, [*chosen, *named, *of_fields], table) > int(counted):
        return None
    about = "" if "" in fields else describe(chosen)  # rows are told by their titles
    return shown(parsed.question, method, [*reversed(distinct.values())], about=about)


def _listed(parsed: TableQuestion, method: str, chosen: Sequence[Value], table: FileTable) -> Answer | None:
    """Answer with the rows that have all of some values, each cited, and how many there are."""
    question = parsed.question
    rows, n_rows = rows_of(question.index, table_values.units_of(chosen)), table.n_having(one.field for one in chosen)
    if n_rows < LEAST_ROWS:
        return None
    lead = f"{len(rows)} of {n_rows} {'has' if len(rows) == 1 else 'have'} {describe(chosen)}."
    return _cited_rows(question, method, lead, rows, chosen[0].field)


def _counted_rows(parsed: TableQuestion, method: str, table: FileTable) -> Answer | None:
    """Answer how many rows a table has whose file a question names, or the only one: "How many tickets are there?"."""
    index, query_terms = parsed.question.index, set(parsed.terms(" ".join(parsed.content)))
    of_file, of_rows = set(parsed.terms(name_of(table.file))), parsed.listed("rows")
    only = query_terms <= of_rows and len(tables_of(index)) == 1
    if not query_terms or not (only or (query_terms & of_file and query_terms <= of_file | of_rows)):
        return None
    rows = rows_of(index, table.units_in(table.rows))
    return _cited_rows(
        parsed.question, method, f"{len(rows)} rows in {escape_marks(one_line(table.file.path))}.", rows, ""
    )


def _cited_rows(question: "Question", method: str, lead: str, rows: Mapping[int, int], field: str) -> Answer:
    """Return the names of the first rows, as `_cited` does, and how many more there are."""
    called: dict[str, list[int]] = defaultdict(list)
    for row in sorted(rows):
        called[name_of_row(question.index, row)].append(row)
    entries = [(f"{name} ({len(own)} rows)" if len(own) > 1 else name, own[0]) for name, own in called.items()]
    more = [f"- and {n:,} more"] if (n := sum(map(len, [*called.values()][SHOWN:]))) else []
    return _cited(question, method, lead, entries[:SHOWN], field, rows, more)


def _most(parsed: TableQuestion, method: str, values: Sequence[Value], table: FileTable) -> Answer | None:
    """Answer which value of a field most rows have, of those with all other values that the question names."""
    index = parsed.question.index
    of_field = {field: held for field, held in table.of_field.items() if field != Fields.sender}
    if parsed.says("days"):
        of_field |= {field: table.held(field) for field in table.days}
    field = _counted_field(parsed, of_field)  # of no sender: who speaks in how many chats says little
    of_words = {n for n, word in enumerate(parsed.words) if is_field(parsed, field, parsed.terms(word))}
    named = [value for value in values if value.field != field and not value.words <= of_words]
    everything = frozenset(unit for units in of_field.get(field, {}).values() for unit in units)
    if not field or unexplained(parsed, [*named, Value(field, "", frozenset(), everything)], table) > 1:
        return None
    chosen = table_values.chosen_of(parsed, named)
    selected = everything & table_values.units_of(chosen) if chosen else everything
    found = {value: rows_of(index, selected.intersection(units)) for value, units in of_field[field].items()}
    ordered = sorted((value for value in found if found[value]), key=lambda value: (-len(found[value]), value))
    if len(rows_of(index, everything)) < LEAST_ROWS or not ordered:
        return None
    most = len(found[ordered[0]])
    first = [value for value in ordered if len(found[value]) == most]
    lead = escape_marks(one_line(f"{' and '.join(first)} {'has' if len(first) == 1 else 'have'} the most"))
    lead += f": {most} of {len(rows_of(index, selected))}{f' with {describe(chosen)}' if chosen else ''}."
    counted = [(f"{field}: {value}: {len(found[value])}", min(found[value])) for value in ordered[:MOST]]
    return _cited(parsed.question, method, lead, counted, field, found[ordered[0]])


def _cited(
    question: "Question",
    method: str,
    lead: str,
    entries: Iterable[tuple[str, int]],
    field: str,
    rows: Mapping[int, int],
    more: Sequence[str] = (),
) -> Answer:
    """Return a line for each row that is told, with what it says of a field cited; `rows` are all, by document."""
    index = question.index
    named = [
        (escape_marks(one_line(name)), cite(index, n, _line(index, row, field)))
        for n, (name, row) in enumerate(entries, 1)
    ]
    lines = [lead, *(f"- {name} [{cited.n}]" for name, cited in named), *more]
    ranking = Ranking([rows[row] for row in sorted(rows)], sorted(rows))
    return answered(question, method, ranking, answer="\n".join(lines), citations=[cited for _, cited in named])


def _counted_field(parsed: TableQuestion, of_field: ByField) -> str:
    """Return the field by whose values rows are counted: the one that is asked for, or that says who has them."""
    found = list[tuple[bool, float, float, str]]()
    query_terms = [term for word in parsed.words for term in parsed.terms(word)]
    for field, values in of_field.items():
        own = parsed.field_terms(field)
        fitting = [n for n, term in enumerate(query_terms) if any(begins(one, term) for one in own)]
        if parsed.words[0] in LISTS["who"]:
            index = parsed.question.index
            holds = not {*LISTS["holders"]}.isdisjoint(re.findall(r"\w+", field.casefold()))
            if holds or all(map(NAME.fullmatch, values)):
                row = index.document_row[min(rows[0] for rows in values.values())]
                position = index.document_text(row).find(f"{field}: ")  # the first that a row says
                found.append((not fitting, not holds, position, field))
        elif fitting:
            found.append((False, -len(fitting) / len(own), fitting[0], field))
    return min(found, default=(False, 0, 0, ""))[-1]


def _line(index: "SnapshotView", row: int, field: str) -> Statement:
    """Return the line of a document that states a field, else its first line."""
    text = index.document_text(row)
    stated = re.search(rf"(?m)^{re.escape(field)}: .*$", text) or re.search(r"(?m)^.*\S.*$", text)
    return statement_of(index, Cell(field, "", row, *(stated.span() if stated else (0, len(text))), is_key=False))

"""Answers from what documents are said to be: which rows have a value, how many, who has the most, what a row says.

A question is one about rows where it asks how many or which, or who has the most, names values that documents share
(`search_values`), and says nothing else but what the rows are and what their fields are called.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.read.columns import NAME
from graphrag_lite.read.documents import Fields
from graphrag_lite.search.answer import Answer, Ranking, Statement, answered, cite
from graphrag_lite.search.answer_type import HOW_MANY
from graphrag_lite.search.table_cells import (
    SHOWN,
    asks_cell,
    cell_answer,
    cells_of,
    cells_of_value,
    place_of,
    sum_answer,
)
from graphrag_lite.search.table_values import (
    LISTS,
    ByField,
    Value,
    begins,
    by_field,
    chosen_of,
    field_terms,
    is_field,
    rows_of,
    said_of,
    unexplained,
    units_of,
    values_named,
    without_verbs,
)
from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

LIST = re.compile(rf"(?i)(?:^|\W)(?:{'|'.join(LISTS['list'])})\b")
LONGEST = 12  # words of a question about rows
LEAST_ROWS = 3  # documents of a file that have fields: fewer are no table
MOST = 5  # values that an answer names of those that most rows have


def table_answer(question: "Question", method: str, ranking: Ranking) -> Answer | None:
    """Answer from fields, with the rows cited; None where the question is not of that kind.

    `ranking` has what fits the question best: one of its first three documents may be the row that it names.
    """
    if told := cell_answer(question, method, ranking):
        return told
    words = [word.casefold() for word in re.findall(r"\w+", question.text)]
    asks_most, counts = not {*LISTS["most"]}.isdisjoint(words), HOW_MANY.search(question.text) is not None
    if len(words) > LONGEST or not (asks_most or counts or LIST.search(question.text) or "much" in words):
        return None
    values = values_named(question, words)
    if asks_most:
        return _most(question, method, words, values)
    chosen = chosen_of(values)
    one = asks_cell(question)
    if told := sum_answer(question, method, words, chosen):
        return told
    if chosen and (one or counts or words[0] in LISTS["who"]):
        told = cells_of_value(question, method, words, chosen, counted=counts)
    if told or one or not chosen or unexplained(question, words, values) > 1:
        return told
    return _listed(question, method, chosen if units_of(chosen) else without_verbs(question, chosen))


def _listed(question: "Question", method: str, chosen: Sequence[Value]) -> Answer | None:
    """Answer with the rows that have all of some values, each cited, and how many there are."""
    index, fields = question.index, {value.field for value in chosen}
    everything = (units for field, held in by_field(index).items() if field in fields for units in held.values())
    of_all = rows_of(index, {unit for units in everything for unit in units})
    rows = rows_of(index, units_of(chosen))
    if len(of_all) < LEAST_ROWS:
        return None
    verb = "has" if len(rows) == 1 else "have"
    lines = [f"{len(rows)} of {len(of_all)} {verb} {said_of(chosen)}."]
    citations = []
    for n, row in enumerate(sorted(rows)[:SHOWN], start=1):
        citations.append(cite(index, n, _line(index, rows[row], row, chosen[0].field)))
        lines.append(f"- {escape_marks(one_line(_name(index, row)))} [{n}]")
    if len(rows) > SHOWN:
        lines.append(f"- and {len(rows) - SHOWN} more")
    found = Ranking([rows[row] for row in sorted(rows)], sorted(rows))
    return answered(question, method, found, answer="\n".join(lines), citations=citations)


def _most(question: "Question", method: str, words: Sequence[str], values: Sequence[Value]) -> Answer | None:
    """Answer which value of a field most rows have, of those with all other values that the question names."""
    index = question.index
    of_field = {field: held for field, held in by_field(index).items() if field != Fields.sender}
    field = _counted_field(question, words, of_field)  # of no sender: who speaks in how many chats says little
    of_words = {n for n, word in enumerate(words) if is_field(question, field, terms(word, question.language))}
    named = [value for value in values if value.field != field and not value.words <= of_words]
    everything = frozenset(unit for rows in of_field.get(field, {}).values() for unit in rows)
    if not field or unexplained(question, words, [*named, Value(field, "", frozenset(), everything)]) > 1:
        return None
    chosen = chosen_of(named)
    kept = everything & units_of(chosen) if chosen else everything
    found = {value: rows_of(index, kept.intersection(rows)) for value, rows in of_field[field].items()}
    ordered = sorted((value for value in found if found[value]), key=lambda value: (-len(found[value]), value))
    if len(rows_of(index, everything)) < LEAST_ROWS or not ordered:
        return None
    most = len(found[ordered[0]])
    first = [value for value in ordered if len(found[value]) == most]
    of_which = f" with {said_of(chosen)}" if chosen else ""
    lead = f"{' and '.join(first)} {'has' if len(first) == 1 else 'have'} the most"
    lines = [f"{escape_marks(one_line(lead))}: {most} of {len(rows_of(index, kept))}{of_which}."]
    citations = []
    for n, value in enumerate(ordered[:MOST], start=1):
        row = min(found[value])
        citations.append(cite(index, n, _line(index, found[value][row], row, field)))
        lines.append(f"- {escape_marks(one_line(f'{field}: {value}'))}: {len(found[value])} [{n}]")
    rows = found[ordered[0]]
    ranking = Ranking([rows[row] for row in sorted(rows)], sorted(rows))
    return answered(question, method, ranking, answer="\n".join(lines), citations=citations)


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


def _line(index: "SnapshotView", unit: int, row: int, field: str) -> Statement:
    """Return the line of a document that states a field, else its first line."""
    if cell := next((cell for cell in cells_of(index, row) if cell.field == field), None):
        return place_of(index, cell)
    text = index.document_text(row)
    stated = re.search(rf"(?m)^{re.escape(field)}: .*$", text) or re.search(r"(?m)^.*\S.*$", text)
    return Statement(unit, *(stated.span() if stated else (0, len(text))))

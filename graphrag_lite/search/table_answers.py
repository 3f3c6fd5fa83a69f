"""Answers from what documents are said to be: which rows have a value, and how many ("How many are critical?").

A question is one about rows where it asks how many or which, names values that documents share (`search_values`), and
says nothing else but what the rows are and what their fields are called.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from graphrag_lite import tables
from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.retrieval.bm25 import LEAST_STEM
from graphrag_lite.search.answer import Answer, Ranking, Statement, answered, cite
from graphrag_lite.search.answer_type import HOW_MANY
from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.word_lists import sections
from graphrag_lite.text.words import content_words, terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

_LISTS = sections(__package__, "table_answers.txt")
LIST = re.compile(rf"(?i)(?:^|\W)(?:{'|'.join(_LISTS['list'])})\b")
BEGINNING = re.compile(r"\w{1,3}")  # the value that a word of the question names begins as the word does
LONGEST = 12  # words of a question about rows
LEAST_ROWS = 3  # documents of a file that have fields: fewer are no table
SHOWN = 20  # rows that an answer names; its count is of all


class Value(NamedTuple):
    """A value that the question names: of which field, which words of the question, and the text units that have it."""

    field: str
    value: str
    words: frozenset[int]
    units: frozenset[int]


def table_answer(question: "Question", method: str) -> Answer | None:
    """Answer from fields, with the rows cited; None where the question is not of that kind."""
    if not HOW_MANY.search(question.text) and not LIST.search(question.text):
        return None
    words = [word.casefold() for word in re.findall(r"\w+", question.text)]
    if len(words) > LONGEST:
        return None
    values = list(_values(question, words))
    if not values or _unexplained(question, words, values) > 1:
        return None
    chosen = _chosen(values)
    if not frozenset.intersection(*_by_phrase(chosen)):
        chosen = _without_verbs(question, chosen)
    index = question.index
    of_all = {index.document_row[unit] for unit in _with_fields(index, {value.field for value in chosen})}
    units = sorted(frozenset.intersection(*_by_phrase(chosen)))
    rows = {index.document_row[unit]: unit for unit in reversed(units)}
    if len(of_all) < LEAST_ROWS:
        return None
    ordered = sorted(rows)
    said = " and ".join(dict.fromkeys(f"{each.field}: {each.value}" for each in chosen))
    verb = "has" if len(rows) == 1 else "have"
    lines = [f"{len(rows)} of {len(of_all)} {verb} {escape_marks(one_line(said))}."]
    citations = []
    for n, row in enumerate(ordered[:SHOWN], start=1):
        citations.append(cite(index, n, _line(index, rows[row], row, chosen[0])))
        lines.append(f"- {escape_marks(one_line(index.cell('documents', 'title', row)))} [{n}]")
    if len(ordered) > SHOWN:
        lines.append(f"- and {len(ordered) - SHOWN} more")
    ranking = Ranking([rows[row] for row in ordered], ordered)
    return answered(question, method, ranking, answer="\n".join(lines), citations=citations)


def _values(question: "Question", words: Sequence[str]) -> Iterator[Value]:
    """Yield the values that the question names, word by word, or one word in another form."""
    forms = [frozenset(terms(word, question.language)) for word in words]
    begun = {word[:3] for word in words}
    data = question.index.arrow("search_values")
    for row, (field, value) in enumerate(zip(data["field"].to_pylist(), data["value"].to_pylist(), strict=True)):
        first = BEGINNING.search(value)
        if field == tables.OF_TITLES or first is None or first[0].casefold() not in begun:
            continue
        spelt = [word.casefold() for word in re.findall(r"\w+", value)]
        alike = frozenset(terms(spelt[0], question.language)) if len(spelt) == 1 and len(spelt[0]) > 3 else None
        for start in range(len(words) - len(spelt) + 1):
            if list(words[start : start + len(spelt)]) == spelt or (alike and forms[start] == alike):
                units = frozenset(data["rows"][row].as_py())
                yield Value(field, value, frozenset(range(start, start + len(spelt))), units)


def _unexplained(question: "Question", words: Sequence[str], values: Sequence[Value]) -> int:
    """Return how many words say something and are of no value, nor of a field's or file's name ("instruments.csv")."""
    said = {place for value in values for place in value.words}
    fields = {term for value in values for term in terms(value.field, question.language)}
    fields |= {term for stem in _files(question.index, values) for term in terms(stem, question.language)}
    content = {word.casefold() for word in content_words(question.text, question.language)}.difference(_LISTS["asking"])
    left = {word for place, word in enumerate(words) if place not in said and word in content}
    other = {word for word in left if not all(_is_of(term, fields) for term in terms(word, question.language))}
    asked = next((word for word in words if word in content), "")
    return len(other) + (asked in other and not _may_be_rows(question, asked))


def _is_of(term: str, fields: set[str]) -> bool:
    """Say whether a field is called by a term, or by one that begins like it: "assigned to", of an assignee."""
    return term in fields or (len(term) > LEAST_STEM and any(field.startswith(term) for field in fields))


def _may_be_rows(question: "Question", word: str) -> bool:
    """Say whether the thing asked for may be rows: any text holds the word, or it calls rows of any kind."""
    own = set(terms(word, question.language))
    of_rows = terms(" ".join(_LISTS["rows"]), question.language)
    return not own.isdisjoint(of_rows) or any(map(question.index.bm25.holds, own))


def _files(index: "SnapshotView", values: Sequence[Value]) -> set[str]:
    """Return what the files are called in which the values stand first: a table is named for what its rows are."""
    paths = index.column("documents", "path")
    return {PurePath(paths[index.document_row[min(value.units)]].as_py()).stem.replace("_", " ") for value in values}


def _chosen(values: Sequence[Value]) -> list[Value]:
    """Return the values of the longest phrases, none inside another."""
    return [one for one in values if not any(one.words < other.words for other in values)]


def _without_verbs(question: "Question", values: list[Value]) -> list[Value]:
    """Return values without those that a field's name says: "Which did Ann open?" asks for what was opened by her."""
    fields = {value.field: set(terms(value.field.replace("_", " "), question.language)) for value in values}
    said = [
        value
        for value in values
        if not any(
            own.intersection(terms(value.value, question.language))
            for field, own in fields.items()
            if field != value.field
        )
    ]
    return said or values


def _by_phrase(values: Sequence[Value]) -> list[frozenset[int]]:
    """Return the units for each condition: a phrase of several fields is any of them, and so are two of one field.

    Where rows have both of two of one field, as of labels, they are two conditions.
    """
    groups: list[tuple[set[int], set[str], set[int]]] = []  # words, fields, units
    for value in values:
        same = next(
            (
                group
                for group in groups
                if group[0] & value.words or (value.field in group[1] and group[2].isdisjoint(value.units))
            ),
            None,
        )
        if same is None:
            groups.append((set(value.words), {value.field}, set(value.units)))
        else:
            same[0].update(value.words)
            same[1].add(value.field)
            same[2].update(value.units)
    return [frozenset(units) for _, _, units in groups]


def _with_fields(index: "SnapshotView", fields: set[str]) -> Iterator[int]:
    """Yield the units that have a value in one of some fields."""
    data = index.arrow("search_values")
    for row, field in enumerate(data["field"].to_pylist()):
        if field in fields:
            yield from data["rows"][row].as_py()


def _line(index: "SnapshotView", unit: int, row: int, value: Value) -> Statement:
    """Return the line of a document that states a value, else its first line."""
    text = index.document_text(row)
    stated = re.search(rf"(?m)^{re.escape(value.field)}: .*$", text) or re.search(r"(?m)^.*\S.*$", text)
    return Statement(unit, *(stated.span() if stated else (0, len(text))))

"""Answers from what documents are said to be: which rows have a value, how many, who has the most, what a row says.

A question is one about rows where it asks how many or which, or who has the most, names values that documents share
(`search_values`), and says nothing else but what the rows are and what their fields are called.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from graphrag_lite import tables
from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.read.columns import NAME
from graphrag_lite.read.documents import Fields
from graphrag_lite.retrieval.bm25 import LEAST_STEM
from graphrag_lite.search.answer import Answer, Ranking, Statement, answered, cite, compose
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
MOST = 5  # values that an answer names of those that most rows have
SHOWN = 20  # rows that an answer names; its count is of all


class Value(NamedTuple):
    """A value that the question names: of which field, which words of the question, and the text units that have it."""

    field: str
    value: str
    words: frozenset[int]
    units: frozenset[int]
    is_begun: bool = False  # its words begin those of the question: "engineers" are Engineer rather than Engineering


def table_answer(question: "Question", method: str, ranking: Ranking) -> Answer | None:
    """Answer from fields, with the rows cited; None where the question is not of that kind.

    `ranking` has what fits the question best: one of its first three documents may be the row that it names.
    """
    if told := _cell(question, method, ranking):
        return told
    words = [word.casefold() for word in re.findall(r"\w+", question.text)]
    asks_most = not set(_LISTS["most"]).isdisjoint(words)
    if len(words) > LONGEST or not (asks_most or HOW_MANY.search(question.text) or LIST.search(question.text)):
        return None
    values = list(_values(question, words))
    if not any(words[place] in _LISTS["unfinished"] for value in values for place in value.words):
        values += _unfinished(question, words)
    if asks_most:
        return _most(question, method, words, values)
    if not values or _unexplained(question, words, values) > 1:
        return None
    chosen = _chosen(values)
    if not frozenset.intersection(*_by_phrase(chosen)):
        chosen = _without_verbs(question, chosen)
    index = question.index
    of_all = _rows(index, _with_fields(index, {value.field for value in chosen}))
    rows = _rows(index, frozenset.intersection(*_by_phrase(chosen)))
    if len(of_all) < LEAST_ROWS:
        return None
    verb = "has" if len(rows) == 1 else "have"
    lines = [f"{len(rows)} of {len(of_all)} {verb} {_said(chosen)}."]
    citations = []
    for n, row in enumerate(sorted(rows)[:SHOWN], start=1):
        citations.append(cite(index, n, _line(index, rows[row], row, chosen[0].field)))
        lines.append(f"- {escape_marks(one_line(index.cell('documents', 'title', row)))} [{n}]")
    if len(rows) > SHOWN:
        lines.append(f"- and {len(rows) - SHOWN} more")
    found = Ranking([rows[row] for row in sorted(rows)], sorted(rows))
    return answered(question, method, found, answer="\n".join(lines), citations=citations)


def _cell(question: "Question", method: str, ranking: Ranking) -> Answer | None:
    """Answer with the cell of a row that the question names by its id or title: "What is the status of T-7?"."""
    index, first = question.index, question.text.casefold().split()[:1]
    if not set(first) <= {*_LISTS["cell"], *_LISTS["list"], *_LISTS["who"]}:
        return None
    for row in ranking.documents[:3]:
        title = index.cell("documents", "title", row)
        names = sorted({title, *title.partition(": ")[::2]} - {""}, key=len, reverse=True)
        named = (re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", question.text, re.I) for name in names)
        found = next(filter(None, named), None)
        blocks = index.cell("documents", "blocks", row) if found else None
        card = next((block for block in blocks or () if block["kind"] == "card"), None)
        if card is None or found is None:
            continue
        text = index.document_text(row)
        asked = set(terms(f"{question.text[: found.start()]} {question.text[found.end() :]}", question.language))
        cells = re.finditer(r"(?m)^([^:\n]+): .*$", text[card["char_start"] : card["char_end"]])
        fitting = [(len(field), cell.span()) for cell in cells if (field := _field(question, cell[1], asked))]
        if fitting:
            start, end = (card["char_start"] + place for place in max(fitting)[1])
            ends = index.column("text_units", "char_end")
            unit = next(n for n, of in enumerate(index.document_row) if of == row and ends[n].as_py() > start)
            place = Statement(unit, start, end, about=title)
            return compose(question, method, [place], Ranking([unit], [row]))
    return None


def _field(question: "Question", field: str, asked: Iterable[str]) -> set[str]:
    """Return the terms of a field's name if all are asked for, or what is made of them: "reported", of a reporter."""
    own = set(terms(field.replace("_", " "), question.language)) - {"name"}
    return own if all(any(_begins(one, term) for term in asked) for one in own) else set()


def _begins(field: str, term: str) -> bool:
    return field == term or (len(term) > 2 and field.startswith(term))


def _most(question: "Question", method: str, words: Sequence[str], values: Sequence[Value]) -> Answer | None:
    """Answer which value of a field most rows have, of those with all other values that the question names."""
    index = question.index
    of_field: dict[str, dict[str, list[int]]] = {}
    for field, value, rows in tables.rows(index.arrow("search_values"), "field", "value", "rows"):
        if field not in (tables.OF_TITLES, Fields.sender):  # who speaks in how many chats says little
            of_field.setdefault(field, {})[value] = rows
    field = _counted_field(question, words, of_field)
    of_words = {n for n, word in enumerate(words) if _field(question, field, terms(word, question.language))}
    named = [value for value in values if value.field != field and not value.words <= of_words]
    everything = frozenset(unit for rows in of_field.get(field, {}).values() for unit in rows)
    if not field or _unexplained(question, words, [*named, Value(field, "", frozenset(), everything)]) > 1:
        return None
    chosen = _chosen(named)
    kept = frozenset.intersection(everything, *_by_phrase(chosen))
    found = {value: _rows(index, kept.intersection(rows)) for value, rows in of_field[field].items()}
    ordered = sorted((value for value in found if found[value]), key=lambda value: (-len(found[value]), value))
    if len(_rows(index, everything)) < LEAST_ROWS or not ordered:
        return None
    most = len(found[ordered[0]])
    first = [value for value in ordered if len(found[value]) == most]
    of_which = f" with {_said(chosen)}" if chosen else ""
    lead = f"{' and '.join(first)} {'has' if len(first) == 1 else 'have'} the most"
    lines = [f"{escape_marks(one_line(lead))}: {most} of {len(_rows(index, kept))}{of_which}."]
    citations = []
    for n, value in enumerate(ordered[:MOST], start=1):
        row = min(found[value])
        citations.append(cite(index, n, _line(index, found[value][row], row, field)))
        lines.append(f"- {escape_marks(one_line(f'{field}: {value}'))}: {len(found[value])} [{n}]")
    rows = found[ordered[0]]
    ranking = Ranking([rows[row] for row in sorted(rows)], sorted(rows))
    return answered(question, method, ranking, answer="\n".join(lines), citations=citations)


def _counted_field(question: "Question", words: Sequence[str], of_field: Mapping[str, Mapping[str, list[int]]]) -> str:
    """Return the field by whose values rows are counted: the one that is asked for, or that says who has them."""
    found = list[tuple[bool, float, float, str]]()
    asked = [term for word in words for term in terms(word, question.language)]
    for field, values in of_field.items():
        own = set(terms(field.replace("_", " "), question.language)) - {"name"}
        fitting = [n for n, term in enumerate(asked) if any(_begins(one, term) for one in own)]
        if words[0] in _LISTS["who"]:
            holds = not set(_LISTS["holders"]).isdisjoint(re.findall(r"\w+", field.casefold()))
            if holds or all(map(NAME.fullmatch, values)):
                found.append((not fitting, not holds, _place(question.index, values, field), field))
        elif fitting:
            found.append((False, -len(fitting) / len(own), fitting[0], field))
    return min(found, default=(False, 0, 0, ""))[-1]


def _place(index: "SnapshotView", values: Mapping[str, list[int]], field: str) -> int:
    """Return where in its text the first row with some values says so."""
    row = index.document_row[min(rows[0] for rows in values.values())]
    return index.document_text(row).find(f"{field}: ")


def _unfinished(question: "Question", words: Sequence[str]) -> list[Value]:
    """Return as values what has not come to its end, of a field that says how far things are."""
    places = frozenset(place for place, word in enumerate(words) if word in _LISTS["unfinished"])
    held: dict[str, dict[str, frozenset[int]]] = {}
    for field, value, rows in tables.rows(question.index.arrow("search_values"), "field", "value", "rows"):
        if places and not set(re.findall(r"\w+", field.casefold())).isdisjoint(_LISTS["states"]):
            held.setdefault(field, {})[value] = frozenset(rows)
    for field, of_value in held.items():
        if ended := [value for value in of_value if set(_LISTS["finished"]).issuperset(value.casefold().split())]:
            left = frozenset().union(*of_value.values()).difference(*(of_value[value] for value in ended))
            return [Value(field, f"not {' or '.join(ended)}", places, left)]
    return []


def _said(values: Iterable[Value]) -> str:
    return escape_marks(one_line(" and ".join(dict.fromkeys(f"{each.field}: {each.value}" for each in values))))


def _rows(index: "SnapshotView", units: Iterable[int]) -> dict[int, int]:
    """Return the documents of text units, each with its first unit."""
    return {index.document_row[unit]: unit for unit in sorted(units, reverse=True)}


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
        alike = frozenset(terms(spelt[0], question.language)) if len(spelt) == 1 and len(spelt[0]) > 2 else None
        for start in range(len(words) - len(spelt) + 1):
            if list(words[start : start + len(spelt)]) == spelt or (alike and forms[start] == alike):
                units = frozenset(data["rows"][row].as_py())
                is_begun = all(map(str.startswith, words[start:], spelt))
                yield Value(field, value, frozenset(range(start, start + len(spelt))), units, is_begun)


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
    first = (index.document_row[min(value.units)] for value in values if value.units)
    return {PurePath(paths[row].as_py()).stem.replace("_", " ") for row in first}


def _chosen(values: Sequence[Value]) -> list[Value]:
    """Return the values of the longest phrases, none inside another, nor of those that a word begins with."""
    left = [one for one in values if not any(one.words < other.words for other in values)]
    begun = {one.words for one in left if one.is_begun}
    return [one for one in left if one.is_begun or one.words not in begun]


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


def _line(index: "SnapshotView", unit: int, row: int, field: str) -> Statement:
    """Return the line of a document that states a field, else its first line."""
    text = index.document_text(row)
    stated = re.search(rf"(?m)^{re.escape(field)}: .*$", text) or re.search(r"(?m)^.*\S.*$", text)
    return Statement(unit, *(stated.span() if stated else (0, len(text))))

"""Which values of fields a question names, and whether it says anything else: what it asks of the rows of tables."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.retrieval.file_tables import ByField, FileTable, amount, name_of
from graphrag_lite.search.extractive.table_words import (
    LISTS,
    LONGEST_VALUE,
    TableQuestion,
    asked_by,
    is_field,
    is_of,
    written_in_parts,
)
from graphrag_lite.text.folding import fold
from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.times import all_times

if TYPE_CHECKING:
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

UNFINISHED, FINISHED, NO, DENYING = (frozenset(LISTS[name]) for name in ("unfinished", "finished", "no", "denying"))
YES_OR_NO = NO.union(LISTS["yes"])
HALF = 0.5  # of the words of a field's name: with fewer a question does not mean what the field says yes or no to
ENOUGH = 3  # words that a table explains
LEAST_NAMES = 2  # of a question that a cell has, where it has them in another order
_NUMBERS = {word: str(number) for number, group in enumerate(LISTS["numbers"]) for word in group.split("|")}
_SAME = {name.removeprefix("same "): group for name, group in LISTS.items() if name.startswith("same ")}
_WORD = re.compile(r"\w+")


class Value(NamedTuple):
    """A value that the question names: of which field, which words of the question, and the text units that have it."""

    field: str
    value: str
    words: frozenset[int]
    units: frozenset[int]
    is_begun: bool = False  # its words begin those of the question: "engineers" are Engineer rather than Engineering


def values_named(asked: TableQuestion, table: FileTable) -> list[Value]:
    """Return the values that a question of some `words` names, is said to have, or to have come to no end."""
    words, of_field = asked.words, table.of_field
    found = [*_written(asked, of_field), *_yes_or_no(asked, of_field)]
    if not any(words[place] in UNFINISHED for value in found for place in value.words):
        found += _unfinished(words, of_field)
    return found


def all_named(asked: TableQuestion, table: FileTable) -> list[Value]:
    """Return all values that a question names, as a whole or not, and what few rows have."""
    shared = values_named(asked, table)
    return [*shared, *cells_named(asked, table, shared)]


def cells_named(asked: TableQuestion, table: FileTable, known: Sequence[Value]) -> list[Value]:
    """Return what a question names that few rows have: titles, values of one row, numbers beside a field, and days.

    Of words that are a value that rows share, or of several fields, it is the first. What the file is called needs no
    row that says it: "olympics2014.json".
    """
    called = set(asked.terms(name_of(table.file)))
    taken = {place for value in known for place in value.words}
    taken |= {place for place, word in enumerate(asked.words) if word.isdigit() and word in called}
    found = [*_dated(asked, table), *_numbered(asked, table), *_of_one(asked, table)]
    first: dict[frozenset[int], Value] = {}
    for value in sorted(found, key=lambda value: (not value.units, -len(value.words))):
        if value.words.isdisjoint(taken) and not any(value.words < longer for longer in first):
            first.setdefault(value.words, value)
    return [*first.values()]


def _written(asked: TableQuestion, of_field: ByField) -> Iterator[Value]:
    """Yield the values that the question writes word by word, in these or other forms, or one name of several."""
    words = asked.words
    forms = [_forms(asked, word) for word in words]
    names = {word.casefold() for word in asked.question.capitalized}
    for field, of_value in of_field.items():
        written = {value: [word.casefold() for word in re.findall(r"\w+", value)] for value in of_value}
        n_values = Counter(word for spelt in written.values() for word in set(spelt) & names)
        for value, spelt in written.items():
            alike = [_forms(asked, word) for word in spelt]
            for start in range(len(words) - len(spelt) + 1) if spelt else ():
                if list(words[start : start + len(spelt)]) == spelt or _are_alike(alike, forms[start:]):
                    is_begun = all(map(str.startswith, words[start:], spelt))
                    places = frozenset(range(start, start + len(spelt)))
                    yield Value(field, value, places, frozenset(of_value[value]), is_begun)
            for name in sorted(name for name in {*spelt} & names if n_values[name] == 1 < len(spelt)):
                place = words.index(name) if name in words else -1
                beside = {*words[max(place - 1, 0) : place], *words[place + 1 : place + 2]} if place >= 0 else set()
                if (beside & names).issubset(spelt):  # "Ann Roe" is not Ann Lee
                    yield Value(field, value, frozenset({place} - {-1}), frozenset(of_value[value]))


def _forms(asked: TableQuestion, word: str) -> frozenset[str]:
    """Return what a word is known by in all its forms: its terms, and those of what is called the same."""
    same = next((name for name, group in _SAME.items() if word in group), word)
    return frozenset(asked.terms(same)) if len(word) > 2 or same != word else frozenset()


def _are_alike(spelt: Sequence[frozenset[str]], said: Sequence[frozenset[str]]) -> bool:
    return all(own and own == other for own, other in zip(spelt, said, strict=False))


def _dated(asked: TableQuestion, table: FileTable) -> Iterator[Value]:
    """Yield the rows of each period that a question states, by the first field that has days in it, else none."""
    text, words = fold(asked.question.text), asked.words
    spans = [found.span() for found in re.finditer(r"\w+", text)]
    for time in all_times(text, None, asked.language) if len(spans) == len(words) and table.days else ():
        places = frozenset(n for n, (start, end) in enumerate(spans) if time.start <= start and end <= time.end)
        stated = " ".join(words[n] for n in sorted(places))
        held = {field: [each[:10] for each in days] for field, days in table.days.items()}
        first, last = time.period.first.isoformat(), time.period.last.isoformat()
        within = {
            field: [place for place, day in enumerate(days) if first[: len(day)] <= day <= last[: len(day)]]
            for field, days in held.items()
            if all(len(day) >= 10 for day in days) or time.precision == "year"
        }
        field = max(within, key=lambda field: bool(within[field]), default="")
        if field and places:
            having = (table.columns[field][place].row for place in within[field])
            yield Value(field, stated, places, table.units_in(having))


def _numbered(asked: TableQuestion, table: FileTable) -> Iterator[Value]:
    """Yield the rows with a number that a question says beside the name of a field: "three cylinders"."""
    words, of_file = asked.words, asked.terms(name_of(table.file))
    for place, word in enumerate(words):
        number = amount(_NUMBERS.get(word, word)) if word not in of_file else None
        said = [n for n, other in enumerate(words) if other in asked.content and n != place]  # "a depth of 143"
        beside = [*[n for n in said if n < place][-1:], *[n for n in said if n > place][:1]]
        for field, numbers in table.numbers.items() if number is not None else ():
            own = asked.field_terms(field)
            named = [n for n in beside if own.intersection(asked.terms(words[n]))]
            having = [cell.row for cell, held in zip(table.columns[field], numbers, strict=True) if held == number]
            if named and (having or abs(named[0] - place) == 1):
                yield Value(field, word, frozenset((place, *named)), table.units_in(having))


def _of_one(asked: TableQuestion, table: FileTable) -> Iterator[Value]:
    """Yield the titles and cells that a question writes out, which need a word that is no function word."""
    words = asked.words
    runs = {
        tuple(words[start:end]): range(start, end)
        for start in range(len(words))
        for end in range(start + 1, min(start + LONGEST_VALUE, len(words)) + 1)
        if not asked.content.isdisjoint(words[start:end])
    }
    begins = {run[0] for run in runs}
    named: dict[tuple[str, str], list[int]] = {}
    names = {word.casefold() for word in asked.question.capitalized} & asked.content
    held: dict[tuple[str, str], list[int]] = {}  # what has some of the names asked for, in another order
    for field, value, row in table.named_values():
        if (word := _WORD.search(value)) and word[0].casefold() in begins and _spelt(value) in runs:
            named.setdefault((field, value), []).append(row)
        elif len(names) >= LEAST_NAMES and len(names.intersection(_spelt(value))) >= LEAST_NAMES:
            held.setdefault((field, value), []).append(row)
    for (field, value), rows in named.items():
        yield Value(field, value, frozenset(runs[_spelt(value)]), table.units_in(rows))
    most = max((len(names.intersection(_spelt(value))) for _, value in held), default=0)
    best = [pair for pair in held if len(names.intersection(_spelt(pair[1]))) == most]
    if len(best) == 1:  # "Roe, Mr John Henry", of John Roe
        [(field, value)] = best
        places = frozenset(n for n, word in enumerate(words) if word in names.intersection(_spelt(value)))
        yield Value(field, value, places, table.units_in(held[field, value]))


def _spelt(value: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(value.casefold()))


def _yes_or_no(asked: TableQuestion, of_field: ByField) -> Iterator[Value]:
    """Yield yes, or no where the question denies it, of a field by which it calls rows: "opted in", of `opt_in`."""
    words = asked.words
    forms = [set(asked.terms(word.removeprefix("un"))) for word in words]
    every = set().union(*forms)
    denying = not DENYING.isdisjoint(words)
    for field, of_value in of_field.items():
        own = asked.field_terms(field)
        places = frozenset(n for n, said in enumerate(forms) if said & own)
        enough = len(own & every) >= HALF * len(own) > 0
        denied = denying or any(words[n].startswith("un") for n in places)  # "united" denies nothing
        if enough and YES_OR_NO.issuperset(map(str.casefold, of_value)):
            meant = [value for value in of_value if (value.casefold() in NO) == denied]
            units = frozenset(unit for value in meant for unit in of_value[value])
            yield Value(field, meant[0] if meant else "no" if denied else "yes", places, units)


def _unfinished(words: Sequence[str], of_field: ByField) -> list[Value]:
    """Return as values what has not come to its end, of a field that says how far things are."""
    places = frozenset(place for place, word in enumerate(words) if word in UNFINISHED)
    for field, of_value in of_field.items() if places else ():
        if set(re.findall(r"\w+", field.casefold())).isdisjoint(LISTS["states"]):
            continue
        if ended := [value for value in of_value if FINISHED.issuperset(value.casefold().split())]:
            units = {value: frozenset(rows) for value, rows in of_value.items()}
            left = frozenset().union(*units.values()).difference(*(units[value] for value in ended))
            return [Value(field, f"not {' or '.join(ended)}", places, left)]
    return []


def unexplained(asked: TableQuestion, values: Sequence[Value], table: FileTable, *, enough: int = ENOUGH) -> int:
    """Return how many words say something and are of no value, nor of a field's or file's name ("instruments.csv").

    What is asked for may be rows, by any name; where it may be none, it counts twice. One word more does not count
    where `enough` are explained, nor behind the file's name: "which hill race is".
    """
    said = {place for value in values for place in value.words}
    fields = {term for value in values for term in asked.field_terms(value.field)}
    said.update(*(written_in_parts(asked, value.field) for value in values))
    fields.update(asked.terms(name_of(table.file)), asked.listed("rows"))
    own = set[str]().union(*map(asked.field_terms, table.file.fields))
    fields.update(term for term in own if not asked_by(term).isdisjoint(asked.said))  # "died", of a death_date
    fields.update(asked.listed("days") if asked.says("days") and table.days else ())
    left = {word for place, word in enumerate(asked.words) if place not in said and word in asked.content}
    other = {word for word in left if not all(is_of(term, fields) for term in asked.terms(word))}
    first = next((word for word in asked.words if word in asked.content), "")
    of_file = set(asked.terms(name_of(table.file)))
    for word, behind, verb in zip(asked.words, asked.words[1:], asked.words[2:], strict=False):
        if verb in LISTS["whether"] and not of_file.isdisjoint(asked.terms(word)):
            other.discard(behind)
    n_explained = len({*asked.words}.intersection(asked.content)) - len(other)
    more = int(n_explained >= enough and first not in other)
    return max(len(other - {first}) - more, 0) + 2 * (first in other and not _may_be_rows(asked, first))


def _may_be_rows(asked: TableQuestion, word: str) -> bool:
    """Say whether the thing asked for may be rows: any text holds the word."""
    return any(map(asked.question.index.bm25.holds, asked.terms(word)))


def chosen_of(asked: TableQuestion, values: Sequence[Value]) -> list[Value]:
    """Return the values of the longest phrases, none inside another, nor of those that a word begins with.

    Of two of one field that no row has both of, and nothing joins, it is the longer: "deaths by car accident".
    """
    left = [one for one in values if not any(one.words < other.words for other in values)]
    begun = {one.words for one in left if one.is_begun}
    left = [one for one in left if one.is_begun or one.words not in begun]
    return [one for one in left if not any(_is_less(asked, one, other) for other in left)]


def without_alternatives(asked: TableQuestion, values: list[Value]) -> list[Value]:
    """Return values without those of a field between which a question asks to choose: "is its tier gold or silver"."""
    n_of = Counter(value.field for value in values if value.field)
    between = {field for field, n in n_of.items() if n > 1 and asked.says("or") and is_field(asked, field, asked.said)}
    return [value for value in values if value.field not in between]


def _is_less(asked: TableQuestion, one: Value, other: Value) -> bool:
    apart = one.field == other.field and len(one.words) < len(other.words) and one.units.isdisjoint(other.units)
    first, last = sorted((one, other), key=lambda value: min(value.words, default=0))
    between = asked.words[max(first.words, default=0) + 1 : min(last.words, default=0)]
    return apart and not {*LISTS["joining"]}.issuperset(between)


def without_verbs(asked: TableQuestion, values: list[Value]) -> list[Value]:
    """Return values without those that a field's name says: "Which did Ann open?" asks for what was opened by her."""
    fields = {value.field: asked.field_terms(value.field) for value in values}

    def is_verb(value: Value) -> bool:
        own = asked.terms(value.value)
        return any(not said.isdisjoint(own) for field, said in fields.items() if field != value.field)

    return [value for value in values if not is_verb(value)] or values


def units_of(values: Iterable[Value]) -> frozenset[int]:
    """Return the units that fit all conditions: a phrase of several fields is any of them, and so are two of one field.

    Where rows have both of two of one field, as of labels, they are two conditions.
    """
    groups: list[tuple[set[int], set[str], set[int]]] = []  # words, fields, units
    for value in values:
        for words, fields, units in groups:
            if words & value.words or (value.field in fields and units.isdisjoint(value.units)):
                words.update(value.words)
                fields.add(value.field)
                units.update(value.units)
                break
        else:
            groups.append((set(value.words), {value.field}, set(value.units)))
    return frozenset(set.intersection(*(units for *_, units in groups))) if groups else frozenset()


def said_of(values: Iterable[Value]) -> str:
    """Return values as a reader is told them: "tier: gold and region: South"."""
    said = dict.fromkeys(f"{each.field}: {each.value}".removeprefix(": ") for each in values)
    return escape_marks(one_line(" and ".join(said)))


def rows_of(index: "SnapshotView", units: Iterable[int]) -> dict[int, int]:
    """Return the documents of text units, each with its first unit."""
    return {index.document_row[unit]: unit for unit in sorted(units, reverse=True)}

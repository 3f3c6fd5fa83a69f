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
    asking_terms,
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


def values_named(parsed: TableQuestion, table: FileTable) -> list[Value]:
    """Return the values that a question of some `words` names, is said to have, or to have come to no end."""
    words, of_field = parsed.words, table.of_field
    found = [*_written(parsed, of_field), *_yes_or_no(parsed, of_field)]
    if not any(words[position] in UNFINISHED for value in found for position in value.words):
        found += _unfinished(words, of_field)
    return found


def all_named(parsed: TableQuestion, table: FileTable) -> list[Value]:
    """Return all values that a question names, as a whole or not, and what few rows have."""
    shared = values_named(parsed, table)
    return [*shared, *cells_named(parsed, table, shared)]


def cells_named(parsed: TableQuestion, table: FileTable, known: Sequence[Value]) -> list[Value]:
    """Return what a question names that few rows have: titles, values of one row, numbers beside a field, and days.

    Of words that are a value that rows share, or of several fields, it is the first. What the file is called needs no
    row that says it: "olympics2014.json".
    """
    called = set(parsed.terms(name_of(table.file)))
    taken = {position for value in known for position in value.words}
    taken |= {position for position, word in enumerate(parsed.words) if word.isdigit() and word in called}
    found = [*_dated(parsed, table), *_numbered(parsed, table), *_of_one(parsed, table)]
    first: dict[frozenset[int], Value] = {}
    for value in sorted(found, key=lambda value: (not value.units, -len(value.words))):
        if value.words.isdisjoint(taken) and not any(value.words < longer for longer in first):
            first.setdefault(value.words, value)
    return [*first.values()]


def _written(parsed: TableQuestion, of_field: ByField) -> Iterator[Value]:
    """Yield the values that the question writes word by word, in these or other forms, or one name of several."""
    words = parsed.words
    forms = [_forms(parsed, word) for word in words]
    names = {word.casefold() for word in parsed.question.capitalized}
    for field, of_value in of_field.items():
        written = {value: [word.casefold() for word in re.findall(r"\w+", value)] for value in of_value}
        n_values = Counter(word for spelt in written.values() for word in set(spelt) & names)
        for value, spelt in written.items():
            alike = [_forms(parsed, word) for word in spelt]
            for start in range(len(words) - len(spelt) + 1) if spelt else ():
                if list(words[start : start + len(spelt)]) == spelt or _are_alike(alike, forms[start:]):
                    is_begun = all(map(str.startswith, words[start:], spelt))
                    positions = frozenset(range(start, start + len(spelt)))
                    yield Value(field, value, positions, frozenset(of_value[value]), is_begun)
            for name in sorted(name for name in {*spelt} & names if n_values[name] == 1 < len(spelt)):
                at = words.index(name) if name in words else -1
                beside = {*words[max(at - 1, 0) : at], *words[at + 1 : at + 2]} if at >= 0 else set()
                if (beside & names).issubset(spelt):  # "Ann Roe" is not Ann Lee
                    yield Value(field, value, frozenset({at} - {-1}), frozenset(of_value[value]))


def _forms(parsed: TableQuestion, word: str) -> frozenset[str]:
    """Return what a word is known by in all its forms: its terms, and those of what is called the same."""
    same = next((name for name, group in _SAME.items() if word in group), word)
    return frozenset(parsed.terms(same)) if len(word) > 2 or same != word else frozenset()


def _are_alike(spelt: Sequence[frozenset[str]], forms: Sequence[frozenset[str]]) -> bool:
    return all(own and own == other for own, other in zip(spelt, forms, strict=False))


def _dated(parsed: TableQuestion, table: FileTable) -> Iterator[Value]:
    """Yield the rows of each period that a question states, by the first field that has days in it, else none."""
    text, words = fold(parsed.question.text), parsed.words
    spans = [found.span() for found in re.finditer(r"\w+", text)]
    for time in all_times(text, None, parsed.language) if len(spans) == len(words) and table.days else ():
        positions = frozenset(n for n, (start, end) in enumerate(spans) if time.start <= start and end <= time.end)
        stated = " ".join(words[n] for n in sorted(positions))
        held = {field: [each[:10] for each in days] for field, days in table.days.items()}
        first, last = time.period.first.isoformat(), time.period.last.isoformat()
        within = {
            field: [position for position, day in enumerate(days) if first[: len(day)] <= day <= last[: len(day)]]
            for field, days in held.items()
            if all(len(day) >= 10 for day in days) or time.precision == "year"
        }
        field = max(within, key=lambda field: bool(within[field]), default="")
        if field and positions:
            having = (table.columns[field][position].row for position in within[field])
            yield Value(field, stated, positions, table.units_in(having))


def _numbered(parsed: TableQuestion, table: FileTable) -> Iterator[Value]:
    """Yield the rows with a number that a question says beside the name of a field: "three cylinders"."""
    words, of_file = parsed.words, parsed.terms(name_of(table.file))
    for position, word in enumerate(words):
        number = amount(_NUMBERS.get(word, word)) if word not in of_file else None
        others = [n for n, other in enumerate(words) if other in parsed.content and n != position]  # "a depth of 143"
        beside = [*[n for n in others if n < position][-1:], *[n for n in others if n > position][:1]]
        for field, numbers in table.numbers.items() if number is not None else ():
            own = parsed.field_terms(field)
            named = [n for n in beside if own.intersection(parsed.terms(words[n]))]
            having = [cell.row for cell, held in zip(table.columns[field], numbers, strict=True) if held == number]
            if named and (having or abs(named[0] - position) == 1):
                yield Value(field, word, frozenset((position, *named)), table.units_in(having))


def _of_one(parsed: TableQuestion, table: FileTable) -> Iterator[Value]:
    """Yield the titles and cells that a question writes out, which need a word that is no function word."""
    words = parsed.words
    runs = {
        tuple(words[start:end]): range(start, end)
        for start in range(len(words))
        for end in range(start + 1, min(start + LONGEST_VALUE, len(words)) + 1)
        if not parsed.content.isdisjoint(words[start:end])
    }
    begins = {run[0] for run in runs}
    named: dict[tuple[str, str], list[int]] = {}
    names = {word.casefold() for word in parsed.question.capitalized} & parsed.content
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
        positions = frozenset(n for n, word in enumerate(words) if word in names.intersection(_spelt(value)))
        yield Value(field, value, positions, table.units_in(held[field, value]))


def _spelt(value: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(value.casefold()))


def _yes_or_no(parsed: TableQuestion, of_field: ByField) -> Iterator[Value]:
    """Yield yes, or no where the question denies it, of a field by which it calls rows: "opted in", of `opt_in`."""
    words = parsed.words
    forms = [set(parsed.terms(word.removeprefix("un"))) for word in words]
    every = set().union(*forms)
    denying = not DENYING.isdisjoint(words)
    for field, of_value in of_field.items():
        own = parsed.field_terms(field)
        positions = frozenset(n for n, form in enumerate(forms) if form & own)
        enough = len(own & every) >= HALF * len(own) > 0
        denied = denying or any(words[n].startswith("un") for n in positions)  # "united" denies nothing
        if enough and YES_OR_NO.issuperset(map(str.casefold, of_value)):
            meant = [value for value in of_value if (value.casefold() in NO) == denied]
            units = frozenset(unit for value in meant for unit in of_value[value])
            yield Value(field, meant[0] if meant else "no" if denied else "yes", positions, units)


def _unfinished(words: Sequence[str], of_field: ByField) -> list[Value]:
    """Return as values what has not come to its end, of a field that says how far things are."""
    positions = frozenset(position for position, word in enumerate(words) if word in UNFINISHED)
    for field, of_value in of_field.items() if positions else ():
        if set(re.findall(r"\w+", field.casefold())).isdisjoint(LISTS["states"]):
            continue
        if ended := [value for value in of_value if FINISHED.issuperset(value.casefold().split())]:
            units = {value: frozenset(rows) for value, rows in of_value.items()}
            left = frozenset().union(*units.values()).difference(*(units[value] for value in ended))
            return [Value(field, f"not {' or '.join(ended)}", positions, left)]
    return []


def unexplained(parsed: TableQuestion, values: Sequence[Value], table: FileTable, *, enough: int = ENOUGH) -> int:
    """Return how many words say something and are of no value, nor of a field's or file's name ("instruments.csv").

    What is asked for may be rows, by any name; where it may be none, it counts twice. One word more does not count
    where `enough` are explained, nor behind the file's name: "which hill race is".
    """
    explained = {position for value in values for position in value.words}
    fields = {term for value in values for term in parsed.field_terms(value.field)}
    explained.update(*(written_in_parts(parsed, value.field) for value in values))
    fields.update(parsed.terms(name_of(table.file)), parsed.listed("rows"))
    own = set[str]().union(*map(parsed.field_terms, table.file.fields))
    # "died", of a death_date
    fields.update(term for term in own if not asking_terms(term).isdisjoint(parsed.all_terms))
    fields.update(parsed.listed("days") if parsed.says("days") and table.days else ())
    left = {word for position, word in enumerate(parsed.words) if position not in explained and word in parsed.content}
    other = {word for word in left if not all(is_of(term, fields) for term in parsed.terms(word))}
    first = next((word for word in parsed.words if word in parsed.content), "")
    of_file = set(parsed.terms(name_of(table.file)))
    for word, behind, verb in zip(parsed.words, parsed.words[1:], parsed.words[2:], strict=False):
        if verb in LISTS["whether"] and not of_file.isdisjoint(parsed.terms(word)):
            other.discard(behind)
    n_explained = len({*parsed.words}.intersection(parsed.content)) - len(other)
    more = int(n_explained >= enough and first not in other)
    return max(len(other - {first}) - more, 0) + 2 * (first in other and not _may_be_rows(parsed, first))


def _may_be_rows(parsed: TableQuestion, word: str) -> bool:
    """Say whether the thing asked for may be rows: any text holds the word."""
    return any(map(parsed.question.index.bm25.holds, parsed.terms(word)))


def chosen_of(parsed: TableQuestion, values: Sequence[Value]) -> list[Value]:
    """Return the values of the longest phrases, none inside another, nor of those that a word begins with.

    Of two of one field that no row has both of, and nothing joins, it is the longer: "deaths by car accident".
    """
    left = [one for one in values if not any(one.words < other.words for other in values)]
    begun = {one.words for one in left if one.is_begun}
    left = [one for one in left if one.is_begun or one.words not in begun]
    return [one for one in left if not any(_is_less(parsed, one, other) for other in left)]


def without_alternatives(parsed: TableQuestion, values: list[Value]) -> list[Value]:
    """Return values without those of a field between which a question asks to choose: "is its tier gold or silver"."""
    n_of = Counter(value.field for value in values if value.field)
    between = {
        field for field, n in n_of.items() if n > 1 and parsed.says("or") and is_field(parsed, field, parsed.all_terms)
    }
    return [value for value in values if value.field not in between]


def _is_less(parsed: TableQuestion, one: Value, other: Value) -> bool:
    apart = one.field == other.field and len(one.words) < len(other.words) and one.units.isdisjoint(other.units)
    first, last = sorted((one, other), key=lambda value: min(value.words, default=0))
    between = parsed.words[max(first.words, default=0) + 1 : min(last.words, default=0)]
    return apart and not {*LISTS["joining"]}.issuperset(between)


def without_verbs(parsed: TableQuestion, values: list[Value]) -> list[Value]:
    """Return values without those that a field's name says: "Which did Ann open?" asks for what was opened by her."""
    fields = {value.field: parsed.field_terms(value.field) for value in values}

    def is_verb(value: Value) -> bool:
        own = parsed.terms(value.value)
        return any(not field_terms.isdisjoint(own) for field, field_terms in fields.items() if field != value.field)

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


def describe(values: Iterable[Value]) -> str:
    """Return values as a reader is told them: "tier: gold and region: South"."""
    phrases = dict.fromkeys(f"{each.field}: {each.value}".removeprefix(": ") for each in values)
    return escape_marks(one_line(" and ".join(phrases)))


def rows_of(index: "SnapshotView", units: Iterable[int]) -> dict[int, int]:
    """Return the documents of text units, each with its first unit."""
    return {index.document_row[unit]: unit for unit in sorted(units, reverse=True)}

"""Which values of fields a question names, and whether it says anything else: what it asks of the rows of tables."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from graphrag_lite import tables
from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.retrieval.bm25 import LEAST_STEM
from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.word_lists import sections
from graphrag_lite.text.words import content_words, terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

LISTS = sections(__package__, "table_answers.txt")
UNFINISHED, FINISHED, NO, DENYING = (frozenset(LISTS[name]) for name in ("unfinished", "finished", "no", "denying"))
YES_OR_NO = NO.union(LISTS["yes"])
HALF = 0.5  # of the words of a field's name: with fewer a question does not mean what the field says yes or no to
ByField = Mapping[str, Mapping[str, Sequence[int]]]


class Value(NamedTuple):
    """A value that the question names: of which field, which words of the question, and the text units that have it."""

    field: str
    value: str
    words: frozenset[int]
    units: frozenset[int]
    is_begun: bool = False  # its words begin those of the question: "engineers" are Engineer rather than Engineering


def values_named(question: "Question", words: Sequence[str], of_field: ByField) -> list[Value]:
    """Return the values that a question of some `words` names, is said to have, or to have come to no end."""
    found = [*_written(question, words, of_field), *_yes_or_no(question, words, of_field)]
    if any(words[place] in UNFINISHED for value in found for place in value.words):
        return found
    return [*found, *_unfinished(words, of_field)]


def by_field(index: "SnapshotView") -> ByField:
    """Return the values that documents share, by field, each with the text units that have it."""
    found: dict[str, dict[str, Sequence[int]]] = defaultdict(dict)
    for field, value, units in tables.rows(index.arrow("search_values"), "field", "value", "rows"):
        if field != tables.OF_TITLES:
            found[field][value] = units
    return found


def _written(question: "Question", words: Sequence[str], of_field: ByField) -> Iterator[Value]:
    """Yield the values that the question writes word by word, one word in another form, or one name of several."""
    forms = [frozenset(terms(word, question.language)) for word in words]
    names = {word.casefold() for word in question.capitalized}
    for field, of_value in of_field.items():
        written = {value: [word.casefold() for word in re.findall(r"\w+", value)] for value in of_value}
        n_values = Counter(word for spelt in written.values() for word in set(spelt) & names)
        for value, spelt in written.items():
            alike = frozenset(terms(spelt[0], question.language)) if len(spelt) == 1 and len(spelt[0]) > 2 else None
            for start in range(len(words) - len(spelt) + 1) if spelt else ():
                if list(words[start : start + len(spelt)]) == spelt or (alike and forms[start] == alike):
                    is_begun = all(map(str.startswith, words[start:], spelt))
                    places = frozenset(range(start, start + len(spelt)))
                    yield Value(field, value, places, frozenset(of_value[value]), is_begun)
            for name in sorted(name for name in {*spelt} & names if n_values[name] == 1 < len(spelt)):
                place = words.index(name) if name in words else -1
                beside = {*words[max(place - 1, 0) : place], *words[place + 1 : place + 2]} if place >= 0 else set()
                if (beside & names).issubset(spelt):  # "Ann Roe" is not Ann Lee
                    yield Value(field, value, frozenset({place} - {-1}), frozenset(of_value[value]))


def _yes_or_no(question: "Question", words: Sequence[str], of_field: ByField) -> Iterator[Value]:
    """Yield yes, or no where the question denies it, of a field by which it calls rows: "opted in", of `opt_in`."""
    asked = [set(terms(word.removeprefix("un"), question.language)) for word in words]
    every = set().union(*asked)
    denying = not DENYING.isdisjoint(words)
    for field, of_value in of_field.items():
        own = field_terms(field, question.language)
        places = frozenset(n for n, said in enumerate(asked) if said & own)
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


def field_terms(field: str, language: str) -> set[str]:
    """Return the terms of a field's name, without what says that it holds names."""
    return set(terms(field.replace("_", " "), language)) - {"name"}


def is_field(question: "Question", field: str, asked: Iterable[str]) -> bool:
    """Say whether all that a field is called is asked for, or what is made of it: "reported", of a reporter."""
    own = field_terms(field, question.language)
    return bool(own) and all(any(begins(one, term) for term in asked) for one in own)


def begins(field: str, term: str) -> bool:
    return field == term or (len(term) > 2 and field.startswith(term))


def unexplained(question: "Question", words: Sequence[str], values: Sequence[Value]) -> int:
    """Return how many words say something and are of no value, nor of a field's or file's name ("instruments.csv")."""
    said = {place for value in values for place in value.words}
    fields = {term for value in values for term in terms(value.field.replace("_", " "), question.language)}
    fields |= {term for stem in _files(question.index, values) for term in terms(stem, question.language)}
    content = {word.casefold() for word in content_words(question.text, question.language)}.difference(LISTS["asking"])
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
    of_rows = terms(" ".join(LISTS["rows"]), question.language)
    return not own.isdisjoint(of_rows) or any(map(question.index.bm25.holds, own))


def _files(index: "SnapshotView", values: Sequence[Value]) -> set[str]:
    """Return what the files are called in which the values stand: a table is named for what its rows are."""
    paths = index.column("documents", "path")
    rows = {index.document_row[unit] for value in values for unit in value.units}
    return {PurePath(paths[row].as_py()).stem.replace("_", " ") for row in rows}


def chosen_of(values: Sequence[Value]) -> list[Value]:
    """Return the values of the longest phrases, none inside another, nor of those that a word begins with."""
    left = [one for one in values if not any(one.words < other.words for other in values)]
    begun = {one.words for one in left if one.is_begun}
    return [one for one in left if one.is_begun or one.words not in begun]


def without_verbs(question: "Question", values: list[Value]) -> list[Value]:
    """Return values without those that a field's name says: "Which did Ann open?" asks for what was opened by her."""
    fields = {value.field: field_terms(value.field, question.language) for value in values}

    def is_verb(value: Value) -> bool:
        own = terms(value.value, question.language)
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
    return escape_marks(one_line(" and ".join(dict.fromkeys(f"{each.field}: {each.value}" for each in values))))


def rows_of(index: "SnapshotView", units: Iterable[int]) -> dict[int, int]:
    """Return the documents of text units, each with its first unit."""
    return {index.document_row[unit]: unit for unit in sorted(units, reverse=True)}

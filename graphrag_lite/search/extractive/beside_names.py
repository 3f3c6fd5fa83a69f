"""What stands beside names in text units, and which text units hold a word in any form."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphrag_lite.retrieval.bm25 import ENDING, LEAST_STEM
from graphrag_lite.text.sentences import sentences
from graphrag_lite.text.words import UNSPACED, terms

if TYPE_CHECKING:
    import numpy.typing as npt

    from graphrag_lite.retrieval.bm25 import Bm25
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

    Scores = npt.NDArray[np.floating[Any]]

_LABEL = re.compile(r"(?m)^([^:\n]{1,40}): ")
LEAST_NAME = 3  # letters of a name's word
LOOKED_AT = 200  # best text units with a name, or a word of the question, that are read
BESIDE = 2  # sentences before and after a name that tell of it; at 1, 2.8% of lihua_world's questions are refused
RARE = 3  # times as many text units as the rarest word of a name: a word that more hold is of others, too
LEAST_JOINED = 6  # letters of a name's word that accounts begin with ("WolfgangSchulz")


def rarest(bm25: "Bm25", names: Set[str]) -> set[str]:
    """Return the words of names that fewest text units hold: of "Jeff Bezos" the second, of many Jeffs."""
    n_units = {name: len(bm25.units_of(name)) for name in names}
    return {name for name, n in n_units.items() if n <= RARE * min(n_units.values())}


def together(index: "SnapshotView", wanted: Set[str], scores: "Scores") -> bool:
    """Say whether a title or a sentence has all of some terms, in any form: "a cup for the world" is no "World Cup"."""
    units = reduce(np.intersect1d, (_units(index, term) for term in sorted(wanted)))
    units = units[np.argsort(-scores[units], kind="stable")][:LOOKED_AT]
    return any(
        is_about(index, unit, wanted, whole=True)
        or any(all(has_form({term}, own) for term in wanted) for own in _sentences(index, unit)[1])
        for unit in units.tolist()
    )


class Beside(NamedTuple):
    """A text beside a name, with its terms; `of_it`: all of it is on what has the name, by a title or a heading."""

    text: str
    terms: Set[str]
    of_it: bool


def beside_names(index: "SnapshotView", names: Set[str], query_terms: Set[str], scores: "Scores") -> Iterator[Beside]:
    """Yield what stands beside a name in the best text units with it and, if any, a word of `query_terms`."""
    units = np.unique(np.concatenate([_units(index, term) for term in sorted(names)]))
    if query_terms:
        units = np.intersect1d(units, np.concatenate([_units(index, term) for term in sorted(query_terms)]))
    for unit in units[np.argsort(-scores[units], kind="stable")][:LOOKED_AT].tolist():
        yield from beside(index, unit, names)


def beside(
    index: "SnapshotView", unit: int, names: Set[str], unspaced: tuple[str, ...] = (), reach: int = BESIDE
) -> Iterator[Beside]:
    """Yield what stands beside a name in a text unit; all of it where its title has the name.

    `names` are terms, `unspaced` are looked for as they are written, and `reach` sentences before and after it count.
    """
    text, (spans, own) = text_of(index, unit), _sentences(index, unit)
    title = _title_terms(index, unit)
    called = title_of(index, unit) if unspaced else ""
    if not names.isdisjoint(title) or any(name in called for name in unspaced):
        yield Beside(text, frozenset().union(*own), of_it=True)
        return
    for at, words in enumerate(own):
        written = text[slice(*spans[at])] if unspaced else ""
        if any(name in written for name in unspaced) or any(
            word.startswith(name) if len(name) >= LEAST_JOINED else word == name for word in words for name in names
        ):
            first, last = max(0, at - reach), min(len(spans), at + reach + 1)
            if heading := text.startswith("#", spans[at][0]):  # all of its section
                heads = (n for n in range(at + 1, len(spans)) if text.startswith("#", spans[n][0]))
                last = next(heads, len(spans))
            near = text[spans[first][0] : spans[last - 1][1]]
            yield Beside(near, frozenset().union(title, *own[first:last]), of_it=heading)


def apart_from_names(
    index: "SnapshotView", names: Set[str], query_terms: Set[str], scores: "Scores"
) -> Iterator[Beside]:
    """Yield sentences with their neighbours from the best units with one of `query_terms`, of documents with a name.

    A long text does not name again whom it is on, and who writes says "I".
    """
    rows = {index.document_row[unit] for term in names for unit in _units(index, term).tolist()}
    units = np.unique(np.concatenate([_units(index, term) for term in sorted(query_terms)]))
    units = units[[index.document_row[unit] in rows for unit in units.tolist()]]
    for unit in units[np.argsort(-scores[units], kind="stable")][:LOOKED_AT].tolist():
        text, (spans, own) = text_of(index, unit), _sentences(index, unit)
        for at in range(len(spans)):
            near = slice(max(0, at - 1), at + 2)
            yield Beside(text[spans[near][0][0] : spans[near][-1][1]], frozenset().union(*own[near]), of_it=False)


def of_names(index: "SnapshotView", units: Sequence[int], names: Set[str]) -> Sequence[int]:
    """Return those of some text units whose document has the rarest words of names; all where none does."""
    rows = {index.document_row[unit] for name in rarest(index.bm25, names) for unit in _units(index, name).tolist()}
    return [unit for unit in units if index.document_row[unit] in rows] or units


def is_about(index: "SnapshotView", unit: int, names: Set[str], *, whole: bool = False) -> bool:
    """Say whether a text unit's document has one of some terms in its title, or all of them."""
    own = _title_terms(index, unit)
    return names <= own if whole else not names.isdisjoint(own)


def _title_terms(index: "SnapshotView", unit: int) -> set[str]:
    row = index.document_row[unit]
    return set(terms(*(index.cell("documents", name, row) for name in ("title", "language"))))


def is_held(index: "SnapshotView", forms: Iterable[str]) -> bool:
    """Say whether a text unit holds one of some terms, or a word that begins like it."""
    return any(len(_units(index, form)) for form in forms)


def _units(index: "SnapshotView", term: str) -> "npt.NDArray[np.int32]":
    """Return the text units that hold a term, or a word that begins like it."""
    return index.bm25.forms(term) if len(term) >= LEAST_STEM else index.bm25.units_of(term)


def text_of(index: "SnapshotView", unit: int) -> str:
    return str(index.cell("text_units", "text", unit))


def labels(index: "SnapshotView", units: Iterable[int]) -> set[str]:
    """Return the terms of what the cells of some rows are called."""
    return {term for unit in units for label in _LABEL.findall(text_of(index, unit)) for term in terms(label, "en")}


def title_of(index: "SnapshotView", unit: int) -> str:
    """Return the title of a text unit's document."""
    return str(index.cell("documents", "title", index.document_row[unit]))


def path_of(index: "SnapshotView", unit: int) -> str:
    """Return the path of a text unit's document."""
    return str(index.cell("documents", "path", index.document_row[unit]))


def _sentences(index: "SnapshotView", unit: int) -> tuple[list[tuple[int, int]], list[frozenset[str]]]:
    """Return where the sentences of a text unit are, and their terms."""
    text, language = text_of(index, unit), index.cell("documents", "language", index.document_row[unit])
    spans = list(sentences(text, language))
    return spans, [frozenset(terms(text[start:end], language)) for start, end in spans]


def has_form(wanted: Iterable[str], words: Iterable[str]) -> bool:
    """Say whether one of some words is a form of one that is asked for, or is it.

    >>> has_form({"marri"}, ["marriag"]), has_form({"age"}, ["agent"])
    (True, False)
    """
    stems = [term[: max(LEAST_STEM, len(term) - ENDING)] for term in wanted if len(term) >= LEAST_STEM]
    return any(word in wanted or any(map(word.startswith, stems)) for word in words)


def unspaced_names(question: "Question", asking: frozenset[str], texts: Iterable[str]) -> tuple[str, ...]:
    """Return the names in a question in a script without spaces, else words of it that a text has; of another none."""
    if not UNSPACED.search(question.text):
        return ()
    words = (word for word in question.content if len(word) >= LEAST_NAME)
    found = question.known_names or tuple(word for word in words if any(word in text for text in texts))
    return tuple(name for name in found if not asking.issuperset(question.terms_of(name)))

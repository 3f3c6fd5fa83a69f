"""Whether texts tell of the year, or of the version of a thing, that a question names: abstention by number.

A number is written alike in all languages, so a question of another one is told by it, too.
"""

import re
from collections.abc import Iterable, Sequence, Set
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag_lite.retrieval.bm25 import YEAR
from graphrag_lite.search.extractive.answer_type import Sought
from graphrag_lite.search.extractive.beside_names import LOOKED_AT, has_form, path_of, text_of, title_of
from graphrag_lite.text.folding import fold
from graphrag_lite.text.sentences import sentences
from graphrag_lite.text.times import ANY_MONTH
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    import numpy.typing as npt

    from graphrag_lite.retrieval.question import Question

    Scores = npt.NDArray[np.floating[Any]]

BETWEEN = 2  # words between a name and its number: "Acme, version 2.0"
# Of more than one digit: "Phase 2" is the second one, in many words.
_VERSION = r"(?:\d+\.\d+|\d{2,3})(?![\w%]|[.,:/-]\d| ?%)"
_NUMBERED = re.compile(rf"(?<![\w.])([^\W\d_a-zß-ÿ][\w+#]*) v?({_VERSION})")
_MONTH = re.compile(ANY_MONTH)
_YEAR = re.compile(r"(?<![\w.,/-])(?:1[1-9]|20)\d\d(?!\d|[.,/-]\d|['’]?s\b)")


def _one_year(question: "Question") -> str:
    """Return the year that a question names, "" where it names none or several, as of a period."""
    years = set(_YEAR.findall(question.as_read))
    return years.pop() if len(years) == 1 else ""


def is_of_no_year(question: "Question") -> bool:
    """Say whether no text holds the year that a question names, nor is one dated in it."""
    year, index = _one_year(question), question.index
    if (
        not year
        or index.bm25.holds(year)
        or any(year in path for path in index.column("documents", "path").to_pylist())
    ):
        return False
    first, last = (date(int(year), month, 1).toordinal() for month in (1, 12))
    return not bool(np.any((index.days >= first) & (index.days < last + 31)))


def is_of_no_version(question: "Question", scores: "Scores") -> bool:
    """Say whether no text has the number behind a name that a question does, but others: "Acme 2.0"."""
    bm25, index = question.index.bm25, question.index
    for name, number in _NUMBERED.findall(question.as_read):
        if YEAR.fullmatch(number) or _MONTH.fullmatch(fold(name)):
            continue
        units = bm25.all_of(question.terms_of(name))
        units = units[np.argsort(-scores[units], kind="stable")][:LOOKED_AT].tolist()
        texts = [part for unit in units for part in (text_of(index, unit), title_of(index, unit))]
        own = re.escape(name)
        numbered = re.compile(rf"{own} v?\d\.?\d")  # not "Rose 5 times"
        stated = re.compile(rf"{own}\b(?:[^\w.]+[\w.]+){{0,{BETWEEN}}}?[^\w.]+v?{re.escape(number)}(?!\w|,\d)", re.I)
        if any(map(numbered.search, texts)) and not any(map(stated.search, texts)):
            return True
    return False


def tells_number(text: str, words: Sequence[Set[str]]) -> bool:
    """Say whether an English sentence holds a number and a form of each of some words; of none, no.

    >>> tells_number("She is old. Her books sold 5 million copies.", [{"book"}, {"sell", "sold"}])
    True
    """
    texts = (text[start:end] for start, end in sentences(text, "en") if words)
    return any(Sought().has_count(one) and all(has_form(forms, terms(one, "en")) for forms in words) for one in texts)


def is_of_another_year(question: "Question", patterns: Sequence[re.Pattern[str]], units: Iterable[int]) -> bool:
    """Say whether text units tell an attribute that a question asks for, but none beside the year that it names.

    Beside it is a sentence before or after, and all of a text that has it in its title, its file's name or its date.
    """
    year, index = _one_year(question), question.index
    if not patterns or not year:
        return False
    for unit in units:
        dated = "" if np.isnan(index.days[unit]) else date.fromordinal(int(index.days[unit])).isoformat()
        if year in title_of(index, unit) + path_of(index, unit) or dated.startswith(year):
            return False
        text = text_of(index, unit)
        spans = list(sentences(text, question.analyzed_in)) if year in text else []
        for at, (start, end) in enumerate(spans):
            near = text[spans[max(0, at - 1)][0] : spans[min(len(spans) - 1, at + 1)][1]]
            if year in text[start:end] and any(says.search(near) for says in patterns):
                return False
    return True

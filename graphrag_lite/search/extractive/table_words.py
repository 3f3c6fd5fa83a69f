"""The words of a question as they are compared with the names of fields: what tables are asked by."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from graphrag_lite.retrieval.bm25 import LEAST_STEM
from graphrag_lite.retrieval.question_kinds import HOW_MANY
from graphrag_lite.text.word_lists import sections
from graphrag_lite.text.words import content_words, terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question

LISTS = sections(__package__, "table_answers.txt")
ASKS_ROWS = {"list", "who", "most", "fewest", "sum", "mean", "largest", "smallest"}  # lists of words
STEMMED = ("en", "de", "fr", "es")  # languages of the words that ask for a field
LONGEST_VALUE = 6  # words of a cell that a question may name, though no other row has it
_SPLIT = re.compile(r"_|(?<=[a-z])(?=[A-Z][a-z])")  # "gdpPercap", "temp_max"


@cache
def _listed(name: str, language: str) -> frozenset[str]:
    return frozenset(terms(" ".join(LISTS[name]), language))


@dataclass(frozen=True)
class TableQuestion:
    """A question as its words are compared with tables, which may be in no language: then it is read as English."""

    question: "Question"

    @cached_property
    def words(self) -> list[str]:
        return [word.casefold() for word in re.findall(r"\w+", self.question.text)]

    @cached_property
    def language(self) -> str:
        return self.question.language or "en"

    @cached_property
    def content(self) -> set[str]:
        """The words that are no function words, and do not only ask."""
        words = self.question.content if self.question.language else content_words(self.question.text, self.language)
        return {word.casefold() for word in words}.difference(LISTS["asking"])

    @cached_property
    def all_terms(self) -> list[str]:
        """The terms of all its words."""
        return self.terms(" ".join(self.words))

    def terms(self, text: str) -> list[str]:
        return terms(text, self.language)

    def field_terms(self, field: str) -> set[str]:
        return field_terms(field, self.language)

    def listed(self, name: str) -> frozenset[str]:
        """Return the terms of a list of words."""
        return _listed(name, self.language)

    @property
    def asks_rows(self) -> bool:
        """Whether it asks which rows, how many, or for what is most."""
        every = (word for name, listed in LISTS.items() if name.split()[0] in ASKS_ROWS for word in listed)
        return HOW_MANY.search(self.question.text) is not None or not {*self.words}.isdisjoint(every)

    def says(self, listed: str) -> bool:
        """Say whether it has a word of a list."""
        return not {*LISTS[listed]}.isdisjoint(self.words)


def field_terms(field: str, language: str) -> set[str]:
    """Return the terms of a field's name, without what says that it holds names, and in what units.

    >>> sorted(field_terms("Weight_in_lbs", "en")), sorted(field_terms("gdpPercap", "en"))
    (['weight'], ['gdp', 'percap'])
    """
    found = set(terms(_SPLIT.sub(" ", field), language))
    telling = {term for term in found if len(term) > 1 or not term.isascii()}  # not the n of `nRows`
    return telling - {"name"} - _listed("units", language) or found


def is_field(parsed: TableQuestion, field: str, query_terms: Iterable[str]) -> bool:
    """Say whether all that a field is called is said, or what is made of it: "reported", of a reporter."""
    own = parsed.field_terms(field)
    own = (own - parsed.listed("sum")) or own  # `medals.total`
    return bool(own) and (
        all(any(begins(one, term) for term in query_terms) for one in own)
        or any(not asking_terms(one).isdisjoint(query_terms) for one in own)
        or bool(written_in_parts(parsed, field))
    )


def n_matching(parsed: TableQuestion, field: str, query_terms: Collection[str]) -> int:
    """Return how many terms of a field's name are said."""
    return sum(any(begins(one, term) for term in query_terms) for one in parsed.field_terms(field))


def written_in_parts(parsed: TableQuestion, field: str) -> frozenset[int]:
    """Return which words of a question are what a field is called in parts of them: life expectancy, `lifeExp`."""
    parts = _SPLIT.sub(" ", field).casefold().split()
    for start in range(len(parsed.words) if len(parts) > 1 else 0):
        for end in range(start + 2, start + LONGEST_VALUE):
            if parsed.words[start].startswith(parts[0]) and "".join(parsed.words[start:end]).startswith("".join(parts)):
                return frozenset(range(start, end))
    return frozenset()


def begins(field: str, term: str) -> bool:
    """Say whether a field's term is one that is said, begins with it, or is asked by it."""
    return field == term or (len(term) > 2 and field.startswith(term)) or term in asking_terms(field)


def asking_terms(field: str) -> frozenset[str]:
    """Return the terms by which a field's term is asked for: "tall", of a height."""
    return _asking().get(field, frozenset())


@cache
def _asking() -> dict[str, frozenset[str]]:
    measures = {name: words for name, words in LISTS.items() if name.startswith("measure ")}
    stemmed = {
        name: {term for code in STEMMED for term in terms(" ".join(words), code)} for name, words in measures.items()
    }
    return {term: frozenset(stemmed[name]) for name in measures for term in terms(name, "en")[1:]}


def is_of(term: str, fields: set[str]) -> bool:
    """Say whether a field is called by a term, or by one that begins like it: "assigned to", of an assignee."""
    alike = len(term) > LEAST_STEM and any(field.startswith(term) for field in fields)
    return term in fields or alike or any(term in asking_terms(field) for field in fields)

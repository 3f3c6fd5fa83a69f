"""What texts may say in the place of a question's words, as lists have it: "throw it away" is told as "delete"."""

import re
from collections import defaultdict
from collections.abc import Callable
from functools import cache

from graphrag_lite.retrieval.other_words import other_forms
from graphrag_lite.retrieval.question_kinds import light_verbs
from graphrag_lite.text.word_lists import expressions
from graphrag_lite.text.words import WORD_PATTERN, terms

APART = 4  # words that an expression's next word is looked for among
_WORD = re.compile(WORD_PATTERN)


def paraphrase_terms(question: str, language: str) -> dict[str, set[str]]:
    """Return the terms that may tell what a question in `language` (ISO 639-1) asks, by its own term.

    All words of an expression have those of the whole. What says little by itself ("get") has only these.

    >>> sorted(paraphrase_terms("How do I throw my mails away?", "en")["away"])
    ['clear', 'delet', 'discard', 'eras', 'purg', 'remov', 'uninstal']
    >>> paraphrase_terms("Who took it?", "en")
    {}
    """
    words = [word.casefold() for word in _WORD.findall(question)]
    stems = [_stem(word, language) for word in words]
    light = {_stem(word, language) for word in light_verbs(question.casefold(), language)}
    found: dict[str, set[str]] = defaultdict(set)
    for stem in dict.fromkeys(stems):
        forms = other_forms(stem, language) if language == "en" else set()
        if stem not in light:
            found[stem] |= forms.union(*(terms(says, language) for says in _of_words(language).get(stem, ())))
        for form in sorted({stem, *forms}):
            for rest, says in _of_expressions(language).get(form, ()):
                for position in (position for position, other in enumerate(stems) if other == stem):
                    for used in _positions(rest, stems, position):
                        found[stems[used]].update(terms(says, language))
    return {term: others - {term} for term, others in found.items() if others - {term}}


def joined_words(question: str, language: str, holds: Callable[[str], bool]) -> dict[str, set[str]]:
    """Return the terms that texts hold of two or three words of a question written as one, by the term of each.

    >>> found = joined_words("What is the default body limit?", "en", {"bodylimit"}.__contains__)
    >>> sorted(found.items())
    [('bodi', {'bodylimit'}), ('limit', {'bodylimit'})]
    """
    found: dict[str, set[str]] = defaultdict(set)
    words = [word.casefold() for word in _WORD.findall(question)]
    for length in (2, 3):
        for row in (words[start : start + length] for start in range(len(words) - length + 1)):
            own = [terms(word, language) for word in row]
            if all(own) and all(map(str.isalpha, row)) and (whole := terms("".join(row), language)) and holds(whole[0]):
                for term in (term for one in own for term in one):
                    found[term].add(whole[0])
    return found


def _positions(rest: tuple[str, ...], stems: list[str], position: int) -> list[int]:
    """Return where the words of an expression stand whose first is at `position`; none where one is missing."""
    found = [position]
    for stem in rest:
        if stem not in (near := stems[found[-1] + 1 : found[-1] + 1 + APART]):
            return []
        found.append(found[-1] + 1 + near.index(stem))
    return found


def _stem(word: str, language: str) -> str:
    """Return the term of a word, a function word as it is."""
    return (terms(word, language) or [word])[0]


def _lines(language: str) -> list[tuple[list[str], str]]:
    """Return the words and expressions that ask, with what tells them, line by line."""
    lines = expressions(__package__, "paraphrases.txt").get(language, "").split("|")
    return [(asks.split(), says) for asks, _, says in (line.partition(":") for line in lines)]


@cache
def _of_words(language: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for asks, says in _lines(language):
        for word in (word for word in asks if "_" not in word):
            found[_stem(word, language)].append(says)
    return dict(found)


@cache
def _of_expressions(language: str) -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """Return the expressions by the stem of their first word: the stems of the others, and what tells them."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
    for asks, says in _lines(language):
        for expression in (word for word in asks if "_" in word):
            first, *rest = (_stem(word, language) for word in expression.split("_"))
            found[first].append((tuple(rest), says))
    return dict(found)

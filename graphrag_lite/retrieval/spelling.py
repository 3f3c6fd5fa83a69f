"""Words of a question that the corpus does not hold, read as the ones of the corpus that they are likely meant for.

Most typing errors are one letter left out, added or changed, or two swapped (Damerau 1964, CACM 7(3)), and few are in
the first letter. But most words that a corpus does not hold are spelt well, so a reading must be borne out: a passage
that holds the word as read has to fit the question about as well as any other. A word with a capital, likely a name,
needs less, as a question holds it for its own sake, and a name is seldom what another word is mistaken for.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping

import numpy as np
import numpy.typing as npt

from graphrag_lite.retrieval.bm25 import Bm25
from graphrag_lite.retrieval.capitals import is_named
from graphrag_lite.retrieval.columns import Strings
from graphrag_lite.text.folding import unaccented
from graphrag_lite.text.words import ASKING, WORD_PATTERN, terms

TWO_EDITS = 8  # letters of a term from which two edits are tried where one finds nothing
# Of a word with a capital and of another one: the least letters, as short words are near to too many others, and the
# least score of the best passage with a reading, of that of the best passage without. At .5 to .7 for names and .8 to 1
# for words, what is found of questions with an error moves by at most a point; below, words that are right are misread.
MIN_LETTERS, MIN_FIT = (4, 5), (0.6, 1.0)
SHORT_STEM = 5  # letters of a verb that is as likely one of its own as one with a wrong letter: "painted", "pointed"
MAX_WORDS = 16  # looked for in a question; each takes up to 10 ms in a vocabulary of 300,000 terms
MAX_READ = 8  # readings of a word, and text units of each, that are looked into for how the corpus writes it
FAR = 99  # edits: no reading
Passage = Callable[[int], tuple[str, str]]
"""Gives the text of a text unit, with its document's title, and its language."""
_WORD = re.compile(WORD_PATTERN)
_VERB = re.compile("[a-z]+(?:ed|ing)")
_NUMBERED = re.compile(r"\D+\d+|\d+\D+$")
_LATIN_GREEK_CYRILLIC = re.compile("[a-z\u00df-\u024f\u0370-\u052f]+")


def respell(question: str, readings: Mapping[str, str]) -> str:
    """Return a question with its words, and first those that are read together, replaced by their readings."""
    for phrase in readings:
        if not _WORD.fullmatch(phrase):
            question = question.replace(phrase, readings[phrase])
    return _WORD.sub(lambda word: readings.get(word[0], word[0]), question) if readings else question


def readings(
    question: str,
    language: str,
    index: Bm25,
    vocabulary: Strings,
    passage: Passage,
    capitalized: Container[str],
    left_out: Container[str] = frozenset(),
) -> dict[str, str]:
    """Return how words of a question in `language` are read that no text unit of `index` holds, by the word.

    `vocabulary` is that of the index, and `passage` gives a text unit's text and language. `capitalized` are its names
    (`names_within`); function words of its own language are `left_out`. Words with numbers that are written together
    are read apart, where the corpus has them. A word that is like none of it, or by chance only, has no reading. Of
    several it is the one with the fewest edits, then the one that a passage holds which fits the question best; it is
    spelt as these passages spell it.

    >>> from graphrag_lite.retrieval.bm25 import build
    >>> texts = ["Lyman Spitzer studied stars", "Spices of India", "The lymph"]
    >>> index = build([terms(text, "en") for text in texts])
    >>> words = Strings.of(index.vocabulary)
    >>> readings("Who was Lymann spitser?", "en", index, words, lambda unit: (texts[unit], "en"), ["Lymann"])
    {'Lymann': 'Lyman', 'spitser': 'Spitzer'}
    """
    found: dict[str, str] = {}
    known: dict[str, None] = {}
    unknown: dict[str, tuple[str, bool]] = {}
    for word in (match[0] for match in _WORD.finditer(question)):
        for term in terms(word, language) if word.casefold() not in left_out else ():
            if len(index.units_of(term)):
                known[term] = None
            elif _is_read(word, term):
                unknown[word] = term, word in capitalized
            elif len(parts := _NUMBERED.findall(word)) > 1 and all(
                len(index.units_of(part)) for part in terms(" ".join(parts), language)
            ):
                found[word] = " ".join(parts)
    if not unknown:
        return found
    others = index.scores(known)
    for word, (term, named) in list(unknown.items())[:MAX_WORDS]:
        near = nearest(term, vocabulary)
        if len(term) <= SHORT_STEM and term != word and _VERB.fullmatch(word):
            near = {other: n for other, n in near.items() if len(other) != len(term) or sorted(other) == sorted(term)}
        fits = {other: others[index.units_of(other)] + index.postings(other)[1] for other in near}
        tops = {other: float(fits[other].max(initial=0.0)) for other in near}
        fitting = [other for other in near if tops[other] >= MIN_FIT[word.islower()] * others.max(initial=0.0)]
        fitting.sort(key=lambda other: (near[other], -tops[other], other))
        forms: list[tuple[int, int, str]] = []
        for rank, other in enumerate(fitting[:MAX_READ]):
            best = np.argsort(-fits[other], kind="stable")[:MAX_READ]
            edits, written = _written(word, other, named, map(passage, index.units_of(other)[best].tolist()))
            if edits <= 1 + (len(term) >= TWO_EDITS):
                forms.append((edits, rank, written))
        if forms:
            found[word] = min(forms)[2]
    return found


def _is_read(word: str, term: str) -> bool:
    """Say whether a word that no text has may be another, misspelt."""
    long = len(word) >= MIN_LETTERS[word.islower()]
    return long and term not in ASKING and _LATIN_GREEK_CYRILLIC.fullmatch(term) is not None


def nearest(term: str, vocabulary: Strings) -> dict[str, int]:
    """Return the terms within one edit of `term`, for a long one else within two, and how many edits they are away."""
    for most in (1, 2)[: 1 + (len(term) >= TWO_EDITS)]:
        if found := _within(term, most, vocabulary):
            return found
    return {}


def _within(term: str, most: int, vocabulary: Strings) -> dict[str, int]:
    """Return the terms within `most` edits of `term` that begin like it.

    Compared are terms with the same first letters or the same last ones: an edit leaves one of both ends as it is, two
    nearly always.
    """
    n_shared = (len(term) - 1) // (most + 1)
    size, slack = len(term.encode()), most * max(len(letter.encode()) for letter in term)
    start, end = bisect_left(vocabulary, term[:n_shared]), bisect_left(vocabulary, term[:n_shared] + "\U0010ffff")
    ending = term[-n_shared:].encode()
    same_begin = vocabulary.of_size(size - slack, size + slack, start, end)
    same_end = vocabulary.ending(vocabulary.of_size(max(size - slack, len(ending)), size + slack), ending)
    positions = np.union1d(same_begin, same_end)
    others, lengths = vocabulary.code_points(positions)
    edits = distances(_points(term), others, lengths)
    near = {vocabulary[int(positions[i])]: int(edits[i]) for i in np.flatnonzero(edits <= most)}
    return {
        other: n
        for other, n in near.items()
        if (other[0] == term[0] or other[:2] == term[1::-1]) and _LATIN_GREEK_CYRILLIC.fullmatch(other)
    }


def distances(
    term: npt.NDArray[np.uint32], others: npt.NDArray[np.uint32], lengths: npt.NDArray[np.int64]
) -> npt.NDArray[np.int8]:
    """Return how many letters to add, leave out, change, or swap with the next make `term` each of `others`, (n,).

    `others` (n, width) are code points filled up with 0, of so many `lengths` (n,). No letter is edited twice (the
    optimal string alignment distance; Boytsov 2011, "Indexing methods for approximate dictionary searching", section
    2.2). One row of all tables at a time; a swap of letters looks two rows back.

    >>> words = ["spitzer", "sptizer", "pit"]
    >>> codes = np.array([[ord(letter) for letter in word.ljust(7, "\\0")] for word in words], np.uint32)
    >>> distances(codes[0], codes, np.array([7, 7, 3])).tolist()
    [0, 1, 4]
    """
    n, width = others.shape
    columns = np.ascontiguousarray(others.T)
    row = np.repeat(np.arange(width + 1, dtype=np.int8)[:, None], n, axis=1)
    before = row
    for i, letter in enumerate(term):
        two_before, before, row = before, row, np.full((width + 1, n), i + 1, np.int8)
        changed = columns != letter
        for j in range(width):
            row[j + 1] = np.minimum(np.minimum(before[j + 1], row[j]) + np.int8(1), before[j] + changed[j])
            if i and j:
                swapped = ~changed[j - 1] & (columns[j] == term[i - 1])
                row[j + 1] = np.where(swapped, np.minimum(row[j + 1], two_before[j - 1] + np.int8(1)), row[j + 1])
    edits: npt.NDArray[np.int8] = row[lengths, np.arange(n)]
    return edits


def _written(word: str, term: str, named: bool, passages: Iterable[tuple[str, str]]) -> tuple[int, str]:
    """Return how passages (text and language) write the term: the form nearest to `word`, and how many edits away.

    A name within a sentence is read as a name only: what the passages mostly write small is far from it.
    """
    forms: Counter[str] = Counter()
    names = 0
    for text, language in passages:
        for match in _WORD.finditer(text):
            if _folded(match[0][0]) == term[0] and terms(match[0], language) == [term]:
                forms[match[0]] += 1
                names += is_named(text, match) or -match[0].islower()
    if not forms or (named and names < 0):
        return FAR, ""
    edits = distances(_points(_folded(word)), *Strings.of([*map(_folded, forms)]).code_points(np.arange(len(forms))))
    ranked = zip(edits.tolist(), forms, forms.values(), strict=True)
    shouted = word.isupper()
    least, written, _ = min(
        ranked, key=lambda form: (form[0], form[1][0].islower() == named, form[1].isupper() != shouted, -form[2])
    )
    return least, written.capitalize() if written.isupper() and not shouted else written


def _folded(word: str) -> str:
    return unaccented(word.casefold())


def _points(word: str) -> npt.NDArray[np.uint32]:
    return np.array([ord(letter) for letter in word], np.uint32)

"""Words with a number in titles, such as "FY20", "Q3" and "EP-03": they tell the documents of a series apart.

What names a series, "BOEING" of "BOEING 10K 2022", tells it apart from others.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import groupby

from graphrag_lite.text.numbered_titles import Numbered, abbreviates, numbered_words

ByNumber = Mapping[str, Sequence[tuple[str, str, int]]]
"""Number -> the words that have it in titles, as they are compared and as they are written, each with its place."""

BorneOut = Callable[[str, Numbered, str], bool]
"""Says whether the corpus bears out that what a question says, as said and as taken apart, is a word of its titles."""
SERIES = range(2, 1001)  # numbers that a word of titles has; with more it only counts files ("scan 12345")
SPARSE = 10  # of a series, numbers from the first to the last for each that is there; ids are as good as random
PARTS = 3  # words with a number that are written together ("FY20Q3"); of more, or with letters behind, it is an id
_WHOLE = re.compile(rf"(?:[^\W\d_]+[.-]?\d+){{1,{PARTS}}}")
_CHUNK = re.compile(r"[^\s,;:|/()]+|[,;:|/()]")
_DIGITS = re.compile(r"\d+")


def in_series(titles: Iterable[tuple[str, Sequence[Numbered]]]) -> set[tuple[str, str]]:
    """Return the words and numbers that titles, each with all it has of them, are told apart by.

    Titles of a series have the same words up to the number, or from it on, and numbers that are near to each other.

    >>> titles = ("Call FY20 Q3", "Call FY21 Q1", "HIV-1 now", "On HIV-2", "c81ee8d")
    >>> sorted(in_series((title, numbered_words(title, "en")) for title in titles))
    [('fy', '20'), ('fy', '21'), ('q', '1'), ('q', '3')]
    """
    alike: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for title, words in titles:
        for one in words:
            first, last = _token(title, one)
            if _WHOLE.fullmatch(title[first:last]) or title[first:last].isdigit():
                before, after = (_DIGITS.sub("#", part) for part in (title[: one.start], title[one.end :]))
                alike["before", before, one.word].add(one.number)
                alike["after", after, one.word].add(one.number)
    found: dict[str, set[str]] = defaultdict(set)
    for (_, _, word), numbers in alike.items():
        whole = [int(number.partition(".")[0]) for number in numbers]
        if len(numbers) > 1 and max(whole) - min(whole) < SPARSE * len(numbers):
            found[word] |= numbers
    return {(word, number) for word, numbers in found.items() if len(numbers) in SERIES for number in numbers}


def series_names(titles: Mapping[str, Sequence[Numbered]], series: Collection[tuple[str, str]]) -> dict[str, list[str]]:
    """Return what names a series, by each of its titles: words beside its numbers that others have, too.

    Words that most titles of all series have name none of them.

    >>> titles = [f"{name} 10K {year}, page 3" for name in ("3M", "Best Buy", "AMD") for year in (2021, 2022)]
    >>> read = {title: numbered_words(title, "en") for title in titles}
    >>> [*dict.fromkeys(sum(series_names(read, {("k", "2021"), ("k", "2022")}).values(), []))]
    ['3M', 'Best Buy', 'AMD']
    """
    numbers = {title: [one for one in own if (one.word, one.number) in series] for title, own in titles.items()}
    words = {title: _words_beside(title, own) for title, own in numbers.items() if own}
    counts = Counter(word for found in words.values() for word in {*found} - {""})
    runs: dict[str, list[str]] = {}
    for title, found in words.items():
        naming = [word if 2 * counts[word] <= len(words) else "" for word in found]
        runs[title] = [" ".join(run) for is_naming, run in groupby(naming, bool) if is_naming]
    often = Counter(run for found in runs.values() for run in dict.fromkeys(found))
    return {title: [run for run in found if often[run] > 1] for title, found in runs.items()}


def _words_beside(title: str, numbers: Sequence[Numbered]) -> list[str]:
    """Return the words of a title in order, "" for each that is no word, or has to do with a number of it."""
    taken = {offset for one in numbers for offset in range(one.start, one.end)}
    found = ((word[0], taken.isdisjoint(range(*word.span()))) for word in _CHUNK.finditer(title))
    return [word if free and any(map(str.isalpha, word)) else "" for word, free in found]


def _token(title: str, one: Numbered) -> tuple[int, int]:
    """Return the characters of the letters and digits, without a blank, that hold a word with a number."""
    last = next((i for i in range(one.end, len(title)) if not title[i].isalnum()), len(title))
    first = next((i for i in range(one.end, 0, -1) if not (title[i - 1].isalnum() or title[i - 1] in "-.")), 0)
    return first, last


def by_number(of_titles: Iterable[tuple[str, int]]) -> ByNumber:
    """Return words with a number in titles, each as a title writes it and with its position, by number."""
    found: dict[str, list[tuple[str, str, int]]] = {}
    for written, position in of_titles:
        for one in numbered_words(written, ""):
            found.setdefault(one.number, []).append((one.word, written, position))
    return found


def as_titles_say(
    question: str, language: str, titles: ByNumber, borne_out: BorneOut = lambda *_: True
) -> dict[str, str]:
    """Return how words with a number are read that titles write otherwise, by what the question says.

    A word that is another in titles has to be `borne_out`; not so the year 2020 that is written 20.

    >>> titles = by_number([("FY20", 0), ("Q3", 1)])
    >>> as_titles_say("Sales in the third quarter of fiscal year 2020?", "en", titles)
    {'third quarter': 'Q3', 'fiscal year 2020': 'FY20'}
    """
    found: dict[str, str] = {}
    for numbered in numbered_words(question, language):
        short = numbered.number[2:] if len(numbered.number) == 4 else numbered.number  # of a year
        like = {
            (word, number): written
            for number in (numbered.number, short)
            for word, written, _ in titles.get(number, ())
            if abbreviates(word, numbered)
        }
        if like and (numbered.word, numbered.number) not in like:
            (word, _), written = next(iter(like.items()))
            initials = word == numbered.before[:1] + numbered.word[:1] and not numbered.word.startswith(word)
            stated = question[numbered.start - initials * (len(numbered.before) + 1) : numbered.end]
            if word == numbered.word or borne_out(stated, numbered, word):
                found[stated] = written
    return found

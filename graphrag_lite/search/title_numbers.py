"""Words with a number in titles, such as "FY20", "Q3" and "EP-03": they tell the documents of a series apart."""

from collections.abc import Iterable, Mapping, Sequence

from graphrag_lite.text.numbered import numbered, shortens

ByNumber = Mapping[str, Sequence[tuple[str, str, int]]]
"""Number -> the words that have it in titles, as they are compared and as they are written, each with its place."""


def by_number(of_titles: Iterable[tuple[str, int]]) -> ByNumber:
    """Return words with a number in titles, each as a title writes it and with its place, by number."""
    found: dict[str, list[tuple[str, str, int]]] = {}
    for written, place in of_titles:
        for one in numbered(written, ""):
            found.setdefault(one.number, []).append((one.word, written, place))
    return found


def as_titles_say(question: str, language: str, titles: ByNumber) -> dict[str, str]:
    """Return how words with a number are read that titles write otherwise, by what the question says.

    >>> titles = by_number([("FY20", 0), ("Q3", 1)])
    >>> as_titles_say("Sales in the third quarter of fiscal year 2020?", "en", titles)
    {'third quarter': 'Q3', 'fiscal year 2020': 'FY20'}
    """
    found: dict[str, str] = {}
    for said in numbered(question, language):
        short = said.number[2:] if len(said.number) == 4 else said.number  # of a year
        like = {
            (word, number): written
            for number in (said.number, short)
            for word, written, _ in titles.get(number, ())
            if shortens(word, said)
        }
        if like and (said.word, said.number) not in like:
            (word, _), written = next(iter(like.items()))
            initials = not word.startswith(said.word) and not said.word.startswith(word)
            found[question[said.start - initials * (len(said.before) + 1) : said.end]] = written
    return found

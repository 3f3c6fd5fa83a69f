"""The newest release, where a question asks for it: the latest heading of a log of changes that states a day."""

import re
from typing import TYPE_CHECKING

from graphrag_lite.search.answer import Answer, Ranking, Statement, compose
from graphrag_lite.search.headings import HEADING
from graphrag_lite.text.periods import periods
from graphrag_lite.text.word_lists import expressions
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question

LEAST = 2  # headings with a number and a day: one may be any
BEGINNING = 1000  # characters of a log that name what it is of
_FORMS = expressions(__package__, "releases.txt")
_WORDS = (("NEW", f"(?:{_FORMS['new']})"), ("RELEASE", f"(?:{_FORMS['release']})"))
_ASKS = re.compile(_FORMS["asks"].replace(*_WORDS[0]).replace(*_WORDS[1]), re.I)
_LOG = re.compile(_FORMS["log"], re.I)
_GENERAL = " ".join(re.findall(r"[^\W\d_]{2,}", " ".join(_FORMS[name] for name in ("asks", "new", "release"))))
_NUMBER = re.compile(r"\A\W*v?\d+(?!-?\d)|\d\.\d")
_NAME_PARTS = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")  # "docs/ChangeLog.html"


def newest_release(question: "Question", method: str, ranking: Ranking) -> Answer | None:
    """Answer by the log that shares most words with the question, of these the one of most releases.

    >>> [bool(_ASKS.search(text)) for text in ("What is the latest version of Zep?", "Why the latest version?")]
    [True, False]
    """
    if not _ASKS.search(question.text):
        return None
    index = question.index
    asked = set(question.terms_of(question.text)).difference(question.terms_of(_GENERAL))
    found = []
    for row in range(index.n_rows("documents")):
        title, path, language = (index.cell("documents", name, row) for name in ("title", "path", "language"))
        named = f"{title} {_NAME_PARTS.sub(' ', path)}"
        if not (_LOG.search(named) and (releases := _releases(text := index.document_text(row), language))):
            continue
        held = asked.intersection(terms(named, language))
        if not asked or held or asked.intersection(terms(text[:BEGINNING], language)):
            found.append((len(held), len(releases), -row, max(releases)))
    if not found:
        return None
    _, _, row, (_, _, start, end) = max(found)
    starts = {unit: index.cell("text_units", "char_start", unit) for unit in index.units_in(-row)}
    unit = max(unit for unit, first in starts.items() if first <= start)
    return compose(question, method, [Statement(unit, start, end, index.cell("documents", "title", -row))], ranking)


def _releases(text: str, language: str) -> list[tuple[str, int, int, int]]:
    """Return the day of each heading that states one beside a number, its order within a day, and its span.

    >>> _releases("# Log\\n## 1.1 - 2021-03-14\\nOne.\\n## 1.0 (3 May 2023)\\nTwo.", "en")
    [('2021-03-14', 0, 9, 25), ('2023-05-03', -1, 34, 50)]
    """
    found: list[tuple[str, int, int, int]] = []
    for mark in HEADING.finditer(text):
        stated = periods(mark[2], None, language) if text[mark.start() - 1 : mark.start()] in ("", "\n") else []
        if stated and _NUMBER.search(mark[2]):
            found.append((str(stated[0].first), -len(found), *mark.span(2)))
    return found if len(found) >= LEAST else []

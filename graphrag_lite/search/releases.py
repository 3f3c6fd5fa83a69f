"""The newest release, where a question asks for it: the latest of a log of changes by the day at its heading."""

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
_LINE_BELOW = re.compile(r"\s*([^\n]{6,30})(?=\n|\Z)")  # a day and no more
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
    logs, found = [], []
    for row in range(index.n_rows("documents")):
        title, path, language = (index.cell("documents", name, row) for name in ("title", "path", "language"))
        named = f"{title} {_NAME_PARTS.sub(' ', path)}"
        if not (_LOG.search(named) and (releases := _releases(text := index.document_text(row), language))):
            continue
        held = asked.intersection(terms(named, language))
        log = (len(held), len(releases), -row, max(releases))
        if not asked or held or asked.intersection(terms(text[:BEGINNING], language)):
            found.append(log)
        logs.append((log, text, language))
    if len(logs) == 1 and not asked.isdisjoint(terms(*logs[0][1:])):  # the only one need not begin with its name
        found = [logs[0][0]]
    if not found:
        return None
    _, _, row, (_, _, start, end) = max(found)
    starts = {unit: index.cell("text_units", "char_start", unit) for unit in index.units_in(-row)}
    unit = max(unit for unit, first in starts.items() if first <= start)
    return compose(question, method, [Statement(unit, start, end, index.cell("documents", "title", -row))], ranking)


def _releases(text: str, language: str) -> list[tuple[str, int, int, int]]:
    """Return the day of each heading with a number that states one, or has it below, its order in a day, and its span.

    >>> _releases("# Log\\n## 1.1 - 2021-03-14\\nOne.\\n## 1.0 (3 May 2023)\\nTwo.", "en")
    [('2021-03-14', 0, 9, 25), ('2023-05-03', -1, 34, 50)]
    >>> _releases("## 1.1\\n\\n2021-03-14\\n* One.\\n\\n## 1.0\\n3 May 2020\\n* Two.", "en")
    [('2021-03-14', 0, 3, 18), ('2020-05-03', -1, 30, 44)]
    """
    found: list[tuple[str, int, int, int]] = []
    for mark in HEADING.finditer(text):
        if text[mark.start() - 1 : mark.start()] not in ("", "\n") or not _NUMBER.search(mark[2]):
            continue
        (start, end), stated = mark.span(2), periods(mark[2], None, language)
        if not stated and (below := _LINE_BELOW.match(text, mark.end())):
            end = below.end()
            stated = [day for day in periods(below[1], None, language) if day.first == day.last]
        if stated:
            found.append((str(stated[0].first), -len(found), start, end))
    return found if len(found) >= LEAST else []

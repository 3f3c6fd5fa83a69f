"""Releases as a log of changes lists them, by its headings that state a day: the newest, one's day, the next one."""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from graphrag_lite import tables
from graphrag_lite.search.answer import Answer, Ranking, Statement, compose
from graphrag_lite.search.extractive.headings import HEADING
from graphrag_lite.text.periods import periods
from graphrag_lite.text.plain_text import path_words
from graphrag_lite.text.word_lists import expressions
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

MAX_CHANGES = 5  # of a release that are told
MAX_LOGS, MAX_ITEMS = 5, 3  # logs whose newest release is told, and of each
LEAST = 2  # headings with a number and a day: one may be any
BEGINNING = 1000  # characters of a log that name what it is of
_FORMS = expressions(__package__, "releases.txt")
_WORDS = {"NEW": f"(?:{_FORMS['new']})", "RELEASE": f"(?:{_FORMS['release']})", "NUMBER": r"v?\d+(?:\.\d+)+"}
_ASKS = {
    kind: re.compile(re.sub("|".join(_WORDS), lambda word: _WORDS[word[0]], _FORMS[kind]), re.I)
    for kind in ("asks", "day", "on", "after", "before", "changed")
}
_GIVEN = re.compile(rf"(?<![\w.]){_WORDS['NUMBER']}(?!\w|\.\d)")
_LOG = re.compile(_FORMS["log"], re.I)
_GENERAL = " ".join(re.findall(r"[^\W\d_]{2,}", " ".join(_FORMS[name] for name in (*_ASKS, "new", "release"))))
_NUMBER = re.compile(r"\A\W*v?\d+(?!-?\d)|\d\.\d")
_RELEASED = re.compile(rf"(?:\[|version |release )?{_WORDS['NUMBER']}(?!\w|\.\d)|\d{{4}}-\d\d-\d\d\b", re.I)
_ITEM = re.compile(r"(?m)^[ \t]*[-*+•][ \t]+(\S[^\n]*\S)")
_LINES = re.compile(r"(?m)^(?!#)[^\n]*\w[^\n]*(?:\n(?!#)[^\n]*\w[^\n]*)*")  # that stand together


class _Release(NamedTuple):
    day: str
    order: int  # of those of one day; in most logs the newest stands first
    number: str
    row: int  # of its document
    start: int
    end: int


def release_answer(question: "Question", method: str, ranking: Ranking) -> Answer | None:
    """Answer by the log that shares most words with the question, of these the one of most releases.

    Documents each of which is titled by one release are a log together. A release that neither it nor any text near the
    question has is refused.

    >>> [_parse(text) for text in ("What is the latest version of Zep?", "Why the latest version?")]
    [('asks', ''), None]
    >>> [_parse(text) for text in ("When was Zep v1.2 released?", "Which version came after 1.2?")]
    [('day', '1.2'), ('after', '1.2')]
    >>> _parse("What's new in Zep 1.2?")
    ('changed', '1.2')
    """
    if (parsed := _parse(question.text)) is None:
        return None
    index, (kind, number) = question.index, parsed
    if kind == "changed":
        changes = _changes(index, number)
        return compose(question, method, changes, ranking) if changes else None
    if not (releases := sorted(_log_of(question))):
        return None
    day = str(question.periods[0].first) if kind == "on" and question.periods else ""
    position = next((at for at, one in enumerate(releases) if _is_numbered(one, number) or one.day == day), None)
    position = -1 if kind == "asks" else position
    if position is None:
        named = re.compile(rf"(?<![\w.=<>~])(?<![=<>~] )v?{re.escape(number)}(?!\w|\.\d)", re.I)  # no "lib>=1.0"
        mentioned = number and any(named.search(index.cell("text_units", "text", unit)) for unit in ranking.units)
        return None if mentioned or kind not in ("day", "on") else compose(question, method, [], ranking)
    position += {"after": 1, "before": -1}.get(kind, 0)
    if number and not 0 <= position < len(releases):
        return None
    _, _, _, row, start, end = releases[position]
    [unit] = index.units_at(row, [start])
    title = index.cell("documents", "title", row)
    over = "" if index.document_text(row).startswith(title, start) else title
    return compose(question, method, [Statement(unit, start, end, over)], ranking)


def latest_changes(index: "SnapshotView") -> list[Statement]:
    """Return the first items of the newest release of each log of changes, where half of the documents are such logs.

    Of a log without days it is the release that stands first.
    """
    n = index.n_rows("documents")
    found: dict[int, list[tuple[int, int]]] = {}
    for row, (title, path) in enumerate(tables.rows(index.columns("documents", ["title", "path"]), "title", "path")):
        if len(found) == MAX_LOGS or not _LOG.search(f"{title} {path_words(path)}"):
            continue
        text = index.document_text(row)
        dated = sorted(_releases(text, index.cell("documents", "language", row), row))
        start, end = dated[-1][-2:] if len(dated) >= LEAST else next((one.span(2) for one in _numbered(text)), (0, 0))
        if end:
            found[row] = [(start, end), *_items(text, end)]
    if 2 * len(found) < min(n, 2 * MAX_LOGS):
        return []
    statements = []
    for row, spans in found.items():
        title = index.cell("documents", "title", row)
        units = index.units_at(row, [start for start, _ in spans])
        statements += [Statement(unit, *span, title) for unit, span in zip(units, spans, strict=True)]
    return statements


def _changes(index: "SnapshotView", number: str) -> list[Statement]:
    """Return what stands below the first heading that is a release's number alone, or with its day: items, or lines."""
    named = re.compile(rf"(?:version |release )?\W?v?{re.escape(number)}(?!\w|\.\d)", re.I)
    for row, path in enumerate(index.column("documents", "path").to_pylist()):
        text = index.document_text(row) if _LOG.search(path_words(path)) else ""
        for mark in HEADING.finditer(text):
            if named.match(mark[2]):
                last = _next_release(text, mark.start())
                spans = [item.span(1) for item in _ITEM.finditer(text, mark.end(), last)]
                spans = spans or [line.span() for line in _LINES.finditer(text, mark.end(), last)]
                units = index.units_at(row, [start for start, _ in spans[:MAX_CHANGES]])
                return [Statement(unit, *span, mark[2]) for unit, span in zip(units, spans, strict=False)]
    return []


def _numbered(text: str) -> Iterator["re.Match[str]"]:
    """Yield the headings of a text that are a release's number."""
    return (mark for mark in HEADING.finditer(text) if _RELEASED.match(mark[2]))


def _next_release(text: str, position: int) -> int:
    """Return where the next release below a place is headed, the end of the text where none is."""
    return next((mark.start() for mark in _numbered(text) if mark.start() > position), len(text))


def _items(text: str, position: int) -> list[tuple[int, int]]:
    """Return the spans of the first items of the list below a place, up to the next release.

    >>> text = "## 1.1\\n\\n- Add the drain command.\\n- Fix it.\\n## 1.0\\n- Begin."
    >>> [text[start:end] for start, end in _items(text, 6)]
    ['Add the drain command.', 'Fix it.']
    """
    items = _ITEM.finditer(text, position, _next_release(text, position))
    return [item.span(1) for item in islice(items, MAX_ITEMS)]


def _parse(text: str) -> tuple[str, str] | None:
    """Return what a question asks of releases, and the number of the one that it names; None where it asks no such."""
    kind = next((kind for kind, form in _ASKS.items() if form.search(text)), None)
    given = _GIVEN.findall(text)
    if kind is None or len(given) != (kind not in ("asks", "on")):
        return None
    return kind, (given or [""])[0].lower().removeprefix("v")


def _log_of(question: "Question") -> list[_Release]:
    """Return the releases of the log that a question is about; none where there is no log."""
    index = question.index
    query_terms = set(question.terms_of(_GIVEN.sub(" ", question.text))).difference(question.terms_of(_GENERAL))
    logs, found = list(_logs(index)), []
    for named, language, releases in logs:
        text = index.document_text(releases[0].row)
        held = query_terms.intersection(terms(named, language))
        begins = text if len(logs) == 1 else text[:BEGINNING]  # the only one need not begin with its name
        if held or not query_terms or not query_terms.isdisjoint(terms(begins, language)):
            found.append((len(held), len(releases), -releases[0].row, releases))
    return max(found)[3] if found else []


def _logs(index: "SnapshotView") -> Iterator[tuple[str, str, list[_Release]]]:
    """Yield what names each log of changes, its language, and its releases."""
    pages: dict[str, list[_Release]] = defaultdict(list)  # documents of one release each, by language
    for row in range(index.n_rows("documents")):
        title, path, language = (index.cell("documents", name, row) for name in ("title", "path", "language"))
        named, is_page = f"{title} {path_words(path)}", _GIVEN.search(title)
        if is_page or _LOG.search(named):
            found = _releases(index.document_text(row), language, row)
            if len(found) >= LEAST and _LOG.search(named):
                yield named, language, found
            elif is_page and found and found[0].start < BEGINNING:
                pages[language].append(found[0])
    for language, found in pages.items():
        if len(found) >= LEAST:
            yield index.cell("documents", "title", found[0].row), language, found


def _is_numbered(release: _Release, number: str) -> bool:
    """Say whether a release has a number, which may leave out a last zero: "0.8" for "0.8.0"."""
    return bool(number) and release.number in (number, f"{number}.0")


def _releases(text: str, language: str, row: int = 0) -> list[_Release]:
    """Return the day of each heading that states one beside a number, its order within a day, number, and span.

    >>> [tuple(one) for one in _releases("# Log\\n## 1.1 - 2021-03-14\\nOne.\\n## 1.0 (3 May 2023)\\nTwo.", "en")]
    [('2021-03-14', 0, '1.1', 0, 9, 25), ('2023-05-03', -1, '1.0', 0, 34, 50)]
    """
    found: list[_Release] = []
    for mark in HEADING.finditer(text):
        stated = periods(mark[2], None, language) if text[mark.start() - 1 : mark.start()] in ("", "\n") else []
        if stated and _NUMBER.search(mark[2]):
            number = (_GIVEN.findall(mark[2]) or [""])[0].lower().removeprefix("v")
            found.append(_Release(str(stated[0].first), -len(found), number, row, *mark.span(2)))
    return found

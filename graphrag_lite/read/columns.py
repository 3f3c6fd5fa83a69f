"""What the columns of a table hold, told by their values: which is the text, the title, the time, the row's own id."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from graphrag_lite.text.timestamps import column_to_iso
from graphrag_lite.text.word_lists import expressions

KEY, TITLE, GIVEN, FAMILY, MADE, TIME, PERSON, ORGANIZATION = (
    re.compile(form, re.I) for form in expressions(__package__, "columns.txt").values()
)
NAME = re.compile(r"(?:[^\W\d_]\.?['’-]?){2,}(?:[ ,]+(?:[^\W\d_]\.?['’-]?)+){1,3}")
CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
_WORD = re.compile(r"(?!(?:nan|inf)\b)(?<![^\W_])[^\W\d_]{2,}", re.I)
_DATE = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d{2,4}")
_COORDINATES = re.compile(r"-?\d+(?:\.\d+)?[,;] ?-?\d+(?:\.\d+)?")  # a latitude and a longitude
_HEXADECIMAL = re.compile(r"\b0x[\da-f]+", re.I)
NAMES, BODIES = ("login", "displayName", "name", "title", "author", "user"), ("body", "text", "content", "value")
MIN_WORDS = 7  # of a text on average; a CJK character counts half a word
MAX_VALUES = 40  # that a column of few values has
MAX_LENGTH = 60  # characters of such a value
MIN_ROWS = 10  # of which all have one value: not of these few by chance
OWN = 0.9  # of the values of a column that is called a title or name: with so many distinct ones it names rows
EMPTY = re.compile(r"[-–—―－]+|n/a", re.I)  # what tables write for no value
BEFORE = 15  # rows at most that stand above the names of columns


@dataclass(frozen=True)
class ColumnRoles:
    """The columns of a table by what they hold, each in their order. `kinds` is of those left: the block of a cell.

    A person's title is the given name, with the one of the `family` behind it.
    """

    key: str
    title: str
    time: str
    texts: tuple[str, ...]
    kinds: Mapping[str, str]
    family: str = ""

    def summary(self) -> str:
        """Say what was taken for what."""
        parts = {"id": [self.key], "title": [self.title], "text": self.texts, "time": [self.time]}
        kinds = {"people": "person", "organizations": "organization", "few values": "value"}
        roles = parts | {what: [name for name, of in self.kinds.items() if of == kind] for what, kind in kinds.items()}
        return "; ".join(f"{what} {', '.join(names)}" for what, names in roles.items() if any(names)) or "no columns"


def detect_columns(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> ColumnRoles:
    """Tell the columns of a table by their names and values. A name alone decides only between columns that both fit.

    >>> rows = [{"nr": f"T-{n}", "what": f"Login {n}", "who": w, "more": f"It fails since update {n} of the server."}
    ...         for n, w in enumerate(["Ann Lee", "Bo Diaz", "Ann Lee"])]
    >>> detect_columns(list(rows[0]), rows).summary()
    'id nr; title what; text more; few values who'
    """
    cells = {name: [cell_text(row.get(name)) for row in rows] for name in names}
    filled = {name: [value for value in values if value] for name, values in cells.items()}
    filled = {name: values for name, values in filled.items() if values}
    texts = [name for name, values in filled.items() if _is_text(values)]
    left = [name for name in filled if name not in texts]
    times = [name for name in left if _is_time(name, filled[name])]
    most = max((len(filled[name]) for name in times), default=0)
    time = _first(MADE, (name for name in times if len(filled[name]) >= most))
    left = [name for name in left if name not in times]
    key = _first(KEY, (name for name in left if _is_key(name, filled[name], len(rows))))
    left = [name for name in left if name != key]
    short = [
        name for name in texts if words_on_average(filled[name]) < 15 and (name == texts[0] or TITLE.fullmatch(name))
    ]
    heads = [name for name in short if TITLE.fullmatch(name)] if len(texts) > 1 else []
    title = _first(TITLE, heads or (name for name in left if _is_title(name, filled[name])))
    title = title or next((name for name in left if TITLE.fullmatch(name) and _names_rows(filled[name])), "")
    title = title or (short[0] if short and len(texts) > 1 else "")
    texts = [name for name in texts if name != title]
    if not title and not texts:  # short cells alone: a row is called by what few others have
        title = _first(TITLE, (name for name in left if _tells_apart(filled[name])))
    given, family = (next(filter(form.fullmatch, left), "") for form in (GIVEN, FAMILY))
    title, family = (given, family) if given and family and title in ("", given, family) else (title, "")
    kinds = {name: kind for name in left if name != title and (kind := _kind(name, filled[name], len(rows)))}
    return ColumnRoles(key, title, time, tuple(texts), kinds, family)


def head_of(lines: Sequence[Sequence[Any]]) -> int:
    """Return the number of the line that names the columns: the first one, or what is below an account and a period.

    Lines above the names have at most half as many cells.

    >>> head_of([["Account:", "7"], ["day", "what", "to", "sum"], ["3", "rent", "Bo", "9"], ["4", "", "Cy", "8"]])
    1
    """
    widths = [sum(cell not in ("", None) for cell in line) for line in lines[: BEFORE + MIN_ROWS]]
    for at, own in enumerate(widths[1:BEFORE], start=1):
        below = widths[at + 1 :]
        alike = sum(own / 2 < width <= own for width in below)
        wide = own >= max(3, 2 * max(widths[:at])) and 1.5 * alike >= len(below) > 1
        if wide and all(isinstance(cell, str) and not _is_number(cell) for cell in lines[at]):
            return at
    return 0


def by_name(names: Sequence[str], line: Sequence[Any]) -> dict[str, Any]:
    """Return the cells of a line by the names of their columns, of one name a list; what has no name stands under "".

    >>> by_name(["day", "tag", "tag"], ["3", "a", "b", "c"])
    {'day': '3', 'tag': ['a', 'b'], '': ['c']}
    """
    values: dict[str, Any] = dict(zip_longest(names, line[: len(names)]))
    for name in {name for name, n in Counter(names).items() if n > 1}:
        values[name] = [cell for key, cell in zip(names, line, strict=False) if key == name and cell not in ("", None)]
    return values | ({"": list(line[len(names) :])} if len(line) > len(names) else {})


def cell_text(value: Any) -> str:
    """Return a cell as text: whole numbers without a fraction, nothing for what is empty or dashes alone.

    Of an object it is its name, and of a comment who says what; lists of these, and of words, are all of theirs.

    >>> cell_text([{"name": "bug"}, {"name": "export"}]), cell_text([{"author": {"login": "ann"}, "body": "Yes."}])
    ('bug; export', 'ann: Yes.')
    """
    if isinstance(value, dict):
        name = next((cell_text(value[key]) for key in NAMES if value.get(key)), "")
        body = next((cell_text(value[key]) for key in BODIES if value.get(key)), "")
        return ": ".join(filter(None, (name, body)))
    if isinstance(value, list):
        parts = [cell_text(each) for each in value if isinstance(each, dict | str)]
        return ("\n\n" if any(len(part) > MAX_LENGTH for part in parts) else "; ").join(filter(None, parts))
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    text = "" if value is None or isinstance(value, bytes) else str(value).strip()
    return "" if EMPTY.fullmatch(text) else text


def has_word(value: Any) -> bool:
    """Tell whether a cell is more than a number: in decimal or hexadecimal digits, missing or infinite.

    >>> [has_word(cell) for cell in (" 0x5ee7", "1.5e-7", "nan", 3, "T-14", "SKU 14")]
    [False, False, False, False, False, True]
    """
    return isinstance(value, str) and bool(_WORD.search(_HEXADECIMAL.sub("", value)))


def parts_of(value: str, kind: str) -> list[str]:
    """Return the values of a cell: several where they stand in a list."""
    return [part for piece in re.split(r"[;,]", value) if (part := piece.strip())] if kind == "value" else [value]


def _first(preferred: re.Pattern[str], names: Iterable[str]) -> str:
    listed = list(names)
    return next((name for name in listed if preferred.fullmatch(name) or preferred.match(name)), (listed or [""])[0])


def words_on_average(values: Sequence[str]) -> float:
    """Return how many words a value has; a CJK character counts half a word."""
    return sum(len(value.split()) + len(CJK.findall(value)) / 2 for value in values) / len(values)


def _is_text(values: Sequence[str]) -> bool:
    return words_on_average(values) >= MIN_WORDS and len(set(values)) > min(2, len(values) // 2)


def _is_key(name: str, values: Sequence[str], n_rows: int) -> bool:
    """Say whether each row has a value of its own, which is a number or letters with one."""
    short = all(len(value) <= 40 and not re.search("[ :]", value) for value in values)
    numbered = all(re.search(r"\d", value) and not _COORDINATES.fullmatch(value) for value in values)
    own = len(set(values)) == len(values) >= n_rows
    return short and own and (bool(KEY.fullmatch(name)) or (numbered and not all(map(_is_number, values))))


def _is_number(value: str) -> bool:
    return bool(re.fullmatch(r"[-+]?[\d.,\s']*\d\s?[%€$£]?|[€$£]\s?[\d.,]+", value))


def _is_time(name: str, values: Sequence[str]) -> bool:
    sample = values[:: len(values) // 100 + 1]  # of all: 3/4/2025 is told by a later 3/14/2025
    if all(_is_number(value) and not _DATE.fullmatch(value) for value in sample) and not TIME.match(name):
        return False
    return sum(map(bool, column_to_iso(sample))) >= 0.9 * len(sample)


def _is_title(name: str, values: Sequence[str]) -> bool:
    """Say whether many values are of one row, and a few words each."""
    return (
        len(set(values)) > (0.1 if TITLE.fullmatch(name) else 0.4) * len(values) + 1
        and 1.5 <= words_on_average(values) < 15
        and all(map(has_word, values[:MAX_VALUES]))
        and not any(map(_is_number, values))
        and not all(map(NAME.fullmatch, values))
    )


def _names_rows(values: Sequence[str]) -> bool:
    """Say whether nearly all values of what is called a name are of one row: of one word, or people's, too."""
    return len(set(values)) >= OWN * len(values) and words_on_average(values) < 15 and not any(map(_is_number, values))


def _tells_apart(values: Sequence[str]) -> bool:
    """Say whether most rows have a value of their own, which is no number."""
    return (
        len(set(values)) > len(values) // 2
        and not any(map(_is_number, values))
        and words_on_average(values) < MIN_WORDS
    )


def _kind(name: str, values: Sequence[str], n_rows: int) -> str:
    """Return what the cells of a column are: names of people, values of few, or neither."""
    if all(map(_is_number, values)) or max(map(len, values)) > 4 * MAX_LENGTH:
        return ""
    distinct = {part for value in values for part in parts_of(value, "value")}
    if len(distinct) == 1 and len(values) == n_rows >= MIN_ROWS:
        return ""  # what all rows have tells nothing of one
    names = sum(bool(NAME.fullmatch(value)) and unicodedata.category(value[0]) != "Ll" for value in set(values))
    if PERSON.fullmatch(name) and names >= 0.9 * len(set(values)) and not any(map(ORGANIZATION.search, values)):
        return "person"
    companies = sum(bool(ORGANIZATION.search(value)) for value in distinct)
    if companies > 1 and companies >= 0.5 * len(distinct):
        return "organization"
    few = len(distinct) <= min(MAX_VALUES, max(2, n_rows // 2)) and max(map(len, distinct), default=0) <= MAX_LENGTH
    return "value" if few else ""

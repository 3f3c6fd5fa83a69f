"""Tables as text: CSV and what spreadsheets write by that name."""

import re
from collections import Counter
from collections.abc import Collection, Iterator

from graphrag_lite.read.documents import Fields, Item, Reader
from graphrag_lite.read.encoding import decode

MISSING = frozenset(("NA", "NaN", "nan", "NULL", r"\N", "#N/A"))  # no value, to R, pandas, databases, Excel
CODE = re.compile("[A-Z]{2}")
UNNAMED = re.compile(r"(?:Unnamed: \d+)?")  # as R and pandas head what each row is called or counted by
DAY = re.compile(r"\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{2,4}")
STATED = re.compile(r"""(?i)["']?sep=(.)["']?[ \t]*(?=\r?\n)""")  # a first line, for Excel
ALL_ROWS = re.compile(r" [0-9a-f]{32}_all\.csv\Z")
QUOTED = re.compile(r"""(?:\A|[\t\r\n])"[^"]*+(?:""[^"]*+)*+("(?=[\t\r\n]|\Z))?""")  # a cell


def repeated(names: Collection[str]) -> set[str]:
    """Return the tables among files that others repeat: Notion writes the rows of a view, and all in `..._all.csv`.

    >>> repeated({f"T {'a' * 32}.csv", f"T {'a' * 32}_all.csv", "b.csv", "b_all.csv"}) == {f"T {'a' * 32}.csv"}
    True
    """
    found = (f"{name.removesuffix('_all.csv')}.csv" for name in names if ALL_ROWS.search(name))
    return {name for name in found if name in names}


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    import csv
    import io

    from graphrag_lite.read.columns import by_name, head_of
    from graphrag_lite.read.rows import Row, row_documents

    text = decode(data)
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))  # of the whole process: never lowered
    stated = STATED.match(text)
    text = text[stated.end() :] if stated else text
    delimiter = stated[1] if stated else _delimiter(text[:4096])
    # A quotation mark that nothing closes would hide all below.
    unclosed = delimiter == "\t" and text.count('"') % 2 and any(not found[1] for found in QUOTED.finditer(text))
    quotes = None if unclosed else '"'
    spaced = f"{delimiter} " in text.lstrip().partition("\n")[0]  # cells in columns, as a reader sees them
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quotes, skipinitialspace=spaced)
    try:
        lines = [(reader.line_num, line) for line in reader if line]
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num}: {error}") from None
    if not lines:
        raise ValueError("an empty file")
    head = head_of([line for _, line in lines])
    rows, names = lines[head + 1 :], [name.strip() for name in lines[head][1]]
    if _is_row(names, [line for _, line in rows]):
        rows, names = lines[head:], [f"column {n}" for n in range(1, len(names) + 1)]
    _empty_missing([line for _, line in rows])
    names = _named(names, [line for _, line in rows])
    yield from row_documents([Row(number, by_name(names, line)) for number, line in rows], path, fields)


def _is_row(names: list[str], lines: list[list[str]]) -> bool:
    """Say whether what would name the columns is a row: a day over nothing but days."""
    days = [at for at, name in enumerate(names) if DAY.fullmatch(name)]
    return any(lines and all(at < len(line) and DAY.match(line[at].strip()) for line in lines) for at in days)


def _empty_missing(lines: list[list[str]]) -> None:
    """Empty the cells that stand for no value. Among codes of countries or continents NA is one."""
    for at in {at for line in lines for at, cell in enumerate(line) if cell in MISSING}:
        values = [line[at] for line in lines if at < len(line) and line[at] not in MISSING and line[at]]
        codes = 2 * sum(map(bool, map(CODE.fullmatch, values))) > len(values)
        for line in lines:
            if at < len(line) and line[at] in MISSING and not (codes and line[at] == "NA"):
                line[at] = ""


def _named(names: list[str], lines: list[list[str]]) -> list[str]:
    """Return the names of columns. A first one without a name is emptied where it only counts the rows."""
    if not UNNAMED.fullmatch(names[0]) or not lines or not any(names):
        return names
    first = [line[0] for line in lines]
    if first in ([str(n) for n in range(begin, begin + len(first))] for begin in (0, 1)):
        for line in lines:
            line[0] = ""
        return ["", *names[1:]]
    called = "row" if all(cell.strip().isdigit() for cell in first) or "name" in names else "name"
    return [called, *names[1:]]


def _delimiter(beginning: str) -> str:
    r"""Return what parts the cells: that of which the same number, and the most, stand in most lines.

    >>> _delimiter('Account;7\n\nday;what;sum\n3;"rent, heat";9,10\n4;food;8,20\n')
    ';'
    """
    lines = [line for line in re.sub(r'"[^"]*(?:"|\Z)', "", beginning).splitlines() if line]

    def fits(mark: str) -> tuple[int, int, int]:
        often = Counter(n for line in lines if (n := line.count(mark)))
        return max(((n_lines, lines[0].count(mark), n) for n, n_lines in often.items()), default=(0, 0, 0))

    return max(",;\t|", key=fits)


READER = Reader({".csv": "text/csv", ".tsv": "text/tab-separated-values"}, read, rows=True)

"""Tables as text: CSV and what spreadsheets write by that name."""

import re
from collections import Counter
from collections.abc import Iterator

from graphrag_lite.read.documents import Fields, Item, Reader
from graphrag_lite.read.encoding import decode

QUOTED = re.compile(r"""(?:\A|[\t\r\n])"[^"]*+(?:""[^"]*+)*+("(?=[\t\r\n]|\Z))?""")  # a cell


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    import csv
    import io

    from graphrag_lite.read.columns import by_name, head_of
    from graphrag_lite.read.rows import Row, row_documents

    text = decode(data)
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))  # of the whole process: never lowered
    delimiter = _delimiter(text[:4096])
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
    names = [name.strip() for name in lines[head][1]]
    yield from row_documents([Row(number, by_name(names, line)) for number, line in lines[head + 1 :]], path, fields)


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

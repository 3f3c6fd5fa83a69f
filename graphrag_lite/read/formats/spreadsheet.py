"""Spreadsheets, by python-calamine (extra `documents`): those that are tables row by row, all others as they stand."""

import datetime
import io
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from graphrag_lite.distribution import install_hint
from graphrag_lite.read.columns import cell_text, detect_columns
from graphrag_lite.read.documents import Composer, Fields, Item, Reader, replace_surrogates
from graphrag_lite.read.rows import Row, row_documents

OFFICE = "application/vnd."


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    """Yield the rows of sheets that have a head and texts; all other sheets as one document, a row a line."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise ValueError(f"spreadsheets need {install_hint('documents')}") from None
    composer = Composer()
    try:
        file = CalamineWorkbook.from_filelike(io.BytesIO(data))
        for name in file.sheet_names:
            cells = [[_plain(cell) for cell in row] for row in file.get_sheet_by_name(name).to_python()]
            filled = [row for row in cells if any(map(cell_text, row))]
            if _is_table(filled):
                yield from _rows(cells, f"{path}:{name}" if len(file.sheet_names) > 1 else path, fields)
            elif filled:
                composer.part()
                start = composer.length
                composer.add(replace_surrogates(f"## {name}\n\n" + "\n".join(map(_line, filled))))
                composer.mark("sheet", replace_surrogates(name), start)
    except CalamineError as error:
        raise ValueError(f"cannot be read: {error}") from None
    if composer.length:
        yield composer.loaded(path, "")


def _plain(cell: Any) -> Any:
    return cell.isoformat() if isinstance(cell, datetime.date | datetime.time) else cell


def _line(row: list[Any]) -> str:
    return " | ".join(map(cell_text, row)).strip(" |")


def _is_table(rows: list[list[Any]]) -> bool:
    """Say whether the first row names the columns of those below it, and one of them holds texts."""
    if len(rows) < 3:
        return False
    names = _names(rows[0])
    whole = len(names) > 1 and all(isinstance(cell, str) for cell in rows[0][: len(names)])
    return whole and bool(detect_columns(names, [dict(zip(names, row, strict=False)) for row in rows[1:]]).texts)


def _names(head: list[Any]) -> list[str]:
    """Return the names of columns up to the first that has none; each once."""
    names = [cell_text(cell) for cell in takewhile(cell_text, head)]
    return names if len(set(names)) == len(names) else []


def _rows(cells: list[list[Any]], path: str, fields: Fields) -> Iterator[Item]:
    head = next(number for number, row in enumerate(cells) if any(map(cell_text, row)))
    names = _names(cells[head])
    found = [Row(n, dict(zip(names, row, strict=False))) for n, row in enumerate(cells[head + 1 :], start=head + 2)]
    yield from row_documents(found, path, fields)


READER = Reader(
    {
        ".xlsx": OFFICE + "openxmlformats-officedocument.spreadsheetml.sheet",
        ".xls": OFFICE + "ms-excel",
        ".ods": OFFICE + "oasis.opendocument.spreadsheet",
    },
    read,
    rows=True,
)

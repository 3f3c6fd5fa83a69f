"""Spreadsheets, by python-calamine (extra `documents`): those that are tables row by row, all others as they stand."""

import io
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from graphrag_lite.distribution import install_hint
from graphrag_lite.read.columns import cell_text, detect_columns, head_of
from graphrag_lite.read.documents import Composer, Fields, Item, Reader, in_json, replace_surrogates
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
            cells = [[in_json(cell) for cell in row] for row in file.get_sheet_by_name(name).to_python()]
            filled = [(number, row) for number, row in enumerate(cells, start=1) if any(map(cell_text, row))]
            names, rows = _by_column(filled)
            if _is_table(names, [row.values for row in rows]):
                yield from row_documents(rows, f"{path}:{name}" if len(file.sheet_names) > 1 else path, fields)
            elif filled:
                composer.part()
                start = composer.length
                shown = "\n".join(_line(row) for _, row in filled)
                composer.add(replace_surrogates(f"## {name}\n\n{shown}"))
                composer.mark("sheet", replace_surrogates(name), start)
    except CalamineError as error:
        raise ValueError(f"cannot be read: {error}") from None
    if composer.length:
        yield composer.loaded(path, "")


def _line(row: list[Any]) -> str:
    return " | ".join(map(cell_text, row)).strip(" |")


def _by_column(filled: list[tuple[int, list[Any]]]) -> tuple[list[str], list[Row]]:
    """Return the names of the columns, up to the first that has none, and the rows below them."""
    head = head_of([row for _, row in filled])
    named = takewhile(lambda cell: isinstance(cell, str) and cell.strip(), filled[head][1] if filled else ())
    names = list(map(cell_text, named))
    return names, [Row(number, dict(zip(names, row, strict=False))) for number, row in filled[head + 1 :]]


def _is_table(names: list[str], rows: list[dict[str, Any]]) -> bool:
    """Say whether columns have names of their own, and one holds texts, or several tell what each row is."""
    if len(rows) < 2 or len(names) < 2 or len(set(names)) < len(names):
        return False
    columns = detect_columns(names, rows)
    return bool(columns.texts or (columns.kinds and (columns.key or len(columns.kinds) > 1)))


READER = Reader(
    {
        ".xlsx": OFFICE + "openxmlformats-officedocument.spreadsheetml.sheet",
        ".xlsm": OFFICE + "ms-excel.sheet.macroEnabled.12",
        ".xlsb": OFFICE + "ms-excel.sheet.binary.macroEnabled.12",
        ".xls": OFFICE + "ms-excel",
        ".ods": OFFICE + "oasis.opendocument.spreadsheet",
    },
    read,
    rows=True,
)

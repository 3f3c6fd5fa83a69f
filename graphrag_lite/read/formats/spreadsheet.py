"""Spreadsheets (the extra `documents`)."""

from collections.abc import Iterator

from graphrag_lite.read.documents import Fields, Item, Reader

OFFICE = "application/vnd."


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    from graphrag_lite.read.sheets import read_sheets

    yield from read_sheets(data, path, fields)


READER = Reader(
    {
        ".xlsx": OFFICE + "openxmlformats-officedocument.spreadsheetml.sheet",
        ".xls": OFFICE + "ms-excel",
        ".ods": OFFICE + "oasis.opendocument.spreadsheet",
    },
    read,
    rows=True,
)

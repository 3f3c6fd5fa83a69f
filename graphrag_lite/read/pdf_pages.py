"""Pages of a PDF as lines, by pypdfium2: their words, where they stand, in which letters."""

import ctypes
import re
from math import hypot
from typing import Any

from graphrag_lite.read.page_layout import HYPHEN, Line

RTL = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
WIDE = 1.2  # of the letters' size: what is farther apart than that stands in columns


def page_lines(file: Any, number: int, raw: Any) -> list[Line]:
    """Return the lines of a page, in the order in which the file has them."""
    page = file[number]
    text_page = page.get_textpage()
    try:
        # Not get_text_range, which leaves letters out, so that a place in the text is none on the page.
        text = "".join(chr(raw.FPDFText_GetUnicode(text_page.raw, i)) for i in range(text_page.count_chars()))
        box = _Boxes(text_page.raw, raw)
        lines = [_line(found[0], found.start(), box) for found in re.finditer(r"[^\r\n]+", text)]
        return _upright(lines)
    finally:
        text_page.close()
        page.close()


class _Boxes:
    """Where the letters of a page stand."""

    def __init__(self, page: Any, raw: Any) -> None:
        self._page, self._raw = page, raw
        self._edges = [ctypes.c_double() for _ in range(4)]
        self._matrix = raw.FS_MATRIX()
        self._name = ctypes.create_string_buffer(120)

    def of(self, index: int) -> tuple[float, float, float, float]:
        """Return left, right, bottom and top of a letter."""
        self._raw.FPDFText_GetCharBox(self._page, index, *self._edges)
        left, right, bottom, top = (edge.value for edge in self._edges)
        return left, right, bottom, top

    def is_bold(self, index: int) -> bool:
        self._raw.FPDFText_GetFontInfo(self._page, index, self._name, len(self._name), None)
        return b"bold" in self._name.value.lower()

    def size(self, index: int) -> float:
        """Return the size of a letter as it is drawn."""
        self._raw.FPDFText_GetMatrix(self._page, index, self._matrix)
        return float(self._raw.FPDFText_GetFontSize(self._page, index)) * hypot(self._matrix.b, self._matrix.d)


def _line(text: str, start: int, box: _Boxes) -> Line:
    """Return a line of which each letter is a UTF-16 unit, the first number `start` of the page."""
    places = [i for i, letter in enumerate(text) if not letter.isspace() and letter not in HYPHEN] or [0]
    first, last = box.of(start + places[0]), box.of(start + places[-1])
    sizes = sorted(box.size(start + i) for i in places[:: len(places) // 5 + 1])
    size = sizes[len(sizes) // 2]
    left, right = min(first[0], last[0]), max(first[1], last[1])
    bold = box.is_bold(start + places[0]) and box.is_bold(start + places[-1])
    apart = {i: _gap(box, start, text, i) / (size or 1.0) for i in range(1, len(text) - 1) if text[i] == " "}
    justified = len(apart) > 2 and max(apart.values()) < min(2 * min(apart.values()), 2 * WIDE)
    gaps = [i for i, width in apart.items() if width > WIDE and not justified]
    cells = [text[a:b].strip() for a, b in zip([0, *gaps], [*gaps, len(text)], strict=True)] if gaps else [text]
    shown = " | ".join(cell for cell in cells if cell)
    whole = shown.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return Line(whole, first[2], right - left, size, bold, is_row=len(cells) > 1)


def _gap(box: _Boxes, start: int, text: str, space: int) -> float:
    """Return how far apart the letters around a space are."""
    before, after = space - 1, space + 1
    if text[before].isspace() or text[after].isspace() or bool(RTL.match(text[before])) != bool(RTL.match(text[after])):
        return 0.0  # where the direction changes, what is next in the text is not next on the page
    a, b = box.of(start + before), box.of(start + after)
    return max(b[0] - a[1], a[0] - b[1])


def _upright(lines: list[Line]) -> list[Line]:
    """Put together what stands a letter a line, as words that are printed from the top down do."""
    made: list[Line] = []
    alone = 0
    for line in lines:
        alone = alone + 1 if len(line.text.strip()) == 1 else 0
        if alone > 1:
            made[-1] = Line(made[-1].text + line.text.strip(), made[-1].bottom, made[-1].width, line.size)
        else:
            made.append(line)
    return made

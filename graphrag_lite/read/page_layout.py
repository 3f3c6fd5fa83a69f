"""Pages of a PDF, read by pypdfium2 -> lines -> running text: what recurs goes, rows of tables stay rows."""

import ctypes
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile, zip_longest
from math import hypot
from statistics import median
from typing import Any

from graphrag_lite.read.documents import Composer
from graphrag_lite.text.plain_text import CONTROL

PAGE_NUMBER = re.compile(
    r"(?:page|seite|página|pagina|p\.?)?\W*(?:\d{1,4}|[ivxl]{1,7})(?:\W*(?:of|/|von|de|sur|di)\W*\d{1,4})?\W*", re.I
)
NUMBERED = re.compile(r"^\W*(?:\d{1,4}|[ivxl]{1,6})\b\W*|\W*\b(?:\d{1,4}|[ivxl]{1,6})\W*$")
LEADERS = re.compile(r"(?:[.·…_][ ]?){4,}[\s\d]*$|(?:\s\.){4,}.*$")  # of a table of contents, with the page's number
GLYPH = re.compile(r"\(cid:\d+\)|[\ue000-\uf8ff\U000f0000-\U0010ffff]")  # of fonts that do not tell their characters
HYPHEN = ("\ufffe", "\x02", "\xad")  # what pdfium makes of a hyphen at the end of a line
ITEM = re.compile(r"[•◦▪‣●○■□–—*·※-]\s|\(?[\dA-Za-z]{1,3}[.)]\s|[①-⑳]")
CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]")
ENDED = re.compile(r"[.!?:;。！？：…][\"'”’»)\]」』）]*\s*$")
# A line after which a sentence must go on, whatever gap the page leaves below it.
OPEN = re.compile(r"\s(?:(?:we|they|you|I) \w+|the|an?|of|to|and|or|by|with|in|for|is|are|was|were)$")
RTL = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
WIDE = 1.2  # of the letters' size: what is farther apart than that stands in columns
N_EDGE = 3  # lines at the top and at the bottom of a page among which what recurs is looked for
FULL = 0.85  # of the widest line beside it: the line was ended by the page and not by its writer


@dataclass(frozen=True)
class Line:
    """A line of a page. Lengths are in points; `bottom` counts from the page's lower edge."""

    text: str
    bottom: float
    width: float
    size: float  # of the letters
    is_bold: bool = False
    is_row: bool = False  # its words stand in columns


def page_lines(file: Any, number: int, raw: Any) -> list[Line]:
    """Return the lines of a page, in the order in which the file has them; what a form was filled with is last."""
    page = file[number]
    if raw.FPDF_GetFormType(file.raw) and raw.FPDFPage_Flatten(page.raw, raw.FLAT_NORMALDISPLAY) == raw.FLATTEN_SUCCESS:
        page.close()  # the fields have become a part of the page, once it is opened again
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
    visible = [i for i, letter in enumerate(text) if not letter.isspace() and letter not in HYPHEN] or [0]
    first, last = box.of(start + visible[0]), box.of(start + visible[-1])
    sizes = sorted(box.size(start + i) for i in visible[:: len(visible) // 5 + 1])
    size = sizes[len(sizes) // 2]
    left, right = min(first[0], last[0]), max(first[1], last[1])
    bold = box.is_bold(start + visible[0]) and box.is_bold(start + visible[-1])
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


def compose(pages: Sequence[Sequence[Line]], composer: Composer) -> None:
    """Put the lines of pages together, and mark where each page stands by its number, from 1.

    >>> composer = Composer()
    >>> line = lambda text, bottom: Line(text, bottom, 10.0 * len(text), 10)
    >>> compose([[line("The mirror was", 90), line("flawed.", 78), line("It", 40)], [line("flew.", 90)]], composer)
    >>> composer.text(), [composer.text()[page.char_start:page.char_end] for page in composer.blocks]
    ('The mirror was flawed.\\n\\nIt flew.', ['The mirror was flawed.\\n\\nIt', 'flew.'])
    """
    running = _running_lines(pages)
    every = [line for page in pages for line in page]
    body = _body_size(every)
    rarely_bold = 3 * sum(line.is_bold for line in every) < len(every)
    last: Line | None = None
    for number, page in enumerate(pages, start=1):
        lines = _without_lone_rows([made for line in _without_edges(page, running) if (made := _cleaned(line))])
        column = median([line.width for line in lines if len(line.text) >= 40] or [0.0])
        start = None
        for paragraph in _paragraphs(lines):
            head = paragraph[0]
            text = _joined(paragraph, column)
            stands_out = head.size > 1.15 * body or (rarely_bold and all(line.is_bold for line in paragraph))
            if (
                stands_out
                and not head.is_row
                and len(text) < 150
                and not ENDED.search(text)
                and re.search(r"\w{2}", text)
            ):
                text = f"## {' '.join(text.split())}"
            goes_on = last is not None and start is None and _goes_on(last, head)
            composer.add("" if not composer.length else " " if goes_on else "\n\n")
            start = composer.length if start is None else start
            composer.add(text)
            last = paragraph[-1]
        if start is not None:
            composer.mark("page", str(number), start)


def title(lines: Sequence[Line]) -> str:
    """Return what stands in the largest letters in the first half of the first page, or in bold ones at its top.

    Empty where nothing stands out.
    """
    cleaned = [made for line in lines[: max(10, len(lines) // 2)] if (made := _cleaned(line))]
    wordy = [line for line in cleaned if len(re.findall(r"\w", line.text)) > 3]
    largest = max((line.size for line in wordy), default=0.0)
    if largest > 1.15 * _body_size(lines):
        first = next(i for i, line in enumerate(cleaned) if line in wordy and line.size >= 0.98 * largest)
        taken = list(takewhile(lambda line: line.size >= 0.98 * largest, cleaned[first:]))
    else:
        taken = list(takewhile(lambda line: line.is_bold, cleaned))
    found = " ".join(line.text.strip() for line in taken)
    return found if len(found) <= 200 else ""


def _body_size(lines: Sequence[Line]) -> float:
    """Return the size of most letters."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size, 1)] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], -size), default=0.0)


def _running_lines(pages: Sequence[Sequence[Line]]) -> set[str]:
    """Return the lines, numbers taken off, that stand at the edge of several pages: running heads and feet."""
    plain: Counter[str] = Counter()
    numbered: Counter[str] = Counter()
    for page in pages:
        edge = {line.text.strip() for line in _edge(page)}
        plain.update({_key(text) for text in edge})
        numbered.update({_key(text) for text in edge if NUMBERED.search(text)})
    least = max(3, len(pages) // 4) if len(pages) > 4 else 2
    return {key for key, n in plain.items() if key and (n >= least or numbered[key] >= 2)}


def _edge(page: Sequence[Line]) -> list[Line]:
    """Return the first lines of a page and the last, as they are written and as they stand."""
    by_height = sorted(page, key=lambda line: -line.bottom)
    return [line for order in (page, by_height) for line in (*order[:N_EDGE], *order[-N_EDGE:])]


def _key(text: str) -> str:
    return re.sub(r"\d+", "#", NUMBERED.sub("", text.strip())).casefold()


def _without_edges(page: Sequence[Line], running: set[str]) -> list[Line]:
    edge = {id(line) for line in _edge(page)}
    by_height = sorted(page, key=lambda line: -line.bottom)
    outer = {id(line) for line in (*by_height[:1], *by_height[-1:])}
    return [
        line
        for line in page
        if not (id(line) in edge and _key(line.text) in running) and not (id(line) in outer and _is_numbered(line))
    ]


def _is_numbered(line: Line) -> bool:
    """Say whether a line is the page's number, or a heading with the number far to one side."""
    cells = line.text.strip().split(" | ")
    return len(cells) < 3 and any(PAGE_NUMBER.fullmatch(cell) for cell in (cells[0], cells[-1]))


def _cleaned(line: Line) -> Line | None:
    """Return a line without what no reader sees; None where no letter and no number is left."""
    text = re.sub(rf"^\s*{CONTROL.pattern}\s", "• ", GLYPH.sub("•", line.text))
    text, n_led = LEADERS.subn("", text)
    hyphen = line.text[-1:] if line.text.endswith(HYPHEN) else ""
    text = CONTROL.sub("", text).rstrip("\ufffe\xad").replace("\ufffe", "-").replace("• •", "•")
    if _doubled(text):
        text = re.sub(r"(\S)\1", r"\1", text)
    if not re.search(r"\w", text):
        return None
    return Line(text.lstrip() + hyphen, line.bottom, line.width, line.size, line.is_bold, line.is_row or n_led > 0)


def _doubled(text: str) -> bool:
    """Say whether each letter stands twice, as where bold letters are made by printing them twice.

    >>> _doubled("SSuummmmaarryy"), _doubled("See all books")
    (True, False)
    """
    words = text.split()
    twice = [len(word) >= 4 and len(word) % 2 == 0 and word[::2] == word[1::2] for word in words]
    return bool(words) and sum(twice) > 0.6 * len(words)


def _without_lone_rows(lines: Sequence[Line]) -> list[Line]:
    """Take a line whose words stand apart, where those of no line beside it do, for one that was stretched."""
    rows = [False, *(line.is_row for line in lines), False]
    return [
        replace(line, text=line.text.replace(" | ", " "), is_row=False)
        if line.is_row and not rows[i] and not rows[i + 2]
        else line
        for i, line in enumerate(lines)
    ]


def _paragraphs(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Part lines where the gap below one is wider than most, the letters change, or a column ends."""
    pitches: dict[float, list[float]] = {}
    for a, b in pairwise(lines):
        if abs(a.size - b.size) < 0.6 and 0 < a.bottom - b.bottom < 4 * a.size:
            pitches.setdefault(round(a.size), []).append(a.bottom - b.bottom)
    paragraph: list[Line] = []
    for line, after in zip_longest(lines, lines[1:]):
        paragraph.append(line)
        if after is None:
            break
        usual = median(pitches.get(round(line.size)) or [1.2 * line.size])
        down = line.bottom - after.bottom
        gap = down > 1.3 * usual + 1 and not OPEN.search(line.text)
        apart = gap or abs(line.size - after.size) >= 0.6 or line.is_bold != after.is_bold
        if apart or (not down >= 0 and not _goes_on(line, after)):
            yield paragraph
            paragraph = []
    if paragraph:
        yield paragraph


def _goes_on(line: Line, after: Line) -> bool:
    """Say whether a sentence goes on from the end of a column to the beginning of the next."""
    if abs(line.size - after.size) >= 0.6 or line.is_row or after.is_row or ENDED.search(line.text):
        return False
    return line.text.endswith(HYPHEN) or after.text[:1].islower()


def _joined(paragraph: Sequence[Line], column: float) -> str:
    """Return the text of a paragraph: a line that the page ended goes on, one that its writer ended does not."""
    widest = max(0.7 * column, *(line.width for line in paragraph))
    text = ""
    for line, after in zip_longest(paragraph, paragraph[1:]):
        shown = line.text.rstrip("".join(HYPHEN))
        broken = len(shown) < len(line.text)
        if after is None:
            text += shown.strip()
        elif broken:
            text += shown if after.text[:1].islower() else f"{shown}-"
        elif shown.rstrip().endswith("-") and line.width >= FULL * widest and after.text[:1].islower():
            text += shown.rstrip()[:-1] if re.search(r"[^\W\d_]{2}-$", shown.rstrip()) else shown.rstrip()
        elif _is_ended(line, after, widest):
            text += shown.rstrip() + "\n"
        elif CJK.match(shown[-1:]):
            text += shown
        else:
            text += shown.rstrip() + " "
    return text


def _is_ended(line: Line, after: Line, widest: float) -> bool:
    if line.is_row or after.is_row or ITEM.match(after.text):
        return True
    if after.text[:1].islower() or OPEN.search(line.text):
        return False
    return line.width < FULL * widest

"""Texts in Chinese, Japanese and Korean whose lines end at a width, also within words: lines of a paragraph joined.

In other scripts lines tell that themselves, by how they go on (`text.sentences`); here only their width does.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from unicodedata import east_asian_width

_SAMPLE = 4000  # characters by which the script is told
_LETTER = re.compile(r"[^\W\d_]")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")
_NO_SPACE = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]")
_FULL, _OVER = 0.85, 1.15  # of the width: a line that has room for no word more; one that no width has cut
_MIN_SHARE = 0.1  # of the lines are full, where a width cuts them
_MAX_OVER = 0.1  # of as many as are full: an address, a row
_MIN_SENTENCES = 0.2  # for each line that goes on: a list has none
_KEEPS_SPACES = 0.1  # of the full lines end with a space: those without one end within a word
_ENDS = re.compile(r"[.。．!！?？:：;；][\"'”’»)\]」』）]*\Z")
_SENTENCE = re.compile(r"[.。！？!?][\"'”’»)\]」』）]*(?=\s|\Z|[^\x00-\x7f])")
_ROW = re.compile(r"\t|\||\S {3,}\S|─|━")
_MARKED = re.compile(
    r"\s*(?:[-*+•∙◦▪>#○●◎□■◇◆▶※☆★①-⑳㉠-㉻]|[(（]?(?:\d{1,3}(?:의\d+)?|[A-Za-z가나다라마바사아자차카타파하])[.)）]\s|[(（]\w{1,2}[)）]"
    r"|제\d+조(?:의\d+)?[(（]|第[\d一二三四五六七八九十百]+[条條章節节款])"
)
_PAGE = re.compile(r"\s*[-–—]\s*\d{1,4}\s*[-–—]\s*")


def joined_lines(text: str) -> str:
    """Return a text with the lines of its paragraphs joined where a width has cut them; another one as it is.

    Blank lines between all lines, and lines that hold nothing but the number of a page, are none of a paragraph.

    >>> lines = ["我们住在河边的一个小镇，每天", "都去桥边看船。船很多，有时候", "整天都有。", "河水很深。"]
    >>> joined_lines("\\n".join(lines)).split("\\n")
    ['我们住在河边的一个小镇，每天都去桥边看船。船很多，有时候整天都有。', '河水很深。']
    """
    n_wide = len(_WIDE.findall(text[:_SAMPLE]))
    if not n_wide or 2 * n_wide <= (n_letters := len(_LETTER.findall(text[:_SAMPLE]))):
        return text
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    filled = [at for at, line in enumerate(lines) if line.strip() and not _PAGE.fullmatch(line)]
    widths = {at: _width(lines[at]) for at in filled}
    width = sorted(widths.values())[len(filled) * 9 // 10] if filled else 0
    full = {at for at in filled if _FULL * width <= widths[at] <= _OVER * width and not _ROW.search(lines[at].strip())}
    going_on = {at for at in full if not _ENDS.search(lines[at].rstrip())}
    if not _is_cut(lines, filled, full, going_on, sum(each > _OVER * width for each in widths.values())):
        return text
    spaced = sum(lines[at].endswith(" ") for at in full) >= _KEEPS_SPACES * len(full)
    korean = 2 * len(_HANGUL.findall(text[:_SAMPLE])) > n_letters
    apart = 2 if 2 * sum(after - at == 2 for at, after in pairwise(filled)) > len(filled) else 1
    margin = Counter(_depth(lines[after]) for at, after in pairwise(filled) if at in going_on).most_common(1)[0][0]
    made = lines[: filled[0] + 1]
    for at, after in pairwise(filled):
        numbers = sum(bool(line.strip()) for line in lines[at + 1 : after])  # of pages
        if at in going_on and (after - at <= apart or numbers) and _goes_on(lines[after], margin):
            made[-1] = made[-1].rstrip() + _between(lines[at], korean=korean, spaced=spaced) + lines[after].lstrip()
        else:
            made += lines[at + 1 : after + 1]
    return "\n".join(made + lines[filled[-1] + 1 :])


def _width(line: str) -> int:
    """Return how wide a line is within its margins, in columns: letters of these scripts take two."""
    line = line.strip()
    return len(line) + sum(east_asian_width(each) in "WF" for each in line)


def _is_cut(lines: Sequence[str], filled: Sequence[int], full: set[int], going_on: set[int], n_over: int) -> bool:
    """Say whether a width cuts the lines of a text: many are full, hardly one is wider, and they hold sentences."""
    if len(full) < max(2, _MIN_SHARE * len(filled)) or n_over > _MAX_OVER * len(full):
        return False
    n_sentences = sum(len(_SENTENCE.findall(lines[at])) for at in filled)
    return 2 * len(going_on) > len(full) and n_sentences >= _MIN_SENTENCES * len(going_on)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _goes_on(line: str, margin: int) -> bool:
    """Say whether a line goes on with a full one before it: no item, no row, and not farther in than most that do."""
    return _depth(line) <= margin and not _MARKED.match(line) and not _ROW.search(line.strip())


def _between(line: str, *, korean: bool, spaced: bool) -> str:
    """Return what stands between a line and the next one. Korean has spaces: those at the ends of lines, where kept."""
    if korean:
        return " " if line.endswith((" ", ",")) or not spaced else ""
    return "" if _NO_SPACE.match(line.rstrip()[-1:]) else " "

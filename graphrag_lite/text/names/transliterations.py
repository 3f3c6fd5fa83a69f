"""Foreign names in Chinese text: characters that write their sounds, with or without a dot between the parts."""

import re
from collections.abc import Iterator

from graphrag_lite.text.names import chinese_words as zh
from graphrag_lite.text.names.engine import FoundSpans, Span
from graphrag_lite.text.names.lexicon import any_of

_SOUND_RUN = re.compile(f"{any_of(zh.SOUNDS)}{{3,}}")
_DOTTED = re.compile(f"[{zh.HAN}](?:[{zh.HYPHENS}{zh.DOTS}](?:(?![和与及或的了在是])[{zh.HAN}A-Za-z]){{1,8}})+")


def dotted_names(text: str, taken: FoundSpans) -> Iterator[Span]:
    """Transliterated names with a dot between their parts. The ends go as far as the characters write sounds."""
    position = 0
    while match := _DOTTED.search(text, position):
        position = match.end()
        if text[match.start() + 1] in ".．" or taken.used(match.start()):
            continue
        if any(text[i] in zh.HYPHENS and not _is_joint(text, i) for i in range(match.start(), match.end())):
            position = match.start() + 2
            continue
        parts = [i + 1 for i in range(match.start(), match.end()) if text[i] in zh.DOTS or text[i] in zh.HYPHENS]
        for last, following in zip(parts, [*parts[1:], len(text)], strict=True):
            end = _end_of_sounds(text, last)
            if end < following - 1:  # the name ends here; another may follow
                position = max(end, last)
                break
        if end > last:
            yield _start_of_sounds(text, match.start()), end, "person", True


def _is_joint(text: str, at: int) -> bool:
    """Tell whether the hyphen at `at` stands between two parts of a foreign name, and not between two places."""
    sides = (text[max(0, at - 2) : at], text[at + 1 : at + 3])
    sounds = all(len(side) == 2 and zh.DOTTED_SOUNDS.issuperset(side) for side in sides)
    before, after = (zh.LEXICON.at(text, i, i + 4) for i in (max(0, at - 2), at + 1))
    return sounds and not any(hit and len(hit[0]) > 1 for hit in (before, after))


def _start_of_sounds(text: str, first: int) -> int:
    """Return where the foreign name starts whose first part ends with the character at `first`."""
    start = first
    while start > 0 and first - start < 6 and text[start - 1] in zh.DOTTED_SOUNDS and not _ends_word(text, start):
        start -= 1
    if start == 0:
        return start
    if text[start - 1] in "新圣":
        return start - 1
    if not zh.is_inner(text[start - 1]) or text[start - 1] in zh.DOTS or _ends_word(text, start):
        return start
    # one more character than the usual ones, where a name can start before it
    if zh.LEXICON.at(text, start - 1, start):
        return start
    edge = start == 1 or not zh.RUN.match(text, start - 2) or _ends_word(text, start - 1)
    return start - 1 if edge or zh.LEXICON.at(text, start - 2, start - 1) else start


def _end_of_sounds(text: str, last: int) -> int:
    """Return where the last part ends of a foreign name, which starts at `last`."""
    end = last
    while end < len(text) and end - last < 8 and text[end].isalpha() and text[end] not in zh.DOTS:
        if not _goes_on(text, end, last):
            break
        end += 1
    return end + 1 if is_last(text, end) else end


def _goes_on(text: str, end: int, last: int) -> bool:
    char = text[end]
    hit = zh.LEXICON.at(text, end, min(len(text), end + 4))
    if hit and len(hit[0]) > 1 and hit[1] in zh.CLOSED:
        return False
    if hit and hit[1] == zh.PLACE and zh.DOTTED_SOUNDS.issuperset(hit[0]):
        return True
    if char < "\u3400" or char in zh.STURDY or end == last:
        return True
    after = text[end + 1 : end + 2]
    if (after in zh.STRONG and char not in zh.NEVER_INSIDE) or (char == "多" and after not in zh.COUNTED):
        return True
    ends = end + 1 == len(text) or not zh.RUN.match(text, end + 1)
    return (not hit or (ends and len(hit[0]) == 1)) and char in zh.DOTTED_SOUNDS


def is_last(text: str, position: int) -> bool:
    """Tell whether one character that no list knows stands here before the end of the run or a closed-class word."""
    if position >= len(text) or not zh.is_inner(text[position]) or text[position] in zh.DOTS:
        return False
    if text[position] in zh.NEVER_LAST or zh.LEXICON.at(text, position, len(text)):
        return False
    if position + 1 == len(text) or not zh.RUN.match(text, position + 1):
        return True
    hit = zh.LEXICON.at(text, position + 1, len(text))
    return bool(hit and hit[1] in zh.CLOSED)


def _ends_word(text: str, position: int) -> bool:
    """Tell whether a closed-class word of two or more characters, or a title, ends at `position`."""
    words = (text[position - size : position] for size in (4, 3, 2) if size <= position)
    return any(zh.LEXICON.kind(word) in (*zh.CLOSED, zh.PLACE, *zh.HEADS) for word in words)


def transliterated_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of `text[start:end]` that write foreign sounds: maximal scoring, at least three characters."""
    for match in _SOUND_RUN.finditer(text, start, end):
        best, span, total, first = 0.0, (0, 0), 0.0, match.start()
        for i in range(match.start(), match.end() + 1):
            if i < match.end() and total + zh.SOUNDS[text[i]] >= 0:
                total += zh.SOUNDS[text[i]]
                if total > best:
                    best, span = total, (first, i + 1)
                continue
            size = span[1] - span[0]
            if size >= 3 and best >= max(1.4, 0.3 * size) and not zh.STRONG.isdisjoint(text[span[0] : span[1]]):
                yield span
            best, span, total, first = 0.0, (0, 0), 0.0, i + 1

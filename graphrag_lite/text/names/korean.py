"""Names in Korean text without a dictionary or a model.

An eojeol (what stands between spaces) is a noun with particles, or a verb: particles go, verbs are dropped. A stem is
a name where something says so: a title beside it, a head of names of places or organisations at its end, syllables
that write foreign sounds, title marks, a gloss in brackets. Other stems that recur in the text unit are candidates
(`anchored` False) that the corpus must confirm.
"""

import re
from collections import Counter, defaultdict
from functools import lru_cache

from graphrag_lite.text.names.korean_words import (
    COMPOUND_SURNAMES,
    CONCEPT_HEADS,
    ENDINGS,
    EVENT_HEADS,
    EVENTS,
    LOCATION_HEADS,
    NAMES,
    ORGANIZATION_HEADS,
    PARTICLES,
    PERSON_SUFFIXES,
    PLACES,
    SOUNDS,
    SPEECH,
    STOP,
    STRONG_SOUNDS,
    SURNAMES,
    TITLES,
)
from graphrag_lite.text.names.name import Name

_WORD = re.compile("[\uac00-\ud7a3]+(?:[·・][\uac00-\ud7a3]+)*")
_MARKS = re.compile(r"《([^《》\n]{1,40})》|〈([^〈〉\n]{1,40})〉|『([^『』\n]{1,40})』|「([^「」\n]{1,40})」")
_GLOSS = re.compile(r"\s?[（(]\s*([A-Z\u00c0-\u00de][^()（）\n]{1,60}|[\u4e00-\u9fff]{2,10})[)）]")
_LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f][\w.'’-]*")


# Given names and particles of foreign names that have one syllable.
_SHORT = frozenset("존톰짐댄폴벤진밥팀샘잭빌론돈켄맷닉딕릭반폰엘알산리앤루마")


class _Word:
    """One eojeol: where its stem is and what its shape says."""

    __slots__ = ("end", "glossed", "particle", "start", "stem", "verbal", "whole")

    def __init__(self, match: re.Match[str]) -> None:
        self.start = match.start()
        self.whole = match.group()
        self.stem, self.particle = _stem(self.whole)
        self.end = self.start + len(self.stem)
        self.verbal = not self.stem or _is_verbal(self.whole, self.stem)
        self.glossed = 0


def find_names_korean(text: str) -> list[Name]:
    """Return the names in `text`, ordered by start, not overlapping. Particles are not part of a name.

    >>> [(n.name, n.type) for n in find_names_korean("도널드 트럼프 대통령은 서울에서 서울대학교를 방문했다.")]
    [('도널드 트럼프', 'person'), ('서울', 'location'), ('서울대학교', 'organization')]
    """
    marked = []
    for match in _MARKS.finditer(text):
        start, end = match.span(match.lastindex or 0)
        if text[start:end].strip():
            marked.append(Name(start, end, " ".join(text[start:end].split()), "work", True))
    words = [_Word(match) for match in _WORD.finditer(text)]
    inside = iter([*marked, None])
    mark = next(inside)
    free = []
    for word in words:
        while mark and mark.end <= word.start:
            mark = next(inside)
        if not mark or word.start + len(word.whole) <= mark.start:
            free.append(word)
    return sorted([*marked, *_names(text, free)], key=lambda name: name.start)


@lru_cache(maxsize=100_000)
def _stem(word: str) -> tuple[str, str]:
    """Return a word without its particles, and the particles.

    A last syllable that could belong to the noun stays where nothing else would be left of it.
    """
    if word in PLACES or word in NAMES or word in STOP or word in TITLES:
        return word, ""
    for particle in PARTICLES:
        size = len(word) - len(particle)
        if size >= 1 and word.endswith(particle):
            stem = word[:size]
            if not _agrees(stem[-1], particle):
                continue
            if size >= 2 or stem in STOP or (particle in ("는", "를") and stem in STRONG_SOUNDS | SURNAMES):
                return stem, particle
    return word, ""


def _agrees(last: str, particle: str) -> bool:
    """Tell whether a particle has the form that stands behind this syllable: 은 behind a consonant, 는 behind a vowel."""
    if not "\uac00" <= last <= "\ud7a3":
        return True
    coda = (ord(last) - 0xAC00) % 28
    first = particle[0]
    if particle in (
        "은",
        "이",
        "을",
        "과",
        "이나",
        "이란",
        "이라는",
        "이라고",
        "이라",
        "이며",
        "이고",
        "이었다",
        "과의",
        "과는",
        "이자",
    ):
        return coda > 0
    if particle in (
        "는",
        "가",
        "를",
        "와",
        "나",
        "라는",
        "라고",
        "라",
        "며",
        "고",
        "였다",
        "와의",
        "와는",
        "였던",
        "야",
        "랑",
    ):
        return coda == 0
    if first == "으":
        return coda not in (0, 8)
    if first == "로":
        return coda in (0, 8)
    return True


@lru_cache(maxsize=100_000)
def _is_verbal(word: str, stem: str) -> bool:
    if word in PLACES or word in NAMES or stem in PLACES:
        return False
    return len(word) > 1 and any(word.endswith(ending) for ending in ENDINGS) and not _foreign(stem)


def _foreign(stem: str) -> bool:
    """Tell whether a stem is written with syllables of foreign names: at least two, and half of them."""
    strong = sum(char in STRONG_SOUNDS for char in stem)
    return strong >= 2 and 2 * strong >= len(stem) and stem not in STOP


def _sounds(stem: str) -> bool:
    """Tell whether a stem may be one word of a foreign name: some syllables are of that kind, none is impossible."""
    return (
        stem not in STOP
        and stem not in TITLES
        and (any(char in STRONG_SOUNDS for char in stem) or len(stem) == 1)
        and all(char in SOUNDS for char in stem)
    )


@lru_cache(maxsize=100_000)
def _head(stem: str) -> tuple[str, str]:
    for kind, heads in (("organization", ORGANIZATION_HEADS), ("event", EVENT_HEADS), ("location", LOCATION_HEADS)):
        for head in heads:
            if len(head) > 1 and stem.endswith(head):
                return kind, head
    for head in LOCATION_HEADS:
        if (
            len(head) == 1
            and stem.endswith(head)
            and (stem[:-1] in PLACES or (_foreign(stem[:-1]) and head in "주시섬강산호만해역군구현성"))
        ):
            return "location", head
    if (
        stem.endswith("당")
        and len(stem) > 2
        and stem[-2:] not in ("식당", "성당", "정당", "강당", "담당", "야당", "여당", "해당", "일당")
    ):
        return "organization", "당"
    for head in CONCEPT_HEADS:
        if stem.endswith(head) and len(stem) > len(head) + 1 and (len(head) > 1 or stem[: -len(head)] in PLACES):
            return "concept", head
    return "", ""


def _person(stem: str) -> bool:
    if stem in STOP or stem in PLACES or stem[-1] in "당회자부법관청팀측적":
        return False
    return (len(stem) == 3 and stem[0] in SURNAMES) or (len(stem) == 4 and stem.startswith(COMPOUND_SURNAMES))


def _names(text: str, words: list[_Word]) -> list[Name]:
    n = len(words)
    adjacent = [False] * (n + 1)  # adjacent[i]: only one space between word i and the next, no particle
    for i in range(n - 1):
        word = words[i]
        gap = text[word.start + len(word.whole) : words[i + 1].start]
        adjacent[i] = gap == " " and not word.particle
    for word in words:
        match = _GLOSS.match(text, word.end)
        if match and not word.verbal:
            latin = _LATIN_WORD.findall(match[1])
            word.glossed = len(latin) if latin else 1
    stems: dict[str, set[str]] = defaultdict(set)
    counts: Counter[str] = Counter()
    for word in words:
        stems[word.stem].add(word.particle)
        counts[word.stem] += 1
    found: list[tuple[int, int, str, bool]] = []
    i = 0
    while i < n:
        span = _span(words, adjacent, i)
        if span:
            stop, kind, sure = span
            found.append((words[i].start, words[stop - 1].end, kind, sure))
            i = stop
            continue
        word = words[i]
        if not word.verbal and word.stem not in STOP and word.stem not in TITLES and len(word.stem) > 1:
            forms = len(stems[word.stem])
            if counts[word.stem] > 1 and forms > 1 and (len(word.stem) > 2 or counts[word.stem] > 3):
                found.append((word.start, word.end, "unknown", False))
        i += 1
    kinds: dict[str, Counter[str]] = {}
    sure_names = set()
    for start, end, kind, sure in found:
        kinds.setdefault(text[start:end], Counter())[kind] += 1
        if sure:
            sure_names.add(text[start:end])
    result = []
    for start, end, _, sure in found:
        name = text[start:end]
        known = Counter({key: count for key, count in kinds[name].items() if key != "unknown"})
        best = min(known, key=lambda key: (-known[key], key)) if known else "unknown"
        result.append(Name(start, end, " ".join(name.split()), best, sure or name in sure_names))
    return result


def _nominal(word: _Word) -> bool:
    return not word.verbal and word.stem not in STOP and word.stem not in TITLES


def _span(words: list[_Word], adjacent: list[bool], i: int) -> tuple[int, str, bool] | None:
    """Return the end, type and anchor of the name that starts with word `i`, None if there is none."""
    word = words[i]
    n = len(words)
    if not _nominal(word):
        return None
    # A gloss tells how many words the name has.
    for size in (4, 3, 2, 1):
        last = i + size - 1
        if (
            last < n
            and words[last].glossed == size
            and all(adjacent[i:last])
            and all(_nominal(w) for w in words[i:last])
        ):
            kind = _head(words[last].stem)[0] or ("person" if _title_beside(words, adjacent, i, last) else "unknown")
            return last + 1, kind, True
    # Foreign names: neighbouring words without particles.
    last = i
    if (
        _foreign(word.stem)
        or word.stem in PLACES
        or (
            _sounds(word.stem)
            and (len(word.stem) > 1 or word.stem in _SHORT)
            and adjacent[i]
            and i + 1 < n
            and _foreign(words[i + 1].stem)
        )
    ):
        while (
            adjacent[last]
            and last + 1 < n
            and last - i < 3
            and _nominal(words[last + 1])
            and (_foreign(words[last + 1].stem) or (word.stem not in PLACES and _sounds(words[last + 1].stem)))
        ):
            last += 1
        while (
            adjacent[last]
            and last + 1 < n
            and last - i < 3
            and _nominal(words[last + 1])
            and _head(words[last + 1].stem)[0]
        ):
            last += 1
            return last + 1, _head(words[last].stem)[0], True
    stem = words[last].stem
    titled = _title_beside(words, adjacent, i, last)
    if last > i:
        kind = _head(stem)[0]
        return last + 1, kind or ("person" if titled or _speaks(words, last) else "unknown"), True
    if word.stem in PLACES:
        return i + 1, "location", True
    if word.stem in NAMES or word.stem in EVENTS:
        return i + 1, "concept" if word.stem in NAMES else "event", True
    kind, head = _head(word.stem)
    if kind and len(word.stem) - len(head) >= (1 if kind == "location" and word.stem[:-1] in PLACES else 2):
        return i + 1, kind, True
    for suffix in PERSON_SUFFIXES:
        if word.stem.endswith(suffix) and (_person(word.stem[: -len(suffix)]) or _foreign(word.stem[: -len(suffix)])):
            word.end -= len(suffix)
            word.stem = word.stem[: -len(suffix)]
            return i + 1, "person", True
    if titled and (_person(word.stem) or _foreign(word.stem)):
        return i + 1, "person", True
    if _foreign(word.stem) and len(word.stem) > 2:
        return i + 1, "person" if _speaks(words, i) else "unknown", False
    if _person(word.stem) and _speaks(words, i) and word.particle in ("은", "는", "이", "가"):
        return i + 1, "person", True
    return None


def _title_beside(words: list[_Word], adjacent: list[bool], first: int, last: int) -> bool:
    after = words[last + 1] if adjacent[last] and last + 1 < len(words) else None
    if after and (after.stem in TITLES or after.whole in TITLES or after.stem in ("씨", "양", "군", "경")):
        return True
    return first > 0 and adjacent[first - 1] and words[first - 1].stem in TITLES


def _speaks(words: list[_Word], at: int) -> bool:
    return words[at].particle in ("은", "는", "이", "가") and any(
        word.whole.startswith(SPEECH) for word in words[at + 1 : at + 6]
    )

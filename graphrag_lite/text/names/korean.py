"""Names in Korean text without a dictionary or a model.

An eojeol (what stands between spaces) is a noun with particles, or a verb: particles go, verbs are dropped. A stem is
a name where something says so: a title beside it, a head of names of places or organisations at its end, syllables
that write foreign sounds, title marks, a gloss in brackets. Other stems that recur in the text unit are candidates
(`anchored` False) that the corpus must confirm.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graphrag_lite.text.names.engine import FoundSpans, Script, Span, find_names_of, title_marks
from graphrag_lite.text.names.lexicon import characters, longest_first
from graphrag_lite.text.names.lists import word_lists
from graphrag_lite.text.names.name import Name

_LISTS = word_lists("korean")
_PARTICLES = longest_first(_LISTS["particle"])
_ENDINGS = tuple(_LISTS["ending"])
_TITLES, _PLACES = _LISTS["title"], _LISTS["place"]
_STOP = _LISTS["stop"]
_WHOLE = (
    _PLACES | _LISTS["concept_name"] | _LISTS["organization_name"]
)  # words that have no particle and are no verbs, whatever they end with
_KINDS = ("organization", "event", "concept")
_KNOWN = {name: kind for kind in _KINDS for name in _LISTS[f"{kind}_name"]} | dict.fromkeys(_PLACES, "location")
_NO_NAMES = _STOP | _TITLES
_SPEECH = tuple(_LISTS["speech"])
_SUFFIXES = longest_first(_LISTS["person_suffix"])
_HEADS = {kind: longest_first(_LISTS[kind]) for kind in ("organization", "event", "location", "concept")}
_SURNAMES = characters(_LISTS["surnames"])
_COMPOUND_SURNAMES = tuple(_LISTS["surname"])
_SHORT = characters(_LISTS["short"])
_SOUNDS = characters(_LISTS["sounds"])
_STRONG = characters(_LISTS["sounds_strong"])
_SUBJECT = ("은", "는", "이", "가")
_WORD = re.compile("[\uac00-\ud7a3]+(?:[·・][\uac00-\ud7a3]+)*")
_TAIL = re.compile("[\uac00-\ud7a3]+$")
_MARKS = re.compile(r"《([^《》\n]{1,40})》|〈([^〈〉\n]{1,40})〉|『([^『』\n]{1,40})』|「([^「」\n]{1,40})」")
_GLOSS = re.compile(r"\s?[（(]\s*([A-Z\u00c0-\u00de][^()（）\n]{1,60}|[\u4e00-\u9fff]{2,10})[)）]")
_LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f][\w.'’-]*")


@dataclass(frozen=True, slots=True)
class Word:
    """One eojeol: where its stem is and what its shape says."""

    start: int
    end: int  # of the stem
    whole: str
    stem: str
    particle: str
    nominal: bool  # a noun that may be part of a name
    n_glossed: int  # how many words the gloss behind it has
    joined: bool  # only one space, and no particle, between it and the next


def find_names_korean(text: str) -> list[Name]:
    """Return the names in `text`, ordered by start, not overlapping. Particles are not part of a name.

    >>> [(n.name, n.type) for n in find_names_korean("도널드 트럼프 대통령은 서울에서 서울대학교를 방문했다.")]
    [('도널드 트럼프', 'person'), ('서울', 'location'), ('서울대학교', 'organization')]
    """
    return find_names_of(_SCRIPT, text, text)


def _segment(text: str, taken: FoundSpans) -> list[list[Word]]:
    matches = [match for match in _WORD.finditer(text) if taken.free(*match.span())]
    following = [match.start() for match in matches[1:]]
    return [[_word(text, match, after) for match, after in zip(matches, [*following, 0], strict=False)]]


def _word(text: str, match: re.Match[str], following: int) -> Word:
    whole = match.group()
    stem, particle = _stem(whole)
    end = match.start() + len(stem)
    verbal = _is_verbal(whole, stem)
    gloss = None if verbal else _GLOSS.match(text, end)
    return Word(
        match.start(),
        end,
        whole,
        stem,
        particle,
        nominal=not verbal and stem not in _NO_NAMES,
        n_glossed=max(1, len(_LATIN_WORD.findall(gloss[1]))) if gloss else 0,
        joined=not particle and text[match.end() : following] == " ",
    )


@lru_cache(maxsize=100_000)
def _stem(word: str) -> tuple[str, str]:
    """Return a word without its particles, and the particles.

    A last syllable that could belong to the noun stays where nothing else would be left of it.
    """
    if word in _WHOLE or word in _NO_NAMES:
        return word, ""
    for particle in _PARTICLES:
        stem = word.removesuffix(particle)
        if stem and stem != word and _agrees(stem[-1], particle):
            short = stem in _STOP or (particle in ("는", "를") and (stem in _STRONG or stem in _SURNAMES))
            if len(stem) > 1 or short:
                return stem, particle
    return word, ""


def without_particles(word: str) -> str:
    """Return a word that begins in another script without the particles at its end.

    >>> [without_particles(word) for word in ("Zep의", "Zep은", "GPT-4로", "LG전자는", "K팝")]
    ['Zep', 'Zep', 'GPT-4', 'LG전자', 'K팝']
    """
    tail = _TAIL.search(word)
    if not tail:
        return word
    if tail.group() in _PARTICLES:
        return word[: tail.start()]
    return word[: tail.start()] + _stem(tail.group())[0]


def _agrees(last: str, particle: str) -> bool:
    """Tell whether a particle stands behind this syllable in that form: 은 behind a consonant, 는 behind a vowel."""
    if not "\uac00" <= last <= "\ud7a3":
        return True
    coda = (ord(last) - 0xAC00) % 28
    if particle in _LISTS["particle_after_consonant"]:
        return coda > 0
    if particle in _LISTS["particle_after_vowel"]:
        return coda == 0
    if particle[0] in "으로":  # 로 also stands behind ㄹ
        return (coda in (0, 8)) == (particle[0] == "로")
    return True


@lru_cache(maxsize=100_000)
def _is_verbal(word: str, stem: str) -> bool:
    if word in _WHOLE or stem in _PLACES:
        return False
    return len(word) > 1 and word.endswith(_ENDINGS) and not _foreign(stem)


def _foreign(stem: str) -> bool:
    """Tell whether a stem is written with syllables of foreign names: at least two, and half of them."""
    strong = sum(char in _STRONG for char in stem)
    return strong >= 2 and 2 * strong >= len(stem) and stem not in _STOP


def _sounds(stem: str) -> bool:
    """Tell whether a stem may be one word of a foreign name: some syllables are of that kind, none is impossible."""
    return (len(stem) == 1 or not _STRONG.isdisjoint(stem)) and _SOUNDS.issuperset(stem) and stem not in _NO_NAMES


@lru_cache(maxsize=100_000)
def _head(stem: str) -> tuple[str, str]:
    """Return the type of names and their head that `stem` ends with. Few heads of one syllable are trusted."""
    for kind in ("organization", "event", "location"):
        for head in _HEADS[kind]:
            if len(head) > 1 and stem.endswith(head):
                return kind, head
    body, last = stem[:-1], stem[-1:]
    if last in _HEADS["location"] and (body in _PLACES or (_foreign(body) and last in "주시섬강산호만해역군구현성")):
        return "location", last
    if last == "당" and len(stem) > 2 and stem[-2:] not in _LISTS["no_party"]:
        return "organization", "당"
    for head in _HEADS["concept"]:
        body = stem.removesuffix(head)
        if body != stem and len(body) > 1 and (len(head) > 1 or body in _PLACES):
            return "concept", head
    return "", ""


def _person(stem: str) -> bool:
    if stem in _STOP or stem in _PLACES or stem[-1:] in tuple("당회자부법관청팀측적"):
        return False
    return (len(stem) == 3 and stem[0] in _SURNAMES) or (len(stem) == 4 and stem.startswith(_COMPOUND_SURNAMES))


def _join(text: str, words: list[Word], taken: FoundSpans) -> Iterator[Span]:
    """Yield the names that the words make, and the nouns that recur with several particles."""
    particles: dict[str, set[str]] = defaultdict(set)
    for word in words:
        particles[word.stem].add(word.particle)
    counts = Counter(word.stem for word in words)
    i = 0
    while i < len(words):
        word = words[i]
        name = _name(words, i) if word.nominal else None
        if name:
            last, end, kind, anchored = name
            yield word.start, end, kind, anchored
            i = last
        elif word.nominal and len(particles[word.stem]) > 1 and _recurs(word.stem, counts):
            yield word.start, word.end, "unknown", False
        i += 1


def _recurs(stem: str, counts: Mapping[str, int]) -> bool:
    return counts[stem] > 1 and (len(stem) > 2 or (len(stem) == 2 and counts[stem] > 3))


def _name(words: Sequence[Word], i: int) -> tuple[int, int, str, bool] | None:
    """Return the last word, end, type and anchor of the name that starts with word `i`, None if there is none."""
    last = _glossed(words, i)
    if last >= 0:
        kind = _head(words[last].stem)[0] or ("person" if _is_titled(words, i, last) else "unknown")
        return last, words[last].end, kind, True
    last = _last_foreign(words, i)
    if last > i:
        kind = _head(words[last].stem)[0]
        titled = not kind and (_is_titled(words, i, last) or _speaks(words, last))
        return last, words[last].end, kind or ("person" if titled else "unknown"), True
    single = _single(words, i)
    return (i, *single) if single else None


def _glossed(words: Sequence[Word], i: int) -> int:
    """Return the last word of the name that a gloss tells to start with word `i`, by its number of words, else -1."""
    for last in range(min(i + 3, len(words) - 1), i - 1, -1):
        if words[last].n_glossed == last - i + 1 and all(word.joined and word.nominal for word in words[i:last]):
            return last
    return -1


def _last_foreign(words: Sequence[Word], i: int) -> int:
    """Return the last word of the foreign name that starts with word `i`: neighbours without particles, and a head."""
    stem = words[i].stem
    place = stem in _PLACES
    if not place and not _foreign(stem):
        short = len(stem) == 1 and stem not in _SHORT
        if short or not words[i].joined or not _sounds(stem) or not _foreign(words[i + 1].stem):
            return i
    last = i
    while last - i < 3 and words[last].joined and words[last + 1].nominal:
        stem = words[last + 1].stem
        if not _foreign(stem) and (place or not _sounds(stem)):
            break
        last += 1
    if last - i < 3 and words[last].joined and words[last + 1].nominal and _head(words[last + 1].stem)[0]:
        return last + 1
    return last


def _single(words: Sequence[Word], i: int) -> tuple[int, str, bool] | None:
    """Return the end, type and anchor of the name that word `i` is by itself."""
    word, stem = words[i], words[i].stem
    if stem in _KNOWN:
        return word.end, _KNOWN[stem], True
    kind, head = _head(stem)
    if kind and len(stem) - len(head) >= (1 if kind == "location" and stem[:-1] in _PLACES else 2):
        return word.end, kind, True
    for suffix in _SUFFIXES:
        bare = stem.removesuffix(suffix)
        if bare != stem and (_person(bare) or _foreign(bare)):
            return word.end - len(suffix), "person", True
    speaks = _speaks(words, i)
    if _person(stem) or _foreign(stem):
        if _is_titled(words, i, i) or (speaks and _person(stem) and not (_foreign(stem) and len(stem) > 2)):
            return word.end, "person", True
        if _foreign(stem) and len(stem) > 2:
            return word.end, "person" if speaks else "unknown", False
    return None


def _is_titled(words: Sequence[Word], first: int, last: int) -> bool:
    if words[last].joined:
        after = words[last + 1]
        if after.stem in _TITLES or after.whole in _TITLES:
            return True
    return first > 0 and words[first - 1].joined and words[first - 1].stem in _TITLES


def _speaks(words: Sequence[Word], at: int) -> bool:
    return words[at].particle in _SUBJECT and any(word.whole.startswith(_SPEECH) for word in words[at + 1 : at + 6])


_SCRIPT = Script(evidence=(lambda text, _: title_marks(text, _MARKS),), segment=_segment, joins=(_join,))

"""Candidate names in Arabic, Hebrew, Devanagari and Thai: by titles, heads, glosses in brackets, and repetition.

These scripts have no capitals either. The word lists are short: what they don't cover stays a candidate that the
corpus must confirm.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from graphrag_lite.text.names.engine import FoundSpans, Script, Span, find_names_of
from graphrag_lite.text.names.lexicon import any_of
from graphrag_lite.text.names.lists import word_lists
from graphrag_lite.text.names.name import Name

_LISTS = word_lists("other_scripts")
_KINDS = ("person", "organization", "location")
_HEADS = {word: kind for kind in _KINDS for word in _LISTS[kind]}
_PLACES, _WESTERN = _LISTS["place"], _LISTS["western_given_name"]
_GIVEN = _LISTS["given_name"] | _WESTERN
_HEADS_AFTER = {word: kind for kind in _KINDS[1:] for word in _LISTS[f"{kind}_after"]}
_THAI_HEADS = {word: kind for kind in _KINDS for word in _LISTS[f"thai_{kind}"]}
_THAI_HEAD = re.compile(any_of(_THAI_HEADS))
_THAI_END = re.compile(any_of([*_THAI_HEADS, *_LISTS["thai_function"]]))
_THAI = re.compile(f"(?:{any_of(word for word in _THAI_HEADS if '.' in word)}|[\u0e01-\u0e3a\u0e40-\u0e4e])+")
_WORD = re.compile(
    "[\u0590-\u05f4]+(?:[\"'\u05f3\u05f4][\u0590-\u05ea]+)?|[\u0620-\u065f\u066e-\u06d3\u06d5-\u06ef\u06fa-\u06ff]+"
    "|[\u0900-\u0963\u0970-\u097f]+"
)
_PREFIXES = frozenset("وبلكف")
_DESCENT, _SURNAMES = _LISTS["descent"], _LISTS["surname"]
_BEFORE_GIVEN = _LISTS["person_and_given_name"]
_BETWEEN = frozenset(("कुमार", "सिंह"))
_ARABIC = re.compile("[\u0620-\u06ff]")
_NISBA = re.compile("ال.{2,}(?:ي|ية)$")
# Verbs, what a preposition is written to, what has a pronoun or the ending of an object: "Umar writes", "Umar's money".
_WITH_PREFIX = re.compile("[وبلفك].{3,}")  # "and", "in", "for": of Arabic names, not of Bush and Putin
_NO_SURNAME = re.compile("[يتن].{2,}|س[يتن].{2,}|ال.*|.*(?:اً|ًا|ه|ها|هم|هما|وا|ون|تم|نا|كم)$")
_QUOTED = re.compile(r"(?<![^\s(])[«“](?=\w)([^«»“”\n.؟!]{2,40})(?<=[\w)])[»”]")
_GLOSS = re.compile(r"\s?[(]\s*[A-Z][^()\n]{1,60}[)]")
_LONGEST_THAI = 40  # characters; a search to the end of the run would make the whole quadratic


def find_names_other_scripts(text: str) -> list[Name]:
    """Return the names in `text`, ordered by start, not overlapping.

    >>> [(n.name, n.type) for n in find_names_other_scripts("زار الرئيس محمد مرسي جامعة القاهرة في عام 2012")]
    [('محمد مرسي', 'person'), ('جامعة القاهرة', 'organization')]
    """
    return find_names_of(_SCRIPT, text, text)


def _quoted(text: str, taken: FoundSpans) -> Iterator[Span]:
    for match in _QUOTED.finditer(text):
        if match[1].strip() and not match[1].isascii():
            yield *match.span(1), "work", " " in match[1]


def _segment(text: str, taken: FoundSpans) -> list[list[re.Match[str]]]:
    return [list(_WORD.finditer(text))]


def _spaced(text: str, matches: list[re.Match[str]], taken: FoundSpans) -> Iterator[Span]:
    """Yield names of words that spaces stand between."""
    words = [match.group() for match in matches]
    all_words = set(words)
    plain = [
        word not in _LISTS["function"] and len(word) > 2 and word not in _HEADS and not _with_article(word, all_words)
        for word in words
    ]
    joined = [*(text[a.end() : b.start()] == " " for a, b in pairwise(matches)), False]  # to the next word
    pair = [joins and after for joins, after in zip(joined, [*plain[1:], False], strict=True)]
    counts = Counter(word for word, is_plain in zip(words, plain, strict=True) if is_plain)
    pairs = Counter((words[i], words[i + 1]) for i in range(len(words)) if plain[i] and pair[i])
    i = 0
    while i < len(words):
        first = last = i
        kind, sure = "", True
        cut = _prefix(words[i])
        if words[i][cut:] in _PLACES:
            kind = "location"
        elif words[i][cut:] in _GIVEN and (end := _person_end(words, joined, plain, i)) > i:
            kind, last = "person", end
        elif words[i] in _BEFORE_GIVEN and joined[i] and words[i + 1] in _GIVEN:
            kind, first, last = "person", i + 1, _person_end(words, joined, plain, i + 1)
        elif pair[i] and words[i] in _HEADS:
            kind, last = _HEADS[words[i]], i + 1
            if kind == "person":
                first, last = i + 1, _person_end(words, joined, plain, last)
                kind = kind if words[first] in _GIVEN or not _NO_SURNAME.fullmatch(words[first]) else ""
        elif plain[i] and joined[i] and words[i + 1] in _HEADS_AFTER and words[i] not in _HEADS_AFTER:
            kind, last = _HEADS_AFTER[words[i + 1]], i + 1
        elif plain[i] and pair[i] and pairs[words[i], words[i + 1]] > 1:
            kind, last, sure = "unknown", i + 1, False
        elif plain[i]:
            sure = bool(_GLOSS.match(text, matches[i].end()))
            kind = "unknown" if sure or counts[words[i]] > 2 else ""
        if kind:
            yield matches[first].start() + cut * (first == i), matches[last].end(), kind, sure
        i = last + 1


def _person_end(words: list[str], joined: list[bool], plain: list[bool], first: int) -> int:
    """Return which word ends the name of a person that word `first` begins, itself if nothing shows that it goes on.

    Arabic names go on with whose son somebody is, with another given name and with the adjective of a place; else one
    word more that may be a surname.
    """
    last = first
    if not _ARABIC.match(words[first]):
        last += joined[first] and (plain[first + 1] or words[first + 1] in _BETWEEN)
        while last > first and words[last] in _BETWEEN and joined[last]:
            last += 1
        return last
    while joined[last]:
        word = words[last + 1]
        if word in _DESCENT:
            end = last + 1
            while words[end] in _DESCENT and joined[end]:
                end += 1
            if words[end] in _DESCENT:
                break
            last = end
        elif word in _GIVEN or word in _SURNAMES or (_NISBA.fullmatch(word) and plain[last + 1]):
            last += 1
        else:
            single = last == first and plain[last + 1] and not _NO_SURNAME.fullmatch(word)
            return last + (single and (words[first] in _WESTERN or not _WITH_PREFIX.fullmatch(word)))
    return last


def _prefix(word: str) -> int:
    """Return how many letters of an Arabic word say "and", "in" or "to" before a place or a given name: بالقاهرة."""
    return int(word[:1] in _PREFIXES and (word[1:] in _PLACES or word[1:] in _GIVEN) and word not in _GIVEN)


def _with_article(word: str, words: set[str]) -> bool:
    """Tell whether a text has an Arabic word both with the article and without it, as it has nouns: الملف, ملف."""
    return (word.startswith("ال") and (word[2:] in words or f"لل{word[2:]}" in words)) or f"ال{word}" in words


def _thai(text: str, matches: list[re.Match[str]], taken: FoundSpans) -> Iterator[Span]:
    """Yield names of Thai, which has no spaces between words: from a title or head to the next word of the lists."""
    for run in _THAI.finditer(text):
        position = run.start()
        while cue := _THAI_HEAD.search(text, position, run.end()):
            limit = min(run.end(), cue.end() + _LONGEST_THAI)
            stop = _THAI_END.search(text, cue.end() + 2, limit)
            end = stop.start() if stop else limit
            kind = _THAI_HEADS[cue.group()]
            if 2 <= end - cue.end() <= 24:
                yield cue.end() if kind == "person" else cue.start(), end, kind, end - cue.end() <= 12
            position = max(end, cue.end())


_SCRIPT = Script(evidence=(_quoted,), segment=_segment, joins=(_thai, _spaced))

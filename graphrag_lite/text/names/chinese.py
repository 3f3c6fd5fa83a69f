"""Names in Chinese text, simplified or traditional, without a dictionary or a model.

A run of Han characters is cut at closed-class words. What is left is a name where something says so: a head of names
of places or organisations behind it, a title or a verb of speaking beside a surname, characters that write foreign
sounds, title marks, a gloss in brackets, the place of the subject in a definition. What merely recurs within the text
unit is a candidate (`anchored` False): the corpus must confirm it.
"""

import re
from collections import Counter
from collections.abc import Iterator

from graphrag_lite.text.names import chinese_words as zh
from graphrag_lite.text.names import engine
from graphrag_lite.text.names.engine import FoundSpans, Span, Token
from graphrag_lite.text.names.lexicon import any_of, characters
from graphrag_lite.text.names.lists import FORMS
from graphrag_lite.text.names.name import Name
from graphrag_lite.text.names.transliterations import dotted_names, is_last, transliterated_spans

_NUMBER = re.compile(f"[第数几上下半每约近]?{any_of(zh.NUMERALS)}+{any_of(characters(zh.LISTS['measures']))}?")
_TITLE_MARKS = re.compile(r"《([^《》\n]{1,40})》|〈([^〈〉\n]{1,40})〉|『([^『』\n]{1,20})』")
_QUOTED = re.compile(r"[“「]([^“”「」\n，。！？：；、]{2,10})[”」]")
_NAMED = re.compile(f"(?:{FORMS['chinese called']})$")
_GLOSS = re.compile(r" {0,9}[（(]\s*(?:[^（）()\n]{0,12}[:：]\s*)?[A-Za-z\u00c0-\u024f\u0400-\u04ff\u3040-\u30ff]")
_DEFINED = re.compile(f"\\s*([{zh.HAN}{zh.DOTS}]{{2,16}}?)(?=\\s*(?:{FORMS['chinese defined']}))")


def find_names_chinese(text: str) -> list[Name]:
    """Return the names in `text`, ordered by start, not overlapping.

    >>> [(n.name, n.type) for n in find_names_chinese("湖南省湘潭市的约翰·麦卡锡说，他毕业于北京大学。")]
    [('湖南省', 'location'), ('湘潭市', 'location'), ('约翰·麦卡锡', 'person'), ('北京大学', 'organization')]
    """
    return engine.find_names_of(_SCRIPT, text, zh.simplified(text))


def _marked(text: str, taken: FoundSpans) -> Iterator[Span]:
    """Titles of works in title marks, and short quotations that are introduced as a name."""
    yield from engine.title_marks(text, _TITLE_MARKS)
    for match in _QUOTED.finditer(text):
        body = match[1]
        common = zh.LEXICON.kind(body) == zh.BREAK or not zh.NEVER_INSIDE.isdisjoint(body)
        if _NAMED.search(text, max(0, match.start() - 6), match.start()):
            yield *match.span(1), "unknown", True
        elif not common and len(body) > 2 and zh.RUN.fullmatch(body):
            yield *match.span(1), "unknown", False


def _defined(text: str, taken: FoundSpans) -> Iterator[Span]:
    """The subject of a definition at the start of the text: "X（...）是"."""
    if match := _DEFINED.match(text):
        body = match[1]
        known = zh.LEXICON.kind(body) in (zh.BREAK, zh.TITLE, *zh.HEADS) or zh.LEXICON.kind(body[-2:]) in zh.CLOSED
        if not known and zh.NEVER_INSIDE.isdisjoint(body[:-1]) and body[0] not in zh.NUMERALS:
            yield *match.span(1), _kind_of(body), True


def _glossed(text: str, taken: FoundSpans) -> Iterator[Span]:
    """Names with a gloss in brackets."""
    for match in _GLOSS.finditer(text):
        end = match.start()
        start = engine.name_before(text, end, zh.is_inner)
        start = max((i for i in range(start, end) if not _may_start(text, i, end)), default=start)
        body = text[start:end]
        if 2 <= len(body) <= 12 and body[-1] not in zh.DOTS and zh.LEXICON.kind(body) not in (zh.BREAK, zh.TITLE):
            yield start, end, _kind_of(body), True


def _may_start(text: str, i: int, end: int) -> bool:
    """Tell whether a name that ends at `end` may start at or before `i`: no closed-class word stands before it."""
    hit = zh.LEXICON.at(text, i - 1, end) if i else None
    if hit and hit[1] in zh.CLOSED and len(hit[0]) > 1 and i - 1 + len(hit[0]) < end:
        return False
    hit = zh.LEXICON.at(text, i - 2, end) if i > 1 else None
    return not (hit and hit[1] in zh.CLOSED and len(hit[0]) == 2)


def _kind_of(name: str) -> str:
    """Return the type that the end of a name tells."""
    if any(dot in name for dot in zh.DOTS):
        return "person"
    if head := engine.head_of(zh.LEXICON, zh.HEADS, name, range(7, 1, -1)):
        return zh.LEXICON.kind(head)
    return "location" if name[-1] in zh.LOCATION_ENDS and len(name) > 2 else "unknown"


def _segment(text: str, taken: FoundSpans) -> list[list[Token]]:
    return [_tokens(text, run.start(), run.end(), taken) for run in zh.RUN.finditer(text)]


def _tokens(text: str, start: int, end: int, taken: FoundSpans) -> list[Token]:
    """Cut a run of Han characters into tokens; what no list knows is `plain`, what is taken `name`."""
    sounds = dict(transliterated_spans(text, start, end))
    tokens: list[Token] = []
    i = plain = start
    while i < end:
        first = i
        if taken.used(i):
            stop, kind = next((j for j in range(i, end) if not taken.used(j)), end), "name"
        else:
            stop, kind = _token(text, i, end, sounds)
        if not kind:
            i += 1
            continue
        if kind == "sound" and text[i - 1] in "新圣" and tokens and tokens[-1] == (i - 1, i, zh.BREAK):
            first = tokens.pop()[0]
        elif plain < i:
            tokens.append((plain, i, "plain"))
        tokens.append((first, stop, kind))
        i = plain = stop
    return [*tokens, (plain, end, "plain")] if plain < end else tokens


def _token(text: str, i: int, end: int, sounds: dict[int, int]) -> tuple[int, str]:
    """Return the end and kind of the word of the lists, foreign name or number at `i`; the kind is "" if there is none.

    `sounds` has the ends of foreign names by their starts. A name into which a word reaches starts behind the word.
    """
    hit = zh.LEXICON.at(text, i, end)
    size, kind = (len(hit[0]), hit[1]) if hit else (0, "")
    if kind == "surname":
        size, kind = 0, ""
    stop = i + size
    for j in range(i + 1, stop):
        if j in sounds and sounds[j] - stop >= 2 and kind != zh.PLACE:
            sounds[stop] = sounds[j]
    if i in sounds and (kind != zh.PLACE or size < sounds[i] - i):
        stop = sounds[i]
        tail = zh.LEXICON.at(text, stop - 1, end)
        if tail and len(tail[0]) > 1 and tail[1] in zh.CLOSED and stop - i > 3:
            return stop - 1, "sound"
        return stop + is_last(text, stop), "sound"
    if (text[i] in zh.NUMERALS or text[i] == "第") and kind != zh.PLACE and not kind.endswith("_name"):
        number = _NUMBER.match(text, i, end)
        if number and number.end() > max(stop, i + 1):
            return number.end(), zh.BREAK
    return stop, kind


def _persons(text: str, tokens: list[Token], taken: FoundSpans) -> Iterator[Span]:
    """A surname and a given name with a cue beside them: a title on either side, or a verb of speaking behind."""
    for at, (start, end, kind) in enumerate(tokens):
        if kind in (zh.TITLE, zh.SPEECH):
            alone = kind == zh.SPEECH or text[start:end] in zh.LISTS["polite"]
            edges = [token[0] for token in tokens[max(0, at - 4) : at + 1]]
            for first in (start - size for size in ((3, 2, 4) if alone else (3, 4))):
                if first in edges and taken.free(first, start) and _is_person(text[first:start]):
                    yield first, start, "person", True
                    break
        if kind == zh.TITLE and at + 1 < len(tokens):
            if tokens[at + 1][2] == "sound":
                yield *tokens[at + 1][:2], "person", True
            elif last := _end_of_person(text, end, tokens[-1][1], taken):
                yield end, last, "person", True


def _end_of_person(text: str, start: int, limit: int, taken: FoundSpans) -> int:
    """Return where the Chinese name ends that starts behind a title, 0 if there is none."""
    for last in range(min(start + 4, limit), start + 1, -1):
        if taken.free(start, last) and _is_person(text[start:last]):
            rest = zh.LEXICON.at(text, last - 1, limit) if last < limit else None
            if last - start != 3 or not rest or len(rest[0]) == 1 or rest[1] not in zh.CLOSED:
                return last
    return 0


def _is_person(word: str) -> bool:
    if zh.LEXICON.kind(word) or not zh.NEVER_INSIDE.isdisjoint(word):
        return False
    if word[:2] in zh.LISTS["surname"]:
        return len(word) in (3, 4)
    if word[0] not in zh.SURNAMES or len(word) > 3:
        return False
    parts = (zh.LEXICON.kind(word[i : i + 2]) for i in range(len(word) - 1))
    return not any(kind in (zh.BREAK, zh.TITLE, zh.PLACE, *zh.HEADS) for kind in parts)


def _groups(text: str, tokens: list[Token], taken: FoundSpans) -> Iterator[Span]:
    """Names made of neighbouring tokens: body and head, places, foreign names."""
    group: list[Token] = []
    for start, end, kind in [*tokens, (0, 0, zh.BREAK)]:
        if kind not in (*zh.CLOSED, "name") and not taken.used(start):
            group += _parts(text, start, end, bool(group)) if kind == "plain" else [(start, end, kind)]
        elif group:
            yield from _Group(text, group).follow(_RULES)
            group = []


def _parts(text: str, start: int, end: int, inside: bool) -> Iterator[Token]:
    """Cut plain characters behind those that end names of places ("省湘潭市" after "湖南"), each one a `part`."""
    cut = start
    for i in range(start, end - 1):
        if text[i] in "省市县州" and (i > cut or cut > start or inside):
            yield cut, i + 1, "part"
            cut = i + 1
    yield cut, end, "part" if text[end - 1] in zh.LOCATION_ENDS else "plain"


class _Group(engine.Joined):
    """A group under construction; a name of an organisation may start at `whole`, before the places it begins with."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        super().__init__(text, tokens)
        self.body = self.whole = tokens[0][0]

    def head(self, at: int) -> None:
        start, end, kind = self.tokens[at]
        organization = kind == "organization"
        first = self.whole if organization and end - self.whole <= engine.MAX_NAME else self.body
        if end - first > engine.MAX_NAME:
            self.body = self.whole = end
            return
        before = self.text[first:start]
        if (len(before) > 1 and before not in zh.GENERIC) or first < self.body:
            self.add(first, end, kind, len(before) <= 8 or first < self.body)
            if not organization:
                self.whole = end
        if not organization:
            self.body = end

    def part(self, at: int) -> None:
        start, end, _ = self.tokens[at]
        first = min(self.body, start)
        size = end - first
        if 2 <= size <= 7 and self.text[first : end - 1] not in zh.GENERIC:
            solid = (size > 2 and self.text[first] not in zh.NEVER_FIRST) or (
                self.kind(at - 1) in (zh.PLACE, "sound") and self.tokens[at - 1][0] >= first
            )
            self.add(first, end, "location", solid and self.text[end - 1] != "道")
            self.body = end

    def sound(self, at: int) -> None:
        start, end, _ = self.tokens[at]
        if at + 1 < len(self.tokens) and self.text[end] in "语族教" and self.tokens[at + 1][1] == end + 1:
            self.names.append((start, end + 1, "concept", True))
            self.body = self.whole = end + 1
        else:
            self.names.append((start, end, "unknown", end - start > 2))
            self.body = start

    def place(self, at: int) -> None:
        self.body = self.tokens[at][0]
        self.names.append((*self.tokens[at][:2], "location", True))

    def known(self, at: int) -> None:
        start, end, kind = self.tokens[at]
        self.body = min(self.body, start)
        self.names.append((start, end, kind.removesuffix("_name"), True))

    def plain(self, at: int) -> None:
        if self.kind(at - 1) in (*zh.HEADS, "event_name", "concept_name", "organization_name"):
            self.body = self.tokens[at][0]


_RULES = {
    **dict.fromkeys(zh.HEADS, _Group.head),
    "part": _Group.part,
    "sound": _Group.sound,
    zh.PLACE: _Group.place,
    **dict.fromkeys(("event_name", "concept_name", "organization_name"), _Group.known),
    "plain": _Group.plain,
}


def _recurring(text: str, runs: list[list[Token]], taken: FoundSpans) -> Iterator[Span]:
    """What recurs in the unit: the longest strings between word boundaries that occur at least twice."""
    inner: set[int] = set()  # positions inside a word of the lists: no name starts or ends there
    known: set[int] = set()
    for start, end, kind in (token for run in runs for token in run):
        if kind != "plain":
            inner.update(range(start + 1, end))
            known.update(range(start, end))
    chunks = list(_chunks(text, taken))
    for word, at in sorted(_repeats(text, chunks), key=lambda item: (-len(item[0]) * (len(item[1]) - 1), item[0])):
        if zh.LEXICON.kind(word) in (*zh.CLOSED, "kept", *zh.HEADS) or word[0] in zh.NUMERALS or word in zh.GENERIC:
            continue
        if len(word) == 2 and len(at) < (2 if zh.STRONG.issuperset(word) else 5):
            continue
        person = len(word) == 3 and _is_person(word)
        fits = [i for i in at if i not in inner and i + len(word) not in inner]
        new = [
            i
            for i in fits
            if (person and i not in known) or len(known.intersection(range(i, i + len(word)))) <= len(word) - 2
        ]
        if len(new) > 1:
            kind = "person" if person and len(at) > 2 else _kind_of(word)
            for i in new:
                yield i, i + len(word), kind, False


def _chunks(text: str, taken: FoundSpans) -> Iterator[tuple[int, int]]:
    """Yield what lies between characters that no name holds and the names found, two characters at least."""
    for run in zh.RUN.finditer(text):
        start = run.start()
        for i in range(run.start(), run.end() + 1):
            if i == run.end() or text[i] in zh.NEVER_INSIDE or taken.used(i):
                if i - start > 1:
                    yield start, i
                start = i + 1


def _repeats(text: str, chunks: list[tuple[int, int]]) -> Iterator[tuple[str, list[int]]]:
    """Yield the strings of 2 to 8 characters that recur, and more often than any longer one, with where they start."""
    ends = {i: end for start, end in chunks for i in range(start, end)}
    layer: dict[str, list[int]] = {"": list(ends)}
    for size in range(2, 10):
        longer: dict[str, list[int]] = {}
        for at in layer.values():
            for i in at:
                if i + size <= ends[i]:
                    longer.setdefault(text[i : i + size], []).append(i)
        longer = {word: at for word, at in longer.items() if len(at) > 1}
        covered: Counter[str] = Counter()
        for word, at in longer.items():
            for part in (word[:-1], word[1:]):
                covered[part] = max(covered[part], len(at))
        yield from ((word, at) for word, at in layer.items() if len(word) > 1 and covered[word] < len(at))
        layer = longer


_SCRIPT = engine.Script(
    evidence=(_marked, _defined, _glossed, dotted_names),
    segment=_segment,
    joins=(_persons, _groups),
    recurring=_recurring,
    again=lambda text, start, end: True,
)

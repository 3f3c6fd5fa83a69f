"""Names in Japanese text without a dictionary or a model.

Content is written in kanji and katakana, grammar in hiragana: a run of kanji, katakana and digits is cut at
closed-class words, and what is left is a name where something says so: a head of names of places or organisations, a
title or an honorific, a middle dot, title marks, a gloss in brackets, the place of the subject in a definition. Other
katakana words and what recurs in the text unit are candidates (`anchored` False) that the corpus must confirm.
"""

import re
from collections import Counter
from collections.abc import Iterator

from graphrag_lite.text.names.engine import FoundSpans, Joined, Script, Span, Token, find_names_of, head_of, name_before
from graphrag_lite.text.names.lexicon import Lexicon, any_of
from graphrag_lite.text.names.lists import FORMS, word_lists
from graphrag_lite.text.names.name import Name

_LISTS = word_lists("japanese")
BREAK, TITLE, PLACE = "break", "title", "place"
HEADS = ("organization", "location", "event", "concept")
_KINDS = "break organization concept location event title place concept_name event_name organization_name".split()
LEXICON = Lexicon((kind, _LISTS[kind]) for kind in _KINDS)
_SURNAMES = _LISTS["surname"]
_NO_NAMES = _LISTS["break"] | _LISTS["loan"]

_KANJI = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u30f6"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30fe\uff66-\uff9f"
_DOT = "・＝･"
_CONTENT = re.compile(
    f"[{_KANJI}{_KATAKANA}0-9０-９〇{_DOT}]+(?:(?:ヶ|が(?=丘|原)|の(?=乱|変(?![更化遷動わ容形質])|戦い))[{_KANJI}い]+)?"
)
_INNER = re.compile(f"[{_KANJI}{_KATAKANA}{_DOT}]")
_PIECE = re.compile(f"[{_KATAKANA}]+(?:[{_DOT}][{_KATAKANA}]+)*|[{_KANJI}]+|[0-9０-９]+|[{_DOT}]+")
_NUMBER = re.compile(f"[第約数全各]*[一二三四五六七八九十百千万億兆〇0-9０-９]+(?:{FORMS['japanese counted']})*")
_QUOTES = re.compile(r"『([^『』\n]{1,40})』|《([^《》\n]{1,40})》|「([^「」\n。！？!?、]{2,20})」")
_SENTENCE = re.compile("[はがをにで]|です|ます|[るただいうくすないねよ]$")
_VERBAL, _DONE, _SPEAKS = (re.compile(FORMS[f"japanese {kind}"]) for kind in ("verbal", "done", "speaks"))
_DEFINED = re.compile(f"\\s*([{_KANJI}{_KATAKANA}{_DOT}A-Za-z0-9]{{2,20}}?)(?=\\s*(?:{FORMS['japanese defined']}))")
_GLOSS = re.compile(r"[（(]\s*(?:[^（）()\n]{0,12}[:：、]\s*)?[A-Za-z\u00c0-\u024f\u0400-\u04ff\u3041-\u309f]")
_CALLED = re.compile("とい|と呼|と称|と名")
_SUFFIX = re.compile(any_of(_LISTS["person_suffix"]))


def find_names_japanese(text: str) -> list[Name]:
    """Return the names in `text`, ordered by start, not overlapping.

    >>> [(n.name, n.type) for n in find_names_japanese("ジョン・スミス氏は東京大学で『こころ』を読んだ。")]
    [('ジョン・スミス', 'person'), ('東京大学', 'organization'), ('こころ', 'work')]
    """
    return find_names_of(_SCRIPT, text, text)


def _marked(text: str, taken: FoundSpans) -> Iterator[Span]:
    """Titles of works in title marks, and short quotations that are no sentence."""
    for match in _QUOTES.finditer(text):
        start, end = match.span(match.lastindex or 0)
        body = text[start:end]
        if body.strip() and match.lastindex != 3:
            yield start, end, "work", True
        elif body.strip() and not _SENTENCE.search(body) and body not in _NO_NAMES:
            yield start, end, "unknown", bool(_CALLED.match(text, match.end()))


def _defined(text: str, taken: FoundSpans) -> Iterator[Span]:
    """The subject of a definition at the start of the text."""
    match = _DEFINED.match(text)
    if not match or match[1] in _NO_NAMES or _NUMBER.match(match[1]):
        return
    titled = any(LEXICON.kind(match[1][-size:]) == TITLE for size in (1, 2, 3))
    if not titled and LEXICON.kind(match[1]) not in (TITLE, *HEADS):
        yield *match.span(1), _kind_of(match[1]), True


def _glossed(text: str, taken: FoundSpans) -> Iterator[Span]:
    """Names with a gloss in brackets."""
    for match in _GLOSS.finditer(text):
        start = name_before(text, match.start(), lambda char: bool(_INNER.match(char)))
        body = text[start : match.start()]
        if len(body) > 1 and body[0] not in "ー・々" and body not in _NO_NAMES:
            yield start, match.start(), _kind_of(body), True


def _kind_of(name: str) -> str:
    if any(dot in name for dot in _DOT) and re.fullmatch(f"[{_KATAKANA}{_DOT}]+", name):
        return "person"
    if head := head_of(LEXICON, HEADS, name, range(8, 0, -1)):
        return LEXICON.kind(head)
    kind = LEXICON.kind(name) or "unknown"
    return {PLACE: "location", BREAK: "unknown"}.get(kind, kind.removesuffix("_name"))


def _segment(text: str, taken: FoundSpans) -> list[list[Token]]:
    return [_tokens(text, run.start(), run.end()) for run in _CONTENT.finditer(text)]


def _tokens(text: str, start: int, end: int) -> list[Token]:
    """Cut a run of content; kinds are those of the lists, `loan`, `katakana`, `kanji`, `number`."""
    tokens: list[Token] = []
    position = start
    while position < end:
        piece = _PIECE.match(text, position, end)
        whole = LEXICON.at(text, position, end)
        stop = position + len(whole[0]) if whole else end
        if (
            whole
            and (not piece or whole[1] in (PLACE, "event_name", "concept_name", "organization_name"))
            and _is_apart(text, stop, end)
        ):
            tokens.append((position, stop, whole[1]))
        elif not piece or text[position] in _DOT:
            tokens.append((position, piece.end() if piece else position + 1, BREAK))
        elif _is_katakana(text[position]):
            tokens += _katakana(piece.group(), position)
        elif number := _number(text, position, end):
            tokens.append(number)
        else:
            tokens += _kanji(text, position, piece.end(), end, first=not tokens)
        position = tokens[-1][1]
    return tokens


def _is_apart(text: str, stop: int, end: int) -> bool:
    """Tell whether a word that ends at `stop` is not the start of a longer one in katakana."""
    return not (stop < end and _is_katakana(text[stop - 1]) and (_is_katakana(text[stop]) or text[stop] == "ヶ"))


def _is_katakana(char: str) -> bool:
    return "\u30a1" <= char <= "\u30fe" and char not in _DOT and char != "ヶ"


def _number(text: str, position: int, end: int) -> Token | None:
    number = _NUMBER.match(text, position, end)
    if number and (number.end() > position + 1 or text[position].isdigit()):
        return position, number.end(), "number"
    return None


def _katakana(word: str, start: int) -> list[Token]:
    end = start + len(word)
    kind = LEXICON.kind(word) or ("loan" if word in _LISTS["loan"] else "")
    if kind:
        return [(start, end, kind)]
    head = head_of(LEXICON, HEADS, word[1:], range(9, 2, -1))
    if head and word[-len(head) - 1] not in _DOT:
        return [(start, end - len(head), "katakana"), (end - len(head), end, LEXICON.kind(head))]
    return [(start, end, "katakana")]


def _kanji(text: str, start: int, stop: int, end: int, *, first: bool) -> list[Token]:
    """Cut kanji [start, stop) at the words of the lists, which may reach to `end`; `first`: the run starts here."""
    tokens: list[Token] = []
    position = plain = start
    while position < stop:
        hit = LEXICON.at(text, position, end)
        size, kind = (len(hit[0]), hit[1]) if hit else (0, "")
        if size < 2:
            number = _NUMBER.match(text, position, end)
            if number and number.end() > position + 1:
                size, kind = number.end() - position, "number"
        alone = position == plain and position + 1 == stop
        if size == 1 and kind == BREAK and not alone:
            size = 0
        elif size == 1 and kind != BREAK:  # a head of one character stands behind a body, and mostly last
            bare = position == plain and first and not tokens
            size = int(not bare and (position + 1 == stop or kind == "location"))
        if not size:
            position += 1
            continue
        if position > plain:
            tokens.append((plain, position, "kanji"))
        tokens.append((position, position + size, kind))
        position = plain = position + size
    return [*tokens, (plain, stop, "kanji")] if plain < stop else tokens


class _Run(Joined):
    """A run of content under construction."""

    def head(self, at: int) -> None:
        start, end, kind = self.tokens[at]
        size = start - self.body if self.body >= 0 else 0
        before = self.kind(at - 1)
        named = size and before in ("katakana", PLACE)
        if size >= 2 or named or (size == 1 and end - start == 1 and before == "kanji"):
            plain = end - start == 1 and (kind != "location" or size > 4) and before not in ("katakana", PLACE)
            self.add(self.body, end, kind, size > 1 and not plain and self.text[start:end] != "線")
            parts = self.kind(at + 1) in ("kanji", "katakana", PLACE)
            if kind == "location" and parts and self.text[start:end] in "都道府県市区町村郡州":
                self.body = -1
        else:
            self.body = start if kind != "concept" else -1

    def title(self, at: int) -> None:
        start, before = self.tokens[at][0], self.kind(at - 1)
        if self.body >= 0 and before in ("katakana", "kanji", "loan"):
            first = self.body
            if before == "katakana" and first < self.tokens[at - 1][0] and self.kind(at - 2) == PLACE:
                first = self.tokens[at - 1][0]
            while self.names and self.names[-1][0] >= self.body:
                self.names.pop()
            known = any(self.text[first : first + size] in _SURNAMES for size in (2, 3))
            if before == "katakana" or (before == "kanji" and (known or 3 <= start - first <= 5)):
                self.names.append((first, start, "person", True))
        self.body = -1

    def stop(self, at: int) -> None:
        self.body = -1

    def loan(self, at: int) -> None:
        if self.body < 0 and self.kind(at + 1) in (*HEADS, "katakana"):
            self.body = self.tokens[at][0]

    def known(self, at: int) -> None:
        start, end, kind = self.tokens[at]
        self.begin(at)
        self.names.append((start, end, "location" if kind == PLACE else kind.removesuffix("_name"), True))

    def katakana(self, at: int) -> None:
        start, end, _ = self.tokens[at]
        self.begin(at)
        if any(dot in self.text[start:end] for dot in _DOT):
            speaks = at == len(self.tokens) - 1 and _SPEAKS.match(self.text, end)
            self.names.append((start, end, "person" if speaks else "unknown", True))

    def kanji(self, at: int) -> None:
        start, end, _ = self.tokens[at]
        self.begin(at)
        size = _surname(self.text[start:end])
        if size and not _is_verb(self.text, self.tokens, at):
            self.names.append((start, end, "person", end - start > size))

    def begin(self, at: int) -> None:
        if self.body < 0:
            self.body = self.tokens[at][0]


_RULES = {
    **dict.fromkeys(HEADS, _Run.head),
    TITLE: _Run.title,
    **dict.fromkeys((BREAK, "number"), _Run.stop),
    "loan": _Run.loan,
    **dict.fromkeys((PLACE, "concept_name", "event_name", "organization_name"), _Run.known),
    "katakana": _Run.katakana,
    "kanji": _Run.kanji,
}


def _join(text: str, tokens: list[Token], taken: FoundSpans) -> list[Span]:
    run = _Run(text, tokens)
    run.follow(_RULES)
    limit = tokens[-1][1]
    if run.body >= 0 and _SUFFIX.match(text, limit) and tokens[-1][2] in ("katakana", "kanji", PLACE):
        run.add(run.body, limit, "person", True)
    return run.names


def _surname(word: str) -> int:
    """Return the length of the surname that a name of a person starts with, 0 if the word is none."""
    size = next((size for size in (3, 2) if word[:size] in _SURNAMES), 0)
    return size if len(word) <= size + 3 else 0


def _is_verb(text: str, tokens: list[Token], at: int) -> bool:
    """Tell whether one kanji is the stem of a verb or an adjective."""
    start, end, _ = tokens[at]
    return end - start == 1 and at == len(tokens) - 1 and bool(_VERBAL.match(text, end))


def _recurring(text: str, runs: list[list[Token]], taken: FoundSpans) -> Iterator[Span]:
    """Words in katakana, and words in kanji that recur."""
    loose = [token for run in runs for at, token in enumerate(run) if _may_recur(text, run, at)]
    counts = Counter(text[start:end] for start, end, _ in loose)
    for start, end, kind in loose:
        n = counts[text[start:end]]
        if kind == "katakana" or (n > 1 and (end - start > 2 or n > 4)):
            yield start, end, "unknown", False


def _may_recur(text: str, tokens: list[Token], at: int) -> bool:
    start, end, kind = tokens[at]
    word, last = text[start:end], at == len(tokens) - 1
    if kind == "katakana":
        dotted = any(dot in word for dot in _DOT)
        return len(word) > 2 and not dotted and not (last and text.startswith(("し", "さ", "す"), end))
    if kind != "kanji" or len(word) < 2 or _surname(word) or word[-1] in "化的性者率量後前中内上下人側面":
        return False
    return not (last and _DONE.match(text, end))


def _again(text: str, start: int, end: int) -> bool:
    before = start > 0 and _is_katakana(text[start]) and _is_katakana(text[start - 1])
    return not before and not (end < len(text) and _is_katakana(text[end - 1]) and _is_katakana(text[end]))


_SCRIPT = Script(
    evidence=(_marked, _defined, _glossed), segment=_segment, joins=(_join,), recurring=_recurring, again=_again
)

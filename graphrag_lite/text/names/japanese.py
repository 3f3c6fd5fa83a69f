"""Names in Japanese text without a dictionary or a model.

Content is written in kanji and katakana, grammar in hiragana: a run of kanji, katakana and digits is cut at
closed-class words, and what is left is a name where something says so: a head of names of places or organisations, a
title or an honorific, a middle dot, title marks, a gloss in brackets, the place of the subject in a definition. Other
katakana words and what recurs in the text unit are candidates (`anchored` False) that the corpus must confirm.
"""

import re
from collections import Counter

from graphrag_lite.text.names.japanese_words import (
    BREAK,
    BREAKS,
    HEADS,
    LEXICON,
    LOAN_WORDS,
    PERSON_SUFFIXES,
    PLACE,
    SURNAMES,
    TITLE,
)
from graphrag_lite.text.names.lexicon import occurrences
from graphrag_lite.text.names.name import Name
from graphrag_lite.text.names.spans import Spans

_KANJI = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u30f6"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30fe\uff66-\uff9f"
_DOT = "・＝･"
_CONTENT = re.compile(
    f"[{_KANJI}{_KATAKANA}0-9０-９〇{_DOT}]+(?:(?:ヶ|が(?=丘|原)|の(?=乱|変(?![更化遷動わ容形質])|戦い))[{_KANJI}い]+)?"
)
_PIECE = re.compile(f"[{_KATAKANA}]+(?:[{_DOT}][{_KATAKANA}]+)*|[{_KANJI}]+|[0-9０-９]+|[{_DOT}]+")
_NUMBER = re.compile(
    "[第約数全各]*[一二三四五六七八九十百千万億兆〇0-9０-９]+(?:[年月日時分秒人名個回度歳代位号章条項台本枚件種番階世隻両頭匹羽曲話巻点線円]|世紀|年代|か国|ヶ国|カ国|歳|番目|年間|か月|ヶ月|カ月|週間|曜日|丁目|番地|パーセント|メートル|キロ|系|次|周年|億|万|以上)*"
)
_QUOTES = re.compile(r"『([^『』\n]{1,40})』|《([^《》\n]{1,40})》|「([^「」\n。！？!?、]{2,20})」")
_VERBAL = re.compile(
    "し(?:た|て|、|な|ま|、)|さ(?:れ|せ)|す(?:る|れ|べ)|でき|出来|的|化|な(?:ど|の)?(?=[^どの])|い|く|き(?!ょう)|け|げ|っ|ら|り(?!ス)|る|れ|ろ|め|み|む|ま(?!で)|え|べ|ち|つ|て|ず|ぐ|ぎ|び|ぶ|ば|う"
)
_DEFINES = re.compile(r"\s*(?:[（(]|とは|は、|は(?=[^。\n]{0,60}(?:である|です|。)))")
_GLOSS = re.compile(r"[（(]\s*(?:[^（）()\n]{0,12}[:：、]\s*)?[A-Za-z\u00c0-\u024f\u0400-\u04ff\u3041-\u309f]")
_SPEAKS = re.compile(
    "(?:は|が|も)、?(?:[^。、\n]{0,30})(?:述べ|語|話し|言|発表|答え|明かし|主張|生まれ|死去|就任|演じ)|(?:によると|によれば)"
)
_PARTICLE = "をにがはでとものへやか、。「」（）()・ 　\n"


def find_names_japanese(text: str) -> list[Name]:
    """Return the names in `text`, ordered by start, not overlapping.

    >>> [(n.name, n.type) for n in find_names_japanese("ジョン・スミス氏は東京大学で『こころ』を読んだ。")]
    [('ジョン・スミス', 'person'), ('東京大学', 'organization'), ('こころ', 'work')]
    """
    taken = Spans(len(text))
    _quoted(text, taken)
    _subject(text, taken)
    loose: list[tuple[int, int, str]] = []
    for run in _CONTENT.finditer(text):
        _run(text, _tokens(text, run.start(), run.end()), taken, loose)
    _spread(text, taken)
    counts = Counter(text[start:end] for start, end, _ in loose)
    for start, end, kind in loose:
        word = text[start:end]
        if kind == "katakana" or (counts[word] > 1 and (len(word) > 2 or counts[word] > 3)):
            taken.add(start, end, "unknown", False)
    return [
        Name(start, end, " ".join(text[start:end].split()), kind, sure)
        for start, end, kind, sure in sorted(taken.spans)
    ]


def _quoted(text: str, taken: Spans) -> None:
    for match in _QUOTES.finditer(text):
        start, end = match.span(match.lastindex or 0)
        body = text[start:end]
        if not body.strip():
            continue
        if match.lastindex != 3:
            taken.add(start, end, "work", True)
        elif (
            not re.search("[はがをにで]|です|ます|[るただいうくすないねよ]$", body)
            and body not in BREAKS
            and body not in LOAN_WORDS
        ):
            named = text[match.end() : match.end() + 2] in ("とい", "と呼", "と称", "と名")
            taken.add(start, end, "unknown", named)


def _subject(text: str, taken: Spans) -> None:
    match = re.match(rf"\s*([{_KANJI}{_KATAKANA}{_DOT}A-Za-z0-9]{{2,20}}?)(?={_DEFINES.pattern})", text)
    if (
        match
        and match[1] not in BREAKS
        and match[1] not in LOAN_WORDS
        and not _NUMBER.match(match[1])
        and LEXICON.kinds.get(match[1]) not in (TITLE, *HEADS)
    ) and not any(LEXICON.kinds.get(match[1][-size:]) == TITLE for size in (1, 2, 3)):
        taken.add(*match.span(1), _kind_of(match[1]), True)
    for match in _GLOSS.finditer(text):
        end = match.start()
        start = end
        while start > 0 and end - start < 16 and re.match(f"[{_KANJI}{_KATAKANA}{_DOT}]", text[start - 1]):
            start -= 1
        body = text[start:end]
        if len(body) > 1 and body[0] not in "ー・々" and body not in BREAKS and body not in LOAN_WORDS:
            taken.add(start, end, _kind_of(body), True)


def _kind_of(body: str) -> str:
    if any(dot in body for dot in _DOT) and re.fullmatch(f"[{_KATAKANA}{_DOT}]+", body):
        return "person"
    for size in range(min(8, len(body) - 1), 0, -1):
        kind = LEXICON.kinds.get(body[-size:], "")
        if kind in HEADS:
            return kind
    return LEXICON.kinds.get(body, "").split("_")[0].replace(PLACE, "location").replace(BREAK, "unknown") or "unknown"


def _tokens(text: str, start: int, end: int) -> list[tuple[int, int, str]]:
    """Cut a run of content into (start, end, kind); kinds are those of the lists, `katakana`, `kanji`, `number`."""
    tokens: list[tuple[int, int, str]] = []
    position = start
    while position < end:
        whole = LEXICON.at(text, position, end)
        piece = _PIECE.match(text, position, end)
        if whole and (whole[1] in (PLACE, "event_name", "concept_name") or not piece):
            stop = position + len(whole[0])
            if not (
                (text[stop - 1] >= "\u30a1" and text[stop - 1] <= "\u30fe" and stop < end and text[stop] in "ーァ-ヶ")
                or (_katakana(text[stop - 1]) and stop < end and _katakana(text[stop]))
            ):
                tokens.append((position, stop, whole[1]))
                position = stop
                continue
        if not piece:
            tokens.append((position, position + 1, BREAK))
            position += 1
            continue
        stop = piece.end()
        if _katakana(text[position]):
            word = piece.group()
            kind = LEXICON.kinds.get(word, "")
            head = next(
                (
                    word[-n:]
                    for n in (9, 8, 7, 6, 5, 4, 3)
                    if len(word) > n + 1 and LEXICON.kinds.get(word[-n:]) in HEADS
                ),
                "",
            )
            if kind:
                tokens.append((position, stop, kind))
            elif word in LOAN_WORDS:
                tokens.append((position, stop, "loan"))
            elif head and word[-len(head) - 1] not in _DOT:
                tokens += [(position, stop - len(head), "katakana"), (stop - len(head), stop, LEXICON.kinds[head])]
            else:
                tokens.append((position, stop, "katakana"))
            position = stop
        elif text[position] in _DOT:
            tokens.append((position, stop, BREAK))
            position = stop
        else:
            number = _NUMBER.match(text, position, end)
            if number and (number.end() > position + 1 or text[position].isdigit()):
                tokens.append((position, number.end(), "number"))
                position = number.end()
                continue
            plain = position
            while position < stop:
                hit = LEXICON.at(text, position, end)
                number = _NUMBER.match(text, position, end) if not hit or len(hit[0]) < 2 else None
                if number and number.end() > position + 1:
                    hit = (number.group(), "number")
                if not hit or (len(hit[0]) == 1 and hit[1] == BREAK and (position > plain or position + 1 < stop)):
                    position += 1
                    continue
                if (
                    len(hit[0]) == 1
                    and hit[1] != BREAK
                    and ((position == plain and not tokens) or (position + 1 < stop and hit[1] != "location"))
                ):
                    position += 1
                    continue
                if position > plain:
                    tokens.append((plain, position, "kanji"))
                position = min(position + len(hit[0]), end)
                tokens.append((position - len(hit[0]), position, hit[1]))
                plain = position
            if plain < stop:
                tokens.append((plain, stop, "kanji"))
            position = max(position, stop)
    return tokens


def _katakana(char: str) -> bool:
    return "\u30a1" <= char <= "\u30fe" and char not in _DOT and char != "ヶ"


def _run(text: str, tokens: list[tuple[int, int, str]], taken: Spans, loose: list[tuple[int, int, str]]) -> None:
    """Join the tokens of one run to names."""
    if not tokens:
        return
    limit = tokens[-1][1]
    after = text[limit : limit + 2]
    found: list[tuple[int, int, str, bool]] = []
    body = -1  # where the name under construction starts
    for at, (start, end, kind) in enumerate(tokens):
        following = tokens[at + 1][2] if at + 1 < len(tokens) else ""
        last = end == limit
        if kind in HEADS:
            size = start - body if body >= 0 else 0
            lone = tokens[at - 1][2] if at else ""
            if (
                size >= 2
                or (size == 1 and end - start == 1 and lone in ("kanji", PLACE))
                or (size and lone in ("katakana", PLACE))
            ):
                while found and found[-1][1] > body:
                    found.pop()
                sure = (
                    size > 1
                    and text[start:end] != "線"
                    and (end - start > 1 or (kind == "location" and size <= 4) or lone in ("katakana", PLACE))
                )
                found.append((body, end, kind, sure))
                parts = following in ("kanji", "katakana", PLACE)
                if kind == "location" and parts and text[start:end] in "都道府県市区町村郡州":
                    body = -1
                continue
            body = start if kind != "concept" else -1
            continue
        if kind == TITLE:
            if at and body >= 0 and tokens[at - 1][2] in ("katakana", "kanji", "loan"):
                while found and found[-1][1] > body:
                    found.pop()
                first = (
                    tokens[at - 1][0]
                    if tokens[at - 1][2] == "katakana" and body < tokens[at - 1][0] and tokens[at - 2][2] == PLACE
                    else body
                )
                known = text[first : first + 2] in SURNAMES or text[first : first + 3] in SURNAMES
                if tokens[at - 1][2] == "katakana" or (
                    tokens[at - 1][2] == "kanji" and (known or 3 <= start - first <= 5)
                ):
                    found.append((first, start, "person", True))
            body = -1
            continue
        if kind in (BREAK, "number", "loan"):
            if kind == "loan" and body < 0:
                body = start if following in HEADS or following == "katakana" else -1
            elif kind != "loan":
                body = -1
            continue
        if body < 0:
            body = start
        if kind in (PLACE, "concept_name", "event_name"):
            name = "location" if kind == PLACE else kind.split("_")[0]
            found.append((start, end, name, True))
        elif kind == "katakana":
            word = text[start:end]
            if any(dot in word for dot in _DOT):
                found.append((start, end, "unknown", True))
            elif end - start >= 3 and not (last and after[:1] in ("し", "さ", "す")):
                loose.append((start, end, "katakana"))
        elif kind == "kanji":
            if last and _VERBAL.match(text, limit) and end - start == 1:
                continue
            word = text[start:end]
            surname = next((n for n in (3, 2) if word[:n] in SURNAMES), 0)
            if surname and end - start <= surname + 3:
                given = end - start > surname
                found.append((start, end, "person", given))
            elif (
                end - start >= 2
                and word[-1] not in "化的性者率量後前中内上下人側面"
                and not (
                    last and re.match("し[たてなま]|さ[れせ]|する|すれ|的|化|な[^どの]", text[limit : limit + 2] + " ")
                )
            ):
                loose.append((start, end, "kanji"))
    if body >= 0 and text.startswith(PERSON_SUFFIXES[:4], limit) and tokens[-1][2] in ("katakana", "kanji", PLACE):
        while found and found[-1][1] > body:
            found.pop()
        found.append((body, limit, "person", True))
    for index, (start, end, kind, _) in enumerate(found):
        if kind == "unknown" and end == limit and _SPEAKS.match(text, limit):
            found[index] = (start, end, "person", True)
    for span in found:
        taken.add(*span)


def _spread(text: str, taken: Spans) -> None:
    kinds: dict[str, Counter[str]] = {}
    sure: set[str] = set()
    for start, end, kind, anchored in taken.spans:
        word = text[start:end]
        kinds.setdefault(word, Counter())[kind] += 1
        if anchored:
            sure.add(word)
    for start, end, word in occurrences(text, sorted(word for word in sure if len(word) > 2)):
        if (_katakana(word[0]) and start and _katakana(text[start - 1])) or (
            _katakana(word[-1]) and end < len(text) and _katakana(text[end])
        ):
            continue
        taken.add(start, end, "unknown", True)
    best = {}
    for word, count in kinds.items():
        count.pop("unknown", 0)
        best[word] = min(count, key=lambda kind: (-count[kind], kind)) if count else "unknown"
    taken.spans = [(s, e, best.get(text[s:e], kind), sure_ or text[s:e] in sure) for s, e, kind, sure_ in taken.spans]

"""Names in Chinese text, simplified or traditional, without a dictionary or a model.

A run of Han characters is cut at closed-class words. What is left is a name where something says so: a head of names
of places or organisations behind it, a title or a verb of speaking beside a surname, characters that write foreign
sounds, title marks, a gloss in brackets, the place of the subject in a definition. What merely recurs within the text
unit is a candidate (`anchored` False): the corpus must confirm it.
"""

import re
from collections import Counter

from graphrag_lite.text.names.chinese_words import (
    BREAK,
    COMPOUND_SURNAMES,
    HEADS,
    KEPT,
    LEXICON,
    LOCATION_CHARACTERS,
    MEASURES,
    NUMERALS,
    PLACE,
    SOUNDS_MIDDLE,
    SOUNDS_STRONG,
    SOUNDS_WEAK,
    SPEECH,
    SURNAMES,
    TITLE,
    simplified,
)
from graphrag_lite.text.names.lexicon import occurrences
from graphrag_lite.text.names.name import Name
from graphrag_lite.text.names.spans import Spans

HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
DOTS = "·•‧・．∙"
_RUN = re.compile(f"[{HAN}]+")
_SOUNDS = "".join(sorted(SOUNDS_STRONG | SOUNDS_MIDDLE | SOUNDS_WEAK))
_SOUND_RUN = re.compile(f"[{_SOUNDS}]{{3,}}")
_DOTTED = re.compile(f"[{HAN}](?:[{DOTS}](?:(?![和与及或的了在是])[{HAN}A-Za-z]){{1,8}})+")
_NUMBER = re.compile(f"[第数几上下半每约近]?[{''.join(sorted(NUMERALS))}]+[{''.join(sorted(MEASURES))}]?")
_TITLE_MARKS = re.compile(r"《([^《》\n]{1,40})》|〈([^〈〉\n]{1,40})〉|『([^『』\n]{1,20})』")
_QUOTED = re.compile(r"[“「]([^“”「」\n，。！？：；、]{2,10})[”」]")
_NAMED = re.compile(r"(?:称为|称作|名为|叫做|叫作|命名为|改名为|又称|简称|俗称|通称|之称的|所谓的?|誉为)$")
_GLOSS = re.compile(r"[（(]\s*(?:[^（）()\n]{0,12}[:：]\s*)?[A-Za-z\u00c0-\u024f\u0400-\u04ff\u3040-\u30ff]")
_STRICT = frozenset(
    "的了着在是和与及或但而也都就还又被把将对从由给让使这那其之且则很已不没她它我你们该此每某些吗呢吧啊哪怎于为以您他至仍却只"
)
_DEFINES = re.compile(r"\s*(?:[（(]|是|为|又|亦|即|位于|原名|，(?=[^。\n]{0,40}(?:是|为|又|位于|原名|属于)))")
_LOOSE = frozenset("新老原本旧大小多全总各两副前后双单")  # a single character before a head that names nothing
_GENERIC = frozenset(
    "国际 国内 国家 地方 中央 全国 当地 私立 公立 综合 有限 股份 跨国 国营 国有 民营 科技 大型 中型 小型 世界 民间 专业 职业 政治 商业 工业 主要 著名 著名的 "
    "传统 现代 联合 民主 自由 独立 社会 经济 文化 高等 相关 有关 其他 合作 公共 保险 证券 基金 航空 电影 汽车 铁路 足球 篮球 一级 二级 独资 连锁 大众 女子 男子 市立 县立 国立 省立".split()
)
_NOT_LAST = frozenset("人语族教州省市县区岛河山湖海港湾城镇村郡队军家式系版级型派党学内号")
_POLITE = frozenset("先生 女士 小姐 博士 教授 老师 太太 夫人 将军 主席 总统 总理".split())
_MAX_NAME = 16


def find_names_chinese(text: str) -> list[Name]:
    """Return the names in `text`, ordered by start, not overlapping.

    >>> [(n.name, n.type) for n in find_names_chinese("湖南省湘潭市的约翰·麦卡锡说，他毕业于北京大学。")]
    [('湖南省', 'location'), ('湘潭市', 'location'), ('约翰·麦卡锡', 'person'), ('北京大学', 'organization')]
    """
    folded = simplified(text)
    taken = Spans(len(text))
    _marked(folded, taken)
    _subjects(folded, taken)
    tokens: list[list[tuple[int, int, str]]] = []
    _dotted(folded, taken)
    for run in _RUN.finditer(folded):
        found = _tokens(folded, run.start(), run.end(), taken)
        tokens.append(found)
        _persons(folded, found, taken)
    for found in tokens:
        _groups(folded, found, taken)
    _spread(folded, taken)
    _repeated(folded, tokens, taken)
    return [
        Name(start, end, " ".join(text[start:end].split()), kind, anchored)
        for start, end, kind, anchored in sorted(taken.spans)
    ]


def _marked(text: str, taken: Spans) -> None:
    """Titles of works in title marks, and short quotations that are introduced as a name."""
    for match in _TITLE_MARKS.finditer(text):
        start, end = match.span(match.lastindex or 0)
        if text[start:end].strip():
            taken.add(start, end, "work", True)
    for match in _QUOTED.finditer(text):
        start, end = match.span(1)
        body = text[start:end]
        if _NAMED.search(text, max(0, match.start() - 6), match.start()):
            taken.add(start, end, "unknown", True)
        elif (
            not _STRICT.intersection(body)
            and _RUN.fullmatch(body)
            and len(body) > 2
            and LEXICON.kinds.get(body) != BREAK
        ):
            taken.add(start, end, "unknown", False)


def _subjects(text: str, taken: Spans) -> None:
    """The subject of a definition at the start of the text: "X（...）是", and names with a gloss in brackets."""
    run = re.compile(f"\\s*([{HAN}{DOTS}]{{2,16}}?)(?={_DEFINES.pattern})").match(text)
    if run:
        start, end = run.span(1)
        body = text[start:end]
        if (
            not _STRICT.intersection(body[:-1])
            and LEXICON.kinds.get(body) not in (BREAK, TITLE, *HEADS)
            and body[0] not in NUMERALS
        ):
            kind = _kind_of(body)
            taken.add(start, end, kind, True)
    for match in _GLOSS.finditer(text):
        end = match.start()
        while end > 0 and text[end - 1] == " ":
            end -= 1
        start = end
        while start > 0 and end - start < _MAX_NAME and _is_name_character(text[start - 1]):
            start -= 1
        inside = [i for i in range(start, end) if not _is_clear(text, i, end)]
        start = max([start, *inside])
        body = text[start:end]
        if 2 <= len(body) <= 12 and text[end - 1] not in DOTS and LEXICON.kinds.get(body) not in (BREAK, TITLE):
            taken.add(start, end, _kind_of(body), True)


def _is_name_character(char: str) -> bool:
    return char in DOTS or ("\u3400" <= char <= "\u9fff" and char not in _STRICT)


def _is_clear(text: str, i: int, end: int) -> bool:
    """Tell whether a name that ends at `end` may start at or before `i`: no closed-class word stands before it."""
    hit = LEXICON.at(text, i - 1, end) if i else None
    if hit and hit[1] in (BREAK, TITLE, SPEECH) and len(hit[0]) > 1 and i - 1 + len(hit[0]) < end:
        return False
    hit = LEXICON.at(text, i - 2, end) if i > 1 else None
    return not (hit and hit[1] in (BREAK, TITLE, SPEECH) and len(hit[0]) == 2 and i < end)


def _kind_of(body: str) -> str:
    """Return the type that the end of a name tells."""
    if any(dot in body for dot in DOTS):
        return "person"
    for size in range(min(7, len(body) - 1), 1, -1):
        kind = LEXICON.kinds.get(body[-size:])
        if kind in HEADS:
            return HEADS[kind]
    return "location" if body[-1] in LOCATION_CHARACTERS and len(body) > 2 else "unknown"


def _dotted(text: str, taken: Spans) -> None:
    """Transliterated names with a dot between their parts. The ends go as far as the characters write sounds."""
    for match in _DOTTED.finditer(text):
        start = match.start()
        if text[start + 1] in ".．" or taken.used(start):
            continue
        while start > 0 and match.start() - start < 6 and text[start - 1] in _SOUND_SET and not _ends_word(text, start):
            start -= 1
        if start > 0 and text[start - 1] in "新圣":
            start -= 1
        elif (
            start > 0
            and _is_name_character(text[start - 1])
            and text[start - 1] not in DOTS
            and not _ends_word(text, start)
        ):
            # one more character than the usual ones, where a name can start before it
            known = LEXICON.at(text, start - 1, start)
            if not known and (
                start == 1
                or not _RUN.match(text, start - 2)
                or _ends_word(text, start - 1)
                or LEXICON.at(text, start - 2, start - 1)
            ):
                start -= 1
        last = max(text.rfind(dot, match.start(), match.end()) for dot in DOTS) + 1
        end = last
        while end < len(text) and end - last < 8:
            char = text[end]
            if (char < "\u3400" and not char.isalpha()) or char in DOTS or not char.isalpha():
                break
            hit = LEXICON.at(text, end, min(len(text), end + 4))
            if hit and len(hit[0]) > 1 and hit[1] in (BREAK, TITLE, SPEECH):
                break
            sounding = text[end + 1 : end + 2] in SOUNDS_STRONG and end > last
            if (
                char >= "\u3400"
                and char not in _STURDY
                and end > last
                and not (sounding and char not in "和与及在是的")
            ) and (hit or char not in _SOUND_SET):
                break
            end += 1
        if _is_last(text, end):
            end += 1
        if end > last:
            taken.add(start, end, "person", True)


def _is_last(text: str, position: int) -> bool:
    """Tell whether one character that no list knows stands here before the end of the run or a closed-class word."""
    if (
        position >= len(text)
        or not _is_name_character(text[position])
        or text[position] in DOTS
        or text[position] in _NOT_LAST
    ):
        return False
    after = position + 1
    if LEXICON.at(text, position, len(text)):
        return False
    if after == len(text) or not _RUN.match(text, after):
        return True
    hit = LEXICON.at(text, after, len(text))
    return bool(hit and hit[1] in (BREAK, TITLE, SPEECH))


def _ends_word(text: str, position: int) -> bool:
    """Tell whether a closed-class word of two or more characters, or a title, ends at `position`."""
    for size in (4, 3, 2):
        word = text[max(0, position - size) : position]
        if len(word) == size and LEXICON.kinds.get(word) in (BREAK, TITLE, SPEECH, PLACE, *HEADS):
            return True
    return False


_SOUND_SET = SOUNDS_STRONG | SOUNDS_MIDDLE | SOUNDS_WEAK
_STURDY = SOUNDS_STRONG | frozenset("里比达德特")
_VALUE = {
    **dict.fromkeys(SOUNDS_WEAK, -0.4),
    **dict.fromkeys(SOUNDS_MIDDLE, 0.4),
    **dict.fromkeys(SOUNDS_STRONG, 1.0),
}


def _sounding(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the spans of `text[start:end]` that write foreign sounds: maximal scoring, at least three characters."""
    found = []
    for match in _SOUND_RUN.finditer(text, start, end):
        best, best_span, total, first = 0.0, (0, 0), 0.0, match.start()
        for i in range(match.start(), match.end() + 1):
            if i == match.end() or total + _VALUE[text[i]] < 0:
                strong = sum(text[j] in SOUNDS_STRONG for j in range(*best_span))
                size = best_span[1] - best_span[0]
                if size >= 3 and best >= 1.4 and strong and best >= 0.3 * size:
                    found.append(best_span)
                best, best_span, total, first = 0.0, (0, 0), 0.0, i + 1
                continue
            total += _VALUE[text[i]]
            if total > best:
                best, best_span = total, (first, i + 1)
    return found


def _tokens(text: str, start: int, end: int, taken: Spans) -> list[tuple[int, int, str]]:
    """Cut a run of Han characters into tokens (start, end, kind); what no list knows is `plain`."""
    sounds = dict(_sounding(text, start, end))
    tokens: list[tuple[int, int, str]] = []
    i = plain = start

    def close(position: int) -> None:
        if position > plain:
            tokens.append((plain, position, "plain"))

    while i < end:
        stop, kind = i, ""
        if taken.used(i):
            stop = i + 1
            while stop < end and taken.used(stop):
                stop += 1
            kind = "name"
        else:
            hit = LEXICON.at(text, i, end)
            if hit and hit[1] != "surname":
                stop, kind = i + len(hit[0]), hit[1]
            if kind:  # a closed-class word may reach into a foreign name
                for j in range(i + 1, stop):
                    if j in sounds and sounds[j] - stop >= 2 and kind != PLACE:
                        sounds[stop] = sounds[j]
            if i in sounds and (not hit or hit[1] != PLACE or len(hit[0]) < sounds[i] - i):
                stop, kind = sounds[i], "sound"
                tail = LEXICON.at(text, stop - 1, end)
                if tail and len(tail[0]) > 1 and tail[1] in (BREAK, TITLE, SPEECH) and stop - i > 3:
                    stop -= 1
                elif _is_last(text, stop):
                    stop += 1
                if text[i - 1] in "新圣" and tokens and tokens[-1] == (i - 1, i, BREAK):
                    tokens.pop()
                    i = plain = i - 1
            elif text[i] in NUMERALS or text[i] == "第":
                number = _NUMBER.match(text, i, end)
                if number and number.end() > stop and (number.end() > i + 1) and kind != PLACE and kind[-5:] != "_name":
                    stop, kind = number.end(), BREAK
        if not kind:
            i += 1
            continue
        close(i)
        tokens.append((i, stop, kind))
        i = plain = stop
    close(end)
    return tokens


def _persons(text: str, tokens: list[tuple[int, int, str]], taken: Spans) -> None:
    """A surname and a given name with a cue beside them: a title on either side, or a verb of speaking behind."""
    for at, (start, end, kind) in enumerate(tokens):
        if kind in (TITLE, SPEECH):
            for size in (3, 2, 4) if kind == SPEECH or text[start:end] in _POLITE else (3, 4):
                first = start - size
                if first < tokens[0][0] or not taken.free(first, start) or not _is_person(text[first:start]):
                    continue
                edges = {token[0] for token in tokens[max(0, at - 4) : at + 1]}
                if first in edges:
                    taken.add(first, start, "person", True)
                    break
        if kind == TITLE and at + 1 < len(tokens):
            limit = tokens[-1][1]
            nxt = tokens[at + 1]
            if nxt[2] == "sound":
                if taken.free(nxt[0], nxt[1]):
                    taken.add(nxt[0], nxt[1], "person", True)
                continue
            for size in (4, 3, 2):
                last = end + size
                if last <= limit and taken.free(end, last) and _is_person(text[end:last]):
                    rest = LEXICON.at(text, last - 1, limit)
                    if size == 3 and last < limit and rest and len(rest[0]) > 1 and rest[1] in (BREAK, SPEECH, TITLE):
                        continue
                    taken.add(end, last, "person", True)
                    break


def _is_person(word: str) -> bool:
    if LEXICON.kinds.get(word) or _STRICT.intersection(word):
        return False
    if word[:2] in COMPOUND_SURNAMES:
        return len(word) in (3, 4)
    if word[0] not in SURNAMES or len(word) > 3:
        return False
    return not any(LEXICON.kinds.get(word[i : i + 2]) in (BREAK, TITLE, PLACE, *HEADS) for i in range(len(word) - 1))


def _groups(text: str, tokens: list[tuple[int, int, str]], taken: Spans) -> None:
    """Names made of neighbouring tokens: body and head, places, foreign names."""
    group: list[tuple[int, int, str]] = []
    for token in [*tokens, (0, 0, BREAK)]:
        if token[2] in (BREAK, TITLE, SPEECH, "name") or taken.used(token[0]):
            if group:
                _group(text, group, taken)
            group = []
        else:
            group.append(token)


def _group(text: str, group: list[tuple[int, int, str]], taken: Spans) -> None:
    pieces: list[tuple[int, int, str]] = []
    for start, end, kind in group:  # "省湘潭市" after "湖南": cut behind the characters that end names of places
        if kind == "plain":
            cut = start
            for i in range(start, end):
                if text[i] in "省市县州" and i + 1 < end and (i > cut or pieces):
                    pieces.append((cut, i + 1, "part"))
                    cut = i + 1
            if end > cut:
                pieces.append((cut, end, "part" if text[end - 1] in LOCATION_CHARACTERS else "plain"))
        else:
            pieces.append((start, end, kind))
    found: list[tuple[int, int, str, bool]] = []
    body = pieces[0][0]  # where the name under construction starts
    whole = pieces[0][0]  # where the places before it start
    for at, (start, end, kind) in enumerate(pieces):
        if kind in HEADS:
            first = whole if HEADS[kind] == "organization" and end - whole <= _MAX_NAME else body
            if end - first > _MAX_NAME:
                body = whole = end
                continue
            before = text[first:start]
            if (len(before) > 1 and before not in _GENERIC) or first < body:
                while found and found[-1][0] >= first:
                    found.pop()
                sure = len(before) <= 8 or first < body
                found.append((first, end, HEADS[kind], sure))
                if HEADS[kind] != "organization":
                    whole = end
            body = end if HEADS[kind] != "organization" else body
        elif kind == "part":
            first = body if start > body else start
            size = end - first
            if text[end - 1] in LOCATION_CHARACTERS and 2 <= size <= 7 and text[first : end - 1] not in _GENERIC:
                solid = (size > 2 and text[first] not in _LOOSE) or (
                    at > 0 and pieces[at - 1][2] in (PLACE, "sound") and pieces[at - 1][0] >= first
                )
                while found and found[-1][0] >= first:
                    found.pop()
                found.append((first, end, "location", solid and text[end - 1] != "道"))
                body = end
        elif kind in (PLACE, "sound", "event_name", "concept_name"):
            size = end - start
            if kind == "sound":
                following = text[end] if at + 1 < len(pieces) else ""
                if following and following in "语族教" and pieces[at + 1][1] - pieces[at + 1][0] == 1:
                    found.append((start, end + 1, "concept", True))
                    body = whole = end + 1
                    continue
                found.append((start, end, "unknown", size > 2))
            elif kind == PLACE:
                found.append((start, end, "location", True))
            else:
                found.append((start, end, kind.split("_")[0], True))
            body = start if body > start or kind in (PLACE, "sound") else body
            if kind in (PLACE, "sound"):
                body = start
        elif kind == "plain" and at and pieces[at - 1][2] in (*HEADS, "event_name", "concept_name"):
            body = start
    for start, end, kind, anchored in found:
        taken.add(start, end, kind, anchored)


def _spread(text: str, taken: Spans) -> None:
    """Find the other mentions of the anchored names in the unit, and give the type that one mention tells to all."""
    kinds: dict[str, Counter[str]] = {}
    sure: set[str] = set()
    for start, end, kind, anchored in taken.spans:
        word = text[start:end]
        kinds.setdefault(word, Counter())[kind] += 1
        if anchored:
            sure.add(word)
    long = sorted(word for word in sure if len(word) > 2)
    for start, end, _ in occurrences(text, long):
        taken.add(start, end, "unknown", True)
    best = {}
    for word, count in kinds.items():
        count.pop("unknown", 0)
        best[word] = min(count, key=lambda kind: (-count[kind], kind)) if count else "unknown"
    taken.spans = [
        (start, end, best.get(text[start:end], kind), anchored or text[start:end] in sure)
        for start, end, kind, anchored in taken.spans
    ]


def _repeated(text: str, tokens: list[list[tuple[int, int, str]]], taken: Spans) -> None:
    """Add what recurs in the unit: the longest strings between word boundaries that occur at least twice."""
    inner: set[int] = set()  # positions inside a word of the lists: no name starts or ends there
    known: set[int] = set()
    chunks = []
    for found in tokens:
        for start, end, kind in found:
            if kind != "plain":
                inner.update(range(start + 1, end))
                known.update(range(start, end))
    for run in re.finditer(f"[{HAN}]+", text):
        start = run.start()
        for i in range(run.start(), run.end() + 1):
            if i == run.end() or text[i] in _STRICT or taken.used(i):
                if i - start > 1:
                    chunks.append((start, i))
                start = i + 1
    grown = {(start, i): 2 for start, end in chunks for i in range(start, end - 1)}
    places: dict[str, list[int]] = {}
    ends = {i: end for start, end in chunks for i in range(start, end)}
    for _, i in grown:
        places.setdefault(text[i : i + 2], []).append(i)
    layer = {word: at for word, at in places.items() if len(at) > 1}
    candidates: list[tuple[str, list[int]]] = []
    size = 2
    while layer and size <= 8:
        longer: dict[str, list[int]] = {}
        for at in layer.values():
            for i in at:
                if i + size < ends[i]:
                    longer.setdefault(text[i : i + size + 1], []).append(i)
        longer = {word: at for word, at in longer.items() if len(at) > 1}
        covered: Counter[str] = Counter()
        for word, at in longer.items():
            covered[word[:-1]] = max(covered[word[:-1]], len(at))
            covered[word[1:]] = max(covered[word[1:]], len(at))
        candidates += [(word, at) for word, at in layer.items() if covered[word] < len(at)]
        layer = longer
        size += 1
    candidates.sort(key=lambda item: (-len(item[0]) * (len(item[1]) - 1), item[0]))
    for word, at in candidates:
        if LEXICON.kinds.get(word) in (BREAK, TITLE, SPEECH, KEPT, *HEADS) or word[0] in NUMERALS or word in _GENERIC:
            continue
        if len(word) == 2 and len(at) < (2 if all(char in SOUNDS_STRONG for char in word) else 4):
            continue
        person = _is_person(word) and len(word) == 3
        fits = [i for i in at if i not in inner and i + len(word) not in inner]
        plain = [
            i for i in fits if sum(j not in known for j in range(i, i + len(word))) >= 2 or (person and i not in known)
        ]
        if len(plain) > 1:
            kind = "person" if person and len(at) > 2 else _kind_of(word)
            for i in plain:
                if taken.free(i, i + len(word)):
                    taken.add(i, i + len(word), kind, False)

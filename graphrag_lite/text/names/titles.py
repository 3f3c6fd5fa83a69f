"""Names that small words are part of: quoted titles, and the subject that opens an encyclopaedic text."""

import re
from bisect import bisect_left
from itertools import compress

from graphrag_lite.text.names.runs import WordRun
from graphrag_lite.text.names.tokens import INITIAL, JOIN, Tokens
from graphrag_lite.text.names.types import evidence_of_words, kind_after, kind_of
from graphrag_lite.text.names.words import DETERMINERS, LISTS

_QUOTED = re.compile(r"[\"“«„]\s?([^\"“”«»„\n]{1,90}?)\s?[\"”»“]")
_BE = frozenset("may refers is was are were est était sont es fue ist war è era é foi".split())
_NO_SUBJECT = LISTS["no_subject"]
_CALLED = frozenset("titled entitled called named dubbed".split())


def quoted_titles(text: str, tokens: Tokens) -> list[WordRun]:
    """Return quoted runs in title case: "Gone with the Wind"; a single word needs a noun such as "film" beside it."""
    runs: list[WordRun] = []
    at = 0
    while (match := _QUOTED.search(text, at)) is not None:
        first = bisect_left(tokens.starts, match.start(1))
        last = bisect_left(tokens.starts, match.end(1))
        kind = _title_kind(tokens, first, last, match.group(1))
        if kind:
            runs.append(WordRun(first, last, False, kind=kind))
            at = match.end()
        else:
            # a straight quotation mark that closed one quotation may not open the next
            at = match.end() if match.group()[0] != '"' or match.group(1)[-1:] in ".,!?" else match.end() - 1
    return runs


def _title_kind(tokens: Tokens, first: int, last: int, inner: str) -> str:
    if last <= first or last - first > 10 or not tokens.capital[first] or "," in inner[:-1]:
        return ""
    content = [i for i in range(first, last) if not tokens.function[i]]
    if not content or not all(tokens.capital[i] or tokens.words[i].isdigit() for i in content):
        return ""
    capital = all(tokens.capital[first:last])
    if inner[-1] in ".!?" and not capital:
        return ""
    before = tokens.lower[max(0, first - 3) : first]
    cue = next((kind_of(word) for word in reversed(before) if kind_of(word)), "")
    if not cue and tokens.lower[last : last + 1] in (["is"], ["was"]):
        cue = kind_after(tokens.lower[last + 2 : last + 9])
    if cue in ("work", "event", "organization", "concept"):
        return cue
    if before and before[-1] in _CALLED:
        return "work"
    whole = (len(content) >= 2 or (last - first >= 2 and capital)) and inner[-1] not in ".!?,"
    if whole and tokens.gaps[first] == INITIAL and not evidence_of_words(tokens.lower[first:last], inner.split()):
        return "work"
    return ""


def expansions(tokens: Tokens) -> list[WordRun]:
    """Return the phrases that an acronym in parentheses right after them shortens.

    >>> from graphrag_lite.text.names.tokens import tokenize
    >>> [(run.first, run.last) for run in expansions(tokenize("use natural language processing (NLP) here", "en"))]
    [(1, 4)]
    """
    runs = []
    for k in compress(range(len(tokens.words)), tokens.capital):
        word = tokens.words[k]
        if k < 2 or not tokens.gap_texts[k].endswith(" (") or not 2 <= len(word) <= 8:
            continue
        if k + 1 < len(tokens.words) and tokens.gap_texts[k + 1][:1] not in (")", ";"):
            continue
        letters = [c.lower() for c in word if c.isupper() or c.isdigit()]
        if len(letters) < 2:
            continue
        first, at = k, len(letters) - 1
        while at >= 0 and first > 0 and k - first < 2 * len(letters) + 2:
            first -= 1
            if tokens.function[first] and not tokens.capital[first] and not tokens.words[first].isdigit():
                continue
            before = at
            for part in reversed(tokens.lower[first].split("-")):  # a hyphenated word can give several letters
                if at >= 0 and part[:1] == letters[at]:
                    at -= 1
            if at == before:
                break
            if first and tokens.gaps[first] != JOIN and at >= 0:
                break
        if at < 0 and k - first >= 2:
            lower = not any(tokens.capital[first:k])
            if lower or tokens.capital[first]:
                runs.append(WordRun(first, k, False, kind="concept" if lower else ""))
    return runs


def defined_subject(tokens: Tokens) -> list[WordRun]:
    """Return the subject of "X is a ..." at the start of a text, when it is written like a title.

    >>> from graphrag_lite.text.names.tokens import tokenize
    >>> text = "The Trail of the Lonesome Pine is a novel by John Fox."
    >>> [(run.first, run.last, run.kind) for run in defined_subject(tokenize(text, "en"))]
    [(0, 6, 'work')]
    """
    lower, capital, function = tokens.lower, tokens.capital, tokens.function
    n = min(len(lower), 14)
    verb = next((i for i in range(1, n) if not capital[i] and lower[i] in _BE), 0)
    if not verb or not capital[0] or (lower[0] in _NO_SUBJECT and not (lower[0] == "i" and verb > 2)):
        return []
    end = next((i for i in range(1, verb + 1) if "(" in tokens.gap_texts[i]), verb)
    follows = lower[verb + 1] if verb + 1 < len(lower) else ""
    if follows != "refer" and lower[verb] != "refers" and follows not in DETERMINERS:
        return []
    if any(tokens.gaps[i] == INITIAL or "," in tokens.gap_texts[i] for i in range(1, end)):
        return []
    content = [i for i in range(end) if not function[i]]
    if not content or not all(capital[i] or tokens.words[i].isdigit() for i in content):
        return []
    several = lower[verb] in ("are", "were")
    if several and any(not capital[i] and lower[i] in ("and", "et", "und", "y") for i in range(end)):
        return []
    kind = kind_after(lower[verb + 2 : verb + 12])
    article = lower[0] in ("the", "a", "an")
    if kind != "work":
        if len(content) < 2 and any(function[:end]):
            return []
        if function[0] and not article and lower[0] != "i":
            return []
    return [WordRun(int(article and kind != "work"), end, False, kind=kind)]

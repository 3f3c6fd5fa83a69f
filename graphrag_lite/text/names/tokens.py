"""Words of a text with what lies between them: the input of the search for names."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise

from graphrag_lite.text.names.words import ABBREVIATIONS, LISTS, function_words

# Han, kana and Arabic letters, which stand beside others without a space, are no part of a word of another script.
_SPACELESS = "\u0620-\u065f\u066e-\u06d3\u06d5-\u06ef\u06fa-\u06ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f"
_LETTER = f"[^\\W_{_SPACELESS}]"
# A web address; Spanish plurals ("EE. UU."); letters with full stops ("U.S.", "J.R.R."); a word with a version in it
# ("Qwen2.5", "GPT-3.5-turbo"), or with inner apostrophes, hyphens and ampersands.
_WORD = re.compile(
    r"([a-z]++(?![^\s,])"  # most words, found sooner
    r"|https?://\S+|www\.\S+"
    r"|(?:EE\. ?UU|CC\. ?OO|JJ\. ?OO|FF\. ?AA)\."
    r"|(?:[^\W\d_]\.){2,}(?:[^\W\d_](?![^\W_]))?"
    rf"|(?=[^\W\d_])(?:{_LETTER}|-(?={_LETTER}))+(?<=\d)\.\d(?:{_LETTER}|-(?={_LETTER})|\.(?=\d))*+"
    rf"|{_LETTER}+(?:[\u0300-\u036f]+{_LETTER}*|[’'&\-\u2010\u2011]{_LETTER}+)*|[{_SPACELESS}]+)"
)
_QUANTITY = re.compile(r"\d+(?:[kMGT]?(?:Hz|B|W|Wh|V|A|Pa|bps|bit)|[KMT]|mAh|dB|°C|km|cm|mm|kg|USD|EUR)")
_GLUED = re.compile(r"(?=.*[^\x00-\x7f])[^\W\d_]{3,}")  # a sentence's end and the next without a space, "çokGüzel"
# Words that the mark of a footnote stands at without a space: "la forchetta12", "la Chiesa170".
_NOTED = re.compile(r"(?<![^\W_])[^\W\d_]*[^\W\d_A-Z]{4}\d{1,3}(?![^\W_])")
_MAY_BE_NOTED = re.compile(r"[a-z]\d")
_NOTE = re.compile(r"(?<=[^\W\d_A-Z]{4})\d{1,3}$")
_MIN_NOTED = 3
_PARAGRAPH = re.compile(r"(?:[^\n]*\S[^\n]*(?:\n|$))+")
_LINE = re.compile(r"^[ \t]*[\"“„«‘']?(\S)", re.MULTILINE)
_MIN_VERSES = 3  # lines
_HANGUL = re.compile("[\uac00-\ud7a3]")
_CONTRACTION = re.compile(r"[’'](?:s|S|d|ll|ve|re|m|em)$|(?<=[A-Za-z])[’'][а-я]{1,3}$")
_TURKISH = re.compile(r"[’'][a-zçğıöşü]{1,8}$")  # case endings: "Ankara'da"
_ELISION = re.compile(
    r"((?:[ldjmtsnc]|qu|lorsqu|puisqu|jusqu|dell|all|dall|nell|sull|un|quest|aujourd)[’'])(?=[^\W\d_])", re.IGNORECASE
)
_ELIDING = frozenset(("fr", "it", "ca", "oc"))
_TAILS = LISTS["tails"]

ACRONYMS = frozenset(("US", "WHO", "UN", "AI"))
"""Names whose lower-case forms are function words."""

POSSESSIVE = ("'", "’", " '", " ’")
"""What stands between a word and the "s" of its possessive, where that is a word of its own."""
_LONE_S = re.compile(r"(?: |\.[^\W\d_]?)[’']s(?![^\W_])")
# A path, an identifier, an address or an option: "celery.app", "pip/req_file", "user@host", "--pool", "$home".
_IDENTIFIER = re.compile(r"[^\W\d_](?:\.(?=[^\W\d_]{2})|[_\\=@:#]|/[^\W_]+/)[^\W_]|^[$@/~]\w|^--?[^\W\d_]|_\w|\w\(\)")
Row = tuple[int, int, str, str, bool, bool, bool, int, str]
# What a gap between two words does to a name.
JOIN, BREAK, INITIAL, AMPERSAND, STOP, COMMA = range(6)
MAX_MARK = 3  # characters that number an item
_SENTENCE_END = re.compile("[.!?…:。！？]")
_OPENING = re.compile(r"[-=*#|]{2,}\s*$|(?:^|\s)[#|]\s*$|[\"“«„‟‘`*_]\s?$|(?:^|\s)'$|(?:^|\s)[–—•·◊▪●○■□◆►★✓\-]\s*$")


@dataclass(frozen=True, slots=True)
class Tokens:
    """Parallel lists, one entry a word. `gaps[i]` tells what lies before word i, `ends` leaves possessives out."""

    starts: list[int]
    ends: list[int]
    words: list[str]
    lower: list[str]
    capital: list[bool]
    function: list[bool]
    possessive: list[bool]
    gaps: list[int]
    gap_texts: list[str]


def tokenize(text: str, language: str) -> Tokens:
    """Split `text` into words, and classify what stands before each.

    INITIAL: a sentence, a line or a quotation begins here. STOP: a full stop that may belong to an abbreviation.
    COMMA and BREAK: other punctuation. AMPERSAND and JOIN: the words may belong to one name.

    >>> t = tokenize("Then Mr. Scrooge's ghost left. He wept", "en")
    >>> [text for text, capital in zip(t.words, t.capital) if capital]
    ['Then', 'Mr', 'Scrooge', 'He']
    """
    functions, wrapped = function_words(language), _is_wrapped(text)
    endings = _TURKISH if language == "tr" else _CONTRACTION
    pieces = _WORD.split(text)
    words, gap_texts, edges = pieces[1::2], pieces[:-1:2], list(accumulate(map(len, pieces)))
    classes = {gap: _gap_class(gap, wrapped) for gap in set(gap_texts)}
    gaps, lower = [classes[gap] for gap in gap_texts], list(map(_folded_small, words))
    function = list(map(functions.__contains__, lower))
    none = [False] * len(words)
    tokens = Tokens(edges[:-1:2], edges[1::2], words, lower, none, function, none.copy(), gaps, gap_texts)
    owned: list[int] = []  # words "s" that make a possessive of the one before
    elided: dict[int, Row] = {}  # what is cut off the beginning of words
    before = 0  # the word before
    noted = bool(_MAY_BE_NOTED.search(text)) and len(set(_NOTED.findall(text))) >= _MIN_NOTED
    for i, (small, kind) in enumerate(zip(lower, gaps, strict=True)):
        if not small or kind == STOP:  # others are a third of a text
            word, gap = words[i], gap_texts[i]
            if word in ("s", "S") and i and gap in POSSESSIVE:  # "Lincoln 's"
                tokens.possessive[before] = True
                owned.append(i)
                continue
            if language in _ELIDING and ("'" in word or "’" in word):
                elision = _ELISION.match(word)
                if elision and (word[0].islower() or not i or kind in (INITIAL, STOP)):
                    elided[i] = _cut(tokens, i, len(elision[0]))
            previous = elided[i][2] if i in elided else words[before] if i else ""
            if noted and (mark := _NOTE.search(word)):
                tokens.words[i] = word[: mark.start()]
            _classify(tokens, i, before, previous, text, functions, endings)
        before = i
    if owned or elided:
        tokens = _rebuilt(tokens, frozenset(owned), elided)
    if tokens.gaps:
        tokens.gaps[0] = INITIAL
    if wrapped:
        _begin_verses(tokens, text)
    if ". (" in text:
        _begin_behind_brackets(tokens)
    return tokens


def _begin_verses(tokens: Tokens, text: str) -> None:
    """Begin a sentence with each line of a paragraph whose lines all have a capital, as those of a poem have."""
    starts: set[int] = set()
    for verse in _PARAGRAPH.finditer(text):
        lines = [line for line in _LINE.finditer(text, *verse.span()) if line[1].isalpha()]
        if len(lines) >= _MIN_VERSES and all(line[1].isupper() for line in lines):
            starts.update(line.start(1) for line in lines)
    if starts:
        for i in [i for i, start in enumerate(tokens.starts) if start in starts]:
            tokens.gaps[i] = INITIAL


def _begin_behind_brackets(tokens: Tokens) -> None:
    """Begin a sentence behind brackets that stand behind one: 'Aquinas. (1225-1274) Theologian.'"""
    inside = False
    for i, gap in enumerate(tokens.gap_texts):
        if inside and gap.startswith(")"):
            tokens.gaps[i], inside = (INITIAL if gap == ") " else tokens.gaps[i]), False
        if gap.endswith("("):
            inside = gap.startswith(". ")


def _classify(
    tokens: Tokens, i: int, last: int, before: str, text: str, functions: frozenset[str], endings: re.Pattern[str]
) -> None:
    """Cut off word `i` what is none of a name, and tell what it is and what stands before it, as behind word `last`."""
    word, gap, kind, start = tokens.words[i], tokens.gap_texts[i], tokens.gaps[i], tokens.starts[i]
    end = start + len(word)
    whole = word
    if "'" in word or "’" in word:
        word = endings.sub("", word) or word
    if not word.isascii() and word[0].isupper() and _HANGUL.search(word, 1):
        from graphrag_lite.text.names.korean import without_particles

        word = without_particles(word)
    if word != whole:  # "I'm Kevin": what a contraction or a particle ends, no name goes on
        tokens.possessive[i] = True
    if "-" in word and word[0].isupper():
        word = _without_tail(word)
        if "und" in functions:  # German
            from graphrag_lite.text.names.german import without_last_noun

            compound, word = word, without_last_noun(word)
            tokens.possessive[i] |= word != compound
    if gap in ("' ", "’ ") and before[-1:] in ("s", "S") and word[0].isupper():  # "Winners' Cup"
        tokens.possessive[last] = True
        gap, kind = " ", JOIN
    elif gap == "- " and before and word[0].isupper():  # "Nassau- Dillenburg"
        gap, kind = " ", JOIN
    big = not word.islower() and _is_capital(word, text, start, end)
    folded = word.casefold() if "İ" not in word else word.replace("İ", "i").casefold()
    if kind == STOP:
        kind = JOIN if _abbreviates(before, before.casefold(), big, gap) else INITIAL
    elif kind == JOIN and big and before.endswith(".") and folded in functions:
        kind = INITIAL
    if gap == ") " and len(before) < MAX_MARK and (not last or "\n" in tokens.gap_texts[last]):  # "3) Rewrite it"
        kind = INITIAL
    tokens.words[i], tokens.lower[i], tokens.ends[i], tokens.capital[i] = word, folded, start + len(word), big
    tokens.function[i], tokens.gaps[i], tokens.gap_texts[i] = folded in functions and word not in ACRONYMS, kind, gap


def _cut(tokens: Tokens, i: int, n: int) -> Row:
    """Cut `n` characters off the beginning of word `i`, and return them as a word of its own."""
    start, word = tokens.starts[i], tokens.words[i][:n]
    row = (start, start + n, word, word.lower(), False, True, False, tokens.gaps[i], tokens.gap_texts[i])
    tokens.starts[i], tokens.words[i], tokens.gaps[i], tokens.gap_texts[i] = start + n, tokens.words[i][n:], JOIN, ""
    return row


def _rebuilt(tokens: Tokens, without: frozenset[int], elided: Mapping[int, Row]) -> Tokens:
    """Return the words but some, with those that were cut off before theirs."""
    columns = (getattr(tokens, name) for name in Tokens.__slots__)
    rows: list[Row] = []
    for i, row in enumerate(zip(*columns, strict=True)):
        if i in elided:
            rows.append(elided[i])
        if i not in without:
            rows.append(row)
    return Tokens(*map(list, zip(*rows, strict=True)))


@lru_cache(maxsize=50_000)
def _folded_small(word: str) -> str:
    """Return a word of small letters alone as it is compared, "" for any other."""
    return word.casefold() if word.isalpha() and word.islower() and word != "s" else ""


def _without_tail(word: str) -> str:
    """Return a compound without its last part where that is no part of a name: "London-based"."""
    head, _, tail = word.rpartition("-")
    return head if tail in _TAILS or (len(tail) > 4 and tail.islower() and tail.isalpha()) else word


def lower_case_words(text: str) -> Counter[str]:
    """Return how often each word occurs in lower case: what `resolution.ladder` weighs single capitalised words by.

    The words are those of `tokenize` in a language that elides nothing, but of identifiers. They are found in a
    fraction of the time: no word has white space in it, so what stands between it is searched once, however often it
    occurs.

    >>> sorted(lower_case_words("An apple. Apple sells an apple's core: apple.core, get_apple, --apple").items())
    [('an', 1), ('apple', 2), ('core', 1), ('sells', 1)]
    """
    counts: Counter[str] = Counter()
    for piece, n in Counter(text.split()).items():
        if not piece.isalpha() and _IDENTIFIER.search(piece):  # no use of its words
            continue
        for word in _WORD.findall(piece):
            contraction = _CONTRACTION.search(word) if "'" in word or "’" in word else None
            bare = word[: contraction.start()] if contraction and contraction.start() > 0 else word
            if bare.islower():
                counts[bare] += n
    if "s" in counts:
        counts["s"] -= sum(_possessives(without_identifiers(line)) for line in text.split("\n") if _LONE_S.search(line))
    return +counts


def without_identifiers(text: str) -> str:
    """Return a text without paths, identifiers, addresses and options.

    >>> without_identifiers("Set --pool of celery.app to e.g. gevent")
    'Set  of  to e.g. gevent'
    """
    return re.sub(r"\S+", lambda piece: "" if _IDENTIFIER.search(piece[0]) else piece[0], text)


def _possessives(text: str) -> int:
    """Count the words "s" that are a possessive apart from its word, as in "Lincoln 's" and "U.S.'s"."""
    n, end = 0, -1
    for match in _WORD.finditer(text):
        n += match.group() == "s" and end >= 0 and text[end : match.start()] in POSSESSIVE
        end = match.end()
    return n


def _is_capital(word: str, text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if before in ("_", "@") or after in ("_", "@", "."):
        beyond = text[end + 1 : end + 2]
        if before == "_" and text[max(0, start - 2) : start - 1].isalnum():  # a file name or an identifier
            return False
        if after == "_" and (beyond.isalnum() or any(c.isdigit() for c in word)):
            return False
        if after == "@" or before == "@" or (after == "." and beyond.islower()):
            return False  # an address, a domain or a file name
    if word.startswith(("http", "www.")):
        return False
    if word[0].isupper() or word[0].istitle():
        return True
    if word[0].isdigit():
        if _QUANTITY.fullmatch(word):
            return False
        decade = word.endswith("ers") and word[:-3].isdigit() and len(word) > 4
        return 2 < len(word) <= 12 and (decade or any(c.isupper() for c in word))
    if "-" in word or "\u2010" in word or "\u2011" in word:
        return False
    if "'" in word or "’" in word:
        return len(word) > 3 and word[0] in "d" and word[2].isupper()
    return 3 <= len(word) <= 24 and any(c.isupper() for c in word) and not _GLUED.fullmatch(word)


def _abbreviates(word: str, folded: str, next_is_capital: bool, gap: str) -> bool:
    """Tell whether the full stop in `gap` after `word` shortens it, rather than ends a sentence."""
    if gap.count(".") != 1 or (not next_is_capital and not gap.startswith(".")):
        return False
    if len(word) == 1:
        return word.isupper() and word != "I" and gap != " . "
    return folded in ABBREVIATIONS and not gap.startswith(" ")


@lru_cache(maxsize=10_000)
def _gap_class(gap: str, wrapped: bool) -> int:
    if gap in (" ", "", "\u00a0"):
        return JOIN
    if "\n" in gap or "\r" in gap:
        breaks = gap.count("\n") or gap.count("\r")
        if not wrapped or breaks > 1:
            return INITIAL
    bare = gap.strip()
    if not bare:
        return JOIN if len(gap) <= 40 and "\t" not in gap else INITIAL
    if bare == "&":
        return AMPERSAND
    if bare == ".":
        return STOP if gap != "." else INITIAL
    if bare == ",":
        return COMMA
    if _SENTENCE_END.search(bare) or _OPENING.search(gap):
        return INITIAL
    return BREAK


def _is_wrapped(text: str) -> bool:
    """Tell whether single line breaks stand for spaces: often a lower-case word follows one."""
    single = lower = 0
    lines = text.split("\n")
    for before, after in pairwise(lines):
        head = after.strip()[:1]
        if head and before.strip():
            single += 1
            lower += head.islower()
    return lower * 4 >= single > 0

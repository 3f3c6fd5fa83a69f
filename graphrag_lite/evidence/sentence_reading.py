"""How the sentences of a document read: whether one is a statement that stands alone, and where what it says begins."""

import re
from bisect import bisect_right
from functools import lru_cache
from typing import Any, NamedTuple

from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.relations import is_verb_form
from graphrag_lite.text.transcripts import PERSONS, is_talk, speakers, spoken_span, statement_form
from graphrag_lite.text.word_lists import expressions, sections
from graphrag_lite.text.words import terms

Row = dict[str, Any]
SPOKEN = 0.5  # what "I" and "you" count less in a transcript than in a text: nobody knows who they are
LOOSE = 0.35  # what a sentence counts that goes on from another, that talk has filled, or that a quotation has cut
REACH = 2000  # characters before a sentence in which a quotation may begin that it is a part of
OURS = 0.75  # what a sentence counts that says "we"
LISTED = 0.45  # what a sentence counts that names several as examples
LONGEST_CUT = 6  # characters of an abbreviation that a sentence is cut off behind, with what it stands behind
_FORMS = expressions(__package__, "sentence_reading.txt")
_FILLER, _LEANING, _CAPTION, _GOES_ON = (
    re.compile(_FORMS[name], re.I) for name in ("filler", "leaning", "caption", "goes on")
)
_BULLET, _CUT, _EXAMPLES, _JOINED, _WE = (
    re.compile(_FORMS[name]) for name in ("bullet", "cut", "examples", "joined", "we")
)
_MARKUP = re.compile(rf"\b(?:{_FORMS['markup words']})|{_FORMS['markup']}")
_HEADED = re.compile(r"(?<!\S)#{1,6} \Z")  # a heading in the line of its first sentence
_FOOTNOTE = re.compile(r"\s?\[\d{1,3}(?:[,–-]\s?\d{1,3})*\]")
_FOOTNOTES_AT_END = re.compile(rf"(?<=\S)(?:{_FOOTNOTE.pattern})+\s*$")
# What a paper points to: "(Ribet et al., 2004)", "(see Fig. 2A)", a key of its bibliography in brackets.
_WORK = r"(?:[A-Z][\w’'.-]+ ?){1,2}(?:et al\.,? |(?:and|&) [A-Z][\w’'-]+,? |, )\d{4}[a-z]?"
POINTER = re.compile(
    rf"(?:{_FOOTNOTE.pattern}|\s?\((?:e\.g\.,? |see )?{_WORK}(?:[;,] ?(?:{_WORK}|\d{{4}}[a-z]?))*\)"
    r"|\s?\( ?(?:see |cf\. )?(?i:supplementa|appendix|figures?\b|figs?\b|tables?\b|eq\.|data not shown)[^()]{0,80}\)"
    r"|\s?\[(?:[a-z][\w\\-]*\d[\w-]*|[a-z]+\\_\w+)\]|(?<=\w)\[[A-Za-z][\w\\:,-]*\])(?: (?=[.,;]))?"
)
# What opens a paragraph that tells a picture or table.
_CAPTIONED = re.compile(rf"\s*(?:{_FORMS['caption']})[\w–-]*\s?[.:|]", re.I)
_LISTS = {language: frozenset(words) for language, words in sections(__package__, "instructions.txt").items()}
_PROCEDURE = re.compile(
    r"\b(?:(?:was|were|[Ww]e) (?:\w+ly |then |also |first |all )?(?:PCR-)?"
    rf"(?:{'|'.join(sorted(_LISTS['procedures']))})\b|{_FORMS['procedure']})|{_FORMS['maker']}"
)
_METHODS, _AFTER_METHODS = (re.compile(rf"(?m)^#+ {_FORMS[name]}") for name in ("methods", "after methods"))
_INSTRUCTS = re.compile(
    r"(?:(?:after|at|before|by|for|from|if|in|on|once|to|under|when)\b[^,.]{0,80}, )?([^\W\d_]+)(?:\s(\w+))?", re.I
)
_UNSPACED_INSTRUCTION = re.compile("|".join(_LISTS["zh"]) + "|.*(?:ください|하세요|하십시오|마세요)[。.]?$")
_CONTRACTED = re.compile(r"(?:n't|'(?:re|ve|ll|d|m)|^(?:s?he|it|that|there|what|who)'s)$")
_BRACKETS = re.compile(r"\([^()]*\)")  # "Present: Ann (who has flu), Bob."
_ENDS_IN_S = re.compile("[^sui]s$")
_WORD = re.compile(r"[A-Za-z][\w’'-]*")
_PAIRS = (("“", "”"), ("(", ")"), ("（", "）"))


class Reading(NamedTuple):
    """How a sentence reads: a row of `report_sentences` from `said_start` on, each term once, in order."""

    start: int
    end: int
    worth: float
    length: int
    terms: tuple[str, ...]


def is_cell(span: Row, document: Row) -> bool:
    """Say whether a span is one of the values of a table's row."""
    cards = (block for block in document["blocks"] if block["kind"] == "card")
    return any(block["char_start"] <= span["char_start"] < block["char_end"] for block in cards)


def read_sentence(span: Row, document: Row) -> Reading:
    """Return how the sentence at a span of a document reads."""
    text, language = document["text"], document["language"]
    cell = is_cell(span, document)
    first, last = span["char_start"], span["char_end"]
    start, end = (first, last) if cell else spoken_span(text, first, last)
    if start >= end:  # nothing but marks
        start, end = first, last
    headed = joined = None
    if not cell:
        bullet = _BULLET.match(text, start, end)
        start = bullet.end() if bullet else start
        headed = _HEADED.search(text, max(0, start - 8), start)
        joined = _JOINED.match(text, start, end) if language == "en" else None
        start = joined.end() if joined else start
        end = start + len(_FOOTNOTES_AT_END.sub("", text[start:end]))
    words = one_line(text[start:end])
    found = terms(words, language)
    length = max(len(found), len(words.split()))
    worth = 1.0 if cell else statement_form(text, start, end, language) * _loose(words, language, bool(speakers(text)))
    if not cell:
        top = text.rfind("\n\n", 0, start) + 1
        within = (headed and not joined) or any(first <= start < last for first, last in _methods(text))
        worth *= not _CAPTIONED.match(text, top)
        worth *= LOOSE if within or _is_spoken(text[max(top, start - REACH) : start]) else 1.0
    return Reading(start, end, worth, length, tuple(sorted(set(found))))


@lru_cache(maxsize=64)
def _methods(text: str) -> tuple[tuple[int, int], ...]:
    """Return where the sections of a document stand that tell how something was found out, by their headings.

    One ends where results or the like follow, else at the next heading of its level: "Methods" of a class, too.

    >>> _methods("## Methods\\nA.\\n## Cells\\nB.\\n## Results\\nC.")
    ((0, 26),)
    >>> _methods("# Methods\\nA.\\n## b()\\nB.\\n# Events\\nC.")
    ((0, 23),)
    """
    found: list[tuple[int, int]] = []
    ends = [after.start() for after in _AFTER_METHODS.finditer(text)]
    for heading in _METHODS.finditer(text):
        if found and heading.start() < found[-1][1]:
            continue
        end = next(iter(ends[bisect_right(ends, heading.start()) :]), None)
        if end is None:
            level = heading[0].index(" ")
            following = re.compile(rf"(?m)^#{{1,{level}}} ").search(text, heading.end())
            end = following.start() if following else len(text)
        found.append((heading.start(), end))
    return tuple(found)


def _is_english(sentence: str, language: str) -> bool:
    """Say whether a sentence of a text in another language is English, as where a translation is not complete.

    >>> [_is_english(said, "fr") for said in ("The menu is on a page.", "Le menu est sur la page « The World ».")]
    [True, False]
    """
    if language == "en" or language not in FUNCTION_WORDS:
        return False
    words = sentence.casefold().split()
    n_english = sum(word in FUNCTION_WORDS["en"] for word in words)
    return n_english > sum(word in FUNCTION_WORDS[language] for word in words)


def goes_on(sentence: str) -> bool:
    """Say whether a sentence that stands alone is no beginning all the same: it tells a case, or one thing more.

    >>> [goes_on(one) for one in ("If Zep is off, it stops.", "Zep must also be on.", "Zep is a memory.")]
    [True, True, False]
    """
    return bool(_GOES_ON.match(sentence))


def _is_spoken(before: str) -> bool:
    """Say whether what stands before a sentence in its paragraph opens a quotation, and does not close it.

    >>> _is_spoken("“Whales sing. "), _is_spoken('"Whales sing." He said so. ')
    (True, False)
    """
    return before.count('"') % 2 == 1 or before.rfind("“") > before.rfind("”")


def _loose(sentence: str, language: str, transcript: bool) -> float:
    """Return what a sentence counts beside its form (`transcripts.statement_form`): talk and what is cut off, less.

    >>> [_loose(one, "en", True) for one in ("Whales sang.", "Thanks, Ann.", "When whales sang.")]
    [1.0, 0.0, 0.35]
    """
    cut_off = sentence.endswith(".") and _CUT.search(sentence, max(0, len(sentence) - LONGEST_CUT))
    marked = cut_off or _CAPTION.match(sentence) or _MARKUP.search(sentence)
    if marked or (transcript and is_talk(sentence)) or (language == "en" and not _has_verb(sentence)):
        return 0.0
    worth = (LISTED if _EXAMPLES.search(sentence) else 1.0) * (OURS if _WE.search(sentence) else 1.0)
    if transcript and language in PERSONS and PERSONS[language].search(sentence):
        worth *= SPOKEN
    cut = sentence[:1] in ".,;()`" or " = " in sentence or sentence.count('"') % 2
    half = any(sentence.count(one) != sentence.count(other) for one, other in _PAIRS)
    leans = _LEANING.match(sentence) or _instructs(sentence, language) or _is_english(sentence, language)
    if cut or half or leans or _PROCEDURE.search(sentence) or (transcript and _FILLER.search(sentence)):
        worth *= LOOSE
    return worth


def _has_verb(sentence: str) -> bool:
    """Say whether an English sentence may have a finite verb: of what ends in -s, unless it must be a plural.

    >>> [_has_verb(one) for one in ("RNA extraction of the cell's DNA.", "A whale sings.", "They include Zep.")]
    [False, True, True]
    """
    # Nothing in brackets is its verb, and no part of "a head-based test".
    words = [word.replace("’", "'") for word in _WORD.findall(_BRACKETS.sub("", sentence)) if "-" not in word]
    for before, word in zip(["", *map(str.casefold, words)], words, strict=False):
        low = word.casefold()
        if low in _LISTS["verbs"] or is_verb_form(low, "en") or _CONTRACTED.search(low):
            return True
        noun = not before or before in _LISTS["before nouns"]
        form = before in _LISTS["before verbs"] or (not noun and _ENDS_IN_S.search(word))
        if (before and low in _LISTS["en"]) or (word.islower() and form):
            return True
    return False


def _instructs(sentence: str, language: str) -> bool:
    """Say whether a sentence tells its reader what to do, in its first clause or after one.

    >>> [_instructs(one, "en") for one in ("In the menu, click Save.", "Set it up.", "Use of Zep grew.", "请勿删除。")]
    [True, True, False, True]
    """
    if _UNSPACED_INSTRUCTION.match(sentence):
        return True
    found = _INSTRUCTS.match(sentence)
    verb, after = found.groups("") if found else ("", "")
    return verb.casefold() in _LISTS.get(language, ()) and after.casefold() not in _LISTS["not before"]

"""What kind of thing a question asks for, and which sentences hold one.

An answer to "When was it launched?" says a date, one to "Who directs it?" names somebody (answer typing: Li and Roth,
COLING 2002; here by question words alone, nothing is learned).
"""

import re
from collections.abc import Collection, Set
from typing import TYPE_CHECKING, Literal

from graphrag_lite.retrieval.entity_names import find_mentions
from graphrag_lite.text.dates import MONTHS
from graphrag_lite.text.words import WORD_PATTERN, terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.snapshot_view import Loaded

Kind = Literal["time", "number", "person", "location", ""]

# By language; scripts without spaces and Hangul are searched anywhere in the question.
_WORDS: dict[str, dict[Kind, str]] = {
    "en": {
        "number": r"how (?:many|much|long|old|far|often|tall|high|big|large)|what (?:number|percentage|amount|age)",
        "time": r"when|date of|(?:what|which) (?:year|date|day|month|time|decade|century)|since when|until when",
        "person": r"who|whom|whose",
        "location": r"where|place of|(?:what|which)(?: is the)? (?:city|country|place|town|state|location)",
    },
    "fr": {"number": r"combien", "time": r"quand|quelle (?:année|date)", "person": r"qui", "location": r"où"},
    "de": {"number": r"wie ?viele?|wie (?:lange|alt|hoch)", "time": r"wann", "person": r"wer|wen|wem|wessen",
           "location": r"wo|woher|wohin"},
    "es": {"number": r"cu[aá]nt[oa]s?", "time": r"cu[aá]ndo", "person": r"qui[eé]n(?:es)?", "location": r"d[oó]nde"},
    "it": {"number": r"quant[oaie]", "time": r"quando", "person": r"chi", "location": r"dove"},
    "pt": {"number": r"quant[oa]s?", "time": r"quando", "person": r"quem", "location": r"onde"},
    "nl": {"number": r"hoeveel", "time": r"wanneer", "person": r"wie", "location": r"waar"},
    "": {
        "time": r"何时|何時|什么时候|什麼時候|甚麼時候|哪一?年|幾年|几年|何年|いつ|언제",
        "number": r"多少|几|幾|いくつ|いくら|何[人個回年歳本]|얼마|몇",
        "person": r"谁|誰|だれ|누구",
        "location": r"哪里|哪裡|哪儿|何处|何處|什么地方|什麼地方|どこ|어디",
    },
}  # fmt: skip
_WORD = re.compile(WORD_PATTERN)
_MONTH = "|".join(sorted({prefix for prefixes in MONTHS.values() for prefix in prefixes}))
_TIME = re.compile(
    rf"(?<!\d)[12]\d{{3}}(?!\d)|\d\s?[年月日世]|\d:\d\d|(?<!\w)(?:(?:{_MONTH})\w{{0,6}}\.? \d|\d{{1,2}} (?:{_MONTH}))",
    re.I,
)
_NUMBER = re.compile(
    r"\d|[〇一二三四五六七八九十百千万萬億亿]|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred)\b",
    re.I,
)


def kind_asked(question: str, language: str) -> Kind:
    """Return what a question in `language` (ISO 639-1) asks for, by the first question word; "" where none says.

    >>> [kind_asked(question, "en") for question in ("When did he land?", "Name it.", "How many are there?")]
    ['time', '', 'number']
    >>> kind_asked("谁来过？", "zh")
    'person'
    """
    found: list[tuple[int, int, Kind]] = []
    for code in (language, "") if language else ("",):
        for rank, (kind, words) in enumerate(_WORDS.get(code, {}).items()):
            bounded = rf"(?<!\w)(?:{words})(?!\w)" if code else words
            if match := re.search(bounded, question, re.I):
                found.append((match.start(), rank, kind))
    return min(found)[2] if found else ""


def counts(sentence: str, asked: Set[str], language: str) -> bool:
    """Say whether a sentence says a number, and within three words after it one of the terms that are `asked` for.

    >>> [counts(text, {"ship"}, "en") for text in ("Five of the ships sank.", "The ships sank in 1943.")]
    [True, False]
    """
    words = _WORD.findall(sentence)
    numbers = [place for place, word in enumerate(words) if _NUMBER.search(word)]
    return any(not asked.isdisjoint(terms(" ".join(words[place + 1 : place + 4]), language)) for place in numbers)


def holds(index: "Loaded", kind: Kind, sentence: str, language: str, named: Collection[int]) -> bool:
    """Say whether a sentence holds what is asked for: a person or a place other than those `named` in the question."""
    if kind == "time":
        return _TIME.search(sentence) is not None
    if kind == "number":
        return _NUMBER.search(sentence) is not None
    if not kind:
        return False
    types = index.arrow("entities")["type"]
    return any(
        types[entity].as_py() == kind
        for mention in find_mentions(sentence, language, index.names)
        for entity in mention.entities
        if entity not in named
    )

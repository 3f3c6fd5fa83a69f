"""Things told by a number, as titles and questions say them: "FY20", "Q3", "EP-03", "episode 3", "third quarter"."""

import re
from dataclasses import dataclass

from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.words import UNSPACED_CHARACTERS

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_LETTER = rf"[^\W\d_{UNSPACED_CHARACTERS}]"
_WORD = rf"(?<!{_LETTER}){_LETTER}{{1,40}}"
_AFTER = re.compile(
    rf"(?:({_WORD})[ _-])?({_WORD})[ _.#-]{{0,2}}(?<![\d.])(\d{{1,9}}(?:\.\d{{1,9}}){{0,3}})(?![^\W_a-zA-Z]|[.,:/-]\d)"
)
_BEFORE = re.compile(rf"\b(?:(\d{{1,3}})(?ai:st|nd|rd|th)|((?ai:{'|'.join(_ORDINALS)}))) ({_LETTER}{{1,40}})")

YEAR_DIGITS = 4
_PART = re.compile(r"[\s/|,:(–-]*\b(?:part|chapter|page|section) \d+\)?$", re.I)


@dataclass(frozen=True, slots=True)
class Numbered:
    """A word with a number at characters [start, end), and the word right before it, "" for none; in small letters."""

    word: str
    number: str
    before: str = ""
    start: int = 0
    end: int = 0


def numbered_words(text: str, language: str) -> list[Numbered]:
    """Return the words of `text` with a number to them, in order; no function word of `language`, no 2020-03-31.

    >>> [(one.word, one.number) for one in numbered_words("FY20Q3 of 2020-03-31: EP-03, version 1.2, 3rd part", "en")]
    [('fy', '20'), ('q', '3'), ('ep', '3'), ('version', '1.2'), ('part', '3')]
    """
    found = [((m.start(2), m.end()), m[2], m[3], m[1] or "") for m in _AFTER.finditer(text)]
    found += [(m.span(), m[3], m[1] or str(_ORDINALS.index(m[2].lower()) + 1), "") for m in _BEFORE.finditer(text)]
    return [
        Numbered(word.casefold(), number.lstrip("0") or "0", before.casefold(), *span)
        for span, word, number, before in sorted(found)
        if word.casefold() not in FUNCTION_WORDS.get(language, frozenset())
    ]


def by_part(title: str) -> list[str]:
    """Return what titles are sorted by so that part 2 comes before part 10.

    >>> sorted(["part 10", "part 2"], key=by_part)
    ['part 2', 'part 10']
    """
    return [part.rjust(12, "0") if part.isdecimal() else part for part in re.split(r"(\d+)", title)]


def without_part(title: str) -> str:
    """Return a title without the number of a part at its end.

    >>> without_part("Wuthering Heights / part 2"), without_part("Call FY20 Q3")
    ('Wuthering Heights', 'Call FY20 Q3')
    """
    return _PART.sub("", title).strip()


def abbreviates(word: str, term: Numbered) -> bool:
    """Say whether a word is the one that has a number in a question, one of both cut short, or its initials.

    Of "fiscal 2020" these are of "fiscal year".

    >>> [abbreviates(word, Numbered("quarter", "3")) for word in ("q", "quarter", "quarters", "part")]
    [True, True, True, False]
    >>> abbreviates("fy", Numbered("year", "2020", "fiscal")), abbreviates("fy", Numbered("fiscal", "2020"))
    (True, True)
    """
    initials = (term.before[:1] + term.word[:1], term.word[:1] + "y" if len(term.number) == YEAR_DIGITS else "")
    return word.startswith(term.word) or term.word.startswith(word) or word in initials


def wording_pattern(term: Numbered) -> str:
    """Return a regular expression of the ways to say a word with its number, in words or in digits.

    >>> pattern = wording_pattern(Numbered("quarter", "3"))
    >>> [bool(re.search(pattern, text)) for text in ("third quarter", "quarter 3", "quarters")]
    [True, True, False]
    """
    ordinal = _ORDINALS[int(term.number) - 1] if term.number.isdigit() and 0 < int(term.number) <= 10 else term.number
    word, number = re.escape(term.word), re.escape(term.number)
    return rf"\b(?:{ordinal}|{number}(?:st|nd|rd|th)?) {word}\b|\b{word}[ -]{number}\b"

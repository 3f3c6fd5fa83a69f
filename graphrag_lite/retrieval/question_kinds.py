"""What kind of thing a question asks for, told by its own words alone: there is no other list of such words."""

import re
from typing import Literal, NamedTuple, get_args

from graphrag_lite.text.word_lists import expressions

Kind = Literal["time", "number", "person", "location", "version", "code", ""]

_KINDS: tuple[Kind, ...] = get_args(Kind)[:-1]
_QUESTION_WORDS = expressions(__package__, "question_words.txt")
HOW_MANY = re.compile(_QUESTION_WORDS["how many"], re.I)
ASKS_FOR_YEAR, STATES_YEAR = re.compile(_QUESTION_WORDS["year"], re.I), re.compile(_QUESTION_WORDS["of a year"], re.I)
ASKS_FOR_STATEMENT = re.compile(
    r"(?i)\bwhat (?:do|does|did|has|have) .+? (?:say|said|tell|told|think|explain|announced?|report)\b"
)
_REPLIES = expressions(__package__, "replies.txt")
_PARTS = re.compile(r"(?<=[.?!:])\s+")
_VALUE = re.compile(r"(?:what|when|where|which|who|how (?:many|much|long|often|old|far|big|high))\b", re.I)
PAST = frozenset("was were did had used formerly previously former before until ago earlier originally".split())
_BEFORE = PAST | {"ever", "first", "previous", "initial", "initially", "order"}


class Wording(NamedTuple):
    """What the words of a question say by themselves, as the functions of these names below tell it.

    `frame` are the words that ask for a time or a place, `what` its sentences that ask and `how` those that say how to
    answer, `light` the words that say little; it asks for a reply, or for a value of now, and is to be answered by what
    messages with the words of `heeded` say.
    """

    kind: Kind
    frame: list[str]
    what: str
    how: str
    light: list[str]
    for_reply: bool
    for_value: bool
    heeded: list[str]


def read_wording(question: str, language: str) -> Wording:
    """Read a question in `language` (ISO 639-1)."""
    return Wording(
        question_kind(question, language),
        frame_words(question, language),
        *what_and_how(question, language),
        light_verbs(question, language),
        asks_for_reply(question, language),
        asks_for_value(question, language),
        heeded(question, language),
    )


def question_kind(question: str, language: str) -> Kind:
    """Return what a question in `language` (ISO 639-1) asks for, by the first question word; "" where none says.

    >>> [question_kind(question, "en") for question in ("When did he land?", "Name it.", "How many are there?")]
    ['time', '', 'number']
    >>> question_kind("谁来过？", "zh"), question_kind("What is the default width of the logo?", "en")
    ('person', 'number')
    >>> question_kind("In welchem Jahr sank es?", "de"), question_kind("Thành phố nào lớn nhất?", "vi")
    ('time', 'location')
    >>> question_kind("Vad var namnet?", "sv"), question_kind("Var ligger Lund?", "sv")
    ('', 'location')
    >>> question_kind("AI là gì?", "vi")
    ''
    """
    found: list[tuple[int, int, Kind]] = []
    for code in (language, "any"):
        for rank, kind in enumerate(_KINDS):
            words = _QUESTION_WORDS.get(f"{code} {kind}", "(?!)")
            bounded = words if code == "any" else rf"(?<!\w)(?:{words})(?!\w)"
            if match := re.search(bounded, question, re.I):
                found.append((match.start(), rank, kind))
    return min(found)[2] if found else ""


def frame_words(question: str, language: str) -> list[str]:
    """Return the words with which a question in `language` asks for a time or a place, which no text need say.

    >>> frame_words("In what year was Ann born, and in which city?", "en"), frame_words("Quelle année ?", "fr")
    (['what', 'year', 'which', 'city'], ['Quelle', 'année'])
    """
    patterns = (_QUESTION_WORDS.get(f"{language} {kind}", "(?!)") for kind in ("time", "location"))
    found = (match for words in patterns for match in re.finditer(rf"(?<!\w)(?:{words})(?!\w)", question, re.I))
    return [word for match in found for word in match[0].split()]


def what_and_how(question: str, language: str) -> tuple[str, str]:
    """Return the sentences of a question in `language` that say what it asks, and those that say how to answer it.

    >>> what_and_how("What were sales in 2022? Round your answer to two places.", "en")
    ('What were sales in 2022?', 'Round your answer to two places.')
    >>> what_and_how("Round the answer.", "en")
    ('Round the answer.', '')
    """
    pattern = re.compile(rf"(?<!\w)(?:{_QUESTION_WORDS.get(f'{language} answer', '(?!)')})(?!\w)", re.I)
    parts = _PARTS.split(question)
    what = [part for part in parts if "?" in part or not pattern.search(part)]
    return (" ".join(what), " ".join(part for part in parts if part not in what)) if what else (question, "")


def light_verbs(question: str, language: str) -> list[str]:
    """Return the words of a question in `language` (ISO 639-1) that say little by themselves.

    >>> light_verbs("Who got the cello and took it home?", "en")
    ['got', 'took']
    """
    return re.findall(rf"\b(?:{_QUESTION_WORDS.get(f'{language} light', '(?!)')})\b", question, re.I)


def asks_for_reply(question: str, language: str) -> bool:
    """Say whether a question in `language` (ISO 639-1) asks for what the one it is put to has said.

    >>> [asks_for_reply(asked, "en") for asked in ("Which trail did you recommend?", "Can you say which trail I took?")]
    [True, False]
    """
    return language in _REPLIES and re.search(_REPLIES[language], question, re.I) is not None


def heeded(question: str, language: str) -> list[str]:
    """Return the words of each kind of message that a question to an assistant in `language` is to be answered by.

    >>> heeded("Which books should I read?", "en"), heeded("Which books are there?", "en")
    (['always ask', 'never ask', 'prefer'], ['always ask', 'never ask'])
    """
    for_advice = re.search(rf"(?<!\w)(?:{_REPLIES.get(f'{language} advice', '(?!)')})(?!\w)", question, re.I)
    kinds = ("always", *(["preferred"] if for_advice else []))
    return [words for kind in kinds for words in _REPLIES.get(f"{language} {kind}", "").split("|") if words]


def asks_for_value(question: str, language: str) -> bool:
    """Say whether a question asks for something as it is now: what a later message says of it holds.

    >>> [asks_for_value(asked, "en") for asked in ("What is my budget?", "What was my budget?", "Have I met Ann?")]
    [True, False, False]
    """
    return (
        language == "en" and bool(_VALUE.match(question)) and _BEFORE.isdisjoint(re.findall(r"\w+", question.lower()))
    )

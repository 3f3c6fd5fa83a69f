"""Chats with an assistant: which messages are its replies, and which questions ask for what it said.

A reply repeats the words of what it replies to, and often at length, so that it is found before the message that says
what the user does, has and wants.
"""

import re

from graphrag_lite.read.documents import ROLES

FIELDS = frozenset({"speaker", "role"})  # of metadata that say whose a message is
# "You" as the one who has said something, and what one is to be reminded of; "can you tell me" is no such question.
_SAID = {
    "en": r"\b(?:did|had) you\b"
    r"|\byou(?:'ve|'d| have| had)? (?:\w+ed|said|told|given?|gave|wr[io]t\w+|made|sent|shown?)\b"
    r"|\byour (?:\w+ )?(?:answer|advice|reply|response|recommendation|suggestion|explanation|list)s?\b|\bassistant\b"
    r"|\bremind me\b|\b(?:our|the) (?:previous|last|earlier) (?:chat|conversation|discussion)\b",
    "fr": r"\b(?:as|avais|avez|aviez)-(?:tu|vous)\b|\b(?:tu|vous) (?:m['’])?(?:as|avais|avez|aviez)\b",
    "de": r"\b(?:hast|hattest) du\b|\bdu (?:\w+ )?(?:hast|hattest)\b"
    r"|\b(?:haben|hatten) Sie\b|\bSie (?:mir )?ha(?:ben|tten)\b",
    "es": r"\b(?:d|dij|recomend|suger|mencion|propus|aconsej|explic|escrib)(?:aste|iste)\b"
    r"|\b(?:has|habías) \w+[aid]do\b",
    "it": r"\b(?:hai|avevi|avete) \w+to\b",
    "pt": r"\bvocê (?:me )?(?:disse|deu|recomendou|sugeriu|mencionou|explicou|escreveu|propôs)\b",
    "zh": r"[你您](?:之前|上次|曾)?(?:说|說|推荐|推薦|建议|建議|提到|提过|提過|告诉|告訴|给|給)",
    "ja": r"(?:言って|教えて|勧めて|おすすめして|提案して|答えて)(?:い(?:た|まし)|くれ(?:た|まし)|ました)",
    "ko": r"(?:말|추천|제안|언급|설명)(?:해|했|하)\s?(?:준|줬|주셨|던|었)",
}  # fmt: skip
_VALUE = re.compile(r"(?:what|when|where|which|who|how (?:many|much|long|often|old|far|big|high))\b", re.I)
PAST = frozenset("was were did had used formerly previously former before until ago earlier originally".split())
_BEFORE = PAST | {"ever", "first", "previous", "initial", "initially", "order"}


def is_assistant(field: str, value: str) -> bool:
    """Say whether a value of a document's metadata says that an assistant wrote it."""
    return field.casefold() in FIELDS and ROLES.get(value.casefold()) == "assistant"


def asks_for_reply(question: str, language: str) -> bool:
    """Say whether a question in `language` (ISO 639-1) asks for what the one it is put to has said.

    >>> [asks_for_reply(asked, "en") for asked in ("Which trail did you recommend?", "Can you say which trail I took?")]
    [True, False]
    """
    return language in _SAID and re.search(_SAID[language], question, re.I) is not None


def asks_for_value(question: str, language: str) -> bool:
    """Say whether a question asks for something as it is now: what a later message says of it holds.

    >>> [asks_for_value(asked, "en") for asked in ("What is my budget?", "What was my budget?", "Have I met Ann?")]
    [True, False, False]
    """
    return (
        language == "en" and bool(_VALUE.match(question)) and _BEFORE.isdisjoint(re.findall(r"\w+", question.lower()))
    )

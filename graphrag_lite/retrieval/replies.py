"""Chats with an assistant: which messages are its replies, and which questions ask for what it said.

A reply repeats the words of what it replies to, and often at length, so that it is found before the message that says
what the user does, has and wants.
"""

import re

from graphrag_lite.read.documents import ROLES
from graphrag_lite.text.word_lists import expressions

FIELDS = frozenset({"speaker", "role"})  # of metadata that say whose a message is
_SAID = expressions(__package__, "replies.txt")
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

"""Questions for what or who something is, told by their form: "What is RCAC?", "¿Quién es Bob Cratchit?"."""

import re
from typing import NamedTuple

from graphrag_lite.retrieval.other_words import roles
from graphrag_lite.text.word_lists import expressions

MOST_WORDS = 5  # of the thing: a longer one says what is asked about it
_FORMS = expressions(__package__, "definition_questions.txt")
_ASKS = re.compile(
    rf"\W*(?:(?:{_FORMS['before']})\s*(?P<after>.+)|what do(?:es)?\s+(?:the (?:{_FORMS['called']})\s+)?(?P<between>.+?)"
    r"\s+(?:do|mean|stand for|contain)"
    rf"|(?P<before>.+?)\s*(?:{_FORMS['behind']}))\W*",
    re.I,
)
_ARTICLE = re.compile(rf"^(?:{_FORMS['articles']})", re.I)
_AND_MORE = re.compile(_FORMS["and more"], re.I)
_ROLE = re.compile(r"(?:.*\w['’]s? )?(?P<role>.+?)(?: (?:of|at|for) .*)?")  # "the CFO of Acme", "Acme's CFO"
# "the capital of France", "named after"
_OF = re.compile(r"\b(?:of|in|for|that|which|who|when|between|you|I|my|your)\b|ed (?:to|by|after|with|from)\b")
_DOING = re.compile(r" \w+(?:ing|ed)$")  # "What is he doing?", but "What is caching?", "What does npm outdated do?"


class DefinitionQuestion(NamedTuple):
    """What a question asks the definition of, "" if nothing, and the forms of the role of which it asks who has it."""

    thing: str
    roles: tuple[str, ...]


def definition_question(question: str) -> DefinitionQuestion:
    """Read a question that is without "now"."""
    return DefinitionQuestion(thing_to_define(question), requested_role(question))


def requested_role(question: str) -> tuple[str, ...]:
    """Return the forms of the role of which a question asks who has it; none where it asks for something else.

    >>> requested_role("Who is the CFO of Acme?"), requested_role("Who was Acme's CFO?")
    (('CFO', 'chief financial officer'), ('CFO', 'chief financial officer'))
    >>> requested_role("Who is Ann's cat?")
    ()
    """
    asks = _ASKS.fullmatch(question.strip())
    role = asks and _ROLE.fullmatch(_bare(asks["after"] or ""))
    return roles().get(role["role"].casefold(), ()) if role else ()


def thing_to_define(question: str) -> str:
    """Return what a question asks the definition of, "" where it asks for something else.

    >>> [thing_to_define(question) for question in ("What is RCAC?", "Was ist der Zustand?", "Who is the CFO of Acme?")]
    ['RCAC', 'Zustand', '']
    >>> [*map(thing_to_define, ("Zepとは何ですか？", "Who was Ada and what did she do?", "When is Lent?"))]
    ['Zep', 'Ada', '']
    >>> [*map(thing_to_define, ("What does npm ci do?", "What does GQA stand for?", "What is IT short for?"))]
    ['npm ci', 'GQA', 'IT']
    >>> thing_to_define("What does the acronym GQA stand for?"), thing_to_define("Wofür steht GQA?")
    ('GQA', 'GQA')
    """
    asks = _ASKS.fullmatch(_AND_MORE.sub("", question.strip()))
    if not asks:
        return ""
    thing = _bare(asks["after"] or asks["between"] or asks["before"])
    asks_more = _OF.search(thing) or (not asks["between"] and _DOING.search(thing))
    return "" if len(thing.split()) > MOST_WORDS or asks_more else thing


def _bare(thing: str) -> str:
    return _ARTICLE.sub("", thing.strip(" ?？¿.!\"'“”"))

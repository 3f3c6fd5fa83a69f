"""What a sentence says that something is: whether it defines a name, and in which words."""

import re

from graphrag_lite.evidence.mention_form import APPOSED, DEFINES, EARLY, IS, mention_form
from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.names.words import ARTICLES, OF_WORDS
from graphrag_lite.text.relations import is_verb_form
from graphrag_lite.text.word_lists import sections

MAX_WORDS = 8  # of what a title says that something is
# After a name: "(1843-1899) is a", "est une"; the topic of a sentence in Chinese, Japanese and Korean.
_IS_A = re.compile(
    r"\W{0,3}(?:\([^)]{0,80}\)|,[^,.]{0,90},)?\s*(?:is|was|are|were|est|était|sont|ist|war|sind|es|era|è|é)\s"
    r"(?:\w+ly\s|also\s|now\s|auch\s|aussi\s)?(?:an?|the|one|un[ea]?|les?|la|l['’]|eine?|der|die|das|el|uno|il|een|het)\b",
    re.I,
)
_BRACKETS = r"(?:\([^)]{0,60}\)|（[^）]{0,60}）)?"
_TOPIC = re.compile(rf"{_BRACKETS}(?:是|とは|란|(?:は、?|은\s|는\s).*(?:である|です|の一つだ|だ|입니다|이다)[。.]?$)")
_NAMED = re.compile(r"\b(?:[Aa]n?|[Oo]ne) (?:[a-z-]+ ){0,3}[a-z-]+,? (?:called|named|by name|by the name of) $")
_APPOSED_NOUN = re.compile(rf",\s(?:{'|'.join(sorted(ARTICLES))})\s", re.I)
_LISTS = {kind: frozenset(words) for kind, words in sections(__package__, "report_title.txt").items()}
_JOINS = ("and", "or", "but", "yet")
_QUALITY = re.compile(r"\w(?:[cs]ial|ical|ular|ous|ful|less|able|ible|ish)$")
_GERUNDS = {"es": ("ando", "iendo"), "fr": ("issant", "ettant", "isant")}
_CLAUSE = frozenset("although because but if since though unless until when where while".split())
_WORD = re.compile(r"\S+")
_WITHIN = ARTICLES | OF_WORDS | {"for", "in", "at", "and"}


def defines(text: str, sentence: tuple[int, int], name: str, language: str) -> bool:
    """Say whether a sentence of a text says early what bears a name, or its last word, is.

    >>> text = "Zep, a memory, grows."
    >>> defines(text, (0, len(text)), "Zep", "en"), defines("In " + text, (0, 3 + len(text)), "Zep", "en")
    (True, False)
    """
    start, end = sentence
    at, last = _named(text, sentence, name)
    if at < 0 or (at - start <= EARLY and (_IS_A.match(text, last, end) or _TOPIC.match(text, last, end))):
        return at >= 0
    if _NAMED.search(text, max(start, at - 60), at):
        return True
    # "Zep, who sang, was here" says what it did, "12 million users, as they grow" and "With Zep, we" what others do.
    if not text.startswith(",", last) or IS.match(text, last, end) or name.islower():
        return False
    before = text[start:at].casefold().split()
    # Of "Andrew is CEO of Zep, founding lead of Acme, and a pilot" all is said of Andrew.
    if not _LISTS["before"].isdisjoint(before) or (before[-1:] == ["of"] and not _APPOSED_NOUN.match(text, last, end)):
        return False
    return mention_form(text, (at, last), sentence, language)[0] == DEFINES


def definition(sentence: str, name: str, language: str) -> str:
    """Return the noun phrase by which a sentence says what bears a name is, empty where it is long or says little.

    >>> definition("Ann Bell is the chief pilot of Acme and one of its owners.", "Ann Bell", "en")
    'chief pilot of Acme'
    >>> definition("Zep, a newly printed, graph-based memory that grows, sells.", "Zep", "en")
    'newly printed, graph-based memory'
    >>> definition("Zep is one of many.", "Zep", "en"), definition("Zep is a popular and able tool.", "Zep", "en")
    ('', '')
    >>> definition("Zep es un servidor personal pensando en todos.", "Zep", "es")
    'servidor personal'
    """
    at, last = _named(sentence, (0, len(sentence)), name)
    found = _IS_A.match(sentence, last) or re.compile(r",\s").match(sentence, last)
    if at < 0 or not found or (found[0].startswith(",") and not APPOSED.match(sentence, last)):
        return ""
    words = [*_WORD.finditer(sentence, found.end())][: MAX_WORDS + 2]
    if words and words[0][0].casefold() in ARTICLES:
        words = words[1:]
    joining = FUNCTION_WORDS.get(language, frozenset())
    phrase: list[re.Match[str]] = []
    for i, word in enumerate(words):
        bare = word[0].rstrip(",;:.)").casefold()
        follows = words[i + 1][0] if i + 1 < len(words) else ""
        if not bare or not word[0][0].isalnum() or "’" in bare or "'" in bare:
            break
        if bare in _JOINS and phrase and _QUALITY.search(phrase[-1][0]):
            return ""  # "an essentially superficial and antipathetic observer": what he is comes later
        if bare in joining and (bare not in _WITHIN or (bare == "and" and not follows[:1].isupper())):
            break
        modifies = bare.endswith(("ed", "ly"))  # what follows is the noun: "newly printed, graph-based"
        verbal = is_verb_form(bare, language) or (len(bare) > 5 and bare.endswith(_GERUNDS.get(language, "ing")))
        if phrase and verbal and (follows.casefold() in joining or not follows[:1].isalpha()):
            break
        phrase.append(word)
        if word[0][-1] in ".;:)" or (word[0][-1] == "," and not modifies):
            break
    return _phrase(sentence, phrase, joining)


def _phrase(sentence: str, phrase: "list[re.Match[str]]", joining: frozenset[str]) -> str:
    """Return the words of a sentence as a title has them, no preposition at the end; empty if they say little."""
    if phrase and phrase[0][0].casefold() in joining | _CLAUSE:  # "one of many", ", though at home"
        return ""
    while phrase and (len(phrase) > MAX_WORDS or phrase[-1][0].casefold() in joining or phrase[-1][0].endswith("ly")):
        phrase.pop()
    low = [word[0].casefold().rstrip(",;:.)") for word in phrase]
    head = next((low[i - 1] for i in range(1, len(low)) if low[i] in joining), low[-1] if low else "")
    cut = len(low) == 1 and (head in _LISTS["empty"] or phrase[0][0][-1] == ",")  # "She was a stout, well-grown girl"
    little = head in _LISTS["little"] or cut
    compared = len(phrase) > 1 and low[1:2] == ["of"] and low[0].endswith(("er", "est"))  # "the taller of the two"
    if not low or little or compared or low[-1].endswith("ed"):
        return ""
    return sentence[phrase[0].start() : phrase[-1].end()].rstrip(",;:.)")


def _named(text: str, span: tuple[int, int], name: str) -> tuple[int, int]:
    """Return where a name, else its last word, stands first in a span of a text, else its first one where the span
    begins with it; -1 where none does."""
    words = name.split()
    for part in (name, words[-1]):
        if (at := text.find(part, *span)) >= 0:
            return at, at + len(part)
    return (span[0], span[0] + len(words[0])) if text.startswith(f"{words[0]} ", *span) else (-1, -1)

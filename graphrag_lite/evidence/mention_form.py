"""How a sentence mentions a name, from its form: it says what bears the name, or is only spoken by it or to it.

"Amy Hood, chief financial officer, joins us." says who she is. "AMY HOOD: Sure." and "Thanks, Amy." say nothing of her.
"""

import re

from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.names.words import ARTICLES
from graphrag_lite.text.transcripts import LONGEST_OPENING, PERSONS, speakers, spoken_span

DEFINES, NAMES, SPEAKS = 1, 0, -1
OPENS = re.compile(r"[:：\])_/]")  # without one of these, a sentence has neither label nor brackets before it
IS = re.compile(
    r"\W{0,3}(?:\([^)]{0,80}\)|,[^,.]{0,60},)?\s*(?:is|was|are|were|est|était|sont|ist|war|es|fue|è)\b", re.I
)
EARLY = 5  # characters before a name that is its sentence's subject: "And Ada Bell is an engineer."
APPOSED = re.compile(r",\s+([^\W\d_][^,;:.!?()\n]{2,90})(?=[,;.)]|$)")
HOST = re.compile(r"[a-zà-ÿ]\w+\s+([A-Z]{2,5}|[a-zà-ÿ]{3,}),$")  # "our CEO, ", "your host, "
SET_OFF = re.compile(r"\s*(?:[,.!?…]|$)")
REACH = 160  # characters after a name that are looked at
FEW_WORDS = 5  # in what is said to somebody and nothing else: "Thanks for the question, Keith."
MAX_APPOSED_WORDS = 12
_WORD = re.compile(r"\w[\w'’.-]*")
_ADVERBS = frozenset(
    "again still now then once always never already also soon just even only perhaps however meanwhile indeed across"
    " above after against among before behind below beneath beside between despite near since throughout until upon"
    " without along around aside away back down off out over through up ahead behind forward home there here".split()
)


def mention_form(text: str, span: tuple[int, int], sentence: tuple[int, int], language: str) -> tuple[int, int]:
    """Return what the mention `span` is in its sentence, and where what the sentence says begins (`spoken_span`).

    It is DEFINES, NAMES or SPEAKS (who speaks, or is spoken to).

    >>> talk = "ANN BELL: Yes.\\nThanks, Ann Bell.\\nANN BELL: No.\\nI met Ann Bell, the pilot, in Rome."
    >>> mentions = (0, (0, 14)), (23, (15, 32)), (33, (33, 46)), (53, (47, 82))
    >>> [mention_form(talk, (start, start + 8), line, "en") for start, line in mentions]
    [(-1, 10), (-1, 15), (-1, 43), (1, 47)]
    """
    start, end = span
    first, last = sentence
    if OPENS.search(text, first, min(last, first + LONGEST_OPENING)):
        first = spoken_span(text, first, last)[0]
    return (SPEAKS if first > start else _form(text, start, end, first, last, language)), first


def _form(text: str, start: int, end: int, first: int, last: int, language: str) -> int:
    """Return what the mention [start, end) is in what is said in [first, last)."""
    after = text[end : min(last, end + REACH)]
    if start - first <= EARLY and IS.match(after):
        return DEFINES
    # In prose it is the subject that a sentence is about: of many earls of Kent, not of one who met another.
    if not SET_OFF.match(after) or not ((transcript := bool(speakers(text))) or start - first <= EARLY):
        return NAMES
    whole, before = text[first:last], text[first:start].rstrip()
    n_words = len(_WORD.findall(text[start:end]))
    persons, joining = PERSONS.get(language), FUNCTION_WORDS.get(language, frozenset())
    apposed = APPOSED.match(after) if n_words > 1 or not transcript else None
    if apposed and not (persons and persons.search(apposed[1])) and _is_noun_phrase(apposed[1], n_words, joining):
        return DEFINES
    if n_words > 1 and (host := HOST.search(before)) and host[1] not in joining:
        return DEFINES
    opens = before.endswith(",") or all(word.casefold() in joining for word in before.split())
    if (opens and transcript) or sum(word.casefold() not in joining for word in _WORD.findall(whole)) <= FEW_WORDS:
        return SPEAKS
    return NAMES


def _is_noun_phrase(phrase: str, n_words: int, joining: frozenset[str]) -> bool:
    """Say whether what follows a name of `n_words` and a comma can say what it is: "the pilot", "chief of staff"."""
    words = phrase.split()
    if not 1 < len(words) <= MAX_APPOSED_WORDS:
        return False
    if words[0].casefold() in ARTICLES:
        return True
    if words[0][0].isupper():  # a list of persons has two names of each
        return n_words > 1 and len(words) > 2 and all(word[0].isupper() for word in words[:3])
    beside = words[1] in joining or words[1] in _ADVERBS or words[1].endswith("ly")
    if words[0] in _ADVERBS or (words[0].endswith(("ed", "ing")) and beside):
        return False  # "perched on the table", "staring across" and "again" say nothing of her
    return n_words > 1 and words[0] not in joining

"""Which names of a sentence are related, and what words say how.

Two names are related where words between them say how: few words, in one clause, whose subject is the first name
(`says_how`), or words that are a label. Neighbours in a list ("Rome, Paris
and Oslo"), parts of one name ("Dungeons - Dragons", "NASA (National ...)"), and what stands in references, tables and
code say nothing of each other. A label is given by `relations.relation`, or by a noun or a preposition between the two:
"Ann Bell, chief executive of Acme", "Acme's founder Ann Bell", "Oslo in Norway".
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from graphrag_lite.text.dialogue import addressed
from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.names.name import Name
from graphrag_lite.text.names.types import kind_of
from graphrag_lite.text.names.words import ARTICLES
from graphrag_lite.text.relations import ENGLISH, NO_LABEL, OF_VERBS, OTHER_CLAUSE, has_verb, relation
from graphrag_lite.text.says_how import is_subject, opens_between, says_how
from graphrag_lite.text.transcripts import is_talk
from graphrag_lite.text.word_lists import expressions
from graphrag_lite.text.words import UNSPACED

Pair = tuple[int, int, str]
"""Places of two names in the list of names, and the label, "" for none."""

MAX_BETWEEN, MAX_BETWEEN_UNSPACED = 100, 30  # characters between two names that words still relate
MAX_PLAIN = 60  # of them where two commas stand among them and no label says how: they mostly lead to something else
MAX_LABEL_WORDS = 6
LIST, LONG_LIST = 3, 4  # names of a list; two long lists in a sentence say nothing of each other's names

_FORMS = expressions(__package__, "related_names.txt")
_LISTING, _LISTING_NL = (
    re.compile(
        rf"[\s\"'“”’»«]*(?:[,、，/|·•&+]|(?:{words})\b)[\s,\"'“”‘«»]*(?:(?:{words})\b)?"
        r"(?:\s*(?:the|a|an|le|la|les|der|die|das))?[\s\"'“‘«»(]*",
        re.I,
    )
    for words in (_FORMS["and"], f"{_FORMS['and']}|en")  # in French, "en" is "in"
)
_CLAUSE, _SUBORDINATE, _OTHER_SUBJECT, _AUTHORS, _AFFILIATION, _CODE, _FIRST_PERSON, _RELATIVE = (
    re.compile(_FORMS[name])
    for name in ("clause", "subordinate", "other subject", "authors", "affiliation", "code", "first person", "relative")
)
_REFERENCE = re.compile(_FORMS["reference"], re.I)
_COMMA = re.compile(r"\s*,\s*(?:(?:an?|the)\s+)?")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_EXAMPLES = re.compile(r"\b(?:including|like|such as)(?: the)?$|[,.!?][\"'”’»]\s")  # or what somebody has said
_QUOTES = '"“”«»„'
_MARKS = re.compile(r"[`{}<>=\\_|:/]")  # without one of these a sentence is no code, which is known sooner
_ANAPHORIC = re.compile(rf"(?:{_FORMS['anaphoric']})(?![^\W\d_a-zà-ÿ]|[a-zà-ÿ])")
_APPOSED = re.compile(
    rf"(?:(,)\s*(?:who|which)?\s*|\s+)((?:[^\W\d_][\w'’-]*\s+){{0,5}}(?:{_FORMS['prepositions']}))"
    r"(?:\s+(?:the|la|le|l'|el|der|die|dem))?\s*"
)
_OWNED = re.compile(r"(?:['’]s?\s+|\s+)((?:[^\W\d_][\w'’-]*\s*){1,3}?),?\s*")


def related_names(
    text: str, names: Sequence[Name], span: tuple[int, int], language: str, max_neighbours: int
) -> Iterator[Pair]:
    """Yield the related pairs of the `names` of one sentence, in order; `span` are its characters in `text`.

    >>> text = "Ann Bell, who founded Acme in Oslo, knows Rome, Paris and Bonn."
    >>> found = [(text.index(name), name) for name in ("Ann Bell", "Acme", "Oslo", "Rome", "Paris", "Bonn")]
    >>> names = [Name(at, at + len(name), name, "unknown", True) for at, name in found]
    >>> [(names[i].name, label, names[j].name) for i, j, label in related_names(text, names, (0, len(text)), "en", 2)]
    [('Ann Bell', 'founded', 'Acme'), ('Ann Bell', '', 'Oslo'), ('Acme', 'in', 'Oslo')]
    """
    if len(names) < 2 or not _says_something(text[slice(*span)]):
        return
    language = language or "en"  # undecided, of a few words: those of other languages do not match
    apart = addressed(text, names, span) if language == "en" else []
    lists = _lists(text, names, _LISTING_NL if language == "nl" else _LISTING)
    members = Counter(lists)
    speaker = text[names[0].end : names[0].end + 2].startswith(":")
    own = _FIRST_PERSON.search(text, names[0].end, span[1]) and not is_talk(text[slice(*span)])
    anyone = speaker and not own
    for i in range(int(anyone), len(names)):
        seen = {names[i].name}
        for j in range(i + 1, len(names)):
            if len(seen) > max_neighbours:
                break
            if i in apart or j in apart:  # spoken to, not of
                continue
            if j == i + 1 and lists[i] == lists[j] and members[i] == 2 and opens_between(text, names[i]):
                seen.add(names[j].name)
                yield i, j, ""
            first = lists.index(lists[j])  # of a list, all are what the first is
            near = lists[first - 1] == lists[i]
            if names[j].name in seen or lists[i] == lists[j] or not (near or i == 0):
                continue
            if min(members[lists[i]], members[lists[j]]) >= LONG_LIST:
                continue
            seen.add(names[j].name)
            last = names[first - 1 if near else i + members[lists[i]] - 1]  # of the list that the first is in
            shared = i == first - 1 or _joined(text, names[first - 2], names[first - 1])
            alone = members[lists[i]] < LIST
            label = _label(text, last, names[first], language, alone) if near and shared else ""
            if _related(text, names[i], names[j], (last.end, names[first].start), label, language):
                yield i, j, label


def tells_of(sentence: str, topic: str, name: str) -> bool:
    """Tell whether a sentence of a text about `topic` says something of it and `name`: it holds, or stands for, both.

    >>> tells_of("She was born in Rome.", "Ann Bell", "Rome"), tells_of("In May, Bo met Cy.", "Ann Bell", "Cy")
    (True, False)
    >>> tells_of("Ann M. Bell was born.", "Ann Bell", "Ann M. Bell")
    False
    """
    about = _ANAPHORIC.match(sentence) or topic.split()[-1] in sentence
    return bool(about) and _says_something(sentence) and not _one_name(topic, name)


@lru_cache(maxsize=100)
def _says_something(sentence: str) -> bool:
    """Tell whether a sentence is prose: no reference, no heading, no row of a table, no code, no question."""
    if sentence.startswith("#") or sentence.rstrip(" \n])").endswith(("?", "？")) or _REFERENCE.search(sentence):
        return False
    if _MARKS.search(sentence) and _CODE.search(sentence):
        return False
    if len(_AUTHORS.findall(sentence)) > 2 or (";" in sentence and len(_AFFILIATION.findall(sentence)) > 2):
        return False
    return not sentence.isascii() or any(word.islower() for word in sentence.split())


def _lists(text: str, names: Sequence[Name], listing: re.Pattern[str]) -> list[int]:
    """Return for each name the number of the list that it is in; a name alone is a list of one."""
    numbers: list[int] = []
    for i, name in enumerate(names):
        listed = i > 0 and listing.fullmatch(text, names[i - 1].end, name.start)
        numbers.append(numbers[-1] if listed else i)
    return numbers


def _joined(text: str, a: Name, b: Name) -> bool:
    """Tell whether a list ends with these two: a comma alone makes none, "after a week in Rome, Acme's founder Bo".

    Nor does one before an article: "a camera led by Ann of Acme, a spectrograph led by Bo".
    """
    return not _COMMA.fullmatch(text, a.end, b.start)


def _related(text: str, a: Name, b: Name, span: tuple[int, int], label: str, language: str) -> bool:
    """Tell whether the words in `span`, between two names or the lists that they are in, relate them."""
    between = text[slice(*span)]
    speaks = between.startswith(":")
    between = between.lstrip(":").strip(" " + _QUOTES)
    unspaced = bool(UNSPACED.search(between))
    if len(between) > (MAX_BETWEEN_UNSPACED if unspaced else MAX_BETWEEN) or between.endswith("("):
        return False
    if not label and not (
        _says_nothing_else(text, a, b, between) and (speaks or says_how(text, a._replace(end=span[0]), b, language))
    ):
        return False
    words = _WORD.findall(between)
    if not speaks and _OTHER_SUBJECT.search(between):
        return False
    if not words or _CLAUSE.search(between) or sum(between.count(quote) for quote in _QUOTES) % 2:
        return False
    return not _one_name(a.name, b.name) and (bool(label) or not speaks or has_verb(words, language))


def _says_nothing_else(text: str, a: Name, b: Name, between: str) -> bool:
    """Tell whether what stands between two names may say how they are related where no label does."""
    opened, closed = between.count("("), between.count(")")
    acronym = a.name.isupper() and text[a.start - 1 : a.start] + between[:1] == "()"
    if opened > closed or (closed > opened and not acronym):  # "95% CI", "see Figure 2": an aside
        return False
    if (len(between) > MAX_PLAIN and between.count(",") > 1) or _EXAMPLES.search(between):
        return False
    if (" " in a.name and a.name.islower()) or text.startswith(("'s", "’s"), b.end):  # of another phrase, or what b has
        return False
    return not _SUBORDINATE.search(between.lstrip("), "), 1)  # "which" right behind a name goes on about it


def _one_name(one: str, other: str) -> bool:
    """Tell whether the words of one name are all in the other, initials for words: T. D. Hall, Thomas Day Hall."""
    ones, others = ([w.strip(".").casefold() for w in name.replace("-", " ").split()] for name in (one, other))
    short, long = sorted((ones, others), key=len)
    if len(short) == 1 and short[0] == "".join(word[:1] for word in long):
        return True
    return all(any(w == o or (1 in (len(w), len(o)) and w[:1] == o[:1]) for o in long) for w in short)


def _apposed(text: str, a: Name, comma: bool, words: Sequence[str], language: str) -> str:
    """Return the label of a noun or a preposition between two names, "" where it is of something else.

    That is "clusters with" after "Kubernetes", "from" in "wrote to Ann from Rome", and "in" where all of a list have
    one: "in Rome, in Paris".
    """
    while words and words[0].casefold() in ARTICLES:
        words = words[1:]
    low = [word.casefold() for word in words]
    if low in ([], ["to"]) or low[0] in NO_LABEL:
        return ""
    if len(low) > 1 and not OTHER_CLAUSE.isdisjoint(low[:1] if comma else low):
        return ""
    if language != "en" and low[-1] in (ENGLISH if language in ("de", "it", "nl") else ENGLISH | {"in"}):
        return ""
    placed = len(low) == 2 and low[1] in ("in", "at", "near")  # "Mini plant in Oxford"
    if len(low) > 1 and not (comma or placed) and not (has_verb(low, language) and is_subject(text, a, language)):
        return ""
    if comma and len(low) > 1 and low[0] in FUNCTION_WORDS.get(language, frozenset()) - {"former"}:
        return ""
    before = text[max(0, a.start - 40) : a.start].casefold().split()[-1:]
    return "" if len(low) == 1 and (low[0] in OF_VERBS or (comma and before == low)) else " ".join(words)


def _label(text: str, a: Name, b: Name, language: str, alone: bool) -> str:
    """Return the words that say what `a` and `b` are to each other, "" where none are known to.

    `alone` tells that `a` is in no list of three: "Ann, Bo, the Acme program and Cy".
    """
    if language in ("zh", "ja", "ko"):
        from graphrag_lite.text.relations_unspaced import unspaced_relation

        if label := unspaced_relation(text, (a.start, a.end), (b.start, b.end), language):
            return label
    who = _RELATIVE.match(text, a.end, b.start)
    if verb := relation(text, a._replace(end=who.end()) if who else a, b, language):
        return verb
    between = text[a.end : b.start]
    if (apposed := _APPOSED.fullmatch(between)) and not apposed[2].isupper():
        if text.startswith(("'s", "’s"), b.end):  # "Ann in Oslo's pride"
            return ""
        return _apposed(text, a, bool(apposed[1]), apposed[2].split(), language)
    owned = _OWNED.fullmatch(between) if alone else None
    if owned and kind_of(owned[1].split()[-1].casefold()):
        words = owned[1].split()
        return " ".join(words) if FUNCTION_WORDS.get(language, frozenset()).isdisjoint(words) else ""
    return ""

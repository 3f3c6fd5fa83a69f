"""Sentences that say what one has one of at a time: where somebody lives and works, who leads what, whose wife she is.

What was said of it later ends what was said before, so little is read, and each part of it has to stand beside the
other: "Ana", "now works at", "Acme". The words stand in `one_value.toml`.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from graphrag_lite.text.word_lists import toml_file

STAGES = ("holds", "begins", "was", "ends")
GAP = 40  # characters between a subject and the words behind it
OPENING = 3  # characters of a sentence in which "He" is what the document is about
NEAR = 25  # characters between what is said and its time
_PRONOUN = re.compile(r"\b(?:I|[Ww]e|He|She)\b")
_CLAUSE = re.compile(r"[,;:(]")
_SHORT = re.compile(r"^ \([^\s()]{2,10}\)")  # "the Space Telescope Science Institute (STScI)"
_AND = re.compile(r",? (?:and|but)\b")
_LISTED = toml_file(__package__, "one_value.toml")
_ARTICLE = re.compile(r"\s+(?:the |a |an |my |our )?$")


class Relation(NamedTuple):
    """A relation of `one_value.toml`; `asks` is how it is asked for."""

    policy: str
    asks: str
    subjects: frozenset[str]
    objects: frozenset[str]


class OneValue(NamedTuple):
    """What characters [start, end) of a sentence say, from the subject to the object.

    `stage` is one of STAGES; `dated` where it is so when it is said.
    """

    subject: str
    relation: str
    object: str
    stage: str
    dated: bool
    start: int
    end: int


@cache
def _words() -> dict[str, re.Pattern[str]]:
    """Return what stands around, as `one_value.toml` lists it."""
    words = {name: text.replace("\n", "") for name, text in _LISTED["words"].items() if name != "parts"}
    between, behind = ("|".join(_LISTED["words"][name].split()) for name in ("between", "behind"))
    forms = {name: rf"\b(?:{words[name]})\b" for name in ("denied", "now", "once", "be")}
    forms["now"] += "|['’]ve\\b"
    forms["be"] += "|['’](?:s|m|re)\\b"
    forms["between"] = rf"(?:,? (?:who|which))?(?:['’](?:s|m|ve|re)|\s+(?:{between}|{words['denied']}))*\s*"
    forms["behind"] = rf"\s*(?:[^\w\s'’]|$)|\s+(?:{behind}|\d+)\b"
    return {name: re.compile(form, re.I * (name in ("denied", "now", "once"))) for name, form in forms.items()}


@cache
def one_value_relations() -> dict[str, Relation]:
    """Return the relations that have one value at a time, by name; an office is a relation of its own."""
    found = {}
    for name, about in ((name, about) for name, about in _LISTED.items() if "policy" in about):
        for office, wordings in _LISTED["offices"].items() if "{office}" in name else [("", "")]:
            subjects, objects = (frozenset(about[end]) for end in ("subjects", "objects"))
            asks = about["asks"].replace("{office}", wordings)
            found[name.replace("{office}", office)] = Relation(about["policy"], asks, subjects, objects)
    return found


def relation_of_question(question: str) -> str:
    """Return the relation that an English question asks for, "" where it asks for none.

    >>> [relation_of_question(each) for each in ("Where did Ana work before Acme?", "Who was the CEO of Acme?")]
    ['works at', 'is CEO of']
    >>> relation_of_question("Where does the work begin?")
    ''
    """
    return next((name for name, each in one_value_relations().items() if re.match(each.asks, question, re.I)), "")


@cache
def _pattern() -> tuple[re.Pattern[str], Mapping[int, tuple[str, str]]]:
    """Return all expressions as one, each a group, and the relation and stage of each group; offices are groups within.

    One group for each office would take four times as long to look for.
    """
    offices = "|".join(_LISTED["offices"].values())
    groups: list[str] = []
    meant: dict[int, tuple[str, str]] = {}
    n_groups = 0
    for name, about in _LISTED.items():
        for stage in STAGES if "policy" in about else ():
            if pattern := about.get(stage, "").replace("\n", ""):
                groups.append(f"({pattern.replace('{office}', f'({offices})')})")
                meant[n_groups + 1] = name, stage
                n_groups += 1 + pattern.count("{office}")
    return re.compile(rf"(?i)(?<![\w-])(?:{'|'.join(groups)})(?![\w-])"), meant


def _meant(match: re.Match[str]) -> tuple[str, str]:
    """Return the relation and stage of what the expressions have found."""
    group = match.lastindex or 1
    relation, stage = _pattern()[1][group]
    title = next(filter(None, match.groups()[group:]), "")
    return relation.replace("{office}", _office(title.lower())), stage


@cache
def _office(title: str) -> str:
    wordings = _LISTED["offices"].items()
    return next((office for office, wording in wordings if re.fullmatch(wording, title, re.I)), "")


def one_values(sentence: str, names: Sequence[tuple[int, int, str, str]], speaker: str, topic: str) -> list[OneValue]:
    """Return what an English sentence says that one has one of, by place.

    `names` are (start, end, name, type) by place. `topic` is meant by "he" and "she" at the beginning.

    >>> text = "Ana has been hired by Acme."
    >>> one_values(text, [(0, 3, "Ana", "person"), (22, 26, "Acme", "organization")], "", "")[0][:6]
    ('Ana', 'works at', 'Acme', 'begins', True, 0)
    >>> [one.dated for one in one_values("I moved to Oslo.", [(11, 15, "Oslo", "location")], "Bo", "")]
    [True]
    >>> vega = [(10, 14, "Oslo", "location"), (28, 32, "Vega", "organization")]
    >>> [one[:3] for one in one_values("I live in Oslo and work at  Vega.", vega, "Bo", "")]
    [('Bo', 'lives in', 'Oslo'), ('Bo', 'works at', 'Vega')]
    >>> one_values("I want to move to Oslo.", [(18, 22, "Oslo", "location")], "Bo", "")
    []
    """
    if not _has_object(sentence, names) or not any(map(sentence.__contains__, _LISTED["words"]["parts"])):
        return []
    found: list[OneValue] = []
    for match in _pattern()[0].finditer(sentence):
        relation, stage = _meant(match)
        own = one_value_relations()[relation]
        other = next((name for name in names if name[0] >= match.end()), None)
        if other is None or not _ARTICLE.fullmatch(sentence[match.end() : other[0]]):
            continue
        if not _words()["behind"].match(sentence, other[1]):  # "a Facebook group"
            continue
        before = sentence[: match.start()]
        subject, start, gap = _subject(before, names, own.subjects, speaker, topic)
        joined = _AND.match(before, found[-1].end) if found and not subject else None
        if joined and _words()["between"].fullmatch(before, joined.end()):
            subject, start, gap = found[-1].subject, found[-1].start, before[joined.end() :]
        denied = bool(_words()["denied"].search(gap))
        lacks_verb = stage == "holds" and relation.startswith("is ") and not _words()["be"].search(gap)
        fits = other[3] in own.objects or (subject == speaker and other[3] == "unknown")  # "I moved to Bergen"
        if not (subject and fits) or subject == other[2] or lacks_verb or (denied and stage != "holds"):
            continue
        now = subject == speaker or _words()["now"].search(gap) or (joined and found[-1].dated)
        clause = before + _CLAUSE.split(sentence[other[1] :])[0]
        dated = bool(now) and stage != "was" and not _words()["once"].search(clause)
        found.append(OneValue(subject, relation, other[2], "ends" if denied else stage, dated, start, other[1]))
    return found


def of_time(values: Sequence[OneValue], start: int, end: int, sentence: str) -> list[OneValue]:
    """Return what is told of the time in characters [start, end): what these are of, what the time stands right behind,
    else all that it stands right before."""
    if exact := [one for one in values if (one.start, one.end) == (start, end)]:
        return exact
    near = max((one for one in values if one.end <= start), key=lambda one: one.end, default=None)
    if near:
        between = _SHORT.sub("", sentence[near.end : start])
        return [near] if len(between) <= NEAR and not _CLAUSE.search(between) else []
    return [one for one in values if end <= one.start and not sentence[end : one.start].strip(" ,")]


def _has_object(sentence: str, names: Sequence[tuple[int, int, str, str]]) -> bool:
    """Tell whether a name can be an object of some relation, by its type and what stands around it: few can."""
    return any(
        kind in _objects()
        and sentence[:start][-1:].isspace()
        and _words()["behind"].match(sentence, end)
        and (index or _PRONOUN.search(sentence, 0, start))
        for index, (start, end, _, kind) in enumerate(names)
    )


@cache
def _objects() -> frozenset[str]:
    return frozenset().union(*(each.objects for each in one_value_relations().values()))


def _subject(
    before: str, names: Sequence[tuple[int, int, str, str]], types: frozenset[str], speaker: str, topic: str
) -> tuple[str, int, str]:
    """Return who is meant by what stands last before a place, where that begins, and the words behind it."""
    standing = [(start, end, name if kind in types else "") for start, end, name, kind in names if end <= len(before)]
    standing += [
        (*found.span(), speaker if found[0] in ("I", "We", "we") else topic if found.start() < OPENING else "")
        for found in _PRONOUN.finditer(before)
    ]
    start, end, subject = max(standing, default=(0, 0, ""))
    gap = before[end:]
    return (subject, start, gap) if len(gap) <= GAP and _words()["between"].fullmatch(gap) else ("", 0, "")

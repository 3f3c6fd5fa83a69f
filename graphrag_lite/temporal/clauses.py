"""Whom a sentence tells of at a time, and what: subject, relation and object of the clause that the time is of.

Subject and object say where a sentence belongs. The relation says more, that the one did this to the other then: where
another verb stands between them and the time, or the name is only a part of what is meant, it stays empty. The words
that tell stand in `clauses.toml`.
"""

import re
from collections.abc import Sequence

from graphrag_lite.temporal.intervals import Interval
from graphrag_lite.temporal.relations import states_relation
from graphrag_lite.text.names.words import ROLES
from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.relations import ends_phrase, has_verb, is_verb_form, opens_clause
from graphrag_lite.text.word_lists import toml_file

MAX_RELATION = 80  # characters
_FORMS = {name: re.compile(form) for name, form in toml_file(__package__, "clauses.toml").items()}
FIRST_PERSON = _FORMS["first_person"]
_OFFICE = re.compile(rf"(?i)(?: (?:{'|'.join(map(re.escape, sorted(ROLES)))}))+ ")
_THIRD_PERSON = {"am": "is", "m": "is", "have": "has", "ve": "has", "ll": "will"}  # of another than oneself
_NO_VERB = frozenset("during morning evening spring including regarding following united limited".split())


def clause_of(
    text: str, placed: Sequence[tuple[int, int, str, str]], time: Interval, speaker: str, topic: str, language: str
) -> tuple[str, str, str]:
    """Return subject, relation and object of what a sentence tells of a time, each "" as far as it is not told.

    `placed` are (start, end, name, type) by place; `speaker` is "I", `topic` "He" at the beginning.

    >>> def clause(text, words, *names, speaker=""):
    ...     placed = [(text.index(name), text.index(name) + len(name), name, "") for name in names]
    ...     time = Interval(text.index(words), text.index(words) + len(words), "event", "positive", "", "", "")
    ...     return clause_of(text, placed, time, speaker, "", "en")
    >>> clause("Ann has led Acme since May 2006.", "since May 2006", "Ann", "Acme")
    ('Ann', 'has led', 'Acme')
    >>> clause("Ann met Bo, who had led Acme in 1993.", "1993", "Ann", "Bo")
    ('Ann', '', 'Bo')
    >>> clause("The NASA Director Ann Lee left Oslo today.", "today", "NASA", "Ann Lee", "Oslo")
    ('Ann Lee', 'left', 'Oslo')
    >>> clause("Ann left Acme in 1993 and joined Vega in May 2006.", "in May 2006", "Ann", "Acme", "Vega")
    ('Ann', 'joined', 'Vega')
    >>> clause("Cy: I've used Netflix for six months.", "for six months", "Cy", "Netflix", speaker="Cy")
    ('Cy', 'has used', 'Netflix')
    """
    held = [one for one in placed if one[1] <= time.start or time.end <= one[0]]
    if speaker and held and not text[: held[0][0]].strip() and _FORMS["label"].match(text, held[0][1]):
        held = held[1:]  # "Ann: I ..." begins with who says it
    subject, start, behind = _subject(text, held, speaker, topic)
    if not subject:
        return "", _words(text, 0, time), ""
    joined = joined_verb(text, behind, time.start, held) if language == "en" else None
    oneself = (
        _FORMS["of_oneself"].match(text, start) if language == "en" and subject == speaker and not joined else None
    )
    after = joined or (oneself.end() if oneself else behind)
    others = [one for one in held if one[0] >= after and one[2] != subject]
    near = [one for one in others if one[1] <= time.start] if time.start > after else others[:1]
    near = near or [one for one in others if one[0] - max(after, time.end) < MAX_RELATION]
    first, last, thing, _ = near[0] if near else (0, None, "", "")
    if not near:
        wording = _words(text, after, time)
    elif after <= time.start < first:
        wording = _FORMS["loose"].sub("", text[after : time.start].rstrip()) + " " + text[time.end : first]
    else:
        wording = text[after:first]
    relation = _clean(f"{_THIRD_PERSON[oneself[1]]} {wording}" if oneself else wording)
    relation = _FORMS["mine"].sub("their", relation) if subject == speaker else _FORMS["who"].sub("", relation)
    if language == "en":
        relation = relation if near else _FORMS["loose"].sub("", relation)
        points = bool(not near and _FORMS["points"].search(relation))  # "got it"
        points |= text.startswith("-", behind) or (speaker != "" and text.startswith(",", behind))  # "Bo, do you"
        relation = relation if not points and _is_stated(text, time, (start, behind), last) else ""
    return subject, relation, thing


def _subject(text: str, held: Sequence[tuple[int, int, str, str]], speaker: str, topic: str) -> tuple[str, int, int]:
    """Return whom a sentence tells of, and the characters that say so; "" where nobody is told."""
    person = FIRST_PERSON.search(text) if speaker else None
    if person and (not held or person.start() < held[0][0]) and not _FORMS["quoted"].search(text, 0, person.start()):
        return speaker, *person.span()
    lean = _FORMS["leans"].match(text) if topic else None
    if lean and (not held or lean.end() <= held[0][0]):
        return topic, *lean.span()
    # "NASA Director Ann Lee"
    of_office = held[1:2] if held[1:2] and _OFFICE.fullmatch(text, held[0][1], held[1][0]) else []
    return next(((name, start, end) for start, end, name, _ in of_office or held), ("", 0, 0))


def joined_verb(text: str, behind: int, until: int, names: Sequence[tuple[int, int, str, str]]) -> int | None:
    """Return where the last verb before a place begins that "and" joins to one of the subject that ends `behind`."""
    found = [
        each for each in _FORMS["joined"].finditer(text, behind, max(behind, until)) if is_verb_form(each[1], "en")
    ]
    first = text[behind : found[-1].start()] if found else ""
    if not states_relation(first) or _FORMS["other_clause"].search(first):
        return None
    others = any(behind <= start < found[-1].start() and kind == "person" for start, _, _, kind in names)
    return None if others else found[-1].start(1)


def _is_stated(text: str, time: Interval, subject: tuple[int, int], end: int | None) -> bool:
    """Tell whether the words from a subject to the `end` of its object are a statement, and the time is that one's."""
    start, behind = subject
    if before := time.end <= start:  # "In 1966 the Academy asked ...", but not "If he leaves in May, Ann ..."
        opening = between = text[time.end : start]
        if _FORMS["conditional"].search(text, 0, start) or _FORMS["goes_on"].match(opening):
            return False
    else:
        opening, between = text[:start], text[end : time.start] if end else ""
    if (
        _FORMS["owned"].fullmatch(text, start, behind)
        or (before and _FORMS["relative"].match(text, behind))
        or _is_clause(between)
    ):
        return False
    if end and end != time.start - 1 and not ends_phrase(text, end, "en"):
        return False
    return bool(FIRST_PERSON.fullmatch(text, start, behind)) or opens_clause(opening, len(opening))


def _is_clause(words: str) -> bool:
    """Tell whether words between a statement and its time are a statement of their own, which the time may be of."""
    plain = [word for word in _FORMS["lower"].findall(words) if word not in _NO_VERB]
    return bool(_FORMS["clause"].search(words)) or has_verb(plain, "en")


def _words(text: str, start: int, time: Interval) -> str:
    """Return the words from a place up to the time, or behind it where it comes first."""
    return _clean(text[start : time.start] if time.start > start else text[max(start, time.end) :])


def _clean(words: str) -> str:
    found = one_line(words).strip(" ,;:.()[]*–—-\"'“”’")
    return found if len(found) <= MAX_RELATION else found[:MAX_RELATION].rpartition(" ")[0]

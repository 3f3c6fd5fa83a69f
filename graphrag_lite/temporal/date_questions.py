"""Questions that are answered by computing with dates: how long ago, how long between, which first, in which order.

Read by form (`date_questions.toml`): as it is written in English, in other languages in small letters without accents.
Any other question is none of these.
"""

import re
from functools import cache
from typing import NamedTuple

from graphrag_lite.temporal.durations import UNITS
from graphrag_lite.text.folding import fold_with_offsets
from graphrag_lite.text.relative_times import relative_dates
from graphrag_lite.text.word_lists import toml_file

NUMBERS = "zero one two three four five six seven eight nine ten".split()
_DAY_OF = re.compile(r"^(?:the (?:day|date)s?(?: on which| that| when| of)?|when|that) ", re.I)


class DateQuestion(NamedTuple):
    """What a question asks: `kind` is ago, ahead, age, since, between, lasted, first, last, order, list, until or on.

    `unit` is empty where it asks none. `about` is what all events share ("join" of "Which did I join first, ..."), `n`
    how many are to be listed, 0 where it does not say.
    """

    kind: str
    unit: str
    events: tuple[str, ...]
    about: str = ""
    n: int = 0


_ON = re.compile(r"^(?=.*\b(?:i|we|my|me|us)\b)(?:what|which|who|whom|where|i)\b", re.I)
_NEAR = re.compile(r"\b(?:ago|yesterday|last|past)\b", re.I)
_DONE = re.compile(r"\b(?:did|was|were|had|\w{3,}ed|went|got|bought|saw|met|made|took)\b", re.I)
_SUM = re.compile(r"\b(?:total|most|least|average|percentage|altogether|should|any)\b", re.I)
_QUOTED = re.compile(r"[‘'\"“]([^'\"”’]{4,}(?:['’]\w[^'\"”’]*)*)[’'\"”](?=[,.;?]|$| and| or)")
_SPLIT = re.compile(r",? (?:or|and) |, ")


def date_question(text: str, language: str = "en") -> DateQuestion | None:
    """Return what a question asks that is computed of dates, None where it asks for none.

    >>> date_question("How many days ago did I plant the tomatoes?")
    DateQuestion(kind='ago', unit='day', events=('I plant the tomatoes',), about='', n=0)
    >>> date_question("How many weeks passed between my trip to Oslo and the job interview?").events
    ('my trip to Oslo', 'the job interview')
    >>> asked = date_question("Which did I buy first, the bed or the pads?")
    >>> asked.kind, asked.events, asked.about
    ('first', ('the bed', 'the pads'), 'did I buy')
    >>> date_question("Wie viele Tage liegen zwischen der Wahl und dem Rücktritt?", "de").events
    ('der Wahl', 'dem Rücktritt')
    >>> date_question("What is the capital of France?")
    """
    plain = " ".join(text.replace("’", "'").split()).rstrip("?.!？。 ")
    if len(plain) > 400:
        return None
    if language != "en":
        return _in_other_words(plain, language)
    for kind, form in _forms("en")[0]:
        if found := form.match(plain):
            return _in_english(kind, found)
    if _ON.match(plain) and _NEAR.search(plain) and _DONE.search(plain) and not _SUM.search(plain):
        return DateQuestion("on", "", (plain,))
    return None


def _in_english(kind: str, found: re.Match[str]) -> DateQuestion | None:
    """Return what a question asks that has a form of a kind; None where it names too few or too many events."""
    groups = {name: words or "" for name, words in found.groupdict().items()}
    if kind == "choice":
        one, _, other = groups["events"].rpartition(" or " if " or " in groups["events"] else " and ")
        kind = "first" if groups["which"].casefold() in ("first", "earlier", "earliest") else "last"
        # Of "Rome, Oslo or Bergen", and not of "Oslo or Paris, Texas".
        several = "," in one.strip(" ,") and "," not in other
        events = _listed(groups["events"]) if several else (_event(one), _event(other))
        return DateQuestion(kind, "", events, groups["about"].strip()) if len(events) <= 8 else None
    if kind == "order":
        events = _listed(groups["events"])
        return DateQuestion(kind, "", events, groups["about"].strip()) if 2 <= len(events) <= 8 else None
    events = tuple(_event(groups[name]) for name in ("one", "other") if name in groups)
    n = groups.get("n", "").casefold() or "0"
    unit = "year" if kind == "age" else groups.get("unit", "").casefold().rstrip("s")
    return DateQuestion(kind, unit, events, n=NUMBERS.index(n) if n in NUMBERS else int(n))


@cache
def _forms(language: str) -> tuple[tuple[tuple[str, re.Pattern[str]], ...], str]:
    """Return the forms of a language, each with its kind, and what stands between events to choose from."""
    listed = dict(toml_file(__package__, "date_questions.toml").get(language, {}))
    either = listed.pop("either", " ")
    parts = listed.pop("parts", {})
    if listed and "unit" not in parts:
        parts["unit"] = f"(?P<unit>{'|'.join(relative_dates()[language].units[:4])})"

    def filled(form: str) -> str:
        for name, part in parts.items():
            form = form.replace(f"{{{name}}}", part)
        return form

    forms = tuple((kind, re.compile(filled(form), re.I)) for kind, several in listed.items() for form in several)
    return forms, either


def _in_other_words(text: str, language: str) -> DateQuestion | None:
    """Return what a question in another language than English asks."""
    plain, offsets = fold_with_offsets(text)
    forms, either = _forms(language)
    for kind, form in forms:
        found = form.match(plain)
        if not found:
            continue
        spans = [found.span(name) for name in ("one", "other") if name in form.groupindex]
        if not spans:
            first, last = found.span("events")
            between = [joint.span() for joint in re.finditer(either, plain[first:last])][-1]
            spans = [(first, first + between[0]), (first + between[1], last)]
        spans += [found.span("about")] if "about" in form.groupindex else []
        texts = [
            text[offsets[start] : offsets[end - 1] + 1].strip(" ,、，") if end > start else "" for start, end in spans
        ]
        about = texts.pop() if "about" in form.groupindex else ""
        return DateQuestion(kind, _unit_of(found.groupdict().get("unit") or "", language), tuple(texts), about)
    return None


def _unit_of(stated: str, language: str) -> str:
    units = zip(UNITS, relative_dates()[language].units, strict=False)
    return next((unit for unit, pattern in units if stated and re.fullmatch(pattern, stated)), "")


def _listed(events: str) -> tuple[str, ...]:
    """Return the events of a list: those in quotation marks, else those between commas."""
    quoted = _QUOTED.findall(events)
    return tuple(map(_event, quoted if len(quoted) > 1 else _SPLIT.split(events.strip())))


def _event(words: str) -> str:
    """Return the words of an event without those that only say that it is a day."""
    return _DAY_OF.sub("", words.strip(" ,"))

"""Questions that are answered by computing with dates: how long ago, how long between, which first, in which order.

Read by form, in English here, in other languages by `date_questions.toml`. Any other question is none of these.
"""

import re
import tomllib
from functools import cache
from importlib import resources
from typing import NamedTuple

from graphrag_lite.temporal.durations import UNITS
from graphrag_lite.text.folding import fold_with_places
from graphrag_lite.text.relative_times import relative_dates

NUMBERS = "zero one two three four five six seven eight nine ten".split()
_UNIT = r"(?P<unit>days?|weeks?|months?|years?)"
_HOW = rf"^(?:(?:so|and|about|exactly|roughly),? )?how (?:many|much) (?:full |total |more )?{_UNIT}"
_LONG = r"^how (?:long|much time)"
_WHEN = r"(?:,? (?:when|before|by the time|until|as of when) )"
_PASSED = (
    r"(?: have| had| has)?"
    r"(?: passed| elapsed| gone by| lie| went by| (?:are|were|was|is) there| (?:do|did) (?:i|we) have)*"
)
_OPENS = r"(?:when|my|the|her|his|their|our|i)"
_TAKE = r"(?:did it take|does it take|do i have) (?:me |us |them )?to"
_ONE = r"(?P<one>.+)$"
_DAY_OF = re.compile(r"^(?:the (?:day|date)s?(?: on which| that| when| of)?|when|that) ", re.I)


class Asked(NamedTuple):
    """What a question asks: `kind` is ago, ahead, age, since, between, lasted, first, last, order, list, until or on.

    `unit` is empty where it asks none. `about` is what all events share ("join" of "Which did I join first, ..."), `n`
    how many are to be listed, 0 where it does not say.
    """

    kind: str
    unit: str
    events: tuple[str, ...]
    about: str = ""
    n: int = 0


_BETWEEN = tuple(
    re.compile(form, re.I)
    for form in (
        rf"{_HOW}{_PASSED} between (?:the )?(?:day )?(?P<one>.+?) and (?P<other>{_OPENS} .+)",
        rf"{_HOW}{_PASSED} between (?P<one>.+?) and (?P<other>.+)",
        rf"{_LONG} (?:was it |is it |passed |were |did it take )?between (?P<one>.+?) and (?P<other>.+)",
        rf"{_HOW} ago (?:did|was|were) (?P<one>.+?) when (?P<other>.+)",
        rf"{_HOW}{_PASSED} since (?P<one>.+?) when (?P<other>.+)",
        rf"{_HOW}{_PASSED} (?:after|from) (?P<one>.+?) (?:did|until|till|to|when|was) (?P<other>.+)",
        rf"{_HOW} (?:had|have|did) (?P<one>.+?){_WHEN}(?P<other>.+)",
        rf"{_LONG} (?:had|have|did|was|were) (?P<one>.+?){_WHEN}(?P<other>.+)",
        rf"(?:{_HOW}|{_LONG}) {_TAKE} (?P<other>.+?) (?:after|since|from when) (?P<one>.+)",
        rf"(?:{_HOW}|{_LONG}) (?:after|before) (?P<one>.+?) (?:did|was|were|is) (?P<other>.+)",
        rf"{_HOW} separated? (?P<one>.+?) (?:and|from) (?P<other>.+)",
    )
)
_AGE = re.compile(
    r"^how old (?:was|were) (?P<one>(?!i\b|we\b).+?) (?:when|at the time(?: of| that)?|in|at) (?P<other>.+)$", re.I
)
_OF_ONE = tuple(
    (kind, re.compile(form, re.I))
    for kind, form in (
        (
            "ahead",
            rf"{_HOW}(?: are(?: there| left)| left| remain| is it| do (?:i|we) have(?: left)?)? (?:until|till) {_ONE}",
        ),
        ("ago", rf"(?:{_HOW}|{_LONG}) ago (?:did|was|were|have|had|has|is|do) {_ONE}"),
        ("ago", rf"{_HOW}(?: have| has)? (?:passed|it been|elapsed|gone by) since {_ONE}"),
        ("ago", rf"{_LONG} (?:has it been|is it) since {_ONE}"),
        ("until", rf"^(?:until|till|up to) when (?:did|was|were|has|had|is|does|will|can|do) {_ONE}"),
        ("since", rf"{_HOW} (?:has|have) (?P<one>.+? been .+|(?!i |we ).+)$"),
        ("since", rf"{_LONG} (?:has|have) {_ONE}"),
        ("lasted", rf"{_HOW} (?:did|does) (?!i |we |it ){_ONE}"),
        ("lasted", rf"{_LONG} did (?!it take){_ONE}"),
    )
)
_CHOICE = re.compile(
    r"^(?:which|who|what)\b(?P<about>.*?)"
    r"\b(?P<which>first|earlier|earliest|last|later|latest|most recently|more recently)\b"
    r"(?: date| time)?(?: of (?:the|these) \w+| between)?[,:]? (?P<events>.+? or .+)$",
    re.I,
)
_OF_TWO = re.compile(
    r"^(?:(?:which|who) of|did|was|were) (?P<events>.+? (?:or|and) .+?)"
    r" (?P<about>\w+) (?P<which>first|earlier|last|later|most recently|more recently)$",
    re.I,
)
_ORDER = re.compile(
    r"^(?:(?:what|which)\b.*?\border\b(?: of| from| in)?|who(?P<about>\b.*?)\bfirst,? second,?(?: and third)?).*?"
    r"(?::|\bamong\b|\bbetween\b)(?P<events>.+)$",
    re.I,
)
_LIST = re.compile(
    rf"^(?:what|which)\b.*?\border of (?:the |my )?(?:(?P<n>\d|{'|'.join(NUMBERS[2:])}) )?(?P<one>[^:]+?)"
    r"(?: (?:in|over|during|within) the (?:past|last) [^,:]+)?(?:,? from (?:the )?(?:earliest|first|oldest)[^:]*)?$",
    re.I,
)
_ON = re.compile(r"^(?=.*\b(?:i|we|my|me|us)\b)(?:what|which|who|whom|where|i)\b", re.I)
_NEAR = re.compile(r"\b(?:ago|yesterday|last|past)\b", re.I)
_DONE = re.compile(r"\b(?:did|was|were|had|\w{3,}ed|went|got|bought|saw|met|made|took)\b", re.I)
_SUM = re.compile(r"\b(?:total|most|least|average|percentage|altogether|should|any)\b", re.I)
_QUOTED = re.compile(r"[‘'\"“]([^'\"”’]{4,}(?:['’]\w[^'\"”’]*)*)[’'\"”](?=[,.;?]|$| and| or)")
_SPLIT = re.compile(r",? (?:or|and) |, ")


def date_question(text: str, language: str = "en") -> Asked | None:
    """Return what a question asks that is computed of dates, None where it asks for none.

    >>> date_question("How many days ago did I plant the tomatoes?")
    Asked(kind='ago', unit='day', events=('I plant the tomatoes',), about='', n=0)
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
    for form in _BETWEEN:
        if found := form.match(plain):
            unit = found.groupdict().get("unit") or ""
            return Asked("between", unit.casefold().rstrip("s"), (_event(found["one"]), _event(found["other"])))
    if found := _AGE.match(plain):
        return Asked("age", "year", (_event(found["one"]), _event(found["other"])))
    for kind, form in _OF_ONE:
        if found := form.match(plain):
            unit = found.groupdict().get("unit") or ""
            return Asked(kind, unit.casefold().rstrip("s"), (_event(found["one"]),))
    if found := _ORDER.match(plain):
        events = _listed(found["events"])
        return Asked("order", "", events, (found["about"] or "").strip()) if 2 <= len(events) <= 8 else None
    if found := _LIST.match(plain):
        n = (found["n"] or "0").casefold()
        return Asked("list", "", (_event(found["one"]),), n=NUMBERS.index(n) if n in NUMBERS else int(n))
    if found := _CHOICE.match(plain) or _OF_TWO.match(plain):
        one, _, other = found["events"].rpartition(" or " if " or " in found["events"] else " and ")
        kind = "first" if found["which"].casefold() in ("first", "earlier", "earliest") else "last"
        # Of "Rome, Oslo or Bergen", and not of "Oslo or Paris, Texas".
        several = "," in one.strip(" ,") and "," not in other
        events = _listed(found["events"]) if several else (_event(one), _event(other))
        return Asked(kind, "", events, found["about"].strip()) if len(events) <= 8 else None
    if _ON.match(plain) and _NEAR.search(plain) and _DONE.search(plain) and not _SUM.search(plain):
        return Asked("on", "", (plain,))
    return None


@cache
def _forms(language: str) -> tuple[tuple[tuple[str, re.Pattern[str]], ...], str]:
    """Return the forms of a language, each with its kind, and what stands between events to choose from."""
    listed = tomllib.loads((resources.files(__package__) / "date_questions.toml").read_text("utf-8")).get(language, {})
    either = listed.pop("either", " ")
    unit = "|".join(relative_dates()[language].units[:4]) if listed else ""
    forms = (
        (kind, form.replace("{unit}", f"(?P<unit>{unit})")) for kind, several in listed.items() for form in several
    )
    return tuple((kind, re.compile(form)) for kind, form in forms), either


def _in_other_words(text: str, language: str) -> Asked | None:
    """Return what a question in another language than English asks."""
    plain, places = fold_with_places(text)
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
        said = [
            text[places[start] : places[end - 1] + 1].strip(" ,、，") if end > start else "" for start, end in spans
        ]
        about = said.pop() if "about" in form.groupindex else ""
        return Asked(kind, _unit_of(found.groupdict().get("unit") or "", language), tuple(said), about)
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

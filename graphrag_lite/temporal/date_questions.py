"""Questions that are answered by computing with dates: how long ago, how long between, which first, in which order.

Read in English, by form. A question of any other form is none of these.
"""

import re
from typing import NamedTuple

UNITS = {"day": 1.0, "week": 7.0, "month": 30.44, "year": 365.25}  # days
_UNIT = r"(?P<unit>days?|weeks?|months?|years?)"
_HOW = rf"^(?:(?:so|and|about|exactly|roughly),? )?how (?:many|much) (?:full |total |more )?{_UNIT}"
_LONG = r"^how long"
_WHEN = r"(?:,? (?:when|before|by the time|until|as of when) )"
_PASSED = (
    r"(?: have| had| has)?"
    r"(?: passed| elapsed| gone by| lie| went by| (?:are|were|was|is) there| (?:do|did) (?:i|we) have)*"
)
_OPENS = r"(?:when|my|the|her|his|their|our|i)"
_TAKE = r"(?:did it take|does it take|do i have) (?:me |us |them )?to"
_DAY_OF = re.compile(r"^(?:the (?:day|date)s?(?: on which| that| when| of)?|when|that) ", re.I)


class Asked(NamedTuple):
    """What a question asks: `kind` is ago, between, first, last, order or until; `unit` is empty where it asks none."""

    kind: str
    unit: str
    events: tuple[str, ...]


_AGO = tuple(
    re.compile(form, re.I)
    for form in (
        rf"{_HOW} ago (?:did|was|were|have|had|has|is|do) (?P<one>.+)",
        rf"{_LONG} ago (?:did|was|were|have|had|has|is|do) (?P<one>.+)",
        rf"{_HOW}(?: have| has)? (?:passed|it been|elapsed|gone by) since (?P<one>.+)",
        rf"{_LONG} (?:has it been|is it) since (?P<one>.+)",
    )
)
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
        rf"{_HOW} (?:after|before) (?P<one>.+?) (?:did|was|were|is) (?P<other>.+)",
    )
)
_CHOICE = re.compile(
    r"^(?:which|who|what)\b(?P<about>.+?)"
    r"\b(?P<which>first|earlier|earliest|last|later|latest|most recently|more recently)\b"
    r"(?: of (?:the|these) \w+| between)?[,:]? (?P<events>.+? or .+)$",
    re.I,
)
_ORDER = re.compile(
    r"^(?:(?:what|which)\b.*?\border\b(?: of| from| in)?|who\b.*?\bfirst,? second,?(?: and third)?).*?"
    r"(?::|\bamong\b|\bbetween\b)(?P<events>.+)$",
    re.I,
)
_UNTIL = re.compile(r"^(?:until|till|up to) when (?:did|was|were|has|had|is|does|will|can|do) (?P<one>.+)$", re.I)
_QUOTED = re.compile(r"[‘'\"“]([^'\"”’]{4,}(?:['’]\w[^'\"”’]*)*)[’'\"”](?=[,.;?]|$| and| or)")
_SPLIT = re.compile(r",? (?:or|and) |, ")


def date_question(text: str) -> Asked | None:
    """Return what a question asks that is computed of dates, None where it asks for none.

    >>> date_question("How many days ago did I plant the tomatoes?")
    Asked(kind='ago', unit='day', events=('I plant the tomatoes',))
    >>> date_question("How many weeks passed between my trip to Oslo and the job interview?").events
    ('my trip to Oslo', 'the job interview')
    >>> date_question("Which did I buy first, the bed or the pads?")
    Asked(kind='first', unit='', events=('the bed', 'the pads'))
    >>> date_question("What is the capital of France?")
    """
    plain = " ".join(text.replace("’", "'").split()).rstrip("?.! ")
    if len(plain) > 400:
        return None
    for form in _BETWEEN:
        if found := form.match(plain):
            unit = found.groupdict().get("unit") or ""
            return Asked("between", unit.casefold().rstrip("s"), (_event(found["one"]), _event(found["other"])))
    for form in _AGO:
        if found := form.match(plain):
            unit = found.groupdict().get("unit") or ""
            return Asked("ago", unit.casefold().rstrip("s"), (_event(found["one"]),))
    if found := _UNTIL.match(plain):
        return Asked("until", "", (_event(found["one"]),))
    if found := _ORDER.match(plain):
        events = _listed(found["events"])
        return Asked("order", "", events) if 2 <= len(events) <= 8 else None
    if found := _CHOICE.match(plain):
        one, _, other = found["events"].rpartition(" or ")
        kind = "first" if found["which"].casefold() in ("first", "earlier", "earliest") else "last"
        return Asked(kind, "", (_event(one), _event(other)))
    return None


def _listed(events: str) -> tuple[str, ...]:
    """Return the events of a list: those in quotation marks, else those between commas."""
    quoted = _QUOTED.findall(events)
    return tuple(map(_event, quoted if len(quoted) > 1 else _SPLIT.split(events.strip())))


def _event(words: str) -> str:
    """Return the words of an event without those that only say that it is a day."""
    return _DAY_OF.sub("", words.strip(" ,"))

"""Answers computed of dated statements: how long ago, how long between, which first, in which order, what was on a day.

Each event that the question names is looked for among the statements that state a time (`fact_mentions`); the dates
are shown, each with its citation. Where one is not found, or not dated closely enough, nothing is computed.
"""

import re
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.search.answer import Answer, Cited, Ranking, Statement, answered, cite
from graphrag_lite.search.extractive.dated_events import (
    ENDS,
    MOST,
    Dated,
    candidates,
    has_rival,
    looked_for,
    one_per_event,
)
from graphrag_lite.search.extractive.dated_events import on_days as dated_on
from graphrag_lite.search.extractive.life_dates import PRONOUN, age_in_years, life_date
from graphrag_lite.temporal.date_questions import DateQuestion
from graphrag_lite.temporal.durations import When, in_order, time_between
from graphrag_lite.text.period import Period
from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.relative_times import relative_spans

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question

OPEN = "The documents do not date all that this asks about, so nothing is computed. What they say:"
_OTHERS = re.compile(r"\b(?:whose|who|that|has the|have the)\b", re.I)  # what is asked for is not of what is named
_OF_A_LIFE = {
    "born": re.compile(r"\bborn$", re.I),
    "died": re.compile(r"\bdied$", re.I),
    "made": re.compile(r"\b(?:released|came out|published|made)$", re.I),
}
_BARE_YEAR = re.compile(r"\b\d{4}\b")
LISTED = 183  # days that a date may be off to be put in a list
COMPUTED = frozenset(("ago", "ahead", "between", "first", "last", "order", "until"))  # by form alone: nothing else fits


def date_answer(question: "Question", method: str) -> Answer | None:
    """Answer by computing with dates; None where the question asks for none, or where what it names is not dated."""
    asked = question.dates_asked
    if asked is None:
        return None
    if asked.kind == "on":
        return _on_a_day(question, method, asked.events[0])
    if asked.kind == "age":
        return _age(question, method, asked)
    if asked.kind in ("first", "last") and _OTHERS.search(asked.about):
        return None
    if lives := _lives(question, asked):
        told = _computed(asked, lives, None)
        return _shown(question, method, told, lives) if told else None
    events = [looked_for(question, event, asked.about) for event in asked.events]
    ends = [asked.kind == "until" or bool(ENDS.search(event)) for event in asked.events]
    if asked.kind == "list":
        return _listed(question, method, asked, candidates(question, events, of_end=ends, most=2 * MOST)[0])
    found = candidates(question, events, of_end=ends, ended=asked.kind == "until")
    if not all(found):
        return None
    chosen = one_per_event(question, found)
    told = "" if has_rival(question, chosen, found) else _computed(asked, chosen, _now(question))
    return _shown(question, method, told, chosen) if told else None


def _lives(question: "Question", asked: DateQuestion) -> list[Dated]:
    """Return when each was born, died or was made, where a choice asks for that; none where one of them is not told."""
    said = asked.about if asked.kind in ("first", "last") else ""
    what = next((what for what, form in _OF_A_LIFE.items() if form.search(said)), "")
    found = [life_date(question, event, what) for event in asked.events] if what else []
    known = [one for one in found if one]
    return known if len(known) == len(found) else []


def _now(question: "Question") -> date | None:
    return question.as_of or question.index.attributes.newest


def _computed(asked: DateQuestion, chosen: Sequence[Dated], now: date | None) -> str:
    """Return the answer in a line, "" where the dates do not tell it."""
    days = [one.when for one in chosen]
    if asked.kind in ("ago", "ahead", "since"):
        return _from_now(asked, chosen[0], now)
    if asked.kind == "between":
        long = time_between(days[0], days[1], asked.unit)
        return f"{long}: from {min(days)} to {max(days)}." if long and days[0] != days[1] else ""
    if asked.kind == "lasted":
        begun, until = When(days[0].first, days[0].first) if days[0].lasts else days[0], chosen[0].until
        long = time_between(begun, until, asked.unit) if until else ""
        return f"{long}: from {begun} to {until}." if long else ""
    if asked.kind == "until":
        return f"Until {days[0]}."
    order = in_order(days)
    if order is None:
        return ""
    if asked.kind == "order":
        listed = (f"{n}. {escape_marks(asked.events[place])} ({days[place]})" for n, place in enumerate(order, 1))
        return "; ".join(listed) + "."
    place = order[0] if asked.kind == "first" else order[-1]
    other = order[-1] if asked.kind == "first" else order[0]
    than = "before" if asked.kind == "first" else "after"
    one, two = (f"{escape_marks(asked.events[each])} ({days[each]})" for each in (place, other))
    return f"{one}, {than} {two}."


def _from_now(asked: DateQuestion, told: Dated, now: date | None) -> str:
    """Return how long before `now` a day is, or after it; of what lasts, since when."""
    if asked.kind == "since" and not told.lasts:
        return ""
    if now is None:
        return f"{'Since ' * (asked.kind == 'since')}{told.when}; the documents tell no day to count from."
    today = When(now.toordinal(), now.toordinal())
    is_ahead = told.when.first > today.last
    long = time_between(told.when, today, asked.unit)
    if not long or is_ahead != (asked.kind == "ahead"):
        return ""
    if asked.kind == "since":
        return f"{long} until {now}: since {told.when}."
    return f"{long} {'after' if is_ahead else 'before'} {now}: {told.when}."


def _age(question: "Question", method: str, asked: DateQuestion) -> Answer | None:
    """Answer how old somebody was at an event of theirs, or of the world; None where either is not dated."""
    name, event = asked.events
    birth = life_date(question, name, "born")
    event = PRONOUN.sub(lambda _: name, event)
    stated = sorted(question.periods)
    if birth and len(stated) == 1 and not question.terms_of(_BARE_YEAR.sub("", event)):
        told = age_in_years(birth.when, _days(stated[0]))
        return _shown(question, method, f"{told}: born {birth.when}.", [birth]) if told else None
    (found,) = candidates(question, [looked_for(question, event)], of_end=[False])
    if not birth or not found or has_rival(question, found[:1], [found]):
        return None
    told = age_in_years(birth.when, found[0].when)
    return _shown(question, method, f"{told}: born {birth.when}, {found[0].when}.", [birth, found[0]]) if told else None


def _on_a_day(question: "Question", method: str, text: str) -> Answer | None:
    """Answer what is dated on the one day or week that the question states relative to now; None where nothing is."""
    now = _now(question)
    spans = sorted(set(relative_spans(text, now, "en"))) if now else []
    if len({span[2] for span in spans}) != 1:
        return None
    start, end, period = spans[0]
    found = dated_on(question, looked_for(question, f"{text[:start]} {text[end:]}"), _days(period))
    return _shown(question, method, f"Dated {_days(period)}:", found) if found else None


def _days(period: Period) -> When:
    return When(period.first.toordinal(), period.last.toordinal())


def _listed(question: "Question", method: str, asked: DateQuestion, found: Sequence[Dated]) -> Answer | None:
    """Answer with all that is dated of a kind, in order; None where it is more or less than the question says."""
    days = {one.when: one for one in reversed(found) if not one.planned and one.when.open < LISTED}
    chosen = sorted(days.values(), key=lambda one: one.when.middle)
    counts = len(chosen) == asked.n if asked.n else 1 < len(chosen) <= MOST
    if not counts or in_order([one.when for one in chosen]) is None:
        return None
    return _shown(question, method, "In order:", chosen)


def _shown(question: "Question", method: str, told: str, chosen: Sequence[Dated]) -> Answer:
    """Return an answer with the date of each statement, and its citation."""
    index = question.index
    citations = _cited(question, chosen)
    lines = [told]
    for one, cited in zip(chosen, citations, strict=True):
        lines.append(f"- {one.when}: {escape_marks(one_line(cited.text))} [{cited.n}]")
    units = list(dict.fromkeys(one.unit for one in chosen))
    ranking = Ranking(units, list(dict.fromkeys(index.document_row[unit] for unit in units)))
    distinct = list({cited.n: cited for cited in citations}.values())
    return answered(question, method, ranking, answer="\n".join(lines), citations=distinct)


def _cited(question: "Question", chosen: Sequence[Dated]) -> list[Cited]:
    """Return the citation of each statement; those that stand in one sentence share it."""
    numbers: dict[tuple[int, int, int], int] = {}
    for one in chosen:
        numbers.setdefault((one.unit, one.start, one.end), len(numbers) + 1)
    return [
        cite(question.index, numbers[one.unit, one.start, one.end], Statement(one.unit, one.start, one.end))
        for one in chosen
    ]

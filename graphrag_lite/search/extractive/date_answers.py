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
    parsed = question.date_question
    if parsed is None:
        return None
    if parsed.kind == "on":
        return _on_a_day(question, method, parsed.events[0])
    if parsed.kind == "age":
        return _age(question, method, parsed)
    if parsed.kind in ("first", "last") and _OTHERS.search(parsed.about):
        return None
    if lives := _lives(question, parsed):
        lead = _computed(parsed, lives, None)
        return _shown(question, method, lead, lives) if lead else None
    events = [looked_for(question, event, parsed.about) for event in parsed.events]
    ends = [parsed.kind == "until" or bool(ENDS.search(event)) for event in parsed.events]
    if parsed.kind == "list":
        return _listed(question, method, parsed, candidates(question, events, of_end=ends, most=2 * MOST)[0])
    found = candidates(question, events, of_end=ends, ended=parsed.kind == "until")
    if not all(found):
        return None
    chosen = one_per_event(question, found)
    lead = "" if has_rival(question, chosen, found) else _computed(parsed, chosen, _now(question))
    return _shown(question, method, lead, chosen) if lead else None


def _lives(question: "Question", parsed: DateQuestion) -> list[Dated]:
    """Return when each was born, died or was made, where a choice asks for that; none where one of them is not told."""
    about = parsed.about if parsed.kind in ("first", "last") else ""
    what = next((what for what, form in _OF_A_LIFE.items() if form.search(about)), "")
    found = [life_date(question, event, what) for event in parsed.events] if what else []
    known = [one for one in found if one]
    return known if len(known) == len(found) else []


def _now(question: "Question") -> date | None:
    return question.as_of or question.index.attributes.newest


def _computed(parsed: DateQuestion, chosen: Sequence[Dated], now: date | None) -> str:
    """Return the answer in a line, "" where the dates do not tell it."""
    days = [one.when for one in chosen]
    if parsed.kind in ("ago", "ahead", "since"):
        return _from_now(parsed, chosen[0], now)
    if parsed.kind == "between":
        long = time_between(days[0], days[1], parsed.unit)
        return f"{long}: from {min(days)} to {max(days)}." if long and days[0] != days[1] else ""
    if parsed.kind == "lasted":
        begun, until = When(days[0].first, days[0].first) if days[0].lasts else days[0], chosen[0].until
        long = time_between(begun, until, parsed.unit) if until else ""
        return f"{long}: from {begun} to {until}." if long else ""
    if parsed.kind == "until":
        return f"Until {days[0]}."
    order = in_order(days)
    if order is None:
        return ""
    if parsed.kind == "order":
        listed = (
            f"{n}. {escape_marks(parsed.events[position])} ({days[position]})" for n, position in enumerate(order, 1)
        )
        return "; ".join(listed) + "."
    position = order[0] if parsed.kind == "first" else order[-1]
    other = order[-1] if parsed.kind == "first" else order[0]
    than = "before" if parsed.kind == "first" else "after"
    one, two = (f"{escape_marks(parsed.events[each])} ({days[each]})" for each in (position, other))
    return f"{one}, {than} {two}."


def _from_now(parsed: DateQuestion, dated: Dated, now: date | None) -> str:
    """Return how long before `now` a day is, or after it; of what lasts, since when."""
    if parsed.kind == "since" and not dated.lasts:
        return ""
    if now is None:
        return f"{'Since ' * (parsed.kind == 'since')}{dated.when}; the documents tell no day to count from."
    today = When(now.toordinal(), now.toordinal())
    is_ahead = dated.when.first > today.last
    long = time_between(dated.when, today, parsed.unit)
    if not long or is_ahead != (parsed.kind == "ahead"):
        return ""
    if parsed.kind == "since":
        return f"{long} until {now}: since {dated.when}."
    return f"{long} {'after' if is_ahead else 'before'} {now}: {dated.when}."


def _age(question: "Question", method: str, parsed: DateQuestion) -> Answer | None:
    """Answer how old somebody was at an event of theirs, or of the world; None where either is not dated."""
    name, event = parsed.events
    birth = life_date(question, name, "born")
    event = PRONOUN.sub(lambda _: name, event)
    stated = sorted(question.periods)
    if birth and len(stated) == 1 and not question.terms_of(_BARE_YEAR.sub("", event)):
        age = age_in_years(birth.when, _days(stated[0]))
        return _shown(question, method, f"{age}: born {birth.when}.", [birth]) if age else None
    (found,) = candidates(question, [looked_for(question, event)], of_end=[False])
    if not birth or not found or has_rival(question, found[:1], [found]):
        return None
    age = age_in_years(birth.when, found[0].when)
    return _shown(question, method, f"{age}: born {birth.when}, {found[0].when}.", [birth, found[0]]) if age else None


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


def _listed(question: "Question", method: str, parsed: DateQuestion, found: Sequence[Dated]) -> Answer | None:
    """Answer with all that is dated of a kind, in order; None where it is more or less than the question says."""
    days = {one.when: one for one in reversed(found) if not one.planned and one.when.open < LISTED}
    chosen = sorted(days.values(), key=lambda one: one.when.middle)
    counts = len(chosen) == parsed.n if parsed.n else 1 < len(chosen) <= MOST
    if not counts or in_order([one.when for one in chosen]) is None:
        return None
    return _shown(question, method, "In order:", chosen)


def _shown(question: "Question", method: str, lead: str, chosen: Sequence[Dated]) -> Answer:
    """Return an answer with the date of each statement, and its citation."""
    index = question.index
    citations = _cited(question, chosen)
    lines = [lead]
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

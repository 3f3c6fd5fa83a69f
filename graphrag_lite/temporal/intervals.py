"""When a sentence says that something holds, happened or is to happen: [valid_at, invalid_at) from its own words.

What a time is of is told by the words beside it: "from ... until", since, until, verbs that begin or end something. The
words of ten languages stand in `text/relative_dates.toml`, the verbs of English in `verbs.txt`, what else stands beside
times in `intervals.toml`. What could be a quantity, a name or the life of somebody in brackets states no time: none is
better than a wrong one.
"""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from graphrag_lite.text.folding import fold_with_offsets
from graphrag_lite.text.period import Period, Time, days_of
from graphrag_lite.text.relative_times import is_current, relative_dates
from graphrag_lite.text.sentences import is_statement
from graphrag_lite.text.times import may_state, times
from graphrag_lite.text.word_lists import sections, toml_file

LAST_YEAR = 2060  # what is later is no year
BEHIND = ("ja", "ko")  # languages in which since and until stand behind the time
LIVES = range(30, 106)  # years in brackets behind a name that are a life and no office
NEAR = 90  # characters before and behind a time in which a verb tells what it is of
REACH = 50  # characters between such a verb and the time
FAR_AHEAD = 120  # days: what has no year and is told as past was not so soon
LONG_OVER = 14  # days: what has no year and is told as ahead is not so long ago
OPENING = 12  # characters before a time that opens a sentence: the verb comes behind it
_WORDS = sections("graphrag_lite.temporal", "verbs.txt")
_LISTED = toml_file("graphrag_lite.temporal", "intervals.toml")
_FORMS = {name: re.compile(form) for name, form in _LISTED.items()}


class Interval(NamedTuple):
    """A time stated in characters [start, end) of a sentence; columns of `fact_mentions`."""

    start: int
    end: int
    kind: str
    polarity: str
    valid_at: str
    invalid_at: str
    precision: str


def intervals(sentence: str, reference_date: date | None, language: str) -> list[Interval]:
    """Return what a sentence that was said on `reference_date` states of times, by place.

    >>> def dates(sentence, day=None):
    ...     return [(one.kind, one.valid_at, one.invalid_at) for one in intervals(sentence, day, "en")]
    >>> dates("Peter Seifert served from 1993 until 2006."), dates("Since May 2006, Ann Bell has served as mayor.")
    ([('state', '1993-01-01', '2007-01-01')], [('state', '2006-05-01', '')])
    >>> dates("Ann joined NASA in 1959 as its first astronomer and retired in 1979.")
    [('state', '1959-01-01', '1980-01-01'), ('state', '1979-01-01', '')]
    >>> dates("I finish the draft by April 20, for I left Acme three days ago.", date(2024, 3, 5))
    [('plan', '', '2024-04-21'), ('state', '2024-03-02', '')]
    >>> dates("A 1/24 scale model of 2000 parts, and a Dell from 2018, cost him (1843-1906) $1995.")
    []
    """
    just = _FORMS["just"].search(sentence) if reference_date and " just " in sentence else None
    if not just and not may_state(sentence, language):
        return []
    plain, offsets = fold_with_offsets(sentence)
    found = times(plain, reference_date, language)
    usable = [time for time in found if _is_time(plain, time, sentence, offsets, language)]
    ends = [*offsets, len(sentence)]
    if just and reference_date and not usable:
        return [
            Interval(*just.span(1), "event", "positive", reference_date.isoformat(), day_after(reference_date), "week")
        ]
    stated = []
    for index, time in enumerate(usable):
        before = usable[index - 1].end if index else 0
        behind = usable[index + 1].start if index + 1 < len(usable) else len(plain)
        start, *rest = _interval_of(plain, time, (before, behind), reference_date, language)
        stated.append(Interval(ends[start], ends[time.end - 1] + 1, *rest))
        if index and language == "en" and _ends(stated[-2:], plain[before : time.start]):
            stated[-2] = stated[-2]._replace(invalid_at=day_after(time.period.last))
    return stated


def _ends(both: Sequence[Interval], between: str) -> bool:
    """Tell whether the second of two times ends what begins with the first: "joined in 1959 and left in 1979"."""
    begun, over = both
    begins = begun.kind == "state" and begun.polarity == "positive" and begun.valid_at and not begun.invalid_at
    if not begins or over.kind == "plan" or over.valid_at < begun.valid_at:
        return False
    verb = _any_of("ends").search(between) or re.search(r"\bended\b", between)
    return bool(verb and _FORMS["then"].search(between, 0, verb.start()))


@cache
def _any_of(section: str) -> re.Pattern[str]:
    """Return a pattern of the words of a section of verbs.txt."""
    words = sorted(_WORDS[section], key=len, reverse=True)
    return re.compile(rf"(?<![\w'])(?:{'|'.join(map(re.escape, words))})(?!\w)|" + _ending(section))


def _ending(section: str) -> str:
    forms = {"negations": r"(?<=\w)n't(?!\w)(?! wait)|\bnot\b(?! (?:just|only)\b)", "plans": r"(?<=\w)'ll(?!\w)"}
    return forms.get(section, r"(?!)")


def _is_time(plain: str, time: Time, sentence: str, offsets: Sequence[int], language: str) -> bool:
    """Tell whether what has the form of a time is one, and the time of what the sentence says."""
    before, behind = plain[max(0, time.start - 40) : time.start], plain[time.end : time.end + 30]
    bare = time.precision == "year" and time.form in ("date", "range", "open") and time.end - time.start < 12
    held, years = plain[time.start : time.end], time.period.last.year - time.period.first.year
    ahead = time.form == "ahead"
    if (
        time.period.first.year < 1000
        or time.period.last.year > LAST_YEAR
        or (language == "en" and (_FORMS["compared"].search(before) or _is_source(before, time)))
        or _FORMS["fiscal"].search(before)
        or ((bare or "." in held) and _FORMS["count"].search(before))
        or ((time.form == "near" or ahead) and (behind.startswith("'s") or _idle(plain, time, sentence, offsets)))
        or (ahead and (before.endswith("the ") or behind.startswith(" few")))
        # "was sold by Friday"
        or (ahead and re.fullmatch("[a-z]+day", held) and _tense(plain, time, (0, len(plain)), language) == "past")
    ):
        return False
    # In brackets behind a name: in a sentence the life of a person, or the year of a work or a source. In a list, when
    # that held, or a life, which no office is as long as.
    bracketed = _FORMS["filled"].search(before) and _FORMS["closed"].match(behind)
    apart = bare or time.form == "range" or "born" in before[-8:]
    if bracketed and (years in LIVES or (apart and is_statement(sentence))):
        return False
    if "/" in held and time.form == "yearless":
        return bool(_FORMS["on"].search(before)) and not _FORMS["scaled"].match(behind)
    if time.form == "yearless" and not _capital(plain, time, sentence, offsets, language):
        return False
    if ahead and held.startswith(("in ", "within ")):
        return bool(_any_of("plans").search(plain)) and not behind.startswith(" of ")
    if time.form == "lasting" and language == "en":
        return bool(_FORMS["perfect"].search(plain[max(0, time.start - NEAR) : time.start]))
    if (
        language == "en"
        and _FORMS["word"].match(behind)
        and not _FORMS["season"].match(behind)
        and not time.form.startswith(("ago", "past"))
    ):
        if time.precision != "day" and (_FORMS["owned"].search(before) or behind.startswith("-")):
            return False
        if time.form == "range" and _FORMS["the"].search(before) and years != 1:  # but "the 2009-10 Premier League"
            return False
    if bare and time.form == "date":
        return _is_year(time, before, behind, language)
    return True


def _is_source(before: str, time: Time) -> bool:
    """Tell whether a time only says where something comes from: "an armchair from the 1950s", "up from a year ago"."""
    old = time.precision == "decade" or (time.precision == "year" and time.form != "range")
    made = old and _FORMS["made"].search(before)
    return bool(made) or (time.form.startswith("ago") and before.endswith("from "))


def _is_year(time: Time, before: str, behind: str, language: str) -> bool:
    """Tell whether a number is the year of what the sentence says, no quantity and no part of a name."""
    following = _FORMS["next"].match(behind)
    word = following[1] if following else ""
    year = time.period.first.year
    if word in _WORDS["counted"] or behind.startswith("%"):
        return False
    if language != "en":
        return 1700 <= year <= 2050
    if word.endswith("s") and len(word) > 4 and (year % 100 == 0 or year < 1600):
        return False
    if _FORMS["determined"].search(before) and not _FORMS["born"].search(before):
        return word in _WORDS["events"] and not before.rstrip().endswith("from")
    if _FORMS["the"].search(before):
        return word in _WORDS["events"] and not re.search(r"\b(?:since|before|after|until|from) the $", before)
    cue = _FORMS["in"] if year % 100 == 0 and year < 2000 else _FORMS["cue"]
    return bool(cue.search(before))


def _idle(plain: str, time: Time, sentence: str, offsets: Sequence[int]) -> bool:
    """Tell whether "today" only means nowadays, at the beginning of what nobody tells of himself, or is of a name.

    So is "Saturday" in "Saturday Night Live"; and in "on Saturday, May 4" it is the day that is told behind.
    """
    of_name = _FORMS["no_day"].match(sentence, offsets[time.end - 1] + 1)
    if of_name and is_current(plain[time.start : time.end], "en"):
        return True
    if plain[time.start : time.end] not in ("today", "tonight"):
        return False
    if _FORMS["nowadays"].search(plain, 0, time.start):
        return True
    named = sentence[offsets[time.start]].isupper() and plain[max(0, time.start - 2) : time.start].strip().isalpha()
    return named or (time.start < 3 and not re.search(r"\b(?:i|we|my|our)\b", plain))


def _capital(plain: str, time: Time, sentence: str, offsets: Sequence[int], language: str) -> bool:
    """Tell whether a month without a year is written as one: "you may 5 times", "by April Jones" are none."""
    month = re.search(r"\b(?:may|march|mar|sun)\b", plain[time.start : time.end])
    if plain.endswith("by ", 0, time.start) and re.match(r" [A-Z]", sentence[offsets[time.end - 1] + 1 :]):
        return False
    if language != "en" or not month:
        return True
    return sentence[offsets[time.start + month.start()]].isupper()


def _interval_of(
    plain: str, time: Time, gap: tuple[int, int], reference_date: date | None, language: str
) -> tuple[int, str, str, str, str, str]:
    """Return where the words of a time begin, and kind, polarity, valid_at, invalid_at and precision of it."""
    if reference_date and time.form in ("near", "yearless"):
        time = time._replace(period=_meant(plain, time, gap, reference_date, language))
    first, after = time.period.first, day_after(time.period.last)
    begins_on, ends_on, ends_before = first.isoformat(), after, first.isoformat()
    held = plain[gap[0] : time.start]
    behind = plain[time.end : gap[1]]
    since, until = (_standing(kind, held, behind, language) for kind in ("since", "until"))
    ago_since = time.form in ("lasting", "open") or (
        time.form == "past" and re.search(r"\bfor (?:the |about )?$", held)
    )
    start = time.start
    clause = _clause(plain, time, gap)
    precision = time.precision
    kind, valid_at, invalid_at, polarity = "event", begins_on, ends_on, "positive"
    if time.form == "range" and language == "en" and (moved := _FORMS["moved"].search(held)):
        start -= len(moved["from"])
        stated = time.period.last.isoformat()[: {"day": 10, "month": 7}.get(precision, 4)]
        valid_at = days_of(stated).first.isoformat()
    elif time.form == "range":
        kind = "event" if _FORMS["season"].match(plain, time.end) else "state"
        opened = re.search(r"(?:from|between) (?:the )?$", held)
        start -= len(opened[0]) if opened else 0
    elif ago_since or since or (from_ := _from(held, time) if language == "en" else None):
        kind, invalid_at = "state", ""
        start -= len(since[0]) * (language not in BEHIND) if since else len(from_[0]) if not ago_since and from_ else 0
        if not since and not ago_since and from_ and from_[0].startswith("after"):
            valid_at = ends_on
    elif until:
        early = time.form == "ahead" or re.match(r"(?:before|prior|avant|vor|antes|prima|voor)", until[0])
        kind, valid_at, invalid_at = "state", "", ends_before if early else ends_on
        start -= len(until[0]) * (language not in BEHIND)
    elif language == "en" and (
        by := re.search(r"\b(?:by|no later than|due|due by|due on)(?: about| the end of| early| mid)? $", held)
    ):
        valid_at, start = "" if by[0].startswith(("by", "no")) else valid_at, start - len(by[0])
    elif language == "en" and not _FORMS["season"].match(plain, time.end):
        kind, polarity, invalid_at = _by_verb(clause, invalid_at)
    if kind == "event" and _any_of("negations").search(clause[0] + clause[1]) and language == "en":
        polarity = "negative"
    ahead = reference_date and (valid_at or invalid_at) > reference_date.isoformat() and (valid_at or not until)
    if ahead and not since and (kind == "event" or valid_at):  # what was added later has been so since
        kind = "plan"
    return start, kind, polarity, valid_at, invalid_at, precision


def _meant(plain: str, time: Time, gap: tuple[int, int], reference_date: date, language: str) -> Period:
    """Return the days of "on Friday", "this week" or "May 1": those to come, unless they are told as past.

    In English a weekday that no verb tells of is to come, and a week all of it. A day without a year is the nearest;
    far ahead it is the last where it is told as past, and long over the next where it is told as ahead.
    """
    period, words = time.period, plain[time.start : time.end]
    if time.form == "yearless":
        stated = period.first.isoformat()[4 : 10 if time.precision == "day" else 7]
        tense = _tense(plain, time, gap, language) if stated != "-02-29" else ""
        past = tense == "past" and (period.first - reference_date).days > FAR_AHEAD
        ahead = tense == "ahead" and (reference_date - period.last).days > LONG_OVER
        ahead &= language != "en" or bool(_FORMS["ahead"].search("".join(_clause(plain, time, gap))))
        return days_of(f"{period.first.year + ahead - past:04}{stated}") if past or ahead else period
    if not is_current(words, language) or period.last > reference_date or reference_date.year == date.max.year:
        return period
    tense = _tense(plain, time, gap, language)
    if time.precision == "day":
        near = tense == "past" or (not tense and (period.first == reference_date or language != "en"))
        day = period.first + timedelta(days=0 if near else 7)
        return Period(day, day)
    if language != "en" or tense == "past":
        return period
    day = reference_date + timedelta(days=6 - reference_date.weekday())
    last = day if "week" in words else days_of(reference_date.isoformat()[: 7 if words.endswith("month") else 4]).last
    return (
        Period(reference_date + timedelta(days=1) if tense else period.first, last) if last > reference_date else period
    )


def _tense(plain: str, time: Time, gap: tuple[int, int], language: str) -> str:
    """Return whether a time is told as "past" or "ahead", "" where no verb tells: the words before it tell first."""
    if plain.endswith("later ", 0, time.start):
        return "ahead"
    for part in _clause(plain, time, gap):
        past, ahead = (
            max((found.end() for each in patterns for found in each.finditer(part)), default=0)
            for patterns in _tenses(language)
        )
        if past or ahead:
            return "ahead" if ahead > past else "past"
    return ""


@cache
def _tenses(language: str) -> tuple[Sequence[re.Pattern[str]], Sequence[re.Pattern[str]]]:
    """Return the patterns of what tells that something is past (in English alone), and that it is to come."""
    if language == "en":
        past = re.compile(rf"(?<!\bbe )(?:{_any_of('past').pattern})")
        return (_FORMS["past"], past), (_any_of("plans"), _any_of("meant"))
    words = relative_dates().get(language)
    return (), (re.compile(rf"\b(?:{words.plans})\b" if words and words.plans else r"(?!)"),)


def _from(before: str, time: Time) -> re.Match[str] | None:
    """Return the word by which something lasts from a date on; "a Dell from 2018" and "up from May" last from none."""
    found = re.search(r"\b(?:from|after) $", before) if time.form in ("date", "yearless") else None
    return found if found and (found[0] == "after " or _FORMS["worked"].search(before, 0, found.start())) else None


def _clause(plain: str, time: Time, gap: tuple[int, int]) -> tuple[str, str]:
    """Return the words before and behind a time up to the next time, or the end of what they are of."""
    before = plain[max(gap[0], time.start - NEAR) : time.start]
    behind = plain[time.end : min(gap[1], time.end + NEAR)]
    return _FORMS["clause_begins"].split(before)[-1], _FORMS["clause_ends"].split(behind)[0]


def _by_verb(clause: tuple[str, str], invalid_at: str) -> tuple[str, str, str]:
    """Return kind, polarity and invalid_at by the verb nearest to a time: it begins something, ends it, or neither."""
    distances = []
    for section in ("begins", "ends"):
        found = [len(clause[0]) - verb.end() for verb in _any_of(section).finditer(clause[0])]
        if len(clause[0]) < OPENING:
            found += [verb.start() + 20 for verb in _any_of(section).finditer(clause[1])]
        distances.append(min(found, default=NEAR))
    if min(distances) >= REACH:
        return "event", "positive", invalid_at
    return "state", "positive" if distances[0] <= distances[1] else "negative", ""


@cache
def _cue(kind: str, language: str) -> re.Pattern[str]:
    words = relative_dates().get(language)
    pattern = getattr(words, kind) if words else r"(?!)"
    return re.compile(rf"(?:{pattern})" if language in BEHIND else rf"(?:{pattern}) ?(?:the |early |late |mid[- ])?$")


def _standing(kind: str, before: str, behind: str, language: str) -> re.Match[str] | None:
    """Return the word by which a state begins (`since`) or ends (`until`) at the time between two stretches of text."""
    return _cue(kind, language).match(behind) if language in BEHIND else _cue(kind, language).search(before[-40:])


def day_after(last: date) -> str:
    return (last + timedelta(days=1)).isoformat() if last < date.max else ""

"""A document's dated statements: who did what, and when, for each sentence that states a time, or stands below one.

A sentence is read once, in the first text unit that holds it. Subject and object are names that the extraction found in
it, the speaker for "I", and what the document is about for a sentence that begins with "He"; where none of these is
told they stay empty.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import date
from functools import lru_cache
from itertools import accumulate, takewhile
from typing import NamedTuple

from graphrag_lite.temporal.clauses import FIRST_PERSON, clause_of
from graphrag_lite.temporal.durations import SEEN
from graphrag_lite.temporal.intervals import Interval, day_after, intervals
from graphrag_lite.temporal.one_value import OneValue, of_time, one_values
from graphrag_lite.text.folding import fold_with_offsets
from graphrag_lite.text.period import Period, period_of
from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.sentences import is_statement, sentences, trimmed
from graphrag_lite.text.times import may_state, times
from graphrag_lite.text.transcripts import LABEL, speaker_of

HEAD = 600  # characters at the beginning of a document in which a line of its own can say when it is of
LATE = 400  # days that such a line may be apart from the document's own date
MAX_SENTENCE = 1500  # characters; what is longer is no sentence
MAX_NAMES = 40  # of a sentence
_HEADING = re.compile(r"[^\S\n]*(?:#{1,6}\s|\*\*[^*\n]{1,80}\*\*:?\s*$)")
_ASKS = re.compile(
    r"(?i)\W*(?:(?:and|but|so|also|well|hi|hey|hello)\W+)?(?:what|when|where|which|who|whom|whose|why|how|do|does|did|is|are|was"
    r"|were|can|could|will|would|should|shall|have|has|had|may|might|any|wann|wie|wer|was|warum|quand|comment|qui|où)\b"
)
_FENCE = re.compile(r"(?m)^[^\S\n]*(?:```|~~~)")


class Utterance(NamedTuple):
    """A message or section in characters [start, end) of a document: who says it, and when (ISO 8601, or "")."""

    id: str
    speaker: str
    reference_time: str
    start: int
    end: int


class TypedName(NamedTuple):
    """A name in a document, from `start`, and its type."""

    start: int
    name: str
    type: str = ""


class Document(NamedTuple):
    """What a document's statements are read from; units as (id, start, end), `topic` is what it is about by name."""

    id: str
    text: str
    title: str
    language: str
    created_at: str
    units: Sequence[tuple[str, int, int]]
    names: Sequence[TypedName]
    utterances: Sequence[Utterance] = ()
    topic: str = ""
    unread: Sequence[tuple[int, int]] = ()  # code and cards, which are no sentences; by their starts


class DatedStatement(NamedTuple):
    """A row of `fact_mentions` without ids."""

    text_unit_id: str
    episode_id: str
    subject: str
    relation: str
    object: str
    kind: str
    polarity: str
    valid_at: str
    invalid_at: str
    precision: str
    time_text: str
    reference_time: str
    char_start: int
    char_end: int


def statements(document: Document) -> Iterator[DatedStatement]:
    """Yield the dated statements of a document, by place.

    >>> text = "# 2004\\nShe led Acme. In May 2006 Ann Bell left for Oslo."
    >>> names = [TypedName(text.index(name), name) for name in ("Acme", "Ann Bell", "Oslo")]
    >>> ann = Document("d", text, "Ann Bell", "en", "", [("u", 0, len(text))], names, topic="Ann Bell")
    >>> [(one.subject, one.relation, one.object, one.valid_at, one.time_text) for one in statements(ann)]
    [('Ann Bell', 'led', 'Acme', '2004-01-01', '2004'), ('Ann Bell', 'left for', 'Oslo', '2006-05-01', 'May 2006')]
    """
    names = sorted(document.names)
    own_day = _own_day(document)
    over = _period_of_heading(document.title.rpartition(" / ")[2], document) if not document.created_at else None
    for start, end in _sentences(document):
        text = document.text[start:end]
        if _HEADING.match(text):
            over = _period_of_heading(text.strip("#* :\t"), document)
            continue
        if _asks(text):
            continue
        index = bisect_right(document.utterances, start, key=lambda utterance: utterance.start) - 1
        utterance = document.utterances[index] if index >= 0 and start < document.utterances[index].end else None
        speaker, stated_time = (utterance.speaker, utterance.reference_time) if utterance else ("", document.created_at)
        reference_time = stated_time if speaker else own_day or stated_time
        stated = intervals(text, _day(reference_time), document.language)
        placed = _placed(text, start, names)
        if not speaker and (FIRST_PERSON.search(text) or (stated and LABEL.match(text))):
            speaker = speaker_of(document.text, start)
        single = one_values(text, placed, speaker, document.topic) if document.language == "en" else []
        timed = [own for one in stated for own in of_time(single, one.start, one.end, text)]
        seen = [one for one in single if one.dated and one not in timed and (not stated or one.stage == "holds")]
        if seen and (day := _day(reference_time)):
            stated += [Interval(one.start, one.end, "state", "positive", day.isoformat(), "", SEEN) for one in seen]
        elif not stated and over and is_statement(text):
            stated = [Interval(0, 0, "event", "positive", *over[:2], over[2])]
        for one in stated:
            if (span := _in_unit(document.units, start, end, start + one.start)) is None:
                continue
            unit, first, last = span
            words = one_line(text[one.start : one.end]) or (over[3] if over else "")
            for own in of_time(single, one.start, one.end, text) or (None,):
                who = own[:3] if own else clause_of(text, placed, one, speaker, document.topic, document.language)
                when = _of_stage(own, one) if own else one
                yield DatedStatement(
                    unit, utterance.id if utterance else "", *who, *when[2:], words, reference_time, first, last
                )


def _sentences(document: Document) -> Iterator[tuple[int, int]]:
    """Yield the sentences that are read, without code, cards and what is too long for one."""
    fences = [fence.start() for fence in _FENCE.finditer(document.text)]
    unread_starts = [first for first, _ in document.unread]
    unread_ends = [0, *accumulate((last for _, last in document.unread), max)]  # the furthest so far: they may nest
    for sentence in sentences(document.text, document.language):
        start, end = trimmed(document.text, *sentence)
        fenced = bisect_right(fences, start) % 2
        if (
            start < end <= start + MAX_SENTENCE
            and not fenced
            and start >= unread_ends[bisect_right(unread_starts, start)]
        ):
            yield start, end


def _own_day(document: Document) -> str:
    """Return the day that a line of its own states at the head of a document, as letters and minutes have it."""
    made = _day(document.created_at)
    found = set()
    for line in document.text[:HEAD].split("\n")[:20]:
        if 5 < len(line) < 60 and may_state(line, document.language):
            plain, _ = fold_with_offsets(line.strip(" #*"))
            for time in times(plain, None, document.language):
                rest = re.sub(r"[^\W\d_]+day\b|[^\w]|date", "", plain[: time.start] + plain[time.end :])
                if time.precision == "day" and not rest:
                    found.add(time.period.first)
    if len(found) != 1:
        return ""
    (day,) = found
    return day.isoformat() if made is None or abs((day - made).days) < LATE else ""


def _period_of_heading(heading: str, document: Document) -> tuple[str, str, str, str] | None:
    """Return valid_at, invalid_at, precision and words of a heading that is a period, and nothing more."""
    if len(heading) > 60 or not may_state(heading, document.language):
        return None
    plain, _ = fold_with_offsets(heading)
    found = times(plain, None, document.language)
    if len(found) != 1 or found[0].form == "open":
        return None
    (time,) = found
    rest = re.sub(r"\b(?:season|campaign|the|in|from|early|late)\b|[^\w]", "", plain[: time.start] + plain[time.end :])
    if rest:
        return None
    first, last = time.period.first, time.period.last
    return first.isoformat(), day_after(last), time.precision, heading.strip()


def _asks(text: str) -> bool:
    """Tell whether a sentence is a question alone; one that tells first and then asks is none."""
    return text.rstrip("\"'”’)* ").endswith(("?", "？")) and bool(_ASKS.match(text))


@lru_cache(maxsize=1000)
def _day(stated: str) -> date | None:
    """Return the day of a time, None where it is not known to the day."""
    period: Period | None = period_of(stated) if len(stated) >= 10 else None
    return period.first if period else None


def _in_unit(units: Sequence[tuple[str, int, int]], start: int, end: int, at: int) -> tuple[str, int, int] | None:
    """Return the first unit that holds a sentence, else the part of it around `at`; units overlap."""
    last = bisect_right(units, at, key=lambda unit: unit[1])
    holding = [unit for unit in units[max(0, last - 3) : last] if unit[1] <= at < unit[2]]
    whole_in = [unit for unit in holding if unit[1] <= start and end <= unit[2]]
    if not holding:
        return None
    unit, first, behind = (whole_in or holding)[0]
    return unit, max(start, first), min(end, behind)


def _placed(text: str, offset: int, names: Sequence[TypedName]) -> list[tuple[int, int, str, str]]:
    """Return start, end, name and type of the first names in a sentence at `offset`, by their places in it."""
    at = bisect_right(names, (offset, ""))
    within = takewhile(lambda name: name.start < offset + len(text), names[at : at + MAX_NAMES])
    return [
        (name.start - offset, name.start - offset + len(name.name), name.name, name.type)
        for name in within
        if name.start - offset + len(name.name) <= len(text)
        and text[name.start - offset :][:2].casefold()
        == name.name[:2].casefold()  # a speaker is placed where he begins
    ]


def _of_stage(value: OneValue, time: Interval) -> Interval:
    """Return a time as that from which on it is so, or so no more, where that is what is said."""
    if time.kind == "plan" or value.stage not in ("begins", "ends") or not time.valid_at:
        return time
    spans = time.kind == "state" and time.polarity == "positive" and time.invalid_at  # "from 1923 to 1930"
    polarity = "negative" if value.stage == "ends" else "positive"
    return time if spans else time._replace(kind="state", polarity=polarity, invalid_at="")

"""Claims in a model's reply: the records of `replies.records`, each field in its place and clean."""

import re
from dataclasses import dataclass

from graphrag_lite.replies.records import FORMS, NOTHING, WORDS, clean_field, parse_records, unreadable
from graphrag_lite.text.dates import iso_period

NONE = "NONE"
BY_WORD = {word: status for status, words in WORDS["statuses"].items() for word in words.split()}
LONGEST_STATUS = 40  # characters; "TRUE (stated as a fact)"


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim, as a reply states it. Dates are ISO 8601 or ""; status is TRUE, FALSE or SUSPECTED."""

    subject: str
    object: str
    type: str
    status: str
    start_date: str
    end_date: str
    description: str
    source_text: str


def read_claims(text: str) -> tuple[list[Claim], int]:
    """Return the claims of a reply, in its order without repetitions, and how many records cannot be used.

    Raises ReplyError for a reply with no usable record, unless it says with the completion mark alone that there is
    nothing.

    >>> read_claims('("claim"<|>Scrooge<|>NONE<|>debt<|>TRUE<|>May 1843<|>NONE<|>He paid.<|>"he paid")')[0][0]
    ... # doctest: +NORMALIZE_WHITESPACE
    Claim(subject='Scrooge', object='NONE', type='DEBT', status='TRUE', start_date='1843-05', end_date='',
          description='He paid.', source_text='he paid')
    """
    found = parse_records(text, FORMS["claim"])
    read = [_claim([clean_field(field) for field in raw]) for _, *raw in found.rows]
    claims = list(dict.fromkeys(claim for claim in read if claim))
    n_dropped = len(found.dropped) + read.count(None)
    if not claims and not found.bare:
        form = '("claim"<|>subject<|>object<|>TYPE<|>status<|>start_date<|>end_date<|>description<|>source_text)'
        raise unreadable(n_dropped, form, "where the text makes no claim")
    return claims, n_dropped


def _claim(fields: list[str]) -> Claim | None:
    """Put the fields of a claim in their places, by its status where some are missing; None where it says nothing."""
    status_at = 3 if len(fields) >= 8 or _status("".join(fields[3:4])) else 0
    if not status_at:  # a type may begin with such a word: "false alarm"
        status_at = next((i for i, field in enumerate(fields[:6]) if i and field.strip(" .").casefold() in BY_WORD), 0)
    if not status_at:
        return None
    subject, kind = fields[0], fields[status_at - 1] if status_at > 1 else ""
    other = fields[1] if status_at > 2 else ""
    start, end, rest = _dates(fields[status_at + 1 :])
    description, source, *_ = [*rest, "", ""]
    if _is_nothing(subject) or (_is_nothing(description) and _is_nothing(source)):
        return None
    if subject.casefold() == "subject" and kind.casefold() == "type":  # the form itself, echoed
        return None
    description = source if _is_nothing(description) else description
    opened, closed = iso_period(start, end)
    for stated in dict.fromkeys((start, end)):
        if not opened and not closed and not _is_nothing(stated) and stated not in description:
            description = f"{description} ({stated})"  # no date of a calendar, but it was said
    return Claim(
        subject,
        NONE if _is_nothing(other) else other,
        NONE if _is_nothing(kind) else re.sub(r"[\s_]+", " ", kind).upper(),
        _status(fields[status_at]) or "SUSPECTED",
        opened,
        closed,
        description,
        "" if _is_nothing(source) else source,
    )


def _dates(fields: list[str]) -> tuple[str, str, list[str]]:
    """Return start, end and the fields after them; where fields are missing, those that are dates are the dates."""
    if len(fields) >= 4:
        return fields[0], fields[1], fields[2:]
    dates = 0
    while dates < min(2, len(fields) - 1) and (_is_nothing(fields[dates]) or any(iso_period(fields[dates], ""))):
        dates += 1
    start, end, *_ = [*fields[:dates], "", ""]
    return start, end, fields[dates:]


def _status(field: str) -> str:
    """Return the status that a field states, "" where it states none.

    >>> [_status(field) for field in ("true", "NOT TRUE", "Suspected.", "TRUE (stated)", "bribery")]
    ['TRUE', 'FALSE', 'SUSPECTED', 'TRUE', '']
    """
    words = re.findall(r"[a-z]+", field[:LONGEST_STATUS].casefold()) if len(field) <= LONGEST_STATUS else []
    if words[:1] == ["not"] and len(words) > 1 and BY_WORD.get(words[1]) == "TRUE":
        return "FALSE"
    return BY_WORD.get(words[0], "") if words else ""


def _is_nothing(field: str) -> bool:
    return field.strip("<>[](){}.* \t").casefold() in NOTHING

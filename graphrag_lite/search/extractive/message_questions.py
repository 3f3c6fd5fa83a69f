"""What a question about mails and chats says: who writes, to whom, and what about."""

import re
from collections.abc import Sequence, Set
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from graphrag_lite.retrieval.messages import IndexedMessage
from graphrag_lite.text.folding import fold, unaccented
from graphrag_lite.text.period import Period, period_of
from graphrag_lite.text.times import all_times
from graphrag_lite.text.word_lists import expressions
from graphrag_lite.text.words import UNSPACED

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question

LEAST_NAME = 3  # characters of a part of a name by which it is known
_FORMS = expressions(__package__, "message_questions.txt")
_QUESTION_WORDS = expressions("graphrag_lite.retrieval", "question_words.txt")
_OPENS = r"^\W*(?:\w+\s+)?"  # "To whom"; what asks within a sentence may be a relative clause
_WORD = r"[\w'’.@-]+"
_JOINED = re.compile(r"(?<=[a-z])(?=[A-Z])")  # "LiHua"
_FIRST, _LAST, _COPY = (re.compile(rf"(?<!\w)(?:{_FORMS[name]})(?!\w)", re.I) for name in ("first", "last", "copy"))
_BEFORE = {name: re.compile(rf"(?<!\w)(?:{_FORMS[name]})\s*(?:the\s+)?\Z", re.I) for name in ("to", "by", "about")}
_MESSAGES = re.compile(rf"(?<!\w)(?:{_FORMS['messages']})(?!\w)", re.I)
# "Who wrote last?", but not "last week" nor "the first draft".
_NEXT_WORD = re.compile(
    rf"\s+[^\W\d]+(?=\W*$|\s+(?:{_FORMS['to']}|{_FORMS['about']}|{_FORMS['by']}|that|dass|que)\b)", re.I
)
_ONE = re.compile(rf"(?<!\w)(?:{_FORMS['messages']}|{_FORMS['one']})(?!\w)", re.I)
_OURSELVES = re.compile(rf"(?<!\w)(?:{_FORMS['ourselves']})(?!\w)")
_OF_A_MESSAGE = re.compile(rf"['’]s?\s+(?:\w+\s+){{0,2}}?(?:{_FORMS['messages']})(?!\w)", re.I)
_RECEIVED, _ASKS, _SUBJECT = (re.compile(_FORMS[name], re.I) for name in ("received", "asked", "subject"))
_UNSPACED = re.compile(rf"(?:{_QUESTION_WORDS['any person']}|{_QUESTION_WORDS['any time']}).*?({_FORMS['any wrote']})")
_ASKING = re.compile(rf"{_QUESTION_WORDS['any person']}|{_QUESTION_WORDS['any time']}|\S*")
_DATE_OF = re.compile(_FORMS["date of"], re.I)


class MessageQuestion(NamedTuple):
    """What a question about messages says: `by` and `to` are who they are of and to, `about` its other words.

    `order` is 1 where it asks for the first one, -1 for the last; `asks`: for who asks something, `whom`: for who is
    spoken to, `one`: for a mail or patch, which a title names. Where it has `periods`, messages of these are asked for.
    """

    by: frozenset[str]
    to: frozenset[str]
    about: str
    order: int
    asks: bool
    whom: bool
    one: bool
    periods: Sequence[Period] = ()

    def fits(self, one: IndexedMessage, speakers: Set[str]) -> bool:
        """Say whether a message is by and to whom is asked; one that names nobody is to the other `speakers`."""
        to = {*one.to, *one.cc, one.answers} - {""} or speakers - {one.speaker}
        is_between = (not self.by or one.speaker in self.by) and (not self.to or not self.to.isdisjoint(to))
        return is_between and (not self.periods or any(_is_within(one.time, period) for period in self.periods))


def _is_within(time: str, period: Period) -> bool:
    days = period_of(time[:10])
    return days is not None and period.first <= days.first and days.last <= period.last


@cache
def _forms_of(language: str) -> list[re.Pattern[str]]:
    """Return the forms of questions in a language for who says something, when, what, and for messages.

    >>> [bool(form.search("Who first complained that it leaks?")) for form in _forms_of("en")][:2]
    [True, False]
    """
    verb = "|".join(filter(None, (_FORMS.get(f"{language} wrote"), _FORMS["received"])))
    who, when = (_QUESTION_WORDS.get(f"{language} {kind}", "(?!)") for kind in ("person", "time"))
    what, of_whom = _FORMS.get(f"{language} what", "(?!)"), rf"(?:{_FORMS['by']}|{_FORMS['to']})\b"
    found = [
        rf"{_OPENS}(?:{who})(?:\s+(?!(?:{_FORMS['passive']})\s){_WORD}){{0,3}}?\s+({verb})(?!\w)",
        rf"{_OPENS}(?:{when})(?!\s+(?:{_FORMS['present']})\b)(?:\s+{_WORD}){{0,8}}?\s+({verb})(?!\w)",
        rf"{_OPENS}(?:{who})\s+(?:{_WORD}\s+){{0,4}}?(?:{_FORMS['messages']})\s+(?:{_FORMS['by']})\b()",
        rf"^\W*(?:{what})(?:\s+{_WORD}){{0,4}}?\s+({verb})(?!\w)",
        rf"^\W*(?:{_FORMS['list']})\s+(?:{_WORD}\s+){{0,3}}?(?:{_FORMS['messages']})\b"
        rf"(?:\s+{of_whom}|.*?(?<!\w)({verb})(?!\w))",
    ]
    if language in _FORMS["verb last"].split():
        found.append(rf"(?<!\w)(?:{who}|{when}|{what})\s[^,;:]*(?<!\w)({verb})(?=\W*$|,)")
    return [re.compile(form, re.I) for form in found]


def message_request(question: "Question") -> re.Match[str] | None:
    """Return the words of a question by which it asks for messages: who wrote, when, what, or which there are."""
    text = question.text
    forms = [*_forms_of(question.language or "en"), _UNSPACED, _DATE_OF]
    forms += [_COPY] if question.kind == "person" else []
    found = next(filter(None, (form.search(text) for form in forms)), None)
    if found is None or _OURSELVES.search(found[0]):
        return None
    received = found.re.groups and found[1] and _RECEIVED.fullmatch(found[1])
    return None if received and not _MESSAGES.search(text) else found  # "Who got the cello?"


def read_question(question: "Question", form: re.Match[str], known: Set[str]) -> MessageQuestion:
    """Tell who of those whom a question names writes, and to whom; all others are what it is about."""
    text, verb = question.text, form.span(1) if form.re.groups else (-1, -1)
    passive = _RECEIVED.fullmatch(text[slice(*verb)]) is not None
    subject = question.language in _FORMS["verb last"].split() and _SUBJECT.match(form[0])
    by, to = set[str](), set[str]()
    left = [verb, *(one.span() for one in (*_MESSAGES.finditer(text), *_COPY.finditer(text)))]
    left += [one.span() for one in (_ASKING.match(text, form.start()),) if one]
    for start, end, who in _named(text, known):
        before, whose = text[:start], _OF_A_MESSAGE.match(text, end)
        if _BEFORE["about"].search(before) and not whose:
            continue
        behind = start >= verb[1] >= 0 and not text[verb[1] : start].strip()
        if behind and not by and not passive and question.kind != "person":  # "quand a écrit Ann"
            by |= who
        elif _BEFORE["to"].search(before) or (behind and not passive):
            to |= who
        elif _BEFORE["by"].search(before) or whose:
            by |= who
        elif end <= verb[0]:  # "did Ann write", "hat Ann Bo geschrieben"
            (to if by or passive or subject else by).update(who)
        else:
            continue
        left.append((start, end))
    near = form[0] + (_NEXT_WORD.match(text, form.end()) or [""])[0]
    order = 1 if _FIRST.search(near) else -1 if _LAST.search(near) else 0
    about = "".join(" " if any(start <= at < end for start, end in left) else letter for at, letter in enumerate(text))
    about = _LAST.sub(" ", _FIRST.sub(" ", about)) if order else about
    asks, whom = _ASKS.fullmatch(text, *verb) is not None, question.kind == "person" and bool(by)
    return MessageQuestion(frozenset(by), frozenset(to), about, order, asks, whom, _ONE.search(text) is not None)


def _named(text: str, known: Set[str]) -> list[tuple[int, int, frozenset[str]]]:
    """Return where a text names somebody, by the whole name or a part of it, and whom it may mean.

    >>> _named("When did Ann Lee write to Cyd?", {"Ann Lee", "Ann Ray", "CydPark"})
    [(9, 16, frozenset({'Ann Lee'})), (26, 29, frozenset({'CydPark'}))]
    """
    found: dict[tuple[int, int], set[str]] = {}
    for name in known:
        parts = _JOINED.sub(" ", name).split()
        whole = {name, " ".join(parts)}
        for form in {*whole, *(part for part in parts if len(part) >= LEAST_NAME and not part.islower())}:
            pattern = re.escape(form) if UNSPACED.search(form) else rf"(?<!\w){re.escape(form)}(?!\w)"
            for one in re.finditer(pattern, text, re.I if form in whole else 0):
                if not one[0].islower() or form in whole:
                    found.setdefault(one.span(), set()).add(name)
    spans = sorted(found, key=lambda span: (span[0], -span[1]))
    selected = list[tuple[int, int]]()
    for span in spans:
        if not selected or span[0] >= selected[-1][1]:
            selected.append(span)
    return [(*span, frozenset(found[span])) for span in selected]


def terms_of_times(question: "Question") -> set[str]:
    """Return the terms by which a question says when."""
    plain = " ".join(unaccented(fold(question.text)).split())
    found = all_times(plain, question.now, question.language or "en", in_question=True)
    return {term for time in found for term in question.terms_of(plain[time.start : time.end])}

"""The sentences of a text unit as candidates of an answer: what each says of the question, and what it is worth."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from math import fsum
from typing import TYPE_CHECKING

from graphrag_lite.retrieval.question_kinds import question_kind
from graphrag_lite.search.answer import Statement
from graphrag_lite.search.extractive.announced import end_of_list
from graphrag_lite.search.extractive.answer_type import DENIED, Sought
from graphrag_lite.search.extractive.definitions import defines, is_about
from graphrag_lite.search.extractive.headings import HEADING, Headings, is_within
from graphrag_lite.search.extractive.labelled_values import CELLS, is_labelled, matches_label, of_columns
from graphrag_lite.search.extractive.read_unit import MAX_LENGTH, ReadUnit, is_in, read_unit
from graphrag_lite.text.sentences import is_statement
from graphrag_lite.text.transcripts import LABEL, LABELLED_LINE, is_head, speaker_of, speakers
from graphrag_lite.text.word_lists import expressions
from graphrag_lite.text.words import UNSPACED, terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

MIN_FRAGMENT = 25  # characters; a shorter one is a heading
DENSE = 2  # characters of another script that one of a script without spaces says as much as
MAX_HEADING = 120  # characters of a line that is a heading; what is longer is a text that lost its lines
# Tried at a few other values on nine sets: the mean of answers held moved by 2 points, single sets by up to 11.
AROUND = 0.5  # what a term counts that is in the title or in the sentence before
# What a sentence of the best text unit is worth that shares no term: more where a document is about one thing by name,
# because a hop leads there ("the director of the film": "She was born in Oslo.").
FLOOR, NAMED_FLOOR = 0.1, 0.2
HELD = 0.5  # more for a sentence that tells of something that held in the period asked about
CUE, DATED = 0.75, 3.0  # more for a sentence that holds what is asked for; a date
# Of the question's weight: a question that holds so much is the one asked; one of a talk that asks for the same kind.
SAME, SAME_KIND = 0.8, 0.6
MAX_NEW_TERMS = 3  # terms that the question of a talk may have beside those asked
ADJACENT = 0.5  # more for a sentence in which all terms stand together that the question has side by side
COUNTED = 3.0  # more for a sentence that counts what "how many" asks about
CELL = 3.0  # more for a cell of a row of which the question says the label, and not the value
AS_WRITTEN = 0.35  # more for one with all words of the question in the very form
DEFINED = 5.0  # more for one that says what a thing is, where that is asked
INTRODUCED = 3.0  # more for the first sentence below the name of that thing, or behind the very question
# What a question counts, where a kind of thing is asked for, an entry of a bibliography, what announces a finding, and
# what denies the fact of which more is asked.
UNFIT = 0.5
REASONED = 0.05  # more for one that gives a reason, where that is asked: of two that fit as well
STATED = 1.0  # more for one that states the amount that is asked for
CODE = 0.3  # what a line of code counts, which shows what others say, and a legal notice
_FORMS = expressions(__package__, "sentence_choice.txt")
REFERENCE, ANNOUNCES = re.compile(_FORMS["reference"]), re.compile(_FORMS["announces"], re.I)
ASKS_INDIRECTLY, REASON = re.compile(_FORMS["asked"], re.I), re.compile(_FORMS["reason"], re.I)
MYSELF = re.compile(_FORMS["first person"])
REFERS = re.compile(_FORMS["refers"], re.I)
WHY, ANYONE = re.compile(_FORMS["why"], re.I), re.compile(_FORMS["anyone"], re.I)
NONE = frozenset[str]()
_BLANK = re.compile(r"\s*\n")
ITEM = re.compile(r"\n?[-*•] ")
_JOINED = re.compile(r"(?<=[a-z])(?=[A-Z])")  # "LiHua"
ASKS = re.compile(r"(?:[?？؟]|[すた]か。?)[\"'”’»)\]」』]*$")
ASKING_WORDS = frozenset(("ask", "asks", "asked"))


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a sentence is to hold: terms of the question, pairs of them side by side, the kind of thing asked for."""

    terms: frozenset[str]
    weight: Mapping[str, float]  # of all terms that ask
    pairs: Mapping[tuple[str, str], float]  # their weights, adding up to 1
    sought: Sought

    def is_same(self, own: Set[str], *, of_kind: bool = False) -> bool:
        """Say whether a question of such terms is the one asked: what follows it answers. `of_kind`: it asks alike."""
        shared = fsum(weight for term, weight in self.weight.items() if term in own)
        least = SAME_KIND if of_kind else SAME
        return (of_kind or len(self.weight) > 1) and shared >= least * fsum(self.weight.values())

    def asks_alike(self, question: str, language: str) -> bool:
        """Say whether a question of a talk asks for the kind of thing that is asked for, or whether anyone knows."""
        kind = self.sought.kind
        to_all = kind in ("person", "location") and ANYONE.search(question)
        return bool(
            to_all or (WHY.search(question) if self.sought.why else question_kind(question, language) == kind != "")
        )

    def heading_for(
        self, index: "SnapshotView", over: Headings, sentence: str, own: Set[str], term: str, *, fragment: bool
    ) -> str:
        """Return what stands over a sentence and is told with it; "" for nothing.

        That says when, or in which version, is the `term` that it explains, or is over its list.
        `own` are its terms that no heading has: without one asked for, it tells nothing of what is asked.
        """

        def is_held(text: str) -> bool:
            return self.sought.is_held(index, text, over.language)

        asks = self.sought.kind in ("time", "version", "code") and not self.terms.isdisjoint(own)
        heading = over.that_holds(is_held) if asks and not is_held(sentence) else ""
        return heading or term or (over.nearest() if fragment and ITEM.match(sentence) else "")

    def worth(self, index: "SnapshotView", text: str, own: Sequence[str], language: str) -> float:
        """Return what it is worth that a sentence has such terms in such an order, and says what kind of thing."""
        together = fsum(self.pairs.get(pair, 0.0) for pair in set(pairwise(own)))
        worth = 1 + ADJACENT * together
        if not self.terms.isdisjoint(own):
            worth *= (1 + AS_WRITTEN * self.sought.shares_words(text)) * (UNFIT if REFERENCE.search(text) else 1.0)
        if self.sought.is_held(index, text, language):
            worth *= 1 + (DATED if self.sought.kind == "time" else CUE)
            if self.sought.how_many and self.sought.counts(
                text, self.sought.counted & self.terms or self.terms, language
            ):
                worth *= 1 + COUNTED
        if ANNOUNCES.search(text) or (ASKS_INDIRECTLY.search(text) and self.sought.words.isdisjoint(ASKING_WORDS)):
            worth *= UNFIT
        if self.sought.affirms and not self.terms.isdisjoint(terms(" ".join(DENIED.findall(text)), language)):
            worth *= UNFIT
        states = self.sought.states_amount(text)
        worth *= UNFIT if states is None else 1 + states * STATED
        if self.sought.why and REASON.search(text):
            worth *= 1 + REASONED
        if self.sought.is_defined(text):
            worth *= 1 + DEFINED
        return worth


@dataclass(frozen=True, slots=True)
class SentenceCandidate:
    """A sentence, and what it is worth: `worth` times how much of the question it and what stands around it hold."""

    statement: Statement
    terms: frozenset[str]
    around: frozenset[str]  # the question's terms in the title and the sentence before
    worth: float
    floor: float
    begins: bool  # it tells of what begins with a period asked about

    def value(self, left: Mapping[str, float], whole: float) -> float:
        """Return what it is worth where terms of the question weigh what is `left` of them, of `whole`."""
        # fsum: a sum that does not depend on the order of a set
        match = fsum(left[t] for t in self.terms & left.keys()) + AROUND * fsum(left[t] for t in self.around)
        return self.worth * (match / whole + self.floor)


def candidates_in(
    index: "SnapshotView", unit: int, score: float, wanted: Wanted, held: Mapping[int, tuple[float, bool]]
) -> Iterator[SentenceCandidate]:
    """Yield the sentences of a text unit that may be told. `held` is by where what held begins (`choose_sentences`)."""
    read, wanted_terms = read_unit(index, unit), wanted.terms
    things = () if defines(read.text, wanted.sought.things) else wanted.sought.things
    title = wanted_terms.intersection(terms(read.title, read.language))
    over = Headings(read.document, read.language, read.blocks["code"])
    named = read.offset == 0 and is_about(read.title, things)
    # The head of a mail says who sent it, not who did what the mail tells of.
    of_rows = (
        NONE if read.is_mail and not title >= wanted_terms.intersection(terms(read.text, read.language)) else title
    )
    head = " ".join(read.document[start:end] for start, end in read.blocks["head"])
    of_head = wanted_terms.intersection(terms(head, read.language))
    walk = _Walk(index, read, wanted, score, title, of_rows, introduced=named, marked=named, of_head=of_head)
    for line, start, end in read.sentences():
        if wanted.sought.within is not None and not wanted.sought.within(unit, start):
            continue
        if over.go_to(start):
            walk.headed = wanted_terms & ((own := over.terms()) | wanted.sought.in_other_words("", own))
        sentence = read.document[start:end]
        names_it, hashed = is_about(sentence, things), sentence.startswith("#")
        if names_it or hashed or _is_of_heading(read.document, start):
            if not is_within(read.blocks["code"], start):
                walk.introduced, walk.marked = walk.introduced or names_it, hashed
                walk.put = wanted_terms.intersection(terms(sentence, read.language)) if ASKS.search(sentence) else NONE
                walk.introduced |= bool(walk.put) and wanted.is_same(walk.put)
                yield from _of_heading(index, unit, start, score, wanted, title | walk.headed)
        elif one := walk.sentence(line, start, end, over.term()):
            times = [time for at, time in held.items() if line <= at < end]
            yield walk.candidate(one, over, times)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence that may be told, with its terms, and how it asks, if it does."""

    line: int  # where it begins with its label
    start: int
    end: int
    text: str
    in_order: Sequence[str]
    own: frozenset[str]  # its terms, and those that it says in other words
    fragment: bool
    of_row: bool
    labelled: bool  # it says a value that is asked for by its label: "Default: 60"
    replies: bool  # it stands right below the question that is asked
    asks: bool
    same: bool  # it is the question that is asked


@dataclass(slots=True)
class _Walk:
    """The reading of a text unit, sentence by sentence: what was read before one decides what it is worth."""

    index: "SnapshotView"
    read: ReadUnit
    wanted: Wanted
    score: float
    title: frozenset[str]  # terms asked for
    title_of_rows: frozenset[str]  # those that a cell stands below
    introduced: bool  # what is asked about was just named, or asked
    marked: bool  # ... by a heading
    headed: frozenset[str] = NONE  # terms asked for of the headings over the sentence
    before: frozenset[str] = NONE  # terms asked for of the sentence before
    put: frozenset[str] = NONE  # those of the heading right over the sentence, which is a question
    of_head: frozenset[str] = NONE  # those of what the head of the document says of it

    def sentence(self, line: int, start: int, end: int, term: str) -> _Sentence | None:
        """Return a sentence, if it may be told: no question that is answered by what is next, and not too short.

        `term` is what it says the meaning of, below it; "" for nothing.
        """
        read, wanted, wanted_terms = self.read, self.wanted, self.wanted.terms
        document, language, text = read.document, read.language, read.document[start:end]
        fragment, of_row = not is_statement(text), is_in(read.blocks["card"], start)
        own = frozenset(in_order := terms(text, language))
        asks = not wanted.sought.within and ASKS.search(text, max(0, len(text) - 4)) is not None
        same, own, put_to = (
            _compare_question(document, start, end, own, language, wanted)
            if asks and not REFERS.match(text)
            else (False, own, NONE)
        )
        if same and not (speakers(document) or label_behind(document, start, end)):  # a talk's is told with its reply
            self.introduced = True
            return None
        explains = (
            bool(term) and not wanted_terms.isdisjoint(terms(term, language)) and not wanted_terms.issuperset(own)
        )
        labelled = not of_row and self._states_value(text)
        replies = bool(self.put) and wanted.is_same(self.put)
        too_short = fragment and not (labelled or same or explains or replies)
        too_short = too_short and _is_too_short(text, document, own, wanted_terms)
        if not of_row and (too_short or (fragment and is_head(document, start, end))):
            self.introduced = self.introduced and self.marked  # the next name of a list
            self.before = own & wanted_terms if asks else self.before  # a short question, whose reply is next
            return None
        own |= (wanted.sought.in_other_words(text, own) & wanted_terms) | put_to
        if of_row and fragment and self._is_idle_cell(text, own):
            return None
        return _Sentence(line, start, end, text, in_order, own, fragment, of_row, labelled, replies, asks, same)

    def candidate(self, one: _Sentence, over: Headings, times: Sequence[tuple[float, bool]]) -> SentenceCandidate:
        """Return a sentence as a candidate. `times`: how well what it tells of held, and whether it began, as asked."""
        read, wanted, wanted_terms = self.read, self.wanted, self.wanted.terms
        document, language, own = read.document, read.language, one.own
        columns = of_columns(document, one.start, wanted_terms, language) if CELLS in one.text else NONE
        label = document[one.line : one.start].strip()
        own, self.put = own | self.put, NONE
        if term := over.term():
            own |= wanted_terms.intersection(terms(term, language))
        heading = wanted.heading_for(self.index, over, one.text, own - self.headed, term, fragment=one.fragment)
        # what repeats the question is no answer
        n_new = len(own - wanted_terms) or len({*terms(heading, language)} - wanted_terms)
        worth = wanted.worth(self.index, f"{heading} {label} {one.text}", one.in_order, language)
        worth *= self.score * (n_new + 0.1) / (n_new + 1)
        worth *= 1 + HELD * max((fit for fit, _ in times), default=0)
        by_label = (one.labelled or (one.of_row and one.fragment)) and matches_label(one.text, language, wanted)
        worth *= 1 + CELL * (by_label or bool(columns and own & wanted_terms))
        shows = any(first <= one.start and one.end <= last for first, last in read.shown)
        listed = (one.fragment and not one.replies) or ITEM.match(document, max(0, one.start - 2))
        if self.introduced and not listed and not shows:
            worth, self.introduced = worth * (1 + INTRODUCED), False
            self.before |= wanted_terms
        worth *= _as_question(own, wanted, asks=one.asks, same=one.same)
        worth *= CODE if shows else 1.0
        writer = read.sender(one.start)
        known = wanted_terms & _terms_of_name(label or writer or speaker_of(document, one.start), language)
        speaker = "" if known else _answering_speaker(self.index, one.text, language, label, writer, wanted.sought)
        worth *= 1 + CUE * bool(speaker and MYSELF.search(one.text))
        before = NONE if term else self.before  # what another term means
        around, own = self.title | self.headed | columns | before, own | known
        if is_in(read.blocks["head"], one.start) and not read.is_mail:
            around |= self.of_head
        self.before = own & wanted_terms
        floor = NAMED_FLOOR if read.subject else FLOOR
        statement = Statement(read.unit, one.start, one.end, speaker or heading)
        return SentenceCandidate(statement, own, around - own, worth, floor, any(begins for _, begins in times))

    def _states_value(self, text: str) -> bool:
        """Say whether a short line says a value by its label, below a heading that names what it is of."""
        over = (self.headed | self.title).difference(terms(text.partition(":")[0], self.read.language))
        labelled = bool(over) and is_labelled(text) and not speakers(self.read.document)
        return labelled and matches_label(text, self.read.language, self.wanted)

    def _is_idle_cell(self, cell: str, own: Set[str]) -> bool:
        """Say whether a cell says nothing asked for: "Created: 2026-03-16", or "Key: SUP-12", which is asked about."""
        value = terms(cell.partition(":")[2], self.read.language)
        asks = own & self.wanted.terms or (self.wanted.sought.kind and self.title_of_rows)
        return self.wanted.terms.issuperset(value) or not asks


def _answering_speaker(
    index: "SnapshotView", sentence: str, language: str, label: str, writer: str, sought: Sought
) -> str:
    """Return who answers "Who ...?" by a sentence: its label, or who wrote the mail, if it says "I" or names nobody."""
    if sought.kind != "person" or label.endswith((":", "：")):
        return label.rstrip(":： ") if sought.kind == "person" else ""
    of_writer = writer and (MYSELF.search(sentence) or not sought.names_any(index, sentence, language))
    return writer if of_writer else ""


def _of_heading(
    index: "SnapshotView", unit: int, position: int, score: float, wanted: Wanted, around: frozenset[str]
) -> Iterator[SentenceCandidate]:
    """Yield the heading at a place, if it holds the time asked for, and the list right below it, if it names that."""
    document, language = index.document_of(unit)
    if (mark := HEADING.match(document, position)) is None:
        return
    span, heading = mark.span(2), mark[2]
    own = frozenset(in_order := terms(heading, language))
    if own.isdisjoint(wanted.terms):
        return
    if wanted.sought.kind == "time" and wanted.sought.is_held(index, heading, language):
        worth = score * wanted.worth(index, heading, in_order, language)
        yield SentenceCandidate(Statement(unit, *span), own, around - own, worth, 0.0, False)
    begin = document.find("\n", span[1])
    end = end_of_list(document, begin, begin + MAX_LENGTH) if begin >= 0 else begin
    if end > begin:
        items = document[begin:end]
        start = end - len(items.lstrip())
        worth = score * wanted.worth(index, items, terms(items, language), language)
        worth *= 1 + INTRODUCED * wanted.is_same(own | around)
        named = (own & wanted.terms) | around | (frozenset(terms(items, language)) - wanted.terms)
        yield SentenceCandidate(Statement(unit, start, end, heading), named, NONE, worth, 0.0, False)


def _is_of_heading(document: str, position: int) -> bool:
    """Say whether what stands at a place is part of a heading: "## 8.5. How is it done?" are two sentences."""
    start = document.rfind("\n", max(0, position - MAX_HEADING - 1), position) + 1
    return document.startswith("#", start) and document.find("\n", position, start + MAX_HEADING + 1) >= 0


def _as_question(own: Set[str], wanted: Wanted, *, asks: bool, same: bool) -> float:
    """Return what a sentence counts as one that asks: the question itself and little more leads to its reply."""
    if same and len(own - wanted.terms) <= max(MAX_NEW_TERMS, len(own) // 2):
        return 1 + INTRODUCED
    return UNFIT if asks and (wanted.sought.kind or wanted.sought.things) else 1.0


def _is_too_short(sentence: str, document: str, own: Set[str], wanted_terms: Set[str]) -> bool:
    """Say whether a fragment says too little.

    A message without a full stop, which is all of its document, does not, nor an item of a list that says two words of
    the question, or nothing else.
    """
    if own and ITEM.match(sentence) and (len(own & wanted_terms) > 1 or own <= wanted_terms):
        return False
    length = len(sentence) * (DENSE if UNSPACED.search(sentence) else 1)
    return length < MIN_FRAGMENT and not (sentence == document.strip() and 1 < len(own - wanted_terms) < len(own))


def _compare_question(
    document: str, start: int, end: int, own: frozenset[str], language: str, wanted: Wanted
) -> tuple[bool, frozenset[str], frozenset[str]]:
    """Return whether a question is the one asked, its terms without who asks, and those that name who replies."""
    reply = label_behind(document, start, end)
    if reply and (speaker := LABEL.match(document, start, end)):  # all that somebody says in a chat
        own = frozenset(terms(document[speaker.end() : end], language))
    if not reply or not wanted.asks_alike(document[start:end], language):
        return wanted.is_same(own), own, NONE
    put_to = wanted.terms & _terms_of_name(reply[1], language)
    same = wanted.is_same(own | put_to, of_kind=True)
    return same, own, put_to if same else NONE


def label_behind(document: str, start: int, end: int) -> re.Match[str] | None:
    """Return the label of the line behind the sentence [start, end), where another speaks there than in its own."""
    blank = _BLANK.match(document, end)
    own = LABELLED_LINE.match(document, document.rfind("\n", 0, start))
    behind = LABELLED_LINE.match(document, blank.end() - 1) if blank else None
    return behind if behind and not (own and own[1] == behind[1]) else None


def _terms_of_name(name: str, language: str) -> frozenset[str]:
    return frozenset(terms(f"{name} {_JOINED.sub(' ', name)}", language))

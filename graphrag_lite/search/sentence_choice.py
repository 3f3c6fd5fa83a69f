"""Choose the sentences of some text units that answer a question best.

A sentence is worth how much of the question it and what stands around it hold, in a good text unit, more where it says
the kind of thing that is asked for. One after the other is chosen, and what has been said counts less for those after
it (maximal marginal relevance: Carbonell and Goldstein, SIGIR 1998; here by terms, as in Lin and Bilmes, ACL 2011).
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from math import fsum, isnan
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING

from graphrag_lite.evidence.distinct_sentences import cheapest_first, says_the_same
from graphrag_lite.retrieval.abstention import term_idf
from graphrag_lite.retrieval.entity_names import names_of_title
from graphrag_lite.search.answer import Statement, blocks_of, subject_of
from graphrag_lite.search.answer_type import DENIED, Sought
from graphrag_lite.search.definitions import defines, is_about
from graphrag_lite.text.sentences import is_statement, sentences
from graphrag_lite.text.transcripts import LEAST_TERMS, asks_on, is_head, speaker_of, speakers, spoken_span
from graphrag_lite.text.word_lists import expressions
from graphrag_lite.text.words import UNSPACED, terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

MIN_FRAGMENT, MAX_LENGTH = 25, 600  # characters; a shorter fragment is a heading, what is longer is no sentence
DENSE = 2  # characters of another script that one of a script without spaces says as much as
MAX_HEADING = 120  # characters of a line that is a heading; what is longer is a text that lost its lines
MAX_ANSWER = 1500  # characters; of this length and a sentence an answer is read in a minute
ENOUGH = 0.07  # of the best sentence's value: what has less is left out
# Tried at a few other values on nine sets: the mean of answers held moved by 2 points, single sets by up to 11.
AROUND = 0.5  # what a term counts that is in the title or in the sentence before
# What a sentence of the best text unit is worth that shares no term: more where a document is about one thing by name,
# because a hop leads there ("the director of the film": "She was born in Oslo.").
FLOOR, NAMED_FLOOR = 0.1, 0.2
SAID = 0.5  # what a term counts once it has been said
SAME_UNIT = 0.85  # what the next sentence of a text unit counts
HELD = 0.5  # more for a sentence that tells of something that held in the period asked about
# Times what a sentence is worth as the first one that tells of what begins where the period asked about does: who asks
# of 1921 to 1930 asks of what held then, and texts tell the beginning of that. Fitted, and tried on pages left out.
BEGUN = 2.0
CUE, DATED = 0.75, 3.0  # more for a sentence that holds what is asked for; a date
QUANTIFIERS = frozenset({"many", "mani", "much"})  # terms that ask for a number, and count nothing
SAME = 0.8  # of the question's weight: a question that holds so much is the one asked
SAYING = frozenset(("say", "said", "tell", "told", "think", "explain", "announc", "report"))
THANKS = 0.5  # what a turn of a talk counts that says nothing
ADJACENT = 0.5  # more for a sentence in which all terms stand together that the question has side by side
COUNTED = 3.0  # more for a sentence that counts what "how many" asks about
CELL = 3.0  # more for a cell of a row of which the question says the label, and not the value
AS_WRITTEN = 0.35  # more for one with all words of the question in the very form
DEFINED = 5.0  # more for one that says what a thing is, where that is asked
INTRODUCED = 3.0  # more for the first sentence below the name of that thing, or behind the very question
# Times what a sentence is worth whose document is about what the best sentence names, where it holds this share of what
# that one leaves open: when the director of a film was born is told by the text about her.
HOP, HOP_SHARE = 12.0, 0.35
# What a question counts, where a kind of thing is asked for, an entry of a bibliography, what announces a finding, and
# what denies the fact of which more is asked.
UNFIT = 0.5
CODE = 0.3  # what a line of code counts, which shows what others say, and a legal notice
# What repeats this share of "Why did it sink?" says that it sank; one of so many sentences behind it may say why.
REPEATED, REASON_WITHIN = 0.5, 2
_FORMS = expressions(__package__, "sentence_choice.txt")
REASON = re.compile(_FORMS["reason"], re.I)
REFERENCE, ANNOUNCES = re.compile(_FORMS["reference"]), re.compile(_FORMS["announces"], re.I)
ASKED = re.compile(_FORMS["asked"], re.I)
DATELINE = re.compile(_FORMS["dateline"])
_LINE = re.compile(r".+\n?")
ITEM = re.compile(r"\n?[-*•] ")
_JOINED = re.compile(r"(?<=[a-z])(?=[A-Z])")  # "LiHua"
ASKS = re.compile(r"(?:[?？؟]|[すた]か。?)[\"'”’»)\]」』]*$")
ASKING_WORDS = frozenset(("ask", "asks", "asked"))
NEAR = 0.8  # of the best sentence's value: where each document may tell anew, the newest of these is first
LEAST_NAME = 4  # characters of a name that leads to the document with this title
NOTHING_ELSE = Sought()


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a sentence is to hold: terms of the question, pairs of them side by side, the kind of thing asked for."""

    terms: frozenset[str]
    weight: Mapping[str, float]  # of all terms that ask
    pairs: Mapping[tuple[str, str], float]  # their weights, adding up to 1
    sought: Sought

    def is_same(self, own: Set[str]) -> bool:
        """Say whether a question of such terms is the one asked: what follows it answers."""
        asked = fsum(weight for term, weight in self.weight.items() if term in own)
        return len(self.weight) > 1 and asked >= SAME * fsum(self.weight.values())

    def worth(self, index: "SnapshotView", said: str, own: Sequence[str], language: str) -> float:
        """Return what it is worth that a sentence has such terms in such an order, and says what kind of thing."""
        together = fsum(self.pairs.get(pair, 0.0) for pair in set(pairwise(own)))
        worth = 1 + ADJACENT * together
        if not self.terms.isdisjoint(own):
            worth *= (1 + AS_WRITTEN * self.sought.shares_words(said)) * (UNFIT if REFERENCE.search(said) else 1.0)
        if self.sought.is_held(index, said, language):
            worth *= 1 + (DATED if self.sought.kind == "time" else CUE)
            if self.sought.how_many and self.sought.counts(said, self.terms, language):
                worth *= 1 + COUNTED
        if ANNOUNCES.search(said) or (ASKED.search(said) and self.sought.words.isdisjoint(ASKING_WORDS)):
            worth *= UNFIT
        if self.sought.affirms and not self.terms.isdisjoint(terms(" ".join(DENIED.findall(said)), language)):
            worth *= UNFIT
        if self.sought.is_defined(said):
            worth *= 1 + DEFINED
        return worth


def _side_by_side(
    question_terms: Sequence[str], weight: Mapping[str, float], asked: Collection[str]
) -> dict[tuple[str, str], float]:
    """Return the pairs of terms that follow each other in a question, with their shares of the weight of all."""
    pairs = dict.fromkeys(pairwise(term for term in question_terms if term in asked))
    whole = sum(weight[one] + weight[other] for one, other in pairs)
    return {pair: (weight[pair[0]] + weight[pair[1]]) / whole for pair in pairs}


@dataclass(frozen=True, slots=True)
class _Candidate:
    place: Statement
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


def choose_sentences(
    index: "SnapshotView",
    question_terms: Sequence[str],
    units: Sequence[int],
    most: int,
    told: Sequence[Statement] = (),
    *,
    scores: Sequence[float] = (),
    sought: Sought = NOTHING_ELSE,
    held: Mapping[int, Mapping[int, tuple[float, bool]]] = MappingProxyType({}),
) -> list[Statement]:
    """Return up to `most` sentences of `units` (best first), best first, of MAX_ANSWER characters and one sentence.

    `scores` are those of the units (by default they fall with the rank), `sought` is what is asked for, `held` how well
    what begins at a character of a unit's document held in the periods asked about, and whether it began with them.
    What another chosen (or `told`) sentence says is left out. None where neither a sentence nor a title shares a
    term with the question.
    """
    idle = QUANTIFIERS | (SAYING if sought.said else frozenset())
    weight = {term: each for term, each in term_idf(index.bm25, question_terms).items() if term not in idle}
    whole = sum(weight.values())
    scores = scores or [(2.0 + rank) ** -0.5 for rank in range(len(units))]
    top = max(scores, default=0.0)
    asked = frozenset(term for term in weight if index.bm25.holds(term) or sought.may_be_told(term, index.bm25))
    wanted = _Wanted(asked, weight, _side_by_side(question_terms, weight, asked), sought)
    candidates = [
        candidate
        for unit, score in zip(units, scores, strict=True)
        for candidate in _candidates(index, unit, score / top, wanted, held.get(unit, {}))
    ]
    if not any((candidate.terms | candidate.around) & asked for candidate in candidates):
        return []
    left = {term: weight[term] for term in asked}
    values = [candidate.value(left, whole) for candidate in candidates]
    begun = [value * (BEGUN if one.begins else 1.0) for value, one in zip(values, candidates, strict=True)]
    best = max(range(len(candidates)), key=begun.__getitem__)
    if candidates[best].begins:
        candidates[best] = replace(candidates[best], worth=candidates[best].worth * BEGUN)
    if sought.why:
        candidates = _reason_first(index, candidates, left, whole)
    candidates = _hopped(index, candidates, candidates[best], left)
    if sought.newest:
        candidates = _newest_first(index, candidates, [one.value(left, whole) for one in candidates], asked)
    said = [read_out(index, place) for place in told]
    return _one_by_one(candidates, left, whole, ENOUGH * values[best], most, said)


def _one_by_one(
    candidates: Sequence[_Candidate],
    left: dict[str, float],
    whole: float,
    least: float,
    most: int,
    told: Sequence[tuple[str, str]],
) -> list[Statement]:
    """Return up to `most` sentences, best first, none that says what is `told`.

    Each is worth `least` when it is chosen. `left` of `whole` is what the terms of the question weigh, and is used up.
    """
    n_of_unit = Counter[int]()

    def cost(number: int) -> float:
        return -candidates[number].value(left, whole) * SAME_UNIT ** n_of_unit[candidates[number].place.unit]

    chosen: list[Statement] = []
    known = [frozenset(terms(text, language)) for text, language in told]
    length = sum(len(text) for text, _ in told)
    for number in cheapest_first(len(candidates), cost):
        candidate = candidates[number]
        if len(chosen) >= most or length >= MAX_ANSWER or cost(number) >= 0 or cost(number) > -least:
            break
        if says_the_same(candidate.terms, known):
            continue
        known.append(candidate.terms)
        chosen.append(candidate.place)
        length += candidate.place.end - candidate.place.start
        n_of_unit[candidate.place.unit] += 1
        left |= {term: left[term] * SAID for term in candidate.terms & left.keys()}
        left |= {term: left[term] * SAID**AROUND for term in candidate.around}
    return chosen


def _newest_first(
    index: "SnapshotView", candidates: Sequence[_Candidate], values: Sequence[float], asked: frozenset[str]
) -> list[_Candidate]:
    """Return candidates, the newest worth more of those that say what the best one does, and nearly as well."""
    best = max(range(len(values)), key=values.__getitem__)
    held = candidates[best].terms & asked
    near = [n for n, value in enumerate(values) if value >= NEAR * values[best] and candidates[n].terms >= held]
    days = {n: float(index.days[candidates[n].place.unit]) for n in near}
    first = max((n for n in near if not isnan(days[n])), key=lambda n: (days[n], values[n]), default=best)
    return [replace(one, worth=one.worth / NEAR) if n == first else one for n, one in enumerate(candidates)]


def _reason_first(
    index: "SnapshotView", candidates: list[_Candidate], left: Mapping[str, float], whole: float
) -> list[_Candidate]:
    """Return candidates, the one worth most that gives a reason behind the best, where that repeats what is asked."""
    values = [candidate.value(left, whole) for candidate in candidates]
    at = max(range(len(values)), key=values.__getitem__)
    held = fsum(left[term] for term in (candidates[at].terms | candidates[at].around) & left.keys())
    if held < REPEATED * fsum(left.values()) or REASON.search(read_out(index, candidates[at].place)[0]):
        return candidates
    for n, one in enumerate(candidates[at + 1 : at + 1 + REASON_WITHIN], start=at + 1):
        if one.place.unit == candidates[at].place.unit and values[n] and REASON.search(read_out(index, one.place)[0]):
            worth = one.worth * max(1.0, values[at] / values[n] * 1.01)
            return [*candidates[:n], replace(one, worth=worth), *candidates[n + 1 :]]
    return candidates


def _hopped(
    index: "SnapshotView", candidates: list[_Candidate], best: _Candidate, weight: Mapping[str, float]
) -> list[_Candidate]:
    """Return candidates, those worth more that say what the best one leaves open of what it leads to (`HOP`)."""
    left_open = {term: weight[term] for term in sorted(weight.keys() - best.terms - best.around)}
    least = HOP_SHARE * fsum(left_open.values())
    read, language = read_out(index, best.place)
    own = index.document_row[best.place.unit]

    @cache
    def leads_to(row: int) -> bool:
        names = names_of_title(index.cell("documents", "title", row)) if row != own else ()
        new = (name for name in names if len(name) >= LEAST_NAME and name in read)
        return any(not weight.keys() >= set(terms(name, language)) for name in new)

    return [
        replace(candidate, worth=candidate.worth * HOP)
        if leads_to(index.document_row[candidate.place.unit])
        and fsum(left_open[term] for term in candidate.terms & left_open.keys()) > least
        else candidate
        for candidate in candidates
    ]


def _is_of_heading(document: str, place: int) -> bool:
    """Say whether what stands at a place is part of a heading: "## 8.5. How is it done?" are two sentences."""
    start = document.rfind("\n", max(0, place - MAX_HEADING - 1), place) + 1
    return document.startswith("#", start) and document.find("\n", place, start + MAX_HEADING + 1) >= 0


def _candidates(
    index: "SnapshotView", unit: int, score: float, wanted: _Wanted, held: Mapping[int, tuple[float, bool]]
) -> Iterator[_Candidate]:
    asked = wanted.terms
    row = index.document_row[unit]
    document, language = index.document_of(unit)
    heading, offset = index.cell("documents", "title", row), index.cell("text_units", "char_start", unit)
    title, text = asked.intersection(terms(heading, language)), index.cell("text_units", "text", unit)
    things = () if defines(text, wanted.sought.things) else wanted.sought.things
    introduced = marked = offset == 0 and is_about(heading, things)
    floor = NAMED_FLOOR if subject_of(index, row) else FLOOR
    left_out, code, notices, cards = itemgetter("references", "code", "notice", "card")(blocks_of(index, row))
    before = headed = frozenset[str]()
    for span in _spans(text, offset, language, cards):
        start, end = spoken_span(document, offset + span[0], offset + span[1])
        sentence = document[start:end]
        fragment = not is_statement(sentence)
        if end - start > MAX_LENGTH or DATELINE.fullmatch(sentence) or _is_in(left_out, start):
            continue
        names_it = is_about(sentence, things)
        if names_it or sentence.startswith("#") or _is_of_heading(document, start):
            introduced, marked = introduced or names_it, sentence.startswith("#")
            headed = asked.intersection(terms(sentence, language))
            continue
        of_row = _is_in(cards, start)
        in_order = terms(sentence, language)
        own = frozenset(in_order)
        asks = ASKS.search(sentence, max(0, len(sentence) - 4)) is not None
        same = asks and wanted.is_same(own)
        if same and not speakers(document):  # a talk's is told with its reply
            introduced = True
            continue
        too_short = fragment and not same and _is_too_short(sentence, document, own, asked)
        if not of_row and (too_short or (fragment and is_head(document, start, end))):
            introduced = introduced and marked  # the next name of a list
            before = own & asked if asks else before  # a short question, whose reply is next
            continue
        own |= wanted.sought.in_other_words(sentence, own) & asked
        if of_row and fragment and _is_idle_cell(sentence, own, language, wanted):
            continue
        label = document[offset + span[0] : start].strip()
        of_time = [told for at, told in held.items() if offset + span[0] <= at < end]
        n_new = len(own - asked)  # what only repeats the question does not answer it
        worth = score * (n_new + 0.1) / (n_new + 1) * wanted.worth(index, f"{label} {sentence}", in_order, language)
        worth *= 1 + HELD * max((fit for fit, _ in of_time), default=0)
        worth *= 1 + CELL * (of_row and fragment and _is_asked_by_label(sentence, language, wanted))
        shows = any(first <= start and end <= last for first, last in (*code, *notices))
        if introduced and not fragment and not shows and not ITEM.match(document, max(0, start - 2)):
            worth, introduced = worth * (1 + INTRODUCED), False
            before |= asked
        worth *= _as_question(document, start, own, wanted, asks=asks, same=same)
        thanks = label and len(own) < LEAST_TERMS and (not own & asked or n_new < 2)  # or "Yes, sure."
        worth *= (CODE if shows else 1.0) * (THANKS if thanks else 1.0)
        known = asked & _terms_of_name(label or speaker_of(document, start), language)
        answers = wanted.sought.kind == "person" and label.endswith((":", "：")) and not known
        own |= known
        place = Statement(unit, start, end, label.rstrip(":： ") if answers else "")
        begins = any(begins for _, begins in of_time)
        yield _Candidate(place, own, (title | headed | before) - own, worth, floor, begins)
        before = own & asked


def _is_in(spans: Iterable[tuple[int, int]], place: int) -> bool:
    return any(start <= place < end for start, end in spans)


def _as_question(document: str, start: int, own: Set[str], wanted: _Wanted, *, asks: bool, same: bool) -> float:
    """Return what a sentence counts as one that asks: the question itself and little more leads to its reply."""
    if same and 2 * len(own - wanted.terms) <= len(own):
        return 1 + INTRODUCED
    idle = asks and (wanted.sought.kind or wanted.sought.things)
    return UNFIT if idle or (wanted.sought.said and asks_on(document, start)) else 1.0


def _is_too_short(sentence: str, document: str, own: Set[str], asked: Set[str]) -> bool:
    """Say whether a fragment says too little; a message without a full stop, which is all of its document, does not."""
    length = len(sentence) * (DENSE if UNSPACED.search(sentence) else 1)
    return length < MIN_FRAGMENT and not (sentence == document.strip() and 1 < len(own - asked) < len(own))


def _is_idle_cell(sentence: str, own: Set[str], language: str, wanted: _Wanted) -> bool:
    """Say whether a cell says nothing that is asked: "Created: 2026-03-16", or "Key: SUP-12", which is asked about."""
    value = terms(sentence.partition(":")[2], language)
    return wanted.terms.issuperset(value) or not (own & wanted.terms or wanted.sought.kind)


def _terms_of_name(name: str, language: str) -> frozenset[str]:
    return frozenset(terms(f"{name} {_JOINED.sub(' ', name)}", language))


def _spans(text: str, offset: int, language: str, cards: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return where the sentences of a text unit are, that begins at `offset`; of a card the lines."""

    def of_card(place: int) -> bool:
        return any(first <= offset + place < last for first, last in cards)

    spans = [span for span in sentences(text, language) if not of_card(span[0])]
    lines = (line.span() for line in _LINE.finditer(text if cards else ""))
    return sorted([*spans, *(line for line in lines if of_card(line[0]))])


def _is_asked_by_label(cell: str, language: str, wanted: _Wanted) -> bool:
    """Say whether a question asks for a cell by its label: "Status: Open", for what the status is; no day for "who"."""
    label, _, value = cell.partition(":")
    kind, in_digits = wanted.sought.kind, any(map(str.isdigit, value))
    own = frozenset(terms(label.replace("_", " "), language))
    own |= wanted.sought.in_other_words(label, own)
    if not any(term.startswith(asked) for term in own for asked in wanted.weight) or not wanted.terms.isdisjoint(
        terms(value, language)
    ):
        return False
    return not kind or in_digits == (kind in ("time", "number"))


def read_out(index: "SnapshotView", place: Statement) -> tuple[str, str]:
    """Return what a place says, and its language."""
    text, language = index.document_of(place.unit)
    return text[place.start : place.end], language

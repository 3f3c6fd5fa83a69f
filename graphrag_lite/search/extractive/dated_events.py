"""Dated statements that tell of an event: where in the corpus, how well, and which day they state."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from itertools import product
from math import fsum, log
from typing import TYPE_CHECKING, Any, NamedTuple

from graphrag_lite.retrieval.bm25 import term_idf
from graphrag_lite.retrieval.top_k import best_rows
from graphrag_lite.search.answer import Statement
from graphrag_lite.search.extractive.read_unit import read_out
from graphrag_lite.temporal.durations import SEEN, When, day_of
from graphrag_lite.text.word_lists import sections
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    import pyarrow as pa

    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

ENDS = re.compile(r"(?i)\b(?:end(?:ed|ing|s)?|finish\w*|complet\w*)\b")  # of what lasted, the end is asked for
LEAST = 0.57  # a fit below it is none
UNITS_READ = 24  # text units that an event is looked for in
HELD = 0.5  # of the weight of an event's words that a sentence has to hold to tell of it
HEAD = 3.0  # what the first word of an event counts, its verb, in which of the dates of a sentence is meant
APART = 60  # characters more from a word to a date in another clause
AROUND = 0.3  # what a word counts that only the rest of its text unit holds
BEFORE = 0.8  # what a word counts that only the sentence before holds, on which "it" or "they" leans
ABOUT = 0.25  # more for a statement with the words that all events of a question share
KIN = 0.15  # more for two statements of documents that share a rare value of their metadata, as the one they are by
RIVAL = 0.97  # of the best statement's fit: with as much, another that dates the event otherwise leaves it open
AGREED, MOST_OF = 3, 0.6  # documents that date an event alike, and their share of all that do as well: others err
NOT_HELD = 0.9  # of the fit of a sentence that says that the event was cancelled or postponed
NEAR = 0.3  # what the middle of the days asked for counts, where a statement is dated
LIKE_BEST = 0.6  # of the best statement's fit: what fits less is not told
MOST = 6  # statements of each event that are compared
COLUMNS = "text_unit_id valid_at invalid_at precision kind polarity time_text char_start char_end".split()
_LEANS = re.compile(r"\b(?:it|they|them|this|that|these|those|one|he|she)\b", re.I)
_PLAIN = re.compile(r"(?<![\w'’-])[^\W\d_A-Z][\w'’-]*")
_NUMBERED = re.compile(r"\b([A-Z]\w+) (\d+[A-Z]?)\b")
_CLAUSE = re.compile(r"[,;:]| (?:and|but|so|while|before|after) ")
_SENTENCE_END = re.compile(r"[.!?]\s")


class Dated(NamedTuple):
    """A statement that tells of an event: how well, in which text unit and characters, and the day that it states."""

    fit: float
    unit: int
    start: int
    end: int
    when: When
    until: When | None = None  # when it ended, where that is stated
    lasts: bool = False  # it began then, and no end is stated
    planned: bool = False


class Looked(NamedTuple):
    """The words of an event that are looked for, by weight, and those that it shares with others.

    Of `plain` ones, of no name and not light, a sentence has to hold some: "Palu" alone tells of no earthquake there.
    """

    weight: Mapping[str, float]
    light: frozenset[str]
    plain: frozenset[str]
    about: Mapping[str, float]
    numbered: Sequence[tuple[str, str]] = ()  # names and their numbers: "Mission 4" is none where 4 stands elsewhere

    @property
    def whole(self) -> float:
        return fsum(value for term, value in self.weight.items() if term not in self.light)


def looked_for(question: "Question", event: str, about: str = "") -> Looked:
    """Return the words of an event as they are looked for. Where all are light, none is."""
    weight = term_idf(question.index.bm25, question.terms_of(event))
    light = _verbs("light", question.analyzed_in)
    shared = term_idf(question.index.bm25, question.terms_of(about)) if about else {}
    shared = {term: value for term, value in shared.items() if term not in light | weight.keys()}
    light = light & weight.keys() if weight.keys() - light else frozenset()
    plain = frozenset(question.terms_of(" ".join(_PLAIN.findall(event)))) & weight.keys() - light
    return Looked(weight, light, plain, shared, _NUMBERED.findall(event))


@cache
def _verbs(section: str, language: str) -> frozenset[str]:
    """Return the terms of a section of verbs.txt, none for another language than English."""
    words = sections("graphrag_lite.temporal", "verbs.txt")[section] if language in ("en", "") else ()
    return frozenset(term for word in words for term in terms(word, language))


def candidates(
    question: "Question", events: Sequence[Looked], *, of_end: Sequence[bool], ended: bool = False, most: int = MOST
) -> list[list[Dated]]:
    """Return the dated statements that tell of each event, or where `of_end` of its end, best first.

    With `ended`, those alone that say until when.
    """
    index = question.index
    read = []
    for event in events:
        scores = index.bm25.scores(list(event.weight))
        if question.features.replies is not None:  # what an assistant proposes has not happened
            scores[question.features.replies] = 0.0
        read.append([unit for unit in best_rows(scores, UNITS_READ).tolist() if scores[unit] > 0])
    rows = rows_of(question, {unit for units in read for unit in units})
    if ended:
        rows = {unit: [row for row in several if _ends(row)] for unit, several in rows.items()}
    found = []
    for event, units, at_end in zip(events, read, of_end, strict=True):
        statements = [
            one for unit in units for one in _dated_sentences(question, event, unit, rows.get(unit, ()), at_end=at_end)
        ]
        ranked = sorted(statements, key=lambda one: (-one.fit, one.unit, one.start))
        found.append((ranked if ended else agreeing_statements(ranked, index.document_row))[:most])
    return found


def agreeing_statements(statements: list[Dated], document_row: Sequence[int]) -> list[Dated]:
    """Return the statements that date an event as most that fit best do, the closest first, where these are enough.

    >>> days = [(8, 8), (1, 9), (8, 9), (90, 90)]
    >>> dated = [Dated(1.0, unit, 0, 9, When(*day)) for unit, day in enumerate(days)]
    >>> [one.unit for one in agreeing_statements(dated, range(4))]
    [0, 2, 1]
    >>> agreeing_statements(dated[1:], range(4)) == dated[1:]
    True
    """
    rivals = [one for one in statements if one.fit > RIVAL * statements[0].fit and not one.planned]
    alike: list[Dated] = []
    for one in sorted(rivals, key=lambda one: one.when.open):
        same = [other for other in rivals if one.when.first <= other.when.last and other.when.first <= one.when.last]
        alike = max(alike, same, key=len)
    enough = len({document_row[one.unit] for one in alike}) >= AGREED and len(alike) >= MOST_OF * len(rivals)
    return sorted(alike, key=lambda one: one.when.open) if enough else statements


def rows_of(question: "Question", units: Iterable[int]) -> dict[int, list[dict[str, Any]]]:
    """Return the dated statements of some text units."""
    import pyarrow as pa
    import pyarrow.compute as pc

    index = question.index
    ids = index.column("text_units", "id").take(pa.array(sorted(units), pa.int64()))
    data = _stated(index)
    found: dict[int, list[dict[str, Any]]] = {}
    for row in data.filter(pc.is_in(data["text_unit_id"], value_set=ids.combine_chunks())).to_pylist():
        found.setdefault(index.unit_row[row["text_unit_id"]], []).append(row)
    return found


def _stated(index: "SnapshotView") -> "pa.Table":
    """Return the statements whose time is stated, not only when they were made."""
    import pyarrow.compute as pc

    data = index.columns("fact_mentions", COLUMNS)
    return data.filter(pc.not_equal(data["precision"], SEEN))


def _ends(row: Mapping[str, Any]) -> bool:
    return row["polarity"] == "negative" or (row["kind"] != "event" and bool(row["invalid_at"]))


def _dated_sentences(
    question: "Question", event: Looked, unit: int, rows: Iterable[dict[str, Any]], *, at_end: bool
) -> Iterable[Dated]:
    """Yield the sentences of a text unit that tell of an event, each with the date nearest to the event's words."""
    spans: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for row in rows:
        spans.setdefault((row["char_start"], row["char_end"]), []).append(row)
    around = _terms_of(question, unit) if spans else set()
    for (start, end), stated in spans.items():
        fit, held = event_fit(question, event, unit, start, end, around, [row["time_text"] for row in stated])
        if held < HELD * event.whole or fit < LEAST:
            continue
        sentence, language = read_out(question.index, Statement(unit, start, end))
        chosen = _nearest(sentence, stated, event, language)
        day = day_of(chosen, at_end=at_end) if chosen else None
        if chosen and day:
            lasted = chosen["invalid_at"] and (chosen["kind"] == "state" or day.lasts)
            until = day_of(chosen, at_end=True) if lasted else None
            open_ = chosen["kind"] == "state" and not chosen["invalid_at"]
            ended = until if chosen["valid_at"] else None
            failed = chosen["polarity"] == "negative" and chosen["kind"] != "state"
            not_held = _verbs("not_held", language) - _verbs("light", language)
            failed = failed or bool(not_held & set(terms(sentence, language)) - event.weight.keys())
            fit *= NOT_HELD if failed else 1.0
            yield Dated(fit, unit, start, end, day, ended, open_, chosen["kind"] == "plan")


def on_days(question: "Question", event: Looked, days: When) -> list[Dated]:
    """Return the statements dated within some days, as closely as these are, that fit best; of equals the nearest.

    Those alone that hold words of the event, where there are some.
    """
    import pyarrow.compute as pc

    index = question.index
    data = _stated(index)
    first, last = (date.fromordinal(day).isoformat() for day in days[:2])
    within = pc.and_(pc.greater_equal(data["valid_at"], first), pc.less_equal(data["valid_at"], last))
    found: dict[tuple[int, int], Dated] = {}
    for row in data.filter(within).to_pylist():
        unit, day = index.unit_row[row["text_unit_id"]], day_of(row)
        proposed = question.features.replies is not None and question.features.replies[unit]
        if proposed or day is None or day.last > days.last or row["kind"] == "plan":
            continue
        fit, _ = event_fit(question, event, unit, row["char_start"], row["char_end"], _terms_of(question, unit), ())
        near = 1 - abs(day.middle - days.middle) / (days.last - days.first + 1)
        one = Dated(fit + NEAR * near, unit, row["char_start"], row["char_end"], day)
        found[unit, row["char_start"]] = max(one, found.get((unit, row["char_start"]), one))
    best_first = sorted(found.values(), key=lambda one: (-one.fit, one.unit, one.start))
    # One text may be in several documents.
    alike = {read_out(index, Statement(*one[1:4]))[0]: one for one in reversed(best_first)}
    return [one for one in best_first if one in alike.values() and one.fit >= LIKE_BEST * best_first[0].fit][:MOST]


def event_fit(
    question: "Question", event: Looked, unit: int, start: int, end: int, around: Collection[str], times: Sequence[str]
) -> tuple[float, float]:
    """Return how well a sentence fits an event, and the weight of the event's words that it holds.

    `around` are the terms of its text unit. Numbers of its `times` are no words: "1 March" tells of no "Mission 1".
    """
    sentence, language = read_out(question.index, Statement(unit, start, end))
    for time in times:
        sentence = sentence.replace(time, re.sub(r"\d", " ", time))
    words = set(terms(sentence, language))
    for word, number in event.numbered:
        if not re.search(rf"\b{re.escape(word)}\W{re.escape(number)}\b", sentence, re.I):
            words -= set(terms(number, language))
            around = set(around) - set(terms(number, language))
    before = set(terms(_sentence_before(question, unit, start), language)) if _LEANS.search(sentence) else set()
    counted = {
        term: 1.0 if term in words else BEFORE if term in before else AROUND if term in around else 0.0
        for term in event.weight
    }
    here = {term for term, share in counted.items() if share > AROUND}
    held = fsum(event.weight[term] * counted[term] for term in here) if not event.plain or event.plain & here else 0.0
    near = fsum(event.weight[term] * share for term, share in counted.items())
    light = fsum(event.weight[term] for term in event.light if counted[term])
    whole = event.whole + light or 1.0
    shared = fsum(event.about.values())
    bonus = ABOUT * fsum(value for term, value in event.about.items() if term in words) / shared if shared else 0.0
    return near / whole + bonus, held


def _terms_of(question: "Question", unit: int) -> set[str]:
    return set(terms(*question.index.passage(unit)))


def _sentence_before(question: "Question", unit: int, start: int) -> str:
    """Return the sentence before a place, as far as its text unit holds it."""
    text = question.index.document_of(unit)[0][max(0, start - 400) : start].rstrip()
    ends = [found.end() for found in _SENTENCE_END.finditer(text)]
    return text[ends[-1] if ends else 0 :] if "\n" not in text[-2:] else ""


def _nearest(sentence: str, stated: Sequence[dict[str, Any]], event: Looked, language: str) -> dict[str, Any] | None:
    """Return the statement of a sentence whose time stands nearest to the words of an event, by clauses.

    None where it states several times, and has no word of the event.
    """
    head = next((term for term in event.weight if term not in event.light), "")
    spots = [
        ((found.start() + found.end()) // 2, event.weight[term] * (HEAD if term == head else 1.0))
        for found in re.finditer(r"[\w'’-]+", sentence)
        for term in terms(found[0], language)
        if term in event.weight
    ]
    if not spots and len(stated) > 1:
        return None

    def distance(row: Mapping[str, Any]) -> float:
        first = max(sentence.find(row["time_text"]), 0)
        last = first + len(row["time_text"])

        def away(spot: int) -> int:
            between = sentence[last:spot] if spot > last else sentence[spot:first]
            return min(len(between), 150) + APART * min(len(_CLAUSE.findall(between)), 2)

        return fsum(value * away(spot) for spot, value in spots)

    return min(stated, key=distance)


def one_per_event(question: "Question", found: Sequence[Sequence[Dated]]) -> list[Dated]:
    """Return one statement of each event: those that fit best, and are of the same person where documents say whose."""
    if len(found) == 1 or len(found) > 3:
        return [several[0] for several in found]
    metadata = {one.unit: metadata_values(question, one.unit) for several in found for one in several}
    counted = Counter(value for held in metadata.values() for value in held)
    rare = _rare(question, sorted(value for value, n in counted.items() if n > 1))

    def worth(product_of: Iterable[Dated]) -> float:
        chosen = list(product_of)
        shared = [metadata[chosen[0].unit] & metadata[one.unit] for one in chosen[1:]]
        distinct = len({one[1:5] for one in chosen}) == len(chosen)
        kin = fsum(max((rare.get(value, 1.0) for value in held), default=0.0) for held in shared)
        return fsum(one.fit for one in chosen) + KIN * kin + distinct

    return list(max(product(*found), key=worth))


def _rare(question: "Question", held: Iterable[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """Return how rare values of metadata are: 0 of one that all documents have, 1 of one that a single one has."""
    import pyarrow.compute as pc

    metadata = question.index.column("documents", "metadata")
    n = {value: pc.sum(pc.match_substring(metadata, json.dumps(value[1])[1:-1])).as_py() or 1 for value in held}
    return {value: 1 - log(each) / log(max(len(metadata), 2)) for value, each in n.items()}


def has_rival(question: "Question", chosen: Sequence[Dated], found: Sequence[Sequence[Dated]]) -> bool:
    """Tell whether another statement tells of an event as well, of the same person, and dates it otherwise."""
    kin = frozenset.intersection(*(metadata_values(question, one.unit) for one in chosen))
    taken = {one[1:5] for one in chosen}  # what tells of another event is no rival
    return any(
        other.fit > RIVAL * one.fit and (other.when.last < one.when.first or one.when.last < other.when.first)
        for one, several in zip(chosen, found, strict=True)
        for other in several
        if other[1:5] not in taken and kin <= metadata_values(question, other.unit)
    )


def metadata_values(question: "Question", unit: int) -> frozenset[tuple[str, str]]:
    """Return the values of the metadata of a text unit's document."""
    held = json.loads(question.index.cell("documents", "metadata", question.index.document_row[unit]) or "{}")
    return frozenset((str(name), str(value)) for name, value in held.items())

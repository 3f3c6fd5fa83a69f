"""What a community's report can tell: sentences of its relationships and of its members, and rows of its tables.

A fact is one sentence, or a row of a table with its values. Which facts a report tells is for `key_sentences` to
choose; here they are found, and put in the order of time.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.evidence.key_sentences import Sentence
from graphrag_lite.evidence.report_statements import Sources
from graphrag_lite.evidence.sentence_dates import period_label
from graphrag_lite.evidence.statement import ReportStatement

Row = dict[str, Any]
LATE = 0.4  # what a sentence at the end of its document counts less than one at its beginning
PARTS = 10  # of a document, in which a sentence counts alike: one before it that comes or goes moves it little
OPENS, ABSTRACT = 3000, 1.6  # characters with which a long document says what it is about; what they count more
MET = 3  # strongest members that are told where a reader meets them
MAX_MEMBERS = 40  # strongest members of a community whose own sentences are looked at


@dataclass(frozen=True)
class Fact:
    """What is told under one heading: a sentence, or a row's. `about` are ids of entities."""

    title: str
    about: tuple[str, ...]
    statements: tuple[ReportStatement, ...]
    sentence: Sentence

    @property
    def first(self) -> ReportStatement:
        return self.statements[0]

    @property
    def location(self) -> tuple[str, int]:
        return self.first.location

    @property
    def is_row(self) -> bool:
        return self.first.row

    @property
    def when(self) -> str:
        """Return when it was, else as of which day its document tells it; empty where nothing dates it."""
        return period_label(self.first.stated) if self.first.stated else self.as_of

    def heading(self, name: str) -> str:
        """Return when, and what of: a `name` of its own, or one that it shares with what stands beside it."""
        if self.is_row:
            return f"{self.first.day[:10]}: {escape_marks(name)}" if self.first.day else escape_marks(name)
        if self.first.stated:
            return f"{self.when}: {escape_marks(name)}" if name else self.when
        return f"{escape_marks(name)}{self.as_of}" if name else self.as_of.strip(" ()").capitalize()

    @property
    def as_of(self) -> str:
        """Return as of which day it holds that a sentence does not date, in brackets; empty where nothing dates it."""
        return f" (as of {self.first.day[:10]})" if self.first.day and not self.first.stated else ""


def facts(
    relationships: Sequence[Row],
    within: Collection[str],
    members: Sequence[Row],
    stated: Mapping[str, ReportStatement],
    named: Mapping[str, Sequence[ReportStatement]],
    counts: Mapping[str, float],
    strength: Mapping[str, float],
    sources: Sources,
) -> list[Fact]:
    """Return the facts of a community, of the most central relationship that each sentence states, else of its members.

    `stated` are by the id of a relationship, `named` by that of an entity: the first one describes it, the others are
    read where they stand in a text unit that is `within` the community, those of a strong member anywhere in a story.
    `counts` and `strength` are what a relationship counts and how strongly a member is related. What a row of a table
    says is one fact.
    """

    def central(row: Row) -> float:
        return counts[row["id"]] * (strength[row["source_id"]] + strength[row["target_id"]])

    by_location: dict[tuple[str, int], tuple[ReportStatement, str, float]] = {}
    about: dict[tuple[str, int], dict[str, None]] = defaultdict(dict)
    for row in sorted(
        (row for row in relationships if row["id"] in stated), key=lambda row: (-central(row), row["id"])
    ):
        one = stated[row["id"]]
        by_location.setdefault(one.location, (one, f"{row['source']} – {row['target']}", central(row)))
        about[one.location].update(dict.fromkeys((row["source_id"], row["target_id"])))
    for rank, member in enumerate(members[:MAX_MEMBERS]):
        own = named.get(member["id"], ())
        narrated = rank < MET and any(sources.is_narrated(one.location[0]) for one in own[:1])
        for number, one in enumerate(own):
            if number == 0 or narrated or one.span["text_unit_id"] in within:
                by_location.setdefault(one.location, (one, member["title"], strength[member["id"]]))
                about[one.location][member["id"]] = None
    return _facts(by_location, about, sources)


def _facts(
    by_location: Mapping[tuple[str, int], tuple[ReportStatement, str, float]],
    about: Mapping[tuple[str, int], dict[str, None]],
    sources: Sources,
) -> list[Fact]:
    """Return facts of statements by place, with their title and how central they are; what a row says is one fact."""
    found = []
    rows: dict[str, list[ReportStatement]] = defaultdict(list)
    for location, (one, title, central) in by_location.items():
        if one.row:
            rows[location[0]].append(one)
        elif one.stands:
            length = sources.n_characters[location[0]]
            early = 1 - LATE * round(PARTS * location[1] / length) / PARTS
            if location[1] < OPENS <= length / 4 and not sources.is_narrated(location[0]):
                early *= ABSTRACT
            worth = one.worth * early * sqrt(1 + central)
            sentence = replace(one.sentence, worth=worth, terms=frozenset(one.sentence.terms))
            found.append(Fact(title, tuple(about[location]), (one,), sentence))
    for document, own in rows.items():
        own = [*sources.row_text(own[0]), *own]
        distinct = {one.location: one for one in sorted(own, key=lambda one: (one.cell, one.location))}
        ends = dict.fromkeys(identity for location in distinct for identity in about.get(location, ()))
        content = frozenset(term for one in distinct.values() for term in one.terms)
        sentence = Sentence(sources.document(document)["title"], content, len(content), sqrt(len(distinct)))
        found.append(Fact(sources.document(document)["title"], tuple(ends), tuple(distinct.values()), sentence))
    return found


def shared_values(relationships: Iterable[Row], stated: Mapping[str, ReportStatement]) -> list[tuple[str, int]]:
    """Return the values that rows of tables have in common, each with its column and the number of rows, most first."""
    cells = (row for row in relationships if row["id"] in stated and stated[row["id"]].cell)
    counted = Counter(f"{row['relation']} {row['target']}".strip() for row in cells)
    return sorted(((value, n) for value, n in counted.items()), key=lambda item: (-item[1], item[0]))


def in_time(found: Iterable[Fact], sources: Sources) -> list[Fact]:
    """Return facts by when they were, those that nothing dates first; then in reading order, then by place."""

    def key(fact: Fact) -> tuple[Any, ...]:
        period = fact.first.period
        return period.first.isoformat() if period else "", in_reading(fact, sources)

    return sorted(found, key=key)


def in_reading(fact: Fact, sources: Sources) -> tuple[Any, ...]:
    """Return what facts are sorted by as they are read."""
    document, start = fact.first.location
    return sources.order(document), start

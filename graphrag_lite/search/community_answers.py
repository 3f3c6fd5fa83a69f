"""What communities say, without a model: a paragraph each, below the names that it is about."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag_lite import tables
from graphrag_lite.evidence.definition import defines
from graphrag_lite.evidence.sentence_reading import is_cell
from graphrag_lite.retrieval.entity_names import find_mentions
from graphrag_lite.search.answer import Statement
from graphrag_lite.search.extractive.entity_statements import statement_at
from graphrag_lite.search.extractive.quoted_sources import asks_for_documents, of_guests, source_of
from graphrag_lite.search.extractive.read_unit import read_out
from graphrag_lite.search.extractive.reading_order import in_reading_order
from graphrag_lite.search.extractive.statements import choose_statements, is_statement
from graphrag_lite.text.transcripts import is_talk, speakers

if TYPE_CHECKING:
    from graphrag_lite.graph.sparse import Vector
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

Row = Mapping[str, Any]
MAX_STATEMENTS, MAX_NAMES = 2, 3  # of each community, in a paragraph and in its heading
FEW = 50  # heaviest relationships, and most named entities, that stand for reports where there are hardly any
READ_UNITS, MAX_FOUND = 60, 40  # best text units that sentences are chosen from, and how many are looked at
ENOUGH = 0.5  # of the best sentence's value
RELEVANT = 0.5  # of the best text unit's match: from there a text unit speaks to the question


def theme_statements(index: "SnapshotView", reports: Iterable[Row]) -> list[Statement]:
    """Return a statement of each of the most important reports: the first one, which says what its community is about.

    Where there are fewer reports than an answer has room for, definitions of the entities that are named most go on,
    then those of the heaviest relationships, then what else is said of these entities; where no sentence stands as a
    statement, as in a corpus of notes, any sentence will do. A cell of a table is none: its values are counted.
    """
    most = index.search_settings.max_reports
    titled_spans = [(report["title"], report["citations"]) for report in reports if report["citations"]]
    if len(titled_spans) < most:
        entities = index.columns("entities", ["title", "sources"]).slice(0, FEW).to_pylist()
        titled_spans += [
            (row["title"], [span for span in row["sources"] if _defines(index, span, row["title"])]) for row in entities
        ]
        columns = ["source", "target", "sources"]
        titled_spans += [
            (f"{row['source']} – {row['target']}", row["sources"])
            for row in index.columns("relationships", columns).slice(0, FEW).to_pylist()
        ]
        titled_spans += [(row["title"], row["sources"]) for row in entities]
    found: list[Statement] = []
    cards = {row for file in index.table_files for row in file.rows}
    spans_of = ([statement_at(index, span, title) for span in spans] for title, spans in titled_spans)
    prose = [[one for one in own if not _in_card(index, one, cards)] for own in spans_of]
    for own in prose:
        statements = (statement for statement in own if not is_talk(read_out(index, statement)[0]))
        if len(found) < most and (
            one := next((statement for statement in statements if is_statement(index, statement, found)), None)
        ):
            found.append(one)
    return found or [own[0] for own in prose if own][:most]


def _defines(index: "SnapshotView", span: Row, name: str) -> bool:
    """Say whether what stands at a span of `sources` says what bears a name is."""
    statement = statement_at(index, span, name)
    text, language = index.document_of(statement.unit)
    return defines(text, (statement.start, statement.end), name, language)


def _in_card(index: "SnapshotView", statement: Statement, cards: Collection[int]) -> bool:
    """Say whether a place is in the card of a row, one of the documents `cards`."""
    row = index.document_row[statement.unit]
    return row in cards and is_cell({"char_start": statement.start}, {"blocks": index.cell("documents", "blocks", row)})


def fitting_sentences(
    question: "Question", query_terms: Sequence[str], groups: Sequence[tuple[int, Sequence[int]]], match: "Vector"
) -> list[Statement]:
    """Return the sentences that fit best what is asked, of the text units of several communities.

    A paragraph is headed by the members of its community that it names; by who speaks in a transcript, and by the
    document where the question asks for that. The one with the sentence that fits best goes first, then groups keep
    their order; those that have no sentence as good as the others' are left out.
    """
    index, sources = question.index, asks_for_documents(question.text)
    group = {unit: number for number, (_, units) in enumerate(groups) for unit in units}
    read = sorted(group, key=lambda unit: (-match[unit], unit))[:READ_UNITS]
    most = MAX_STATEMENTS * index.search_settings.max_reports
    chosen: dict[tuple[int, str], list[Statement]] = {}
    found = choose_statements(index, query_terms, read, match[read].tolist(), MAX_FOUND, ENOUGH)
    for statement in of_guests(question, found):
        named = sources or speakers(index.document_of(statement.unit)[0])
        key = (-1, source_of(index, statement)) if named else (group[statement.unit], "")
        if len(chosen.get(key, ())) < MAX_STATEMENTS and sum(map(len, chosen.values())) < most:
            chosen[key] = [*chosen.get(key, ()), statement]
    best = next(iter(chosen), (0, ""))
    in_order = sorted(chosen, key=lambda key: key[0] if key != best else -2)
    return [
        replace(statement, about=heading)
        for key in in_order
        for heading in [key[1] or _heading(index, groups[key[0]][0], chosen[key])]
        for statement in in_reading_order(index, chosen[key])
    ]


def _heading(index: "SnapshotView", community: int, statements: Sequence[Statement]) -> str:
    """Return the names of a community's members that its statements hold, the most important ones."""
    if community < 0:
        return ""
    row = index.column("communities", "community").to_pylist().index(community)
    title = {
        index.cell("entities", "id", entity): index.cell("entities", "title", entity)
        for statement in statements
        for mention in find_mentions(*read_out(index, statement), index.names)
        for entity in mention.entities
    }
    members = index.cell("communities", "entity_ids", row)  # the most connected first
    return ", ".join([title[identity] for identity in members if identity in title][:MAX_NAMES])


def relevant_communities(index: "SnapshotView", reports: Sequence[Row], match: "Vector") -> list[tuple[int, list[int]]]:
    """Return the communities of `reports`, each with its text units that speak to the question.

    Those come first that have most of them, where the community is important. What is of a community without a report
    is told by the nearest one above it that has one, else by itself; what belongs to none comes last, by document, as
    numbers below 0.
    """
    parent, _, of_unit = index.unit_communities
    rank = dict(tables.rows(index.arrow("community_reports"), "community", "rank"))
    shown = {row["community"] for row in reports}
    groups: dict[int, list[int]] = {}
    for unit in np.flatnonzero(match >= RELEVANT).tolist():
        line = [int(of_unit[unit])]
        while line[-1] in parent:
            line.append(parent[line[-1]])
        candidates = [one for among in (shown, rank, parent) for one in line if one in among]
        groups.setdefault(candidates[0] if candidates else -1 - index.document_row[unit], []).append(unit)
    worth = {one: float((match[own] ** 2).sum()) * (1 + rank.get(one, 0) / 10) for one, own in groups.items()}
    return sorted(groups.items(), key=lambda group: (group[0] < 0, -worth[group[0]]))

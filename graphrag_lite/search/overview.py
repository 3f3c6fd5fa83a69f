"""Answers about the corpus as a whole, from the tables: what it is, who and what is in it, its themes, what changed.

Counts are of the tables, and so are their lines; every sentence below them is one of the corpus, and cited.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.evidence.report_title import is_informative
from graphrag_lite.evidence.sentence_reading import goes_on
from graphrag_lite.retrieval.report_ranking import partition, rank_reports
from graphrag_lite.search.answer import NOTHING, Answer, Ranking, Statement, compose
from graphrag_lite.search.community_answers import theme_statements
from graphrag_lite.search.extractive.entity_statements import description_statements
from graphrag_lite.search.extractive.read_unit import read_out
from graphrag_lite.search.extractive.releases import latest_changes
from graphrag_lite.search.extractive.sentence_choice import choose_sentences
from graphrag_lite.search.extractive.statements import broad_match, is_statement
from graphrag_lite.search.overview_names import MORE_NAMES, NAMES, counted, most_named, shared_values
from graphrag_lite.text.numbered_titles import without_part
from graphrag_lite.text.sentences import sentences, trimmed
from graphrag_lite.text.transcripts import PERSONS, QUOTED, is_talk, speaker_at, speakers, spoken_span
from graphrag_lite.text.word_lists import expressions, sections
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    from graphrag_lite.graph.sparse import Vector
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

HEADINGS = {
    "person": "People",
    "organization": "Organizations",
    "location": "Places",
    "work": "Works",
    "product": "Products",
    "event": "Events",
    "concept": "Concepts",
    "code": "Commands and identifiers",
    "unknown": "Other names",
}
DESCRIBED = 5  # of the names that are asked for: told with a sentence each
MAX_FIELDS = 6
TITLED = 5  # works, of one or many documents, whose titles are all told
LONGEST = 8  # documents, of more, whose titles are told
LEAST_UNITS = 3  # that name what has changed
READ_UNITS = 60  # text units that sentences of disagreement are looked for in
DISAGREEMENT = "Sentences that speak of disagreement:"
AGAINST = " ".join(sections(__package__, "overview.txt")["against"])  # words of who is of another opinion
_AGAINST = re.compile(rf"\b(?:{expressions(__package__, 'overview.txt')['held']})\b", re.I)
_OWN_NAME = re.compile(r"I(?:['’]m| am) (?=[A-Z])")
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")


def overview(
    question: "Question", method: str, ranking: Ranking, reports: Sequence[Mapping[str, Any]] | None = None
) -> Answer:
    """Answer a question about the whole corpus, of the `aspects` that it asks for, else of all.

    `reports` are those that tell the themes, best first; by default, the top level's.
    """
    index, aspects = question.index, question.aspects or set()
    lines = [_corpus(index)]
    statements: list[Statement] = []
    kinds = sorted(aspects & set(HEADINGS))
    if "change" in aspects:
        changed, statements = _changes(index, [int(year) for year in _YEAR.findall(question.text)])
        lines += changed
    if "problem" in aspects:
        statements += _recurring(index)
    if "disagreement" in aspects:
        statements += _disagreements(index)
        lines.append(DISAGREEMENT if statements else "No sentence speaks of disagreement.")
        kinds = []
    if not aspects:
        lines += _titles(index) + _tables(index) + _fields(index)
    for kind in kinds or HEADINGS if kinds or not aspects else ():
        rows = most_named(index, kind, requested=bool(kinds))
        if rows:
            named = ", ".join(counted(index, row) for row in rows)
            lines.append(f"{HEADINGS[kind]}: {named}")
        elif kinds:
            lines.append(f"{HEADINGS[kind]}: none that comes up twice")
        if kinds:
            statements += [
                statement for row in rows[:DESCRIBED] for statement in _described(index, row["row"], statements)
            ]
    if not aspects:
        if reports is None:
            rows = index.report_rows
            reports = [rows[i] for i in rank_reports(index, [], rows, partition(rows, 0)).order]
        statements = theme_statements(index, reports)
    composed = compose(question, method, statements, ranking)
    body = "" if composed.answer == NOTHING else f"\n\n{composed.answer}"
    return replace(composed, answer="\n".join(lines) + body, abstained=False)


def _described(index: "SnapshotView", entity: int, others: Sequence[Statement]) -> list[Statement]:
    """Return the first sentence that describes an entity and says something of its own; none where none does."""
    statements = (one for one in description_statements(index, entity) if not _is_talk(index, one))
    found = [one for one in statements if is_statement(index, one, others)]
    return sorted(found, key=lambda one: _is_aside(index, one))[:1]


def _is_aside(index: "SnapshotView", statement: Statement) -> bool:
    """Say whether a place begins with what somebody says, or tells a case of what was told before."""
    sentence = read_out(index, statement)[0]
    return sentence.startswith(QUOTED) or goes_on(sentence)


def _is_talk(index: "SnapshotView", statement: Statement) -> bool:
    """Say whether a place in a transcript only moves the talk on, or is what "I" say to "you", but for one's name."""
    text, language = index.document_of(statement.unit)
    if not speakers(text):
        return False
    sentence = text[statement.start : statement.end]
    spoken = language in PERSONS and PERSONS[language].search(sentence) and not _OWN_NAME.match(sentence)
    return bool(is_talk(sentence) or spoken)


def _recurring(index: "SnapshotView") -> list[Statement]:
    """Return the titles that documents share, with how many do, each above the first sentence of the newest."""
    first_unit = {row: unit for unit, row in reversed(list(enumerate(index.document_row)))}
    found: list[Statement] = []
    for title, rows in index.recurring_titles[:MORE_NAMES]:
        if not (units := [first_unit[row] for row in rows if row in first_unit]):
            continue
        newest = min(units, key=lambda unit: (-np.nan_to_num(index.days[unit]), unit))
        statements = _sentences(index, newest)
        one = next((statement for statement in statements if is_statement(index, statement, ())), statements[0])
        found.append(replace(one, about=f"{title} ({len(rows):,} documents)"))
    return found


def _disagreements(index: "SnapshotView") -> list[Statement]:
    """Return sentences that speak of disagreement, of the text units that do so most, none of which says another's."""
    query_terms = [term for language in index.languages for term in terms(AGAINST, language)]
    match = broad_match(index.bm25, query_terms)
    found: list[Statement] = []
    for unit in np.argsort(-match, kind="stable")[:READ_UNITS].tolist():
        statements = _sentences(index, unit) if match[unit] > 0 else []
        own = (
            one for one in statements if _AGAINST.search(read_out(index, one)[0]) and is_statement(index, one, found)
        )
        if len(found) < DESCRIBED and (one := next(own, None)):
            found.append(replace(one, about=speaker_at(index.document_of(unit)[0], one.start)))
    return found


def _sentences(index: "SnapshotView", unit: int) -> list[Statement]:
    """Return the sentences of a text unit, without who says them and when."""
    text, language = index.document_of(unit)
    start, end = (index.cell("text_units", name, unit) for name in ("char_start", "char_end"))
    spans = [trimmed(text, start + first, start + last) for first, last in sentences(text[start:end], language)]
    return [Statement(unit, *spoken_span(text, *span)) for span in spans if span[0] < span[1]]


def _fields(index: "SnapshotView") -> list[str]:
    """Return a line for each field of which documents share few values, with the commonest."""
    lines = []
    for field, values in sorted(shared_values(index).items())[:MAX_FIELDS]:
        shown = ", ".join(f"{escape_marks(value)} ({n:,})" for n, value in values[:NAMES])
        lines.append(f"{escape_marks(field)}: {shown}")
    return lines


def _corpus(index: "SnapshotView") -> str:
    """Say how much the corpus is, of when, and in which languages."""
    days = index.days[~np.isnan(index.days)]
    dated = ""
    if len(days):
        first, last = (date.fromordinal(int(day)).isoformat() for day in (days.min(), days.max()))
        rows = np.asarray(index.document_row)[~np.isnan(index.days)]
        n_dated = len(np.unique(rows))
        some = f"{n_dated:,} of them " if 2 * n_dated < index.n_rows("documents") else ""
        dated = f", {some}dated {first}" + (f" to {last}" if last != first else "")
    spoken = f", languages: {', '.join(filter(None, index.languages))}" if any(index.languages) else ""
    n_communities = index.n_rows("communities")
    communities = "1 community" if n_communities == 1 else f"{n_communities:,} communities"
    found = f"{index.n_rows('entities'):,} entities in {communities}"
    n = index.n_rows("documents")
    works: dict[str, None] = {}
    for title in filter(None, index.column("documents", "title").to_pylist()):
        works[without_part(title)] = None
        if len(works) > TITLED:
            break
    called = f" ({', '.join(map(escape_marks, works))})" if 0 < len(works) <= TITLED else ""
    return f"{n:,} document{'s' * (n != 1)}{called}{dated}{spoken}; {found}."


def _titles(index: "SnapshotView") -> list[str]:
    """Return a line with the titles of the longest works that are no rows of a table, where these are many."""
    rows = {row for file in index.table_files for row in file.rows}
    n_units = Counter(row for row in index.document_row if row not in rows)
    titles = index.column("documents", "title")
    of: Counter[str] = Counter()
    for row, n in n_units.items():
        of[without_part(titles[row].as_py())] += n
    longest = sorted((title for title in of if is_informative(title)), key=lambda title: (-of[title], title))
    if len(longest) <= TITLED:
        return []
    return [f"Longest texts (of {len(of):,}): {'; '.join(map(escape_marks, longest[:LONGEST]))}"]


def _tables(index: "SnapshotView") -> list[str]:
    """Return a line for each of the largest tables: its rows, and what columns they have."""
    files = sorted(index.table_files, key=lambda file: -len(file.rows))[:MAX_FIELDS]
    return [f"{file.path}: {len(file.rows):,} rows, with {', '.join(map(escape_marks, file.fields))}" for file in files]


def _comparable(index: "SnapshotView") -> tuple["Vector", str]:
    """Return the days of the text units that may be compared by when they are from, else nan, and which they are.

    Of several tables, and of one beside other documents, it is what most dated text units are of: that another table
    begins later changed nothing.
    """
    days, group = index.days, np.zeros(index.n_rows("documents"), np.int64)
    for number, file in enumerate(index.table_files, 1):
        group[file.rows] = number
    of_unit = group[np.asarray(index.document_row, np.int64)]
    dated = np.bincount(of_unit[~np.isnan(days)])
    if np.count_nonzero(dated) < 2:
        return days, ""
    best = int(dated.argmax())
    which = f"the rows of {index.table_files[best - 1].path}" if best else "the documents that are no rows of a table"
    return np.where(of_unit == best, days, np.nan), f"Compared are {which}."


def _changes(index: "SnapshotView", years: Sequence[int]) -> tuple[list[str], list[Statement]]:
    """Return what is named more, and less, in the second of two periods, and a sentence of it on what is named more.

    The periods are the first and the last of `years`, else the first and the last third of the time.
    """
    if not years and (latest := latest_changes(index)):
        return ["Its logs of changes begin with:"], latest
    days, which = _comparable(index)
    dated = days[~np.isnan(days)]
    if not len(dated):
        return ["Its documents are not dated: what changed cannot be told."], []
    if dated.min() == dated.max():
        day = date.fromordinal(int(dated[0])).isoformat()
        return [f"All that is dated is of {day}: what changed cannot be told."], []
    if len(set(years)) > 1:
        spans = [(date(year, 1, 1).toordinal(), date(year, 12, 31).toordinal()) for year in (min(years), max(years))]
        names = [str(min(years)), str(max(years))]
    else:
        first, last = int(dated.min()), int(dated.max())
        third = (last - first) // 3
        spans = [(first, first + third), (last - third, last)]
        names = [" to ".join(date.fromordinal(day).isoformat() for day in span) for span in spans]
    held = [(days >= first) & (days <= last) for first, last in spans]
    totals = [int(one.sum()) for one in held]
    if not all(totals):
        empty = names[totals.index(0)]
        return [f"No document is dated in {empty}: what changed cannot be told."], []
    named = index.links.units.with_data(np.ones_like(index.links.units.data))
    counts = [named @ one.astype(np.float64) for one in held]
    gained = counts[1] / totals[1] - counts[0] / totals[0]
    lines, statements = [which] * bool(which), []
    titles = index.column("entities", "title")
    for word, sign in (("More", 1.0), ("Less", -1.0)):
        order = np.argsort(-sign * gained, kind="stable").tolist()
        best = [i for i in order if sign * gained[i] > 0 and max(counts[0][i], counts[1][i]) >= LEAST_UNITS]
        best = best[:MORE_NAMES]
        listed = ", ".join(
            f"{titles[i].as_py()} ({counts[0][i] / totals[0]:.0%} to {counts[1][i] / totals[1]:.0%})" for i in best
        )
        lines.append(f"{word} in {names[1]} than in {names[0]}, by passages that name it: {listed or 'nothing'}")
        if sign > 0:
            statements = list(_statements_about(index, best[:DESCRIBED], held[1]))
    return lines, statements


def _statements_about(
    index: "SnapshotView", entities: Sequence[int], held: "np.ndarray[Any, Any]"
) -> Iterator[Statement]:
    """Yield a sentence for each of some entities, of the text units that are `held`, (n_units,)."""
    titles, matrix = index.column("entities", "title"), index.links.units
    for entity in entities:
        units = matrix.indices[matrix.indptr[entity] : matrix.indptr[entity + 1]]
        counts = matrix.data[matrix.indptr[entity] : matrix.indptr[entity + 1]]
        own = [(-float(n), int(unit)) for unit, n in zip(units, counts, strict=True) if held[unit]]
        best = [unit for _, unit in sorted(own)[:DESCRIBED]]
        query_terms = terms(titles[entity].as_py(), index.languages[0] if index.languages else "")
        chosen = choose_sentences(index, query_terms, best, DESCRIBED) if best and query_terms else []
        for statement in [one for one in chosen if is_statement(index, one, ())][:1]:
            yield replace(statement, about=titles[entity].as_py())

"""Answers about the corpus as a whole, from the tables: what it is, who and what is in it, its themes, what changed.

Counts are of the tables, and so are their lines; every sentence below them is one of the corpus, and cited.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag_lite.retrieval.report_ranking import partition, rank_reports, report_rows
from graphrag_lite.search.answer import NOTHING, Answer, Ranking, Statement, compose
from graphrag_lite.search.community_answers import themes
from graphrag_lite.search.entity_statements import description
from graphrag_lite.search.sentence_choice import choose_sentences
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import Loaded

HEADINGS = {
    "person": "People",
    "organization": "Organizations",
    "location": "Places",
    "work": "Works",
    "product": "Products",
    "event": "Events",
    "concept": "Concepts",
    "unknown": "Other names",
}
NAMES, ASKED_NAMES = 5, 10  # in a line, and where the question asks for it
DESCRIBED = 5  # of the names that are asked for: told with a sentence each
MANY, SELDOM = 5, 0.05  # documents that names are counted by; of the count of the first, what is left out
LEAST_UNITS = 3  # that name what has changed
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")


def overview(
    question: "Question", method: str, ranking: Ranking, reports: Sequence[Mapping[str, Any]] | None = None
) -> Answer:
    """Answer a question about the whole corpus, of the `aspects` that it asks for, else of all.

    `reports` are those that tell the themes, best first; by default, the top level's.
    """
    index, asked = question.index, question.aspects or set()
    lines = [_corpus(index)]
    said: list[Statement] = []
    if "change" in asked:
        changed, said = _changes(index, [int(year) for year in _YEAR.findall(question.text)])
        lines += changed
    kinds = sorted(asked - {"change"})
    for kind in kinds or HEADINGS if asked != {"change"} else ():
        rows = _most_named(index, kind)
        if rows:
            named = ", ".join(_counted(index, row) for row in rows[: ASKED_NAMES if kinds else NAMES])
            lines.append(f"{HEADINGS[kind]}: {named}")
        if kinds:
            said += [told for row in rows[:DESCRIBED] for told in description(index, row["row"])[:1]]
    if not asked:
        if reports is None:
            rows = report_rows(index)
            reports = [rows[i] for i in rank_reports(index, [], rows, partition(rows, 0)).order]
        said = themes(index, reports)
    told = compose(question, method, said, ranking)
    body = "" if told.answer == NOTHING else f"\n\n{told.answer}"
    return replace(told, answer="\n".join(lines) + body, abstained=False)


def _corpus(index: "Loaded") -> str:
    """Say how much the corpus is, of when, and in which languages."""
    days = index.days[~np.isnan(index.days)]
    dated = ""
    if len(days):
        first, last = (date.fromordinal(int(day)).isoformat() for day in (days.min(), days.max()))
        dated = f", dated {first}" + (f" to {last}" if last != first else "")
    spoken = f", languages: {', '.join(filter(None, index.languages[:NAMES]))}" if any(index.languages) else ""
    n_communities = index.n_rows("communities")
    communities = "1 community" if n_communities == 1 else f"{n_communities:,} communities"
    found = f"{index.n_rows('entities'):,} entities in {communities}"
    n = index.n_rows("documents")
    return f"{n:,} document{'s' * (n != 1)}{dated}{spoken}; {found}."


def _most_named(index: "Loaded", kind: str) -> list[dict[str, Any]]:
    """Return the entities of a type that are named most, each with its row, by documents where there are many.

    What is named once, or hardly ever beside the first, is left out.
    """
    import pyarrow.compute as pc

    by = _counted_by(index)
    table = index.arrow("entities").select(["title", "type", *dict.fromkeys((by, "n_mentions"))])
    rows = np.flatnonzero(pc.equal(table["type"], kind).to_numpy(zero_copy_only=False))
    order = np.lexsort([rows, *(-table[name].to_numpy()[rows] for name in ("n_mentions", by))])
    rows = rows[order[:ASKED_NAMES]]
    found = [row | {"row": int(i)} for i, row in zip(rows, table.take(rows).to_pylist(), strict=True)]
    least = max(2, SELDOM * found[0][by]) if found else 0
    return [row for row in found if row[by] >= least]


def _counted_by(index: "Loaded") -> str:
    return "n_documents" if index.n_rows("documents") >= MANY else "n_mentions"


def _counted(index: "Loaded", row: Mapping[str, Any]) -> str:
    by = _counted_by(index)
    return f"{row['title']} ({row[by]:,} {by.removeprefix('n_')})"


def _changes(index: "Loaded", years: Sequence[int]) -> tuple[list[str], list[Statement]]:
    """Return what is named more, and less, in the second of two periods, and a sentence of it on what is named more.

    The periods are the first and the last of `years`, else the first and the last third of the time.
    """
    dated = index.days[~np.isnan(index.days)]
    if not len(dated):
        return ["Its documents are not dated: what changed cannot be told."], []
    if len(set(years)) > 1:
        spans = [(date(year, 1, 1).toordinal(), date(year, 12, 31).toordinal()) for year in (min(years), max(years))]
        names = [str(min(years)), str(max(years))]
    else:
        first, last = int(dated.min()), int(dated.max())
        third = (last - first) // 3
        spans = [(first, first + third), (last - third, last)]
        names = [" to ".join(date.fromordinal(day).isoformat() for day in span) for span in spans]
    held = [(index.days >= first) & (index.days <= last) for first, last in spans]
    totals = [int(one.sum()) for one in held]
    if not all(totals):
        empty = names[totals.index(0)]
        return [f"No document is dated in {empty}: what changed cannot be told."], []
    named = index.links.units.copy()
    named.data = np.ones_like(named.data)
    counts = [named @ one.astype(np.float64) for one in held]
    gained = counts[1] / totals[1] - counts[0] / totals[0]
    lines, said = [], []
    titles = index.arrow("entities")["title"]
    for word, sign in (("More", 1.0), ("Less", -1.0)):
        order = np.argsort(-sign * gained, kind="stable").tolist()
        best = [i for i in order if sign * gained[i] > 0 and max(counts[0][i], counts[1][i]) >= LEAST_UNITS]
        best = best[:ASKED_NAMES]
        told = ", ".join(
            f"{titles[i].as_py()} ({counts[0][i] / totals[0]:.0%} to {counts[1][i] / totals[1]:.0%})" for i in best
        )
        lines.append(f"{word} in {names[1]} than in {names[0]}, by passages that name it: {told or 'nothing'}")
        if sign > 0:
            said = list(_told_in(index, best[:DESCRIBED], held[1]))
    return lines, said


def _told_in(index: "Loaded", entities: Sequence[int], held: "np.ndarray[Any, Any]") -> Iterator[Statement]:
    """Yield a sentence for each of some entities, of the text units that are `held`, (n_units,)."""
    titles, matrix = index.arrow("entities")["title"], index.links.units
    for entity in entities:
        units = matrix.indices[matrix.indptr[entity] : matrix.indptr[entity + 1]]
        counts = matrix.data[matrix.indptr[entity] : matrix.indptr[entity + 1]]
        own = [(-float(n), int(unit)) for unit, n in zip(units, counts, strict=True) if held[unit]]
        best = [unit for _, unit in sorted(own)[:DESCRIBED]]
        asked = terms(titles[entity].as_py(), index.languages[0] if index.languages else "")
        for place in choose_sentences(index, asked, best, 1) if best and asked else ():
            yield replace(place, about=titles[entity].as_py())

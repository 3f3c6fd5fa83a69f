"""Community reports as a model reads them: which, in what order, in what portions."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from graphrag_lite.errors import CallError, ReplyError
from graphrag_lite.evidence.citation_marks import rewrite
from graphrag_lite.evidence.packing import pack_ranges
from graphrag_lite.evidence.records import Record
from graphrag_lite.prompts import RateReportPrompt
from graphrag_lite.retrieval.report_ranking import partition
from graphrag_lite.search.answer import Cited, Statement, cite
from graphrag_lite.search.context_records import Statements, TokenEstimate, cut_record
from graphrag_lite.search.extractive.read_unit import MAX_LENGTH
from graphrag_lite.text.sentences import sentences
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.snapshot_view import SnapshotView
    from graphrag_lite.search.model_query import Asking

Row = dict[str, Any]
SEED = "graphrag-lite"
MAX_PASSAGES = 2  # of each report in an answer without a model
MAX_MARKS = 3  # of each sentence of them
MARK = re.compile(r"\[(\d+)\]")
LEADING = re.compile(r"(?:\[\d+\]\s*)+")


async def choose_relevant(index: "SnapshotView", rows: Sequence[Row], question: str, asking: "Asking") -> list[int]:
    """Return the rows of the reports that the model calls relevant, from the top level down, as deep as they go.

    Only the children of a relevant community are looked at. A community stands for itself where no child is relevant;
    where one is, the parent is left out, and so are its other children. A report that could not be rated is kept.
    """
    below: dict[int, list[int]] = defaultdict(list)
    for i, row in enumerate(rows):
        below[row["parent"]].append(i)
    count = TokenEstimate.of(index)

    async def rate(i: int) -> bool:
        record = cut_to_budget(report_record(index, i), index.search_settings.max_context_tokens, count)
        try:
            return await asking.yes(RateReportPrompt(without_marks(record), question))
        except (CallError, ReplyError) as error:
            asking.failed(f"rating of community {rows[i]['community']}", error)
            return True

    chosen: list[int] = []
    parents: dict[int, int] = {}
    frontier = partition(rows, 0)
    while frontier:
        ratings = await asking.map(rate, frontier)
        relevant = [i for i, rating in zip(frontier, ratings, strict=True) if rating]
        answered = {parents[i] for i in relevant if i in parents}
        chosen = [i for i in chosen if i not in answered] + relevant
        children = {child: i for i in relevant for child in below.get(rows[i]["community"], ())}
        parents |= children
        frontier = sorted(children)
    return sorted(chosen)


def report_record(index: "SnapshotView", report: int) -> Record:
    """Return a report, by its row, as a record: title, summary, findings. What its summary says is not said again."""
    row = index.arrow("community_reports").slice(report, 1).to_pylist()[0]
    statements: dict[int, Statements] = {}
    for citation in row["citations"]:
        statement = Statement(index.unit_row[citation["text_unit_id"]], citation["char_start"], citation["char_end"])
        statements[citation["n"]] = (*statements.get(citation["n"], ()), statement)
    title, summary = " ".join(row["title"].split()), " ".join(row["summary"].split())
    lines = [f"Report: {title}", summary]
    for finding in row["findings"]:
        explanation = " ".join(finding["explanation"].split())
        if explanation not in summary:
            lines.append(f"- {' '.join(finding['summary'].split())}: {explanation}")
    return Record(tuple(lines), statements)


def quote_reports(
    index: "SnapshotView", reports: Sequence[int], query_terms: Sequence[str], language: str
) -> tuple[str, list[Cited]]:
    """Return what written reports say to a question, a paragraph each, and what its marks point to.

    Of every report the marked passages that hold most of the question's terms, the first ones on ties, in the report's
    own order. Marks are numbered over the whole answer, in order of use.
    """
    wanted = set(query_terms)
    numbers: dict[tuple[int, int], int] = {}
    paragraphs: list[str] = []
    citations: list[Cited] = []
    for report in reports:
        title, *lines = (record := report_record(index, report)).lines
        marked = [sentence for line in lines for sentence in _marked(line.removeprefix("- "), language)]
        ranks = [(-len(wanted & set(terms(sentence, language))), i) for i, sentence in enumerate(marked)]
        quoted = []
        for _, i in sorted(sorted(ranks)[:MAX_PASSAGES], key=lambda rank: rank[1]):
            shown = list(dict.fromkeys(n for n in map(int, MARK.findall(marked[i])) if n in record.citations))[
                :MAX_MARKS
            ]
            for n in shown:
                if (report, n) not in numbers:
                    numbers[report, n] = len(numbers) + 1
                    citations += [cite(index, numbers[report, n], statement) for statement in record.citations[n]]
            known = {n: numbers[report, n] for n in shown}
            quoted.append(rewrite(marked[i], known.get))
        if quoted:
            paragraphs.append(f"{title.removeprefix('Report: ')}: {' '.join(quoted)}")
    return "\n\n".join(paragraphs), citations


def _marked(line: str, language: str) -> list[str]:
    """Return the passages of a line that end with marks: a sentence, with those before it that have none of their own.

    Of a long passage it is the end. Marks that follow the full stop belong to the sentence before.

    >>> _marked("He died [1]. He was rich. He was old. [2][3] Nobody came.", "en")
    ['He died [1].', 'He was rich. He was old. [2][3]']
    """
    passages: list[str] = []
    waiting: list[str] = []
    for start, end in sentences(line, language):
        sentence = line[start:end].strip()
        if marks := LEADING.match(sentence):
            if waiting:
                waiting[-1] += f" {marks[0].strip()}"
                passages.append(_end_of(waiting))
                waiting = []
            sentence = sentence[marks.end() :]
        if sentence:
            waiting.append(sentence)
        if MARK.search(sentence):
            passages.append(_end_of(waiting))
            waiting = []
    return passages


def _end_of(passage: list[str]) -> str:
    """Return the last sentences of a passage, as many as are read at a glance."""
    first = len(passage) - 1
    while first > 0 and sum(map(len, passage[first - 1 :])) <= MAX_LENGTH:
        first -= 1
    return " ".join(passage[first:])


def stable_shuffle(rows: Sequence[Row], chosen: Iterable[int]) -> list[int]:
    """Return the chosen rows in a random order with a fixed seed, in which a report that changes moves alone."""
    return sorted(chosen, key=lambda i: hashlib.sha256(f"{SEED} {rows[i]['id']}".encode()).hexdigest())


def without_marks(record: Record) -> str:
    """Return a record as it is shown to be judged, without marks."""
    return rewrite("\n".join(record.lines), lambda _: None)


def cut_to_budget(record: Record, budget: int, count: TokenEstimate) -> Record:
    """Return a record that is no longer than a budget of tokens: its first lines, or the beginning of the first two."""
    fitting = cut_record(record, budget, count)
    if fitting:
        return fitting
    beginning = "\n".join(record.lines)[: int(budget / count.per_byte) // 4 - 4]  # no character has more than 4 bytes
    return Record((beginning,), record.citations)


def batch_records(records: Sequence[Record], budget: int, count: TokenEstimate) -> list[list[Record]]:
    """Cut records into lists that fit a budget of tokens each, in their order; a change leaves most lists as they were.

    >>> [len(part) for part in batch_records([Record((letter * 40,), {}) for letter in "abcdef"], 25,
    ...  TokenEstimate(0.25))]
    [2, 1, 2, 1]
    """
    made = [cut_to_budget(record, budget, count) for record in records]
    ranges = pack_ranges(["\n".join(record.lines) for record in made], [count(record) for record in made], budget)
    return [[made[i] for i in indices] for indices in ranges]

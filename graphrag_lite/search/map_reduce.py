"""Map and reduce: points from batches of records, and the context of the answer from the points."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from graphrag_lite.errors import CallError, ReplyError
from graphrag_lite.evidence.citation_marks import Marks
from graphrag_lite.evidence.records import Record, Shown, record_line
from graphrag_lite.prompts import GlobalReducePrompt
from graphrag_lite.search.answer import Answer, Ranking
from graphrag_lite.search.context_records import RecordSection, TokenEstimate, pack
from graphrag_lite.search.model_query import POINTS_SCHEMA, Asking, Point, read_points
from graphrag_lite.search.reports import cut_to_budget

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question


async def map_reports(
    portions: Sequence[Sequence[Record]], prompt: Callable[[str], object], asking: Asking, kind: str
) -> tuple[list[Record], int]:
    """Ask about every batch of records; return the points by falling score, and how many marks were left out.

    `prompt` makes a prompt of a batch's text; failures call its records `kind`, in the singular. A point's marks are
    checked against what its own call was shown. Ties stand in the order of the batches. Raises CallError where every
    call has failed.
    """

    async def read(number: int) -> tuple[list[tuple[Point, Record]], int] | None:
        shown = Shown()
        try:
            records = "\n\n".join(shown.show(record) for record in portions[number])
            points = await asking.ask(prompt(records), read_points, POINTS_SCHEMA)
        except (CallError, ReplyError) as error:
            asking.failed(f"{kind}s {number + 1} of {len(portions)}", error)
            return None
        found = [(point, *point_record("", point, shown)) for point in points]
        return [(point, record) for point, record, _ in found], sum(n_dropped for *_, n_dropped in found)

    replies = await asking.map(read, range(len(portions)))
    answered = [reply for reply in replies if reply is not None]
    if portions and not answered:
        what, error, _ = asking.model.failures[-1]
        raise CallError(f"No {kind} could be read. {what}: {error}")
    points = sorted((point for found, _ in answered for point in found), key=lambda found: -found[0].score)
    return [record for _, record in points], sum(n_dropped for _, n_dropped in answered)


def point_record(question: str, point: Point, shown: Shown) -> tuple[Record, int]:
    """Return a point as a record of the reduce call, behind its `question`, and how many marks were left out."""
    marks = Marks(shown=shown.marks)
    about = f" ({record_line(question)})" if question else ""
    line = f"- Importance {point.score:.0f}{about}: {marks.renumber(point.description)}"
    return Record((line,), {n: shown.citations[number - 1] for number, n in marks.numbers.items()}), marks.n_dropped


async def answer_of_points(
    question: "Question", method: str, ranking: Ranking, points: Sequence[Record], n_dropped: int, asking: Asking
) -> Answer:
    """Have the answer written from points, the most important first; without any, the corpus does not say."""
    index, shown = question.index, Shown()
    records = reduce_context(points, index.search_settings.max_context_tokens, TokenEstimate.of(index), shown)
    prompt = GlobalReducePrompt(asking.response_type, records, question.text)
    written = await asking.write(prompt, shown.marks) if points else asking.nothing()
    return asking.answer(question, method, ranking, shown, written, n_dropped)


def reduce_context(points: Sequence[Record], budget: int, count: TokenEstimate, shown: Shown) -> str:
    """Return the first points that fit a budget of tokens, as the reduce call reads them."""
    (packed,) = pack([RecordSection("", 1.0, [cut_to_budget(point, budget, count) for point in points])], budget, count)
    return "\n".join(shown.show(point) for point in packed)

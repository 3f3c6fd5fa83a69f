"""Map and reduce of global search: points from batches of reports, and the context of the answer from the points."""

from collections.abc import Sequence

from graphrag_lite.errors import CallError, ReplyError
from graphrag_lite.search.asking import Asking, Point
from graphrag_lite.search.context import Record, Section, Shown, TokenEstimate, pack
from graphrag_lite.search.reports import fitted
from graphrag_lite.text.marks import Marks


async def collect(portions: Sequence[Sequence[Record]], question: str, asking: Asking) -> tuple[list[Record], int]:
    """Ask about every batch of reports; return the points by falling score, and how many marks were left out.

    A point's marks are checked against what its own call was shown. Ties stand in the order of the batches. Raises
    CallError where every call has failed.
    """

    async def read(number: int) -> tuple[list[tuple[Point, Record]], int] | None:
        shown = Shown()
        try:
            points = await asking.points("\n\n".join(shown.show(record) for record in portions[number]), question)
        except (CallError, ReplyError) as error:
            asking.model.failed(f"reports {number + 1} of {len(portions)}", error)
            return None
        found = [_checked(point, shown) for point in points]
        return [(point, record) for point, record, _ in found], sum(n_dropped for *_, n_dropped in found)

    replies = await asking.map(read, range(len(portions)))
    answered = [reply for reply in replies if reply is not None]
    if portions and not answered:
        what, error, _ = asking.model.failures[-1]
        raise CallError(f"No report could be read. {what}: {error}")
    points = sorted((point for found, _ in answered for point in found), key=lambda found: -found[0].score)
    return [record for _, record in points], sum(n_dropped for _, n_dropped in answered)


def _checked(point: Point, shown: Shown) -> tuple[Point, Record, int]:
    marks = Marks(shown=shown.marks)
    line = f"- Importance {point.score:.0f}: {marks.renumber(point.description)}"
    places = {n: shown.places[number - 1] for number, n in marks.numbers.items()}
    return point, Record((line,), places), marks.n_dropped


def reduced(points: Sequence[Record], budget: int, count: TokenEstimate, shown: Shown) -> str:
    """Return the first points that fit a budget of tokens, as the reduce call reads them."""
    (packed,) = pack([Section("", 1.0, [fitted(point, budget, count) for point in points])], budget, count)
    return "\n".join(shown.show(point) for point in packed)

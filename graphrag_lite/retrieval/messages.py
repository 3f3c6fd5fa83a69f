"""Who says what a document holds, to whom and when: its messages, or what its lines are labelled with."""

from collections.abc import Iterable, Set
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from graphrag_lite.retrieval.entity_names import find_mentions
from graphrag_lite.tables import groups
from graphrag_lite.temporal.instants import first_second
from graphrag_lite.text.period import Period
from graphrag_lite.text.transcripts import LABELLED_LINE, label_name, speakers

if TYPE_CHECKING:
    import pyarrow as pa

    from graphrag_lite.retrieval.snapshot_view import SnapshotView

MOST_NAMED = 3  # recipients that a heading names
UNDATED = "without a date"


class IndexedMessage(NamedTuple):
    """What somebody says, characters [start, end) of a document; `time` is ISO 8601, empty where it states none."""

    row: int  # of the document
    start: int
    end: int
    speaker: str
    time: str
    to: tuple[str, ...] = ()
    cc: tuple[str, ...] = ()
    answers: str = ""  # who said what it answers

    @property
    def heading(self) -> str:
        """What stands over the message: who writes, when, and to whom.

        >>> IndexedMessage(0, 0, 9, "Ann", "2026-03-03T09:12:00+01:00", ("Bo", "Cy"), ("Di",)).heading
        'Ann, 2026-03-03 09:12, to Bo and Cy, cc Di'
        >>> IndexedMessage(0, 0, 9, "Ann", "", ("Bo", "Cy", "Di", "Ed"), (), "Flo").heading
        'Ann, without a date, to Bo, Cy, Di and 1 more, in answer to Flo'
        """
        parts = [self.speaker, self.time[:16].replace("T", " ") or UNDATED]
        parts += [f"to {_listed(self.to)}"] if self.to else []
        parts += [f"cc {_listed(self.cc)}"] if self.cc else []
        parts += [f"in answer to {self.answers}"] if self.answers not in ("", self.speaker, *self.to) else []
        return ", ".join(parts)


def messages_in(index: "SnapshotView", row: int) -> list[IndexedMessage]:
    """Return the messages of a document, by place; of a transcript, what is said below each label of a speaker."""
    import pyarrow as pa

    names = ("id", "reply_to", "kind", "speaker", "reference_time", "char_start", "char_end")
    own = index.columns("episodes", names).take(pa.array(index.episodes_of(row))).to_pylist()
    messages = [one for one in own if one["kind"] == "message" and one["speaker"]]
    if messages:
        return _written(index, row, messages)
    text = index.document_text(row)
    known = speakers(text)
    turns = [turn for turn in LABELLED_LINE.finditer(f"\n{text}") if label_name(turn[1]).casefold() in known]
    language = index.cell("documents", "language", row)
    if not any(find_mentions(label, language, index.names) for label in {label_name(turn[1]) for turn in turns}):
        return []  # "Description:", "Usage:" name nobody
    ends = [*(turn.start() for turn in turns), len(text)][1:]
    time = own[0]["reference_time"] if own else ""
    return [
        IndexedMessage(row, turn.start(), end, label_name(turn[1]), time) for turn, end in zip(turns, ends, strict=True)
    ]


def _written(index: "SnapshotView", row: int, messages: list[dict[str, Any]]) -> list[IndexedMessage]:
    """Return messages, each with the people that the card before it says it is written to."""
    text = index.document_text(row)
    people: dict[str, list[tuple[int, str]]] = {"To": [], "Cc": []}
    for block in index.cell("documents", "blocks", row) or ():
        start = block["char_start"]
        head = text[text.rfind("\n", 0, start) + 1 : start].partition(":")[0]
        if block["kind"] == "person" and head in people:
            people[head].append((start, text[start : block["char_end"]]))
    created, latest = index.cell("documents", "created_at", row), ""
    found = []
    for before, one in pairwise(({"char_end": 0}, *messages)):
        start, time = one["char_start"], one["reference_time"]
        # What states no time has its document's, which what was said before it may be later than.
        time = "" if time == created and first_second(time) < first_second(latest) else time
        latest = max(latest, time, key=first_second)
        to, cc = (tuple(who for at, who in people[head] if before["char_end"] <= at < start) for head in ("To", "Cc"))
        answers = _speaker(index, one["reply_to"])
        found.append(IndexedMessage(row, start, one["char_end"], one["speaker"], time, to, cc, answers))
    return found


def _speaker(index: "SnapshotView", episode: str) -> str:
    """Return who says an episode, by its id; "" where there is none."""
    row = index.row_of("episodes", episode, "id") if episode else -1
    return str(index.cell("episodes", "speaker", row)) if row >= 0 else ""


def answers_to(index: "SnapshotView", people: Set[str]) -> set[int]:
    """Return the documents in which something is said in answer to one of some people."""
    import pyarrow as pa
    import pyarrow.compute as pc

    episodes = index.columns("episodes", ("id", "speaker", "reply_to"))
    own = episodes.filter(pc.is_in(episodes["speaker"], value_set=pa.array(sorted(people), pa.string())))["id"]
    return set(_documents(index, pc.is_in(episodes["reply_to"], value_set=own.combine_chunks())))


def documents_in_periods(index: "SnapshotView", periods: Iterable[Period]) -> list[int]:
    """Return the documents in which something is said in one of some periods, in order."""
    import pyarrow.compute as pc

    days = pc.utf8_slice_codeunits(index.column("episodes", "reference_time"), 0, 10)
    found = set[int]()
    for first, last in ((one.first.isoformat(), one.last.isoformat()) for one in periods):
        found.update(_documents(index, pc.and_(pc.greater_equal(days, first), pc.less_equal(days, last))))
    return sorted(found)


def _documents(index: "SnapshotView", held: "pa.ChunkedArray") -> list[int]:
    """Return the documents of the episodes that are `held`."""
    found = index.column("episodes", "document_id").filter(held).unique()
    return [row for row in groups.row_indices(found, index.column("documents", "id")).tolist() if row >= 0]


def _listed(names: tuple[str, ...]) -> str:
    shown = [*names[:MOST_NAMED], *([f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else [])]
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))

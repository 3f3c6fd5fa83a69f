"""What tells a reader of one text unit its times and its "I": the date, who speaks, what was said before."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from graphrag_lite import tables
from graphrag_lite.temporal.latest_mentions import source_numbers
from graphrag_lite.text.plain_text import one_line

if TYPE_CHECKING:
    import pyarrow as pa

MAX_MESSAGES = 4  # before a text unit
LONGEST = 300  # characters of each


class Episode(NamedTuple):
    """A message, or a document that is none, in characters [start, end) of its document."""

    time: str
    speaker: str
    conversation: str
    start: int
    end: int


def context_lines(source_documents: "pa.Table", episodes: "pa.Table") -> Callable[[str, int, int], str]:
    """Return what gives the lines that stand in a prompt before the characters [start, end) of a document, by its id.

    Messages before it are those of its document, then those of documents of the same conversation that were said
    earlier: by their times, then by the numbers of their rows. What neither tells apart is left out.
    """
    texts = dict(tables.rows(source_documents, "id", "text"))
    numbers = source_numbers(dict(tables.rows(source_documents, "id", "source_id")))
    held: dict[str, list[Episode]] = defaultdict(list)
    spoken: dict[str, list[tuple[str, int, str, int]]] = defaultdict(list)  # time, row, document, place in it
    columns = ("document_id", "kind", "reference_time", "speaker", "role", "conversation", "char_start", "char_end")
    for document, kind, time, speaker, role, conversation, start, end in tables.rows(episodes, *columns):
        name = f"{speaker} of {conversation}" if role and conversation else speaker
        if kind == "message" and conversation and time:
            spoken[conversation].append((time, numbers.get(document, 0), document, len(held[document])))
        held[document].append(Episode(time, name, conversation if kind == "message" else "", start, end))
    for messages in spoken.values():
        messages.sort()

    def lines(document: str, start: int, end: int) -> str:
        here = [each for each in held[document] if each.start < end and each.end > start]
        if here and here[0].conversation:
            before = [(document, each) for each in held[document] if each.end <= start][-MAX_MESSAGES:]
            if (missing := MAX_MESSAGES - len(before)) and held[document][0].time:
                messages = spoken[here[0].conversation]
                index = bisect_left(messages, (held[document][0].time, numbers.get(document, 0)))
                earlier = [(other, held[other][n]) for _, _, other, n in messages[max(index - missing, 0) : index]]
                before = earlier + before
        else:
            before = []
        return _lines(here, [_shown(texts[other], each) for other, each in before])

    return lines


def dated(time: str) -> str:
    """Return the lines that stand before any part of a document that is no conversation."""
    return _lines([Episode(time, "", "", 0, 0)], [])


def _shown(text: str, episode: Episode) -> str:
    line = one_line(text[episode.start : min(episode.end, episode.start + LONGEST)])
    return line if not episode.speaker or line.startswith(episode.speaker) else f"{episode.speaker}: {line}"


def _lines(here: Sequence[Episode], before: Sequence[str]) -> str:
    speakers = dict.fromkeys(each.speaker for each in here if each.speaker)
    lines = [f"Date of the text: {here[0].time}"] if here and here[0].time else []
    lines += [f"Spoken by: {', '.join(map(one_line, speakers))}"] if speakers else []
    lines += ["Said before, to understand the text by; take nothing from it:"] if before else []
    return "\n".join([*lines, *(f"> {each}" for each in before)])

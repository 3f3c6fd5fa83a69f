"""Captions and transcripts with times: WebVTT and SubRip."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from graphrag_lite.read.documents import Composer, Fields, Loaded, Reader
from graphrag_lite.read.encoding import decode

CUE = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{2})[.,](\d{3})[ \t]+-->[ \t]+(?:(\d+):)?(\d{1,2}):(\d{2})[.,](\d{3})")
VOICE = re.compile(r"<v(?:\.[\w.]+)?[ \t]+([^>]+)>")
VOICES = re.compile(r"(?:^|(?<=\n))-[ \t]*(?=<v[. \t])|(?=<v[. \t])")  # "- <v Ann>Yes"
LABEL = re.compile(r"(?:^|>>[ ]?)(?:-[ ]?)?([A-ZÀ-Þ][\w.'’ -]{1,40}):[ ]+(?=\S)")
TAG = re.compile(r"<[^>]*>|\{\\[^}]*\}")
PAUSE = 4.0  # seconds without words, after which a new paragraph begins
LONGEST = 90.0  # seconds of a paragraph, after which it ends with the next sentence


@dataclass
class Turn:
    """What one speaker says without a pause; times in seconds."""

    speaker: str
    start: float
    end: float
    text: str


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    """Yield what is said, a paragraph a turn, each a block with the time at which it begins."""
    composer = Composer()
    for turn in _turns(decode(data)):
        composer.part()
        start = composer.length
        composer.add(f"{turn.speaker}: " if turn.speaker else "")
        composer.add(turn.text)
        composer.mark("time", _clock(turn.start), start)
        if turn.speaker:
            composer.mark_message(start, turn.speaker)
    if not composer.length:
        raise ValueError("no captions with their times")
    yield composer.loaded(path, "")


def _turns(text: str) -> list[Turn]:
    from html import unescape

    turns: list[Turn] = []
    for block in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n").replace("\r", "\n")):
        found = CUE.search(block)
        if not found:
            continue
        start, end = _seconds(*found.groups()[:4]), _seconds(*found.groups()[4:])
        for piece in VOICES.split(block[found.end() :].partition("\n")[2]):
            voice = VOICE.match(piece)
            plain = " ".join(unescape(TAG.sub("", piece)).split())
            label = None if voice else LABEL.match(plain)
            if label:
                plain = plain[label.end() :]
            named = next((each[1].strip() for each in (voice, label) if each), "")
            last = turns[-1] if turns else None
            if not plain or (last and plain == last.text):  # live captions say a line again
                continue
            speaker = named or (last.speaker if last and not voice else "")
            full = last and last.end - last.start > LONGEST and last.text.endswith((".", "?", "!", "。"))
            if last and last.speaker == speaker and start - last.end < PAUSE and not full:
                last.text, last.end = f"{last.text} {plain}", end
            else:
                turns.append(Turn(speaker, start, end, plain))
    return turns


def _seconds(hours: str | None, minutes: str, seconds: str, thousandths: str) -> float:
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds) + int(thousandths) / 1000


def _clock(seconds: float) -> str:
    """Return a time as a player shows it.

    >>> _clock(3725.9)
    '01:02:05'
    """
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"


READER = Reader({".vtt": "text/vtt", ".srt": "application/x-subrip"}, read)

"""A chat that WhatsApp has exported (.txt), by an Android phone ("30/05/2023, 23:40 - Ann: Hi") or an iPhone
("[30.05.23, 23:40:12] Ann: Hi"), in the phone's way to write dates; signal-export writes alike (.md)."""

import datetime
import re
from collections.abc import Iterator

from graphrag_lite.read.conversations import Chat, ShownMessage, chat_title, documents_of
from graphrag_lite.read.documents import Fields, Item, Reader
from graphrag_lite.read.encoding import decode, decoded_lines
from graphrag_lite.read.json_values import Listed

MARK = r"\u200f?[./-] ?"
DAY = rf"\u200f?\d{{1,4}}(?:{MARK}\d{{1,2}}{MARK}\d{{1,4}}\.?(?: г\.)?|[年년] ?\d{{1,2}}[月월] ?\d{{1,2}}[日일])"
HALF = r"(?:[ \u202f\u00a0]?(?:\w\.?[ \u202f\u00a0]?\w\.?|\w{1,4}\.?))?"
TIME = rf"(?:[^\W\d]{{1,9}}\.? ?)?\d{{1,2}}[:.]\d{{2}}(?:[:.]\d{{2}})?{HALF}"
WHEN = rf"{DAY}[,،]?\u200f? ?{TIME}|{TIME},? {DAY}"
HEAD = re.compile(rf"^[\u200e\u200f]?(?:\[(?P<ios>{WHEN})\] |(?P<android>{WHEN}) [-–] )(?P<rest>.*)$", re.I | re.M)
# A name, and no quotation in it: "Ann changed the subject to “Plan: B”" is said by nobody.
SPEAKER = re.compile(r"[\u200e\u200f\u202a\u202f\u00a0~ ]*([^:\n\"“”„«»]{1,60}?)\u202c?:(?: |$)")
MARKS = re.compile("[\u200e\u200f\u202a\u202c\ufeff]")
# What stands in the place of a picture or a call: in angle brackets, after a mark of direction, a file's name.
NO_WORDS = re.compile(r"(?:\u200e[^\n]*|<[^<>\n]{3,100}>|(?:[\w-]+\.\w{2,4} \([^()\n]{3,40}\)))\s*")
EDITED = re.compile(r"\s*(?:<[^<>\n]{3,40}>|\u200e<[^<>\n]{3,100}>)\s*$")
HALVES = {"ص": "am", "م": "pm", "π.μ.": "am", "μ.μ.": "pm", "PG": "am", "PTG": "pm"}  # that stand behind the hour
SAMPLE = 4000  # bytes by which a file is told


def recognises(data: bytes) -> bool:
    """Say whether a file begins as a chat does: its first line is a message, and so is one of the next."""
    try:
        text = decode(data[:SAMPLE].rpartition(b"\n")[0] or data)
    except ValueError:
        return False
    heads = [found.start() for found in HEAD.finditer(text)]
    return bool(heads) and not text[: heads[0]].strip(" \r\n\u200e\ufeff") and _is_spoken(text)


def _is_spoken(text: str) -> bool:
    return any(SPEAKER.match(found["rest"]) for found in HEAD.finditer(text))


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    """Yield a document a day. Days and months are told from the whole file: by its dates, and that they follow."""
    messages = Listed(lambda: _messages(data))
    yield from documents_of(Chat(path, chat_title(path), messages, _shown_message, daily=True), path, fields.time)


def _messages(data: bytes) -> Iterator[tuple[str, str, str]]:
    """Yield of each message what it has on its first line behind the time, the lines below, and the time."""
    first, time, more = "", "", [""]
    for line in decoded_lines(data):
        line = line.replace("\r\n", "\n")
        if found := HEAD.match(line):
            if time:
                yield first, "".join(more), time
            first, time, more = found["rest"], _time(found), ["\n"]
        else:
            more.append(line)
    if time:
        yield first, "".join(more), time


def _time(found: re.Match[str]) -> str:
    """Return the time of a message, its day first, in digits of ASCII, hours and minutes with colons between them."""
    stated = re.sub(r"[\u202f\u00a0]", " ", found["ios"] or found["android"])
    stated = re.sub(r"\d", lambda digit: str(int(digit[0])), MARKS.sub("", stated)).replace("،", ",")
    day = re.search(DAY, stated)
    if day is None:
        return stated
    date = _gregorian(day[0].removesuffix(" г."))
    rest = re.sub(r"(?<=\d)\.(?=\d{2})", ":", stated[: day.start()] + stated[day.end() :]).strip(" ,")
    hour, _, half = rest.removesuffix(" ч.").partition(" ")
    return f"{date} {hour} {HALVES.get(half, half)}".rstrip()


def _gregorian(day: str) -> str:
    """Return a day of the calendar of Persia, whose years are 1380 to 1424 and stand first, as one of ours; or "".

    >>> [_gregorian(day) for day in ("1403/12/30", "1402/7/1", "30/5/2023", "1402/12/30")]
    ['2025-03-20', '2023-09-23', '30/5/2023', '']
    """
    year, month, of_month = (int(each) for each in re.findall(r"\d+", day))
    if not 1380 <= year < 1425:
        return day
    if not (1 <= month <= 12 and of_month):
        return ""
    first, after = _persian_month(year, month), _persian_month(year + month // 12, month % 12 + 1)
    day_of_ours = first + datetime.timedelta(of_month - 1)
    return str(day_of_ours) if day_of_ours < after else ""


def _persian_month(year: int, month: int) -> datetime.date:
    """Return the first day of a month: eight leap years in 33; six months have 31 days, the others 30."""
    days = 365 * (year - 1400) + (8 * year + 21) // 33 - 340 + 31 * (month - 1) - max(0, month - 7)
    return datetime.date(2021, 3, 21) + datetime.timedelta(days)


def _shown_message(message: tuple[str, str, str]) -> ShownMessage | None:
    first, more, time = message
    found = SPEAKER.match(first)
    if found is None:
        return None
    words = first[found.end() :]
    placeholder = NO_WORDS.match(words)
    if placeholder:
        words = words[placeholder.end() :]
    text = MARKS.sub("", EDITED.sub("", words + more))
    return ShownMessage(MARKS.sub("", found[1]).strip(), text, time)


READER = Reader({".txt": "text/plain", ".md": "text/markdown"}, read, rows=True, recognises=recognises)

"""Calendars (.ics) and contacts (.vcf): a document for each event, task, entry of a journal, and person."""

import re
from collections.abc import Iterator

from graphrag_lite.read.documents import Composer, Fields, Loaded, Reader, replace_surrogates
from graphrag_lite.read.encoding import decode

FOLDED, ENTRIES = re.compile(r"\r?\n[ \t]"), ("VEVENT", "VTODO", "VJOURNAL", "VCARD")
LINE = re.compile(r'(?:[\w-]+\.)?([A-Za-z-]+)((?:;[^:;"\r\n]*(?:"[^"\r\n]*"[^:;"\r\n]*)*)*):(.*)')
CALLED = re.compile(r'(?i);CN=(?:"([^"]+)"|([^";]+))')
ESCAPED = re.compile(r"\\([nN,;\\])")
TIME = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d):?(\d\d)(Z?))?")
TITLES, TEXTS = ("SUMMARY", "FN"), ("DESCRIPTION", "NOTE")
# What else is told, by what it is called and the kind of its block (RFC 5545, RFC 6350).
REST = {"DTSTART": ("begins", ""), "DTEND": ("ends", ""), "DUE": ("due", ""), "STATUS": ("status", "")}
REST |= {"LOCATION": ("location", "value"), "ORGANIZER": ("organizer", "person"), "ATTENDEE": ("participant", "person")}
REST |= {"ORG": ("organization", "value"), "TITLE": ("position", ""), "TEL": ("telephone", ""), "EMAIL": ("email", "")}
REST |= {"ADR": ("address", ""), "BDAY": ("birthday", ""), "URL": ("url", ""), "CATEGORIES": ("categories", "")}


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    number = 0
    for number, stated in enumerate(_entries(FOLDED.sub("", decode(data))), start=1):
        yield _document(stated, f"{path}:{number}", fields)
    if not number:
        yield Loaded(path, "", "")


def _entries(text: str) -> Iterator[dict[str, list[str]]]:
    """Yield the properties of each entry, without those of what stands within it, such as an alarm."""
    stated: dict[str, list[str]] = {}
    within: list[str] = []
    for line in text.split("\n"):
        if not (found := LINE.match(line)):
            continue
        name, about, value = found[1].upper(), found[2], found[3].rstrip()
        if name == "BEGIN":
            within = [] if value.upper() in ENTRIES else within
            within.append(value.upper())
            stated = {} if value.upper() in ENTRIES else stated
        elif name == "END":
            if within and within.pop() in ENTRIES:
                yield stated
        elif within and within[-1] in ENTRIES:
            called = CALLED.search(about)
            if shown := (called[1] or called[2]) if called else _plain(value):
                stated.setdefault(name, []).append(replace_surrogates(shown))


def _document(stated: dict[str, list[str]], where: str, fields: Fields) -> Loaded:
    composer = Composer()
    metadata: dict[str, str] = {}
    for name, (called, kind) in REST.items():
        values = stated.get(name, ())
        for index, value in enumerate(values):
            composer.add("; " if index else f"{called}: ")
            composer.add(value, kind, called if kind else "")
        composer.add("\n" if values else "")
        metadata |= {called: "; ".join(values)} if values else {}
    composer.mark("card", "", 0)
    for text in (text for name in TEXTS for text in stated.get(name, ())):
        composer.part()
        composer.add(text)
    metadata |= {fields.time: metadata["begins"]} if "begins" in metadata else {}
    title = next((stated[name][0] for name in TITLES if name in stated), "")
    if not composer.length:
        composer.add(title)
    return composer.loaded(where, title, metadata)


def _plain(value: str) -> str:
    r"""Return what a value says: a time in ISO 8601, the parts of an address behind commas.

    >>> [_plain(each) for each in ("20240503T100000Z", ";;Mill Lane 3;Norwick", "mailto:a@x.org", r"One\, two\nlines")]
    ['2024-05-03T10:00:00Z', 'Mill Lane 3, Norwick', 'a@x.org', 'One, two\nlines']
    """
    if time := TIME.fullmatch(value):
        return "-".join(time.groups()[:3]) + (f"T{time[4]}:{time[5]}:{time[6]}{time[7]}" if time[4] else "")
    value = re.sub(r"(?i)^(?:mailto|tel):", "", value)
    if ";" in value.replace("\\;", ""):
        value = ", ".join(filter(None, value.split(";")))
    return ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value).strip()


READER = Reader({".ics": "text/calendar", ".vcf": "text/vcard"}, read, rows=True)

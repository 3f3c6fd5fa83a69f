"""Notes, calendars, contacts and rich text, as programs for them export them."""

import pytest

from graphrag_lite.read.documents import Fields, Loaded, Unreadable
from graphrag_lite.read.readers import all_readers

ENEX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export3.dtd">
<en-export><note><title>Boat trip</title><created>20230607T080910Z</created><tag>boats</tag><tag>Malta</tag>
<content><![CDATA[<?xml version="1.0"?><en-note><div>Ann rented the <b>Stella</b> &amp; sailed.</div><div>It rained.</div></en-note>]]></content>
<resource><data encoding="base64">AAAA</data></resource></note>
<note><title>Ropes</title><content><![CDATA[<en-note>Bo paid.</en-note>]]></content></note></en-export>"""
CALENDAR = """BEGIN:VCALENDAR
BEGIN:VEVENT
UID:1@x.org
DTSTART;TZID=Europe/Oslo:20240503T100000
SUMMARY:Board\\, again
LOCATION:Old Depot
ORGANIZER;CN=Ann Lee:mailto:ann@x.org
ATTENDEE;CN="Diaz; Bo";ROLE=REQ-PARTICIPANT:mailto:bo@x.org
DESCRIPTION:We decide on the cr
 ane.\\nBring the plans.
BEGIN:VALARM
DESCRIPTION:Reminder
END:VALARM
END:VEVENT
END:VCALENDAR
"""
CONTACT = """BEGIN:VCARD
VERSION:3.0
N:Lee;Ann;;;
FN:Ann Lee
ORG:Harbor Council;Cranes
item1.ADR;TYPE=home:;;Mill Lane 3;Norwick;;;
PHOTO;ENCODING=b:AAAA
NOTE:Sells ropes.
END:VCARD
"""
RICH = (
    rb"{\rtf1\ansi\ansicpg1251\deff0{\fonttbl{\f0 Arial;}}{\info{\title Letter}}{\*\generator x;}\uc1\f0 "
    rb"\'cf\'f0\'e8\'e2\'e5\'f2, {\b \u1084?\u1080?\u1088?}!\par \{1\} \u-10179?\u-8703? {\field{\*\fldinst HYPERLINK}{\fldrslt a site}}\par"
    rb" a\cell b\cell\row}"
)


def read(data: bytes | str, path: str) -> list[Loaded]:
    found = list(all_readers().read(data.encode() if isinstance(data, str) else data, path, Fields()))
    assert all(isinstance(item, Loaded) for item in found), found
    return found  # type: ignore[return-value]


def test_notes_of_evernote_are_documents() -> None:
    boat, ropes = read(ENEX, "a.enex")
    assert (boat.source_id, boat.title, boat.created_at) == ("a.enex:1", "Boat trip", "2023-06-07T08:09:10+00:00")
    assert boat.text == "Ann rented the Stella & sailed.\nIt rained." and boat.metadata == {"tags": "boats, Malta"}
    assert (ropes.title, ropes.text) == ("Ropes", "Bo paid.")


def test_entries_of_a_calendar_are_documents() -> None:
    (board,) = read(CALENDAR.replace("\n", "\r\n"), "a.ics")
    assert (board.title, board.created_at) == ("Board, again", "2024-05-03T10:00:00")
    card = "begins: 2024-05-03T10:00:00\nlocation: Old Depot\norganizer: Ann Lee\nparticipant: Diaz; Bo\n"
    assert board.text == f"{card}\nWe decide on the crane.\nBring the plans."
    named = [(each.kind, board.text[each.char_start : each.char_end]) for each in board.blocks if each.label]
    assert named == [("value", "Old Depot"), ("person", "Ann Lee"), ("person", "Diaz; Bo")]
    assert [each.text for each in read("BEGIN:VCALENDAR\nEND:VCALENDAR\n", "a.ics")] == [""]


def test_contacts_are_documents() -> None:
    (ann,) = read(CONTACT, "a.vcf")
    assert ann.title == "Ann Lee"
    assert ann.text == "organization: Harbor Council, Cranes\naddress: Mill Lane 3, Norwick\n\nSells ropes."


def test_rich_text_is_what_a_reader_sees() -> None:
    (letter,) = read(RICH, "a.rtf")
    assert (letter.title, letter.text) == ("Letter", "Привет, мир!\n\n{1} \U0001f601 a site\n\na | b")
    assert read(b"{\\rtf1 One\\'92s\\\n\\\nTwo {\\b cut", "a.rtf")[0].text == "One’s\n\nTwo cut"


@pytest.mark.parametrize(("data", "path"), [(b"no", "a.rtf"), (b"<note>", "a.enex")])
def test_what_is_none_is_a_failure(data: bytes, path: str) -> None:
    (item,) = all_readers().read(data, path, Fields())
    assert isinstance(item, Unreadable)

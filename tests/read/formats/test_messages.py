"""Mails and captions: who says what, and when."""

import pytest

from graphrag_lite.read.documents import Fields, Loaded, Unreadable
from graphrag_lite.read.readers import all_readers

MAIL = """From: =?utf-8?q?Zo=C3=AB_N=C3=BA=C3=B1ez?= <zoe@x.org>
To: Bo Diaz <bo@x.org>, lee@x.org
Subject: Launch
Date: Tue, 30 May 2023 23:40:00 +0200
Message-ID: <1@x.org>
Content-Type: text/plain; charset=utf-8

It flies on Monday.

On Mon, 29 May 2023, Bo Diaz wrote:
> When does it fly?
--\x20
Zoë
"""
CAPTIONS = """WEBVTT

NOTE nothing

1
00:11.000 --> 00:13.000 align:right
<v Ann Lee>It flies on

00:13.000 --> 00:16.000
<v Ann Lee><i>Monday</i> &amp; not before.

01:00:17.000 --> 01:00:18.000
<v Bo Diaz>Good.
"""


def read(data: str, path: str) -> Loaded:
    (item,) = all_readers().read(data.encode(), path, Fields())
    assert isinstance(item, Loaded), item
    return item


def test_a_mail_says_what_is_new_in_it() -> None:
    item = read(MAIL, "a.eml")
    assert (item.title, item.created_at) == ("Launch", "2023-05-30T23:40:00+02:00")
    assert item.text == "From: Zoë Núñez\nTo: Bo Diaz, lee@x.org\n\nIt flies on Monday."
    assert item.metadata == {"from": "Zoë Núñez", "to": "Bo Diaz, lee@x.org", "message_id": "<1@x.org>"}
    (message,) = item.messages
    assert (message.speaker, item.text[message.char_start : message.char_end]) == ("Zoë Núñez", "It flies on Monday.")
    assert (message.id, message.reply_to, message.conversation) == ("<1@x.org>", "", "<1@x.org>")


def test_a_mail_is_of_the_thread_that_its_first_mail_began() -> None:
    ids = "From: a@x.org\nMessage-ID: <3@x.org>\nIn-Reply-To: <2@x.org>\n{}\nYes."
    for references, first in (("", "<2@x.org>"), ("References: <1@x.org>\n <2@x.org>\n", "<1@x.org>")):
        (message,) = read(ids.format(references), "a.eml").messages
        assert (message.id, message.reply_to, message.conversation) == ("<3@x.org>", "<2@x.org>", first)


def test_a_mail_that_only_quotes_is_read_whole() -> None:
    assert "> yes" in read("From: a@x.org\nSubject: S\n\n> yes\n", "a.eml").text


def test_what_is_no_mail_is_a_failure() -> None:
    (item,) = all_readers().read(b"no headers here", "a.eml", Fields())
    assert isinstance(item, Unreadable)


@pytest.mark.parametrize("suffix", [".vtt", ".srt"])
def test_captions_are_turns_with_their_times(suffix: str) -> None:
    item = read(CAPTIONS if suffix == ".vtt" else CAPTIONS.replace(".000", ",000"), f"a{suffix}")
    assert item.text == "Ann Lee: It flies on Monday & not before.\n\nBo Diaz: Good."
    assert [block.label for block in item.blocks if block.kind == "time"] == ["00:00:11", "01:00:17"]
    assert [said.speaker for said in item.messages] == ["Ann Lee", "Bo Diaz"]

"""Mails and captions: who says what, and when."""

import pytest

from graphrag_lite.read.documents import Fields, Loaded, Unreadable
from graphrag_lite.read.formats.mail import parsed
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


@pytest.mark.parametrize(
    "quoted",
    [
        "On Wed, May 1, 2024 at 9:00 AM Ann Lee <ann@x.org> wrote:\n\n> Is it open?\n",
        "Am Mi., 1. Mai 2024 um 09:00 Uhr schrieb Ann Lee <\nann@x.org>:\n> Ist sie offen?\n",
        "2024年5月1日(水) 9:00 Ann Lee <ann@x.org>:\n\n> 開いていますか\n",
        "________________________________\nFrom: Ann Lee <ann@x.org>\nSent: Wednesday, May 1, 2024 9:00 AM\nTo: Bo\n"
        "Subject: Door\n\nIs it open?\n",
        "*Von:* Ann Lee\n*Gesendet:* Mittwoch, 1. Mai 2024 09:00\n*An:* Bo\n*Betreff:* Tür\n\nIst sie offen?\n",
        "Sent from my iPhone\n\n> On 1 May 2024, at 09:00, Ann Lee <ann@x.org> wrote:\n> \n> Is it open?\n",
        "Von meinem iPhone gesendet\n",
        "_______________________________________________\nOps mailing list\nOps@x.org\n",
    ],
)
def test_what_mail_programs_add_is_not_new(quoted: str) -> None:
    assert read(f"From: a@x.org\n\nYes.\n\n{quoted}", "a.eml").text.endswith("\nYes.")


def test_answers_between_what_they_answer_are_new() -> None:
    said = "Hi.\n\nAnn Lee wrote:\n> Is it open?\nYes.\n> And the roof?\nClosed.\n"
    assert read(f"From: a@x.org\n\n{said}", "a.eml").text.endswith("Hi.\n\nYes.\nClosed.")
    plain = "We have two shifts.\n\nFrom: the office\nSent: by road\n\nOn arrival Bo wrote:\nall fine."
    assert read(f"From: a@x.org\n\n{plain}", "a.eml").text.endswith(plain)


@pytest.mark.parametrize(
    "quoted",
    [
        '<div class="gmail_quote"><div class="gmail_attr">On Wed, May 1, 2024 Ann &lt;<a href="x">ann@x.org</a>&gt; wrote:'
        '<br></div><blockquote class="gmail_quote">Is it open?</blockquote></div>',
        '<div id="Signature">Bo</div><hr><div><b>From:</b> Ann<br><b>Sent:</b> May 1, 2024<br><b>Subject:</b> A</div>No?',
    ],
)
def test_what_an_html_mail_quotes_is_not_new(quoted: str) -> None:
    head = "From: a@x.org\nContent-Type: text/html\n\n"
    poem = "<p>As Poe says:</p><blockquote>Once upon a midnight</blockquote>"
    text = read(f"{head}{poem}<p>Yes.</p>{quoted}", "a.eml").text
    assert text.endswith("\nYes.") and "midnight" in text


def test_a_mail_that_is_forwarded_is_kept() -> None:
    mail = MAIL.replace("Subject: Launch", "Subject: FW: Crane").partition("\n\n")[0] + "\n\nPlease read.\n-- \nZoë\n\n"
    head = "From: Lee <lee@x.org>\nDate: Sun, 31 Dec 2023\nSubject: Crane\n\nThe crane broke.\n"
    for marked in (
        f"-----Original Message-----\n{head}",
        "Begin forwarded message:\n\n> " + head.replace("\n", "\n> "),
    ):
        text = read(mail + marked, "a.eml").text
        assert "Please read." in text and "From: Lee <lee@x.org>" in text and text.endswith("\nThe crane broke.")
    parts = 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n--b\n\nSee below.\n--b\nContent-Type: message/rfc822\n\n'
    head = head.replace("2023\n", "2023 10:00:00 +0000\n")
    text = read(MAIL.partition("Content-Type")[0] + parts + f"{head}\n--b--\n", "a.eml").text
    assert text.endswith(f"See below.\n\n{head.strip()}")


def test_a_mail_is_of_the_thread_that_its_first_mail_began() -> None:
    ids = "From: a@x.org\nMessage-ID: <3@x.org>\nIn-Reply-To: <2@x.org>\n{}\nYes."
    for references, first in (("", "<2@x.org>"), ("References: <1@x.org>\n <2@x.org>\n", "<1@x.org>")):
        (message,) = read(ids.format(references), "a.eml").messages
        assert (message.id, message.reply_to, message.conversation) == ("<3@x.org>", "<2@x.org>", first)


@pytest.mark.parametrize("damaged", ["<", '"', ".:\t", ":;=?", "a@[", "Ann Lee <"])
def test_a_mail_of_a_damaged_address_is_read(damaged: str) -> None:
    mail = parsed(f"From: {damaged}\nTo: =?utf-8?Q?J=C3=BCrgen?= <j@x.org>\nSubject: Rent\n\nIt is due.\n".encode())
    assert mail.text == "It is due." and mail.people["to"] == ["Jürgen"]


def test_a_mail_that_only_quotes_is_read_whole() -> None:
    assert "> yes" in read("From: a@x.org\nSubject: S\n\n> yes\n", "a.eml").text


def test_what_is_no_mail_is_a_failure() -> None:
    (item,) = all_readers().read(b"no headers here", "a.eml", Fields())
    assert isinstance(item, Unreadable)


def test_a_text_behind_a_picture_is_of_the_mail() -> None:
    parts = ["Content-Type: text/plain\n\nOne.", "Content-Type: image/png; name=a.png\n\nx"]
    parts += ["Content-Type: text/plain; charset=latin-1\n\nTwo.", "Content-Type: text/plain; name=b.txt\n\nfile"]
    cut = "".join(f"\n--b\n{part}" for part in parts)
    item = read(f"From: a@x.org\nContent-Type: multipart/mixed; boundary=b\n{cut}\n--b--\n", "a.eml")
    assert item.text.endswith("\n\nOne.\nTwo.") and item.metadata["attachments"] == "a.png, b.txt"


def test_two_voices_of_one_caption_are_two_turns() -> None:
    item = read("WEBVTT\n\n00:11.000 --> 00:13.000\n<v Ann>It flies.</v>\n<v Bo>When?</v>\n", "a.vtt")
    assert [said.speaker for said in item.messages] == ["Ann", "Bo"] and item.text.endswith("\n\nBo: When?")
    assert read("WEBVTT\n\n00:11.000 --> 00:13.000\n- <v Ann>It flies.\n- <v Bo>When?\n", "a.vtt").text == item.text


@pytest.mark.parametrize("suffix", [".vtt", ".srt"])
def test_captions_are_turns_with_their_times(suffix: str) -> None:
    item = read(CAPTIONS if suffix == ".vtt" else CAPTIONS.replace(".000", ",000"), f"a{suffix}")
    assert item.text == "Ann Lee: It flies on Monday & not before.\n\nBo Diaz: Good."
    assert [block.label for block in item.blocks if block.kind == "time"] == ["00:00:11", "01:00:17"]
    assert [said.speaker for said in item.messages] == ["Ann Lee", "Bo Diaz"]


def test_patches_and_what_is_quoted_by_initials_are_no_prose() -> None:
    patch = "---\n a.c | 2 +-\n\n--- a/a.c\n+++ b/a.c\n@@ -1 +1 @@\n-int a;\n+int b;\n"
    item = read(f"From: a@x.org\n\nAL> Shall we?\n\nIt leaks.\n{patch}Bye.", "a.eml")
    assert item.text == f"From: a@x.org\n\nIt leaks.\n{patch}Bye."
    code = [item.text[block.char_start : block.char_end] for block in item.blocks if block.kind == "code"]
    assert "".join(code).replace("\n", "") == patch.replace("\n", "")

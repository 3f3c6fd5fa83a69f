"""Who wrote what to whom and when is told by the messages, each below its sender and its time; nothing is invented."""

import json
from pathlib import Path

import pytest

import graphrag_lite
from graphrag_lite import pipeline
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

BOILER = """From: Eva Krause <eva@krause.example>
To: Jan Novak <jan@novak.example>
Date: Tue, 03 Mar 2026 09:12:00 +0100
Subject: Boiler
Message-ID: <1@x.org>

Dear Jan,

the boiler in Hall 2 will be serviced on Friday by Heizung Krause. Please let them in at eight.
The invoice of 420 euros goes to Petra Lang.
"""
PAID = """From: Petra Lang <petra@lang.example>
To: Eva Krause <eva@krause.example>
Cc: Jan Novak <jan@novak.example>
Date: Wed, 04 Mar 2026 10:00:00 +0100
Subject: Re: Boiler
In-Reply-To: <1@x.org>

Hello Eva,

I paid the invoice today. The warranty ends in May 2027.
"""
LEAK = """From: Ole Berg <ole@berg.example>
To: list@pumps.example
Subject: [PATCH] Close the valve when the pump stops

The valve leaks whenever the pump stops, as its handle stays
open until somebody closes it by hand.
---
 src/valve.c |    2 +-
 1 files changed, 1 insertions(+), 1 deletions(-)

--- a/src/valve.c
+++ b/src/valve.c
@@ -1,2 +1,2 @@ void pump_stops(struct valve *valve)
-    leaks(valve, "when the pump stops");
+    close(valve, "when the pump stops");
"""
CHAT = [
    ("Greta Simon", "2026-01-12T18:03:00", "Ich schlage vor, dass wir am Samstag proben."),
    ("Oskar Veit", "2026-01-13T08:10:00", "Samstag passt mir. Ich bringe die Noten mit."),
    ("Oskar Veit", None, "Ich habe die 20 Euro überwiesen."),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    root = tmp_path_factory.mktemp("messages")
    (root / "corpus").mkdir()
    for name, mail in {"a": BOILER, "b": PAID, "c": LEAK}.items():
        (root / "corpus" / f"{name}.eml").write_text(mail)
    rows = [
        {"conversation": "Chor", "speaker": who, "text": text} | ({"timestamp": time} if time else {})
        for who, time, text in CHAT
    ]
    (root / "corpus" / "chat.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return Index(pipeline.index(root / "corpus", root / "output", Settings()).snapshot)


EVA, PETRA = "Eva Krause, 2026-03-03 09:12, to Jan Novak", "Petra Lang, 2026-03-04 10:00, to Eva Krause, cc Jan Novak"
FROM_EVA, FROM_PETRA = f"{EVA}, Boiler: the boiler in Hall 2", f"{PETRA}, Re: Boiler: I paid the invoice today."


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who sent the mail about the boiler?", f"{EVA}: the boiler in Hall 2 will be serviced"),
        ("When was the mail about the boiler sent?", f"{EVA}: the boiler in Hall 2 will be serviced"),
        ("Who said that the warranty ends in May 2027?", f"{PETRA}: The warranty ends"),
        ("What did Petra tell Eva about the warranty?", f"{PETRA}: The warranty ends"),
        ("Who wrote to Jan Novak?", f"2 messages to Jan Novak:\n- {FROM_EVA}"),
        ("When did Petra Lang write to Eva Krause?", f"1 message by Petra Lang to Eva Krause:\n- {FROM_PETRA}"),
        ("Who replied to Eva Krause?", f"1 message to Eva Krause:\n- {FROM_PETRA}"),
        ("Which mails did Petra Lang send in March 2026?", f"1 message by Petra Lang:\n- {FROM_PETRA}"),
        ("Who is in copy of Petra's mail?", f"1 message by Petra Lang:\n- {FROM_PETRA}"),
        ("Wann hat Petra Lang Eva Krause geschrieben?", f"1 message by Petra Lang to Eva Krause:\n- {FROM_PETRA}"),
        ("Wer hat vorgeschlagen, am Samstag zu proben?", "Greta Simon, 2026-01-12 18:03: Ich schlage vor"),
        ("Wann schrieb Oskar, dass er 20 Euro überwiesen hat?", "Oskar Veit, without a date: Ich habe die 20 Euro"),
        (
            "When did Ole Berg complain that the valve leaks?",
            "Ole Berg, without a date, to list@pumps.example: The valve",
        ),
        ("Who paid the invoice?", "Petra Lang: I paid the invoice today."),
    ],
)
def test_the_sender_and_the_time_of_the_message_are_the_answer(index: Index, question: str, told: str) -> None:
    assert index.query(question).answer.startswith(told)


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote about penguins?",
        "Which mails did Petra Lang send in April 2026?",
        "When did Eva mention Oslo?",
        "When did Eva mention the boiler of Oslo?",
    ],
)
def test_what_no_message_says_is_refused(index: Index, question: str) -> None:
    assert index.query(question).abstained


def test_a_patch_is_no_answer_to_what_prose_tells(index: Index) -> None:
    assert index.query("What leaks when the pump stops?").citations[0].text == (
        "The valve leaks whenever the pump stops, as its handle stays\nopen until somebody closes it by hand."
    )


def test_the_fields_of_a_page_say_nothing(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    page = "# cut\n\nDescription: Cuts a file.\nUsage: cut FILE\n\n# paste\n\nDescription: Joins files.\nUsage: paste FILE\n"
    (tmp_path / "corpus" / "commands.md").write_text(page, encoding="utf-8")
    (tmp_path / "corpus" / "notes.txt").write_text("Ann Lee wrote the paste command in 2014.\n", encoding="utf-8")
    answer = graphrag_lite.index(tmp_path / "corpus", tmp_path).query("Who wrote the paste command?", "local").answer
    assert answer.startswith("Ann Lee wrote the paste command") and "without a date" not in answer

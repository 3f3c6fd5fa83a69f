"""Each export of conversations gives what a person sees in it, however it is packed, and whatever is damaged."""

import asyncio
import gzip
import io
import json
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import Any

import exports
import pytest
from exports import EXPORTS, Said
from hypothesis import given, settings
from hypothesis import strategies as st
from last_snapshot import last

from graphrag_lite import tables
from graphrag_lite.read.documents import Fields, Loaded, Unreadable
from graphrag_lite.read.readers import all_readers
from graphrag_lite.run.corpus_files import scan
from graphrag_lite.settings import LoadDocuments
from graphrag_lite.stages.list_episodes import list_episodes
from graphrag_lite.stages.load_documents import load_documents

Corpus = Callable[..., Path]


def episodes(corpus: Path) -> tuple[list[dict[str, Any]], dict[str, int], list[str]]:
    """Return the episodes of a corpus with their texts, what was counted, and what failed."""
    files = tables.make("corpus_files", scan(corpus, leave_out=corpus.parent / "output").rows)
    counts: dict[str, int] = {}
    failed: list[str] = []

    def fail(document: str, error: str, _attempts: int) -> None:
        failed.append(f"{document}: {error}")

    documents = asyncio.run(load_documents(files, LoadDocuments(), corpus, fail, count=counts.__setitem__))
    tables.check("source_documents", documents)
    listed = asyncio.run(list_episodes(documents))
    tables.check("episodes", listed)
    texts = dict(zip(documents["id"].to_pylist(), documents["text"].to_pylist(), strict=True))
    rows = [
        row | {"text": texts[row["document_id"]][row["char_start"] : row["char_end"]]} for row in listed.to_pylist()
    ]
    return rows, counts, failed


def said(rows: Iterable[dict[str, Any]]) -> list[Said]:
    """Return what is said, without the name that it opens with."""
    found = []
    for row in rows:
        label = f"{row['speaker'].capitalize() if row['role'] else row['speaker']}: "
        names = ("conversation", "speaker", "role", "reference_time")
        found.append((*(row[name] for name in names), row["text"].removeprefix(label)))
    return found


@pytest.mark.parametrize("what", EXPORTS)
def test_an_export_holds_what_a_person_sees_in_it(what: str, corpus: Corpus) -> None:
    rows, counts, failed = episodes(corpus(exports.files_of(what)))
    assert failed == []
    assert sorted(said(rows)) == sorted(EXPORTS[what][1])
    assert counts["messages_left_out"] == EXPORTS[what][2]
    assert all(row["kind"] == "message" for row in rows)


@pytest.mark.parametrize("what", EXPORTS)
def test_its_twin_as_json_lines_has_the_same_episodes(what: str, corpus: Corpus) -> None:
    rows, _, failed = episodes(corpus({"twin.jsonl": exports.twin(what)}))
    assert failed == [] and sorted(said(rows)) == sorted(EXPORTS[what][1])


@pytest.mark.parametrize("what", EXPORTS)
def test_a_zip_of_it_has_the_same_episodes(what: str, corpus: Corpus) -> None:
    rows, _, failed = episodes(corpus({"export.zip": zipped(exports.files_of(what) | {"photo.jpg": b"\xff"})}))
    expected = [(name.replace("a.json", "export.zip/a.json"), *rest) for name, *rest in EXPORTS[what][1]]
    expected = [(name.replace("_chat.txt", "export.zip/_chat.txt"), *rest) for name, *rest in expected]
    assert failed == [] and sorted(said(rows)) == sorted(expected)


def zipped(files: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def test_answers_name_what_they_answer(corpus: Corpus) -> None:
    for what, pairs in {
        "ChatGPT": [("To Oslo.", "Where should I go in May?"), ("Good\ufffd!", "To Oslo.")],
        "Slack": [("I do.", "Who cooks?")],
        "Telegram": [("The door", "See x.org")],
        "Telegram's pages": [("The door", "See x.org\n<now>")],
        "Discord": [("Yes?", "Hi")],
        "mailbox": [("Yes.\nFrom now on.", "Is it open?")],
    }.items():
        rows, _, _ = episodes(corpus(exports.files_of(what), what))
        text = {row["id"]: said([row])[0][-1] for row in rows}
        assert [(text[row["id"]], text[row["reply_to"]]) for row in rows if row["reply_to"]] == pairs, what


def test_what_goes_on_for_long_is_a_document_a_day(corpus: Corpus) -> None:
    rows, _, _ = episodes(corpus(exports.files_of("WhatsApp on Android")))
    assert [
        len({row["document_id"] for row in rows if row["reference_time"][:10] == day})
        for day in ("2023-05-30", "2023-06-04")
    ] == [1, 1]
    assert len({row["document_id"] for row in rows}) == 2


def test_a_long_chat_is_never_held_whole() -> None:
    """An emoji makes a text four bytes a character where it is."""
    line = "{day:02}/02/2024, 10:00 - Ann Lee: Is it open in Oslo, {n}?\n"
    data = "".join(line.format(n=n, day=n // 40 + 1) for n in range(1120)) + line.format(n="\U0001f600", day=28)
    list(all_readers().read(data[:60].encode(), "a.txt", Fields()))  # what it takes to read at all
    tracemalloc.start()
    n = sum(isinstance(item, Loaded) for item in all_readers().read(data.encode(), "a.txt", Fields()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n == 28 and peak < 15 * len(data), peak / len(data)


def test_a_broken_message_is_a_failure_and_the_rest_goes_on(corpus: Corpus) -> None:
    broken = {
        "telegram.json": exports.TELEGRAM | {"messages": [{"type": "message"}, 5, *exports.TELEGRAM["messages"]]},
        "gpt.json": [{"mapping": 5}, {"mapping": {"x": {"message": "no"}}, "current_node": "x"}, *exports.CHATGPT],
    }
    rows, _, failed = episodes(corpus({name: json.dumps(value).encode() for name, value in broken.items()}))
    assert sorted({row["conversation"] for row in rows}) == ["Ann Lee", "c-1"]
    assert [failure.partition(":")[0] for failure in failed] == ["gpt.json", "telegram.json"]
    assert all("2 rows cannot be read" in failure for failure in failed)


def test_a_message_of_a_tool_is_left_out_whatever_it_holds(corpus: Corpus) -> None:
    messages = [*exports.OPENAI["messages"], {"role": "tool", "content": 42}]
    rows, _, failed = episodes(corpus({"a.json": json.dumps(exports.OPENAI | {"messages": messages}).encode()}))
    assert [row["role"] for row in rows] == ["user", "assistant"] and not failed


def test_a_time_that_cannot_be_read_is_told(corpus: Corpus, caplog: pytest.LogCaptureFixture) -> None:
    chat = {"messages": [{"role": "user", "content": "Hi.", "timestamp": "the day before"}]}
    rows, _, _ = episodes(corpus({"a.json": json.dumps(chat).encode()}))
    assert rows[0]["reference_time"] == ""
    assert any("'the day before'" in record.getMessage() for record in caplog.records)


@pytest.mark.parametrize(
    ("first", "second"), [("5/6/23, 11:40 PM", "5/7/23, 1:00 AM"), ("05/06/2023, 23:40", "06/06/2023, 01:00")]
)
def test_the_order_of_day_and_month_is_told_by_what_follows(first: str, second: str, corpus: Corpus) -> None:
    chat = (
        f"{first} - Ann Lee: One\n{second} - Bo Diaz: Two\n"
        + ("5/13/23" if "PM" in first else "13/06/2023")
        + ", 1:00 - Ann Lee: Three\n"
    )
    rows, _, _ = episodes(corpus({"a.txt": chat}))
    month = "2023-05" if "PM" in first else "2023-06"
    assert [row["reference_time"][:7] for row in rows] == [month] * 3


@pytest.mark.parametrize(
    ("days", "read"),
    [
        (["01/02/2023", "02/02/2023", "01/03/2023", "02/03/2023"], ["02-01", "02-02", "03-01", "03-02"]),
        (["08/06/2023", "09/06/2023"], ["06-08", "06-09"]),  # three days, not the same day of three months
        (["06/08/2023", "06/09/2023"], ["06-08", "06-09"]),
        (["08/06/2023", "08/06/2023"], ["", ""]),
    ],
)
def test_messages_in_order_tell_days_from_months(days: list[str], read: list[str], corpus: Corpus) -> None:
    rows, _, _ = episodes(corpus({"a.txt": "".join(f"{day}, 10:00 - Ann Lee: Hi\n" for day in days)}))
    assert [row["reference_time"][5:10] for row in rows] == read


@pytest.mark.parametrize(
    "head",
    [
        "12/30/23, 11:40\u202fPM - ", "[30/12/23, 11:40:00\u202fp.\u202fm.] ", "30.12.23 г., 23:40 ч. - ", "2023. 12. 30. 오후 11:40 - ",
        "٣٠\u200f/١٢\u200f/٢٠٢٣, ١١:٤٠ م - ", "\u200f30\u200f/12\u200f/2023، 11:40 م - ", "23:40, 30/12/2023 - ", "[2023/12/30 晚上11:40:00] ",
        "2023年12月30日 下午11:40 - ", "30.12.2023 klo 23.40 - ", "30/12/2023 à 23:40 - ", "30/12/2023, 11:40 PTG - ", "30. 12. 2023. 23:40 - ",
        "30/12/2566 23:40 - ", "[۱۴۰۲/۱۰/۹،\u200f ۲۳:۴۰:۰۰] ",
    ],
)  # fmt: skip
def test_whatsapp_is_read_in_the_way_of_each_country(head: str, corpus: Corpus) -> None:
    chat = f"{head}Ann Lee: Hi \u200e<attached: 00000002-PHOTO-2023-12-30-23-40-00-number-two.jpg>\n"
    later = chat.replace("30/12/23", "31/12/23") if "30/12/23" in head else chat  # of one day: 2030 or 2023
    rows, _, _ = episodes(corpus({"a.txt": chat + later}))
    assert {(row["speaker"], row["reference_time"][:16], row["text"]) for row in rows[:1]} == {
        ("Ann Lee", "2023-12-30T23:40", "Ann Lee: Hi")
    }


def _telegram(name: str, number: int, **message: Any) -> dict[str, Any]:
    return {
        "name": name,
        "type": "personal_chat",
        "id": number,
        "messages": [exports.TELEGRAM["messages"][1] | message],
    }


BOT = {"type": "message", "subtype": "bot_message", "username": "Bot", "text": "", "ts": "1714557606.0"}
SKYPE = [
    {"id": "9", "originalarrivaltime": f"2024-05-01T1{hour}:00:00Z", "messagetype": kind, "content": text} | who
    for hour, kind, text, who in (
        (3, "Event/Call", "<partlist/>", {}),
        (2, "RichText/UriObject", "<URIObject>To view this shared photo</URIObject>", {"from": "8:live:b"}),
        (1, "RichText", "<quote messageid='1'>Hi</quote>Yes\n<b>May 2</b>", {"from": "8:live:b"}),
        (0, "RichText/Html", '<p>Hi <at id="8:b">Bo</at> &amp; all</p>', {"displayName": "Ann Lee"}),
    )
]
CARD = {"title": "A", "fields": [{"name": "Who", "value": "Bo"}]}
TOOL = [{"type": "tool_use", "name": "clock", "input": {}}]
PASTED = {"file_name": "paste.txt", "extracted_content": "Dear Bo"}


def _claude(sender: str, content: list[Any], *attachments: Any) -> dict[str, Any]:
    text = "This block is not supported on your current device yet." if content else ""
    return {"uuid": sender, "sender": sender, "text": text, "content": content, "attachments": attachments}


MORE: dict[str, tuple[Any, list[tuple[str, str, str]]]] = {
    "what a bot shows on Slack": ([BOT | {"attachments": [{"title": "A", "text": "B"}]}], [("Bot", "A\nB", "a")]),
    "chats of one name, one that was left, forwarded": (
        {
            "chats": {"list": [_telegram("Ann", 1), _telegram("Ann", 2, forwarded_from="Cy")]},
            "left_chats": {"list": [_telegram("Old", 3, text="", poll={"question": "Lunch?"})]},
        },
        [("Ann Lee", "See x.org", "Ann 1"), ("Cy", "See x.org", "Ann 2"), ("Ann Lee", "Lunch?", "Old")],
    ),
    "what a bot shows on Discord": (
        exports.DISCORD
        | {"messages": [exports.DISCORD["messages"][0] | {"type": "20", "content": "", "embeds": [CARD]}]},
        [("Ann Lee", "A\nWho: Bo", "Whales/general")],
    ),
    "what is forwarded on Discord": (
        exports.DISCORD
        | {"messages": [exports.DISCORD["messages"][0] | {"content": "", "forwardedMessage": {"content": "Shut."}}]},
        [("Ann Lee", "Shut.", "Whales/general")],
    ),
    "Claude, a call of a tool and a text pasted as a file": (
        exports.CLAUDE[0] | {"chat_messages": [_claude("assistant", TOOL), _claude("human", [], PASTED)]},
        [("user", "Dear Bo", "u-1")],
    ),
    "states of LangGraph that name no thread": (
        [{"values": {"messages": exports.LANGCHAIN[n : n + 1]}, "checkpoint": {"checkpoint_ns": ""}} for n in (1, 2)],
        [("user", "Hi.", "a.json:1"), ("assistant", "Hello.", "a.json:2")],
    ),
    "all states of a thread of LangGraph": (
        [
            {"values": {"messages": exports.LANGCHAIN[:n]}, "created_at": f"2024-05-0{n}"}
            | {"checkpoint": {"thread_id": "t-1"}}
            for n in (3, 2, 1)
        ],
        [("user", "Hi.", "t-1"), ("assistant", "Hello.", "t-1")],
    ),
    "answers within posts": (
        {"value": [exports.TEAMS["value"][1] | {"replies": [exports.TEAMS["value"][1] | {"id": "2"}]}]},
        [("Ann Lee", "Hi Bo & all", "19:x")] * 2,
    ),
    "Skype, with a quotation, a photo and a call": (
        {"conversations": [{"id": "19:x", "displayName": "Club", "messages": None, "MessageList": SKYPE}]},
        [("Ann Lee", "Hi Bo & all", "19:x"), ("live:b", "Yes\nMay 2", "19:x")],
    ),
    "steps of OpenAI's Responses": (
        [{"type": "reasoning"}, {"type": "function_call_output"}, *exports.OPENAI["messages"][1:2]],
        [("user", "Hi.", "a.json")],
    ),
    "OpenAI's threads": (
        {
            "object": "list",
            "data": [
                {"object": "thread.message", "created_at": at, "thread_id": "t", "role": role}
                | {"content": [{"type": "text", "text": {"value": said}}]}
                for at, role, said in ((2_000_000_000, "assistant", "Hello."), (1_900_000_000, "user", "Hi."))
            ],
        },
        [("user", "Hi.", "t"), ("assistant", "Hello.", "t")],
    ),
}


@pytest.mark.parametrize("what", MORE)
def test_what_else_exports_hold_is_read(what: str, corpus: Corpus) -> None:
    value, expected = MORE[what]
    rows, _, failed = episodes(corpus({"a/a.json" if "Slack" in what else "a.json": json.dumps(value).encode()}))
    assert failed == []
    assert sorted((speaker, text, name) for name, speaker, _, _, text in said(rows)) == sorted(expected)


def test_what_an_export_has_beside_conversations_is_no_document() -> None:
    value = [{"id": "f", "conversation_id": "c", "rating": "up", "workspace_id": None, "content": "{}"}]
    (item,) = all_readers().read(json.dumps(value).encode(), "message_feedback.json", Fields())
    assert isinstance(item, Loaded) and item.text == ""


def test_a_name_that_chatgpt_marks_is_shown() -> None:
    marked = json.dumps(exports.CHATGPT).replace(
        "Oslo\\ue200cite", '\\ue200entity\\ue202[\\"city\\",\\"Oslo\\"]\\ue201\\ue200cite'
    )
    (item,) = all_readers().read(marked.encode(), "a.json", Fields())
    assert isinstance(item, Loaded) and "To Oslo." in item.text


def test_names_in_slack_follow_its_list_of_members(corpus: Corpus) -> None:
    files = exports.files_of("Slack")
    rows, _, _ = episodes(corpus(files | {"users.json": b"[]"}, "without"))
    assert {row["speaker"] for row in rows} == {"U1", "U2", "build"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("what", ["ChatGPT", "WhatsApp on Android", "Telegram"])
def test_a_byte_order_mark_is_no_hindrance(what: str, encoding: str, corpus: Corpus) -> None:
    files = {name: data.decode().encode(encoding) for name, data in exports.files_of(what).items()}
    rows, _, failed = episodes(corpus(files))
    assert failed == [] and sorted(said(rows)) == sorted(EXPORTS[what][1])


@given(st.sampled_from(sorted(EXPORTS)), st.floats(0, 1), st.binary(max_size=3))
def test_a_damaged_file_is_read_as_far_as_it_goes(what: str, share: float, noise: bytes) -> None:
    for name, data in exports.files_of(what).items():
        cut = int(share * len(data))
        for damaged in (data[:cut], data[:cut] + noise + data[cut + len(noise) :]):
            for item in all_readers().read(damaged, name, Fields()):
                assert isinstance(item, Loaded | Unreadable)
                if isinstance(item, Loaded):
                    item.text.encode()
                    for message in item.messages:
                        assert 0 <= message.char_start < message.char_end <= len(item.text)


def test_a_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    (item,) = all_readers().read(zipped({"a.json": b"[" + b" " * 5_000_000 + b"]"}), "a.zip", Fields())
    assert isinstance(item, Unreadable) and "more than is read" in item.error


def test_an_archive_of_other_things_is_a_folder() -> None:
    parts = {"b/notes.md": b"# Notes\n\nHello.", "../x.txt": b"No.", "__MACOSX/._x.txt": b"No.", "a.csv": b"damaged\0"}
    unreadable, notes = all_readers().read(zipped(parts), "a.zip", Fields())
    assert isinstance(unreadable, Unreadable) and unreadable.where == "a.zip/a.csv"
    assert isinstance(notes, Loaded) and (notes.source_id, notes.title) == ("a.zip/b/notes.md", "Notes")
    (nothing,) = all_readers().read(zipped({"photo.jpg": b"\xff"}), "a.zip", Fields())
    assert isinstance(nothing, Loaded) and nothing.text == ""


def test_an_archive_in_an_archive_is_a_folder_in_it() -> None:
    inner = zipped({"b/notes.md": b"# Notes\n\nHello.", "broken.zip": b"PK"})
    notes, unreadable = all_readers().read(zipped({"Part-1.zip": inner}), "a.zip", Fields())
    assert isinstance(unreadable, Unreadable) and unreadable.where == "a.zip/Part-1.zip/broken.zip"
    assert isinstance(notes, Loaded) and (notes.source_id, notes.title) == ("a.zip/Part-1.zip/b/notes.md", "Notes")


def test_archives_in_archives_are_refused_where_one_of_their_size_is() -> None:
    bomb = zipped({"a.txt": b"Hello."})
    for _ in range(200):
        bomb = zipped({"a.zip": bomb})
    *_, deepest = all_readers().read(bomb, "a.zip", Fields())
    many = zipped({f"{n}.zip": zipped({"a.txt": str(n).encode() + b" " * 100_000}) for n in range(100)})
    *_, last = all_readers().read(many, "a.zip", Fields())
    for item in (deepest, last):
        assert isinstance(item, Unreadable) and "more than is read" in item.error


def test_a_tar_is_read_as_a_zip_is(corpus: Corpus) -> None:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, part in exports.files_of("Slack").items():
            (entry := tarfile.TarInfo(name)).size = len(part)
            archive.addfile(entry, io.BytesIO(part))
    rows, _, failed = episodes(corpus({"a.tar": data.getvalue()}))
    assert failed == [] and sorted(said(rows)) == sorted(EXPORTS["Slack"][1])
    (cut,) = all_readers().read(data.getvalue()[:700], "a.tar", Fields())
    assert isinstance(cut, Unreadable) and "damaged" in cut.error


def test_control_characters_of_telegram_are_read_as_it_writes_them() -> None:
    written = json.dumps(exports.TELEGRAM).replace("The door", r"C:\\x41 The\x0bdoor")
    _, item = all_readers().read(written.encode(), "a.json", Fields())
    assert isinstance(item, Loaded) and item.text == "Bo: C:\\x41 The\x0bdoor"


def test_what_gzip_has_compressed_is_read_as_what_it_is() -> None:
    rows = b'{"id": "a", "text": "Ann met Bob."}\n'
    (row,) = all_readers().read(gzip.compress(rows), "a.jsonl.GZ", Fields())
    assert isinstance(row, Loaded) and row.text == "Ann met Bob."
    (code,) = all_readers().read(gzip.compress(b"# The pump leaks here.\n"), "a.py.gz", Fields())
    assert isinstance(code, Loaded) and code.text == "The pump leaks here."
    (cut,) = all_readers().read(gzip.compress(rows)[:30], "a.jsonl.gz", Fields())
    assert isinstance(cut, Unreadable) and "damaged" in cut.error


@pytest.mark.parametrize(
    "text", ["Call: 30/05/2023, 23:40 - Ann: Hi", "Chapter 1\n\n30/05/2023, 23:40 - Ann: Hi", "", "30/05/2023\nHi"]
)
def test_a_text_that_is_no_chat_stays_a_text(text: str) -> None:
    assert not any(
        item.messages for item in all_readers().read(text.encode(), "a.txt", Fields()) if isinstance(item, Loaded)
    )


def test_a_line_that_begins_as_a_mailbox_lets_mails_begin_ends_no_mail() -> None:
    said = "Is it open?\n\nFrom May on, in 2024, it is.\n\nBring a boat."
    found = exports.MBOX.replace("Is it open?\n", f"{said}\n", 2).encode()
    (item,) = all_readers().read(found, "a.mbox", Fields())
    assert isinstance(item, Loaded) and said in item.text


@settings(max_examples=30)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=10), st.randoms(use_true_random=False))
def test_an_answer_to_an_answer_is_of_the_thread_in_any_order(answers: list[int], random: Random) -> None:
    mails = [
        f"From a@x.org Wed May  1 12:00:00 2024\nFrom: a@x.org\nMessage-ID: <{n}>\n"
        + (f"In-Reply-To: <{answered}>\n" if answered < n else "")
        + "\nHi.\n\n"
        for n, answered in enumerate(answers)
    ]
    random.shuffle(mails)
    items = list(all_readers().read("".join(mails).encode(), "a.mbox", Fields()))
    threads = [{each.conversation for each in item.messages} for item in items if isinstance(item, Loaded)]
    firsts = [n for n, answered in enumerate(answers) if answered >= n]
    assert sorted(threads, key=str) == sorted(({f"<{n}>"} for n in firsts), key=str)


CHANGES: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "edited": ("result.json", lambda data: data.replace(b"The door", b"The new door")),
    "deleted": (
        "a.json",
        lambda _: json.dumps(exports.DISCORD | {"messages": exports.DISCORD["messages"][1:]}).encode(),
    ),
    "said": ("_chat.txt", lambda data: data + b"05/06/2023, 10:00 - Ann Lee: Good\n"),
    "answered": ("a.mbox", lambda data: data[data.index(b"From ann@x.org") :]),
    "renamed": ("users.json", lambda data: data.replace(b"Ann Lee", b"Ann Nu\\u00f1ez")),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_message_that_changes_gives_what_an_index_from_nothing_has(what: str, corpus: Corpus, tmp_path: Path) -> None:
    files = {}
    for of in ("Telegram", "Discord", "WhatsApp on Android", "mailbox", "Slack"):
        files |= exports.files_of(of)
    folder = corpus(files)
    before = load(folder)
    name, change = CHANGES[what]
    (folder / name).write_bytes(changed := change(files[name]))
    assert changed != files[name]
    again = load(folder, last(tmp_path / "snapshot", source_documents=before))
    assert again.equals(load(folder)) and not again.equals(before)
    old, new = (asyncio.run(list_episodes(table)) for table in (before, again))
    kept = set(old["id"].to_pylist()) & set(new["id"].to_pylist())
    assert len(kept) >= (4 if what == "renamed" else old.num_rows - 1), "others keep their ids"


def load(corpus: Path, before: Any = None) -> Any:
    files = tables.make("corpus_files", scan(corpus, leave_out=corpus.parent / "output").rows)
    return asyncio.run(load_documents(files, LoadDocuments(), corpus, lambda *_: None, before))

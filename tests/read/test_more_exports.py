"""Exports of more messengers, assistants and programs for notes, each in the form in which it is written."""

import io
import json
import zipfile
from typing import Any

import pytest

from graphrag_lite.read.documents import Fields, Loaded, Unreadable
from graphrag_lite.read.message_tables import message_columns
from graphrag_lite.read.readers import all_readers
from graphrag_lite.run.corpus_files import REPEATED, scan

Said = tuple[str, str, str]  # who, when, what
ASKED, ANSWERED = "I moved to Bergen.", "It rains there."
TALK: list[Said] = [("Ann Lee", "2024-03-10T10:20:00", ASKED), ("Bo Diaz", "2024-03-11T11:21:00", ANSWERED)]
IN_UTC = [(who, f"{when}+00:00", what) for who, when, what in TALK]
BY_NICK = [("ann", TALK[0][1], ASKED), ("bo", TALK[1][1], ANSWERED), ("ann", "2024-03-11T11:22:00", "Good.")]
AS_ROLES = [("user", IN_UTC[0][1], ASKED), ("assistant", IN_UTC[1][1], ANSWERED)]
SECONDS = 1710066000, 1710156060
LINKEDIN = """CONVERSATION ID,CONVERSATION TITLE,FROM,SENDER PROFILE URL,TO,DATE,SUBJECT,CONTENT,FOLDER,IS MESSAGE DRAFT
c1,,Bo Diaz,https://x.org/bo,Ann Lee,2024-03-11 11:21:00 UTC,,It rains there.,INBOX,No
c1,,Ann Lee,https://x.org/ann,Bo Diaz,2024-03-10 10:20:00 UTC,,I moved to Bergen.,INBOX,No
"""
IMAZING = """Chat Session,Message Date,Read Date,Service,Type,Sender ID,Sender Name,Status,Text,Attachment
Ann Lee,2024-03-10 10:20:00,,iMessage,Incoming,+471,Ann Lee,Read,I moved to Bergen.,
Ann Lee,2024-03-11 11:21:00,,iMessage,Outgoing,,,Delivered,It rains there.,
"""
DISCORD_CSV = """AuthorID,Author,Date,Content,Attachments,Reactions
"1","ann#0","2024-03-10T10:20:00.0000000+00:00","I moved to Bergen.","",""
"2","bo#0","2024-03-11T11:21:00.0000000+00:00","It rains there.","",""
"""
IRSSI = """--- Log opened Sun Mar 10 09:00:00 2024
09:00 -!- ann [~ann@host] has joined #club
10:20 < ann> I moved to Bergen.
--- Day changed Mon Mar 11 2024
11:21 <@bo> It rains there.
11:21 -!- cy has quit
11:22 < ann> Good.
--- Log closed Mon Mar 11 20:00:00 2024
"""
WEECHAT = """2024-03-10 09:00:00\t-->\tann (~ann@host) has joined #club
2024-03-10 10:20:00\tann\tI moved to Bergen.
2024-03-11 11:21:00\t@bo\tIt rains there.
2024-03-11 11:22:00\tann\tGood.
"""
LINE = """[LINE] Chat history with Ann
Saved on: 2024/03/20 10:00

2024/03/10(Sun)
10:20\tann\tI moved to Bergen.

2024/03/11(Mon)
11:21\tbo\tIt rains there.
11:22\tann\tGood.
"""
KAKAO = """Ann 님과 카카오톡 대화
저장한 날짜 : 2024-03-20 10:00:00

--------------- 2024년 3월 10일 일요일 ---------------
[ann] [오전 10:20] I moved to Bergen.
--------------- 2024년 3월 11일 월요일 ---------------
[bo] [오전 11:21] It rains there.
[ann] [오전 11:22] Good.
"""
DISCORD_TEXT = f"""{"=" * 62}
Guild: Makers
Channel: Text / club
{"=" * 62}

[3/10/2024 10:20 AM] ann
I moved to Bergen.

[3/11/2024 11:21 AM] bo
It rains there.

[3/13/2024 11:22 AM] ann
Good.


{"=" * 62}
Exported 3 message(s)
{"=" * 62}
"""
IMESSAGE = """Mar 10, 2024 10:20:00 AM
ann
I moved to Bergen.

Mar 11, 2024 11:21:00 AM (Read by them after 3 minutes)
bo
It rains there.

Mar 11, 2024 11:22:00 AM
ann
Good.
"""
SIGTOP = """Conversation: Ann (+4712345)

From: ann (+4712345)
Type: incoming
Sent: Sun, 10 Mar 2024 10:20:00 +0000
Received: Sun, 10 Mar 2024 10:20:02 +0000

I moved to Bergen.

From: bo
Type: outgoing
Sent: Mon, 11 Mar 2024 11:21:00 +0000

It rains there.

From: ann (+4712345)
Type: incoming
Sent: Mon, 11 Mar 2024 11:22:00 +0000

Good.
"""
ZOOM = """10:20:00 From ann to Everyone:
\tI moved to Bergen.
11:21:00 From bo to ann(direct message):
\tIt rains there.
11:22:00 From ann to Everyone:
\tGood.
"""
SIGNAL = "[2024-03-10 10:20:00] Ann Lee: I moved to Bergen.  \n\n[2024-03-11 11:21:00] Bo Diaz: It rains there.  \n"
SMS = """<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
<smses count="2"><sms protocol="0" address="+471" date="1710066000000" type="1" body="I moved to Bergen."
 read="1" contact_name="Ann Lee" /><sms protocol="0" address="+471" date="1710156060000" type="2"
 body="It rains there." read="1" contact_name="Ann Lee" /></smses>"""
EVENT = {"type": "m.room.message", "event_id": "$1", "origin_server_ts": SECONDS[0] * 1000, "sender": "@ann:x.org"}
MATRIX = {
    "room_name": "Club",
    "messages": [
        {**EVENT, "type": "m.room.create", "content": {"room_version": "10"}},
        {**EVENT, "content": {"msgtype": "m.text", "body": ASKED}},
        {
            **EVENT,
            "sender": "@bo:x.org",
            "origin_server_ts": SECONDS[1] * 1000,
            "content": {"msgtype": "m.text", "body": f"> <@ann:x.org> {ASKED}\n\n{ANSWERED}"}
            | {"m.relates_to": {"m.in_reply_to": {"event_id": "$1"}}},
        },
    ],
}
HANGOUTS = {
    "conversations": [
        {
            "conversation": {
                "conversation": {
                    "id": {"id": "U1"},
                    "participant_data": [
                        {"id": {"gaia_id": "1"}, "fallback_name": "Ann Lee"},
                        {"id": {"gaia_id": "2"}, "fallback_name": "Bo Diaz"},
                    ],
                }
            },
            "events": [
                {
                    "sender_id": {"gaia_id": str(n + 1)},
                    "timestamp": str(SECONDS[n] * 1_000_000),
                    "chat_message": {"message_content": {"segment": [{"type": "TEXT", "text": text}]}},
                }
                for n, text in ((1, ANSWERED), (0, ASKED))
            ],
        }
    ]
}
ROCKET = {
    "messages": [
        {"_id": "2", "msg": ANSWERED, "ts": IN_UTC[1][1], "u": {"username": "bo", "name": "Bo Diaz"}},
        {"_id": "1", "msg": ASKED, "ts": IN_UTC[0][1], "u": {"username": "ann", "name": "Ann Lee"}},
        {"_id": "0", "t": "uj", "msg": "ann", "ts": IN_UTC[0][1], "u": {"username": "ann"}},
    ]
}
TWITTER = "window.YTD.direct_messages.part0 = " + json.dumps(
    [
        {
            "dmConversation": {
                "conversationId": "1-2",
                "messages": [
                    {"messageCreate": {"senderId": who, "text": text, "createdAt": time, "id": who}}
                    for who, text, time in (("2", ANSWERED, IN_UTC[1][1]), ("1", ASKED, IN_UTC[0][1]))
                ],
            }
        }
    ]
)
SNAPCHAT = {
    "bo": [
        {"From": "bo", "Media Type": "TEXT", "Created": "2024-03-11 11:21:00 UTC", "Content": ANSWERED},
        {"From": "ann", "Media Type": "TEXT", "Created": "2024-03-10 10:20:00 UTC", "Content": ASKED},
    ],
    "cy": [{"From": "cy", "Media Type": "TEXT", "Created": "2024-03-12 11:21:00 UTC", "Content": "Hi."}],
}
GROK = {
    "conversations": [
        {
            "conversation": {"id": "c1", "title": "Bergen"},
            "responses": [
                {"response": {"message": text, "sender": who, "create_time": {"$date": {"$numberLong": str(n * 1000)}}}}
                for text, who, n in ((ASKED, "human", SECONDS[0]), (ANSWERED, "ASSISTANT", SECONDS[1]))
            ],
        }
    ],
    "projects": [],
}
NODES = {
    "1": {
        "id": "1",
        "parent": None,
        "children": ["2"],
        "message": {"fragments": [{"type": "REQUEST", "content": ASKED}]},
    },
    "2": {
        "id": "2",
        "parent": "1",
        "children": [],
        "message": {"fragments": [{"type": "THINK", "content": "Hm."}, {"type": "RESPONSE", "content": ANSWERED}]},
    },
}
for place, node in enumerate(NODES.values()):
    node["message"]["inserted_at"] = IN_UTC[place][1]  # type: ignore[index]
WEBUI = [
    {
        "id": "w1",
        "chat": {
            "title": "Bergen",
            "history": {
                "currentId": "b",
                "messages": {
                    "a": {"id": "a", "parentId": None, "role": "user", "content": ASKED, "timestamp": SECONDS[0]},
                    "x": {"id": "x", "parentId": "a", "role": "assistant", "content": "No.", "timestamp": SECONDS[0]},
                    "b": {
                        "id": "b",
                        "parentId": "a",
                        "role": "assistant",
                        "content": ANSWERED,
                        "timestamp": SECONDS[1],
                    },
                },
            },
        },
    }
]
LIBRE = {
    "conversationId": "l1",
    "title": "Bergen",
    "messages": [
        {"messageId": "m1", "text": ASKED, "isCreatedByUser": True, "createdAt": IN_UTC[0][1]},
        {"messageId": "m2", "text": ANSWERED, "isCreatedByUser": False, "createdAt": IN_UTC[1][1]},
    ],
}
STUDIO = {
    "runSettings": {"model": "m"},
    "chunkedPrompt": {
        "chunks": [
            {"text": ASKED, "role": "user"},
            {"text": "Hm.", "role": "model", "isThought": True},
            {"text": ANSWERED, "role": "model"},
        ]
    },
}
GEMINI = [
    {
        "header": "Gemini Apps",
        "title": f"Prompted {ASKED}",
        "time": "2024-03-10T10:20:00Z",
        "products": ["Gemini Apps"],
        "safeHtmlItem": [{"html": "<p>It <b>rains</b> there.</p>"}],
    }
]
SESSION = [
    {"type": "summary", "summary": "Weather"},
    {"type": "user", "sessionId": "s1", "message": {"role": "user", "content": ASKED}, "timestamp": IN_UTC[0][1]},
    {
        "type": "assistant",
        "sessionId": "s1",
        "message": {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": ANSWERED}],
        },
        "timestamp": IN_UTC[1][1],
    },
    {
        "type": "user",
        "sessionId": "s1",
        "message": {"role": "user", "content": [{"type": "tool_result", "content": "a.py"}]},
        "timestamp": IN_UTC[1][1],
    },
]
EXPORTS: dict[str, tuple[str, Any, list[Said]]] = {
    "LinkedIn": ("messages.csv", LINKEDIN, IN_UTC),
    "iMazing": ("a.csv", IMAZING, [TALK[0], ("Me", *TALK[1][1:])]),
    "Discord's CSV": ("a.csv", DISCORD_CSV, [("ann", *IN_UTC[0][1:]), ("bo", *IN_UTC[1][1:])]),
    "Discord's text": ("a.txt", DISCORD_TEXT, [*BY_NICK[:2], ("ann", "2024-03-13T11:22:00", "Good.")]),
    "irssi": ("club.log", IRSSI, BY_NICK),
    "WeeChat": ("a.weechatlog", WEECHAT, BY_NICK),
    "LINE": ("a.txt", LINE, BY_NICK),
    "KakaoTalk": ("a.txt", KAKAO, BY_NICK),
    "iMessage": ("a.txt", IMESSAGE, BY_NICK),
    "sigtop": ("a.txt", SIGTOP, [(who, f"{when}+00:00", what) for who, when, what in BY_NICK]),
    "Zoom": ("a.txt", ZOOM, [(who, "", what) for who, _, what in BY_NICK]),
    "signal-export": ("Ann Lee/chat.md", SIGNAL, TALK),
    "SMS": ("sms.xml", SMS, [IN_UTC[0], ("Me", *IN_UTC[1][1:])]),
    "Element": ("a.json", MATRIX, [("ann", *IN_UTC[0][1:]), ("bo", *IN_UTC[1][1:])]),
    "Hangouts": ("Hangouts.json", HANGOUTS, IN_UTC),
    "Rocket.Chat": ("a.json", ROCKET, IN_UTC),
    "Twitter": ("data/direct-messages.js", TWITTER, [("@1", *IN_UTC[0][1:]), ("@2", *IN_UTC[1][1:])]),
    "Snapchat": (
        "chat_history.json",
        SNAPCHAT,
        [("ann", *IN_UTC[0][1:]), ("bo", *IN_UTC[1][1:]), ("cy", "2024-03-12T11:21:00+00:00", "Hi.")],
    ),
    "Grok": ("prod-grok-backend.json", GROK, AS_ROLES),
    "DeepSeek": ("conversations.json", [{"id": "d1", "title": "Bergen", "mapping": NODES}], AS_ROLES),
    "Open WebUI": ("a.json", WEBUI, AS_ROLES),
    "LibreChat": ("a.json", LIBRE, AS_ROLES),
    "AI Studio": ("Trip plan", STUDIO, [("user", "", ASKED), ("assistant", "", ANSWERED)]),
    "Gemini": ("MyActivity.json", GEMINI, [AS_ROLES[0], ("assistant", *AS_ROLES[0][1:2], ANSWERED)]),
    "an agent's session": ("s.jsonl", "\n".join(map(json.dumps, SESSION)), AS_ROLES),
}


def read(name: str, content: Any) -> list[Loaded | Unreadable]:
    data = (
        content
        if isinstance(content, bytes)
        else (content if isinstance(content, str) else json.dumps(content)).encode()
    )
    return list(all_readers().read(data, name, Fields()))


def said(items: list[Loaded | Unreadable]) -> list[Said]:
    """Return who says what when in documents, each without the label."""
    assert not [item for item in items if isinstance(item, Unreadable)]
    found = [(item, each) for item in items if isinstance(item, Loaded) for each in item.messages]
    texts = (item.text[each.char_start : each.char_end].partition(": ")[2] for item, each in found)
    return [(each.speaker, each.time, text) for (_, each), text in zip(found, texts, strict=True)]


@pytest.mark.parametrize("what", EXPORTS)
def test_an_export_holds_who_says_what_when(what: str) -> None:
    name, content, expected = EXPORTS[what]
    assert said(read(name, content)) == expected


@pytest.mark.parametrize("what", EXPORTS)
def test_a_zip_of_it_holds_the_same(what: str) -> None:
    name, content, expected = EXPORTS[what]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, content if isinstance(content, str) else json.dumps(content))
    assert said(read("export.zip", packed.getvalue())) == expected


@pytest.mark.parametrize("what", EXPORTS)
def test_what_is_cut_off_ends_nothing(what: str) -> None:
    name, content, _ = EXPORTS[what]
    text = content if isinstance(content, str) else json.dumps(content)
    for end in range(0, len(text), 7):
        items = read(name, text[:end])
        assert all("Error" not in item.error for item in items if isinstance(item, Unreadable)), (end, items)


@pytest.mark.parametrize(
    "columns",
    [
        "id,user,date,rating,text",  # of a review
        "date,user,status,subject,message",  # of a ticket
        "ticket id,channel,status,subject,message,user,date",
        "Date,From,To,Price,Message",
        "Author,Date,Content,Issue",
    ],
)
def test_rows_that_are_more_than_messages_stay_rows(columns: str) -> None:
    assert message_columns(columns.split(",")) is None


def test_a_talk_is_called_by_who_talks_and_a_day_is_a_document() -> None:
    titles = [item.title for item in read("messages.csv", LINKEDIN) if isinstance(item, Loaded)]
    assert titles == ["Ann Lee, Bo Diaz 2024-03-10", "Ann Lee, Bo Diaz 2024-03-11"]
    assert notes("Ann/chat.md", SIGNAL)[0][0] == "Ann 2024-03-10"


def test_what_has_no_day_has_that_of_the_name() -> None:
    lines = "".join(f"[10:2{n}] <ann> Word {n}.\n" for n in range(3))
    for name in ("logs/2024/03/10/#club.txt", "#club_20240310.log", "club.2024-03-10.log"):
        assert {time[:10] for _, time, _ in said(read(name, lines))} == {"2024-03-10"}, name
    assert {time for _, time, _ in said(read("club.log", lines))} == {""}


def test_a_log_of_a_program_is_no_document(tmp_path: Any) -> None:
    (tmp_path / "app.log").write_text("2024-03-10 10:00:00 INFO ready\n" * 30)
    (tmp_path / "club.log").write_text(IRSSI)
    found = scan(tmp_path, leave_out=tmp_path / "output")
    assert [row[0] for row in found.rows] == ["club.log"] and found.left_out == {".log files": 1}
    assert [item.text for item in read("app.log", "INFO ready\n" * 30) if isinstance(item, Loaded)] == [""]


def test_a_view_of_notion_is_read_once(tmp_path: Any) -> None:
    name = f"Tasks {'0a' * 16}"
    for kind in ("", "_all"):
        (tmp_path / f"{name}{kind}.csv").write_text("Name,Notes\nRoof,It was mended by the firm of Krause in May.\n")
    found = scan(tmp_path, leave_out=tmp_path / "output")
    assert [row[0] for row in found.rows] == [f"{name}_all.csv"] and found.left_out == {REPEATED: 1}


def notes(name: str, content: Any) -> list[tuple[str, str, str]]:
    return [(item.title, item.created_at, item.text) for item in read(name, content) if isinstance(item, Loaded)]


def test_pages_of_roam_have_their_lines() -> None:
    page = {
        "title": "March 10th, 2024",
        "children": [{"string": "Met [[Bo]]", "children": [{"string": "Late ((abcdef))"}]}],
    }
    assert notes("a.json", [page]) == [("March 10th, 2024", "2024-03-10", "- Met Bo\n  - Late")]


def test_entries_of_day_one_are_notes() -> None:
    entry = {
        "uuid": "A",
        "creationDate": "2024-03-10T10:20:00Z",
        "text": "# Harbour\n\nIt rained.\n\n![](dayone-moment:\\/\\/A)",
    }
    journal = {"metadata": {"version": "1.0"}, "entries": [entry]}
    assert notes("Journal.json", journal) == [("Harbour", "2024-03-10T10:20:00+00:00", "# Harbour\n\nIt rained.")]


def test_a_note_of_joplin_is_what_was_written_and_a_folder_is_none() -> None:
    about = f"id: {'0a' * 16}\nparent_id: \nuser_created_time: 2024-03-10T10:20:00.000Z\nauthor: \ntype_: "
    assert notes("a.md", f"Boiler\n\nIt was repaired.\n\n{about}1") == [
        ("Boiler", "2024-03-10T10:20:00+00:00", "It was repaired.")
    ]
    assert notes("b.md", f"Club\n\n{about}2") == [("", "", "")]


def test_a_journal_of_logseq_has_its_day_and_no_marks() -> None:
    page = (
        "- Met [[Bo]]\n  id:: 65f0\n  collapsed:: true\n\t- TODO call\n\t  :LOGBOOK:\n\t  CLOCK: [2024]\n\t  :END:\n"
        "- {{query (todo)}}\n"
    )
    assert notes("journals/2024_03_10.md", page) == [("", "2024-03-10", "- Met Bo\n  - TODO call")]
    (person,) = read("pages/Bo Diaz.md", "alias:: Bo, Diaz\n\n- Lives in Oslo\n")
    assert isinstance(person, Loaded) and person.metadata == {"aliases": ["Bo", "Diaz"]}


def test_tweets_are_documents_and_the_rest_of_the_download_is_none() -> None:
    tweet = {
        "tweet": {"id_str": "1", "full_text": "It rains in Bergen.", "created_at": "Sun Mar 10 13:20:00 +0000 2024"}
    }
    assert notes("tweets.js", "window.YTD.tweets.part0 = " + json.dumps([tweet])) == [
        ("", "2024-03-10T13:20:00+00:00", "It rains in Bergen.")
    ]
    assert notes("account.js", 'window.YTD.account.part0 = [{"account": {"username": "ann"}}]') == [("", "", "")]


def test_lists_beside_the_one_that_is_read_are_named(caplog: pytest.LogCaptureFixture) -> None:
    def rows(count: int) -> list[dict[str, Any]]:
        return [
            {"n": n, "note": f"The roof of mill {n} was mended by the firm of Krause in May."} for n in range(count)
        ]

    assert len(read("a.json", {"a": rows(2), "b": rows(4)})) == 4
    assert "a.json: of its lists b is read, and not a." in caplog.text
    caplog.clear()
    assert len(read("a.json", {"b": rows(4), "n": 1})) == 4 and not caplog.text

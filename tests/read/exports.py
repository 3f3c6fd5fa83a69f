"""Small files of the shapes in which conversations are exported, written for these tests, and what is said in them.

What is said is (conversation, speaker, role, time, text), in the order of the file.
"""

import json
from typing import Any

Said = tuple[str, str, str, str, str]


def _node(key: str, parent: str, role: str, said: str, time: float, **about: Any) -> dict[str, Any]:
    kind = about.pop("kind", "text")
    content = {"content_type": kind, "parts": [said]}
    message = {"id": key, "author": {"role": role}, "create_time": time, "content": content, "recipient": "all"}
    return {"id": key, "parent": parent, "children": [], "message": message | about}


NODES = [
    {"id": "root", "parent": None, "children": ["a"], "message": None},
    _node("a", "root", "system", "You are helpful.", 0.0),
    _node("b", "a", "user", "Where should I go in May?", 1714557600.0),
    _node("b2", "a", "user", "Where should I go in June?", 1714557900.0),
    _node("c", "b", "assistant", "To Rome.", 1714557610.0),
    _node("d", "b", "assistant", "search('May')", 1714557620.0, recipient="browser"),
    _node("e", "d", "tool", "It is warm.", 1714557630.0),
    _node("f", "e", "assistant", "I should think.", 1714557635.0, kind="thoughts"),
    _node("g", "f", "assistant", "To Oslo\ue200cite\ue202turn0search0\ue201.", 1714557640.0),
    _node("h", "g", "user", "About me: a cook.", 1714557650.0, metadata={"is_visually_hidden_from_conversation": True}),
    _node("i", "h", "user", "Good\ud800!", 1714557660.0),
]
CHATGPT = [
    {
        "title": "Trip",
        "create_time": 1714557600.0,
        "conversation_id": "c-1",
        "current_node": "i",
        "mapping": {node["id"]: node for node in NODES},
    }
]
CLAUDE = [
    {
        "uuid": "u-1",
        "name": "Bread",
        "created_at": "2024-05-01T10:00:00Z",
        "chat_messages": [
            {"uuid": "m1", "sender": "human", "text": "How long?", "created_at": "2024-05-01T10:00:01Z"},
            {
                "uuid": "m2",
                "sender": "assistant",
                "text": "",
                "content": [
                    {"type": "thinking", "thinking": "Hm."},
                    {"type": "tool_use", "name": "clock", "input": {}},
                    {"type": "text", "text": "An hour."},
                ],
                "created_at": "2024-05-01T10:00:02Z",
            },
        ],
    },
    {"uuid": "u-2", "name": "", "created_at": "2024-05-02T10:00:00Z", "chat_messages": []},
]
OPENAI = {
    "id": "thread-1",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": [{"type": "text", "text": "Hi."}, {"type": "image_url", "image_url": {"url": "x"}}],
        },
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
        {"role": "tool", "content": "42"},
        {"role": "assistant", "content": "Hello."},
    ],
}
LANGCHAIN = [
    {"type": "system", "data": {"content": "Be brief."}},
    {"type": "human", "data": {"content": "Hi."}},
    {"type": "ai", "data": {"content": "Hello."}},
]
SESSION = [
    {"role": "user", "content": "I moved to Oslo."},
    {"role": "assistant", "content": "Nice.", "has_answer": True},
]
LONGMEMEVAL = [
    {
        "question_id": f"q{number}",
        "question": "Where does the user live?",
        "answer": "Oslo",
        "haystack_session_ids": ["s1", "s2"],
        "haystack_dates": ["2023/05/30 (Tue) 23:40", "2023/06/01 (Thu) 08:00"],
        "haystack_sessions": [SESSION, [{"role": "user", "content": "I have a dog."}]],
    }
    for number in (1, 2)
]
LOCOMO = [
    {
        "sample_id": "conv-1",
        "qa": [{"question": "Where?", "answer": "Oslo"}],
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bo",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "Look!", "blip_caption": "a photo of a dog"},
                {"speaker": "Bo", "dia_id": "D1:2", "text": "Nice."},
            ],
        },
    }
]
USERS = [
    {"id": "U1", "team_id": "T", "name": "ann", "profile": {"real_name": "Ann Lee", "display_name": "ann"}},
    {"id": "U2", "team_id": "T", "name": "bo", "profile": {"real_name": "", "display_name": "Bo Diaz"}},
]
SLACK_DAY = [
    {
        "type": "message",
        "user": "U1",
        "ts": "1714557600.000100",
        "text": "<@U2>, *look* at <https://x.org|this> &amp; <#C1|ops>.",
    },
    {"type": "message", "subtype": "channel_join", "user": "U2", "ts": "1714557601.000000", "text": "<@U2> has joined"},
    {
        "type": "message",
        "user": "U2",
        "ts": "1714557602.000000",
        "thread_ts": "1714557602.000000",
        "text": "Who cooks?",
    },
    {"type": "message", "user": "U1", "ts": "1714557603.000000", "thread_ts": "1714557602.000000", "text": "I do."},
    {
        "type": "message",
        "subtype": "file_share",
        "user": "U1",
        "ts": "1714557604.000000",
        "text": "The door",
        "files": [{}],
    },
    {
        "type": "message",
        "bot_id": "B",
        "username": "build",
        "ts": "1714557605.000000",
        "text": "",
        "blocks": [
            {"type": "header", "text": {"type": "plain_text", "text": "Build 7"}},
            {"type": "section", "text": {"type": "mrkdwn", "text": "*Orion* failed."}, "fields": [{"text": "on main"}]},
            {
                "type": "rich_text",
                "elements": [
                    {
                        "type": "rich_text_section",
                        "elements": [{"type": "text", "text": "Ask "}, {"type": "text", "text": "Bo."}],
                    }
                ],
            },
        ],
    },
]
TELEGRAM = {
    "name": "Ann Lee",
    "type": "personal_chat",
    "id": 7,
    "messages": [
        {"id": 1, "type": "service", "date": "2024-05-01T09:00:00", "actor": "Ann Lee", "action": "phone_call"},
        {"id": 2, "type": "message", "date": "2024-05-01T10:00:00", "from": "Ann Lee", "text": ["See ", {"type": "link", "text": "x.org"}]},
        {"id": 3, "type": "message", "date": "2024-05-02T10:00:00", "from": "Bo", "photo": "a.jpg", "text": "The door", "reply_to_message_id": 2},
        {"id": 4, "type": "message", "date": "2024-05-02T10:01:00", "from": "Bo", "media_type": "sticker", "text": ""},
    ],
}  # fmt: skip
TELEGRAM_PAGE = """<!DOCTYPE html><html><head><meta charset="utf-8"/><title>Exported Data</title></head>
<body onload="CheckLocation();"><div class="page_wrap"><div class="page_header"><div class="content"><div class="text bold">
Boat &amp; club
</div></div></div><div class="page_body chat_page"><div class="history">
<div class="message service" id="message-1"><div class="body details">1 May 2024</div></div>
<div class="message default clearfix" id="message1"><div class="body">
<div class="pull_right date details" title="01.05.2024 10:00:00 UTC+02:00">10:00</div>
<div class="from_name">Ann Lee </div><div class="text">See <a href="https://telegram.org">x.org</a><br>&lt;now&gt;</div></div></div>
<div class="message default clearfix joined" id="message2"><div class="body">
<div class="pull_right date details" title="01.05.2024 10:01:00 UTC+02:00">10:01</div>
<div class="media_wrap clearfix"><div class="body"><div class="title bold">Photo</div></div></div></div></div>
<div class="message default clearfix joined" id="message3"><div class="body">
<div class="pull_right date details" title="01.05.2024 10:02:00 UTC+02:00">10:02</div>
<div class="reply_to details">In reply to <a href="#go_to_message1" onclick="return GoToMessage(1)">this message</a></div>
<div class="forwarded body"><div class="from_name">Bo <span class="date details" title="30.04.2024 09:00:00"> 30.04.2024 09:00:00</span></div>
<div class="text">The door</div></div></div></div>
</div></div></div></body></html>
"""
DISCORD = {
    "guild": {"id": "1", "name": "Whales"},
    "channel": {"id": "2", "type": "GuildTextChat", "name": "general"},
    "messages": [
        {"id": "9", "type": "Default", "timestamp": "2024-05-01T10:00:00+00:00", "content": "Hi", "author": {"name": "ann", "nickname": "Ann Lee"}},
        {"id": "10", "type": "Reply", "timestamp": "2024-05-01T10:01:00+00:00", "content": "Yes?", "author": {"name": "bo7"}, "reference": {"messageId": "9"}},
        {"id": "11", "type": "GuildMemberJoin", "timestamp": "2024-05-01T10:02:00+00:00", "content": "Joined.", "author": {"name": "cy"}},
    ],
}  # fmt: skip
TEAMS = {
    "value": [
        {
            "id": "1",
            "messageType": kind,
            "createdDateTime": time,
            "chatId": "19:x",
            "from": {"user": {"displayName": "Ann Lee"}} if kind == "message" else None,
            "body": {"contentType": "html", "content": '<p>Hi <at id="0">Bo</at> &amp; all</p>'},
        }
        for kind, time in (("systemEventMessage", "2024-05-01T09:00:00Z"), ("message", "2024-05-01T10:00:00Z"))
    ]
}
FACEBOOK = {
    "participants": [{"name": "Ann Lee"}, {"name": "J\u00c3\u00b6rg"}],
    "messages": [
        {"sender_name": "J\u00c3\u00b6rg", "timestamp_ms": 1714557660000, "content": "\u00c3\u009cber der T\u00c3\u00bcr \u00f0\u009f\u0098\u0080"},
        {"sender_name": "Ann Lee", "timestamp_ms": 1714557630000, "photos": [{"uri": "a.jpg"}]},
        {"sender_name": "Ann Lee", "timestamp_ms": 1714557620000, "content": "Oops", "is_unsent": True},
        {"sender_name": "Ann Lee", "timestamp_ms": 1714557600000, "content": "Where is the key?"},
    ],
    "title": "J\u00c3\u00b6rg",
    "thread_path": "inbox/joerg_7",
}  # fmt: skip
GOOGLE_CHAT = {
    "messages": [
        {"creator": {"name": "Ann Lee", "user_type": "Human"}, "created_date": "Wednesday, May 1, 2024 at 10:00:00\u202fAM UTC", "text": "Is it open?", "message_id": "7/1/1"},
        {"creator": {"name": "Bo"}, "created_date": "Wednesday, May 1, 2024 at 10:01:00\u202fAM UTC", "text": "Yes.", "message_id": "7/1/2"},
        {"creator": {"name": "Bo"}, "created_date": "Wednesday, May 1, 2024 at 10:02:00\u202fAM UTC", "attached_files": [{}], "message_id": "7/1/3"},
    ]
}  # fmt: skip
ANDROID = """30/05/2023, 23:40 - Messages and calls are end-to-end encrypted.
30/05/2023, 23:40 - Ann Lee: Is it open?
It should be.
04/06/2023, 09:05 - Bo Diaz: <Media omitted>
04/06/2023, 09:06 - Bo Diaz: IMG-20230604-WA0001.jpg (file attached)
The new door
04/06/2023, 09:07 - Ann Lee: Note: it is 5:30
"""
IPHONE = """[30.05.23, 23:40:12] Ann Lee: \u200eMessages and calls are end-to-end encrypted.
[30.05.23, 23:40:12] Ann Lee: Hallo
\u200e[30.05.23, 23:41:12] Bo Diaz: \u200eBild weggelassen
[30.05.23, 23:42:12] ~\u202fBo Diaz: Wie geht's?
"""
HEAD = "From: {}\nTo: {}\nDate: {}\nSubject: Door\nMessage-ID: <{}@x.org>\n"
MBOX = "\n".join([
    "From bo@x.org Wed May  1 12:00:00 2024",
    HEAD.format("Bo Diaz <bo@x.org>", "ann@x.org", "Wed, 1 May 2024 12:00:00 +0200", 2)
    + "In-Reply-To: <1@x.org>\nReferences: <1@x.org>\n\nYes.\n>From now on.\n\nAnn Lee wrote:\n> Is it open?\n-- \nBo\n",
    "From ann@x.org Wed May  1 09:00:00 2024",
    HEAD.format("Ann Lee <ann@x.org>", "bo@x.org", "Wed, 1 May 2024 09:00:00 +0000", 1) + "\nIs it open?\n",
    "",
])  # fmt: skip

EXPORTS: dict[str, tuple[dict[str, Any], list[Said], int]] = {
    # what: its files, what is said in them, and how many messages are left out
    "ChatGPT": ({"conversations.json": CHATGPT}, [
        ("c-1", "user", "user", "2024-05-01T10:00:00+00:00", "Where should I go in May?"),
        ("c-1", "assistant", "assistant", "2024-05-01T10:00:40+00:00", "To Oslo."),
        ("c-1", "user", "user", "2024-05-01T10:01:00+00:00", "Good\ufffd!"),
    ], 5),
    "Claude": ({"conversations.json": CLAUDE}, [
        ("u-1", "user", "user", "2024-05-01T10:00:01+00:00", "How long?"),
        ("u-1", "assistant", "assistant", "2024-05-01T10:00:02+00:00", "An hour."),
    ], 0),
    "OpenAI": ({"a.json": OPENAI}, [
        ("thread-1", "user", "user", "", "Hi."), ("thread-1", "assistant", "assistant", "", "Hello."),
    ], 3),
    "LangChain": ({"a.json": LANGCHAIN}, [
        ("a.json", "user", "user", "", "Hi."), ("a.json", "assistant", "assistant", "", "Hello."),
    ], 1),
    "LangGraph": ({"a.json": {"values": {"messages": LANGCHAIN}, "next": [], "checkpoint": {"thread_id": "t-1"}}}, [
        ("t-1", "user", "user", "", "Hi."), ("t-1", "assistant", "assistant", "", "Hello."),
    ], 1),
    "LongMemEval": ({"a.json": LONGMEMEVAL}, [
        ("s1", "user", "user", "2023-05-30T23:40:00", "I moved to Oslo."),
        ("s1", "assistant", "assistant", "2023-05-30T23:40:00", "Nice."),
        ("s2", "user", "user", "2023-06-01T08:00:00", "I have a dog."),
    ], 0),
    "LoCoMo": ({"a.json": LOCOMO}, [
        ("conv-1 session_1", "Ann", "", "2023-05-08T13:56:00", "Look!\n[photo: a photo of a dog]"),
        ("conv-1 session_1", "Bo", "", "2023-05-08T13:56:00", "Nice."),
    ], 0),
    "Slack": ({"users.json": USERS, "ops/2024-05-01.json": SLACK_DAY}, [
        ("ops", "Ann Lee", "", "2024-05-01T10:00:00.000100+00:00", "Bo Diaz, look at this & #ops."),
        ("ops", "Ann Lee", "", "2024-05-01T10:00:04+00:00", "The door"),
        ("ops", "build", "", "2024-05-01T10:00:05+00:00", "Build 7\nOrion failed.\non main\nAsk Bo."),
        ("ops 1714557602.000000", "Bo Diaz", "", "2024-05-01T10:00:02+00:00", "Who cooks?"),
        ("ops 1714557602.000000", "Ann Lee", "", "2024-05-01T10:00:03+00:00", "I do."),
    ], 1),
    "Telegram": ({"result.json": TELEGRAM}, [
        ("Ann Lee", "Ann Lee", "", "2024-05-01T10:00:00", "See x.org"),
        ("Ann Lee", "Bo", "", "2024-05-02T10:00:00", "The door"),
    ], 2),
    "Telegram's pages": ({"messages.html": TELEGRAM_PAGE}, [
        ("Boat & club", "Ann Lee", "", "2024-05-01T10:00:00+02:00", "See x.org\n<now>"),
        ("Boat & club", "Bo", "", "2024-05-01T10:02:00+02:00", "The door"),
    ], 2),
    "Discord": ({"a.json": DISCORD}, [
        ("Whales/general", "Ann Lee", "", "2024-05-01T10:00:00+00:00", "Hi"),
        ("Whales/general", "bo7", "", "2024-05-01T10:01:00+00:00", "Yes?"),
    ], 1),
    "Teams": ({"a.json": TEAMS}, [("19:x", "Ann Lee", "", "2024-05-01T10:00:00+00:00", "Hi Bo & all")], 1),
    "Facebook": ({"a.json": FACEBOOK}, [
        ("inbox/joerg_7", "Ann Lee", "", "2024-05-01T10:00:00+00:00", "Where is the key?"),
        ("inbox/joerg_7", "Jörg", "", "2024-05-01T10:01:00+00:00", "Über der Tür \U0001f600"),
    ], 2),
    "Google Chat": ({"Space 7/messages.json": GOOGLE_CHAT}, [
        ("Space 7", "Ann Lee", "", "2024-05-01T10:00:00+00:00", "Is it open?"),
        ("Space 7", "Bo", "", "2024-05-01T10:01:00+00:00", "Yes."),
    ], 1),
    "WhatsApp on Android": ({"_chat.txt": ANDROID}, [
        ("_chat.txt", "Ann Lee", "", "2023-05-30T23:40:00", "Is it open?\nIt should be."),
        ("_chat.txt", "Bo Diaz", "", "2023-06-04T09:06:00", "The new door"),
        ("_chat.txt", "Ann Lee", "", "2023-06-04T09:07:00", "Note: it is 5:30"),
    ], 2),
    "WhatsApp on an iPhone": ({"_chat.txt": IPHONE}, [
        ("_chat.txt", "Ann Lee", "", "2023-05-30T23:40:12", "Hallo"),
        ("_chat.txt", "Bo Diaz", "", "2023-05-30T23:42:12", "Wie geht's?"),
    ], 2),
    "mailbox": ({"a.mbox": MBOX}, [
        ("<1@x.org>", "Ann Lee", "", "2024-05-01T09:00:00+00:00", "Is it open?"),
        ("<1@x.org>", "Bo Diaz", "", "2024-05-01T12:00:00+02:00", "Yes.\nFrom now on."),
    ], 0),
}  # fmt: skip


def files_of(what: str) -> dict[str, bytes]:
    """Return the files of an export by name."""
    return {
        name: content.encode() if isinstance(content, str) else json.dumps(content).encode()
        for name, content in EXPORTS[what][0].items()
    }


def twin(what: str) -> bytes:
    """Return what is said as JSON lines."""
    rows = [
        {"conversation": conversation, "speaker": speaker, "timestamp": time, "text": text}
        for conversation, speaker, _, time, text in EXPORTS[what][1]
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()

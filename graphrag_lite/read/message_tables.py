"""A table whose rows are messages, as messengers write it, told by what its columns are called -> a document a day."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from graphrag_lite.read.columns import cell_text
from graphrag_lite.read.conversations import Chat, ShownMessage, as_shown, chat_title, documents_of
from graphrag_lite.read.documents import Fields, Item
from graphrag_lite.read.json_values import is_list
from graphrag_lite.text.timestamps import times_of
from graphrag_lite.text.word_lists import expressions

CALLED = {what: re.compile(form) for what, form in expressions(__package__, "message_columns.txt").items()}
MARK = re.compile(r"[\W_]+")
FIRST = 20  # messages whose senders a talk without a title is called by
ME = "Me"  # who has exported, where a message of theirs names nobody


def message_columns(names: Iterable[str]) -> Mapping[str, str] | None:
    """Return which column of a table says who writes what when, and where; None where rows are more than messages.

    >>> message_columns(["FROM", "TO", "DATE", "CONTENT"])
    {'sender': 'FROM', 'recipient': 'TO', 'text': 'CONTENT', 'time': 'DATE'}
    >>> message_columns(["Author", "Date", "Rating", "Text"])
    """
    called = {name: MARK.sub(" ", name.casefold()).strip() for name in names}
    found: dict[str, str] = {}
    for what in ("sender", "recipient", "text", "time", "conversation", "title", "id"):
        fitting = [name for name, plain in called.items() if CALLED[what].fullmatch(plain)]
        found |= {what: fitting[0]} if fitting else {}
    rest = [plain for name, plain in called.items() if plain and name not in found.values()]
    placed = {"conversation", "recipient"} & {*found}
    rest = [plain for plain in rest if not (placed and CALLED["shared"].fullmatch(plain))]
    return found if {"sender", "text", "time"} <= {*found} and all(map(CALLED["beside"].fullmatch, rest)) else None


def messages_by_chat(value: Mapping[str, Any]) -> Mapping[str, tuple[Iterable[Any], Mapping[str, str]]]:
    """Return the lists of an object that has nothing but lists of messages, one for each conversation, by their names.

    >>> row = {"From": "ann", "Created": "2024-03-10 10:20:00 UTC", "Content": "Hi"}
    >>> [*messages_by_chat({"bo": [row], "cy": []})], messages_by_chat({"bo": [row], "n": 1})
    (['bo'], {})
    """
    found = {}
    for key, listed in value.items():
        first: Any = next(iter(listed), {}) if is_list(listed) else None
        columns = message_columns(first) if isinstance(first, dict) else None
        if columns:
            found[key] = (listed, columns)
        elif first != {}:
            return {}
    return found


def message_documents(
    rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str], path: str, fields: Fields, listed_as: str = ""
) -> Iterator[Item]:
    """Yield the days of each conversation, its messages in order of time whichever stands first.

    One without a title is called as it is listed, or by those who talk.
    """

    def cell(row: Mapping[str, Any], what: str) -> str:
        return cell_text(row.get(columns.get(what, "")))

    chats: dict[str, list[Mapping[str, Any]]] = {}
    for row in filter(lambda row: isinstance(row, dict), rows):
        chats.setdefault(cell(row, "conversation") or listed_as, []).append(row)
    for name, listed in chats.items():
        title = next(filter(None, (cell(row, "title") for row in listed)), listed_as)
        messages = [_message(row, columns) for row in listed]
        if _newest_first([message.time for message in messages]):
            messages.reverse()
        people = (cell(row, who) for row in listed[:FIRST] for who in ("sender", "recipient"))
        who = ", ".join(sorted(filter(None, {*people}))) if name else ""
        chat = Chat(name or path, title or who or chat_title(path), messages, as_shown, daily=True)
        yield from documents_of(chat, path, fields.time)


def _message(row: Mapping[str, Any], columns: Mapping[str, str]) -> ShownMessage:
    cells = {what: cell_text(row.get(name)) for what, name in columns.items()}
    own = not cells["sender"] and any(CALLED["own"].fullmatch(str(cell).casefold()) for cell in row.values())
    speaker = ME if own else cells["sender"].removesuffix("#0")  # of Discord, where a name needs no number
    return ShownMessage(speaker, cells["text"], row.get(columns["time"]), cells.get("id", ""))


def _newest_first(stated: Sequence[Any]) -> bool:
    steps = [*pairwise(filter(None, times_of(stated)))]
    return sum(after < before for before, after in steps) > sum(after > before for before, after in steps)

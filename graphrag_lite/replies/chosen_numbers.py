"""Which of some numbered pairs a model has chosen: the reply to a question about 20 pairs at once."""

import re
from collections.abc import Mapping
from typing import Any

from graphrag_lite.errors import ReplyError
from graphrag_lite.replies.json_reply import object_schema, read_object

LINE = re.compile(r"^\W{0,9}(\d{1,6})\W{1,9}([^\W\d_]+)", re.M)
LIST = re.compile(r"\[[\d\s,]{0,2000}\]")
YES, NO = frozenset(("yes", "true")), frozenset(("no", "false", "not", "different"))


def number_list_schema(word: str) -> dict[str, Any]:
    """Return the schema of `{word: [numbers]}`."""
    return object_schema(**{word: {"type": "array", "items": {"type": "integer"}}})


def read_chosen(text: str, n: int, word: str) -> tuple[frozenset[int], int]:
    """Return which of the pairs 1 to `n` a reply calls by a word, and how many other numbers it names.

    Read are `{"same": [1, 4]}`, a bare list, and lines such as `4: yes`. Raises ReplyError for anything else.

    >>> read_chosen('{"same": [1, "4", 99]}', 20, "same"), read_chosen("1: yes\\n2. No", 20, "same")
    ((frozenset({1, 4}), 1), (frozenset({1}), 0))
    """
    lines = [
        (number, answer)
        for number, verdict in LINE.findall(text)
        if (answer := verdict.casefold()) in {word} | YES | NO
    ]
    if lines:
        answer = {int(number) for number, verdict in lines if verdict not in NO}
    elif "{" not in text and (bare := LIST.search(text)):
        answer = {int(number) for number in re.findall(r"\d{1,9}", bare.group())}
    else:
        answer = _listed(read_object(text), word)
    known = frozenset(number for number in answer if 1 <= number <= n)
    return known, len(answer) - len(known)


def _listed(reply: Mapping[str, object], word: str) -> set[int]:
    chosen = next((value for key, value in reply.items() if key.casefold() == word), None)
    if isinstance(chosen, dict):  # {"1": true, "2": false}
        chosen = [key for key, value in chosen.items() if value is True or str(value).casefold() in YES | {word}]
    if not isinstance(chosen, list):
        raise ReplyError(f'it does not say which pairs are chosen: {{"{word}": [numbers]}}, [] where none is')
    numbers = [re.match(r"\D{0,9}(\d{1,9})", str(item)) for item in chosen if not isinstance(item, bool)]
    return {int(number[1]) for number in numbers if number}

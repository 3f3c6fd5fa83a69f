"""What a reasoning model thinks before it speaks, where its server leaves that in the reply: it is no part of it.

Some servers put the thinking into a field of its own, which nobody reads. Others leave it between tags; and where the
chat template has opened the tag in the prompt, all that comes is the closing one.
"""

import re
from typing import TYPE_CHECKING

from graphrag_lite.errors import ReplyError
from graphrag_lite.llm.openai_fields import is_json

if TYPE_CHECKING:
    from graphrag_lite.llm.chat import Reply

TAG = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
OPENINGS = ("<think>", "<thinking>")
QUOTES = frozenset("\"'`“”‘’«»„「」『』<>")  # the last two as in <|>, which separates the fields of a record
GOES_ON = re.compile(r"[.,;:!?)]|[^\S\n]+[^\W\d_A-Z]")  # after a tag that a sentence is about
ENDS = re.compile(r"[.!?…。！？\n]\s*\Z")  # before a tag that ends thinking


def without_thinking(text: str) -> str:
    """Return a reply without its thinking, empty where that never ends.

    Thinking is what an opening tag at the start begins, and what stands before a closing tag that no tag has opened. A
    tag that is quoted, within a sentence that goes on, or in a reply that is JSON as a whole, is what a text speaks of.

    >>> (without_thinking("<think>Hm.</think>\\n\\nYes."), without_thinking("So it says yes.\\n</think>\\n\\nYes."),
    ...  without_thinking("<think>Hm."))
    ('Yes.', 'Yes.', '')
    >>> without_thinking("The tag `</think>` ends it [1]; what follows </think> is the answer.")
    'The tag `</think>` ends it [1]; what follows </think> is the answer.'
    """
    if TAG.search(text) is None or (text.lstrip()[:1] in ("{", "[") and is_json(text)):
        return text
    tags = [tag for tag in TAG.finditer(text) if not _is_quoted(text, tag)]
    if text.lstrip().lower().startswith(OPENINGS):
        closing = next((tag for tag in tags if tag[1]), None)
        return without_thinking(text[closing.end() :].lstrip()) if closing else ""
    n_open = 0
    for tag in tags:
        if not tag[1]:
            n_open += 1
        elif n_open:
            n_open -= 1
        elif not _is_spoken_of(text, tag):
            return without_thinking(text[tag.end() :].lstrip())
    return text


def complete_text(reply: "Reply") -> str:
    """Return the text of a reply, without thinking. Raises ReplyError where it is empty or cut off."""
    if reply.finish_reason == "length":
        raise ReplyError(f"it was cut off after {reply.usage.completion_tokens} tokens; say it in fewer words")
    if not (text := without_thinking(reply.text)).strip():
        raise ReplyError(f"it is empty (finish_reason: {reply.finish_reason})")
    return text


def may_think(beginning: str) -> bool:
    """Return whether the beginning of a reply may become the opening tag."""
    begun = beginning.lstrip().lower()
    return any(opening.startswith(begun) for opening in OPENINGS)


def _is_quoted(text: str, tag: re.Match[str]) -> bool:
    return text[: tag.start()][-1:] in QUOTES and text[tag.end() :][:1] in QUOTES


def _is_spoken_of(text: str, tag: re.Match[str]) -> bool:
    return bool(GOES_ON.match(text, tag.end())) and not ENDS.search(text[: tag.start()])

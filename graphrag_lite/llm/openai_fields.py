"""Fields of OpenAI's chat form: those that ask for a reply by a schema, and what those of an answer say."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from graphrag_lite.llm.chat import Usage, estimated_tokens

FORMS = ("json_schema", "json_object by schema", "json_object", "plain text")  # of a reply with a schema, best first
MOST = 10**9  # tokens of one request: no count is more, nor less than none
TEXT = ("text", "output_text")  # types of the parts of a message that are spoken
DONE: dict[str, Any] = {}  # the last event of a stream that is whole
OF_A_STREAM = ("data:", "event:", "id:", "retry:", ":")  # what its lines begin with


def decoded(content: bytes) -> str:
    """Return the text of an answer, in the UTF that its first bytes tell: a charset that is named may be none."""
    return content.decode(json.detect_encoding(content), "replace")


def parse_json(text: str | bytes) -> Any:
    """Read JSON of an endpoint. Raises ValueError for what is none, or is nested too deeply to be read."""
    try:
        return json.loads(decoded(text) if isinstance(text, bytes) else text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def is_json(text: str) -> bool:
    """Return whether a text as a whole is JSON."""
    try:
        parse_json(text)
    except ValueError:
        return False
    return True


def read_answer(content: bytes) -> Any:
    """Read an answer: JSON, or a stream that nobody asked for. Raises ValueError for what is neither, or breaks off."""
    text = decoded(content)
    if not text.startswith(OF_A_STREAM):
        return parse_json(text)
    streamed = StreamedReply()
    for line in text.split("\n"):
        if (event := read_event(line)) and event.get("error"):
            return event
        if event is not None:
            streamed.add(event)
    if streamed.finish is None:
        raise ValueError("it has no end")
    return streamed.answer


def read_event(line: str) -> dict[str, Any] | None:
    """Read a line of a stream: an event, DONE if it is the last, None for what is none."""
    if not line.startswith("data:"):
        return None
    if (data := line[5:].strip()) == "[DONE]":
        return DONE
    event = parse_json(data)
    return event if isinstance(event, dict) and event else None


@dataclass
class StreamedReply:
    """What the events of a stream add up to. `finish`: why it ends, None while it goes on."""

    text: str = ""
    refusal: str = ""
    finish: str | None = None
    usage: Any = None

    def add(self, event: Mapping[str, Any]) -> str:
        """Take an event, and return what it adds to the reply. Raises what reading does for what is none."""
        choice = (event.get("choices") or [{}])[0]
        whole = choice.get("message")  # from a server that does not stream
        added = choice.get("delta") or whole or {}
        piece = message_text(added.get("content"))
        self.refusal += message_text(added.get("refusal"))
        ends = whole or event is DONE
        self.finish = choice.get("finish_reason") or self.finish or ("stop" if ends else None)
        self.usage = event.get("usage") or self.usage
        self.text += piece
        return piece

    @property
    def answer(self) -> dict[str, Any]:
        """The same as an answer that is not streamed."""
        message = {"content": self.text, "refusal": self.refusal}
        return {"choices": [{"message": message, "finish_reason": self.finish}], "usage": self.usage}


def tool_call(calls: Any, thought: str, *, whole: bool = True) -> str:
    """Return the first native call of a tool as one JSON object, "" where there is none; not `whole`: its arguments.

    >>> tool_call([{"function": {"name": "look", "arguments": '{"page": 2}'}}], "Hm.")
    '{"thought": "Hm.", "tool": "look", "arguments": {"page": 2}}'
    """
    first = calls[0] if isinstance(calls, list) and calls else None
    function = first.get("function") if isinstance(first, Mapping) else None
    if not isinstance(function, Mapping):
        return ""
    arguments = function.get("arguments") or {}
    with suppress(ValueError):  # whoever asked says that it cannot be read
        arguments = parse_json(arguments) if isinstance(arguments, str) else arguments
    call = {"thought": thought, "tool": str(function.get("name")), "arguments": arguments} if whole else arguments
    return json.dumps(call, ensure_ascii=False)


def reply_format(form: int, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the field that asks for a reply by a schema, in one of FORMS."""
    if form == 0:
        named = {"name": "reply", "schema": schema, "strict": _is_closed(schema)}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    if form == 1:  # llama-cpp-python's
        return {"response_format": {"type": "json_object", "schema": schema}}
    return {"response_format": {"type": "json_object"}} if form == 2 else {}


def _is_closed(schema: Any) -> bool:
    """Return whether every object of a schema requires all that it knows and no more: OpenAI's strict mode.

    >>> _is_closed({"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": False})
    True
    >>> _is_closed({"type": "array", "items": {"type": "object", "properties": {"a": {}}}})
    False
    """
    if isinstance(schema, list):
        return all(map(_is_closed, schema))
    if not isinstance(schema, Mapping):
        return True
    known = schema.get("properties")
    if isinstance(known, Mapping):
        closed = schema.get("additionalProperties") is False and set(schema.get("required", ())) == set(known)
        return closed and all(map(_is_closed, known.values()))
    return all(map(_is_closed, schema.values()))


def usage_of(answer: Mapping[str, Any], estimated: int) -> Usage:
    """Read what an answer cost; where the endpoint does not say, estimate it."""
    usage = answer.get("usage")
    if not isinstance(usage, Mapping) or (prompt := token_count(usage.get("prompt_tokens"))) is None:
        message = answer["choices"][0].get("message") or {}
        calls = json.dumps(message["tool_calls"]) if message.get("tool_calls") else ""
        return Usage(estimated, 0, estimated_tokens(message_text(message.get("content")) + calls))
    details = usage.get("prompt_tokens_details")
    cached = token_count(details.get("cached_tokens")) if isinstance(details, Mapping) else None
    if cached is None:
        cached = token_count(usage.get("prompt_cache_hit_tokens"))  # DeepSeek's
    completion, total = token_count(usage.get("completion_tokens")) or 0, token_count(usage.get("total_tokens"))
    if total is not None:  # some count what was thought in the total alone
        completion = max(completion, total - prompt)
    return Usage(prompt, min(cached or 0, prompt), completion)


def token_count(tokens: Any) -> int | None:
    """Return a number of tokens that an endpoint tells, None for what can be none."""
    return tokens if type(tokens) is int and 0 <= tokens <= MOST else None


def message_text(content: Any) -> str:
    """Return the text of a message's content: a string, null, or parts of which some are text, others reasoning."""
    if isinstance(content, list):
        spoken = (part for part in content if isinstance(part, Mapping) and part.get("type", "text") in TEXT)
        content = "".join(text for part in spoken if isinstance(text := part.get("text"), str))
    if not isinstance(content, str):
        return ""
    try:
        content.encode()
    except UnicodeEncodeError:  # half a character, which no table can hold
        return content.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return content

"""The JSON object in a model's reply, however it is dressed."""

import json
from typing import Any

from graphrag_lite.errors import ReplyError

TEXT = {"type": "string"}
LONGEST = 100_000  # characters that are repaired: json_repair takes 20 s for 1 MB of `{a}`, under .5 s for this


def object_schema(**properties: Any) -> dict[str, Any]:
    """Return a JSON schema in the subset that servers enforce strictly: every property required, no others."""
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def read_object(text: str) -> dict[str, Any]:
    """Return the JSON object that a reply holds; what stands before and after it is left out.

    Read are also: code fences, a list around the object, line breaks within strings, trailing commas, Python's quotes
    and constants, quotation marks that were not escaped. Raises ReplyError where there is no object, and where it is
    cut off: half an object is not a reply.

    >>> read_object('Here it is:\\n```json\\n{"title": "Scrooge", "findings": ["a",],}\\n```')
    {'title': 'Scrooge', 'findings': ['a']}
    """
    start, end = text.find("{"), text.rfind("}") + 1
    if start < 0:
        raise ReplyError(f"it holds no JSON object: it begins with {text.strip()[:60]!r}")
    try:
        found, _ = json.JSONDecoder(strict=False).raw_decode(text, start)
    except json.JSONDecodeError as error:
        found = _repaired(text[start:end], error)
    except (ValueError, RecursionError):
        raise ReplyError("its JSON holds a number of thousands of digits, or is nested too deeply") from None
    if not isinstance(found, dict):
        raise ReplyError("it is not a JSON object")
    return found


def _repaired(text: str, error: json.JSONDecodeError) -> Any:
    # The library completes what was cut off without a word, so brackets are counted first.
    if any(text.count(opened) != text.count(closed) for opened, closed in ("{}", "[]")):
        raise ReplyError("its JSON is cut off: brackets that were opened are not closed")
    if len(text) > LONGEST:
        raise ReplyError(f"its JSON is not valid: {error}")
    from json_repair import repair_json

    try:
        return repair_json(text, return_objects=True)
    except (ValueError, RecursionError):
        raise ReplyError(f"its JSON is not valid: {error}") from None

"""What the stub model says: a plausible reply to every prompt of ours, as a function of the request alone."""

import hashlib
import json
import re
import string
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from graphrag_lite.llm.stage_model import REPAIR
from graphrag_lite.prompts import PROMPTS, shipped

NAME = re.compile(r"\b[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,}){0,2}\b")
MARK = re.compile(r"\[(\d+)\]")
Fields = Mapping[str, str]


def reply(messages: Sequence[Mapping[str, str]]) -> str:
    """Return the reply to a conversation; raises AssertionError for a prompt that is none of ours."""
    if messages[-1]["content"].startswith(REPAIR.partition("{")[0]):
        return reply(messages[:-2])
    name, fields = recognise(messages[-1]["content"])
    if name in FOLLOW_UPS:
        _, fields = recognise(messages[0]["content"])
        return FOLLOW_UPS[name](fields, messages)
    return REPLIES[name](fields)


def answer(body: Mapping[str, Any]) -> str:
    """Return the reply to the body of an HTTP request: what `stub_server.py --reply stub_replies:answer` says."""
    return reply(body["messages"])


def recognise(content: str) -> tuple[str, dict[str, str]]:
    """Return which prompt file a message is made from, and what its placeholders were filled with."""
    for name, parts in _forms():
        fields = _match(content, parts)
        if fields is not None:
            return name, fields
    raise AssertionError(f"this is no prompt of ours: {content[:200]!r}")


@cache
def _forms() -> list[tuple[str, list[str]]]:
    """Return the shipped prompts as [text, placeholder, text, ...], the longest beginnings first."""
    texts = shipped()
    pattern = re.compile(string.Template.pattern.pattern, string.Template.pattern.flags)
    forms = []
    for name in PROMPTS:
        parts, done = [], 0
        for found in pattern.finditer(texts[name]):
            if found["escaped"]:
                continue
            parts += [texts[name][done : found.start()], found["named"] or found["braced"]]
            done = found.end()
        forms.append((name, [*parts, texts[name][done:]]))
    return sorted(forms, key=lambda form: -len(form[1][0]))


def _match(content: str, parts: list[str]) -> dict[str, str] | None:
    if not content.startswith(parts[0]):
        return None
    fields: dict[str, str] = {}
    at = len(parts[0])
    for i in range(1, len(parts), 2):
        following = parts[i + 1]
        last = i + 2 == len(parts)
        end = (content.rfind(following, at) if following else len(content)) if last else content.find(following, at)
        if end < 0:
            return None
        fields[parts[i]] = content[at:end]
        at = end + len(following)
    return fields if at == len(content) else None


def _chance(*parts: str) -> int:
    return int(hashlib.sha256("\n".join(parts).encode()).hexdigest()[:8], 16)


def _names(text: str) -> list[str]:
    return [name for name in dict.fromkeys(NAME.findall(text)) if name != "None"]  # which means nobody


def _extract(fields: Fields) -> str:
    return _tuples(_names(fields["text"])[:12], fields["text"])


def _tuples(names: Sequence[str], text: str) -> str:
    """Return records. Some say a thing again that was said: of another type, in other words, by a short name, the other way."""
    lines = []
    for name in names:
        kind, other = ("person", "location") if _chance(name) % 2 else ("location", "person")
        lines.append(f'("entity"<|>{name}<|>{kind}<|>{name} is named here; {_chance(name, text) % 97} times.)')
        if _chance(name, text, "type") % 4 == 0:
            lines.append(f'("entity"<|>{name}<|>{other}<|>{name} is named here.)')
    for a, b in zip(names, names[1:], strict=False):
        strength = 1 + _chance(a, b) % 9 + 0.1 * (_chance(text) % 4)
        ways = [
            (a, b, "MEETS", f"{a} meets {b}."),
            (a, b.split()[-1], "MEETS", f"{b} is met by {a}: {' '.join(text.split()[-9:])}"),
            (b, a, "MEETS", f"{a} meets {b}."),
            (b, a, "KNOWS", f"{b} knows {a}."),
        ]
        said = [ways[0], *(way for n, way in enumerate(ways[1:]) if _chance(a, b, text, str(n)) % 3 == 0)]
        lines += [f'("relationship"<|>{"<|>".join(way)}<|>{strength:.1f}<|><|>)' for way in said]
    return "\n##\n".join(lines) + "\n<|COMPLETE|>"


def _more(fields: Fields, messages: Sequence[Mapping[str, str]]) -> str:
    return _tuples(_names(fields["text"])[12:16], fields["text"])


def _missed(fields: Fields, messages: Sequence[Mapping[str, str]]) -> str:
    return "Yes" if _chance(fields["text"]) % 2 else "No"


def _claims(fields: Fields) -> str:
    names = _names(fields["text"])[:2] or ["Nobody"]
    quote = " ".join(fields["text"].split()[:8])
    return f'("claim"<|>{names[0]}<|>{names[-1]}<|>MEETING<|>TRUE<|>2020-01-01<|>NONE<|>{names[0]} met {names[-1]}.<|>{quote})\n<|COMPLETE|>'


def _more_claims(fields: Fields, messages: Sequence[Mapping[str, str]]) -> str:
    return _claims({"text": fields["text"][len(fields["text"]) // 2 :]})


def _cited(records: str, n: int) -> list[str]:
    """Return up to n marks of a prompt, in order, no mark twice."""
    return list(dict.fromkeys(MARK.findall(records)))[:n]


def _report(fields: Fields) -> str:
    records = fields["records"]
    marks = _cited(records, 4) or ["1"]
    names = _names(records)[:2]
    return json.dumps(
        {
            "title": " and ".join(names) or "A group",
            "summary": f"{' and '.join(names) or 'They'} belong together [{marks[0]}].",
            "rating": 1 + _chance(records) % 9,
            "rating_explanation": "By chance.",
            "findings": [
                {"summary": f"Finding {i}", "explanation": f"Something is said of {' and '.join(names)} [{mark}]."}
                for i, mark in enumerate(marks, start=1)
            ],
        }
    )


def _points(fields: Fields) -> str:
    points = [
        {
            "description": f"{' and '.join(_names(fields['records'])[:2])} matter [{mark}].",
            "score": _chance(mark, fields["records"]) % 101,
        }
        for mark in _cited(fields["records"], 3)
    ]
    return json.dumps({"points": points})


def _answer(fields: Fields) -> str:
    marks = _cited(fields["records"], 3)
    if not marks:
        return "NOT IN THE RECORDS"
    return " ".join(f"Statement {i} holds [{mark}]." for i, mark in enumerate(marks, start=1))


def _found(fields: Fields, asked: str) -> str:
    """Answer from two records, and ask about the names in them."""
    names = _names(fields["records"])[: int(fields["max_follow_ups"])]
    said = " ".join(f"It is so [{mark}]." for mark in _cited(fields["records"], 2))
    follow_ups = [f"What is said of {name}?" for name in names if name not in asked]
    return json.dumps({"answer": said, "score": _chance(asked) % 101, "follow_ups": follow_ups})


REPLIES: dict[str, Callable[[Fields], str]] = {
    "extract_graph.md": _extract,
    "extract_claims.md": _claims,
    "report_communities.md": _report,
    "global_map.md": _points,
    "map_passages.md": _points,
    "global_reduce.md": _answer,
    "drift_primer.md": lambda fields: _found(fields, fields["question"]),
    "drift_follow_up.md": lambda fields: _found(fields, fields["follow_up"]),
    "local_search.md": _answer,
    "basic_search.md": _answer,
    "rate_report.md": lambda fields: "Yes" if _chance(*fields.values()) % 3 else "No",
    "rate_passage.md": lambda fields: "Yes" if _chance(*fields.values()) % 3 else "No",
    "resolve_entities.md": lambda _: json.dumps({"same": []}),
    "fold_facts.md": lambda _: json.dumps({"ended": []}),
    "describe_corpus.md": lambda _: json.dumps(
        {"domain": "Notes.", "language": "English", "reader": "a friend", "entity_types": ["person", "location"]}
    ),
    "summarize_descriptions.md": lambda fields: (
        "It is described in several places: " + " ".join(fields["descriptions"].split()[:30])
    ),
}
FOLLOW_UPS: dict[str, Callable[[Fields, Any], str]] = {
    "extract_graph_missed.md": _missed,
    "extract_graph_more.md": _more,
    "extract_claims_missed.md": _missed,
    "extract_claims_more.md": _more_claims,
}

"""A stand-in for a chat model whose index has the shape of a real one: a function of its messages alone.

It extracts the names that text analysis is sure of, each with a sentence of the text as its description, and relates
neighbours in a sentence; so names recur over documents, and a name that is everywhere has many descriptions. As in
gpt-4o-mini's replies to A Christmas Carol, a first pass says half of it, and the round for what was missed the rest.
One text unit in seven would have more to glean still, one pair of similar names in three is one entity, merged
descriptions and reports are made of all that they were asked with: another context gives another report.
"""

import json
import re
import sys
import time
from bisect import bisect_right
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from prompt_cache import PromptCache

from graphrag_lite.llm.chat import Reply, Request, Usage
from graphrag_lite.llm.rehearsal import by_line
from graphrag_lite.text.names.find import find_names
from graphrag_lite.text.sentences import sentences, trimmed
from graphrag_lite.text.tokens import token_counter

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from stub_replies import recognise  # type: ignore[import-not-found]

MARKED = re.compile(r"^(?:\[(\d+)\] |- )?(.*)$")
NAMED = re.compile(r"^(?:Entity|Relationship) ([^:(–]+)")
MAX_WORDS = 40  # of a description
MAX_CLAIMS = 4  # of a text


def reply(messages: Sequence[Mapping[str, str]]) -> tuple[str, str]:
    """Return which prompt file was asked, and the reply."""
    name, fields = recognise(messages[-1]["content"])
    if name.startswith(("extract_graph_", "extract_claims_")):
        _, fields = recognise(messages[0]["content"])
    return name, REPLIES[name](fields)


def _number(*parts: str) -> int:
    return int(sha256("\n".join(parts).encode()).hexdigest()[:8], 16)


def _short(text: str, n_words: int = MAX_WORDS) -> str:
    return " ".join(text.replace("<|>", " ").replace("##", " ").split()[:n_words])


@dataclass(frozen=True)
class Found:
    """A name, its type and the sentence in which it stands first; the names that stand beside it in a sentence."""

    name: str
    type: str
    said: str
    beside: list[tuple[str, str]]


def _found(text: str) -> list[Found]:
    spans = [trimmed(text, *span) for span in sentences(text, "en")]
    starts = [start for start, _ in spans]
    found: dict[str, Found] = {}
    before: tuple[str, int] | None = None
    for name in find_names(text, "en"):
        if not name.anchored or name.type == "date" or "<|>" in name.name:
            continue
        place = bisect_right(starts, name.start) - 1
        said = _short(text[slice(*spans[place])])
        one = found.setdefault(name.name, Found(name.name, name.type.replace("unknown", "concept"), said, []))
        if before and before[1] == place and before[0] != one.name:
            one.beside.append((before[0], said))
        before = (name.name, place)
    return list(found.values())


def _records(found: Sequence[Found]) -> str:
    lines = [f'("entity"<|>{one.name}<|>{one.type}<|>{one.said})' for one in found]
    lines += [
        f'("relationship"<|>{other}<|>{one.name}<|>NAMED_WITH<|>{said}<|>{1 + _number(said) % 9}<|><|>)'
        for one in found
        for other, said in one.beside
    ]
    return "\n##\n".join(lines) + "\n<|COMPLETE|>"


def _more_to_glean(text: str) -> bool:
    return _number(text) % 7 == 0


def _extract(fields: Mapping[str, str]) -> str:
    return _records(_found(fields["text"])[::2])


def _more(fields: Mapping[str, str]) -> str:
    return _records(_found(fields["text"])[1::2])


def _claims(fields: Mapping[str, str]) -> str:
    """Claim something of each of the first names of a text that stand beside another one."""
    lines = [
        f'("claim"<|>{one.name}<|>{one.beside[0][0]}<|>MEETING<|>TRUE<|>NONE<|>NONE<|>{one.said}<|>{one.said})'
        for one in _found(fields["text"])
        if one.beside
    ]
    return "\n##\n".join([*lines[:MAX_CLAIMS], "<|COMPLETE|>"])


def _same(fields: Mapping[str, str]) -> str:
    """Call a pair the same by the two names alone: one in three."""
    same = []
    for number, pair in enumerate(re.split(r"\n\n(?=\d+\. )", fields["pairs"]), start=1):
        names = [line.partition("(")[0].strip(" .0123456789") for line in pair.split("\n")]
        if _number(*sorted(names)) % 3 == 0:
            same.append(number)
    return json.dumps({"same": same})


def _merged(fields: Mapping[str, str]) -> str:
    lines = [line.removeprefix("- ") for line in fields["descriptions"].split("\n") if line.strip()]
    most = max(int(fields["max_words"]) - 20, 20)
    return f"{fields['name']}, as {len(lines)} say: " + " ".join(
        _short(line, max(most // len(lines), 4)) for line in lines[:most]
    )


def _report(fields: Mapping[str, str]) -> str:
    """Report on the first records, a finding for each; what is said of the rest is a number that all of it decides."""
    lines = [line for line in fields["records"].split("\n") if line.strip()]
    marked = [(found[1], found[2]) for line in lines if (found := MARKED.match(line)) and found[1]]
    names = list(dict.fromkeys(found[1].strip() for _, said in marked if (found := NAMED.match(said))))[:3]
    chosen = marked[:: max(len(marked) // 6, 1)][:6]
    number = _number(fields["records"])
    findings = [{"summary": _short(said, 12), "explanation": f"{_short(said, 90)} [{mark}]."} for mark, said in chosen]
    return json.dumps(
        {
            "title": " and ".join(names) or "A group",
            "summary": " ".join(f"{_short(said, 25)} [{mark}]." for mark, said in chosen[:3]) or "Nothing is known.",
            "rating": 1 + number % 9,
            "rating_explanation": f"One of {number} like it.",
            "findings": findings,
        }
    )


REPLIES: dict[str, Callable[[Mapping[str, str]], str]] = {
    "extract_graph.md": _extract,
    "extract_graph_missed.md": lambda fields: "Yes" if _more_to_glean(fields["text"]) else "No",
    "extract_graph_more.md": _more,
    "extract_claims.md": _claims,
    "extract_claims_missed.md": lambda _: "No",
    "extract_claims_more.md": lambda _: "<|COMPLETE|>",
    "resolve_entities.md": _same,
    "fold_facts.md": lambda _: '{"ended": []}',
    "summarize_descriptions.md": _merged,
    "report_communities.md": _report,
}


@dataclass
class Asked:
    """What was asked with one prompt file."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass
class PlausibleModel:
    """The stand-in. Keeps its replies, so that a run from nothing is quick; `seconds` is the CPU that it took."""

    asked: dict[str, Asked] = field(default_factory=dict)
    seconds: float = 0.0
    _kept: dict[bytes, tuple[str, Reply]] = field(default_factory=dict)
    _count: Callable[[str], int] = field(default_factory=lambda: by_line(token_counter("cl100k_base")))

    def __post_init__(self) -> None:
        self._cache = PromptCache(self._count)

    def take(self) -> tuple[dict[str, Asked], float]:
        """Return what was asked since the last time, by prompt file, and the CPU seconds that the replies took."""
        taken = self.asked, self.seconds
        self.asked, self.seconds = {}, 0.0
        return taken

    @property
    def identity(self) -> Mapping[str, Any]:
        return {"model": "plausible"}

    async def check(self) -> None:
        return None

    async def complete(self, request: Request) -> Reply:
        started = time.process_time()
        key = sha256(repr([message["content"] for message in request.messages]).encode()).digest()
        if key not in self._kept:
            name, text = reply(request.messages)
            n_prompt = sum(self._count(message["content"]) for message in request.messages)
            n_cached = min(self._cache.take(request.messages), n_prompt)
            self._kept[key] = name, Reply(text, "stop", Usage(n_prompt, n_cached, self._count(text)))
        name, said = self._kept[key]
        asked = self.asked.setdefault(name, Asked())
        asked.calls += 1
        asked.prompt_tokens += said.usage.prompt_tokens
        asked.completion_tokens += said.usage.completion_tokens
        self.seconds += time.process_time() - started
        return said

    def stream(self, request: Request) -> AsyncIterator[str | Reply]:
        raise NotImplementedError("indexing streams nothing")

"""A model that says what gpt-4o said: the real replies of ../shared/data/replay, to texts of A Christmas Carol.

Which reply belongs to which text, or to which community, is told by the words in it, so a reply is a function of the
request alone. Prompts of which there is no real reply are answered by `stub_replies`.
"""

import json
import re
from collections import Counter
from functools import cache
from math import log
from pathlib import Path
from typing import Any

import stub_replies
from stub_model import StubModel

from graphrag_lite.llm.chat import Request
from graphrag_lite.text.sentences import sentences

NAME = re.compile(r'\("entity"<\|>"([^"]+)"')
MARK = re.compile(r"^\[(\d+)\]")
WORD = re.compile(r"\w{4,}")


def replay_model(shared: Path) -> StubModel:
    """Return the model. Its first reply to a text is the real one with most of its names, its gleaning the second."""
    folder = shared / "replay" / "nano_graphrag_cache"

    def reply(request: Request) -> str:
        messages = request.messages
        name, asked = stub_replies.recognise(messages[-1]["content"])
        if name == "report_communities.md":
            return report_with_marks(real_report(folder, asked["records"]), asked["records"])
        if not name.startswith("extract_graph"):
            return stub_replies.reply(messages)
        _, fields = stub_replies.recognise(messages[0]["content"])
        best = ranked_replies(folder, fields["text"])
        if name == "extract_graph_missed.md":
            return "Yes" if len(best) > 1 and len(messages) < 4 else "No"
        return (best + ["<|COMPLETE|>"] * 2)[0 if name == "extract_graph.md" else 1]

    return StubModel(reply, "replay")


@cache
def report_replies(folder: Path) -> list[str]:
    """Return the replies that are community reports, in the order of the file."""
    rows = map(json.loads, (folder / "responses.jsonl").read_text(encoding="utf-8").splitlines())
    return [row["return"] for row in rows if '"findings"' in row["return"]]


def real_report(folder: Path, records: str) -> dict[str, Any]:
    """Return the report that shares most words with the records of a community, those counting more that few hold."""
    held = _report_words(folder)
    asked = words(records)
    n_reports = Counter(word for report in held for word in report)
    scores = [
        sum(log(1 + len(held) / n_reports[word]) for word in sorted(report & asked)) / len(report) ** 0.5
        for report in held
    ]
    best = max(range(len(held)), key=lambda i: (scores[i], -i))
    report: dict[str, Any] = json.loads(report_replies(folder)[best])
    return report


def report_with_marks(report: dict[str, Any], records: str) -> str:
    """Return a report as our prompt asks for it: behind every sentence the record that shares most words with it.

    The model of these replies was not asked for marks.
    """
    lines = [(found[1], words(line)) for line in records.splitlines() if (found := MARK.match(line))]

    def marked(text: str) -> str:
        said = []
        for start, end in sentences(text, "en"):
            sentence = text[start:end].rstrip()
            held = words(sentence)
            mark, shared = max(lines, key=lambda line: (len(held & line[1]), -len(line[1])))
            said.append(f"{sentence} [{mark}]" if held & shared else sentence)
        return " ".join(said)

    findings = [finding | {"explanation": marked(finding["explanation"])} for finding in report["findings"]]
    return json.dumps(report | {"summary": marked(report["summary"]), "findings": findings})


def words(text: str) -> frozenset[str]:
    return frozenset(WORD.findall(text.casefold()))


@cache
def _report_words(folder: Path) -> list[frozenset[str]]:
    return [words(reply) for reply in report_replies(folder)]


@cache
def extraction_replies(folder: Path) -> list[str]:
    """Return the replies that are extractions, first passes and gleanings, in the order of the file."""
    rows = map(json.loads, (folder / "responses.jsonl").read_text(encoding="utf-8").splitlines())
    return [row["return"] for row in rows if "<|>" in row["return"]]


@cache
def ranked_replies(folder: Path, text: str) -> list[str]:
    """Return the replies most of whose names the text has, those first that have most of them, rare ones counting more."""
    replies = extraction_replies(folder)
    names = [sorted(set(map(str.casefold, NAME.findall(reply)))) for reply in replies]
    in_replies = Counter(name for held in names for name in held)
    rarity = {name: log(1 + len(replies) / count) for name, count in in_replies.items()}
    folded = " ".join(text.casefold().replace("’", "'").split())
    shares, scores = [], []
    for held in names:
        total = sum(rarity[name] for name in held) or 1
        found = sum(rarity[name] for name in held if name.removeprefix("the ") in folded)
        shares.append(found / total)
        scores.append(found / total**0.5)
    order = sorted(range(len(replies)), key=lambda i: (-scores[i], i))
    return [replies[i] for i in order if shares[i] > 0.5]

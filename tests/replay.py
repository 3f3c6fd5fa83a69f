"""A model that says what gpt-4o said: the real replies of ../shared/data/replay, to texts of A Christmas Carol.

Which reply belongs to which text is told by the names in it, so a reply is a function of the request alone. Prompts of
which there is no real reply are answered by `stub_replies`.
"""

import json
import re
from collections import Counter
from functools import cache
from math import log
from pathlib import Path

import stub_replies
from stub_model import StubModel

from graphrag_lite.llm.chat import Request

NAME = re.compile(r'\("entity"<\|>"([^"]+)"')


def replay_model(shared: Path) -> StubModel:
    """Return the model. Its first reply to a text is the real one with most of its names, its gleaning the second."""
    folder = shared / "replay" / "nano_graphrag_cache"

    def reply(request: Request) -> str:
        messages = request.messages
        name, _ = stub_replies.recognise(messages[-1]["content"])
        if not name.startswith("extract_graph"):
            return stub_replies.reply(messages)
        _, fields = stub_replies.recognise(messages[0]["content"])
        best = ranked_replies(folder, fields["text"])
        if name == "extract_graph_missed.md":
            return "Yes" if len(best) > 1 and len(messages) < 4 else "No"
        return (best + ["<|COMPLETE|>"] * 2)[0 if name == "extract_graph.md" else 1]

    return StubModel(reply, "replay")


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

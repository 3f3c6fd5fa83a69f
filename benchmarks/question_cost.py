"""What a question costs by each method: calls and tokens, on an index that cost nothing.

    python benchmarks/question_cost.py podcast_graphrag

indexes `corpus.jsonl` of the folder by the default method, asks `questions.jsonl` by every method, and prints the
table of docs/performance.md. The prompts are real, their tokens are counted at four characters each. The replies are
the tests' stub's, and no answers: two reports or passages of three are relevant, every portion has three points. As an
agent it reads passages page by page until it has to answer.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from graphrag_lite import pipeline
from graphrag_lite.llm.chat import Request
from graphrag_lite.search.answer import Answer
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from stub_model import StubModel  # type: ignore[import-not-found]
from stub_replies import reply  # type: ignore[import-not-found]

METHODS: dict[str, dict[str, Any]] = {
    "basic": {"method": "basic"},
    "local": {"method": "local"},
    "global, level 0": {"method": "global"},
    "global --dynamic": {"method": "global", "dynamic": True},
    "global --budget 50": {"method": "global", "budget": 50},
    "global --budget 100": {"method": "global", "budget": 100},
    "drift": {"method": "drift"},
    "agent": {"method": "agent"},
    "agent --steps 6": {"method": "agent", "steps": 6},
}


def said(request: Request) -> str:
    """Reply to a request; as an agent, search the question page by page until it has to answer."""
    if not request.tools:
        summarised = "loses its oldest calls" in request.messages[0]["content"]
        return "I read some pages of passages. " * 10 if summarised else str(reply(request.messages))
    if len(request.tools) == 1:
        return json.dumps({"tool": "answer", "arguments": {"text": "It is as the passages say.", "citations": []}})
    opening = request.messages[1]["content"]
    page = 1 + int(opening.split()[0]) // 2 + (len(request.messages) - 2) // 2
    arguments = {"query": opening.rpartition("Question: ")[2], "page": page}
    return json.dumps({"thought": "The next page.", "tool": "search_passages", "arguments": arguments})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int, help="ask so many questions only")
    given = parser.parse_args()
    lines = (given.folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()[: given.limit]
    questions = [json.loads(line)["question"] for line in lines]
    print(f"{len(questions)} questions, mean of each\n")
    print("| method | calls | most | prompt tokens | completion tokens | CPU, ms |\n" + "| --- " * 6 + "|")
    with tempfile.TemporaryDirectory() as folder:
        snapshot = pipeline.index(given.folder / "corpus.jsonl", Path(folder) / "output", Settings()).snapshot
        for name, options in METHODS.items():
            for memo in snapshot.parents[1].glob("memo.sqlite*"):  # what another method asked is not free
                memo.unlink()
            index = Index(snapshot, model=StubModel(said))
            index.query(questions[0], options["method"], retrieve_only=True)  # reads the tables
            began = time.process_time()
            answers = [index.query(question, **options) for question in questions]
            seconds = time.process_time() - began
            print(f"| {name} | {' | '.join(_figures(answers))} | {1000 * seconds / len(questions):.0f} |", flush=True)


def _figures(answers: list[Answer]) -> list[str]:
    """Return calls, the most calls of one question, prompt and completion tokens, a question; a memo hit is a call."""
    usages = [answer.usage or {} for answer in answers]
    calls = [usage["calls"] + usage["memo_hits"] for usage in usages]
    mean = [sum(usage[kind] for usage in usages) / len(usages) for kind in ("prompt_tokens", "completion_tokens")]
    return [f"{sum(calls) / len(calls):.1f}", str(max(calls)), *(f"{value:,.0f}" for value in mean)]


if __name__ == "__main__":
    main()

"""What the tests of search by a model share: a sample index, its prompts taken apart, and a model that is slow by chance."""

import asyncio
import re
from hashlib import sha256
from pathlib import Path

from stub_model import StubModel
from stub_replies import recognise

from graphrag_lite.llm.chat import Reply, Request
from graphrag_lite.search.answer import Answer
from graphrag_lite.search.index import Index

EXAMPLE = Path(__file__).parents[1] / "examples" / "corpus"


def asked(request: Request) -> tuple[str, dict[str, str]]:
    """Return the prompt file of a request, and what it was filled with."""
    return recognise(request.messages[0]["content"])


def marks(text: str) -> list[int]:
    return [int(n) for n in re.findall(r"\[(\d+)\]", text)]


def every_mark(records: str) -> str:
    """Cite every number that is shown, one a sentence, and some that are not."""
    return "".join(f"It is so [{n}, 70{n:02}]. " for n in dict.fromkeys(marks(records)))


def forget(snapshot: Path) -> None:
    for path in snapshot.parent.parent.glob("memo.sqlite*"):
        path.unlink()


class SlowByChance(StubModel):
    """Replies come in an order of their own for every salt."""

    salt = 0

    async def complete(self, request: Request) -> Reply:
        digest = sha256(f"{self.salt} {request.messages[0]['content']}".encode()).digest()
        for _ in range(digest[0] % 7):
            await asyncio.sleep(0)
        return await super().complete(request)


def assert_resolved(index: Index, answer: Answer) -> None:
    """Hold that every mark of an answer points to a place in a text unit of the index, and is pointed to by the text."""
    documents = {row["source_id"]: row for row in index.arrow("documents").to_pylist()}
    units = {row["id"]: row for row in index.arrow("text_units").to_pylist()}
    assert sorted(set(marks(answer.answer))) == sorted({cited.n for cited in answer.citations})
    for cited in answer.citations:
        unit = units[cited.text_unit_id]
        assert documents[cited.document]["text"][cited.char_start : cited.char_end] == cited.text
        assert unit["document_id"] == documents[cited.document]["id"] and cited.text.strip()
        assert unit["char_start"] <= cited.char_start < cited.char_end <= unit["char_end"]

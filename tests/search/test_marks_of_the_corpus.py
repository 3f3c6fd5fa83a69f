"""What reads as a mark in a document is none of an answer, in no method, with and without a model."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import stub_replies
from stub_model import StubModel

from graphrag_lite import pipeline
from graphrag_lite.evidence.citation_marks import MARK, _ids
from graphrag_lite.llm.chat import Request
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

TEXT = """# Apollo [817] and Eugene Cernan

Eugene Cernan commanded Apollo [817] with Harrison Schmitt in December 1972.[901] Harrison Schmitt was the first
geologist[[902]] on the Moon, says Gene Kranz 【903】. Gene Kranz [904–906] led Mission Control in Houston. Eugene
Cernan drove the Lunar Rover with Harrison Schmitt through Taurus Littrow [^907].

Ronald Evans stayed in orbit aboard America [Data: Reports (908)], and Eugene Cernan thanked Ronald Evans [909].
"""
OTHER = "Gene Kranz met {} in Houston [910]. {} praised Eugene Cernan and Harrison Schmitt [[911]].\n"
METHODS = [("local", {}), ("agent", {}), ("basic", {}), ("global", {}), ("drift", {}), ("global", {"budget": 30})]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("marked") / "corpus"
    folder.mkdir()
    (folder / "a.md").write_text(TEXT)
    for i, name in enumerate(["Alan Bean [912]", "Pete Conrad", "Dick Gordon"]):
        (folder / f"{i} [913].txt").write_text(OTHER.format(name, name))
    return folder


def foreign(text: str) -> list[str]:
    """Return what reads as a mark and names a record that no answer here has."""
    return [found[0] for found in MARK.finditer(text) if any(n > 800 for n in _ids(found[1]))]


def check(index: Index, quoted: Callable[[str], bool]) -> None:
    for method, options in METHODS:
        answer = index.query("What did Eugene Cernan and Harrison Schmitt do on Apollo 17?", method, **options)
        assert not foreign(answer.answer) and answer.citations, method
        marks = {int(n) for n in re.findall(r"\[(\d+)\]", answer.answer)}
        assert marks == {cited.n for cited in answer.citations} and answer.n_dropped_citations == 0
        assert quoted(answer.answer), method
    for report in index.arrow("community_reports").to_pylist():
        said = "\n".join([report["full_content"], report["full_content_json"], report["rating_explanation"]])
        marks = {int(n) for n in re.findall(r"\[(\d+)\]", report["full_content"])}
        assert not foreign(said) and marks <= {cited["n"] for cited in report["citations"]}


def test_without_a_model(corpus: Path, tmp_path: Path) -> None:
    run = pipeline.index(corpus, tmp_path / "output", Settings())
    check(Index(run.snapshot), lambda answer: "Cernan" in answer)


def calling(request: Request) -> str:
    """Have an agent search once, and quote what it is shown."""
    shown = request.messages[-1]["content"]
    if not shown.startswith("{"):
        return json.dumps({"tool": "search_passages", "arguments": {"query": "Cernan"}})
    first = json.loads(shown)["records"][0]
    return json.dumps({"tool": "answer", "arguments": {"text": f"{first['text']} [1]", "citations": [first["id"]]}})


def test_with_a_model_that_quotes_what_it_is_shown(corpus: Path, tmp_path: Path) -> None:
    contexts: list[str] = []

    def say(request: Request) -> str:
        if request.tools:
            contexts.append(request.messages[-1]["content"])
            return calling(request)
        name, fields = stub_replies.recognise(request.messages[-1]["content"])
        contexts.append("" if name.startswith("extract") else "\n".join(fields.values()))
        if name in ("local_search.md", "basic_search.md", "global_reduce.md"):
            return fields["records"]
        return stub_replies.reply(request.messages)

    stub = StubModel(say)
    settings = Settings.model_validate({"method": "standard", "llm": {"model": "stub"}})
    run = pipeline.index(corpus, tmp_path / "output", settings, model=stub)
    check(Index(run.snapshot, settings, stub), bool)
    check(Index(run.snapshot, settings.model_copy(update={"llm": Settings().llm})), bool)
    assert [marks for context in contexts if (marks := foreign(context))] == []

"""The Python API, and the citations of answers and reports down to the character."""

import asyncio
import pickle
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import graphrag_lite
from graphrag_lite import errors, tables
from graphrag_lite.run import snapshots
from graphrag_lite.search.answer import NOTHING

EXAMPLE = Path(__file__).parents[1] / "examples" / "corpus"
TEXTS = {"a.txt": "Alice Smith met Bob Jones in Paris. Bob Jones works for Acme Corporation.\n"}
QUESTIONS = (
    "Who was Lyman Spitzer and what did he propose?",
    "Why was Servicing Mission 4 cancelled, and by whom?",
    "What are the main themes?",
    "How many gyroscopes does Hubble have on board?",
    "Qui a construit la chambre pour objets faibles ?",
    "What did COSTAR replace?",
)


@pytest.fixture(scope="module")
def index(sample: Path) -> Any:
    return graphrag_lite.open(sample.parents[1])


@pytest.mark.parametrize(
    ("questions", "options"),
    [("Who?", {}), (["Who?", "What?"], {"as_of": ["2022-01-01"]}), (["Who?"], {"where": [["path=a"], ["path=b"]]})],
)
def test_what_is_one_for_each_question_is_as_many_as_these(index: Any, questions: Any, options: Any) -> None:
    with pytest.raises(errors.InputError, match="Give a list of questions, and one"):
        index.query_all(questions, **options)


def test_tables_are_data_frames(index: Any) -> None:
    for name in tables.FINAL:
        frame = getattr(index, name)
        assert isinstance(frame, pd.DataFrame) and name in dir(index)
        assert list(frame.columns) == tables.schema(name).names
        assert len(frame) == index.manifest["tables"][name]["rows"]
    assert "Lyman Spitzer" in set(index.entities["title"])
    with pytest.raises(AttributeError, match="community_reports"):
        index.entitys  # noqa: B018
    assert "documents" in repr(index)


def test_an_index_is_opened_where_it_is(corpus: Callable[..., Path], tmp_path: Path) -> None:
    made = graphrag_lite.index(str(corpus(TEXTS)), root=str(tmp_path), overrides=["search.top_k=1"])
    assert made.folder == snapshots.current(tmp_path / "output") and made.search_settings.top_k == 1
    opened = graphrag_lite.open(tmp_path / "output")
    assert opened.folder == made.folder
    assert opened.query("Who is Bob Jones?", method="local").answer == made.query("Who is Bob Jones?").answer


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda path: graphrag_lite.open(path / "nowhere"), errors.IndexNotFound),
        (lambda path: graphrag_lite.index(path / "nowhere", root=path), errors.InputError),
        (lambda path: graphrag_lite.index(path, root=path), errors.InputError),
        (lambda path: graphrag_lite.index(path, root=path, overrides=["a.b=1"]), errors.SettingsError),
        (lambda path: graphrag_lite.index(path, root=path, readers=[print]), errors.PluginError),  # type: ignore[list-item]
    ],
)
def test_errors_are_ours(call: Callable[[Path], Any], kind: type[Exception], tmp_path: Path) -> None:
    with pytest.raises(kind) as caught:
        call(tmp_path)
    assert isinstance(caught.value, errors.GraphragLiteError) and str(caught.value)


def test_one_condition_needs_no_list(index: Any) -> None:
    question, limit = "Who repaired the gyroscopes?", "path=notes/199*"
    found = [index.query(question, where=where).documents for where in (limit, [limit], [])]
    assert found[0] == found[1] != found[2]
    assert [answer.documents for answer in index.query_all([question], where=limit)] == found[:1]
    assert index.search(question, where=limit) == index.search(question, where=[limit])


def test_query_errors_are_ours(index: Any, corpus: Callable[..., Path], tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"graphrag_lite\.open"):
        graphrag_lite.Index("output")  # type: ignore[arg-type]
    with pytest.raises(errors.InputError):
        index.query("Who?", method="magic")
    with pytest.raises(errors.InputError):
        index.query(" ")
    with pytest.raises(errors.InputError):
        index.query("Who?", method="global", level=9)
    with pytest.raises(errors.InputError, match="NoneType"):
        index.query(None)
    with pytest.raises(errors.InputError, match="top_k"):
        index.query("Who?", top_k=0)
    made = graphrag_lite.index(corpus(TEXTS), root=tmp_path, overrides="search.top_k=3")
    assert made.search_settings.top_k == 3
    with pytest.raises(errors.IndexNotFound, match="There is one in "):
        graphrag_lite.open(tmp_path)
    (made.folder / "documents.parquet").write_bytes(b"PAR1")
    with pytest.raises(errors.TableError, match="damaged"):
        graphrag_lite.open(tmp_path / "output").query("Who is Bob?")


def test_an_index_goes_to_other_processes(index: Any) -> None:
    again = pickle.loads(pickle.dumps(index))  # noqa: S301 - our own
    assert (again.folder, again.settings) == (index.folder.resolve(), index.settings)
    assert again.query(QUESTIONS[0]).answer == index.query(QUESTIONS[0]).answer


def test_it_works_where_an_event_loop_runs_already(corpus: Callable[..., Path], tmp_path: Path) -> None:
    """As in a notebook, whose cells run inside one."""

    async def cell() -> Any:
        made = graphrag_lite.index(corpus(TEXTS), root=tmp_path)
        with pytest.raises(errors.InputError):
            graphrag_lite.index(tmp_path / "nowhere", root=tmp_path)
        await asyncio.sleep(0)
        return made

    made = asyncio.run(cell())
    assert made.query("Who is Bob Jones?").citations
    assert snapshots.current(tmp_path / "output") == made.folder


def test_errors_of_a_stage_come_through_a_running_event_loop(corpus: Callable[..., Path], tmp_path: Path) -> None:
    async def cell() -> Any:
        return graphrag_lite.index(corpus({"a.json": b"{"}), root=tmp_path)

    with pytest.raises(errors.InputError, match="no document could be read"):
        asyncio.run(cell())


INTERRUPTED = """
import asyncio, functools, sys, time
import graphrag_lite
from graphrag_lite import pipeline
from graphrag_lite.run.loop import Stage

stages = pipeline.stages()

def slow(stage):
    @functools.wraps(stage.run)
    async def run(**tables):
        print("here", flush=True)
        time.sleep(float(sys.argv[4]))
        return await stage.run(**tables)
    return Stage(run, stage.reads, stage.writes)

pipeline.stages = lambda *_, **__: [slow(s) if s.name == "summarize_descriptions" else s for s in stages]

async def cell():
    graphrag_lite.index(sys.argv[1], root=sys.argv[2])

try:
    if sys.argv[3] == "notebook":
        asyncio.new_event_loop().run_until_complete(cell())  # which, as there, leaves Ctrl-C to Python
    else:
        graphrag_lite.index(sys.argv[1], root=sys.argv[2])
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize(("place", "seconds"), [("script", 60), ("notebook", 1.5)])
def test_ctrl_c_ends_a_run_of_the_api(place: str, seconds: float, corpus: Callable[..., Path], tmp_path: Path) -> None:
    """At once in a script; after the stage under way where the run has a thread of its own."""
    arguments = [sys.executable, "-c", INTERRUPTED, str(corpus(TEXTS)), str(tmp_path), place, str(seconds)]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout and process.stdout.readline() == "here\n"
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    said, errors_ = process.communicate(timeout=20)
    assert said == "interrupted\n", errors_
    assert time.monotonic() - started < 10
    assert not (tmp_path / "output" / "current").exists()


def _documents(index: Any) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in index.arrow("documents").to_pylist()}


@pytest.mark.parametrize("method", ["local", "global", "basic"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_mark_of_an_answer_points_to_the_characters_that_say_so(question: str, method: str, index: Any) -> None:
    documents = _documents(index)
    units = {row["id"]: row for row in index.arrow("text_units").to_pylist()}
    answer = index.query(question, method=method)
    if answer.answer == NOTHING:
        assert not answer.citations
        return
    marks = {int(mark) for mark in re.findall(r"\[(\d+)\]", answer.answer)}
    assert marks == {cited.n for cited in answer.citations} == set(range(1, len(answer.citations) + 1))
    for cited in answer.citations:
        unit = units[cited.text_unit_id]
        document = documents[unit["document_id"]]
        assert document["text"][cited.char_start : cited.char_end] == cited.text and cited.text.strip()
        assert unit["char_start"] <= cited.char_start < cited.char_end <= unit["char_end"]
        assert (cited.document, cited.path) == (document["source_id"], document["path"])
        assert (EXAMPLE / cited.path).is_file()
        if cited.path.endswith(".jsonl"):
            assert f'"id": "{cited.document}"' in (EXAMPLE / cited.path).read_text(encoding="utf-8")
        elif not cited.path.endswith(".csv"):
            assert cited.document == cited.path
        assert f"{' '.join(cited.text.split())} [{cited.n}]" in answer.answer


def test_local_answers_cite_what_they_are_about(index: Any) -> None:
    answer = index.query(QUESTIONS[0], method="local")
    assert "notes/1946-spitzer-proposal.md" in {cited.path for cited in answer.citations}
    answer = index.query("When did the Allen board explain the error of the mirror?", method="local")
    row = next(cited for cited in answer.citations if cited.path == "chat/archive-room.jsonl")
    assert re.fullmatch(r"room-\d+", row.document)


DAY = re.compile(r" \((?:as of )?\d{4}(?:-\d\d){0,2}\)")  # of what a sentence says: "(as of 2009-05-24)"


def test_every_mark_of_a_report_points_to_the_characters_that_say_so(index: Any) -> None:
    documents = _documents(index)
    units = {row["id"]: row for row in index.arrow("text_units").to_pylist()}
    for report in index.arrow("community_reports").to_pylist():
        citations = {citation["n"]: citation for citation in report["citations"]}
        assert sorted(citations) == list(range(1, len(citations) + 1))
        marks = {int(mark) for mark in re.findall(r"\[(\d+)\]", report["full_content"])}
        assert marks == set(citations)
        content = DAY.sub("", report["full_content"])
        for n, citation in citations.items():
            unit, document = units[citation["text_unit_id"]], documents[citation["document_id"]]
            assert unit["document_id"] == citation["document_id"]
            assert unit["char_start"] <= citation["char_start"] < citation["char_end"] <= unit["char_end"]
            text = document["text"][citation["char_start"] : citation["char_end"]]
            assert f"{' '.join(text.split())} [{n}]" in content


def test_an_opened_index_goes_on_answering_while_another_is_published(
    corpus: Callable[..., Path], tmp_path: Path
) -> None:
    folder = corpus(TEXTS)
    graphrag_lite.index(folder, root=tmp_path)
    opened = graphrag_lite.open(tmp_path / "output")
    before = opened.query("Who is Bob Jones?")
    (folder / "b.txt").write_text("Bob Jones moved to London.\n")
    graphrag_lite.index(folder, root=tmp_path)
    assert opened.query("Who is Bob Jones?") == before
    again = graphrag_lite.open(tmp_path / "output")
    assert len(again.documents) == 2 and len(opened.documents) == 1


def test_a_deleted_document_takes_back_what_it_gave(corpus: Callable[..., Path], tmp_path: Path) -> None:
    folder, full = corpus(TEXTS), ["communities.mode=full"]  # else numbers of communities are never given again
    first = graphrag_lite.index(folder, root=tmp_path / "a", overrides=full)
    (folder / "b.txt").write_text("Bob Jones moved to London with Carol White.\n")
    grown = graphrag_lite.index(folder, root=tmp_path / "a", overrides=full)
    assert len(grown.entities) > len(first.entities)
    (folder / "b.txt").unlink()
    back = graphrag_lite.index(folder, root=tmp_path / "a", overrides=full)
    for name in tables.FINAL:
        assert back.arrow(name).equals(first.arrow(name))
    shutil.rmtree(tmp_path / "a")


def test_passages_are_texts_with_their_place(index: Any) -> None:
    found = index.search("Who repaired the gyroscopes?", k=4)
    assert len(found) == 4 and [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    texts = dict(zip(index.documents["source_id"], index.documents["text"], strict=True))
    for one in found:
        assert texts[one.document][one.char_start : one.char_end] == one.text
    ranked = index.query("Who repaired the gyroscopes?", retrieve_only=True, top_k=4).text_units
    assert [one.text_unit_id for one in found] == ranked
    notes = index.search("Who repaired the gyroscopes?", where=["path=notes/199*"])
    assert notes and all(one.path.startswith("notes/199") for one in notes)
    with pytest.raises(errors.InputError, match="empty"):
        index.search(" ")
    with pytest.raises(errors.InputError, match="k is -1"):
        index.search("Who repaired the gyroscopes?", k=-1)


def test_questions_are_answered_beside_each_other(index: Any) -> None:
    async def ask() -> list[Any]:
        return await asyncio.gather(*map(index.aquery, QUESTIONS))

    assert asyncio.run(ask()) == [index.query(question) for question in QUESTIONS]


def test_names_at_the_top_are_imported_when_they_are_used() -> None:
    code = "import graphrag_lite, sys; assert 'graphrag_lite.search' not in sys.modules; print(graphrag_lite.Answer)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "search.answer.Answer" in done.stdout
    assert all(getattr(graphrag_lite, name) for name in graphrag_lite.__all__)
    assert set(graphrag_lite.__all__) <= set(dir(graphrag_lite))
    with pytest.raises(AttributeError, match="no_such_name"):
        graphrag_lite.no_such_name  # noqa: B018

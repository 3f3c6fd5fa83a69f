"""Vectors of text units: each text is sent once, what fails is tried again, and only what adds to words counts."""

import asyncio
import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stub_server import Fault, StubServer

from graphrag_lite import pipeline, tables
from graphrag_lite.errors import ModelError, SettingsError
from graphrag_lite.llm.chat import Usage
from graphrag_lite.llm.memo import Memo
from graphrag_lite.llm.openai_embedder import memoised_embedder
from graphrag_lite.ops import check
from graphrag_lite.retrieval.question import Question
from graphrag_lite.retrieval.vector_weight import Fit
from graphrag_lite.retrieval.vectors import Vectors
from graphrag_lite.run import run_log, snapshots
from graphrag_lite.run.loop import Run
from graphrag_lite.search.answer import Answer
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings
from graphrag_lite.settings.models import Embeddings, Llm
from graphrag_lite.stages import embed_text_units as stage
from graphrag_lite.stages.embed_text_units import PROBES, _excerpt, embed_text_units

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus"
NAMES = ("search_vectors", "search_vector_cells", "search_vector_weight")
TEXTS = {
    "a.txt": "Alice Smith met Bob Jones in Paris.\n",
    "b.txt": "Carol White lives in Rome.\n",
    "c.txt": "Dan Brown saw Erin Green in Oslo.\n",
}


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer() as running:
        yield running


def settings(server: StubServer, **embeddings: Any) -> Settings:
    values = {"llm": {"base_url": server.url, "max_attempts": 1}, "embeddings": {"model": "vectors", **embeddings}}
    return Settings.model_validate(values)


def sent(server: StubServer) -> list[str]:
    """Return the texts that were sent since the last time."""
    texts = [text for body in server.requests for text in body["input"]]
    server.requests.clear()
    return texts


def vectors(run: Run) -> list[list[float]]:
    return [row["vector"] for row in tables.read(run.snapshot, "search_vectors").to_pylist()]


def said(run: Run) -> list[str]:
    titles = {row["id"]: row["title"] for row in tables.read(run.snapshot, "documents").to_pylist()}
    units = tables.read(run.snapshot, "text_units").to_pylist()
    return [f"{titles[unit['document_id']]}\n{unit['text']}" for unit in units]


def test_each_unit_has_a_vector_of_its_title_and_text(
    server: StubServer, corpus: Callable[..., Path], tmp_path: Path
) -> None:
    run = pipeline.index(corpus(TEXTS), tmp_path / "output", settings(server))
    assert sent(server) == said(run)
    for found, text in zip(vectors(run), said(run), strict=True):
        expected = [byte / 256 for byte in hashlib.sha256(text.encode()).digest()[:8]]
        length = math.hypot(*expected)
        assert found == pytest.approx([number / length for number in expected], abs=1e-6)
    assert run.usage["embed_text_units"]["calls"] == 1
    assert check.check(run.snapshot).problems == ()


def test_only_new_texts_are_sent(server: StubServer, corpus: Callable[..., Path], tmp_path: Path) -> None:
    folder, output = corpus(TEXTS), tmp_path / "output"
    pipeline.index(folder, output, settings(server))
    sent(server)
    assert pipeline.index(folder, output, settings(server)).ran == ()
    (folder / "b.txt").write_text("Carol White lives in Venice.\n")
    run = pipeline.index(folder, output, settings(server))
    assert sent(server) == [text for text in said(run) if "Venice" in text]
    assert len(vectors(run)) == len(said(run)) == len(TEXTS)
    again = pipeline.index(folder, output, settings(server, model="another"))
    assert again.ran == ("embed_text_units",) and len(sent(server)) == len(TEXTS)


def test_what_failed_is_recorded_and_tried_again(
    server: StubServer, corpus: Callable[..., Path], tmp_path: Path
) -> None:
    folder, output = corpus(TEXTS), tmp_path / "output"
    server.reply = lambda body: Fault(status=400, message="no") if "Rome" in body["input"][0] else ""
    run = pipeline.index(folder, output, settings(server, batch_size=1))
    (failed,) = tables.read(run.snapshot, "failures").to_pylist()
    row = next(i for i, text in enumerate(said(run)) if "Rome" in text)
    assert failed["stage"] == "embed_text_units"
    assert failed["document"] == tables.read(run.snapshot, "text_units")["id"][row].as_py()
    assert [i for i, vector in enumerate(vectors(run)) if not any(vector)] == [row]
    assert check.check(run.snapshot).problems == ()
    sent(server)
    server.reply = lambda _: ""
    healed = pipeline.index(folder, output, settings(server, batch_size=1))
    assert healed.n_failures == 0 and sent(server) == [said(run)[row]]
    assert all(any(vector) for vector in vectors(healed))


def test_where_nothing_can_be_embedded_nothing_is_published(
    server: StubServer, corpus: Callable[..., Path], tmp_path: Path
) -> None:
    server.reply = lambda _: Fault(status=400, message="no")
    with pytest.raises(ModelError, match="no text could be embedded"):
        pipeline.index(corpus(TEXTS), tmp_path / "output", settings(server))
    assert not (tmp_path / "output" / "current").exists()


def test_without_a_model_the_tables_are_the_same_bytes(
    server: StubServer, corpus: Callable[..., Path], tmp_path: Path
) -> None:
    folder = corpus(TEXTS)
    plain = pipeline.index(folder, tmp_path / "plain", Settings())
    with_vectors = pipeline.index(folder, tmp_path / "vectors", settings(server))
    names = set(with_vectors.manifest["tables"]) - set(plain.manifest["tables"])
    assert names == set(NAMES) and "embed_text_units" not in plain.manifest["stages"]
    for name, entry in plain.manifest["tables"].items():
        assert entry == with_vectors.manifest["tables"][name], name
    back = pipeline.index(folder, tmp_path / "vectors", Settings())
    assert not back.ran and back.why == ("embed_text_units is left out",)
    assert "search_vectors" not in back.manifest["tables"]


class Simulated:
    """An embedding model whose vectors are a function of the text."""

    identity: Mapping[str, Any] = {"model": "simulated"}

    def __init__(self, vector: Callable[[str], Any]) -> None:
        self.vector = vector
        self.n_checks = 0

    async def check(self) -> None:
        self.n_checks += 1

    async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        return [self.vector(text).tolist() for text in texts], Usage()


def by_lot(text: str) -> Any:
    return np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])).normal(size=64)


def learned(snapshot: Path, vector: Callable[[str], Any]) -> dict[str, Any]:
    names = ("documents", "text_units", "search_terms", "search_units", "search_lengths")
    reads = {name: tables.read(snapshot, name) for name in names}
    embedder = memoised_embedder(Embeddings(), Llm(), Memo(None), Simulated(vector))
    *_, weight = asyncio.run(embed_text_units(**reads, embedder=embedder, fail=lambda *_: None))
    (row,) = weight.to_pylist()
    return dict(row)


def test_vectors_that_say_nothing_count_nothing(sample: Path) -> None:
    weight = learned(sample, by_lot)
    assert weight["weight"] == 0.0 and 10 < weight["n_probes"] <= PROBES


def test_vectors_that_know_what_words_do_not_say_count(sample: Path) -> None:
    languages = {row["id"]: row["language"] for row in tables.read(sample, "documents").to_pylist()}
    units = tables.read(sample, "text_units").to_pylist()
    own = {_excerpt(unit["text"], languages[unit["document_id"]]): unit["text"] for unit in units}

    def knowing(text: str) -> Any:
        unit = own.get(text) or next(unit["text"] for unit in units if unit["text"] in text)
        return by_lot(unit) + 0.5 * by_lot(text)

    weight = learned(sample, knowing)
    assert weight["weight"] > 0, weight


def meant(index: Index, question: str) -> Any:
    (vector,) = asyncio.run(index.embed([question]))
    return Question(index, question, vector=vector).features.meant


def test_vectors_change_the_ranking_by_their_weight(
    server: StubServer, corpus: Callable[..., Path], tmp_path: Path
) -> None:
    output = tmp_path / "output"
    run = pipeline.index(corpus(TEXTS), output, settings(server))
    index = Index(run.snapshot, settings(server))
    sent(server)
    index.query("Why?", retrieve_only=True)
    assert sent(server) == [], "vectors that count nothing are not asked for"
    index.__dict__["vector_weight"] = 5.0
    questions = [f"Who {i}?" for i in range(20)]  # share no word with a text
    index.query_all(questions, retrieve_only=True)
    assert sent(server) == questions
    asked = next(question for question in questions if np.argmax(meant(index, question)) > 0)
    gains = meant(index, asked)
    assert gains is not None and gains.shape == (3,) and 0 < gains.max() <= 1
    first = int(np.argmax(gains))
    unit_ids = tables.read(run.snapshot, "text_units")["id"].to_pylist()
    assert index.query(asked, retrieve_only=True).text_units[0] == unit_ids[first]
    assert index.query(asked, "basic", retrieve_only=True).text_units[0] == unit_ids[0], "basic is words alone"
    other = Index(run.snapshot, settings(server))
    other.__dict__["vector_weight"] = 5.0
    other.query(asked, retrieve_only=True)
    assert sent(server) == [], "a question is paid for once"


def test_texts_and_questions_begin_as_the_model_wants_them(
    server: StubServer, corpus: Callable[..., Path], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder, output = (
        corpus({**TEXTS, "d.txt": f"{' '.join(f'word{i}' for i in range(12))} ends.\n"}),
        tmp_path / "output",
    )
    own = {"text_prefix": "passage: ", "question_prefix": "query: "}
    pipeline.index(folder, output, settings(server))
    n_before = len(sent(server))
    run = pipeline.index(folder, output, settings(server, **own))
    told = sent(server)
    texts = {f"passage: {text}" for text in said(run)}
    assert len(told) == n_before > len(texts) and texts < set(told)
    assert all(text.startswith("query: ") for text in {*told} - texts), "excerpts stand for questions"
    index = Index(run.snapshot, settings(server, **own))
    index.__dict__["vector_weight"] = 5.0
    assert meant(index, "Who?") is not None and sent(server) == ["query: Who?"]
    other = Index(run.snapshot, settings(server, text_prefix="search_document: "))
    other.__dict__["vector_weight"] = 5.0
    assert meant(other, "Who?") is None and "they are not used" in caplog.text


def counting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let vectors count, whatever they are worth, and a corpus of more than one text unit be one of many."""
    monkeypatch.setattr(stage, "fit", lambda _: Fit(0.2, 1.0, 99.0))
    monkeypatch.setattr(stage, "MOST_EXACT", 1)


def ranked(index: Index) -> list[tuple[str, ...]]:
    answers = index.query_all([f"Who met {i} in Rome?" for i in range(12)], retrieve_only=True)
    return [answer.text_units for answer in answers if isinstance(answer, Answer)]


def test_many_vectors_are_divided_into_cells_and_rank_as_without(
    server: StubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "fit", lambda _: Fit(0.2, 1.0, 99.0))
    exact = pipeline.index(EXAMPLE, tmp_path / "exact", settings(server))
    counting(monkeypatch)
    run = pipeline.index(EXAMPLE, tmp_path / "cells", settings(server))
    assert run.manifest["tables"]["search_vector_cells"]["rows"] > 10
    assert exact.manifest["tables"]["search_vector_cells"]["rows"] == 0
    assert check.check(run.snapshot).problems == ()
    quick, slow = Index(run.snapshot, settings(server)), Index(run.snapshot, settings(server))
    slow.__dict__["vectors"] = Vectors(quick.vectors.blocks)
    plain = Index(exact.snapshot, settings(server))
    words = Index(exact.snapshot, Settings())
    assert quick.vectors.cells and ranked(quick) == ranked(slow) == ranked(plain) != ranked(words)
    again = pipeline.index(EXAMPLE, tmp_path / "again", settings(server))
    assert again.manifest["tables"]["search_vector_cells"] == run.manifest["tables"]["search_vector_cells"]


def test_without_the_library_search_is_exact_and_the_run_says_what_to_install(
    server: StubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    counting(monkeypatch)
    monkeypatch.setattr(stage, "can_divide", lambda: False)
    run = pipeline.index(EXAMPLE, tmp_path / "output", settings(server))
    assert "pip install 'graphrag-build[ann]'" in caplog.text
    assert Index(run.snapshot, settings(server)).vectors.cells is None and check.check(run.snapshot).problems == ()


def test_an_index_of_before_there_were_cells_is_searched(
    server: StubServer, corpus: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "fit", lambda _: Fit(0.2, 1.0, 99.0))
    run = pipeline.index(corpus(TEXTS), tmp_path / "output", settings(server))
    before = ranked(Index(run.snapshot, settings(server)))
    manifest = snapshots.read_manifest(run.snapshot)
    del manifest["tables"]["search_vector_cells"]
    snapshots.write_json(run.snapshot / snapshots.MANIFEST, manifest)
    tables.path_in(run.snapshot, "search_vector_cells").unlink()
    assert ranked(Index(run.snapshot, settings(server))) == before


def test_vectors_are_stored_in_blocks(
    server: StubServer, corpus: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "fit", lambda _: Fit(0.2, 1.0, 99.0))
    whole = pipeline.index(corpus(TEXTS), tmp_path / "whole", settings(server))
    monkeypatch.setitem(tables.BLOCKS, "search_vectors", 2)
    parts = pipeline.index(tmp_path / "corpus", tmp_path / "parts", settings(server))
    assert [len(block) for block in Index(parts.snapshot).vectors.blocks] == [2, 1]
    assert vectors(parts) == vectors(whole) and check.check(parts.snapshot).problems == ()
    found = [ranked(Index(run.snapshot, settings(server))) for run in (whole, parts)]
    assert found[0] == found[1]


@pytest.mark.parametrize("limit", [{"max_calls": 1}, {"max_cost": 0.00001, "prices": {"vectors": {"input": 1.0}}}])
def test_a_budget_stops_a_run_which_goes_on_and_pays_for_nothing_twice(
    limit: dict[str, Any], server: StubServer, corpus: Callable[..., Path], tmp_path: Path
) -> None:
    folder, output = corpus(TEXTS), tmp_path / "output"
    bounded = settings(server, batch_size=1)
    bounded = bounded.model_copy(update={"llm": bounded.llm.model_validate({**bounded.llm.model_dump(), **limit})})
    said_before: list[str] = []
    for _ in range(len(TEXTS) - 1):
        with pytest.raises(ModelError, match=rf"llm\.{next(iter(limit))}.*Every answer is kept"):
            pipeline.index(folder, output, bounded)
        assert not (output / "current").exists()
        (new,) = sent(server)
        said_before.append(new)
    run = pipeline.index(folder, output, bounded)
    assert sorted([*said_before, *sent(server)]) == sorted(said(run))
    entries = [entry["usage"] for entry in run_log.read(output)]
    assert [usage["calls"] for usage in entries] == [1] * len(TEXTS)
    assert all(usage["prompt_tokens"] for usage in entries)
    assert run.manifest["usage"]["embed_text_units"] == run.usage["embed_text_units"]
    assert (entries[-1]["cost"] is None) == ("prices" not in limit)


def test_a_most_cost_needs_the_price_of_embeddings(
    server: StubServer, corpus: Callable[..., Path], tmp_path: Path
) -> None:
    bounded = Settings.model_validate({"llm": {"max_cost": 1.0}, "embeddings": {"model": "vectors"}})
    chats = {"method": "standard", "llm": {"max_cost": 1.0, "model": "gpt-4o-mini", "base_url": "http://127.0.0.1:9"}}
    for values in (bounded, Settings.model_validate({**bounded.model_dump(), **chats})):
        with pytest.raises(SettingsError, match=r"what vectors costs is not known"):
            pipeline.index(corpus(TEXTS), tmp_path / "output", values)


def test_equal_texts_are_sent_once(server: StubServer) -> None:
    values = settings(server, batch_size=1)
    embedder = memoised_embedder(values.embeddings, values.llm, Memo(None))
    found, errors = asyncio.run(stage._embed(embedder, ["same", "other", "same"]))
    assert sorted(sent(server)) == ["other", "same"] and not errors
    assert found[0].tobytes() == found[2].tobytes() != found[1].tobytes()


def test_texts_that_are_new_are_sent_together(server: StubServer, corpus: Callable[..., Path], tmp_path: Path) -> None:
    folder, output = corpus({f"{i:02}.txt": f"Alice met Bob {i} times.\n" for i in range(12)}), tmp_path / "output"
    pipeline.index(folder, output, settings(server, batch_size=4))
    assert [len(body["input"]) for body in server.requests] == [4, 4, 4]
    sent(server)
    for i in (0, 5, 11):
        (folder / f"{i:02}.txt").write_text(f"Alice met Carol {i} times.\n")
    run = pipeline.index(folder, output, settings(server, batch_size=4))
    assert len(server.requests) == 1 and len(sent(server)) == 3
    usage = run.usage["embed_text_units"]
    assert (usage["calls"], usage["memo_hits"]) == (1, 9)


def test_a_question_is_answered_where_the_embedding_model_fails(
    server: StubServer, corpus: Callable[..., Path], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run = pipeline.index(corpus(TEXTS), tmp_path / "output", settings(server))
    for values, reason in (
        (settings(server), "failed"),
        (settings(server, model="other"), "the embedding model is openai other"),
    ):
        server.reply = lambda _: Fault(status=400, message="no")
        index = Index(run.snapshot, values)
        index.__dict__["vector_weight"] = 5.0
        assert index.query("Who lives in Rome?").citations
        assert reason in caplog.text


def test_an_index_of_another_program_can_have_vectors(
    server: StubServer, corpus: Callable[..., Path], tmp_path: Path
) -> None:
    plain = pipeline.index(corpus(TEXTS), tmp_path / "ours", Settings())
    without = pipeline.take_over(plain.snapshot, tmp_path / "without", Settings())
    assert "search_vectors" not in without.manifest["tables"]
    run = pipeline.take_over(plain.snapshot, tmp_path / "with", settings(server))
    assert len(vectors(run)) == len(TEXTS) and check.check(run.snapshot).problems == ()

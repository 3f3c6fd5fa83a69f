"""Whatever rows are equal in, whatever order they come in, and however many threads read them: the same result."""

import asyncio
import random
import shutil
from itertools import cycle, product
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
import stub_replies
from stub_model import StubModel, stage_model

from graphrag_lite import pipeline, prompts, tables
from graphrag_lite.attempts import in_turn
from graphrag_lite.run import snapshots
from graphrag_lite.run.loop import Run
from graphrag_lite.settings import Settings, SummarizeDescriptions
from graphrag_lite.stages.summarize_descriptions import summarize_descriptions

READS = ("source_documents", "entity_mentions", "relationship_mentions", "entity_resolutions")
TEXT = "Ada Bell met Tom Carr and Eve Hale in Rome, and then they parted. Ada Bell wrote to Tom Carr. Eve Hale laughed."
FIRST = TEXT.index(". ") + 1  # the end of the first sentence
SPANS = ((0, FIRST), (0, len(TEXT)), (FIRST + 1, len(TEXT)), (-1, -1))
SAID = ("They met.", "they met", "They wrote.")
PLACE = {"document_id": "d", "round": 0}


def use_threads(monkeypatch: pytest.MonkeyPatch, *n_threads: int) -> None:
    """Give one connection after the other so many threads, which DuckDB starts for a few rows only if it is told to."""
    connect, numbers = duckdb.connect, cycle(n_threads)

    def connected(config: object = None) -> duckdb.DuckDBPyConnection:
        del config
        return connect(config={"threads": next(numbers)}).execute("pragma verify_parallelism")

    monkeypatch.setattr(duckdb, "connect", connected)


@pytest.fixture(params=(1, 2, 8))
def _threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    use_threads(monkeypatch, request.param)


def tied() -> dict[str, pa.Table]:
    """Make what the stage reads, where names, spans, descriptions, types, strengths and titles come again and again.

    Of many groups of three names each has a few, by chance, of all combinations.
    """
    chance = random.Random(5)
    document = {"id": "d", "source_id": "a.txt", "title": "", "text": TEXT, "path": "a.txt", "content_sha256": ""}
    document |= {"mime": "text/plain", "language": "en", "created_at": "", "metadata": "{}"}
    mentions, related, resolved = [], [], []
    for group in range(60):
        names = [f"{name} {group}" for name in ("Ada Bell", "Tom Carr", "Eve Hale")]
        everything = [
            PLACE
            | {"text_unit_id": unit, "name": name, "type": kind, "description": said, "mention_start": -1}
            | {"char_start": start, "char_end": end, "anchored": True}
            for unit, name, kind, said, (start, end) in product("uv", names, ("person", "ship"), ("", *SAID), SPANS)
        ]
        mentions += [*chance.sample(everything, 8), *(everything[i] for i in (0, 32, 64))]
        everything = [
            PLACE
            | {"text_unit_id": unit, "source": source, "target": target, "relation": relation, "description": said}
            | {"strength": strength, "char_start": start, "char_end": end, "valid_at": "", "invalid_at": ""}
            for unit, (source, target), relation, said, strength, (start, end) in product(
                "uv", ((names[0], names[1]), (names[1], names[0])), ("", "MET", "KNEW"), SAID, (0.1, 2.2, 7.3), SPANS
            )
        ]
        related += chance.sample(everything, chance.choice((2, 3, 6, 30)))
        resolved += [
            {"document_id": "", "name": name, "entity_id": name, "title": "Ada", "type": "person", "rule": "exact"}
            for name in names
        ]
    return {
        "source_documents": tables.make("source_documents", [document]),
        "entity_mentions": tables.make("entity_mentions", mentions),
        "relationship_mentions": tables.make("relationship_mentions", related),
        "entity_resolutions": tables.make("entity_resolutions", resolved),
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A part of the sample corpus, and its index in `first`."""
    folder = tmp_path_factory.mktemp("extracted")
    (folder / "corpus").mkdir()
    for note in sorted((Path(__file__).parents[2] / "examples" / "corpus" / "notes").iterdir())[:12]:
        shutil.copy(note, folder / "corpus")
    index(folder, "first")
    return folder


def index(folder: Path, name: str) -> Run:
    """Index what a model says of the corpus, some of it in several ways."""
    stub = StubModel(lambda request: stub_replies.reply(request.messages))
    values = {"method": "standard", "llm": {"model": "stub"}, "split_text_units": {"size": 80, "overlap": 20}}
    return pipeline.index(folder / "corpus", folder / name, Settings.model_validate(values), model=stub)


def described(read: dict[str, pa.Table]) -> list[list[dict[str, Any]]]:
    """Return the rows of both tables that describe."""
    model, _ = stage_model(StubModel(lambda request: stub_replies.reply(request.messages)))
    settings = SummarizeDescriptions(max_tokens=50)
    made = asyncio.run(
        summarize_descriptions(**read, settings=settings, model=model, prompts=prompts.load(), each=in_turn)
    )
    return [table.to_pylist() for table in made[:2]]


def shuffled(read: dict[str, pa.Table], seed: int) -> dict[str, pa.Table]:
    chance = random.Random(seed)
    return {name: table.take(chance.sample(range(table.num_rows), table.num_rows)) for name, table in read.items()}


@pytest.mark.usefixtures("_threads")
def test_every_tie_is_broken() -> None:
    read = tied()
    expected = described(read)
    for seed in range(3):
        assert described(shuffled(read, seed)) == expected


@pytest.mark.usefixtures("_threads")
def test_a_model_that_says_one_thing_in_two_ways_is_read_the_same_every_time(folder: Path) -> None:
    read = {name: tables.read(snapshots.current(folder / "first"), name) for name in READS}
    expected = described(read)
    for seed in range(2):
        assert described(shuffled(read, seed)) == expected


def test_all_runs_over_one_memo_are_the_same_bytes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_threads(monkeypatch, 8, 2)
    first = {path.name: path.read_bytes() for path in tables.files(snapshots.current(folder / "first"))}
    for name in ("second", "third", "fourth"):
        (folder / name).mkdir()
        shutil.copy(folder / "first" / "memo.sqlite", folder / name)
        run = index(folder, name)
        assert sum(stage["calls"] for stage in run.usage.values()) == 0
        assert [path.name for path in tables.files(run.snapshot) if first[path.name] != path.read_bytes()] == []

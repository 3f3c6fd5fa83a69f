"""Whatever rows are equal in, whatever order they come in, and however many threads read them: the same result."""

import asyncio
import random
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
import stub_replies
from stub_model import StubModel, stage_model

from graphrag_lite import pipeline, prompts, tables
from graphrag_lite.settings import Settings, SummarizeDescriptions
from graphrag_lite.stages.summarize_descriptions import summarize_descriptions

READS = ("source_documents", "entity_mentions", "relationship_mentions", "entity_resolutions")
TEXT = "Ada Bell met Tom Carr and Eve Hale in Rome, and then they parted. Ada Bell wrote to Tom Carr. Eve Hale laughed."
FIRST = TEXT.index(". ") + 1  # the end of the first sentence
SPANS = ((0, FIRST), (0, len(TEXT)), (FIRST + 1, len(TEXT)), (-1, -1))
SAID = ("They met.", "they met", "They wrote.")
PLACE = {"document_id": "d", "round": 0}


@pytest.fixture(params=(1, 2, 8))
def _threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many threads, which DuckDB starts for a few rows only where it is told to."""
    connect = duckdb.connect

    def connected() -> duckdb.DuckDBPyConnection:
        return connect(config={"threads": request.param}).execute("pragma verify_parallelism")

    monkeypatch.setattr(duckdb, "connect", connected)


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
def extracted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pa.Table]:
    """What a model says of a part of the sample corpus, some of it in several ways."""
    folder = tmp_path_factory.mktemp("extracted")
    notes = sorted((Path(__file__).parents[2] / "examples" / "corpus" / "notes").iterdir())[:12]
    (folder / "corpus").mkdir()
    for note in notes:
        (folder / "corpus" / note.name).write_bytes(note.read_bytes())
    stub = StubModel(lambda request: stub_replies.reply(request.messages))
    values = {"method": "standard", "llm": {"model": "stub"}, "split_text_units": {"size": 80, "overlap": 20}}
    run = pipeline.index(folder / "corpus", folder / "output", Settings.model_validate(values), model=stub)
    return {name: tables.read(run.snapshot, name) for name in READS}


def described(read: dict[str, pa.Table]) -> list[list[dict[str, Any]]]:
    """Return the rows of both tables that the stage writes."""
    model, _ = stage_model(StubModel(lambda request: stub_replies.reply(request.messages)))
    settings = SummarizeDescriptions(max_tokens=50)
    made = asyncio.run(summarize_descriptions(**read, settings=settings, model=model, prompts=prompts.load()))
    return [table.to_pylist() for table in made]


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
def test_a_model_that_says_one_thing_in_two_ways_is_read_the_same_every_time(extracted: dict[str, pa.Table]) -> None:
    expected = described(extracted)
    for seed in range(2):
        assert described(shuffled(extracted, seed)) == expected

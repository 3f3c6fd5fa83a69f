"""microsoft/graphrag's own query code opens what this package publishes. Skipped where `graphrag` is not installed.

It is 3.3 that was tried, in an environment of its own: `pip install graphrag`, then pytest on this file.
"""

import asyncio
import gc
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import stub_replies
from stub_model import StubModel

from graphrag_lite import pipeline, tables
from graphrag_lite.settings import Settings

pytestmark = pytest.mark.filterwarnings("ignore")  # its own, and its dependencies'
EXAMPLE = Path(__file__).parents[1] / "examples" / "corpus"


class Tokens:
    """A tokeniser that needs no network: a token is a word."""

    def encode(self, text: str) -> list[int]:
        return [hash(word) for word in text.split()]

    def num_tokens(self, text: str) -> int:
        return len(text.split())


class FakeModel:
    """Answers every map step with one point that cites report 0, and every other request with its size."""

    tokenizer = Tokens()

    def __init__(self) -> None:
        self.prompts: list[str] = []

    async def completion_async(self, messages: list[Any], stream: bool = False, **_: Any) -> Any:
        self.prompts.append(str(messages))
        if not stream:
            points = json.dumps({"points": [{"description": "A point [Data: Reports (0)]", "score": 90}]})
            return SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content=points))])
        return self._stream("an answer")

    async def _stream(self, text: str) -> Any:
        for word in text.split(" "):
            yield SimpleNamespace(choices=[SimpleNamespace(delta=SimpleNamespace(content=word + " "))])


class FirstEntities:
    """A vector store that finds the entities of some titles for every question."""

    def __init__(self, ids: list[str]) -> None:
        self.ids = ids

    def similarity_search_by_text(self, **_: Any) -> list[Any]:
        return [SimpleNamespace(document=SimpleNamespace(id=identity), score=1.0) for identity in self.ids]


@pytest.fixture(autouse=True)
def _leaves_nothing_open() -> Iterator[None]:
    """End the event loops that it leaves open here, where the warning about them is ignored."""
    yield
    gc.collect()


@pytest.fixture(params=["indexed", "standard", "dulce_index", "msgraphrag_verbs_fixture"])
def snapshot(request: pytest.FixtureRequest, sample: Path, tmp_path: Path) -> Path:
    pytest.importorskip("graphrag.query.indexer_adapters", exc_type=ImportError)
    if request.param == "indexed":
        return sample
    if request.param == "standard":
        values = {"method": "standard", "llm": {"model": "stub"}, "extract_claims": {"enabled": True}}
        stub = StubModel(lambda asked: stub_replies.reply(asked.messages))
        return pipeline.index(EXAMPLE, tmp_path / "output", Settings.model_validate(values), model=stub).snapshot
    folder = request.getfixturevalue("shared") / "replay" / request.param
    return pipeline.take_over(folder, tmp_path / "output", Settings()).snapshot


def frames_of(snapshot: Path) -> dict[str, Any]:
    """Read the final tables with its Parquet reader, which makes its types of them."""
    from graphrag.data_model.data_reader import DataReader
    from graphrag_storage.file_storage import FileStorage
    from graphrag_storage.tables.parquet_table_provider import ParquetTableProvider

    reader = DataReader(ParquetTableProvider(FileStorage(base_dir=str(snapshot))))
    names = [name for name in tables.FINAL if name != "failures"]

    async def read() -> dict[str, Any]:
        return {name: await getattr(reader, name)() for name in names}

    return asyncio.run(read())


def test_its_readers_take_every_row_of_our_tables(snapshot: Path) -> None:
    from graphrag.data_model import schemas
    from graphrag.query import indexer_adapters as adapters

    frames = frames_of(snapshot)
    for name, frame in frames.items():
        missing = set(getattr(schemas, f"{name.upper()}_FINAL_COLUMNS")) - set(frame.columns)
        assert not missing, name
        assert len(frame) == tables.read(snapshot, name).num_rows
    rows = {name: tables.read(snapshot, name).to_pylist() for name in frames}
    units = adapters.read_indexer_text_units(frames["text_units"])
    assert [unit.text for unit in units] == [row["text"] for row in rows["text_units"]]
    assert [unit.document_id for unit in units] == [row["document_id"] for row in rows["text_units"]]
    assert [unit.n_tokens for unit in units] == [row["n_tokens"] for row in rows["text_units"]]
    found = adapters.read_indexer_entities(frames["entities"], frames["communities"], community_level=None)
    by_id = {entity.id: entity for entity in found}
    assert len(found) == len(by_id) == len(rows["entities"])
    for row in rows["entities"]:
        entity = by_id[row["id"]]
        assert (entity.title, entity.rank, entity.short_id) == (
            row["title"],
            row["degree"],
            str(row["human_readable_id"]),
        )
        assert entity.text_unit_ids == row["text_unit_ids"]
    levels = {row["community"]: row["level"] for row in rows["communities"]}
    members = {row["community"]: set(row["entity_ids"]) for row in rows["communities"]}
    for number, ids in members.items():
        assert all(str(number) in by_id[identity].community_ids for identity in ids)
    for ours, relationship in zip(
        rows["relationships"], adapters.read_indexer_relationships(frames["relationships"]), strict=True
    ):
        assert (relationship.source, relationship.target, relationship.weight) == (
            ours["source"],
            ours["target"],
            ours["weight"],
        )
        assert relationship.rank == ours["combined_degree"]
    claims = adapters.read_indexer_covariates(frames["covariates"].copy())
    assert [claim.subject_id for claim in claims] == [row["subject_id"] for row in rows["covariates"]]
    communities = adapters.read_indexer_communities(frames["communities"], frames["community_reports"])
    assert {int(c.short_id): int(c.level) for c in communities} == {
        row["community"]: levels[row["community"]] for row in rows["community_reports"]
    }
    assert {int(c.short_id): c.children for c in communities} == {
        row["community"]: row["children"]
        for row in rows["communities"]
        if row["community"] in {report["community"] for report in rows["community_reports"]}
    }


@pytest.mark.parametrize("level", [0, 1])
def test_its_reports_of_a_level_are_ours_down_to_that_level(snapshot: Path, level: int) -> None:
    from graphrag.query.indexer_adapters import read_indexer_reports

    frames = frames_of(snapshot)
    reports = read_indexer_reports(frames["community_reports"], frames["communities"], community_level=level)
    wanted = {
        str(row["community"]): row["full_content"]
        for row in tables.read(snapshot, "community_reports").to_pylist()
        if row["level"] <= level
    }
    assert {report.community_id: report.full_content for report in reports} == wanted


def test_its_global_search_asks_about_our_reports(snapshot: Path) -> None:
    from graphrag.query import indexer_adapters as adapters
    from graphrag.query.structured_search.global_search.community_context import GlobalCommunityContext
    from graphrag.query.structured_search.global_search.search import GlobalSearch

    frames, model = frames_of(snapshot), FakeModel()
    reports = adapters.read_indexer_reports(frames["community_reports"], frames["communities"], community_level=1)
    context = GlobalCommunityContext(
        community_reports=reports,
        communities=adapters.read_indexer_communities(frames["communities"], frames["community_reports"]),
        entities=adapters.read_indexer_entities(frames["entities"], frames["communities"], community_level=1),
        tokenizer=Tokens(),
    )
    # Its own factory turns the JSON mode off, too: with it on, the call names one parameter twice.
    whole = {"use_community_summary": False}
    search = GlobalSearch(model=model, context_builder=context, context_builder_params=whole, json_mode=False)
    found = asyncio.run(search.search("What are the main themes?"))
    assert found.response.strip() == "an answer"
    shown = " ".join(model.prompts)
    assert all(report.title in shown.replace("\\'", "'") for report in reports)
    assert len(model.prompts) == len(found.map_responses) + 1


def test_its_local_search_builds_a_context_of_our_records(snapshot: Path) -> None:
    from graphrag.query import indexer_adapters as adapters
    from graphrag.query.structured_search.local_search.mixed_context import LocalSearchMixedContext
    from graphrag.query.structured_search.local_search.search import LocalSearch

    frames, model = frames_of(snapshot), FakeModel()
    entities = adapters.read_indexer_entities(frames["entities"], frames["communities"], community_level=1)
    wanted = frames["entities"].nlargest(3, "degree")
    claims = adapters.read_indexer_covariates(frames["covariates"].copy())
    context = LocalSearchMixedContext(
        entities=entities,
        entity_text_embeddings=FirstEntities(list(wanted["id"])),
        text_embedder=None,
        text_units=adapters.read_indexer_text_units(frames["text_units"]),
        community_reports=adapters.read_indexer_reports(frames["community_reports"], frames["communities"], 1),
        relationships=adapters.read_indexer_relationships(frames["relationships"]),
        covariates={"claims": claims},
        tokenizer=Tokens(),
    )
    search = LocalSearch(model=model, context_builder=context, context_builder_params={"max_context_tokens": 60_000})
    found = asyncio.run(search.search("Who is it about?"))
    assert found.response.strip() == "an answer"
    assert list(found.context_data["entities"]["entity"]) == list(wanted["title"])
    for kind in ("reports", "relationships", "sources", *(["claims"] if claims else [])):
        assert len(found.context_data[kind]), kind
    (prompt,) = model.prompts
    assert all(title in prompt.replace("\\'", "'") for title in wanted["title"])

"""Reports say what the corpus says, cite it, and do not repeat themselves from level to level."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from graphrag_lite import pipeline, tables
from graphrag_lite.settings import ReportCommunitiesFast, Settings
from graphrag_lite.stages.report_communities_fast import report_communities_fast
from graphrag_lite.text.sentences import stands_alone

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus"
READS = ("entities", "relationships", "communities")


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pa.Table]:
    run = pipeline.index(EXAMPLE, tmp_path_factory.mktemp("root") / "output", Settings())
    return {name: tables.read(run.snapshot, name) for name in READS}


def report(read: dict[str, pa.Table], **settings: Any) -> list[dict[str, Any]]:
    made = asyncio.run(report_communities_fast(**read, settings=ReportCommunitiesFast(**settings)))
    tables.check("community_reports", made)
    return made.to_pylist()


def marks(text: str) -> list[int]:
    return [int(mark) for mark in re.findall(r"\[(\d+)\](?=\s|$)", text)]


def places(row: dict[str, Any], text: str) -> list[tuple[str, int, int]]:
    by_mark = {c["n"]: (c["document_id"], c["char_start"], c["char_end"]) for c in row["citations"]}
    return [by_mark[mark] for mark in marks(text)]


def test_every_community_with_a_relationship_has_a_report(read: dict[str, pa.Table]) -> None:
    communities = {row["community"]: row for row in read["communities"].to_pylist()}
    rows = report(read)
    held = [number for number, row in communities.items() if row["relationship_ids"]]
    assert [row["community"] for row in rows] == held
    for row in rows:
        for name in ("level", "parent", "children", "period", "size"):
            assert row[name] == communities[row["community"]][name]


def test_findings_state_a_relation_and_cite_it(read: dict[str, pa.Table]) -> None:
    relationships = {row["id"]: row for row in read["relationships"].to_pylist()}
    communities = {row["community"]: row for row in read["communities"].to_pylist()}
    for row in report(read):
        inside = [relationships[identity] for identity in communities[row["community"]]["relationship_ids"]]
        stated = {f"{r['source']} – {r['target']}": r for r in inside}
        assert 1 <= len(row["findings"]) <= 8
        for finding in row["findings"]:
            (place,) = places(row, finding["explanation"])
            relationship = next(r for r in inside if f"{r['description']} [" in finding["explanation"])
            source = relationship["sources"][0]
            assert place == (source["document_id"], source["char_start"], source["char_end"])
            assert finding["summary"] in stated
        said = [place for finding in row["findings"] for place in places(row, finding["explanation"])]
        assert len(set(said)) == len(said)


def test_a_summary_repeats_a_childs_sentence_only_for_want_of_others(read: dict[str, pa.Table]) -> None:
    relationships = {row["id"]: row for row in read["relationships"].to_pylist()}
    communities = {row["community"]: row for row in read["communities"].to_pylist()}
    rows = {row["community"]: row for row in report(read)}

    def said_below(number: int) -> set[tuple[str, int, int]]:
        children = [rows[child] for child in rows[number]["children"] if child in rows]
        return {place for child in children for place in places(child, child["summary"])}.union(
            *(said_below(child["community"]) for child in children)
        )

    parents = [row for row in rows.values() if row["children"]]
    assert len(parents) > 5
    for row in parents:
        below, own = said_below(row["community"]), places(row, row["summary"])
        inside = [relationships[identity] for identity in communities[row["community"]]["relationship_ids"]]
        told = [r["description"] for r in inside if f"{r['description']} [" in row["summary"]]
        new = {r["description"] for r in inside if stands_alone(r["description"]) and place_of(r) not in below}
        assert own and len(set(own)) == len(own)
        if set(own) & below:  # what was left says the same as what was chosen
            assert all(any(alike(sentence, other) for other in told) for sentence in new), row["community"]


def place_of(relationship: dict[str, Any]) -> tuple[str, int, int]:
    (source,) = relationship["sources"]
    return source["document_id"], source["char_start"], source["char_end"]


def alike(a: str, b: str) -> bool:
    words, others = set(a.casefold().split()), set(b.casefold().split())
    return len(words & others) >= 0.5 * len(words | others)


def test_marks_are_numbered_in_order_and_each_is_cited(read: dict[str, pa.Table]) -> None:
    for row in report(read):
        assert list(dict.fromkeys(marks(row["full_content"]))) == [c["n"] for c in row["citations"]]
        assert [c["n"] for c in row["citations"]] == list(range(1, len(row["citations"]) + 1))


def test_ranks_are_within_0_and_10_and_explained(read: dict[str, pa.Table]) -> None:
    rows = report(read)
    assert all(0 <= row["rank"] <= 10 for row in rows)
    for level in {row["level"] for row in rows}:
        assert max(row["rank"] for row in rows if row["level"] == level) == 10
    weights = {row["id"]: row["weight"] for row in read["relationships"].to_pylist()}
    held = {c["community"]: sum(weights[i] for i in c["relationship_ids"]) for c in read["communities"].to_pylist()}
    top = sorted((row for row in rows if row["level"] == 0), key=lambda row: held[row["community"]])
    assert [row["rank"] for row in top] == sorted(row["rank"] for row in top)
    degrees = {row["title"]: row["degree"] for row in read["entities"].to_pylist()}
    entity = {row["id"]: row["degree"] for row in read["entities"].to_pylist()}
    communities = {row["community"]: row for row in read["communities"].to_pylist()}
    for row in rows:
        said = re.fullmatch(
            r"Its (\d+) entities hold \d+\.\d% of the weight of all relationships; "
            r"the most connected is (.+) with (\d+) relationships\.",
            row["rating_explanation"],
        )
        assert said and int(said[1]) == row["size"] and int(said[3]) == degrees[said[2]]
        assert int(said[3]) == max(entity[identity] for identity in communities[row["community"]]["entity_ids"])


def test_the_page_and_the_json_hold_the_report(read: dict[str, pa.Table]) -> None:
    rows = report(read)
    for row in rows:
        assert row["full_content"].startswith(f"# {row['title']}\n\n{row['summary']}\n\n## ")
        assert json.loads(row["full_content_json"]) == {
            key: row[key] for key in ("title", "summary", "rank", "rating_explanation", "findings")
        }
    assert len({row["input_sha256"] for row in rows}) == len(rows)


def test_settings_are_heard_and_the_report_is_a_function_of_its_input(read: dict[str, pa.Table]) -> None:
    assert report(read) == report(read)
    short = report(read, max_findings=1, max_summary_sentences=1)
    assert all(len(row["findings"]) == 1 and len(marks(row["summary"])) == 1 for row in short)
    long = report(read, max_findings=50)
    assert max(len(row["findings"]) for row in long) > 8


def test_relationships_of_weight_0_are_reported() -> None:
    """A pair that meets less often than by chance: its normalised PMI may be -1, its weight 0."""
    span = {"text_unit_id": "u", "document_id": "d", "char_start": 0, "char_end": 9}
    shared = {"human_readable_id": 0, "text_unit_ids": ["u"], "n_mentions": 1}
    entities = [
        shared
        | {
            "id": i,
            "title": i,
            "type": "unknown",
            "description": "",
            "frequency": 1,
            "degree": 1,
            "n_documents": 1,
            "sources": [],
        }
        for i in "ab"
    ]
    pair = {"source": "a", "target": "b", "source_id": "a", "target_id": "b", "relation": "", "combined_degree": 2}
    relationship = shared | pair | {"id": "r", "description": "A met B.", "weight": 0.0, "sources": [span]}
    community = {
        "id": "c",
        "human_readable_id": 0,
        "community": 0,
        "level": 0,
        "parent": -1,
        "children": [],
        "title": "a, b",
    }
    community |= {"entity_ids": ["a", "b"], "relationship_ids": ["r"], "text_unit_ids": ["u"], "period": "", "size": 2}
    made = {
        "entities": tables.make("entities", entities),
        "relationships": tables.make("relationships", [relationship]),
        "communities": tables.make("communities", [community]),
    }
    (row,) = report(made)
    assert row["rank"] == 0.0 and "A met B. [1]" in row["summary"]
    silent = tables.make("relationships", [relationship | {"sources": [], "description": ""}])
    (row,) = report(made | {"relationships": silent})
    assert row["findings"] == [] and row["citations"] == [] and row["summary"] == "a and b."

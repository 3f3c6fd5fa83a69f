"""Communities of the stage: numbers, parents, what is inside, whatever the order of rows."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from graphrag_lite import pipeline, tables
from graphrag_lite.run.services import Last
from graphrag_lite.settings import DetectCommunities, Settings
from graphrag_lite.stages.detect_communities import detect_communities

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus"
ENDS = ("source_id", "target_id")
READS = ("source_documents", "source_units", "entities", "relationships", "community_edges")


@pytest.fixture(scope="module")
def read(sample: Path) -> dict[str, pa.Table]:
    """What the stage reads for the sample corpus."""
    return {name: tables.read(sample, name) for name in READS}


def detect(read: dict[str, pa.Table], **settings: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = made(read, DetectCommunities(**settings)).to_pylist()
    return rows


def made(
    read: dict[str, pa.Table],
    settings: DetectCommunities | None = None,
    *,
    last: Last | None = None,
    mode: str = "stable",
) -> pa.Table:
    table = asyncio.run(detect_communities(**read, settings=settings or DetectCommunities(), mode=mode, last=last))
    tables.check("communities", table)
    return table


def test_a_hierarchy_of_partitions(read: dict[str, pa.Table]) -> None:
    rows = detect(read)
    assert [row["community"] for row in rows] == [row["human_readable_id"] for row in rows] == list(range(len(rows)))
    assert [(row["level"], -row["size"]) for row in rows] == sorted((row["level"], -row["size"]) for row in rows)
    top = [identity for row in rows if row["level"] == 0 for identity in row["entity_ids"]]
    assert sorted(top) == sorted(related(read))
    assert max(row["level"] for row in rows) >= 1
    for row in rows:
        assert row["size"] == len(row["entity_ids"]) == len(set(row["entity_ids"]))
        children = [other for other in rows if other["parent"] == row["community"]]
        assert row["children"] == [child["community"] for child in children]
        assert all(child["level"] == row["level"] + 1 for child in children)
        if children:
            assert sorted(i for child in children for i in child["entity_ids"]) == sorted(row["entity_ids"])
        assert (row["parent"] == -1) == (row["level"] == 0)


def test_a_title_is_of_one_community(read: dict[str, pa.Table]) -> None:
    entities = read["entities"]
    same = pa.array(["Same"] * entities.num_rows)
    named = read | {"entities": entities.set_column(entities.schema.get_field_index("title"), "title", same)}
    titles = [row["title"] for row in detect(named, max_cluster_size=5)]
    assert len(set(titles)) == len(titles) and any(title.endswith(" (2)") for title in titles)


def test_what_is_inside(read: dict[str, pa.Table]) -> None:
    relationships = {row["id"]: row for row in read["relationships"].to_pylist()}
    entities = {row["id"]: row for row in read["entities"].to_pylist()}
    unit_ids = read["source_units"]["id"].to_pylist()
    document_of = dict(zip(unit_ids, read["source_units"]["document_id"].to_pylist(), strict=True))
    created = dict(zip(*(read["source_documents"][name].to_pylist() for name in ("id", "created_at")), strict=True))
    for row in detect(read):
        members = set(row["entity_ids"])
        inside = {r["id"] for r in relationships.values() if {r["source_id"], r["target_id"]} <= members}
        assert set(row["relationship_ids"]) == inside and len(row["relationship_ids"]) == len(inside)
        n_members = Counter(unit for identity in members for unit in entities[identity]["text_unit_ids"])
        mentioning = {unit for unit, n in n_members.items() if n > 1}
        assert set(row["text_unit_ids"]) == mentioning
        assert mentioning.issuperset(unit for identity in inside for unit in relationships[identity]["text_unit_ids"])
        assert row["text_unit_ids"] == sorted(row["text_unit_ids"], key=unit_ids.index)
        assert row["period"] == max((created[document_of[unit]][:10] for unit in mentioning), default="")
        degrees = [entities[identity]["degree"] for identity in row["entity_ids"]]
        assert degrees == sorted(degrees, reverse=True)
        assert row["title"].startswith(", ".join(entities[identity]["title"] for identity in row["entity_ids"][:3]))


def related(read: dict[str, pa.Table]) -> set[str]:
    return {identity for end in ENDS for identity in read["community_edges"][end].to_pylist()}


def test_what_nothing_joins_is_in_no_community(read: dict[str, pa.Table]) -> None:
    lonely = set(read["entities"]["id"].to_pylist()) - related(read)
    assert lonely and lonely.isdisjoint(identity for row in detect(read) for identity in row["entity_ids"])


def test_the_order_of_rows_does_not_matter(read: dict[str, pa.Table]) -> None:
    expected = detect(read)
    chance = random.Random(4)
    for _ in range(3):
        shuffled = {
            name: table.take(chance.sample(range(table.num_rows), table.num_rows))
            if name in ("entities", "relationships", "community_edges", "source_documents")
            else table
            for name, table in read.items()
        }
        found = detect(shuffled)
        for row in (*expected, *found):
            row["relationship_ids"] = sorted(row["relationship_ids"])  # they stand in the order of the table
        assert found == expected


def test_settings_are_heard(read: dict[str, pa.Table]) -> None:
    default = detect(read)
    assert detect(read, seed=1) == detect(read, seed=1)
    assert len(detect(read, max_cluster_size=4)) > len(default) > len(detect(read, max_cluster_size=100))
    finer = detect(read, resolution=3.0, max_cluster_size=500)
    assert len(finer) > len(detect(read, resolution=0.5, max_cluster_size=500))


def test_a_corpus_without_relationships(corpus: Callable[..., Path], tmp_path: Path) -> None:
    run = pipeline.index(corpus({"a.txt": "hello there"}), tmp_path / "output", Settings())
    read = {name: tables.read(run.snapshot, name) for name in READS}
    assert detect(read) == []


# From here on: what an earlier run leaves.


@pytest.fixture(scope="module")
def earlier(read: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """What the stage read before one in fifty of the entities came, and others went."""
    ids = sorted(read["entities"]["id"].to_pylist())
    late = pa.array(ids[::50])
    gone = read["entities"].slice(0, 1).to_pylist()[0] | {"id": "f" * 32, "title": "what went"}
    tie = read["relationships"].slice(0, 1).to_pylist()[0] | {"id": "f" * 32, "source_id": "f" * 32}
    edge = {"source_id": min(tie["target_id"], "f" * 32), "target_id": max(tie["target_id"], "f" * 32), "weight": 1.0}
    relationships, edges = (
        read[name].filter(pc.invert(pc.or_(*(pc.is_in(read[name][end], value_set=late) for end in ENDS))))
        for name in ("relationships", "community_edges")
    )
    return read | {
        "entities": pa.concat_tables(
            [
                read["entities"].filter(pc.invert(pc.is_in(read["entities"]["id"], value_set=late))),
                tables.make("entities", [gone]),
            ]
        ),
        "relationships": pa.concat_tables([relationships, tables.make("relationships", [tie])]),
        "community_edges": pa.concat_tables([edges, tables.make("community_edges", [edge])]),
    }


def kept(folder: Path, read: dict[str, pa.Table], communities: pa.Table, *changed: str) -> Last:
    """Write a last snapshot."""
    (folder / "work").mkdir(parents=True)
    for name, table in (read | {"communities": communities}).items():
        tables.write(folder, name, table)
    return Last(folder, frozenset(changed))


def test_communities_that_did_not_change_stay_what_they_were(
    read: dict[str, pa.Table], earlier: dict[str, pa.Table], tmp_path: Path
) -> None:
    before = {row["id"]: row for row in made(earlier).to_pylist()}
    now = made(read, last=kept(tmp_path, earlier, made(earlier))).to_pylist()
    after = {row["id"]: row for row in now}
    assert len(after.keys() & before.keys()) > 0.9 * len(before)
    for identity in after.keys() & before.keys():
        assert after[identity]["community"] == before[identity]["community"]
    fresh = [row for row in now if row["id"] not in before]
    top = max(row["community"] for row in before.values())
    assert fresh and sorted(row["community"] for row in fresh) == list(range(top + 1, top + 1 + len(fresh)))
    members = {frozenset(row["entity_ids"]) for row in before.values()}
    assert sum(frozenset(row["entity_ids"]) in members for row in now) > 0.6 * len(now)

    # The table is as good as any other.
    assert [(row["level"], row["community"]) for row in now] == sorted((row["level"], row["community"]) for row in now)
    numbers = {row["community"]: row for row in now}
    assert len(numbers) == len(now)
    for row in now:
        assert row["human_readable_id"] == row["community"]
        assert row["parent"] == -1 or row["community"] in numbers[row["parent"]]["children"]
        children = [numbers[child] for child in row["children"]]
        assert all(child["parent"] == row["community"] for child in children)
        if children:
            assert sorted(i for child in children for i in child["entity_ids"]) == sorted(row["entity_ids"])
    assert sorted(i for row in now if row["level"] == 0 for i in row["entity_ids"]) == sorted(related(read))


def test_the_ends_of_relationships_that_came_or_went_may_move(
    read: dict[str, pa.Table], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    top = [row for row in made(read).to_pylist() if row["level"] == 0 and row["size"] > 2]
    goes = top[1]["entity_ids"][-1]
    other, weak = top[0]["entity_ids"][:2]
    rows = read["community_edges"].to_pylist()
    weight = sum(row["weight"] for row in rows if goes in (row["source_id"], row["target_id"]))
    rows.append({"source_id": min(goes, weak), "target_id": max(goes, weak), "weight": weight / 4})
    read = read | {"community_edges": tables.make("community_edges", rows)}
    rows.append({"source_id": min(goes, other), "target_id": max(goes, other), "weight": 3 * weight})
    tied = read | {"community_edges": tables.make("community_edges", rows)}

    def company(communities: pa.Table) -> set[str]:
        held = [row["entity_ids"] for row in communities.to_pylist() if row["level"] == 0 and goes in row["entity_ids"]]
        return set(held[0])

    with caplog.at_level("INFO"):
        came = made(tied, last=kept(tmp_path / "came", read, before := made(read)))
        went = made(read, last=kept(tmp_path / "went", tied, came))
    assert not caplog.records
    assert other in company(came) and other not in company(before) and company(went) == company(before)


def test_without_a_change_the_table_is_the_same(read: dict[str, pa.Table], tmp_path: Path) -> None:
    table = made(read)
    last = kept(tmp_path, read, table, "code", "model")
    assert made(read, last=last).equals(table)


def test_an_index_goes_on_from_the_last_one_twice(
    read: dict[str, pa.Table], earlier: dict[str, pa.Table], tmp_path: Path
) -> None:
    """Ids outlive what they are a hash of; a community that holds again what another one did gets an id of its own."""
    first = made(earlier)
    second = made(read, last=kept(tmp_path / "1", earlier, first))
    third = made(earlier, last=kept(tmp_path / "2", read, second))
    assert len(set(first["id"].to_pylist()) & set(third["id"].to_pylist())) > 0.9 * first.num_rows
    assert made(read, last=kept(tmp_path / "3", earlier, third)).num_rows


def test_the_order_of_rows_does_not_matter_to_an_update(
    read: dict[str, pa.Table], earlier: dict[str, pa.Table], tmp_path: Path
) -> None:
    def shuffled(tables_read: dict[str, pa.Table], chance: random.Random) -> dict[str, pa.Table]:
        return {
            name: table.take(chance.sample(range(table.num_rows), table.num_rows))
            if name in ("entities", "relationships", "community_edges")
            else table
            for name, table in tables_read.items()
        }

    communities = made(earlier)
    expected = made(read, last=kept(tmp_path / "expected", earlier, communities)).to_pylist()
    for seed in range(2):
        chance = random.Random(seed)
        last = kept(tmp_path / str(seed), shuffled(earlier, chance), communities)
        found = made(shuffled(read, chance), last=last).to_pylist()
        for row in (*expected, *found):
            row["relationship_ids"] = sorted(row["relationship_ids"])
        assert found == expected


def test_what_makes_everything_anew(read: dict[str, pa.Table], earlier: dict[str, pa.Table], tmp_path: Path) -> None:
    anew, before = made(read), made(earlier)
    updated = made(read, last=kept(tmp_path / "code", earlier, before, "code", "model"))
    assert not updated.equals(anew)
    assert made(read, last=kept(tmp_path / "settings", earlier, before, "settings")).equals(anew)
    last = kept(tmp_path / "full", earlier, before)
    assert made(read, last=last, mode="full").equals(anew) and made(read, last=last).equals(updated)
    for name in ("communities", "community_edges"):
        damaged = kept(tmp_path / name, earlier, before)
        tables.path_in(damaged.folder, name).write_bytes(b"PAR1 of something else")
        assert made(read, last=damaged).equals(anew)


def test_what_is_made_anew_keeps_the_names_of_what_is_still_there(
    read: dict[str, pa.Table], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A quarter of the entities is new."""
    ids = sorted(read["entities"]["id"].to_pylist())
    old = pa.array(ids[len(ids) // 4 :])
    earlier = read | {"entities": read["entities"].filter(pc.is_in(read["entities"]["id"], value_set=old))}
    for name in ("relationships", "community_edges"):
        earlier[name] = read[name].filter(pc.and_(*(pc.is_in(read[name][end], value_set=old) for end in ENDS)))
    before = {row["id"]: row for row in made(earlier).to_pylist()}
    with caplog.at_level("INFO"):
        now = made(read, last=kept(tmp_path, earlier, made(earlier))).to_pylist()
    share = 1 - len(related(earlier)) / len(related(read))
    assert [record.message for record in caplog.records] == [
        f"Communities were made anew, not updated: {share:.0%} of the related entities are new."
    ]
    anew = made(read).to_pylist()
    assert {frozenset(row["entity_ids"]) for row in now} == {frozenset(row["entity_ids"]) for row in anew}
    same = [row for row in now if row["id"] in before]
    assert same and len({row["community"] for row in now}) == len(now)
    for row in same:
        was = before[row["id"]]
        shared = len(set(row["entity_ids"]) & set(was["entity_ids"]))
        assert shared > 0.5 * len(set(row["entity_ids"]) | set(was["entity_ids"]))
        assert row["community"] == was["community"]


def test_everything_goes_and_comes(read: dict[str, pa.Table], tmp_path: Path) -> None:
    nothing = {name: table.slice(0, 0) for name, table in read.items()}
    emptied = made(nothing, last=kept(tmp_path / "all", read, made(read)))
    assert emptied.num_rows == 0
    assert made(read, last=kept(tmp_path / "nothing", nothing, emptied)).equals(made(read))

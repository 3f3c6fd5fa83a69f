"""fact_mentions of a corpus: each statement where it stands, whatever the order of documents; and again after a change."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from graphrag_lite import pipeline, tables
from graphrag_lite.run.services import Last
from graphrag_lite.settings import Settings
from graphrag_lite.stages.extract_facts_fast import READS, extract_facts_fast

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus"
CHAT = """{"id": "m1", "text": "I moved to Oslo yesterday. I saw Ann Bell on March 1.", "timestamp": "2024-03-05", "speaker": "Bo", "title": "talk"}
{"id": "m2", "text": "Nothing is dated here.", "timestamp": "2024-03-06", "speaker": "Cy", "title": "talk"}
"""


def refuse(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    assert not list(items)
    return iter(())


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("root")
    corpus = root / "corpus"
    corpus.mkdir()
    (corpus / "chat.jsonl").write_text(CHAT, encoding="utf-8")
    text = (
        "# Acme\n\nAnn Bell led Acme from 1993 until 2006.\n\n## 2010\n\nThe firm moved to Bonn with all its people.\n"
    )
    (corpus / "acme.md").write_text(text, encoding="utf-8")
    (corpus / "talk.txt").write_text(
        "[30.05.24, 23:40:12] Di Fox: I have been painting since 2022.\n", encoding="utf-8"
    )
    return pipeline.index(corpus, root / "output", Settings()).snapshot


def rows(snapshot: Path) -> list[dict[str, Any]]:
    return tables.read(snapshot, "fact_mentions").to_pylist()


def test_statements_of_chats_and_documents(snapshot: Path) -> None:
    found = {row["time_text"]: row for row in rows(snapshot)}
    assert set(found) == {"yesterday", "March 1", "from 1993 until 2006", "2010", "since 2022"}
    led = found["from 1993 until 2006"]
    assert (led["subject"], led["relation"], led["object"]) == ("Ann Bell", "led", "Acme")
    assert (led["valid_at"], led["invalid_at"], led["kind"]) == ("1993-01-01", "2007-01-01", "state")
    assert (found["yesterday"]["subject"], found["yesterday"]["valid_at"]) == ("Bo", "2024-03-04")
    assert found["March 1"]["reference_time"].startswith("2024-03-05")
    assert found["2010"]["valid_at"] == "2010-01-01"
    said = found["since 2022"]  # behind "Di Fox: I"
    assert (said["subject"], said["relation"], said["reference_time"][:10]) == (
        "Di Fox",
        "has been painting",
        "2024-05-30",
    )


def test_what_a_row_says_stands_where_it_says(snapshot: Path) -> None:
    units = {row["id"]: row for row in tables.read(snapshot, "text_units").to_pylist()}
    texts = {row["id"]: row["text"] for row in tables.read(snapshot, "documents").to_pylist()}
    episodes = {row["id"] for row in tables.read(snapshot, "episodes").to_pylist()}
    for row in rows(snapshot):
        unit = units[row["text_unit_id"]]
        assert unit["char_start"] <= row["char_start"] < row["char_end"] <= unit["char_end"]
        sentence = texts[row["document_id"]][row["char_start"] : row["char_end"]]
        assert row["time_text"] in sentence or row["time_text"] == "2010"
        assert row["episode_id"] in episodes


def test_the_order_of_documents_changes_the_order_of_rows_alone(snapshot: Path) -> None:
    read = {name: tables.read(snapshot, name) for name in (*READS, "relationship_mentions")}
    turned = read | {
        "source_documents": read["source_documents"].take(list(range(read["source_documents"].num_rows))[::-1])
    }
    made = asyncio.run(extract_facts_fast(**turned, each=map)).to_pylist()
    assert sorted(made, key=lambda row: row["id"]) == sorted(rows(snapshot), key=lambda row: row["id"])
    assert made != rows(snapshot)


def test_what_reads_as_it_did_is_kept_and_not_read_again(snapshot: Path) -> None:
    read = {name: tables.read(snapshot, name) for name in (*READS, "relationship_mentions")}
    same = asyncio.run(extract_facts_fast(**read, each=refuse, last=Last(snapshot, frozenset())))
    assert same.equals(tables.read(snapshot, "fact_mentions"))
    with pytest.raises(AssertionError):
        asyncio.run(extract_facts_fast(**read, each=refuse, last=Last(snapshot, frozenset({"code"}))))


def test_a_changed_corpus_has_the_facts_of_one_that_was_always_so(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "chat.jsonl").write_text(CHAT, encoding="utf-8")
    (corpus / "a.txt").write_text("Ann Bell joined Acme in 1999.", encoding="utf-8")
    pipeline.index(corpus, tmp_path / "grown" / "output", Settings())
    (corpus / "a.txt").write_text("Ann Bell joined Acme in 1998. She left in 2001.", encoding="utf-8")
    (corpus / "b.txt").write_text("Since May 2020 Cy Dee is the mayor of Bonn.", encoding="utf-8")
    grown = pipeline.index(corpus, tmp_path / "grown" / "output", Settings()).snapshot
    afresh = pipeline.index(corpus, tmp_path / "afresh" / "output", Settings()).snapshot
    assert rows(grown) == rows(afresh)
    assert len(rows(grown)) == 5

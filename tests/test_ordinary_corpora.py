"""Corpora that nobody here wrote are indexed without a failure, and checked."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from lessons import lessons

from graphrag_lite import pipeline, tables
from graphrag_lite.ops import check
from graphrag_lite.settings import Settings
from graphrag_lite.text.plain_text import CONTROL, one_line


@pytest.mark.parametrize(("place", "n_lines"), [("reading/crash/columns.txt", 10_000), ("qa/covidqa/corpus.jsonl", 12)])
def test_overlapping_text_units_that_cut_a_sentence_are_no_trouble(
    place: str, n_lines: int, shared: Path, corpus: Callable[..., Path], tmp_path: Path
) -> None:
    lines = (shared / place).read_text(encoding="utf-8").splitlines(keepends=True)[:n_lines]
    run = pipeline.index(corpus({Path(place).name: "".join(lines)}), tmp_path / "output", Settings())
    assert not run.n_failures and not check.check(run.snapshot).problems


def test_a_thai_name_that_begins_like_a_title_is_no_trouble(corpus: Callable[..., Path], tmp_path: Path) -> None:
    text = "เมื่อวานนี้อเล็กซานดราเดินทางไปกรุงเทพ และ ดร.สมชายเดินทางมาด้วย\n"
    run = pipeline.index(corpus({"a.txt": text}), tmp_path / "output", Settings())
    assert not run.n_failures and not check.check(run.snapshot).problems


def test_control_characters_stay_in_documents(corpus: Callable[..., Path], tmp_path: Path) -> None:
    text = (
        "The\x07 Harbour\x0c Log\n\nAnn\x00 Lee met Bob\x1b Ray\x02mond in Paris, and Ann\x00 Lee wrote “The \x08Old\x9b Pier”"
        " for Acme\x85Corporation. Bob\x1b Ray\x02mond praised “The \x08Old\x9b Pier” in Rome, as Ann\x00 Lee did.\n"
    ) * 2
    rows = [{"text": text, "title": "The\x07 Harbour Log"}]
    files = {"a\x1b[31m.txt": "\x01Ann met Cy Day.", "b.jsonl": rows, "c.txt": lessons().replace(" how", "\x07 how")}
    run = pipeline.index(corpus(files), tmp_path / "o", Settings())
    read = {name: tables.read(run.snapshot, name).to_pylist() for name in tables.FINAL}
    texts = {row["id"]: row["text"] for row in read["documents"]}
    assert text in texts.values() and not check.check(run.snapshot).problems
    for name in ("entities", "relationships", "community_reports", "communities"):
        assert read[name] and not [row for row in read[name] if CONTROL.search(json.dumps(row, ensure_ascii=False))]
        shown = [row for row in read[name] if row.get("sources")]
        for row in shown:
            said = [texts[span["document_id"]][span["char_start"] : span["char_end"]] for span in row["sources"]]
            assert row["description"] == " ".join(map(one_line, said))
    assert not [row for row in read["documents"] if CONTROL.search(row["title"])]


@pytest.mark.parametrize(
    "place", ["```\nimport kombu\nkombu = kombu.run(kombu)\n```\n\n", "See kombu.run, lib/kombu/all, --kombu.\n\n"]
)
def test_a_name_in_lower_case_in_code_is_a_name(place: str, corpus: Callable[..., Path], tmp_path: Path) -> None:
    text = "# Queues\n\nThe broker is spoken to by Kombu. A worker asks Kombu for messages, and Kombu answers.\n\n"
    run = pipeline.index(corpus({"a.md": text + 5 * place}), tmp_path / "output", Settings())
    assert "Kombu" in tables.read(run.snapshot, "entities")["title"].to_pylist()

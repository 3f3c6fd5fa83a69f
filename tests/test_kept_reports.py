"""Reports that are kept over runs of the whole pipeline, by both methods: right about everything, and not paid again."""

import dataclasses
import functools
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import stub_replies
from click.testing import CliRunner
from stub_model import StubModel

from graphrag_lite import pipeline, tables
from graphrag_lite.cli import main, run_summary
from graphrag_lite.run import stamps
from graphrag_lite.run.loop import Run
from graphrag_lite.settings import Settings

METHODS = pytest.mark.parametrize("method", ["fast", "standard"])
Rows = list[dict[str, Any]]


class Indexed:
    """A corpus and its index, as both change."""

    def __init__(self, corpus: Path, output: Path, method: str) -> None:
        self.corpus, self.output, self.method = corpus, output, method
        self.asked: list[str] = []  # what the last run asked for reports
        self.unanswered = ""  # the model has no answer to a request for a report that holds this

    def index(self, *, refresh: bool = False, **changes: Any) -> Run:
        stub = StubModel(lambda request: self._reply(request.messages))
        values: dict[str, Any] = {"method": self.method, "llm": {"model": "stub"}, **changes}
        model = stub if self.method == "standard" else None
        settings = Settings.model_validate(values)
        self.run = pipeline.index(self.corpus, self.output, settings, model=model, refresh=refresh)
        contents = [request.messages[0]["content"] for request in stub.requests]
        self.asked = [text for text in contents if stub_replies.recognise(text)[0] == "report_communities.md"]
        return self.run

    def _reply(self, messages: Any) -> str:
        silent = self.unanswered and any(self.unanswered in message["content"] for message in messages)
        return "" if silent and "findings" in messages[0]["content"] else stub_replies.reply(messages)

    def rows(self, name: str) -> Rows:
        return tables.read(self.run.snapshot, name).to_pylist()

    def reports(self) -> dict[str, dict[str, Any]]:
        """All reports by community id, once it is checked that every one is right about its community and its words."""
        communities = {row["community"]: row for row in self.rows("communities")}
        units = {row["id"]: row for row in self.rows("text_units")}
        texts = {row["id"]: row["text"] for row in self.rows("documents")}
        found = {}
        rows = self.rows("community_reports")
        held = sorted(c for c in communities if self.method == "fast" or communities[c]["relationship_ids"])
        reported = [row["community"] for row in rows]
        assert reported == (held if self.method == "standard" else [c for c in held if c in set(reported)])
        for row in rows:
            community = communities[row["community"]]
            assert all(
                row[name] == community[name]
                for name in ("human_readable_id", "level", "parent", "children", "period", "size")
            )
            assert row["stale"] == (row["age"] > 0)
            for cited in row["citations"]:
                unit = units[cited["text_unit_id"]]
                assert cited["document_id"] == unit["document_id"]
                assert unit["char_start"] <= cited["char_start"] < cited["char_end"] <= unit["char_end"]
            words = [texts[c["document_id"]][c["char_start"] : c["char_end"]] for c in row["citations"]]
            found[community["id"]] = row | {"words": words}
        assert {row["community_id"] for row in self.rows("report_bases")} == found.keys()
        return found


@pytest.fixture
def one_long(some_notes: Path, corpus: Callable[..., Path], tmp_path: Path) -> Callable[[str], Indexed]:
    """Index all notes as one document, by a method."""

    def started(method: str) -> Indexed:
        made = Indexed(corpus({"long.txt": "\n\n".join(pages(some_notes))}), tmp_path / "root" / "output", method)
        made.index()
        return made

    return started


def pages(folder: Path) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())]


@pytest.fixture(scope="module")
def made(some_notes: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, bool], Indexed]:
    """Index the notes by a method, once; then, where wanted, change them until reports are stale."""

    @functools.cache
    def once(method: str, aged: bool) -> Indexed:
        place = tmp_path_factory.mktemp(method)
        if aged:
            indexed = copied(once(method, False), place)
            age(indexed)
            return indexed
        indexed = Indexed(shutil.copytree(some_notes, place / "corpus"), place / "root" / "output", method)
        indexed.index()
        return indexed

    return once


@pytest.fixture
def start(made: Callable[[str, bool], Indexed], tmp_path: Path) -> Callable[..., Indexed]:
    """Copy such an index, to be changed."""
    return lambda method, aged=True: copied(made(method, aged), tmp_path)


def copied(indexed: Indexed, place: Path) -> Indexed:
    corpus = shutil.copytree(indexed.corpus, place / "corpus")
    made = Indexed(corpus, shutil.copytree(indexed.output, place / "root" / "output"), indexed.method)
    made.run = dataclasses.replace(indexed.run, snapshot=made.output / "snapshots" / indexed.run.snapshot.name)
    return made


@METHODS
def test_after_an_edit_in_the_middle_of_a_long_document_citations_point_to_the_same_words(
    one_long: Callable[[str], Indexed], some_notes: Path, method: str
) -> None:
    texts, indexed = pages(some_notes), one_long(method)
    before = indexed.reports()
    (old,) = indexed.rows("documents")
    said = "Vera Rubin had heard of it in Tucson, and wrote nothing down."
    (indexed.corpus / "long.txt").write_text("\n\n".join([*texts[:12], said, *texts[12:]]), encoding="utf-8")
    indexed.index()
    after = indexed.reports()
    (new,) = indexed.rows("documents")
    edit, shift = old["text"].index(texts[12][:60]), len(said) + 2
    assert new["text"][edit + shift :] == old["text"][edit:]
    same = ("id", "input_sha256")  # one that is written again in the same words may cite others that say so
    kept = [n for n in before.keys() & after.keys() if all(before[n][part] == after[n][part] for part in same)]
    assert len(kept) >= 0.9 * len(before) and len(indexed.asked) <= 0.1 * len(before)
    shifts = set()
    for name in kept:
        assert before[name]["words"] == after[name]["words"]
        for was, now in zip(before[name]["citations"], after[name]["citations"], strict=True):
            assert now["document_id"] == new["id"] != was["document_id"]
            shifts.add(now["char_start"] - was["char_start"])
    assert shifts == {0, shift}


@METHODS
def test_what_a_deleted_document_said_is_taken_back(start: Callable[..., Indexed], method: str) -> None:
    indexed = start(method, aged=False)
    before = indexed.reports()
    gone = "1981-stsci-founded.md"
    (document,) = (row["id"] for row in indexed.rows("documents") if row["path"] == gone)
    cites = {name for name, row in before.items() if document in {c["document_id"] for c in row["citations"]}}
    assert 0 < len(cites) < len(before)
    (indexed.corpus / gone).unlink()
    indexed.index()
    after = indexed.reports()
    assert all(after[name]["age"] == 0 for name in cites & after.keys())
    kept = [name for name in before.keys() & after.keys() if before[name]["id"] == after[name]["id"]]
    assert len(kept) > len(before) / 3
    assert all(before[name]["words"] == after[name]["words"] for name in kept if after[name]["stale"])
    if method == "standard":
        assert 0 < len(indexed.asked) <= len(after) - sum(row["stale"] for row in after.values())


NEW = (
    "The Institute and its director told Congress of the Hubble Space Telescope again. NASA told ESA of the Hubble Space"
    " Telescope. Congress asked NASA for the Hubble Space Telescope. ESA told Congress of the Institute.\n"
)


def age(indexed: Indexed) -> None:
    """Change a corpus a little, until some reports are stale."""
    for number in range(1, 6):
        (indexed.corpus / f"new{number}.txt").write_text(NEW * number, encoding="utf-8")
        indexed.index()
        if any(row["stale"] for row in indexed.reports().values()):
            return
    raise AssertionError("no report is stale")


@METHODS
def test_refresh_writes_what_is_stale_and_pays_for_nothing_else(start: Callable[..., Indexed], method: str) -> None:
    indexed = start(method)
    stale = {name for name, row in indexed.reports().items() if row["stale"]}
    run = indexed.index()
    assert not run.changed, "what is stale stays so without being asked about every night"
    assert run_summary.summary(run)["stale_reports"] == len(stale) > 0
    assert indexed.index(refresh=True).changed
    after = indexed.reports()
    assert not any(row["stale"] for row in after.values())
    assert len(indexed.asked) == (len(stale) if method == "standard" else 0)
    assert not indexed.index(refresh=True).changed and not indexed.asked


@METHODS
def test_other_settings_have_all_reports_written(start: Callable[..., Indexed], method: str) -> None:
    indexed = start(method)
    reports = indexed.reports()
    section = {"report_communities_fast": {"max_findings": 2}, "report_communities": {"max_words": 300}}
    indexed.index(**section)
    after = indexed.reports()
    assert not any(row["stale"] for row in after.values())
    assert len(indexed.asked) == (len(reports) if method == "standard" else 0)
    assert method == "standard" or all(len(row["findings"]) <= 2 for row in after.values())
    indexed.index(communities={"mode": "full"}, **section)
    assert not any(row["stale"] for row in indexed.reports().values())


def test_another_version_pays_for_no_report(start: Callable[..., Indexed], monkeypatch: pytest.MonkeyPatch) -> None:
    indexed = start("standard")
    before = indexed.reports()
    monkeypatch.setattr(stamps, "code_hash", lambda *_: "another")
    run = indexed.index()
    assert "report_communities" in run.ran and not indexed.asked
    assert run.usage["report_communities"]["memo_hits"] == 0, "kept reports do without the memo"
    assert indexed.reports() == before


def test_another_version_writes_all_reports_of_method_fast(
    start: Callable[..., Indexed], monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed = start("fast")
    assert any(row["stale"] for row in indexed.reports().values())
    monkeypatch.setattr(stamps, "code_hash", lambda *_: "another")
    indexed.index()
    assert not any(row["stale"] for row in indexed.reports().values())


def test_nights_on_which_only_the_same_report_fails_again_change_nothing(start: Callable[..., Indexed]) -> None:
    indexed = start("standard")
    indexed.unanswered = "Zora Quill"
    (indexed.corpus / "zora.txt").write_text("Zora Quill met Yann Ober in Xanten.\n")
    indexed.index()
    failed = indexed.run.n_failures
    told = indexed.rows("community_reports")
    assert failed and any(row["stale"] for row in told)
    for _ in range(3):
        assert not indexed.index().changed and indexed.rows("community_reports") == told
        assert 0 < len(indexed.asked) <= 2 * failed, "each is asked again, and once more with what was wrong"
    indexed.unanswered = ""
    assert indexed.index().changed and indexed.run.n_failures == 0
    after = {row["id"]: row for row in indexed.reports().values()}
    assert all(after[row["id"]]["age"] <= row["age"] for row in told if row["id"] in after)
    assert len(after) == len(told) + failed


def test_global_answers_cite_what_kept_reports_rest_on(one_long: Callable[[str], Indexed]) -> None:
    from graphrag_lite.search.index import Index

    indexed = one_long("standard")
    path = indexed.corpus / "long.txt"
    path.write_text(NEW + "\n\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    indexed.index()
    reports = indexed.reports()
    assert any(row["stale"] for row in reports.values())
    answer = Index(indexed.run.snapshot).query("What are the main themes?", "global")
    (document,) = indexed.rows("documents")
    assert answer.citations
    for cited in answer.citations:
        assert document["text"][cited.char_start : cited.char_end] == cited.text


def test_show_tells_what_is_stale_and_what_to_do(start: Callable[..., Indexed]) -> None:
    def show(*words: str) -> str:
        root = ("--root", str(indexed.output.parent))
        result = CliRunner().invoke(main, ["show", *words, *root], catch_exceptions=False, env={"COLUMNS": "200"})
        assert result.exit_code == 0, result.output
        return result.stdout

    indexed = start("fast")
    rows = list(indexed.reports().values())
    stale = next(row for row in rows if row["stale"])
    fresh = next(row for row in rows if not row["stale"])
    listed = [json.loads(line) for line in show("reports", "--json", "--limit", "99").splitlines()]
    assert {(row["community"], row["stale"], row["age"]) for row in listed} == {
        (row["community"], row["stale"], row["age"]) for row in rows
    }
    page = " ".join(show("report", str(stale["community"])).split())
    assert page.endswith(
        "Stale for 1 run: its community has changed a little since it was written;"
        " `graphrag-lite index --refresh reports` writes it again."
    )
    assert "tale for" not in show("report", str(fresh["community"]))
    indexed.index(refresh=True)
    assert "tale for" not in show("report", str(stale["community"]))

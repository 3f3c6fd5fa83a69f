"""Facts, from the corpus to the command line: what holds, what held, what documents said, and what is taken back."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
import stub_replies
from click.testing import CliRunner
from stub_model import StubModel

from graphrag_lite import pipeline, tables
from graphrag_lite.cli import main
from graphrag_lite.ops import check
from graphrag_lite.run import snapshots
from graphrag_lite.run.comparison import compare
from graphrag_lite.search.extractive.held_facts import fact_records, opening_facts
from graphrag_lite.search.index import Index
from graphrag_lite.search.methods import Query
from graphrag_lite.settings import Settings

SETTINGS = Settings.model_validate({"fold_facts": {"policies": {"lives in": "functional", "lived in": "functional"}}})
WEATHER = " The weather of that week was mild, and nobody in the town had expected that the river would rise so soon."
SAID = {
    "2010-06-01": "Ana Lee has lived in Paris since 2010. Ana Lee is a chemist.",
    "2015-06-01": "Ana Lee has lived in Berlin since March 2015. Bob Stone was chairman of Acme from 1997 to 1999.",
    "2020-06-01": "Ana Lee has lived in Paris since 2020. Bob Stone visited Rome in May 2003.",
}


def corpus_of(folder: Path, days: list[str]) -> Path:
    folder.mkdir(exist_ok=True)
    rows = ({"id": day, "timestamp": day, "text": SAID[day] + WEATHER} for day in days)
    (folder / "notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("facts")
    pipeline.index(corpus_of(root / "corpus", list(SAID)), root / "output", SETTINGS)
    return root


@pytest.fixture
def facts(root: Path) -> Callable[..., list[str]]:
    def shown(*arguments: str) -> list[str]:
        """Return the lines of facts, and not of their sentences."""
        done = CliRunner().invoke(main, ["facts", *arguments, "--root", str(root)], catch_exceptions=False)
        assert done.exit_code == 0
        return [line for line in done.output.splitlines() if not line.startswith("    ")]

    return shown


PARIS, BERLIN = "Ana Lee lives in Paris", "Ana Lee lives in Berlin"


def test_what_has_ended_is_shown_where_it_is_asked_for(facts: Callable[..., list[str]]) -> None:
    assert facts("ana lee") == [f"{PARIS} (2020 – present)", "2 more have ended; --history shows them"]
    assert facts("Lee", "--valid-at", "2016-05") == [f"{BERLIN} (2015 – 2020)  [succeeded]"]
    assert f"{PARIS} (2010 – present)  [told until 2015-06-01]" in facts("Ana Lee", "--history")
    assert facts("An") == ["no facts about An"]
    assert facts("--conflicts") == ["no facts contradict each other"]


def test_what_contradicts_each_other_is_shown_together_with_all_that_says_so(
    corpus: Callable[..., Path], tmp_path: Path
) -> None:
    ana = "Ana Ruiz has been director of the Vega Institute since March 2020. Bo Diaz works at Acme since 2019."
    until = "Cy Young was director of the Vega Institute from 2018 until {}."
    folder = corpus({"a.txt": ana, "b.txt": until.format("2022"), "c.txt": until.format("January 2020")})
    for arguments in (["index", str(folder)], ["facts", "--conflicts"]):
        done = CliRunner().invoke(main, [*arguments, "--root", str(tmp_path)], catch_exceptions=False)
    head, *lines = done.output.splitlines()
    assert head == "From 2020-03-01 on only one of these can be so, and nothing tells which:"
    assert sorted(lines) == sorted(
        [
            "Cy Young is director of Vega Institute (2018 – 2022)",
            f"    {until.format('January 2020')}  (c.txt)",
            f"    {until.format('2022')}  (b.txt)",
            "Ana Ruiz is director of Vega Institute (2020-03 – present)",
            "    Ana Ruiz has been director of the Vega Institute since March 2020.  (a.txt)",
        ]
    )


def test_who_left_what_they_were_of_is_of_it_no_more(corpus: Callable[..., Path], tmp_path: Path) -> None:
    """And the question may name them by their first name alone."""
    said = {
        "2022-04-01": "Ana Ruiz works at Acme since March 2022. Bo Diaz lives in Oslo since 2019.",
        "2024-02-05": "Ana Ruiz left Acme in January 2024. Bo Diaz left Oslo in January 2024. Cy Young works at Vega.",
    }
    rows = "".join(json.dumps({"id": day, "timestamp": day, "text": text}) + "\n" for day, text in said.items())
    pipeline.index(corpus({"notes.jsonl": rows}), tmp_path / "output", Settings())
    index = Index.open(tmp_path / "output")
    told = {(row["object"], row["invalid_at"], row["ended_by"]) for row in index.arrow("facts").to_pylist()}
    assert told == {("Acme", "", ""), ("Acme", "2024-01-01", "negated"), ("Oslo", "", "")}
    query = Query("Where does Ana work?", 5, valid_at=date(2023, 6, 1))
    (opening,) = opening_facts(query.read_by(index), query)
    assert index.document_of(opening.unit)[0][opening.start : opening.end].startswith("Ana Ruiz works at Acme")
    later = replace(query, valid_at=date(2024, 6, 1))
    assert opening_facts(later.read_by(index), later) == []


def test_as_of_a_day_what_only_later_documents_ended_still_holds(facts: Callable[..., list[str]]) -> None:
    assert facts("Ana", "--as-of", "2014-01-01") == [f"{PARIS} (2010 – present)  [told until 2015-06-01]"]
    assert facts("Ana", "--as-of", "2016-01-01", "--valid-at", "2012") == [f"{PARIS} (2010 – 2015)  [succeeded]"]
    assert facts("Ana", "--as-of", "2009-01-01") == ["no facts about Ana"]


def test_json_has_the_columns_of_the_table(facts: Callable[..., list[str]]) -> None:
    (row,) = map(json.loads, facts("Bob Stone", "--valid-at", "1998", "--json"))
    assert list(row) == tables.schema("facts").names and row["object"] == "Acme"


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({}, set()),
        (
            {"invalid_at": "1900-01-01", "n_documents": 9},
            {"invalid_at: is before valid_at", "n_documents: is not what it counts"},
        ),
        (
            {"ended_by": "told", "relation": "eats", "n_mentions": 9},
            {
                "ended_by: does not say how a state has ended",
                "relation: has no policy",
                "sources: are not the first of n_mentions",
            },
        ),
        ({"invalid_at": "", "ended_by": ""}, {"holds together with another value, and no conflict is marked"}),
    ],
)
def test_what_is_damaged_is_named(change: dict[str, Any], what: set[str], root: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(next((root / "output" / "snapshots").iterdir()), tmp_path / "copy"))
    rows = tables.read(folder, "facts").to_pylist()
    next(row for row in rows if row["ended_by"] == "succeeded" and not row["expired_at"]).update(change)
    path = tables.write(folder, "facts", tables.make("facts", rows))
    manifest = snapshots.read_manifest(folder)
    manifest["tables"]["facts"] |= {"sha256": snapshots.table_digest(path), "bytes": path.stat().st_size}
    snapshots.write_json(folder / snapshots.MANIFEST, manifest)
    assert {problem.what for problem in check.check(folder).problems if problem.table == "facts"} == what


def test_taking_a_document_back_gives_back_what_it_had_ended(root: Path, tmp_path: Path) -> None:
    """And the index is then, byte for byte, one of what is left."""
    first = pipeline.index(corpus_of(tmp_path / "corpus", list(SAID)), tmp_path / "output", SETTINGS).snapshot
    days = ["2010-06-01", "2020-06-01"]
    second = pipeline.index(corpus_of(tmp_path / "corpus", days), tmp_path / "output", SETTINGS).snapshot
    anew = pipeline.index(tmp_path / "corpus", tmp_path / "other", SETTINGS).snapshot
    for name in ("facts", "relation_policies", "relation_resolutions"):
        assert tables.path_in(second, name).read_bytes() == tables.path_in(anew, name).read_bytes()
    found = compare(first, second).facts
    assert [record.name for record in found.restored] == [f"{PARIS} (2010 – present)"]
    assert {record.name for record in found.withdrawn} >= {f"{BERLIN} (2015 – 2020)", f"{PARIS} (2020 – present)"}


def test_answers_are_told_what_held(root: Path) -> None:
    index = Index.open(root / "output")

    def shown(question: str, **options: Any) -> list[str]:
        query = Query(question, 10, **options)
        entities = index.arrow("entities")
        ana = entities["id"].filter(pc.equal(entities["title"], "Ana Lee"))
        return [record.lines[0] for record in fact_records(query.read_by(index), query, ana)]

    assert shown("Where does Ana Lee live?") == [f"[1] {PARIS} (2020 – present)"]
    assert len(shown("Where did Ana Lee live?")) == len(shown("Where does Ana Lee live?", history=True)) == 3
    assert shown("Where does Ana Lee live?", valid_at=date(2016, 1, 1)) == [f"[1] {BERLIN} (2015 – 2020)"]
    query = Query("Where did Ana Lee live?", 10, valid_at=date(2016, 1, 1))
    (opening,) = opening_facts(query.read_by(index), query)
    assert index.document_text(index.document_row[opening.unit])[opening.start : opening.end].startswith(
        "Ana Lee has lived in Berlin"
    )
    assert index.query("Where did Ana Lee live?", valid_at="2016").answer.startswith(BERLIN)


TERMS = {  # what a model that knows the truth says of each text: president, of what, from when, until when
    "Ann Gray led Norland College from 1990, and nobody asked why.": ("Ann Gray", "Norland College", "1990", ""),
    "Bea Hall came to lead Norland College in 1996, after a long search.": ("Bea Hall", "Norland College", "1996", ""),
    "Cleo Iverson is head of Norland College since 2003, as before.": ("Cleo Iverson", "Norland College", "2003", ""),
    "Dora Jones led Sudland College from 2001 to 1999, they say.": ("Dora Jones", "Sudland College", "2001", "1999"),
}


def oracle(request: Any) -> str:
    """Extract the terms of a text, with their dates, and nothing else."""
    name, fields = stub_replies.recognise(request.messages[-1]["content"])
    if not name.startswith("extract_graph") or "text" not in fields:
        return stub_replies.reply(request.messages)
    who, where, start, end = next(said for text, said in TERMS.items() if text in fields["text"])
    records = [f'("entity"<|>{each}<|>concept<|>{each} is named.)' for each in (who, where)]
    dated = f'("relationship"<|>{who}<|>{where}<|>PRESIDENT_OF<|>{who} leads {where}.<|>8<|>{start}<|>{end})'
    return "\n##\n".join([*records, dated]) + "\n<|COMPLETE|>"


def test_what_a_model_dates_is_folded(tmp_path: Path) -> None:
    """Three presidents who follow each other; an end before its beginning is taken for it."""
    (tmp_path / "corpus").mkdir()
    for number, text in enumerate(TERMS):
        (tmp_path / "corpus" / f"{number}.txt").write_text(text + WEATHER)
    values: dict[str, Any] = {"method": "standard", "llm": {"model": "stub"}, "extract_graph": {"max_gleanings": 0}}
    values["fold_facts"] = {"policies": {"president of": "inverse"}}
    run = pipeline.index(
        tmp_path / "corpus", tmp_path / "output", Settings.model_validate(values), model=StubModel(oracle)
    )
    assert not check.check(run.snapshot).problems
    told = [row for row in tables.read(run.snapshot, "facts").to_pylist() if row["relation"] == "PRESIDENT_OF"]
    assert [(row["subject"], row["valid_at"], row["invalid_at"], row["ended_by"]) for row in told] == [
        ("Ann Gray", "1990-01-01", "1996-01-01", "succeeded"),
        ("Bea Hall", "1996-01-01", "2003-01-01", "succeeded"),
        ("Cleo Iverson", "2003-01-01", "", ""),
        ("Dora Jones", "1999-01-01", "2002-01-01", "stated"),
    ]


def test_a_timeline_shows_a_sentence_once_for_each_time(corpus: Callable[..., Path], tmp_path: Path) -> None:
    row = {"speaker": "Ann Lee", "timestamp": "2023-05-30", "text": "I live in Oslo and work at Norsk Data."}
    pipeline.index(corpus({"chat.jsonl": json.dumps(row)}), tmp_path / "output", Settings())
    lines, listed = (
        CliRunner().invoke(main, ["timeline", "Ann Lee", *how, "--root", str(tmp_path)]).output.splitlines()
        for how in ([], ["--json"])
    )
    assert lines == ["2023-05-30 – …", "    Ann Lee: I live in Oslo and work at Norsk Data.  (chat.jsonl)"]
    assert len(listed) == 2

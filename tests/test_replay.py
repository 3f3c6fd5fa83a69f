"""Indexes made of what real models said: A Christmas Carol from replayed replies, and two indexes of microsoft/graphrag."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import stub_replies
from replay import replay_model, report_replies
from stub_model import StubModel

from graphrag_lite import pipeline, tables
from graphrag_lite.ops import planning
from graphrag_lite.run.loop import Run
from graphrag_lite.search.answer import Answer
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

SHARED = Path(__file__).parents[2] / "shared" / "data"
MARK = re.compile(r"\[(\d+)\]")
LIKE_THEIRS = {"size": 1200, "overlap": 100}  # the text units that the replies were given to
SETTINGS = Settings.model_validate({"method": "standard", "llm": {"model": "replay"}, "split_text_units": LIKE_THEIRS})


@pytest.fixture(scope="module")
def carol(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, StubModel]:
    """A Christmas Carol, indexed by the real replies to it."""
    if not SHARED.is_dir():
        pytest.skip("the evaluation data (../shared/data) is not on this machine")
    stub = replay_model(SHARED)
    output = tmp_path_factory.mktemp("carol") / "output"
    return pipeline.index(SHARED / "corpora" / "christmas_carol" / "corpus.jsonl", output, SETTINGS, model=stub), stub


def test_a_plan_is_within_a_fifth_of_what_real_replies_use(carol: tuple[Run, StubModel], tmp_path: Path) -> None:
    run, stub = carol
    corpus = SHARED / "corpora" / "christmas_carol" / "corpus.jsonl"
    planned = planning.plan(corpus, tmp_path / "output", SETTINGS, stub).total
    for name in ("calls", "prompt_tokens", "completion_tokens"):
        used = sum(stage[name] for stage in run.manifest["usage"].values())
        assert used == pytest.approx(getattr(planned, name), rel=0.2), name


def rows_of(snapshot: Path, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tables.read(snapshot, name).to_pylist()
    return rows


def marks(text: str) -> set[int]:
    return {int(number) for number in MARK.findall(text)}


def prompts_of(stub: StubModel, name: str) -> list[dict[str, str]]:
    """What the placeholders of a prompt were filled with, in every request that it was the last message of."""
    recognised = [stub_replies.recognise(request.messages[-1]["content"]) for request in stub.requests]
    return [fields for prompt, fields in recognised if prompt == name]


def check_spans(snapshot: Path, spans: list[Mapping[str, Any]]) -> None:
    """Every span is text inside its text unit, and the unit is where it says in its document."""
    text = {row["id"]: row["text"] for row in rows_of(snapshot, "documents")}
    units = {row["id"]: row for row in rows_of(snapshot, "text_units")}
    for span in spans:
        unit = units[span["text_unit_id"]]
        assert unit["document_id"] == span["document_id"]
        assert unit["char_start"] <= span["char_start"] < span["char_end"] <= unit["char_end"]
        assert text[span["document_id"]][span["char_start"] : span["char_end"]].strip()
        assert text[span["document_id"]][unit["char_start"] : unit["char_end"]] == unit["text"]


def check_answer(index: Index, answer: Answer, shown: str) -> None:
    """Every mark of an answer leads to characters of a document; the model was shown what it cites."""
    assert marks(answer.answer) == {cited.n for cited in answer.citations} != set()
    assert not answer.abstained and not answer.failures and answer.n_dropped_citations == 0
    assert marks(shown) == set(range(1, max(marks(shown)) + 1)), "every number that is shown is one of ours"
    texts = {row["source_id"]: row for row in rows_of(index.folder, "documents")}
    for cited in answer.citations:
        document = texts[cited.document]
        assert document["text"][cited.char_start : cited.char_end] == cited.text and cited.text.strip()
    places = [{"document_id": texts[cited.document]["id"], **vars_of(cited)} for cited in answer.citations]
    check_spans(index.folder, places)


def vars_of(cited: Any) -> dict[str, Any]:
    return {name: getattr(cited, name) for name in ("text_unit_id", "char_start", "char_end")}


def test_a_christmas_carol_is_indexed_from_real_replies(carol: tuple[Run, StubModel]) -> None:
    run, stub = carol
    rows = {name: rows_of(run.snapshot, name) for name in tables.FINAL}
    assert run.n_failures == 0 and len(rows["text_units"]) == 57 and set(stub.asked.values()) == {1}
    assert len(rows["entities"]) > 250 and len(rows["relationships"]) > 250
    by_title = {row["title"]: row for row in rows["entities"]}
    assert rows["entities"][0]["title"] == "Ebenezer Scrooge" and rows["entities"][0]["frequency"] >= 40
    assert by_title["Tiny Tim"]["type"] == "person" and by_title["Fezziwig"]["degree"] >= 5
    heaviest = {(row["source"], row["target"]) for row in rows["relationships"][:5]}
    assert {("Ebenezer Scrooge", "Jacob Marley"), ("Bob Cratchit", "Tiny Tim")} <= heaviest
    assert all(row["description"] and row["sources"] for row in rows["entities"][:50])
    check_spans(
        run.snapshot, [span for t in ("entities", "relationships") for row in rows[t] for span in row["sources"]]
    )


def test_its_reports_are_real_ones_and_every_citation_resolves(carol: tuple[Run, StubModel]) -> None:
    run, stub = carol
    reports = rows_of(run.snapshot, "community_reports")
    titles = {json.loads(reply)["title"] for reply in report_replies(SHARED / "replay" / "nano_graphrag_cache")}
    assert len(reports) > 40 and {report["title"] for report in reports} <= titles
    assert {report["level"] for report in reports} == {0, 1, 2}
    assert len({report["title"] for report in reports}) > 25, "communities are told apart"
    largest = max(reports, key=lambda report: report["size"])
    assert "Ebenezer Scrooge" in largest["title"] and len(largest["citations"]) > 50
    for report in reports:
        written = [report["summary"], *(finding["explanation"] for finding in report["findings"])]
        used = set().union(*map(marks, written))
        assert used == {cited["n"] for cited in report["citations"]} == set(range(1, len(used) + 1)) != set()
        assert used == marks(report["full_content"]) and len(report["findings"]) >= 3
    check_spans(run.snapshot, [span for report in reports for span in report["citations"]])
    asked = prompts_of(stub, "report_communities.md")
    assert len(asked) == len(reports)
    cited = Counter(report["input_sha256"] for report in reports)
    assert set(cited.values()) == {1}, "no two communities are reported from the same records"


def test_all_edges_of_a_community_reach_its_report_prompt_and_sub_communities_stand_in(
    carol: tuple[Run, StubModel],
) -> None:
    """The reference's report prompts hold 40 to 45% of a community's edges, and never a sub-community's report."""
    run, stub = carol
    relationships = {row["id"]: row for row in rows_of(run.snapshot, "relationships")}
    communities = {row["community"]: row for row in rows_of(run.snapshot, "communities")}
    asked = [fields["records"] for fields in prompts_of(stub, "report_communities.md")]
    substituted = [records for records in asked if "Report on a part of this community" in records]
    whole = [records for records in asked if records not in substituted]
    n_substituted = 0
    for community in communities.values():
        edges = [relationships[identity] for identity in community["relationship_ids"]]
        lines = {f"] Relationship {row['source']} – {row['target']}": row for row in edges}
        if not edges or any(all(line in records for line in lines) for records in whole):
            continue
        n_substituted += 1
        best = max(substituted, key=lambda records: sum(line in records for line in lines))
        left_out = [row for line, row in lines.items() if line not in best]
        parts = [set(communities[number]["entity_ids"]) for number in community["children"]]
        for row in left_out:
            assert any({row["source_id"], row["target_id"]} <= part for part in parts), (
                "its part's report stands for it"
            )
    assert n_substituted == len(substituted) > 0


@pytest.mark.parametrize(
    ("method", "question"),
    [("global", "What are the main themes?"), ("local", "How does Fezziwig treat his apprentices?")],
)
def test_it_answers_a_global_and_a_local_question(carol: tuple[Run, StubModel], method: str, question: str) -> None:
    run, _ = carol
    stub = replay_model(SHARED)
    index = Index(run.snapshot, SETTINGS, stub)
    answer = index.query(question, method)
    name = {"global": "global_reduce.md", "local": "local_search.md"}[method]
    (last,) = prompts_of(stub, name)
    check_answer(index, answer, last["records"])
    assert answer.model == "replay" and last["question"].strip() == question
    if method == "global":
        titles = [row["title"] for row in rows_of(run.snapshot, "community_reports") if row["level"] == 0]
        maps = "\n".join(fields["records"] for fields in prompts_of(stub, "global_map.md"))
        assert sorted(re.findall(r"^Report: (.*)$", maps, re.MULTILINE)) == sorted(titles)
    else:
        sections = re.split(r"^## ", last["records"], flags=re.MULTILINE)
        assert re.match(r"Entities\n\n\[1\] Fezziwig \(person\): ", sections[1])
        assert "Fezziwig – Mrs. Fezziwig" in last["records"] and "Domestic Ball" in last["records"]
        assert "He has the power to render us happy" in " ".join(last["records"].split()), "the passage that answers"


@pytest.mark.parametrize(
    ("method", "question"),
    [
        ("global", "How does Scrooge change?"),
        ("local", "Who is Scrooge and whom does he know?"),
        ("local", "How does Fezziwig treat his apprentices?"),
        ("local", "Who is Fezziwig?"),
        ("basic", "What does Tiny Tim say?"),
    ],
)
def test_it_is_answered_without_a_model_too(carol: tuple[Run, StubModel], method: str, question: str) -> None:
    """In sentences of the book: some that stand behind the model's records, and never a whole text unit."""
    index = Index(carol[0].snapshot)
    answer = index.query(question, method)
    assert answer.model is None and marks(answer.answer) == {cited.n for cited in answer.citations} != set()
    assert question.split()[2].removesuffix("?") in answer.answer and len(answer.citations) <= 15
    assert max(len(cited.text) for cited in answer.citations) <= 600
    if question == "Who is Fezziwig?":  # which says nothing but a name
        assert answer.answer.startswith("Mr. Fezziwig, a kind-hearted, jovial old merchant. [1]")


@pytest.mark.parametrize("method", ["global", "local", "basic"])
@pytest.mark.parametrize(
    ("name", "question", "known"),
    [
        ("msgraphrag_verbs_fixture", "Who is Marley?", "MARLEY"),
        ("dulce_index", "Who is Agent Mercer?", "MERCER"),
    ],
)
def test_a_real_index_of_microsoft_graphrag_is_searched_with_and_without_a_model(
    shared: Path, tmp_path: Path, name: str, question: str, known: str, method: str
) -> None:
    snapshot = pipeline.take_over(shared / "replay" / name, tmp_path / "output", Settings()).snapshot
    stub = StubModel(lambda request: stub_replies.reply(request.messages))
    answered = Index(snapshot, model=stub).query(question, method)
    prompt = {"global": "global_reduce.md", "local": "local_search.md", "basic": "basic_search.md"}[method]
    (last,) = prompts_of(stub, prompt)
    check_answer(Index(snapshot), answered, last["records"])
    if method != "global":
        assert known in last["records"].upper()
    extractive = Index(snapshot).query(question, method)
    assert extractive.citations and known in extractive.answer.upper() and extractive.model is None
    assert {cited.n for cited in extractive.citations} == marks(extractive.answer)

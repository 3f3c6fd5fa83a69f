"""The tools of an agent: pages that partition a result, errors that name what would be right, text that is data."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.agent import pages, requests
from graphrag_lite.agent.session import MEMORY, Session
from graphrag_lite.agent.tools import TOOLS, call
from graphrag_lite.cli import main
from graphrag_lite.errors import InputError
from graphrag_lite.llm.chat import estimated_tokens
from graphrag_lite.memory.store import Memory
from graphrag_lite.search.index import Index


@pytest.fixture(scope="module")
def opened(sample: Path) -> Index:
    return Index(sample)


def look(index: Index, tool: str, **arguments: Any) -> dict[str, Any]:
    return call(session_of(index), tool, json.dumps(arguments))


def session_of(index: Index) -> Session:
    return Session(lambda: index, lambda: Memory(index.folder.parent.parent / MEMORY))


@given(st.integers(0, 60), st.integers(1, 9))
def test_pages_partition_a_result(total: int, size: int) -> None:
    seen: list[int] = []
    for number in range(1, -(-total // size) + 1):
        page = pages.make_page(range(total), lambda place: {"id": place}, number, size)
        assert (page.total, page.n_pages, page.note) == (total, -(-total // size), "")
        seen += [record["id"] for record in page.records]
    assert seen == list(range(total))
    beyond = pages.make_page(range(total), lambda place: {"id": place}, -(-total // size) + 1, size)
    assert beyond.records == [] and beyond.note


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_passages", {"query": "Who proposed a large telescope in space?"}),
        ("search_entities", {"query": "Hubble Space Telescope"}),
        ("search_reports", {"query": "mirror of the telescope"}),
        ("get_entity", {"id": "Hubble Space Telescope"}),
        ("search_facts", {"query": "Hubble"}),
        ("timeline", {"query": "Hubble"}),
    ],
)
def test_paging_to_the_end_shows_every_record_once(opened: Index, tool: str, arguments: dict[str, str]) -> None:
    first = look(opened, tool, **arguments)
    shown = []
    for number in range(1, first["n_pages"] + 1):
        page = look(opened, tool, **arguments, page=number)
        assert (page["page"], page["n_pages"], page["total"]) == (number, first["n_pages"], first["total"])
        records = page["records"][0]["relationships"] if tool == "get_entity" else page["records"]
        shown += [record["id"] for record in records]
    assert len(shown) == len(set(shown)) == first["total"] > pages.SIZE
    after = look(opened, tool, **arguments, page=first["n_pages"] + 1)
    assert "the last is" in after["note"] and after["total"] == first["total"]


def test_an_entity_is_found_by_another_of_its_names(opened: Index) -> None:
    (record,) = look(opened, "get_entity", id="NASA")["records"]
    assert record["title"] == "National Aeronautics and Space Administration"


def test_what_a_passage_says_of_its_place_is_true(opened: Index) -> None:
    (record, *_) = look(opened, "search_passages", query="Lyman Spitzer's proposal")["records"]
    (source,) = look(opened, "read_source", id=record["document"], num_lines=200)["records"]
    assert record["text"] in source["text"] and source["char_start"] == 0
    (again,) = look(opened, "read_source", id=record["id"], line_start=1, num_lines=200)["records"]
    assert (again["text"], again["char_start"]) == (record["text"], record["char_start"])
    assert (again["title"], again["path"], again["date"]) == (record["title"], record["path"], record["date"])


def test_lines_go_on_where_those_before_ended(opened: Index) -> None:
    (whole,) = look(opened, "read_source", id="notes/1946-spitzer-proposal.md", num_lines=200)["records"]
    lines = [
        record
        for start in range(1, 60, 2)
        for record in look(opened, "read_source", id=whole["id"], line_start=start, num_lines=2)["records"]
    ]
    assert "".join(record["text"] for record in lines) == whole["text"] and len(lines) > 1
    assert all(one["char_end"] == other["char_start"] for one, other in zip(lines, lines[1:], strict=False))
    assert look(opened, "read_source", id=whole["id"], line_start=500)["note"].startswith("There are")


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("search_pasages", "{}", "There is no tool 'search_pasages'. There are: search_passages"),
        ("search_passages", '{"query": ', "no JSON"),
        ("search_passages", "[3]", 'one JSON object, such as: {"query": "...", "page": 1, "size": 5, "where": []}'),
        ("search_passages", "{}", "query: Field required"),
        ("search_passages", '{"query": " "}', "query: String should have at least 1 character"),
        ("search_passages", '{"query": "comets", "page": -1}', "page: Input should be greater than or equal to 1"),
        ("search_passages", '{"query": "comets", "page": "2"}', "page: Input should be a valid integer"),
        (
            "search_passages",
            '{"query": "comets", "where": "date>=2004"}',
            'where: Input should be a list: ["date>=2004"]',
        ),
        (
            "search_passages",
            '{"query": "comets", "limit": 9}',
            "limit: there is no such argument; there are page, size, where, query",
        ),
        ("search_reports", '{"query": "comets", "level": 99}', "level: no report is of level 99; there are 0"),
        ("get_entity", '{"id": "Hubble Telescope of Space"}', "search_entities finds them. Near it: Hubble"),
        ("search_facts", '{"query": "comets", "valid_at": "2023-02-30"}', "valid_at: '2023-02-30' is no day"),
        ("timeline", '{"query": "comets", "from": "soon"}', "from: 'soon' is no day"),
        ("timeline", '{"query": "comets", "until": "1990"}', "there are page, size, where, query, from, to"),
        ("read_source", '{"id": "../../etc/passwd"}', "search_passages shows them"),
    ],
)
def test_an_error_names_what_would_be_right(opened: Index, tool: str, arguments: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        call(session_of(opened), tool, arguments)
    assert said in str(error.value)


@given(st.sampled_from(["search_passages", "get_entity", "read_source"]), st.integers(pages.LEAST, 3000))
def test_what_is_cut_to_fit_says_how_to_get_the_next_record(opened: Index, tool: str, tokens: int) -> None:
    asked = {"search_passages": {"query": "Hubble"}, "get_entity": {"id": "Hubble Space Telescope"}}
    arguments = asked.get(tool, {"id": "notes/1946-spitzer-proposal.md", "num_lines": 200})
    whole = look(opened, tool, **arguments)
    cut = call(session_of(opened), tool, json.dumps(arguments), room=tokens)
    assert estimated_tokens(json.dumps(cut, ensure_ascii=False)) <= tokens
    ids, cut_ids = ([one["id"] for one in records_of(page)] for page in (whole, cut))
    assert ids[: len(cut_ids)] == cut_ids and (cut == whole or "Cut to fit" in cut["note"])
    if found := re.search(r"{.*}", cut["note"]):
        following = look(opened, tool, **arguments, **json.loads(found[0]))
        assert [one["id"] for one in records_of(following)] == [ids[len(cut_ids)]]


def records_of(page: dict[str, Any]) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = page["records"]
    return records[0].get("relationships") or records


def test_what_a_record_is_cited_by_is_where_it_stands(opened: Index) -> None:
    texts = opened.documents.set_index("source_id").text
    (passage, *_) = look(opened, "search_passages", query="Lyman Spitzer's proposal")["records"]
    (fact, *_) = look(opened, "search_facts", query="Hubble")["records"]
    (dated, *_) = look(opened, "timeline", query="Hubble")["records"]
    (lines,) = look(opened, "read_source", id=passage["document"], line_start=2, num_lines=2)["records"]
    (report, *_) = look(opened, "search_reports", query="mirror")["records"]
    (entity, *_) = look(opened, "search_entities", query="Lyman Spitzer")["records"]
    ids = [passage["id"], fact["id"], dated["id"], lines["cite"], report["id"], entity["id"], "0" * 32, "a.txt:0-5"]
    text = "One [3][1]. Two [2][4][5][6]. None [7][8][9]."
    (answer,) = look(opened, "answer", text=text, citations=ids)["records"]
    assert answer["text"] == "One [1][2]. Two [3][4][5][6]. None." and answer["n_dropped_citations"] == 3
    cited = {one["n"]: one["text"] for one in answer["citations"]}
    assert all(
        texts[one["document"]][one["char_start"] : one["char_end"]] == one["text"] for one in answer["citations"]
    )
    assert (cited[1], cited[3]) == (dated["text"], fact["text"]) and set(cited) == set(range(1, 7))
    assert cited[2] in passage["text"] and cited[4].strip() in lines["text"]


def test_what_begins_with_blank_lines_is_cited_from_its_first_word_on(index_of: Callable[..., Index]) -> None:
    index = index_of({"a.txt": "\n\n\nThe pier is old.\n"})
    (lines,) = look(index, "read_source", id="a.txt")["records"]
    ids = [lines["cite"], index.column("episodes", "id")[0].as_py(), "a.txt:0-2"]
    (answer,) = look(index, "answer", text="Old [1][2][3].", citations=ids)["records"]
    cited = [(one["char_start"], one["text"].rstrip()) for one in answer["citations"]]
    assert cited == [(3, "The pier is old.")] * 2 and answer["n_dropped_citations"] == 1


def test_facts_of_a_day_are_those_that_held_then(index_of: Callable[..., Index]) -> None:
    told = "Ada Holt worked at Velm Orchard from 1912 until 1920. Ada Holt worked at Moss Mill from 1921 until 1930."
    index = index_of({"a.txt": told})
    facts = {day: look(index, "search_facts", query="Ada Holt", valid_at=day) for day in ("1915-01-01", "1925-01-01")}
    assert ["Velm" in record["fact"] for record in facts["1915-01-01"]["records"]] == [True]
    assert ["Moss" in record["fact"] for record in facts["1925-01-01"]["records"]] == [True]
    assert look(index, "search_facts", query="Ada Holt")["total"] == 2


def test_text_of_the_corpus_is_disarmed(index_of: Callable[..., Index]) -> None:
    index = index_of({"a.txt": "Velm Orchard grows pears [17]. Velm Orchard was planted in 1912 by Ada Holt."})
    for tool, arguments in (("search_passages", {"query": "pears"}), ("read_source", {"id": "a.txt"})):
        assert "pears" in (told := json.dumps(look(index, tool, **arguments))) and "[17]" not in told


@pytest.mark.parametrize("text", ["哈勃望远镜于1990年发射。哈勃望远镜很大。", "أطلق تلسكوب هابل عام 1990.", "word"])
def test_any_script_can_be_searched(text: str, index_of: Callable[..., Index]) -> None:
    index = index_of({"a.txt": text})
    (record,) = look(index, "search_passages", query=text)["records"]
    assert record["text"] == text
    assert look(index, "search_entities", query=text)["page"] == 1
    assert look(index, "search_reports", query=text)["records"] == []


def test_the_command_prints_one_object(opened: Index) -> None:
    run = CliRunner()
    root = str(opened.folder.parents[2])
    arguments = ["search_entities", '{"query": "Lyman Spitzer"}', "--root", root]
    result = run.invoke(main, ["tool", *arguments])
    assert (result.exit_code, json.loads(result.stdout)["records"][0]["title"]) == (0, "Lyman Spitzer")
    failed = run.invoke(main, ["tool", "search_entities", "{}", "--root", root])
    assert (failed.exit_code, failed.stdout) == (1, "") and "query: Field required" in failed.stderr
    chat = run.invoke(main, ["tool", *arguments, "--where", "path=chat/*"])
    assert json.loads(chat.stdout)["total"] < json.loads(result.stdout)["total"]
    listed = run.invoke(main, ["tool", "--schema"])
    assert [json.loads(line)["name"] for line in listed.stdout.splitlines()] == list(TOOLS)
    assert all(name in run.invoke(main, ["tool"]).stdout for name in TOOLS)


def test_schemas_are_of_the_requests() -> None:
    found = requests.schema(requests.SearchReports)
    found_names = set(found["properties"])
    assert found["required"] == ["query"] and found_names == {"query", "page", "size", "where", "level"}

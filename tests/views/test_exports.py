"""Every export is read back as its own tool reads it."""

import csv
import io
import json
import math
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import networkx
import pytest
import yaml
from click.testing import CliRunner
from conftest import indexed
from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite import tables
from graphrag_lite.cli import main
from graphrag_lite.errors import PluginError
from graphrag_lite.search.index import Index
from graphrag_lite.text.plain_text import escape_markdown, printable
from graphrag_lite.views.exports import FORMATS, exported
from graphrag_lite.views.neo4j import property_graph
from graphrag_lite.views.note_vault import file_names


@pytest.fixture(params=["sample", "evil"])
def index(request: pytest.FixtureRequest) -> Index:
    found: Index = request.getfixturevalue(request.param)
    return found


def files_of(index: Index, form: str) -> dict[str, str]:
    return {path: content.decode() for path, content in exported(index, form)}


@pytest.mark.parametrize(("form", "read"), [("graphml", networkx.read_graphml), ("gexf", networkx.read_gexf)])
def test_networkx_reads_the_graph(index: Index, form: str, read: Callable[[Any], Any]) -> None:
    ((_, content),) = exported(index, form)
    assert b"lastmodified" not in content  # the same bytes tomorrow
    graph = read(io.BytesIO(content))
    titles = {identity: printable(title) for identity, title in tables.rows(index.arrow("entities"), "id", "title")}
    assert dict(graph.nodes(data="label")) == titles
    edges = tables.rows(index.arrow("relationships"), "source_id", "target_id", "weight")
    assert sorted(graph.edges(data="weight")) == sorted(edges)
    members = index.communities.set_index("community").entity_ids
    for number, level in zip(index.communities.community, index.communities.level, strict=True):
        inside = {node for node, value in graph.nodes(data=f"community_{level}") if value == number}
        assert inside == set(members[number])


@pytest.mark.parametrize("form", ["graphml", "gexf"])
def test_without_networkx_the_extra_is_named(sample: Index, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(PluginError, match=r"GraphML and GEXF need .*graphrag-build\[graph\]"):
        list(exported(sample, form))


def test_communities_stand_together(sample: Index) -> None:
    ((_, content),) = exported(sample, "graphml")
    graph = networkx.read_graphml(io.BytesIO(content))
    place = {node: (data["x"], data["y"]) for node, data in graph.nodes(data=True)}
    assert len(set(place.values())) == len(place)
    circles = [
        ([sum(place[node][axis] for node in row["entity_ids"]) / row["size"] for axis in (0, 1)], row)
        for row in sample.arrow("communities").to_pylist()
        if row["level"] == 0
    ]
    for centre, row in circles:  # a name is mostly nearer to its own community's middle than to the others'
        own = [math.dist(place[node], centre) for node in row["entity_ids"]]
        others = [
            min((math.dist(place[node], other) for other, each in circles if each is not row), default=math.inf)
            for node in row["entity_ids"]
        ]
        assert sum(a < b for a, b in zip(own, others, strict=True)) > 0.6 * len(own)


def neo4j_rows(content: str) -> tuple[list[str], list[list[str]]]:
    """Read a file by the rules of Neo4j's bulk import: quotation marks doubled, a type behind each property."""
    header, *rows = csv.reader(io.StringIO(content), strict=True)
    assert all(len(row) == len(header) for row in rows)
    read = {"long": int, "double": float, "boolean": ("true", "false").index, "string": str}
    for place, column in enumerate(header):
        name, _, kind = column.partition(":")
        if kind in read:
            assert re.fullmatch(r"\w+", name)
            for row in rows:
                read[kind](row[place])
        else:
            assert re.fullmatch(r"(id:ID|:START_ID|:END_ID)\(\w+\)|:LABEL", column)
    return header, rows


def test_neo4j_imports_every_node_and_edge(index: Index) -> None:
    read = {path: neo4j_rows(content) for path, content in files_of(index, "csv").items()}
    nodes = {path[:-4]: {row[0] for row in rows} for path, (header, rows) in read.items() if header[0].startswith("id")}
    kinds = {"Document": "documents", "TextUnit": "text_units", "Entity": "entities", "Community": "communities"}
    assert {kind: len(ids) for kind, ids in nodes.items()} == {kind: index.n_rows(name) for kind, name in kinds.items()}
    for header, rows in read.values():
        if header[0].startswith(":START_ID"):
            ends = [re.findall(r"\((\w+)\)", column)[0] for column in header[:2]]
            assert all(row[0] in nodes[ends[0]] and row[1] in nodes[ends[1]] for row in rows)
    assert len(read["Entity-RELATED-Entity.csv"][1]) == index.n_rows("relationships")
    labels = {row[-1] for row in read["Entity.csv"][1]}
    assert all(re.fullmatch(r"Entity(;\w+)?", label) for label in labels)


def test_a_database_reads_the_statements_and_holds_every_value(index: Index) -> None:
    """kglite runs them, twice, as who brings a database up to date does; it then holds what the bulk import would."""
    kglite = pytest.importorskip("kglite", reason="kglite, a database that runs Cypher, is not installed")
    graph = kglite.KnowledgeGraph()
    (content,) = files_of(index, "cypher").values()
    for statement in 2 * content.rstrip("\n").split("\n"):
        graph.cypher(statement.removesuffix(";"))
    nodes, edges = property_graph(index)
    for kind, rows in nodes.items():
        found = graph.cypher(f"MATCH (n:{kind}) RETURN properties(n) AS p, labels(n) AS l")
        held = {row["p"]["id"]: row for row in found}
        labels = {row["id"]: {kind, row.get("label") or kind} for row in rows}
        assert labels == {key: set(row["l"]) for key, row in held.items()}
        for row in rows:
            assert {key: value for key, value in row.items() if key != "label"}.items() <= held[row["id"]]["p"].items()
    for (source, kind, target), rows in edges.items():
        asked = "RETURN a.id AS source, b.id AS target, properties(r) AS r"
        found = [row["r"] | row for row in graph.cypher(f"MATCH (a:{source})-[r:{kind}]->(b:{target}) {asked}")]
        assert sorted(json.dumps({key: row[key] for key in rows[0]}) for row in found) == sorted(map(json.dumps, rows))


LINK = re.compile(r"(?<!\\)(!?)\[\[([^\]|]*)\|([^\]|]*)\]\]")


def note(content: str) -> tuple[dict[str, Any], str]:
    _, front, body = content.split("---\n", 2)
    return yaml.safe_load(front), body


def test_links_of_the_vault_lead_to_notes(index: Index) -> None:
    files = files_of(index, "obsidian")
    notes = {path.removesuffix(".md") for path in files}
    assert len({path.casefold() for path in files}) == len(files)
    n_links = 0
    for path, content in files.items():
        assert not re.search(r'[\\:*?"<>|#^\[\]\x00-\x1f]', path)
        front, body = note(content)
        assert front["aliases"]
        links = LINK.findall(body)
        assert all(not embedded and target in notes for embedded, target, _ in links)
        bare = LINK.sub("", body)
        assert not re.search(r"(?<!\\)(?:\[\[|<\w|!\[|\]\()", bare)  # no link, page or picture of a text
        assert set(re.findall(r"(?<!\\)\[\^(\d+)\](?!:)", bare)) == set(re.findall(r"^\[\^(\d+)\]:", bare, re.M))
        n_links += len(links)
    assert n_links > 20
    known = {note(content)[0]["id"] for path, content in files.items() if path.startswith("Names/")}
    assert known == set(index.entities[index.entities.frequency >= 2].id)
    assert sum(path.startswith("Documents/") for path in files) == index.n_rows("documents")
    assert sum(path.startswith("Reports/") for path in files) == index.n_rows("community_reports")


@given(st.lists(st.text("aA./\\:🏛é\x07 \u202eß", max_size=60) | st.just("é" * 200), max_size=5))
def test_file_names_are_told_apart_and_can_be_written(names: list[str]) -> None:
    found = file_names([(f"{place:08x}", name) for place, name in enumerate(names)])
    assert len({name.casefold() for name in found.values()}) == len(names)
    for name in found.values():
        assert name == name.strip(" .")
        assert len(name.encode()) < 200
        assert "/" not in name


@given(st.text("ab \n#-*_[]()<>!`$=%|^~\\1.", max_size=40))
def test_nothing_of_a_text_is_markdown(text: str) -> None:
    marked = escape_markdown(text)
    assert re.sub(r"\\(_|[^\w\s])", r"\1", marked) == printable(text)  # and as a reader sees it, it is the same
    assert not re.search(r"(?<!\\)(\\\\)*[\[\]`<]", marked)
    assert not re.search(r"^\s*[#>]|^\s*([-+]|\d+\.)", marked, re.M)


def test_the_book_has_every_report_with_its_sources(index: Index) -> None:
    (content,) = files_of(index, "markdown").values()
    reports = index.arrow("community_reports").to_pylist()
    assert len(re.findall(r"^##+ ", content, re.M)) == len(reports)
    assert sorted(re.findall(r"(?<!^)\[\^(\S+)\]", content, re.M)) == sorted(set(re.findall(r"\[\^(\S+)\]: ", content)))
    texts = {row["id"]: row["text"] for row in index.arrow("documents").to_pylist()}
    for report in reports:
        for span in report["citations"]:
            text = texts[span["document_id"]]
            words = " ".join(printable(text)[span["char_start"] : span["char_end"]].split())
            assert f"[^{report['community']}-{span['n']}]: " in content
            assert escape_markdown(words) in content or text != printable(text)


def test_json_lines_are_the_tables(index: Index) -> None:
    files = files_of(index, "jsonl")
    assert set(files) == {f"{name}.jsonl" for name in tables.FINAL}
    for name in tables.FINAL:
        rows = [json.loads(line) for line in files[f"{name}.jsonl"].split("\n")[:-1]]
        assert rows == index.arrow(name).to_pylist()


@pytest.mark.parametrize("form", sorted({*FORMATS} - {"parquet"}))
def test_equal_tables_give_equal_files(form: str, evil_again: Index, evil: Index) -> None:
    assert files_of(evil_again, form) == files_of(evil, form)


@pytest.fixture(scope="session")
def evil_again(evil: Index, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    return indexed(evil.folder.parents[2] / "corpus", tmp_path_factory.mktemp("again") / "output")


def test_exporting_again_changes_only_what_changed(corpus: Callable[..., Path], tmp_path: Path) -> None:
    files = {f"{n}.txt": f"Ann Lee met Bob Hall in Oslo on day {n}. Bob Hall likes Oslo." for n in range(3)}
    other = {"far.txt": "Zoe Park sings in Rome. Zoe Park met Max Berg in Rome."}
    other |= {"far2.txt": "Zoe Park and Max Berg left Rome."}
    folder = tmp_path / "vault"

    def run() -> dict[str, Any]:
        indexed(tmp_path / "corpus", tmp_path / "output")
        command = ["export", "obsidian", "--root", str(tmp_path), "--output", str(folder), "--json"]
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 0, result.output
        found: dict[str, Any] = json.loads(result.stdout)
        return found

    corpus(files)
    first = run()
    assert first["n_written"] == first["n_files"] == len(list(folder.rglob("*.md")))
    assert run()["n_written"] == 0
    (folder / "own.md").write_text("mine")
    ours = folder / "Names" / "Ann Lee.md"
    ours.write_text(ours.read_text() + "my words")
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.md")}
    corpus(other)
    second = run()
    changed = {path for path in folder.rglob("*.md") if before.get(path) != path.stat().st_mtime_ns}
    assert second["n_written"] == len(changed) and second["kept"] == ["Names/Ann Lee.md"]
    assert all("Ann" not in path.name and "Oslo" not in path.name for path in changed)
    assert "my words" in ours.read_text() and (folder / "own.md").read_text() == "mine"
    for name in other:
        (tmp_path / "corpus" / name).unlink()
    assert run()["n_removed"] >= 5
    assert not (folder / "Names" / "Zoe Park.md").exists() and (folder / "own.md").exists()


def test_what_another_has_written_is_not_overwritten(sample: Index, tmp_path: Path) -> None:
    (tmp_path / "graph.gexf").write_text("mine")
    command = ["export", "gexf", "--root", str(sample.folder.parents[2]), "--output", str(tmp_path)]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 1 and "graph.gexf would be overwritten" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["graph.gexf"]


def test_a_folder_in_the_place_of_a_file_is_told_and_left(sample: Index, tmp_path: Path) -> None:
    target = tmp_path / "graph.gexf"
    target.mkdir()
    command = ["export", "gexf", "--root", str(sample.folder.parents[2]), "--output", str(tmp_path)]
    for listed in ("{}", json.dumps({"graph.gexf": "0"})):
        (tmp_path / ".graphrag-lite.json").write_text(listed)
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 1 and "graph.gexf" in result.output and target.is_dir()
    target.rmdir()
    (tmp_path / "gone").mkdir()
    (tmp_path / ".graphrag-lite.json").write_text(json.dumps({"gone": "0", "a\0b": "0", "": "0", "../x": "0"}))
    assert CliRunner().invoke(main, command).exit_code == 0 and target.is_file() and (tmp_path / "gone").is_dir()
    page = CliRunner().invoke(main, ["explore", *command[2:4], "--output", ""])
    assert page.exit_code == 1 and "is a folder" in page.output


def test_docs_name_the_files_and_read_the_graph(sample: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs" / "export.md").read_text(encoding="utf-8")
    files = set(files_of(sample, "csv"))
    assert set(re.findall(r"=([\w-]+\.csv)", page)) == files
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.M)) == set(FORMATS)
    monkeypatch.chdir(tmp_path)
    command = ["export", "gexf", "--root", str(sample.folder.parents[2]), "--output", "export/gexf"]
    assert CliRunner().invoke(main, command).exit_code == 0
    exec(re.findall(r"```python\n(.*?)```", page, re.S)[0], {})  # noqa: S102

"""A snapshot that is whole is found whole; each way to damage one is found and named."""

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
import stub_replies
from click.testing import CliRunner
from stub_model import StubModel

from graphrag_lite import pipeline, tables
from graphrag_lite.cli import main
from graphrag_lite.errors import TableError
from graphrag_lite.llm.chat import Request, Usage
from graphrag_lite.ops import check
from graphrag_lite.ops.check import MAX_NAMED, Problem
from graphrag_lite.retrieval.vector_weight import Fit
from graphrag_lite.run import snapshots
from graphrag_lite.settings import Settings
from graphrag_lite.stages import embed_text_units

NOTES = Path(__file__).parents[2] / "examples" / "corpus" / "notes"
Row = dict[str, Any]
Rows = list[Row]
Damage = tuple[str, Callable[[Rows], Any], str]  # a table, what is done to it, and what is said of it


def _corpus(folder: Path, n: int) -> Path:
    folder.mkdir()
    for path in sorted(NOTES.iterdir())[:n]:
        shutil.copy(path, folder)
    return folder


@pytest.fixture(scope="module")
def fast(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fast")
    return pipeline.index(_corpus(folder / "corpus", 15), folder / "output", Settings()).snapshot


@pytest.fixture(scope="module")
def standard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index by a model: with claims, and marks of its own in reports."""
    folder = tmp_path_factory.mktemp("standard")
    values: Row = {"method": "standard", "llm": {"model": "stub"}, "extract_claims": {"enabled": True}}
    values["detect_communities"] = {"max_cluster_size": 6}  # several levels
    stub = StubModel(lambda request: stub_replies.reply(request.messages))
    corpus = _corpus(folder / "corpus", 10)
    return pipeline.index(corpus, folder / "output", Settings.model_validate(values), model=stub).snapshot


@pytest.fixture
def copy(standard: Path, tmp_path: Path) -> Path:
    """The index by a model, to be damaged."""
    folder = tmp_path / standard.name
    shutil.copytree(standard, folder, copy_function=os.link)
    return folder


def rewrite(folder: Path, name: str, change: Callable[[Rows], Any]) -> None:
    """Change the rows of a table as a stage with a fault would: the manifest goes with the file."""
    rows = tables.read(folder, name).to_pylist()
    change(rows)
    path = tables.write(folder, name, tables.make(name, rows))
    entry = {"rows": len(rows), "bytes": path.stat().st_size, "sha256": snapshots.table_digest(path)}
    manifest = snapshots.read_manifest(folder)
    manifest["tables"][name] = entry
    for stage in manifest["stages"].values():
        if name in stage["tables"]:
            stage["tables"][name] = entry
    snapshots.write_json(folder / snapshots.MANIFEST, manifest)


def found(folder: Path) -> dict[str, Problem]:
    return {f"{problem.table}: {problem.what}": problem for problem in check.check(folder).problems}


# --- what is whole


def test_an_index_without_a_model_is_whole(fast: Path) -> None:
    checked = check.check(fast)
    assert checked.problems == () and checked.method == "fast"
    assert checked.rows == {name: entry["rows"] for name, entry in snapshots.read_manifest(fast)["tables"].items()}
    assert checked.rows["community_reports"] > 5 and checked.n_bytes > 10_000
    assert check.damage(fast) == ()


def test_an_index_by_a_model_is_whole(standard: Path) -> None:
    checked = check.check(standard)
    assert checked.problems == () and checked.method == "standard"
    assert checked.rows["covariates"] > 5
    assert max(tables.read(standard, "communities")["level"].to_pylist()) >= 1


@pytest.mark.parametrize("name", ["dulce_index", "msgraphrag_verbs_fixture"])
def test_an_index_that_was_taken_over_is_whole(name: str, shared: Path, tmp_path: Path) -> None:
    run = pipeline.take_over(shared / "replay" / name, tmp_path / "output", Settings())
    checked = check.check(run.snapshot)
    assert checked.problems == () and checked.method == "imported"
    assert checked.rows["relationship_mentions"] == 0


def test_an_index_without_entities_is_whole(corpus: Callable[..., Path], tmp_path: Path) -> None:
    run = pipeline.index(corpus({"a.txt": "and so it was.\n"}), tmp_path / "output", Settings())
    assert run.manifest["tables"]["entities"]["rows"] == 0
    assert check.check(run.snapshot).problems == ()


# --- what is damaged


OF_A_ROW: set[Callable[[Rows], Any]] = set()  # changes of one row: several are done to one table, to other rows of it


def first(change: Callable[[Row], Any], where: Callable[[Row], Any] = bool) -> Callable[[Rows], None]:
    """Change the first row that is `where`."""

    def changed(rows: Rows) -> None:
        change(next(row for row in rows if where(row)))

    OF_A_ROW.add(changed)
    return changed


def each(column: str, value: Any) -> Callable[[Rows], None]:
    """Set a column of the first row."""
    return first(lambda row: row.__setitem__(column, value))


def plus(column: str, more: int = 1) -> Callable[[Row], None]:
    return lambda row: row.__setitem__(column, row[column] + more)


def gone(rows: Rows) -> None:
    rows.pop()


def gone_alone(rows: Rows) -> None:
    """Take a row out, of which more is said than of others that are gone."""
    rows.pop()


def swapped(rows: Rows) -> None:
    rows[0], rows[1] = rows[1], rows[0]


def _another_member(rows: Rows) -> None:
    top = [row for row in rows if row["level"] == 0]
    top[0]["entity_ids"].append(top[1]["entity_ids"][0])
    top[0]["size"] += 1


def _lost_by_its_parts(rows: Rows) -> None:
    whole = next(row for row in rows if row["children"])
    part = next(row for row in rows if row["parent"] == whole["community"])
    part["entity_ids"].pop()
    part["size"] -= 1


def _moved_to_another_whole(rows: Rows) -> None:
    parts = [row for row in rows if row["parent"] >= 0]
    other = next(row for row in parts if row["parent"] != parts[0]["parent"])
    other["entity_ids"].append(parts[0]["entity_ids"].pop())
    parts[0]["size"] -= 1
    other["size"] += 1


def _shifted(row: Row) -> None:
    row["char_start"] += 1


def _outside(spans: str) -> Callable[[Rows], None]:
    return first(lambda row: row[spans][0].__setitem__("char_end", 10**9), lambda row: row[spans])


def _elsewhere(spans: str, key: str) -> Callable[[Rows], None]:
    return first(lambda row: row[spans][0].__setitem__(key, "0" * 32), lambda row: row[spans])


def _strange_source(rows: Rows) -> None:
    own = rows[-1]["text_unit_ids"]
    rows[-1]["sources"].append(next(span for row in rows for span in row["sources"] if span["text_unit_id"] not in own))


def _other(rows: Rows, column: str) -> Any:
    """Return an element of another row's list that the first row's has not."""
    texts = [str(element)[:60] for element in rows[0][column]]
    return next(element for row in rows for element in row[column] if str(element)[:60] not in texts)


def _another_unit(rows: Rows) -> None:
    smallest = min(rows, key=lambda row: len(row["text_unit_ids"]))
    smallest["text_unit_ids"].append(_other([smallest, *rows], "text_unit_ids"))


def _entity_forgotten(rows: Rows) -> None:
    entity = next(row["entity_id"] for row in rows if row["entity_id"])
    for row in rows:
        if row["entity_id"] == entity:
            row.update(entity_id="", title="")


def _absent(rows: list[int]) -> int:
    return next(row for row in range(99) if row not in rows)


NOBODY = "0" * 32
MOST_ROWS = 4  # of one table that are damaged together
DAMAGE: list[Damage] = [
    # ids that name nothing
    ("documents", each("text_unit_ids", [NOBODY]), "documents: text_unit_ids: names no row of text_units"),
    ("text_units", each("document_id", NOBODY), "text_units: document_id: names no row of documents"),
    ("text_units", each("entity_ids", [NOBODY]), "text_units: entity_ids: names no row of entities"),
    ("text_units", each("relationship_ids", [NOBODY]), "text_units: relationship_ids: names no row of relationships"),
    ("text_units", each("covariate_ids", [NOBODY]), "text_units: covariate_ids: names no row of covariates"),
    ("entities", each("text_unit_ids", [NOBODY]), "entities: text_unit_ids: names no row of text_units"),
    ("relationships", each("source_id", NOBODY), "relationships: source_id: names no row of entities"),
    ("relationships", each("target_id", NOBODY), "relationships: target_id: names no row of entities"),
    ("relationships", each("text_unit_ids", [NOBODY]), "relationships: text_unit_ids: names no row of text_units"),
    ("covariates", each("text_unit_id", NOBODY), "covariates: text_unit_id: names no row of text_units"),
    ("communities", each("entity_ids", [NOBODY]), "communities: entity_ids: names no row of entities"),
    ("communities", each("relationship_ids", [NOBODY]), "communities: relationship_ids: names no row of relationships"),
    ("communities", each("text_unit_ids", [NOBODY]), "communities: text_unit_ids: names no row of text_units"),
    ("communities", each("children", [99999]), "communities: children: names no community"),
    ("communities", each("parent", 99999), "communities: parent: is no community"),
    ("community_reports", each("community", 99999), "community_reports: community: is no community"),
    ("report_bases", each("report_id", NOBODY), "report_bases: report_id: names no row of community_reports"),
    ("report_bases", each("community_id", NOBODY), "report_bases: community_id: names no row of communities"),
    ("entity_mentions", each("text_unit_id", NOBODY), "entity_mentions: text_unit_id: names no row of text_units"),
    ("entity_mentions", each("document_id", NOBODY), "entity_mentions: document_id: names no row of documents"),
    ("relationship_mentions", each("text_unit_id", NOBODY), "relationship_mentions: text_unit_id: names no row of text_units"),
    ("relationship_mentions", each("document_id", NOBODY), "relationship_mentions: document_id: names no row of documents"),
    ("entity_resolutions", first(lambda row: row.update(entity_id=NOBODY)), "entity_mentions: name: means an entity that is not there"),
    ("entity_resolutions", lambda rows: rows.append(rows[0] | {"document_id": rows[-1]["document_id"] or NOBODY, "entity_id": NOBODY}), "entity_resolutions: entity_id: names no row of entities"),
    ("entity_resolutions", each("document_id", NOBODY), "entity_resolutions: document_id: names no row of documents"),
    ("entities", _elsewhere("sources", "text_unit_id"), "entities: sources: names no row of text_units"),
    ("relationships", _elsewhere("sources", "document_id"), "relationships: sources: names a document that its text unit is not of"),
    ("community_reports", _elsewhere("citations", "text_unit_id"), "community_reports: citations: names no row of text_units"),
    # rows that are gone: what named them dangles
    ("entities", gone_alone, "text_units: entity_ids: names no row of entities"),
    ("relationships", gone, "text_units: relationship_ids: names no row of relationships"),
    ("text_units", gone_alone, "documents: text_unit_ids: names no row of text_units"),
    ("documents", gone_alone, "text_units: document_id: names no row of documents"),
    ("covariates", gone, "text_units: covariate_ids: names no row of covariates"),
    ("communities", gone_alone, "community_reports: community: is no community"),
    ("community_reports", gone, "communities: has no report"),
    ("report_bases", gone_alone, "community_reports: has no row of report_bases"),
    ("entity_mentions", gone, "entities: text_unit_ids: a text unit where no mention means it"),
    ("relationship_mentions", gone, "relationships: text_unit_ids: a text unit that does not state it"),
    ("search_links", gone, "search_links: does not have one row for every row of entities"),
    ("search_units", gone, "search_units: does not have one row for every row of text_units"),
    ("source_units", gone, "text_units: not as many rows as source_units"),
    ("source_units", each("char_end", 3), "text_units: not the same as source_units"),
    ("entities", each("title", ""), "entities: title: empty"),
    ("covariates", each("subject_id", ""), "covariates: subject_id: empty"),
    # episodes
    ("episodes", gone, "documents: has no episode"),
    ("episodes", each("document_id", "x"), "episodes: document_id: names no row of documents"),
    ("episodes", each("reply_to", "x"), "episodes: reply_to: names no row of episodes"),
    ("episodes", each("char_end", 10**6), "episodes: char_start, char_end: outside of the document"),
    ("episodes", lambda rows: rows.append(rows[-1] | {"id": "x", "ordinal": 1}), "episodes: char_start: before the end of the one before"),
    ("episodes", first(plus("ordinal")), "episodes: ordinal: is not its place in the document"),
    # one side of a reference
    ("text_units", first(lambda row: row["entity_ids"].pop(), lambda row: row["entity_ids"]), "entities: text_unit_ids: text_units.entity_ids does not say so"),
    ("entities", first(lambda row: row["text_unit_ids"].pop()), "entities: text_unit_ids: lacks what text_units.entity_ids says"),
    ("text_units", first(lambda row: row["covariate_ids"].pop(), lambda row: row["covariate_ids"]), "text_units: covariate_ids: lacks what covariates.text_unit_id says"),
    ("entities", first(lambda row: row["text_unit_ids"].append(row["text_unit_ids"][0])), "entities: text_unit_ids: names a row twice"),
    ("relationships", each("source", "Nobody"), "relationships: source: is not the title of source_id"),
    ("relationships", each("target", "Nobody"), "relationships: target: is not the title of target_id"),
    ("entity_resolutions", first(lambda row: row.__setitem__("title", "Nobody"), lambda row: row["entity_id"]), "entity_resolutions: title: is not the title of entity_id"),
    # counts and numbers
    ("entities", swapped, "entities: human_readable_id: is not the row number"),
    ("communities", first(plus("human_readable_id")), "communities: human_readable_id: is not the community's number"),
    ("entities", first(plus("frequency")), "entities: frequency: is not what it counts"),
    ("entities", first(plus("degree")), "entities: degree: is not what it counts"),
    ("entities", first(plus("degree")), "relationships: combined_degree: is not the sum of both degrees"),
    ("entities", first(plus("n_documents")), "entities: n_documents: is not what it counts"),
    ("relationships", first(plus("combined_degree")), "relationships: combined_degree: is not the sum of both degrees"),
    ("relationships", each("weight", float("nan")), "relationships: weight: not a number"),
    ("relationships", each("weight", -1.0), "relationships: weight: negative"),
    ("relationships", first(lambda row: row.update(target_id=row["source_id"], target=row["source"])), "relationships: source_id, target_id: the same entity"),
    ("relationships", lambda rows: rows[1].update({k: rows[0][k] for k in ("source", "target", "source_id", "target_id")}), "entities: has two relationships with the same entity"),
    ("text_units", each("n_tokens", 0), "text_units: n_tokens: is not positive"),
    ("text_units", first(plus("ordinal")), "text_units: ordinal: is not its place in documents.text_unit_ids"),
    ("entity_mentions", lambda rows: rows[0].update(document_id=rows[-1]["document_id"]), "entity_mentions: document_id: is not its text unit's"),
    ("entity_mentions", each("name", "Nobody"), "entity_mentions: name: has no resolution"),
    ("entity_resolutions", _entity_forgotten, "entities: text_unit_ids: a text unit where no mention means it"),
    ("relationship_mentions", lambda rows: [row.update(source="Nobody") for row in rows], "relationships: text_unit_ids: a text unit that does not state it"),
    ("entities", first(lambda row: row["text_unit_ids"].pop()), "entities: text_unit_ids: lacks a text unit where a mention means it"),
    ("relationships", first(lambda row: row["text_unit_ids"].pop()), "relationships: text_unit_ids: lacks a text unit that states it"),
    ("relationships", gone, "relationship_mentions: states a relationship that is not there"),
    ("entities", each("n_mentions", 0), "entities: n_mentions: is not positive"),
    ("relationships", each("n_mentions", 0), "relationships: n_mentions: is not positive"),
    ("entity_resolutions", lambda rows: rows.append(rows[0] | {"entity_id": "", "title": ""}), "entity_resolutions: a name means two things in one document, or in the whole corpus"),
    # the partition
    ("communities", first(plus("size")), "communities: size: is not the number of entity_ids"),
    ("communities", _another_member, "entities: is in two communities of one level"),
    ("communities", first(lambda row: row["entity_ids"].pop()), "entities: is in no community of level 0"),
    ("communities", _lost_by_its_parts, "communities: children: do not hold all of its members"),
    ("communities", _moved_to_another_whole, "communities: entity_ids: has a member that its parent has not"),
    ("communities", first(plus("level"), lambda row: row["parent"] >= 0), "communities: level: is not one below its parent's"),
    ("communities", first(lambda row: row["children"].pop(), lambda row: row["children"]), "communities: children: lacks one whose parent it is"),
    ("communities", first(lambda row: row.update(children=[*row["children"], 0])), "communities: children: names one whose parent it is not"),
    ("communities", lambda rows: rows[1].update(community=0), "communities: community: negative, or the number of two"),
    ("communities", first(lambda row: row["relationship_ids"].pop(), lambda row: row["relationship_ids"]), "communities: relationship_ids: lacks one that has both ends in it"),
    ("communities", lambda rows: rows[0]["relationship_ids"].append(rows[1]["relationship_ids"][0]), "communities: relationship_ids: one that does not have both ends in it"),
    ("communities", first(lambda row: row["text_unit_ids"].pop(), lambda row: row["text_unit_ids"]), "communities: text_unit_ids: lacks one that mentions two of its members"),
    ("communities", _another_unit, "communities: text_unit_ids: one that mentions fewer than two of its members"),
    ("communities", first(lambda row: row.update(entity_ids=[], size=0)), "communities: has no members"),
    ("communities", lambda rows: rows[-1].update(level=10**15), "communities: level: is not one below its parent's"),
    # spans
    ("text_units", first(_shifted), "text_units: text: is not documents.text[char_start:char_end]"),
    ("text_units", each("text", "Nobody said this."), "text_units: text: is not documents.text[char_start:char_end]"),
    ("text_units", each("char_end", 10**9), "text_units: char_start, char_end: outside of the document"),
    ("documents", each("text", ""), "text_units: char_start, char_end: outside of the document"),
    ("entities", _outside("sources"), "entities: sources: outside of the text unit"),
    ("relationships", _outside("sources"), "relationships: sources: outside of the text unit"),
    ("entities", _strange_source, "entities: sources: in a text unit that is not one of text_unit_ids"),
    ("entity_mentions", each("mention_start", 10**9), "entity_mentions: mention_start: outside of the text unit"),
    ("community_reports", _outside("citations"), "community_reports: citations: outside of the text unit"),
    ("entity_mentions", each("char_end", 10**9), "entity_mentions: char_start, char_end: outside of the text unit"),
    ("relationship_mentions", each("char_end", 10**9), "relationship_mentions: char_start, char_end: outside of the text unit"),
    # reports
    ("community_reports", first(plus("level")), "community_reports: level: is not its community's"),
    ("community_reports", first(plus("parent")), "community_reports: parent: is not its community's"),
    ("community_reports", first(plus("size")), "community_reports: size: is not its community's"),
    ("community_reports", each("children", [7]), "community_reports: children: are not its community's"),
    ("community_reports", lambda rows: rows[1].update(community=rows[0]["community"]), "community_reports: community: has two reports"),
    ("community_reports", first(lambda row: row.update(full_content=row["full_content"] + " [77]")), "community_reports: full_content: a mark without a citation"),
    ("community_reports", first(lambda row: row.update(full_content=row["full_content"].replace("[1]", ""))), "community_reports: citations: one that no mark names"),
    ("community_reports", first(lambda row: row["citations"].clear()), "community_reports: full_content: a mark without a citation"),
    ("community_reports", first(lambda row: [c.update(n=c["n"] + 1) for c in row["citations"]]), "community_reports: citations: n is not 1, 2, 3, ..."),
    ("community_reports", each("summary", "Other."), "community_reports: full_content: is not the page of title, summary and findings"),
    ("community_reports", each("full_content_json", "{"), "community_reports: full_content_json: is not the report as JSON"),
    ("community_reports", each("rank", 11.0), "community_reports: rank: is not within 0 and 10"),
    ("community_reports", each("age", 3), "community_reports: age: does not go with stale"),
    ("report_bases", first(lambda row: row["weights"].append(1.0)), "report_bases: weights: not one a relationship"),
    ("report_bases", lambda rows: rows[0].update(community_id=rows[1]["community_id"]), "report_bases: community_id: is not its report's"),
    ("report_bases", lambda rows: rows[0].update(report_id=rows[1]["report_id"]), "community_reports: has two rows of report_bases"),
    ("report_bases", each("entity_ids", []), "report_bases: entity_ids: empty"),
    # search
    ("search_terms", first(lambda row: row["rows"].__setitem__(0, 10**6)), "search_terms: rows: not row numbers of text_units"),
    ("search_terms", first(lambda row: row["rows"].append(0)), "search_terms: counts: not one for every row number"),
    ("search_terms", lambda rows: rows[1].update(term=rows[0]["term"]), "search_terms: term: not unique"),
    ("search_terms", first(plus("document_frequency")), "search_terms: document_frequency: not the number of rows"),
    ("search_lengths", first(plus("n_units")), "search_lengths: n_units: not the number of text_units"),
    ("search_report_terms", first(lambda row: row["rows"].__setitem__(0, -1)), "search_report_terms: rows: not row numbers of community_reports"),
    ("search_links", first(lambda row: (row["rows"].pop(), row["counts"].pop())), "search_links: rows: lacks a text unit that entities.text_unit_ids has"),
    ("search_links", each("defines", [10**6]), "search_links: defines: not row numbers of text_units"),
    ("search_links", first(lambda row: (row["rows"].append(_absent(row["rows"])), row["counts"].append(1))), "search_links: rows: a text unit that entities.text_unit_ids does not have"),
    ("search_links", first(lambda row: row["counts"].__setitem__(0, 0)), "search_links: counts: not positive"),
    ("search_units", lambda rows: rows[0].update(document=rows[-1]["document"]), "search_units: document: not the row of its document"),
    ("search_units", each("day", 730000), "search_units: day: not that of the last message, or the document, in it"),
    ("search_units", first(lambda row: row["counts"].__setitem__(0, 99)), "search_units: entities, counts: not those of search_links"),
    ("search_units", lambda rows: next(row for row in rows if len(row["entities"]) > 1)["entities"].__setitem__(0, 10**6), "search_units: entities, counts: not those of search_links"),
    ("search_names", lambda rows: rows.reverse(), "search_names: key: not in order"),
    ("search_names", gone, "search_names: name: lacks one that means an entity"),
    ("search_names", each("name", "Nobody"), "search_names: name: does not mean that entity"),
    ("search_names", each("entity", 10**6), "search_names: entity: no row number of entities"),
    ("search_values", lambda rows: rows.append({"field": "a", "value": "b", "rows": [10**6]}), "search_values: rows: not row numbers of text_units"),
    ("search_values", lambda rows: rows.append({"field": "a", "value": "b", "rows": [1, 0]}), "search_values: rows: not ascending"),
    ("search_values", lambda rows: rows.extend([{"field": "a", "value": "b", "rows": [0]}] * 2), "search_values: field, value: not unique and in order"),
    ("failures", lambda rows: rows.append({"document": "a", "stage": "nothing", "error": "e", "attempts": 1}), "failures: stage: not one of this index"),
    ("failures", lambda rows: rows.append({"document": "a", "stage": "extract_graph", "error": "e", "attempts": 1}), "failures: not as many as the manifest's stages recorded"),
    ("text_units", lambda rows: rows[1].update(id=rows[0]["id"]), "text_units: id: not unique, or empty"),
]  # fmt: skip


def _together(damage: list[Damage]) -> list[list[Damage]]:
    """Return DAMAGE in lists that are done to one index: to other tables, or other rows; rows that are gone apart."""
    made: list[list[Damage]] = []
    for row in damage:
        fits = [one for one in made if all(_goes_with(row, other) for other in one)]
        fits = [one for one in fits if sum(name == row[0] for name, *_ in one) < MOST_ROWS]
        if not fits:
            made.append([])
        (fits or made[-1:])[0].append(row)
    return made


def _goes_with(one: Damage, other: Damage) -> bool:
    changes = {one[1], other[1]}
    return (
        one[2] != other[2]
        and gone_alone not in changes
        and (gone not in changes or len(changes) == 1)
        and (one[0] != other[0] or changes <= OF_A_ROW)
    )


def _do(damage: list[Damage], folder: Path) -> None:
    """Do damage to an index: what is done to one row of a table, to another row each time."""
    done: Counter[str] = Counter()
    for name, change, _ in damage:
        start = done[name]
        rewrite(folder, name, lambda rows, change=change, start=start: change(rows[start:] if start else rows))
        done[name] += 1


@pytest.mark.parametrize("damage", _together(DAMAGE))
def test_damage_inside_of_tables_is_found(damage: list[Damage], copy: Path) -> None:
    _do(damage, copy)
    problems = found(copy)
    assert not [said for *_, said in damage if said not in problems], "\n".join(problems)
    assert check.damage(copy) == (), "its files are as the manifest says"


WHOLE = sorted(
    set(tables.TABLES)
    - {
        "corpus_files",
        "failures",
        "document_signs",
        "report_sentences",
        "report_leads",
        "report_pages",
        *tables.OPTIONAL,
    },
    key=lambda name: (name not in tables.STORED_IN, name),  # while what they are stored in is whole
)


@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize("value", [-(2**31), 2**31 - 1])
def test_no_damage_breaks_the_check(first: int, value: int, copy: Path) -> None:
    """Whatever the values are: every number of a row is one that cannot be, or every row is gone."""

    def wild(rows: Rows) -> None:
        for row in rows[:2]:
            row |= {key: value for key, old in row.items() if type(old) is int}
            row |= {key: [] for key, old in row.items() if isinstance(old, list) and value > 0}

    for name in WHOLE[first::4]:
        rewrite(copy, name, wild if value > 0 else lambda rows: rows.clear())
    check.check(copy)


def test_rows_are_counted_and_the_first_are_named(copy: Path) -> None:
    rewrite(copy, "entities", lambda rows: [row.update(frequency=0) for row in rows])
    problem = found(copy)["entities: frequency: is not what it counts"]
    entities = tables.read(copy, "entities")
    assert problem.count == entities.num_rows > MAX_NAMED == len(problem.named)
    assert problem.named[0] == f"{entities['title'][0]} (row 0)"


def test_a_community_without_a_report_is_no_damage_where_a_failure_says_why(copy: Path) -> None:
    number = tables.read(copy, "community_reports").to_pylist()[-1]["community"]
    rewrite(copy, "community_reports", gone)
    assert "communities: has no report" in found(copy)
    failure = {"document": f"community {number}", "stage": "report_communities", "error": "no reply", "attempts": 2}
    rewrite(copy, "failures", lambda rows: rows.append(failure))
    assert "communities: has no report" not in found(copy)


def test_problems_of_one_table_stand_together(copy: Path) -> None:
    rewrite(copy, "entities", lambda rows: [row.update(frequency=0, degree=0, human_readable_id=7) for row in rows])
    order = [problem.table for problem in check.check(copy).problems]
    assert order.count("entities") >= 3 and len(set(order)) > 1
    assert sorted(order, key=order.index) == order


# --- files


def _flip(path: Path, place: int | None = None) -> None:
    content = bytearray(path.read_bytes())
    content[place or len(content) // 2] ^= 0xFF
    path.unlink()
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("do", "said"),
    [
        (lambda folder: _flip(folder / "entities.parquet"), "entities: its sha256 is not the manifest's"),
        (lambda folder: (folder / "entities.parquet").unlink(), "entities: is missing"),
        (lambda folder: tables.path_in(folder, "search_terms").unlink(), "search_terms: is missing"),
        (lambda folder: shutil.copy(folder / "documents.parquet", folder / "x.parquet"), "manifest.json: does not name this file"),
        (lambda folder: _cut(folder / "relationships.parquet"), "relationships: is damaged"),
        (lambda folder: _manifest(folder, lambda m: m["tables"].pop("entities")), "manifest.json: lists no such table"),
        (lambda folder: _manifest(folder, lambda m: m["tables"].update(strange=m["tables"]["entities"])), "manifest.json: lists a table that is not one of this version"),
        (lambda folder: _manifest(folder, lambda m: m["tables"]["entities"].update(rows=1)), "entities: its rows or bytes are not as many as the manifest says"),
        (lambda folder: _manifest(folder, lambda m: m["tables"]["entities"].update(rows=1)), "manifest.json: a table is not the one that its stage wrote"),
        (lambda folder: _manifest(folder, lambda m: m.update(id="other")), "manifest.json: is of the snapshot 'other'"),
        (lambda folder: _as(folder, "entities", "documents"), "entities: its columns are another version's: the next `index` makes it again"),
    ],
)  # fmt: skip
def test_damage_to_files_is_found(do: Callable[[Path], Any], said: str, copy: Path) -> None:
    do(copy)
    problems = check.damage(copy)
    assert any(f"{problem.table}: {problem.what}".startswith(said) for problem in problems), problems
    if said == "entities: is missing":
        assert said in found(copy), "a whole check looks at the files, too"


def _cut(path: Path) -> None:
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content[:50])


def _manifest(folder: Path, change: Callable[[Any], Any]) -> None:
    manifest = snapshots.read_manifest(folder)
    change(manifest)
    snapshots.write_json(folder / snapshots.MANIFEST, manifest)


def _as(folder: Path, name: str, other: str) -> None:
    """Put another table's file in the place of one, in the manifest too."""
    tables.path_in(folder, name).unlink()
    shutil.copy(tables.path_in(folder, other), tables.path_in(folder, name))

    def change(manifest: Any) -> None:
        manifest["tables"][name] = manifest["tables"][other]

    _manifest(folder, change)


def test_a_page_that_is_damaged_on_the_way_to_the_manifest_is_found(copy: Path) -> None:
    path = copy / "documents.parquet"
    _flip(path, 200)
    _manifest(copy, lambda m: m["tables"]["documents"].update(sha256=snapshots.table_digest(path)))
    assert any(problem.startswith("documents: cannot be read") for problem in found(copy))


def test_empty_values_are_found(copy: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = tables.read(copy, "covariates")
    lists = tables.read(copy, "text_units")
    holes = pa.array([[None]] * lists.num_rows, lists.schema.field("covariate_ids").type)
    place = lists.column_names.index("covariate_ids")
    damaged = lists.set_column(place, lists.schema.field("covariate_ids"), holes)
    path = copy / "text_units.parquet"
    path.unlink()
    pq.write_table(damaged, path, **tables.PARQUET | {"store_schema": True})
    entry = {"rows": lists.num_rows, "bytes": path.stat().st_size, "sha256": snapshots.table_digest(path)}
    _manifest(copy, lambda m: m["tables"].update(text_units=entry))
    problem = found(copy)["text_units: has empty values"]
    assert problem.named == ("covariate_ids",) and data.num_rows


def test_a_table_of_another_version_and_a_manifest_of_no_use_are_refused(copy: Path) -> None:
    _manifest(copy, lambda m: m.update(schema_version=tables.SCHEMA_VERSION - 1))
    with pytest.raises(TableError, match=r"made by an older graphrag-lite.*Run `graphrag-lite index`"):
        check.check(copy)
    _manifest(copy, lambda m: m.update(schema_version=tables.SCHEMA_VERSION + 1))
    with pytest.raises(TableError, match=r"made by a newer graphrag-lite.*Upgrade graphrag-lite\.$"):
        check.check(copy)
    (copy / snapshots.MANIFEST).write_text("{")
    with pytest.raises(TableError, match="damaged"):
        check.check(copy)


def test_a_relationship_whose_names_the_model_takes_for_one_is_counted_and_listed(tmp_path: Path) -> None:
    one, other = "Republic of Korea", "Republic of Koreas"

    def reply(request: Request) -> str:
        name, _ = stub_replies.recognise(request.messages[-1]["content"])
        if name == "resolve_entities.md":
            return json.dumps({"same": [1]})
        if name != "extract_graph.md":
            return stub_replies.reply(request.messages)
        lines = [f'("entity"<|>{end}<|>location<|>{end} is a state.)' for end in (one, other, "Seoul")]
        lines += [f'("relationship"<|>{one}<|>{end}<|>NEAR<|>It is near.<|>5<|><|>)' for end in (other, "Seoul")]
        return "\n##\n".join([*lines, "<|COMPLETE|>"])

    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.txt").write_text(f"{one} is not the {other}. Seoul is in the {one}.")
    (tmp_path / "settings.yaml").write_text("method: standard\nllm: {model: stub}\n")
    settings = Settings.model_validate({"method": "standard", "llm": {"model": "stub"}})
    run = pipeline.index(tmp_path / "corpus", tmp_path / "output", settings, model=StubModel(reply))
    checked = check.check(run.snapshot)
    assert not checked.problems and checked.relationships_within_entities == 1
    (pair,) = checked.within_named
    assert one in pair and other in pair
    told = CliRunner().invoke(main, ["check", "--root", str(tmp_path)], catch_exceptions=False).output
    assert f"1 mention of relationships, both names of which are one entity: {pair}" in " ".join(told.split())


def test_what_is_wrong_is_json(copy: Path) -> None:
    rewrite(copy, "entities", first(plus("degree")))
    said = json.loads(json.dumps(check.check(copy).to_dict()))
    keys = "snapshot ok method problems relationships_within_entities within_named rows bytes seconds"
    assert " ".join(said) == keys
    assert said["ok"] is False and said["snapshot"] == copy.name
    assert {problem["table"] for problem in said["problems"]} == {"entities", "relationships"}
    assert list(said["problems"][0]) == ["table", "what", "count", "named"]


def test_damage_to_vectors_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Embedder:
        identity: ClassVar = {"model": "simulated"}

        async def check(self) -> None: ...

        async def embed(self, texts: list[str]) -> tuple[list[list[float]], Usage]:
            return [[1.0, len(text)] for text in texts], Usage()

    monkeypatch.setattr(embed_text_units, "MOST_EXACT", 1)
    monkeypatch.setattr(embed_text_units, "fit", lambda _: Fit(1.0, 1.0, 99.0))
    monkeypatch.setitem(tables.BLOCKS, "search_vectors", 2)
    corpus = _corpus(tmp_path / "corpus", 4)
    whole = pipeline.index(corpus, tmp_path / "output", Settings(), embedder=Embedder()).snapshot
    assert check.check(whole).problems == ()
    for place, damage in enumerate(_together(VECTOR_DAMAGE)):
        folder = tmp_path / str(place) / whole.name
        shutil.copytree(whole, folder)
        _do(damage, folder)
        problems = "\n".join(found(folder))
        assert all(f"{name}: {said}" in problems for name, _, said in damage), problems


VECTOR_DAMAGE: list[Damage] = [
    ("search_vectors", lambda rows: rows.pop(), "does not have one row for every row of text_units"),
    ("search_vector_cells", lambda rows: rows[0].update(rows=[]), "rows: not every row"),
    ("search_vector_weight", first(lambda row: row.update(weight=-1.0)), "weight: not one number"),
    ("search_vectors", lambda rows: rows[1].update(vector=[1.0]), "vector: not as many numbers"),
    ("search_vector_cells", first(lambda row: row.update(centre=[1.0])), "centre: not as many"),
    ("search_vector_weight", lambda rows: rows.clear(), "weight: not one number"),
    ("search_vectors", lambda rows: rows[1].update(vector=[1.0, 1.0]), "vector: neither of length 1"),
    ("search_vectors", lambda rows: rows[1].update(vector=[float("nan"), 1.0]), "vector: neither of"),
]

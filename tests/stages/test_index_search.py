"""What search reads: postings, links and names agree with the published tables."""

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from lessons import FRENCH, lessons

from graphrag_lite import pipeline, tables
from graphrag_lite.retrieval.entity_names import names_of_title
from graphrag_lite.run.services import Last
from graphrag_lite.search.index import Index
from graphrag_lite.settings import IndexSearch, Settings
from graphrag_lite.stages import index_search as module
from graphrag_lite.stages.index_search import index_search
from graphrag_lite.text.words import terms

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus"
READS = (
    *("documents", "text_units", "entities", "entity_mentions", "entity_resolutions", "community_reports"),
    *("fact_mentions", "episodes"),
)
WRITES = (
    *("search_terms", "search_report_terms", "search_links", "search_units", "search_names", "search_values"),
    *("search_times", "search_reports", "search_lengths"),
)


@pytest.fixture(scope="module")
def read(sample: Path) -> dict[str, pa.Table]:
    return {name: tables.read(sample, name) for name in READS}


def search_tables(read: dict[str, pa.Table], **settings: Any) -> dict[str, list[dict[str, Any]]]:
    made = asyncio.run(index_search(**read, settings=IndexSearch(**settings), each=map))
    for name, table in zip(WRITES, made, strict=True):
        tables.check(name, table)
    return {name: table.to_pylist() for name, table in zip(WRITES, made, strict=True)}


def test_postings_hold_every_term_of_title_and_text(read: dict[str, pa.Table]) -> None:
    rows = search_tables(read)["search_terms"]
    assert [row["term"] for row in rows] == sorted({row["term"] for row in rows})
    postings = {row["term"]: row["rows"] for row in rows}
    documents = {row["id"]: row for row in read["documents"].to_pylist()}
    expected = defaultdict(list)
    for number, unit in enumerate(read["text_units"].to_pylist()):
        document = documents[unit["document_id"]]
        words = [unit["text"], document["title"]]
        for value in json.loads(document["metadata"]).values():
            words += [value] if isinstance(value, str) and value.isalpha() else []
        for term in sorted(set(terms("\n".join(words), document["language"]))):
            expected[term].append(number)
    for term, numbers in expected.items():
        assert set(numbers) <= set(postings[term]), term
    for row in rows:
        assert row["rows"] == sorted(set(row["rows"])) and len(row["rows"]) == len(row["counts"]) > 0
        assert all(count > 0 for count in row["counts"])
        assert row["rows"][0] >= 0 and row["rows"][-1] < read["text_units"].num_rows


def test_a_value_that_repeats_the_title_is_counted_once(corpus: Callable[..., Path], tmp_path: Path) -> None:
    counts = []
    for name, value in (("with", "chat 10"), ("without", "")):
        row = {"title": "chat 10", "text": "Ann moved to Oslo.", "conversation": value}
        run = pipeline.index(corpus({"a.jsonl": [row]}, name), tmp_path / f"{name} output", Settings())
        counts.append(tables.read(run.snapshot, "search_terms")["counts"].to_pylist())
    assert counts[0] == counts[1]


def test_reports_are_found_by_their_words(read: dict[str, pa.Table], sample: Path) -> None:
    index = Index(sample)
    contents = read["community_reports"]["full_content"].to_pylist()
    for number in (0, 5, len(contents) - 1):
        scores = index.report_bm25.scores(terms(contents[number], "en"))
        assert scores.argmax() == number and len(scores) == len(contents)


def test_links_count_the_mentions_of_each_entity(read: dict[str, pa.Table]) -> None:
    rows = search_tables(read)["search_links"]
    unit_row = {identity: row for row, identity in enumerate(read["text_units"]["id"].to_pylist())}
    assert len(rows) == read["entities"].num_rows
    for row, entity in zip(rows, read["entities"].to_pylist(), strict=True):
        assert row["rows"] == sorted(unit_row[unit] for unit in entity["text_unit_ids"])
        assert sum(row["counts"]) >= len(row["rows"]) and min(row["counts"]) >= 1
    assert sum(sum(row["counts"]) for row in rows) <= read["entity_mentions"].num_rows


def test_a_document_defines_what_its_title_names(read: dict[str, pa.Table]) -> None:
    links = search_tables(read)["search_links"]
    names = search_tables(read)["search_names"]
    entities_of = defaultdict(set)
    for row in names:
        entities_of[row["name"].casefold()].add(row["entity"])
    unit_row = {identity: row for row, identity in enumerate(read["text_units"]["id"].to_pylist())}
    defined = Counter()
    for document in read["documents"].to_pylist():
        for name in names_of_title(document["title"]):
            for entity in entities_of[name.casefold()]:
                assert {unit_row[unit] for unit in document["text_unit_ids"]} <= set(links[entity]["defines"])
                defined[entity] += 1
    assert defined
    assert all(bool(row["defines"]) == (entity in defined) for entity, row in enumerate(links))


def test_names_mean_entities_that_are_there(read: dict[str, pa.Table]) -> None:
    rows = search_tables(read)["search_names"]
    titles = read["entities"]["title"].to_pylist()
    columns = ("key", "name", "entity")
    assert [tuple(row[c] for c in columns) for row in rows] == sorted({tuple(row[c] for c in columns) for row in rows})
    named = defaultdict(set)
    for row in rows:
        named[row["entity"]].add(row["name"])
    assert set(named) <= set(range(len(titles)))
    resolutions = read["entity_resolutions"].to_pylist()
    whole = {row["entity_id"] for row in resolutions if not row["document_id"] and row["entity_id"]}
    ids = read["entities"]["id"].to_pylist()
    assert {ids[entity] for entity in named} == whole & set(ids)
    spitzer = titles.index("Lyman Spitzer")
    assert {"Lyman Spitzer"} <= named[spitzer]


def test_a_document_may_mean_something_else_by_a_name(read: dict[str, pa.Table]) -> None:
    """What it means there counts for its text units, and says nothing about a question."""
    before = search_tables(read)
    entities = read["entities"].to_pylist()
    resolutions = read["entity_resolutions"].to_pylist()
    titles = [row["title"] for row in entities]
    hubble, other = map(titles.index, ("Hubble Space Telescope", "Sputnik"))
    mentions = [row for row in read["entity_mentions"].to_pylist() if row["name"] == "Hubble"]
    document_id = mentions[0]["document_id"]
    row = next(row for row in resolutions if row["name"] == "Hubble" and not row["document_id"])
    assert row["entity_id"] == entities[hubble]["id"]
    own = row | {"document_id": document_id, "entity_id": entities[other]["id"]}
    after = search_tables(read | {"entity_resolutions": tables.make("entity_resolutions", [*resolutions, own])})
    assert after["search_names"] == before["search_names"]
    unit_row = {identity: i for i, identity in enumerate(read["text_units"]["id"].to_pylist())}
    moved = {unit_row[row["text_unit_id"]] for row in mentions if row["document_id"] == document_id}
    assert moved and moved <= set(after["search_links"][other]["rows"])
    assert set(after["search_links"][other]["rows"]) == set(before["search_links"][other]["rows"]) | moved
    lost = sum(before["search_links"][hubble]["counts"]) - sum(after["search_links"][hubble]["counts"])
    assert lost == len([row for row in mentions if row["document_id"] == document_id])


def test_settings_are_heard(read: dict[str, pa.Table]) -> None:
    default, flat = search_tables(read), search_tables(read, b=0.0)
    assert default == search_tables(read, k1=1.5, b=0.75)
    assert [row["term"] for row in default["search_terms"]] == [row["term"] for row in flat["search_terms"]]
    changed = {name for name in WRITES if default[name] != flat[name]}
    assert changed == {"search_lengths", "search_reports"}


FRENCH_SKILLS = tuple("patiner cuisiner naviguer pêcher lire sculpter brasser chanter skier coudre".split())


def test_reports_are_analysed_in_the_language_that_global_search_reads_them_in(
    corpus: Callable[..., Path], tmp_path: Path
) -> None:
    """As many documents of one language as of another: both sides must take the same one."""
    french = lessons(FRENCH, ("Jean Martin", "Luc Moreau", "Anne Petit", "Paul Roux", "Zoé Blanc"), FRENCH_SKILLS)
    english = lessons()
    for number, files in enumerate(({"a.txt": french, "b.txt": english}, {"a.txt": english, "b.txt": french})):
        run = pipeline.index(corpus(files, f"c{number}"), tmp_path / f"o{number}" / "output", Settings())
        index = Index(run.snapshot)
        assert sorted(index.arrow("documents")["language"].to_pylist()) == ["en", "fr"]
        contents = index.arrow("community_reports")["full_content"].to_pylist()
        expected = {term for content in contents for term in terms(content, index.languages[0])}
        assert contents and set(index.report_bm25.vocabulary) == expected


def test_a_corpus_without_entities_and_reports(corpus: Callable[..., Path], tmp_path: Path) -> None:
    run = pipeline.index(corpus({"a.txt": "hello there"}), tmp_path / "output", Settings())
    made = search_tables({name: tables.read(run.snapshot, name) for name in READS})
    assert made["search_report_terms"] == made["search_links"] == made["search_names"] == []
    assert [row["term"] for row in made["search_terms"]] == ["a", "hello", "there"]  # the title is the name of the file


def test_values_are_words_that_documents_share(corpus: Callable[..., Path], tmp_path: Path) -> None:
    rows = [
        {"id": f"n{n}", "title": title, "text": f"Text number {n} says a thing.", "source": source, "author": author}
        for n, (title, source, author) in enumerate(
            [
                ("One", "The Daily", "Ann"),
                ("The Weekly", "The Weekly", "Bob"),  # a document's own name
                ("Three", "The Daily", "Cy"),
                ("Four", "The Weekly", "Di"),
                ("Five", "AB_12", "Eve"),  # an id
                ("Call FY20 Q3, q3", "The Daily", "Flo"),
                ("Call FY20 q4 part 1", "", "Gus"),
            ]
        )
    ]
    lines = "\n".join(json.dumps(row) for row in rows)
    run = pipeline.index(corpus({"n.jsonl": lines}), tmp_path / "output", Settings())
    made = search_tables({name: tables.read(run.snapshot, name) for name in READS})["search_values"]
    units = tables.read(run.snapshot, "text_units").to_pylist()
    documents = {row["id"]: row["title"] for row in tables.read(run.snapshot, "documents").to_pylist()}
    told = [(row["field"], row["value"], [documents[units[i]["document_id"]] for i in row["rows"]]) for row in made]
    assert [(field, value, sorted(titles)) for field, value, titles in told] == [
        ("", "Q3", ["Call FY20 Q3, q3"]),
        ("", "q4", ["Call FY20 q4 part 1"]),  # of FY and part there is one number only
        ("source", "The Daily", ["Call FY20 Q3, q3", "One", "Three"]),
        ("source", "The Weekly", ["Four"]),
    ]  # every document has an author of its own: that tells no kinds of documents apart
    assert all(row["rows"] == sorted(row["rows"]) for row in made)


def test_what_names_a_series_of_titles_is_a_value(corpus: Callable[..., Path], tmp_path: Path) -> None:
    titles = [f"{name} report {year}" for name in ("ACME", "Best Buy", "Zed") for year in (2021, 2022)]
    rows = [
        {"id": f"n{n}", "title": title, "text": f"Text {n} says."} for n, title in enumerate([*titles, "Solo 2023"])
    ]
    lines = "\n".join(map(json.dumps, rows))
    snapshot = pipeline.index(corpus({"n.jsonl": lines}), tmp_path / "output", Settings()).snapshot
    units = dict(tables.rows(tables.read(snapshot, "documents"), "title", "text_unit_ids"))
    ids = tables.read(snapshot, "text_units")["id"].to_pylist()
    found = dict(tables.rows(tables.read(snapshot, "search_values"), "value", "rows"))
    for name in ("ACME", "Best Buy", "Zed"):
        assert [ids[row] for row in found[name]] == sorted(
            units[f"{name} report 2021"] + units[f"{name} report 2022"], key=ids.index
        )
    assert found.keys() == {"ACME", "Best Buy", "Zed", "report 2021", "report 2022"}


def test_those_who_speak_in_a_conversation_are_values_of_their_units(
    corpus: Callable[..., Path], tmp_path: Path
) -> None:
    said = [
        {"role": role, "content": f"{role} says that whale {n} sings."}
        for n in range(4)
        for role in ("user", "assistant")
    ]
    folder = corpus({"a.json": json.dumps({"messages": said}).encode(), "b.txt": "A whale sings."})
    snapshot = pipeline.index(folder, tmp_path / "output", Settings()).snapshot
    texts = tables.read(snapshot, "text_units")["text"].to_pylist()
    found = {
        row["value"]: row["rows"]
        for row in tables.read(snapshot, "search_values").to_pylist()
        if row["field"] == "speaker"
    }
    expected = {
        who: [n for n, text in enumerate(texts) if text.startswith(who.capitalize())] for who in ("user", "assistant")
    }
    assert found == expected and all(len(rows) == 4 for rows in found.values())


def test_texts_that_read_as_they_did_are_not_analysed_again(
    read: dict[str, pa.Table], sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    analysed: list[str] = []

    def counted(batch: Any) -> Any:
        analysed.extend(passage.id for passage in batch)
        return really(batch)

    really = module._counted
    monkeypatch.setattr(module, "_counted", counted)
    units = read["text_units"]
    text = [f"{one} More is said." if number == 2 else one for number, one in enumerate(units["text"].to_pylist())]
    ids = ["f" * 32 if number == 2 else one for number, one in enumerate(units["id"].to_pylist())]
    columns = {name: units[name] for name in units.column_names} | {"id": ids, "text": text}
    edited = read | {"text_units": tables.make_columns("text_units", **columns)}
    edited["community_reports"] = read["community_reports"].slice(1)
    section = IndexSearch()
    for kept, most in ((Last(sample, frozenset()), 1), (Last(sample, frozenset(["code"])), units.num_rows + 99)):
        analysed.clear()
        again = asyncio.run(index_search(**edited, settings=section, each=map, last=kept))
        assert 1 <= len(analysed) <= most
        assert again == asyncio.run(index_search(**edited, settings=section, each=map))


def test_texts_of_which_none_can_be_analysed_have_no_terms(read: dict[str, pa.Table]) -> None:
    made = asyncio.run(index_search(**read, settings=IndexSearch(), each=lambda _, items: (None for _ in items)))
    assert made[0].num_rows == made[1].num_rows == 0

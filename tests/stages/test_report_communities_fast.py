"""Reports say what the corpus says, cite it, and do not repeat themselves from level to level."""

import asyncio
import json
import operator
import pickle
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from last_snapshot import last as snapshot_last

import graphrag_lite
from graphrag_lite import pipeline, tables
from graphrag_lite.attempts import in_turn
from graphrag_lite.evidence import corpus_statements, reportable_sentences, reused_pages
from graphrag_lite.evidence.corpus_statements import MIN_MEMBERS, relationship_counts, statement_weights
from graphrag_lite.evidence.document_signs import document_signs, hosts
from graphrag_lite.evidence.report_choice import MIN_FACTS, OPENING, choose_facts
from graphrag_lite.evidence.sentence_reading import read_sentence
from graphrag_lite.run.services import Last
from graphrag_lite.run.workers import Workers
from graphrag_lite.settings import ReportCommunitiesFast, Settings
from graphrag_lite.stages.report_communities_fast import report_communities_fast
from graphrag_lite.watch import Silence

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus"
READS = (
    *("source_documents", "source_units", "entity_mentions", "entity_resolutions"),
    *("entities", "relationships", "community_edges", "communities"),
)
WRITES = (
    *("community_reports", "report_bases", "document_signs"),
    *("report_sentences", "report_leads", "report_pages"),
)


@pytest.fixture(scope="module")
def read(sample: Path) -> dict[str, pa.Table]:
    return {name: tables.read(sample, name) for name in READS}


def written(
    read: dict[str, pa.Table], mode: str = "stable", last: Last | None = None, **settings: Any
) -> tuple[pa.Table, pa.Table]:
    work = report_communities_fast(
        **read, settings=ReportCommunitiesFast(**settings), mode=mode, last=last, each=in_turn
    )
    made, bases, signs, sentences, leads, pages = asyncio.run(work)
    tables.check("report_leads", leads)
    tables.check("report_pages", pages)
    tables.check("document_signs", signs)
    tables.check("report_sentences", sentences)
    tables.check("community_reports", made)
    tables.check("report_bases", bases)
    assert bases["report_id"].to_pylist() == made["id"].to_pylist()
    return made, bases


def report(read: dict[str, pa.Table], **settings: Any) -> list[dict[str, Any]]:
    return written(read, **settings)[0].to_pylist()


def marks(text: str) -> list[int]:
    return [int(mark) for mark in re.findall(r"\[(\d+)\](?=\s|$)", text)]


def places(row: dict[str, Any], text: str) -> list[tuple[str, int, int]]:
    by_mark = {c["n"]: (c["document_id"], c["char_start"], c["char_end"]) for c in row["citations"]}
    return [by_mark[mark] for mark in marks(text)]


def test_a_report_is_of_a_community_that_has_enough_to_say(read: dict[str, pa.Table]) -> None:
    communities = {row["community"]: row for row in read["communities"].to_pylist()}
    rows = report(read)
    reported = [row["community"] for row in rows]
    assert len(rows) > 12 and reported == sorted(reported)
    large = {number for number, row in communities.items() if row["size"] >= 8 and row["level"] == 0}
    assert len(large - {*reported}) <= 1  # which begins as another does
    for row in rows:
        assert row["size"] >= MIN_MEMBERS and len(row["citations"]) >= MIN_FACTS
        for name in ("level", "parent", "children", "period", "size"):
            assert row[name] == communities[row["community"]][name]


def test_pages_made_in_other_processes_are_the_same(read: dict[str, pa.Table]) -> None:
    def sent(one: Any) -> Any:
        return pickle.loads(pickle.dumps(one))  # noqa: S301

    def elsewhere(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            work, unread = sent((function, item))
            yield sent(work(unread))

    section = ReportCommunitiesFast()
    here, there = (
        asyncio.run(report_communities_fast(**read, settings=section, mode="full", last=None, each=each))
        for each in (in_turn, elsewhere)
    )
    assert here == there and here[-1].num_rows > 2


def test_a_member_may_be_defined_in_a_document_that_its_page_tells_nothing_of(
    read: dict[str, pa.Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reused_pages, "MAX_MEMBERS", 0)  # so that definitions are of others
    work = report_communities_fast(
        **read,
        settings=ReportCommunitiesFast(),
        mode="full",
        last=None,
        each=lambda function, items: map(function, items),
    )
    assert asyncio.run(work)[0].num_rows > 2


def test_no_sentence_is_told_twice_and_each_is_the_corpus_own(read: dict[str, pa.Table]) -> None:
    text = dict(tables.rows(read["source_documents"], "id", "text"))
    for row in report(read):
        assert marks(row["full_content"]) == list(range(1, len(row["citations"]) + 1))
        for (document, start, end), told in zip(
            places(row, row["full_content"]), re.split(r" \[\d+\]\s*", row["full_content"]), strict=False
        ):
            said = re.sub(r" \((?:about |as of )?[12]\d{3}[\d-]*(?: to [\d-]+)?\)", "", told.split("\n\n")[-1])
            assert said == " ".join(text[document][start:end].split())


def test_a_page_is_in_one_language(read: dict[str, pa.Table]) -> None:
    documents = read["source_documents"]
    language = dict(zip(documents["id"].to_pylist(), documents["language"].to_pylist(), strict=True))
    told = [{language[span["document_id"]] for span in row["citations"]} for row in report(read)]
    assert {*language.values()} > {"en"} and all(len(languages) == 1 for languages in told)


def test_findings_stand_in_the_order_of_time(read: dict[str, pa.Table]) -> None:
    n_dated = 0
    for row in report(read):
        dated = [
            found[0]
            for one in row["findings"]
            if (found := re.search(r"(?<=^)\d{4}[\d-]*|(?<=as of )[\d-]+", one["summary"]))
        ]
        assert dated == sorted(dated)
        n_dated += len(dated)
    assert n_dated > 40


def test_a_report_begins_with_what_an_entity_is_or_with_what_opens_a_document(read: dict[str, pa.Table]) -> None:
    rows = report(read)
    leads = [row["summary"].split(" [1]")[0] for row in rows]
    defining = [bool(re.search(r"\b(?:is|was|are|were|est)\b|^[^,]+, (?:the|an?|\w+ of) ", lead)) for lead in leads]
    opening = [row["citations"][0]["char_start"] < OPENING for row in rows]
    assert sum(defining) > 0.4 * len(rows)
    assert sum(map(operator.or_, defining, opening)) > 0.8 * len(rows)


def test_a_title_says_of_when_its_report_is(read: dict[str, pa.Table]) -> None:
    for row in report(read):
        years = [int(year) for year in re.findall(r"\b(?:1[89]|20)\d\d\b", row["title"])]
        assert years == sorted(years)
        told = row["full_content"].split("\n", 1)[1]
        assert all(str(year) in told for year in years) or " for five years" in told  # which began in a year not told


def test_a_summary_repeats_a_sentence_from_above_only_where_it_defines(read: dict[str, pa.Table]) -> None:
    rows = {row["community"]: row for row in report(read)}

    def said_above(number: int) -> set[tuple[str, int, int]]:
        parent = rows[number]["parent"] if number in rows else -1
        return set(places(rows[parent], rows[parent]["summary"])) | said_above(parent) if parent in rows else set()

    children = [row for row in rows.values() if row["parent"] in rows]
    again = [set(places(row, row["summary"])[1:]) & said_above(row["community"]) for row in children]
    assert len(children) > 3 and sum(map(bool, again)) < 0.1 * len(children)


def test_most_of_what_a_page_tells_stands_on_none_above_it(read: dict[str, pa.Table]) -> None:
    rows = {row["community"]: row for row in report(read)}
    cited = {n: {(one["document_id"], one["char_start"]) for one in row["citations"]} for n, row in rows.items()}
    parent = {row["community"]: row["parent"] for row in read["communities"].to_pylist()}
    for number, own in cited.items():
        above, at = set(), parent[number]
        while at in parent:
            above |= cited.get(at, set())
            at = parent[at]
        assert 2 * len(own & above) <= len(own)
    assert len({row["level"] for row in rows.values()}) > 1


def test_marks_are_numbered_in_order_and_each_is_cited(read: dict[str, pa.Table]) -> None:
    for row in report(read):
        assert list(dict.fromkeys(marks(row["full_content"]))) == [c["n"] for c in row["citations"]]
        assert [c["n"] for c in row["citations"]] == list(range(1, len(row["citations"]) + 1))


def test_ranks_are_within_0_and_10_and_explained(read: dict[str, pa.Table]) -> None:
    rows = report(read)
    assert all(0 <= row["rank"] <= 10 for row in rows)
    rows = [row for row in rows if row["level"] == 0]  # of others the heaviest may have no page
    assert max(row["rank"] for row in rows) == 10
    share = {row["community"]: float(row["rating_explanation"].split("%")[0].split()[-1]) for row in rows}
    for row in rows:
        most = max(share[other["community"]] for other in rows if other["level"] == row["level"])
        assert abs(row["rank"] - 10 * (share[row["community"]] / most) ** 0.5) < 0.5
    degrees = {row["title"]: row["degree"] for row in read["entities"].to_pylist()}
    entity = {row["id"]: row["degree"] for row in read["entities"].to_pylist()}
    communities = {row["community"]: row for row in read["communities"].to_pylist()}
    for row in rows:
        said = re.fullmatch(
            r"Its (\d+) entities hold \d+\.\d% of the weight of all that joins entities; "
            r"the most connected is (.+) with (\d+) relationships\.",
            row["rating_explanation"],
        )
        assert said and int(said[1]) == row["size"] and int(said[3]) == degrees[said[2]]
        assert int(said[3]) == max(entity[identity] for identity in communities[row["community"]]["entity_ids"])


def test_the_page_and_the_json_hold_the_report(read: dict[str, pa.Table]) -> None:
    rows = report(read)
    for row in rows:
        assert row["full_content"].startswith(f"# {row['title']}\n\n{row['summary']}\n\n## ")
        assert json.loads(row["full_content_json"]) == {
            key: row[key] for key in ("title", "summary", "rank", "rating_explanation", "findings")
        }
    assert len({row["input_sha256"] for row in rows}) == len(rows)


def test_ten_names_in_one_sentence_are_one_statement() -> None:
    counts, stated, several = np.array([2.0, 3.0, 1.0, 0.5]), np.array([0, 0, 0, -1]), [np.arange(4), np.array([1])]
    assert statement_weights(several, counts, stated) == [3.5, 3.0]
    assert statement_weights(several, counts, np.array([0, 0, 9, -1])) == [4.5, 3.0]


def test_a_host_whom_all_documents_name_counts_little() -> None:
    texts = [f"MIA STONE: Hello.\nGUEST {n}: Hello.\nMIA STONE: So?\nGUEST {n}: So.\n" for n in "ABC"]
    table = pa.table({"id": list("abc"), "text": texts})
    known = hosts(document_signs(table, tables.make("entity_mentions", []), None, map))
    assert known == {"mia stone", "mia", "stone"}
    rows = pa.table({"source": ["Mia", "GUEST A", "GUEST A"], "target": ["Lisbon"] * 3, "weight": [2.0] * 3})
    counts = relationship_counts(rows, np.array([0, 0, -1]), np.array([1.0]), known)
    assert counts.tolist() == [0.2, 2.0, 0.2]


def test_settings_are_heard_and_the_report_is_a_function_of_its_input(read: dict[str, pa.Table]) -> None:
    assert report(read) == report(read)
    short = report(read, max_findings=2, max_summary_sentences=1)
    assert all(len(row["citations"]) == 3 and len(marks(row["summary"])) == 1 for row in short)
    long = report(read, max_findings=50)
    assert max(len(row["findings"]) for row in long) > 8


MEETINGS = (
    "Ann Lee met Bob Ray in the old harbour of Lisbon on a rainy day.",
    "Bob Ray sold the white boat to Cy Moss for the price of a house.",
    "Bob Ray taught the daughter of Dee Park to sail around the island.",
    "Dee Park wrote a book about whales that sing in the northern ocean.",
)


def edges(related: list[dict[str, Any]]) -> pa.Table:
    """What relationships join, and nothing else."""
    pairs = ((*sorted((row["source_id"], row["target_id"])), row["weight"]) for row in related)
    return tables.make("community_edges", pairs)


def four_people(weight: float = 0.0, told: int = 4, members: int = 4) -> dict[str, pa.Table]:
    """A community of up to four people in a row, of whom some sentences tell."""
    text = "\n\n".join(MEETINGS)
    starts = [text.index(sentence) for sentence in MEETINGS]
    spans = [
        {"text_unit_id": "u", "document_id": "d", "char_start": at, "char_end": at + len(sentence)}
        for at, sentence in zip(starts, MEETINGS, strict=True)
    ]
    shared = {"human_readable_id": 0, "text_unit_ids": ["u"], "n_mentions": 1}
    plain = {"type": "unknown", "description": "", "frequency": 1, "degree": 1, "n_documents": 1, "sources": []}
    people = PEOPLE[:members]
    entities = [shared | plain | {"id": name, "title": name} for name in people]
    entities[-1]["sources"] = spans[3:4] if told == 4 else []
    related = [
        shared
        | {"id": f"r{n}", "source": a, "target": b, "source_id": a, "target_id": b, "relation": "", "weight": weight}
        | {
            "combined_degree": 2,
            "description": MEETINGS[n] if n < told else "",
            "sources": spans[n : n + 1] * (n < told),
        }
        for n, (a, b) in enumerate(zip((*people[:1], *people[1:2] * 2), people[1:], strict=False))
    ]
    community = {"id": "c", "human_readable_id": 0, "community": 0, "level": 0, "parent": -1, "children": []}
    community |= {"entity_ids": list(people), "relationship_ids": [row["id"] for row in related], "title": "a, b"}
    community |= {"text_unit_ids": ["u"], "period": "", "size": len(people)}
    document = ("d", "d", "d", text, "d", "", "text/plain", "en", "", "{}", [], [])
    return {
        "source_documents": tables.make("source_documents", [document]),
        "source_units": tables.make("source_units", [("u", "d", 0, 0, len(text), text, 40)]),
        "entity_mentions": tables.make("entity_mentions", []),
        "entity_resolutions": tables.make("entity_resolutions", []),
        "entities": tables.make("entities", entities),
        "relationships": tables.make("relationships", related),
        "community_edges": edges(related),
        "communities": tables.make("communities", [community]),
    }


PEOPLE = ("Ann Lee", "Bob Ray", "Cy Moss", "Dee Park")


def test_relationships_of_weight_0_are_reported() -> None:
    """A pair that meets less often than by chance: its normalised PMI may be -1, its weight 0."""
    (row,) = report(four_people())
    assert row["rank"] == 0.0 and all(sentence in row["full_content"] for sentence in MEETINGS[:3])


def test_what_has_too_little_to_say_has_no_page() -> None:
    assert len(report(four_people(1.0))) == len(report(four_people(1.0, told=3))) == 1
    assert report(four_people(1.0, told=2)) == []


def test_a_corpus_without_a_larger_community_has_one_page_on_all_it_holds(tmp_path: Path) -> None:
    few = four_people(1.0, members=3)
    (page,) = report(few)
    assert page["full_content"].count("[3]") == 1
    notes = (
        "Anna fixed the login bug. Ben is on holiday until Friday.",
        "Anna and Ben agreed to ship version 2 of Falcon in March. Falcon needs a new database.",
        "Falcon was late because the database of Acme was slow. Anna will talk to Acme.",
    )
    for number, text in enumerate(notes):
        (tmp_path / f"{number}.txt").write_text(text, encoding="utf-8")
    run = pipeline.index(tmp_path, tmp_path / "root" / "output", Settings())
    (page,) = tables.read(run.snapshot, "community_reports").to_pylist()
    assert all(told in page["full_content"] for told in ("late because the database", "agreed to ship", "on holiday"))


def test_a_page_is_about_what_its_sentences_call_by_an_acronym(tmp_path: Path) -> None:
    text = (
        f"# Field report\n\n{'It was a dry year, and what had been sown early did not come up before the rain. ' * 8}\n\n"
        "Programs against river blindness rely on mass drug administration (MDA). They reach Ghana by MDA, with the help of"
        " the World Health Organization.\n\nMDA ends where Filariasis Test Strips show that few are ill. MDA was interrupted"
        " by Sightsavers in two districts, whose chiefs asked for a pause. Surveys after MDA are paid by the Carter Center,"
        " and their results are public. MDA was praised by Rotary International for its low price a person. MDA is planned"
        " with Merck, whose gift of ivermectin made the first rounds possible.\n"
    )
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    for n in range(6):
        (tmp_path / f"b{n}.md").write_text(
            f"Ann Bell{n} met Cy Day{n}. Cy Day{n} works for Acme{n}.\n", encoding="utf-8"
        )
    run = pipeline.index(tmp_path, tmp_path / "root" / "output", Settings())
    titles = tables.read(run.snapshot, "community_reports")["title"].to_pylist()
    assert titles == ["mass drug administration – Field report"]


def test_a_page_bears_the_headline_of_its_story_and_begins_with_what_opens_it(tmp_path: Path) -> None:
    story = (
        "Police arrest a suspect in death of Wayde Sims\n"
        "Police in Baton Rouge have arrested a suspect in the fatal shooting of Wayde Sims, a forward of Louisiana State.\n"
        "Wayde Sims grew up in Baton Rouge, where his father played basketball for Louisiana State in the nineties.\n"
        "Will Wade, the coach of Wayde Sims, told reporters that the team of Louisiana State was in shock.\n"
        "Dyteon Simpson shot Wayde Sims after a fight near Southern University, the police of Baton Rouge said.\n"
        "Joe Alleva of Louisiana State thanked the police of Baton Rouge for their diligence in this sad case.\n"
    )
    (tmp_path / "cbs_248387.txt").write_text(story, encoding="utf-8")
    run = pipeline.index(tmp_path, tmp_path / "root" / "output", Settings())
    (page,) = tables.read(run.snapshot, "community_reports").to_pylist()
    assert page["title"] == story.split("\n")[0]
    assert page["summary"].startswith("Police in Baton Rouge have arrested")


def snapshot(folder: Path, read: dict[str, pa.Table], made: tuple[pa.Table, pa.Table], *changed: str) -> Last:
    """The last snapshot, as the stage finds it."""
    return snapshot_last(folder, changed=changed, **read, community_reports=made[0], report_bases=made[1])


def with_rows(read: dict[str, pa.Table], name: str, **changes: dict[str, Any]) -> dict[str, pa.Table]:
    rows = [row | changes.get(row["id"], {}) for row in read[name].to_pylist()]
    return read | {name: tables.make(name, rows)}


def quoted(row: dict[str, Any], inside: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The relationships whose sentences a report's summary holds, in its order."""
    told = [r for r in inside if r["description"] and r["description"] in row["summary"]]
    return sorted(told, key=lambda r: row["summary"].index(r["description"]))


def other_words(
    told: dict[str, Any], inside: list[dict[str, Any]], relationships: Iterable[dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Changes by which the relationships that say the same as `told` say what none of those inside says."""
    known = {row["description"] for row in inside}
    silent = {"description": "", "sources": []}
    other = next((row for row in relationships if row["description"] not in known), silent)
    said = {name: other[name] for name in silent}
    return {row["id"]: said for row in inside if row["description"] == told["description"]}


def test_a_report_is_kept_until_its_community_has_changed_by_more_than_a_little(
    read: dict[str, pa.Table], tmp_path: Path
) -> None:
    made = written(read)
    first = max((row for row in made[0].to_pylist() if row["parent"] < 0), key=lambda row: row["rank"])
    (community,) = (row for row in read["communities"].to_pylist() if row["community"] == first["community"])
    relationships = {row["id"]: row for row in read["relationships"].to_pylist()}
    inside = [relationships[identity] for identity in community["relationship_ids"]]
    told, gone = quoted(first, inside)[0], other_words(quoted(first, inside)[0], inside, relationships.values())
    room = 0.1 * sum(row["weight"] for row in inside)
    heaviest = max((row for row in relationships.values() if row not in inside), key=lambda row: row["weight"])
    more = {"weight": 99 * heaviest["weight"]}  # elsewhere: it counts in every rank
    now = with_rows(read, "relationships", **gone, **{heaviest["id"]: more})
    ages = []
    for number in range(1, 5):
        last = snapshot(tmp_path / str(number), read if number == 1 else now, made)
        weight = told["weight"] + 0.3 * number * room
        now = with_rows(now, "relationships", **{told["id"]: {"weight": weight}})
        made = written(now, last=last)
        (row,) = (row for row in made[0].to_pylist() if row["community"] == first["community"])
        ages.append(row["age"])
        if number < 4:
            own = ("id", "title", "summary", "findings", "full_content", "citations", "input_sha256")
            assert {name: row[name] for name in own} == {name: first[name] for name in own}
        fresh = {row["community"]: row for row in report(now)}[first["community"]]
        ranked = ("rank", "rating_explanation")
        assert {name: row[name] for name in ranked} == {name: fresh[name] for name in ranked}, "ranks are of now"
        assert row["rating_explanation"] != first["rating_explanation"]
        assert json.loads(row["full_content_json"])["rating_explanation"] == row["rating_explanation"]
    assert ages == [1, 2, 3, 0] and row == fresh


def test_what_did_not_change_is_not_stale_and_nothing_is_kept_for_another_version_or_a_full_run(
    read: dict[str, pa.Table], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    made = written(read)
    assert not caplog.messages
    assert written(read, last=snapshot(tmp_path, read, made)) == made
    assert caplog.messages == ["Reports: {0} of {0} kept, 0 of them stale.".format(made[0].num_rows)]
    relationships = read["relationships"].to_pylist()
    rows = made[0].to_pylist()
    changes = (other_words(one, relationships, relationships) for row in rows for one in quoted(row, relationships)[:1])
    now = with_rows(read, "relationships", **{key: said for change in changes for key, said in change.items()})
    assert any(row["stale"] for row in written(now, last=snapshot(tmp_path, read, made))[0].to_pylist())
    for changed, mode in ((("code",), "stable"), (("settings",), "stable"), ((), "full")):
        assert written(now, mode, snapshot(tmp_path, read, made, *changed)) == written(now)


def test_a_summary_does_not_repeat_what_a_kept_summary_above_it_says(read: dict[str, pa.Table], tmp_path: Path) -> None:
    """Reports of parts are written anew below a report that is kept, of other sentences than its summary's."""
    made = written(read)
    rows = {row["community"]: row for row in made[0].to_pylist()}
    ids = {row["community"]: row["id"] for row in read["communities"].to_pylist()}
    parts = [row for row in rows.values() if row["parent"] in rows]
    gone = pa.array([ids[row["community"]] for row in parts])
    bases = made[1].filter(pc.invert(pc.is_in(made[1]["community_id"], value_set=gone)))
    after = written(read, last=snapshot(tmp_path, read, (made[0], bases)))[0].to_pylist()
    assert {row["community"]: row["full_content"] for row in after} == {
        number: row["full_content"] for number, row in rows.items()
    }


WORDS = st.sampled_from("whales sing krill northern ocean songs deep Ann Lee Bob Ray ships sailed never slowly".split())
SENTENCES = st.lists(st.lists(WORDS, min_size=1, max_size=30).map(" ".join), min_size=1, max_size=5)


@hypothesis.settings(max_examples=60, deadline=None, derandomize=True)
@given(
    SENTENCES,
    st.lists(st.tuples(st.integers(0, 400), st.integers(1, 300), st.integers(0, 3), st.integers(4, 6)), max_size=12),
)
def test_text_units_that_cut_a_sentence_at_any_place_are_reported(
    sentences: list[str], cuts: list[tuple[int, int, int, int]]
) -> None:
    text = ". ".join(sentences) + "."
    spans = [(min(start, len(text) - 1), min(start + length, len(text))) for start, length, *_ in cuts]
    units = [(f"u{i}", "d", i, *span, text[slice(*span)], 9) for i, span in enumerate(spans)]
    related = [
        {
            **dict.fromkeys(("relation", "description"), ""),
            "id": f"r{i}",
            "source_id": f"e{a}",
            "target_id": f"e{b}",
            "source": f"E{a}",
            "target": f"E{b}",
            "human_readable_id": i,
            "weight": 1.0 + i % 3,
            "combined_degree": 2,
            "text_unit_ids": [f"u{i}"],
            "n_mentions": 1,
            "sources": [{"text_unit_id": f"u{i}", "document_id": "d", "char_start": span[0], "char_end": span[1]}],
        }
        for i, ((_, _, a, b), span) in enumerate(zip(cuts, spans, strict=True))
    ]
    ids = [f"e{i}" for i in range(7)]
    entity = dict.fromkeys(("frequency", "degree", "n_mentions", "n_documents"), 1)
    entities = [
        {"id": i, "title": i.upper(), "type": "unknown", "description": "", "sources": [], "text_unit_ids": []}
        | entity
        | {"human_readable_id": n}
        for n, i in enumerate(ids)
    ]
    empty = {
        "children": [],
        "text_unit_ids": [unit[0] for unit in units],
        "period": "",
        "human_readable_id": 0,
        "title": "E",
    }
    community = {"id": "c", "community": 0, "level": 0, "parent": -1, "entity_ids": ids, "size": len(ids)}
    document = ("d", "d", "D", text, "d.txt", "", "text/plain", "en", "", "{}", [], [])
    mentions = [
        (f"u{i}", "d", f"E{a}", "unknown", "", *span, span[0], True, 0)
        for i, ((_, _, a, _), span) in enumerate(zip(cuts, spans, strict=True))
    ]
    resolved = [("", f"E{n}", f"e{n}", f"E{n}", "unknown", "exact") for n in range(7)]
    made = report(
        {
            "entity_mentions": tables.make("entity_mentions", mentions),
            "entity_resolutions": tables.make("entity_resolutions", resolved),
            "source_documents": tables.make("source_documents", [document]),
            "source_units": tables.make("source_units", units),
            "entities": tables.make("entities", entities),
            "relationships": tables.make("relationships", related),
            "community_edges": edges(related),
            "communities": tables.make(
                "communities", [empty | community | {"relationship_ids": [row["id"] for row in related]}]
            ),
        }
    )
    assert len(made) <= bool(related)
    for row in made:
        for cited in row["citations"]:
            first, last = spans[int(cited["text_unit_id"][1:])]
            assert first <= cited["char_start"] < cited["char_end"] <= last
        ends = {(cited["char_start"], cited["char_end"]) for cited in row["citations"]}
        assert len({start for start, _ in ends}) == len(ends)  # a sentence that is cut at two ends is cited once


def test_sentences_that_were_read_are_not_read_again(
    read: dict[str, pa.Table], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(last: Last | None) -> tuple[pa.Table, ...]:
        section = ReportCommunitiesFast()
        return asyncio.run(report_communities_fast(**read, settings=section, mode="full", last=last, each=in_turn))

    first = made(None)
    kept = dict(zip(WRITES, first, strict=True))
    n_read = []

    def counted(*arguments: Any) -> Any:
        n_read.append(arguments)
        return read_sentence(*arguments)

    monkeypatch.setattr(reportable_sentences, "read_sentence", counted)
    assert made(snapshot_last(tmp_path, **kept)) == first
    assert not n_read
    language = pa.array(["xx"] * first[3].num_rows)
    kept["report_sentences"] = first[3].set_column(1, first[3].schema.field("language"), language)
    assert made(snapshot_last(tmp_path, **kept)) == first
    assert len(n_read) == first[3].num_rows


def test_pages_of_what_did_not_change_are_not_made_again_and_others_are(
    read: dict[str, pa.Table], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(of: dict[str, pa.Table], last: Last | None = None, **settings: int) -> tuple[pa.Table, ...]:
        section = ReportCommunitiesFast(**settings)
        return asyncio.run(report_communities_fast(**of, settings=section, mode="full", last=last, each=in_turn))

    def changed(table: str, column: str, change: Callable[[Any], Any]) -> dict[str, pa.Table]:
        values = read[table][column].to_pylist()
        values[: len(values) // 2] = map(change, values[: len(values) // 2])
        place, field = read[table].schema.get_field_index(column), read[table].schema.field(column)
        return read | {table: read[table].set_column(place, field, pa.array(values, field.type))}

    n_made = []
    module = sys.modules[report_communities_fast.__module__]

    def chosen(*arguments: Any, **options: Any) -> Any:
        n_made.append(arguments)
        return choose_facts(*arguments, **options)

    monkeypatch.setattr(module, "choose_facts", chosen)
    last = snapshot_last(tmp_path, **dict(zip(WRITES, made(read), strict=True)))
    n_all = len(n_made)
    assert made(read, last) == made(read)
    assert len(n_made) == 2 * n_all
    titles = tables.rows(read["source_documents"], "id", "title")
    renamed = {identity: {"title": name.replace("Marshall becomes", "Huntsville is")} for identity, name in titles}
    edits = [
        with_rows(read, "source_documents", **renamed),
        changed("entities", "type", lambda _: "location"),
        changed("entities", "title", lambda name: f"{name} X"),
        changed("relationships", "weight", lambda _: 0.01),
        changed("communities", "relationship_ids", lambda ids: ids[1:]),
    ]
    for edit in edits:
        assert made(edit, last) == made(edit)
    assert made(read, last, max_findings=2) == made(read, max_findings=2)
    before = made(read)
    monkeypatch.setattr(corpus_statements, "whole_idf", lambda n_held, _: (7 * n_held % 5).astype(float))
    after = made(read)
    assert after[0] != before[0]
    assert made(read, last) == after


def test_pages_stay_where_documents_and_text_units_have_other_ids(
    read: dict[str, pa.Table], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(of: dict[str, pa.Table], last: Last | None = None) -> tuple[pa.Table, ...]:
        section = ReportCommunitiesFast()
        return asyncio.run(report_communities_fast(**of, settings=section, mode="full", last=last, each=in_turn))

    def with_other_ids(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: with_other_ids(each) for name, each in value.items()}
        return [*map(with_other_ids, value)] if isinstance(value, list) else new.get(value, value)

    ids = [one for name in ("source_documents", "source_units") for one in read[name]["id"].to_pylist()]
    new = {one: one[::-1] for one in ids}
    others = {
        name: pa.Table.from_pylist([*map(with_other_ids, table.to_pylist())], schema=table.schema)
        for name, table in read.items()
    }
    before, wanted = made(read), made(others)
    monkeypatch.setattr(sys.modules[report_communities_fast.__module__], "choose_facts", None)  # whoever calls it fails
    assert made(others, snapshot_last(tmp_path, **dict(zip(WRITES, before, strict=True)))) == wanted
    cited, cited_before = ([*map(len, table["citations"].to_pylist())] for table in (wanted[0], before[0]))
    assert cited == cited_before and wanted[0] != before[0] and wanted[-1] == before[-1]
    (first, *_), (then, *_) = wanted[0]["citations"][0].as_py(), before[0]["citations"][0].as_py()
    assert first == then | {name: then[name][::-1] for name in ("text_unit_id", "document_id")}


def test_what_documents_say_of_themselves_makes_no_rows_of_them(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    said = (
        "Ann Lee of Vega Labs met Bo Diaz in Oslo. Bo Diaz leads the Harbour Bank in Oslo. Vega Labs sold a bridge to "
        "the Harbour Bank in May. Ann Lee said that Vega Labs will build a tunnel for the Harbour Bank."
    )
    for n in range(3):
        head = f":Status: Draft {n}\n:Created: 2013-Feb-1{n}\n"
        (corpus / f"{n}.rst").write_text(f"Note {n}\n======\n\n{head}\n{said.replace('tunnel', f'tunnel {n}')}\n")
    index = graphrag_lite.index(corpus, tmp_path / "root")
    (report,) = index.arrow("community_reports").to_pylist()
    assert "Bo Diaz" in report["full_content"] and "Rows by" not in report["full_content"]
    assert not report["title"].startswith(",")


def test_a_page_that_failed_is_made_again_alone(
    read: dict[str, pa.Table], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures: list[str] = []
    n_made, broken = 0, True

    def chosen(*arguments: Any, **options: Any) -> Any:
        nonlocal n_made
        n_made += 1
        if broken and n_made == 3:
            raise IndexError(n_made)
        return choose_facts(*arguments, **options)

    def made(last: Last | None = None) -> tuple[pa.Table, ...]:
        each = Workers(None, Silence(), lambda *failure: failures.append(failure[0]))
        section = ReportCommunitiesFast()
        work = report_communities_fast(
            **read, settings=section, mode="full", last=last, each=each, fail=lambda what, *_: failures.append(what)
        )
        return asyncio.run(work)

    monkeypatch.setattr(sys.modules[report_communities_fast.__module__], "choose_facts", chosen)
    lacking = dict(zip(WRITES, made(), strict=True))
    n_all, n_made, broken = n_made, 0, False
    assert len(failures) == 1 and failures[0].startswith("community ")
    again = made(snapshot_last(tmp_path, failed=failures, **lacking))
    assert n_made < n_all / 2  # what the failed one would have told changes pages below it
    n_made = 0
    assert again == made() and again[0] != lacking["community_reports"] and len(failures) == 1

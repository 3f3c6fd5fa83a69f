"""What the search methods promise, on the sample corpus."""

import json
from dataclasses import replace
from datetime import date
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from graphrag_lite import pipeline
from graphrag_lite.errors import InputError
from graphrag_lite.retrieval.abstention import passage_fit
from graphrag_lite.retrieval.bm25 import term_idf
from graphrag_lite.retrieval.question import Question
from graphrag_lite.search import overview
from graphrag_lite.search.answer import NOTHING, ranked
from graphrag_lite.search.extractive.entity_statements import entity_answer
from graphrag_lite.search.extractive.sentence_choice import choose_sentences
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus"


@pytest.fixture(scope="module")
def index(sample: Path) -> Index:
    return Index(sample)


def test_ranked_fills_up_to_k_documents_and_units() -> None:
    scores = np.array([5.0, 4.0, 3.0, 2.0, 1.0, 0.0])
    ranking = ranked(scores, [0, 0, 0, 0, 1, 2], 3)
    assert ranking.units == [0, 1, 2]
    assert ranking.documents == [0, 1, 2]
    assert ranked(scores, [0, 0, 0, 0, 1, 2], 10).documents == [0, 1, 2]


def test_a_second_passage_decides_between_documents_that_are_nearly_level() -> None:
    assert ranked(np.array([1.0, 0.95, 0.9]), [0, 1, 1], 2).documents == [1, 0]
    assert ranked(np.array([1.0, 0.5, 0.5]), [0, 1, 1], 2).documents == [0, 1]


@pytest.mark.parametrize("method", ["local", "global", "basic"])
def test_every_sentence_of_an_answer_is_cited_where_it_stands(index: Index, method: str) -> None:
    answer = index.query("Who directed the Space Telescope Science Institute?", method)
    texts = index.documents.set_index("source_id").text
    assert answer.citations
    assert len(set(answer.documents)) == len(answer.documents) == 10
    for cited in answer.citations:
        assert texts[cited.document][cited.char_start : cited.char_end] == cited.text
        assert f"{' '.join(cited.text.split())} [{cited.n}]" in answer.answer
    assert [cited.n for cited in answer.citations] == list(range(1, len(answer.citations) + 1))


@pytest.mark.parametrize("method", ["local", "basic", "drift"])
def test_a_misspelt_name_is_read_as_the_one_it_is_near_to(index: Index, method: str) -> None:
    right, wrong = (index.query(f"When did Lyman {name} die?", method) for name in ("Spitzer", "Spitser"))
    assert (right.readings, wrong.readings) == ({}, {"Spitser": "Spitzer"})
    assert (wrong.answer, wrong.documents, wrong.text_units) == (right.answer, right.documents, right.text_units)
    assert wrong.question == "When did Lyman Spitser die?" and not wrong.abstained


@pytest.mark.parametrize("method", ["local", "basic"])
def test_a_reading_alone_is_no_answer(index: Index, method: str) -> None:
    asked = "Which chapel did Michelangelo paint for Spitser and Napoleon?"
    answer = index.query(asked, method)
    assert answer.abstained and answer.readings["Spitser"] == "Spitzer"


def test_a_guess_costs_as_much_as_what_it_is_read_as_is_worth(index: Index) -> None:
    weighed = Question(index, "When was the Hubble lanched?").weights
    assert list(weighed) == ["hubbl", "launch", "lanch"] and weighed["lanch"] == weighed["launch"] > 0
    assert 0 < passage_fit(index.bm25, weighed) < passage_fit(index.bm25, term_idf(index.bm25, ["hubbl", "launch"]))


def test_a_name_that_the_corpus_does_not_hold_weighs_double(index: Index) -> None:
    name, word, known = Question(index, "What did Zzyzx do with the zzyzzyva and Hubble?").weights.values()
    assert name == 2 * word > 2 * known
    (begins,) = Question(index, "Zzyzx?").weights.values()
    assert begins == word


def test_a_german_noun_is_no_name_for_its_capital(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "languages", ["de"])
    noun, word = Question(index, "Was ist der Zzyzx zzyzzyva?").weights.values()
    assert noun == word


def test_a_question_of_two_hops_finds_both_documents(index: Index) -> None:
    found = index.query("What links the unit that failed on 27 September 2008 with the outage of 2021?").documents
    assert {"notes/2008-09-30-failures-before-sm4.txt", "notes/2021-07-17-payload-computer.md"} <= set(found[:5])


@pytest.mark.parametrize("method", ["local", "global", "basic"])
def test_nothing_is_said_where_nothing_fits(index: Index, method: str) -> None:
    assert index.query("xyzzy plugh qwertyuiop?", method).answer == NOTHING


def test_nothing_is_near_to_a_question_without_words(index: Index) -> None:
    answer = index.query("?!", "local")
    assert answer.abstained and not answer.documents and not answer.text_units


def test_global_search_uses_one_partition(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """A community and its own children never answer together."""
    used: list[list[str]] = []

    def spy(index: Index, reports: list) -> list:  # type: ignore[type-arg]
        used[-1] += [report["community"] for report in reports]
        return []

    monkeypatch.setattr(overview, "theme_statements", spy)
    monkeypatch.setattr(index, "search", index.search_settings.model_copy(update={"max_reports": 10_000}))
    parents = dict(zip(index.communities.community, index.communities.parent, strict=True))
    reported = set(index.community_reports.community)
    for level in range(int(index.community_reports.level.max()) + 1):
        used.append([])
        index.query("What are the main themes?", "global", level=level)
        chosen = set(used[-1])
        assert not any(parents[community] in chosen for community in chosen)
        leaves = {community for community in reported if community not in set(parents.values())}
        for leaf in leaves:  # every leaf is spoken for, by itself or by a community above it
            above = leaf
            while above not in chosen and parents[above] >= 0:
                above = parents[above]
            assert above in chosen
    with pytest.raises(InputError, match="levels 0 to"):
        index.query("What?", "global", level=99)


def test_a_question_word_makes_no_sentence_an_answer(index: Index) -> None:
    units = list(range(index.n_rows("text_units")))
    assert not choose_sentences(index, Question(index, "Who was Xyzzy, and when?").terms, units, 5)
    chosen = choose_sentences(index, Question(index, "Who was Lyman Spitzer?").terms, units, 5)
    texts = [index.documents.text[index.document_row[s.unit]][s.start : s.end] for s in chosen]
    assert texts and all("Lyman" in text or "Spitzer" in text for text in texts[:2])


def test_a_short_statement_answers_in_a_script_without_spaces(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(
        '{"text": "青铜器来自商代。"}\n{"text": "夏目漱石は「坊っちゃん」を書いた。"}\n', encoding="utf-8"
    )
    index = Index(pipeline.index(corpus, tmp_path / "output", Settings()).snapshot)
    assert index.query("青铜器来自哪里？", "basic").answer == "青铜器来自商代。 [1]"


@pytest.fixture(scope="module")
def dated(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A diary in which a cat grows older, and a page without a date."""
    root = tmp_path_factory.mktemp("dated")
    notes = [("2023-01-10", "two"), ("2023-03-10", "four"), ("2023-05-10", "six"), ("2023-07-10", "eight")]
    rows = [
        {
            "id": day,
            "title": "Diary",
            "text": f"My cat Luna is {age} months old and Bob Stone feeds her.",
            "timestamp": day,
        }
        for day, age in notes
    ]
    rows.append({"id": "undated", "title": "Cats", "text": "Luna is a name for a cat. Bob Stone has a shop."})
    (root / "corpus.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    return Index(pipeline.index(root / "corpus.jsonl", root / "output", Settings()).snapshot)


@pytest.mark.parametrize("method", ["local", "basic"])
@pytest.mark.parametrize("question", ["How old is Luna?", "Who is Bob Stone?", "How old was Luna in May 2023?"])
def test_nothing_is_said_by_documents_dated_after_the_day(dated: Index, method: str, question: str) -> None:
    for as_of, n in (("2022-12-31", 0), ("2023-03-10", 2), (date(2023, 6, 1), 3), ("2023-07", 4)):
        answer = dated.query(question, method, as_of=as_of)
        last = as_of if isinstance(as_of, str) else as_of.isoformat()
        found = [document for document in answer.documents if document != "undated"]
        assert len(found) == n and all(document[: len(last)] <= last for document in found)
        assert {cited.document for cited in answer.citations} <= set(answer.documents)
        assert len(answer.text_units) == len(answer.documents) == n + 1


def test_as_of_a_day_the_newest_comes_first_and_a_period_is_preferred(dated: Index) -> None:
    assert dated.query("How old is my cat Luna?", as_of="2023-06-01").documents[:3] == [
        "2023-05-10",
        "2023-03-10",
        "2023-01-10",
    ]
    assert dated.query("How old is my cat Luna?", as_of="2023-12-31").documents[0] == "2023-07-10"
    assert dated.query("How old was my cat Luna on March 10, 2023?").documents[0] == "2023-03-10"
    assert dated.query("How old was my cat Luna two months ago?", as_of="2023-07-12").documents[0] == "2023-05-10"


def test_each_question_of_many_has_its_own_day(dated: Index) -> None:
    answers = dated.query_all(["Old Luna?"] * 3, "basic", as_of=["2022-01-01", None, date(2023, 4, 1)])
    assert [len(answer.documents) for answer in answers] == [1, 5, 3]  # type: ignore[union-attr]
    assert [len(answer.documents) for answer in dated.query_all(["Luna?"] * 2, as_of="2022-01-01")] == [1, 1]  # type: ignore[union-attr]


def test_a_day_that_is_none_is_told(dated: Index) -> None:
    with pytest.raises(InputError, match="'someday' is not a date, such as 2023-05-30"):
        dated.query("Luna?", as_of="someday")


@pytest.mark.parametrize("method", ["global", "drift", "agent"])
def test_any_method_takes_a_day(dated: Index, method: str) -> None:
    answer = dated.query("What is Luna about?", method, as_of="2023-03-10")
    assert {cited.document for cited in answer.citations} <= {"2023-01-10", "2023-03-10", "undated"}
    assert set(answer.documents) <= {"2023-01-10", "2023-03-10", "undated"}


def test_a_question_is_answered_by_the_document_whose_title_it_states(tmp_path: Path) -> None:
    rows = [
        {
            "id": f"{year}{quarter}",
            "title": f"Acme Corp call FY{year} Q{quarter}",
            "text": f"Acme Corp grew {n} percent.",
        }
        for n, (year, quarter) in enumerate(product((19, 20, 21), (1, 2, 3, 4)), start=30)
    ]
    (tmp_path / "calls.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    index = Index(pipeline.index(tmp_path, tmp_path / "output", Settings()).snapshot)
    for said in (
        "FY20 Q3",
        "q3 of fy20",
        "FY20Q3",
        "third quarter of fiscal 2020",
        "the third quarter of fiscal year 2020",
    ):
        answer = index.query(f"Acme Corp in {said}")
        assert answer.documents[0] == "203" and answer.citations[0].document == "203", said
    assert answer.readings == {"third quarter": "Q3", "fiscal year 2020": "FY20"}
    assert {"193", "203"} == set(index.query("How did Acme grow from FY19 Q3 to FY20 Q3?").documents[:2])


def test_the_graph_does_not_open_an_answer_to_a_question_that_states_a_document(index: Index) -> None:
    question = Question(index, "Lyman Spitzer")
    assert entity_answer(question)
    question.__dict__["features"] = replace(question.features, stated=[(np.array([0]), np.ones(1))])
    assert not entity_answer(question)


def test_without_dates_a_day_changes_nothing(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        (tmp_path / f"{name}.txt").write_text(
            f"Bob Stone has shop number {name}. It was there last week and is there now."
        )
    index = Index(pipeline.index(tmp_path, tmp_path / "output", Settings()).snapshot)
    for question in ("What did Bob Stone have last week?", "Where is shop two now?", "What was in 1999?"):
        for method in ("local", "basic"):
            assert index.query(question, method, as_of="2001-01-01") == index.query(question, method)

"""What the search methods promise, on the sample corpus."""

from pathlib import Path

import numpy as np
import pytest

from graphrag_lite import pipeline
from graphrag_lite.errors import InputError
from graphrag_lite.search import global_search
from graphrag_lite.search.answer import NOTHING, ranked
from graphrag_lite.search.index import Index
from graphrag_lite.search.sentence_choice import choose_sentences
from graphrag_lite.settings import Settings

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index(pipeline.index(EXAMPLE, tmp_path_factory.mktemp("search") / "output", Settings()).snapshot)


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


def test_a_question_of_two_hops_finds_both_documents(index: Index) -> None:
    found = index.query("What links the unit that failed on 27 September 2008 with the outage of 2021?").documents
    assert {"notes/2008-09-30-failures-before-sm4.txt", "notes/2021-07-17-payload-computer.md"} <= set(found[:5])


@pytest.mark.parametrize("method", ["local", "global", "basic"])
def test_nothing_is_said_where_nothing_fits(index: Index, method: str) -> None:
    assert index.query("xyzzy plugh qwertyuiop?", method).answer == NOTHING


def test_global_search_uses_one_partition(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """A community and its own children never answer together."""
    used: list[list[str]] = []
    statements = global_search._statements

    def spy(index: Index, report: dict, asked: list[str], language: str) -> list:  # type: ignore[type-arg]
        used[-1].append(report["community"])
        return statements(index, report, asked, language)

    monkeypatch.setattr(global_search, "_statements", spy)
    monkeypatch.setattr(index, "search", index.search.model_copy(update={"max_reports": 10_000}))
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
            deeper = index.communities.set_index("community").level[leaf] > level
            assert above in chosen or (deeper and above not in reported)
    with pytest.raises(InputError, match="levels 0 to"):
        index.query("What?", "global", level=99)


def test_chosen_sentences_hold_a_word_of_the_question_and_do_not_repeat(index: Index) -> None:
    terms = index.question_terms("Which gyroscopes failed in 1999?")
    chosen = choose_sentences(index, terms, list(range(index.n_rows("text_units"))), 5)
    texts = [index.documents.text[index.document_row[s.unit]][s.start : s.end] for s in chosen]
    assert len(texts) == len(set(texts)) == 5
    assert all("gyro" in text.casefold() or "1999" in text or "fail" in text for text in texts)
    assert choose_sentences(index, terms, list(range(3)), 5, told=chosen) != chosen


def test_a_question_word_makes_no_sentence_an_answer(index: Index) -> None:
    units = list(range(index.n_rows("text_units")))
    assert not choose_sentences(index, index.question_terms("Who was Xyzzy, and when?"), units, 5)
    chosen = choose_sentences(index, index.question_terms("Who was Lyman Spitzer?"), units, 5)
    texts = [index.documents.text[index.document_row[s.unit]][s.start : s.end] for s in chosen]
    assert texts and all("Lyman" in text or "Spitzer" in text for text in texts)


def test_a_short_statement_answers_in_a_script_without_spaces(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(
        '{"text": "青铜器来自商代。"}\n{"text": "夏目漱石は「坊っちゃん」を書いた。"}\n', encoding="utf-8"
    )
    index = Index(pipeline.index(corpus, tmp_path / "output", Settings()).snapshot)
    assert index.query("青铜器来自哪里？", "basic").answer == "青铜器来自商代。 [1]"

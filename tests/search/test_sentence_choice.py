"""What an answer without a model is made of: chosen sentences, in an order that reads, or nothing."""

import re
from pathlib import Path

import pytest

from graphrag_lite import pipeline
from graphrag_lite.retrieval.abstention import LEAST_FIT, passage_fit
from graphrag_lite.retrieval.bm25 import build, term_idf
from graphrag_lite.retrieval.question import Question
from graphrag_lite.retrieval.question_kinds import question_kind
from graphrag_lite.search.answer import NOTHING
from graphrag_lite.search.extractive.read_unit import DATELINE, MAX_LENGTH
from graphrag_lite.search.extractive.reading_order import in_reading_order
from graphrag_lite.search.extractive.sentence_choice import MAX_ANSWER, choose_sentences
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings
from graphrag_lite.text.words import terms

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus"
ASKED = (
    "Who was Lyman Spitzer?",
    "Who was Lyman Spitzer and what did he propose?",
    "Which gyroscopes failed in 1999?",
    "When was Hubble launched?",
    "What links the unit that failed on 27 September 2008 with the outage of 2021?",
    "Qui a installé COSTAR ?",
)
ELSEWHERE = (
    "Who won the football world cup in 1998?",
    "What is the capital of Peru?",
    "How does blockchain mining work?",
    "Was kostet ein Fahrrad?",
    "東京の人口は何人ですか？",
)


@pytest.fixture(scope="module")
def index(sample: Path) -> Index:
    return Index(sample)


def index_of(folder: Path, *lines: str, size: int = 600) -> Index:
    (folder / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    settings = Settings.model_validate({"split_text_units": {"size": size, "overlap": 0}})
    return Index(pipeline.index(folder / "corpus.jsonl", folder / "output", settings).snapshot)


@pytest.mark.parametrize("method", ["local", "basic"])
@pytest.mark.parametrize("most", [1, 2, 5])
def test_an_answer_is_short_says_nothing_twice_and_cites_its_characters(index: Index, method: str, most: int) -> None:
    texts = index.documents.set_index("source_id").text
    before = index.search_settings
    index.search_settings = before.model_copy(update={"max_sentences": most})
    try:
        answers = [index.query(question, method) for question in ASKED]
    finally:
        index.search_settings = before
    for answer in answers:
        cited = answer.citations
        assert 1 <= len(cited) <= most
        assert sum(len(one.text) for one in cited) <= MAX_ANSWER + MAX_LENGTH
        assert all(texts[one.document][one.char_start : one.char_end] == one.text for one in cited)
        assert len({" ".join(one.text.split()) for one in cited}) == len(cited)
        places = [answer.answer.index(f"{' '.join(one.text.split())} [{one.n}]") for one in cited]
        assert places == sorted(places)  # numbered as they are read
        said = [set(terms(one.text, "en")) for one in cited]
        assert not any(len(a & b) > 0.8 * len(a | b) for i, a in enumerate(said) for b in said[:i])


@pytest.mark.parametrize("method", ["local", "basic"])
def test_the_corpus_does_not_say_what_it_knows_nothing_about(index: Index, method: str) -> None:
    for question in ELSEWHERE:
        answer = index.query(question, method)
        assert (answer.answer, answer.abstained, answer.citations) == (NOTHING, True, [])
        assert answer.text_units or not any(len(index.bm25.postings(t)[0]) for t in Question(index, question).terms)
    for question in ASKED:
        assert not index.query(question, method).abstained


def test_a_question_that_quotes_the_corpus_is_answered_by_what_it_quotes(index: Index) -> None:
    for row in index.text_units.itertuples():
        quoted = row.text.split(". ")[0][:200]
        if len(Question(index, quoted).terms) >= 3:
            assert not index.query(quoted).abstained, quoted


def test_a_small_corpus_answers_too() -> None:
    small = build([terms("The bakery opens at seven", "en")])
    assert (
        passage_fit(small, term_idf(small, terms("When does the bakery open on a Sunday in June?", "en"))) >= LEAST_FIT
    )
    assert passage_fit(small, term_idf(small, terms("Who painted the ceiling of the chapel?", "en"))) < LEAST_FIT


def test_what_is_asked_for_comes_first(tmp_path: Path) -> None:
    index = index_of(
        tmp_path,
        '{"text": "The Marigold was built by Olsen of oak. The Marigold was built in 1871 in a yard."}',
        '{"text": "The weather was fine for the whole of the week, and so the harbour was full of people from town."}',
    )
    assert question_kind("When was the Marigold built?", "en") == "time"
    assert index.query("When was the Marigold built?").citations[0].text.startswith("The Marigold was built in 1871")


def test_a_reason_behind_what_repeats_the_question_comes_first(tmp_path: Path) -> None:
    index = index_of(
        tmp_path,
        '{"text": "The Marigold burned off the cape in March. Two men drowned. The cause was a broken lamp in the bow."}',
        '{"text": "The weather was fine for the whole of the week, because the wind came from the south."}',
    )
    assert index.query("Why did the Marigold burn?").citations[0].text.startswith("The cause was a broken lamp")
    assert index.query("When did the Marigold burn?").citations[0].text.startswith("The Marigold burned")


def test_a_pronoun_has_what_it_stands_for(tmp_path: Path) -> None:
    index = index_of(
        tmp_path,
        '{"title": "Notes of May", "text": "Rain fell. Ada Holm restored the organ. She tuned it with forks. Bye now."}',
        '{"title": "Olga Wern", "text": "Olga Wern was a pilot. She crossed the strait in a glider."}',
        '{"text": "The weather was fine."}',
    )
    answer = re.sub(r" \[\d+\]", "", index.query("Who tuned with forks?").answer)
    assert "Ada Holm restored the organ. She tuned it with forks." in answer
    alone = choose_sentences(index, Question(index, "crossed the strait").terms, [1], 1)
    assert [place.about for place in in_reading_order(index, alone)] == ["Olga Wern"]


def test_what_has_been_told_is_not_said_again(index: Index) -> None:
    asked = Question(index, "Which gyroscopes failed in 1999?").terms
    units = list(range(index.n_rows("text_units")))
    first = choose_sentences(index, asked, units, 5)
    second = choose_sentences(index, asked, units, 5, previous=first[:2])
    assert second and not {(p.unit, p.start) for p in second} & {(p.unit, p.start) for p in first[:2]}
    assert choose_sentences(index, asked, units, len(units))[:5] == first


def test_a_sentence_far_into_a_document_is_cited_whole(tmp_path: Path) -> None:
    said = [
        f"Keeper number {i} of the lighthouse wrote about the {thing}." for i, thing in enumerate(("gulls", "fog") * 9)
    ]
    said[14] = "The lamp burned whale oil until the winter of 1862."
    index = index_of(tmp_path, f'{{"text": "{" ".join(said)}"}}', size=40)
    assert index.n_rows("text_units") > 3
    assert index.query("What oil did the lamp burn?").citations[0].text == said[14]


def test_what_has_been_said_leaves_room_for_the_rest(tmp_path: Path) -> None:
    index = index_of(
        tmp_path,
        '{"text": "The copper kettle was found by divers. Some said the copper kettle came from a wreck near Olm."}',
        '{"text": "The silver spoon was kept by a priest for years in a box."}',
        '{"text": "The weather was fine for the whole of the week, and so the harbour was full of people."}',
    )
    asked = Question(index, "copper kettle and silver spoon").terms
    chosen = choose_sentences(index, asked, [0, 1], 2, scores=[1.0, 0.6])
    assert [place.unit for place in chosen] == [0, 1]


def test_where_somebody_was_born_is_no_dateline() -> None:
    assert DATELINE.fullmatch("New York, May 5, 2021") and DATELINE.fullmatch("Berlin, den 3. Mai 2021")
    assert not DATELINE.fullmatch("Born in Rome, 5 May 1921.")

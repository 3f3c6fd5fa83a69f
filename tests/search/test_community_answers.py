"""Answers of global, budgeted and DRIFT search without a model: statements, of several communities, or nothing."""

import json
from pathlib import Path

import pytest

from graphrag_lite import pipeline
from graphrag_lite.retrieval.bm25 import term_idf
from graphrag_lite.retrieval.entity_names import find_mentions
from graphrag_lite.retrieval.report_ranking import topic_terms
from graphrag_lite.search.answer import NOTHING, Answer
from graphrag_lite.search.extractive.statements import broad_weights, choose_statements, is_repeated
from graphrag_lite.search.index import Index
from graphrag_lite.search.methods import Query
from graphrag_lite.settings import Settings
from graphrag_lite.text.words import terms

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus"
BROAD = ("global", None), ("global", 60), ("drift", None)
PEOPLE = ("Ada Wren", "Bo Lund", "Cy Moss", "Dee Park", "Eli Rook", "Flo Dahl")
TOWNS = dict(zip(PEOPLE, ("Lima", "Oslo", "Perth", "Kyoto", "Riga", "Quito"), strict=True))
FIELDS = (
    "Coral Bay lost a third of its reefs to the warm water of the Pacific Ocean in one summer",
    "the harbour of Port Ellis was rebuilt with concrete that Delta Works had made of old bricks",
    "wind farms off Cape Horn feed more power into the grid of Punta Arenas than the old coal plant",
    "the library of Alba Town lends tools, seeds and telescopes to the whole of Glen County",
    "storks came back to the Rhine Valley after the farmers of Kehl had flooded their meadows",
    "the night trains between Oslo and Malmo carry more people than the airline Nordwing does",
)


@pytest.fixture(scope="module")
def example(sample: Path) -> Index:
    return Index(sample)


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Transcripts: a host, a guest each, and what the host says in all of them."""
    folder = tmp_path_factory.mktemp("talks")
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as file:
        for name, told in zip(PEOPLE, FIELDS, strict=True):
            text = (
                f"MIA STONE: Welcome to the weekly evening show of the small radio in the harbour about places that change.\n"
                f"MIA STONE: Thanks for coming, {name}.\n{name.upper()}: Thank you, Mia, it is good to be here with you.\n"
                f"{name.upper()}: Well, it was a long year. {name} of Harbour College says that {told}.\n"
                f"MIA STONE: Is that so, {name}, at Harbour College too?\n"
                f"{name.upper()}: According to {name} of Harbour College, {told} and nobody had planned it.\n"
                f"{name.upper()}: The people of Harbour College gave {name} a prize and a bell for the years of work.\n"
                f"{name.upper()}: Before that {name} had led a school for pilots in {TOWNS[name]} and built its tower.\n"
                f"MIA STONE: Thank you, {name}, and goodbye.\n"
            )
            file.write(json.dumps({"id": name, "title": f"Open Waters with {name}", "text": text}) + "\n")
    return Index(pipeline.index(folder / "corpus.jsonl", folder / "output", Settings()).snapshot)


def ask(index: Index, question: str, how: tuple[str, int | None]) -> Answer:
    method, budget = how
    return index.query(question, method, budget=budget)


@pytest.mark.parametrize("how", BROAD)
def test_an_answer_over_transcripts_is_made_of_statements(talks: Index, how: tuple[str, int | None]) -> None:
    texts = talks.documents.set_index("source_id").text
    for question in ("What are the main themes?", "How did the places change, says Harbour College?"):
        answer = ask(talks, question, how)
        assert len(answer.citations) > 1 and len({cited.document for cited in answer.citations}) > 1
        for cited in answer.citations:
            assert cited.text == texts[cited.document][cited.char_start : cited.char_end]
            assert any(told in cited.text for told in (*FIELDS, "a prize", "a school")), cited.text
            assert not cited.text.upper().startswith(("MIA STONE:", *(f"{name.upper()}:" for name in PEOPLE)))


def test_reports_are_about_guests_and_cite_what_was_said(talks: Index) -> None:
    texts = talks.documents.set_index("id").text
    reports = talks.community_reports
    best = reports[reports.level == 0].sort_values("rank", ascending=False).iloc[0]
    assert "Mia" not in best.title and any(name in best.title for name in PEOPLE)
    for report in reports.itertuples():
        for cited in report.citations:
            assert ":" not in texts[cited["document_id"]][cited["char_start"] : cited["char_end"]][:20]


@pytest.mark.parametrize("how", BROAD)
def test_themes_come_from_several_communities_the_most_important_first(
    example: Index, how: tuple[str, int | None]
) -> None:
    answer = ask(example, "What are the main themes?", how)
    reports = example.community_reports
    top = reports[reports.level == 0].sort_values(["rank", "community"], ascending=[False, True]).title.tolist()
    corpus, *parts = answer.answer.split("\n\n")
    assert corpus.startswith(f"{len(example.documents)} documents, dated ")
    said = [part.split(": ", 1)[0] for part in parts]
    assert said == [title for title in top if title in said] and said[0] == top[0]
    assert len(said) == example.search_settings.max_reports


@pytest.mark.parametrize("how", BROAD)
def test_the_corpus_does_not_say_what_it_knows_nothing_about(example: Index, how: tuple[str, int | None]) -> None:
    for question in ("How do you bake a sourdough bread?", "Who won the football world cup in 1998?"):
        answer = ask(example, question, how)
        assert (answer.answer, answer.abstained, answer.citations) == (NOTHING, True, [])
        assert answer.text_units
    assert not ask(example, "Which gyroscopes failed?", how).abstained


@pytest.mark.parametrize("how", BROAD)
def test_every_sentence_has_to_do_with_the_question(example: Index, how: tuple[str, int | None]) -> None:
    answer = ask(example, "Which gyroscopes failed?", how)
    assert answer.citations and all("gyroscope" in cited.text or "failed" in cited.text for cited in answer.citations)


def test_reports_that_were_written_do_not_answer_what_the_corpus_does_not_say(example: Index, tmp_path: Path) -> None:
    taken = Index(pipeline.take_over(example.folder, tmp_path / "output", Settings()).snapshot)
    assert taken.query("What are the main themes?", method="global").citations
    assert taken.query("Zzzqq of Xyzzy?", method="global").answer == NOTHING


def test_a_text_is_not_read_anew_for_each_of_its_sentences(example: Index) -> None:
    row = max(range(example.n_rows("documents")), key=lambda row: len(example.document_text(row)))
    assert example.document_text(row) is example.document_text(row)
    assert example.document_text(row) == example.arrow("documents")["text"][row].as_py()


def test_a_sentence_that_holds_as_little_of_the_question_as_chance_does_is_left_out(example: Index) -> None:
    asked = ["gyroscop", "fail", "mirror", "budget", "director", "shuttl", "congress", "camera"]
    weight = term_idf(example.bm25, asked)
    assert len(weight) == len(asked)
    units = list(range(example.n_rows("text_units")))
    found = choose_statements(example, asked, units, [1.0] * len(units), 99)
    texts = [example.documents.text[example.document_row[s.unit]][s.start : s.end] for s in found]
    held = [sum(weight[term] for term in set(terms(text, "en")) & set(weight)) for text in texts]
    assert len(found) > 5 and min(held) * len(asked) ** 0.5 >= 0.5 * sum(weight.values())


def test_what_several_documents_say_alike_is_a_formula(talks: Index) -> None:
    welcome = "Welcome to the weekly evening show of the small radio in the harbour about places that change."
    assert is_repeated(talks, frozenset(terms(welcome, "en")))
    assert not is_repeated(talks, frozenset(terms(FIELDS[0], "en")))


def test_no_statement_is_said_twice(talks: Index) -> None:
    units = list(range(talks.n_rows("text_units")))
    found = choose_statements(talks, ["harbour", "colleg"], units, [1.0] * len(units), 99)
    said = [frozenset(terms(talks.documents.text[talks.document_row[s.unit]][s.start : s.end], "en")) for s in found]
    assert len(said) > 2
    assert not any(len(a & b) >= 0.6 * len(a | b) for i, a in enumerate(said) for b in said[:i])


def test_a_word_that_few_text_units_use_weighs_less_in_a_broad_question(example: Index) -> None:
    rare, common = "sembach", "telescop"
    n = {term: len(example.bm25.postings(term)[0]) for term in (rare, common)}
    assert 0 < 5 * n[rare] < n[common]
    weight = broad_weights(example.bm25, [rare, common, "xyzzy"])
    assert set(weight) == {rare, common} and weight[rare] < 3 * weight[common]


@pytest.mark.parametrize("how", BROAD[:2])
def test_a_paragraph_is_headed_by_names_that_it_holds(example: Index, how: tuple[str, int | None]) -> None:
    answer = ask(example, "Which instruments of the telescope failed, and who repaired them?", how)
    headed = [part.split(": ", 1) for part in answer.answer.split("\n\n") if ": " in part]
    titles = set(example.entities.title)
    names = [(name, said) for heading, said in headed for name in heading.split(", ") if name in titles]
    title = example.entities.title.to_list()
    assert names
    for name, said in names:  # as it is, or by another of its names
        assert name in {title[i] for one in find_mentions(said, "en", example.names) for i in one.entities}
    assert all(len(heading.split(", ")) <= 3 for heading, _ in headed)


@pytest.mark.parametrize("method", ["local", "basic"])
def test_local_and_basic_answers_leave_labels_out_and_say_who_is_whom(talks: Index, method: str) -> None:
    texts = talks.documents.set_index("source_id").text
    for question in ("How did Coral Bay change?", "Who is Ada Wren?"):
        cited = talks.query(question, method).citations
        assert cited and all(one.text == texts[one.document][one.char_start : one.char_end] for one in cited)
        assert not any(one.text.upper().startswith(("MIA STONE:", *(f"{n.upper()}:" for n in PEOPLE))) for one in cited)


def test_a_global_answer_begins_with_the_sentence_that_fits_best(example: Index) -> None:
    answer = ask(example, "Who proposed a large space telescope in 1946?", ("global", None))
    assert "Spitzer" in answer.citations[0].text and "1946" in answer.citations[0].text


def test_what_is_said_in_a_transcript_stands_below_who_says_it_and_where(talks: Index) -> None:
    for name, word, told in (("Ada Wren", "reefs", FIELDS[0]), ("Dee Park", "tools and seeds", FIELDS[3])):
        answer = ask(talks, f"What is said of {word}?", ("global", None)).answer
        assert answer.startswith(f"{name.upper()}, Open Waters with {name}: ") and told in answer


def test_guests_are_not_who_speaks_in_every_document(talks: Index) -> None:
    answer = ask(talks, "Which guests talk about Harbour College?", ("global", None))
    assert len(answer.citations) > 2 and "MIA STONE" not in answer.answer


def test_how_often_something_is_spoken_of_is_counted(talks: Index) -> None:
    texts = talks.text_units.text
    n = sum("reefs" in text for text in texts)
    answer = ask(talks, "How often are reefs mentioned?", ("global", None)).answer
    assert answer.startswith(f"Passages with forms of “reefs”: {n}, in 1 of 6 documents.\n\n")
    both = ask(talks, "How often do guests mention reefs or storks?", ("global", None)).answer
    assert "forms of “reefs”: 1, in 1; “storks”: 1, in 1; all of them: 0, in 0 of 6 documents." in both
    assert "Passages with forms of" not in ask(talks, "How often do night trains run?", ("global", None)).answer


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What different views on reefs do guests share?", ["reef"]),  # who speaks, and that it is said, is no topic
        ("Which open waters have reefs?", ["reef"]),  # what all titles say is about all of them
        ("What do guests share?", []),
    ],
)
def test_words_that_are_about_all_of_a_corpus_are_not_looked_for(talks: Index, question: str, asked: list[str]) -> None:
    assert [term for term in topic_terms(Query(question, 5).read_by(talks)) if talks.bm25.holds(term)] == asked

"""A question about the whole corpus is answered from its tables, whatever the method, and never refused."""

import re
from pathlib import Path

import pytest

from graphrag_lite import pipeline
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Ten notes: Ann Bell is in all, Rex Howe in those of 2021, Zoe Park in those of 2023."""
    root = tmp_path_factory.mktemp("overview")
    (root / "corpus").mkdir()
    for number in range(10):
        year, who = (2021, "Rex Howe") if number < 5 else (2023, "Zoe Park")
        text = f"Date: {year}-03-0{number % 5 + 1}\n\nAnn Bell met {who} in the harbour. {who} is a pilot of ship {number}."
        (root / "corpus" / f"note {number}.txt").write_text(text)
    return Index(pipeline.index(root / "corpus", root / "output", Settings()).snapshot)


@pytest.mark.parametrize("method", ["local", "basic", "global", "drift"])
@pytest.mark.parametrize(
    "question", ["Boil it down, please.", "Give me an overview.", "Worum geht es?", "主なテーマは何ですか？"]
)
def test_it_is_answered_in_any_wording_and_language(index: Index, method: str, question: str) -> None:
    answer = index.query(question, method)
    assert not answer.abstained and answer.citations
    assert answer.answer.startswith("10 documents, dated 2021-03-01 to 2023-03-05; ")


def test_counts_are_those_of_the_tables(index: Index) -> None:
    told = index.query("Who are the most important people?").answer
    people = dict(re.findall(r"([A-Z]\w+ [A-Z]\w+) \((\d+) documents\)", told))
    entities = index.entities.set_index("title")
    assert people and people == {name: str(entities.n_documents[name]) for name in people}
    assert next(iter(people)) == "Ann Bell"


def test_what_changed_is_told_by_who_is_named_in_either_period(index: Index) -> None:
    answer = index.query("What changed from 2021 to 2023?")
    more, less = (line for line in answer.answer.splitlines() if line.startswith(("More", "Less")))
    assert "Zoe Park (0% to 100%)" in more and "Rex Howe" not in more
    assert "Rex Howe (100% to 0%)" in less and "Ann Bell" not in more + less
    assert all("Zoe Park" in cited.text for cited in answer.citations) and answer.citations
    assert "No document is dated in 1999" in index.query("What changed from 1999 to 2023?").answer


def test_works_are_told_by_their_titles_and_many_by_the_longest(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    for number in range(1, 8):
        text = f"Emma Lark: a tale / part {number}\n\n" + "Emma Lark sailed to Oslo with Rex Howe. " * (
            400 if number == 7 else 1
        )
        (tmp_path / "corpus" / f"{number}.txt").write_text(text)
    one = Index(pipeline.index(tmp_path / "corpus", tmp_path / "one", Settings()).snapshot)
    assert one.query("What is this about?").answer.startswith("7 documents (Emma Lark: a tale)")
    changed = one.query("What changed?").answer
    assert "not dated" in changed
    for path in (tmp_path / "corpus").iterdir():
        path.write_text(f"Date: 1912-01-01\n\n{path.read_text().replace('tale / part', 'tale told by boat')}")
    several = Index(pipeline.index(tmp_path / "corpus", tmp_path / "several", Settings()).snapshot)
    assert "of 1912-01-01: what changed cannot be told" in several.query("What changed?").answer
    for path in (tmp_path / "corpus").iterdir():
        path.write_text(path.read_text().removeprefix("Date: 1912-01-01\n\n"))
    several = Index(pipeline.index(tmp_path / "corpus", tmp_path / "several", Settings()).snapshot)
    told = several.query("What is this about?").answer.splitlines()
    assert told[0].startswith("7 documents, ") and told[1].startswith(
        "Longest texts (of 7): Emma Lark: a tale told by boat 7; "
    )


def test_a_question_about_something_in_it_is_none_about_the_whole(index: Index) -> None:
    for question in ("What does Ann Bell say about the main themes?", "Who is Zoe Park?", "What changed for Ann Bell?"):
        assert not index.query(question).answer.startswith("10 documents"), question


@pytest.fixture(scope="module")
def tickets(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Twelve rows of a table: four of one title, three of another, the rest of their own."""
    root = tmp_path_factory.mktemp("tickets")
    own = ["Dark mode", "Broken link", "Wrong tax", "Lost mail", "Missing logo"]
    titles = ["Login fails"] * 4 + ["Slow export"] * 3 + own
    rows = [
        f"T-{n},{title},The {title.lower()} for the users of office {n} since they moved to the new server.,"
        f"{'Open' if n % 2 else 'Resolved'},{'Ann Bell' if n < 8 else 'Rex Howe'},2024-03-{n + 10}"
        for n, title in enumerate(titles)
    ]
    header = "id,title,text,Status,Assignee,timestamp"
    (root / "tickets.csv").write_text("\n".join([header, *rows]), encoding="utf-8")
    return Index(pipeline.index(root / "tickets.csv", root / "output", Settings()).snapshot)


@pytest.mark.parametrize("method", ["local", "basic", "global", "drift"])
def test_the_commonest_problems_are_the_titles_that_rows_share(tickets: Index, method: str) -> None:
    answer = tickets.query("What are the most common problems?", method)
    assert re.findall(r"(Login fails|Slow export|Dark mode) \((\d) documents\)", answer.answer) == [
        ("Login fails", "4"),
        ("Slow export", "3"),
    ]
    assert ["login fails" in answer.citations[0].text, "slow export" in answer.citations[1].text] == [True, True]


def test_problems_of_a_corpus_of_other_texts_are_not_told_by_its_titles(index: Index) -> None:
    assert not index.query("What are the most common problems?").answer.startswith("10 documents")


def test_values_of_a_table_are_counted_and_are_no_people(tickets: Index) -> None:
    lines = tickets.query("Give me an overview.").answer.splitlines()
    assert "Status: Open (6), Resolved (6)" in lines and "Assignee: Ann Bell (8), Rex Howe (4)" in lines
    people = [line for line in lines if line.startswith("People: ")]
    assert all("Resolved" not in line and "Open" not in line for line in people)


def test_who_disagrees_is_told_by_sentences_that_say_so(index: Index, tmp_path: Path) -> None:
    assert "No sentence speaks of disagreement." in index.query("What do they disagree about?").answer
    said = "Critics of the new harbour in Lisbon argued that the old bridge had served everyone for a century."
    text = f"Ann Bell built the harbour of Lisbon in a single year with forty people.\n\n{said}\n"
    (tmp_path / "harbour.txt").write_text(text, encoding="utf-8")
    made = Index(pipeline.index(tmp_path / "harbour.txt", tmp_path / "output", Settings()).snapshot)
    assert [cited.text for cited in made.query("What do they disagree about?").citations] == [said]


def test_who_speaks_is_told_of_a_disagreement(tmp_path: Path) -> None:
    said = "The debate about the old harbour of Lisbon has divided the whole town for three years."
    text = f"ANN BELL: We built the harbour in a year.\nREX HOWE: {said}\nANN BELL: So they say.\nREX HOWE: They do.\n"
    (tmp_path / "talk.txt").write_text(text, encoding="utf-8")
    made = Index(pipeline.index(tmp_path / "talk.txt", tmp_path / "output", Settings()).snapshot)
    assert f"REX HOWE: {said} [1]" in made.query("What do the speakers disagree about?").answer


def test_what_changed_is_told_by_the_newest_release_of_each_log(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    dated = "# Changelog\n\n## 1.0.0 (2024-03-01)\n\n- First release.\n\n## 1.1.0 (2024-05-02)\n\n- Add the drain command.\n"
    plain = "# History\n\n## 2.3\n\n* Read tables.\n* Write maps.\n\n## 2.2\n\n* Read mails.\n"
    (corpus / "CHANGELOG.md").write_text(dated, encoding="utf-8")
    (corpus / "HISTORY.md").write_text(plain, encoding="utf-8")
    answer = Index(pipeline.index(corpus, tmp_path / "output", Settings()).snapshot).query("What changed?")
    told = [cited.text for cited in answer.citations]
    assert told == ["1.1.0 (2024-05-02)", "Add the drain command.", "2.3", "Read tables.", "Write maps."]


def test_rows_of_one_table_are_compared_and_cells_are_no_themes(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    cars = [f"C-{n},{'Norway' if n < 6 else 'Japan'},{1990 + n}-01-02" for n in range(12)]
    boats = [f"B-{n},Blue,2020-01-0{n + 1}" for n in range(4)]
    (corpus / "cars.csv").write_text("\n".join(["id,Origin,timestamp", *cars]), encoding="utf-8")
    (corpus / "boats.csv").write_text("\n".join(["id,Paint,timestamp", *boats]), encoding="utf-8")
    index = Index(pipeline.index(corpus, tmp_path / "output", Settings()).snapshot)
    changed = index.query("What changed?").answer
    assert "Compared are the rows of cars.csv." in changed and "Norway (100% to 0%)" in changed
    assert "Blue" not in changed
    told = index.query("What is this about?")
    assert "cars.csv: 12 rows, with id, Origin, timestamp" in told.answer and not told.citations


@pytest.fixture(scope="module")
def chronicle(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Eight French chapters of one work, each headed by its title; in each, Ann Bell speaks to God and to Mr. Speaker."""
    root = tmp_path_factory.mktemp("chronicle")
    (root / "corpus").mkdir()
    for number in range(8):
        text = (
            f"# Harbour Chronicle / part {number + 1}\n\nAnn Bell est la pilote du navire {number} et elle habite à Brest."
            " Le soir, Ann Bell parle à God. Ann Bell a écrit à Mr. Speaker que le port de Brest est fermé."
        )
        (root / "corpus" / f"{number}.md").write_text(text)
    return Index(pipeline.index(root / "corpus", root / "output", Settings()).snapshot)


@pytest.mark.parametrize("question", ["Give me an overview.", "Dame un resumen", "What is the plot?"])
def test_it_is_told_of_texts_in_another_language(chronicle: Index, question: str) -> None:
    assert "entities in" in chronicle.query(question, "global").answer


def test_who_is_spoken_to_and_what_only_titles_name_is_not_listed(chronicle: Index) -> None:
    titles = {*chronicle.entities["title"]}
    assert any("Chronicle" in title for title in titles)
    lines = chronicle.query("Give me an overview.", "global").answer.partition("\n\n")[0].splitlines()[1:]
    told = "\n".join(lines)
    assert "Ann Bell (8 documents)" in told
    assert not re.search("Chronicle|Speaker|God", told)

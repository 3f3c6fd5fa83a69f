"""What headings and lists say is part of an answer: days and numbers of a log, items that a sentence announces."""

from pathlib import Path

import pytest

from graphrag_lite import pipeline
from graphrag_lite.search.answer import Statement
from graphrag_lite.search.extractive.reading_order import in_reading_order
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

RELEASES = [
    ("2.1.0", "2024-03-09", ["Add support for tidal pumps", "Drop support for wind gauges"]),
    ("2.0.0", "2023-11-20", ["Add the drain command", "Valves are closed at night"]),
    ("1.0.0", "2019-06-17", ["The first one for dikes, after two years of trials"]),
]
MANUAL = """# Velmo manual

Velmo keeps dikes dry.

## Alarms

There are three kinds of alarms:

- flood: raised by the gauge
- leak: raised by the pump
- theft: raised by the gate

Each of them can be silenced for an hour.

## Wardens

- Odile Brandt
- Pavel Novak

## Secretary Imre Toth

- Keeps the ledgers
"""


def _log(suffix: str) -> str:
    if suffix == "md":
        parts = (f"## {n} - {day}\n\n" + "".join(f"- {item}\n" for item in items) for n, day, items in RELEASES)
        return "# Changelog\n\nAll changes to Velmo.\n\n" + "\n".join(parts)
    if suffix == "rst":
        parts = (
            f"{n} - {day}\n------------------\n\n" + "".join(f"- {i}\n" for i in items) for n, day, items in RELEASES
        )
        return "Changelog\n=========\n\nAll changes to Velmo.\n\n" + "\n".join(parts)
    listed = (f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>" for _, _, items in RELEASES)
    heads = (f"<h2>{n} - {day}</h2>" for n, day, _ in RELEASES)
    parts = (head + items for head, items in zip(heads, listed, strict=True))
    return f"<title>Changelog</title><h1>Changelog</h1><p>All changes to Velmo.</p>{''.join(parts)}"


@pytest.fixture(scope="module", params=["md", "rst", "html"])
def index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Index:
    root = tmp_path_factory.mktemp("headings")
    (root / "corpus").mkdir()
    (root / "corpus" / f"changelog.{request.param}").write_text(_log(request.param))
    (root / "corpus" / "manual.md").write_text(MANUAL)
    return Index(pipeline.index(root / "corpus", root / "output", Settings()).snapshot)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("When was Velmo 1.0.0 released?", "Changelog: 1.0.0 - 2019-06-17"),
        ("Which release followed 1.0.0?", "Changelog: 2.0.0 - 2023-11-20"),
        ("Which version came before 2.1?", "Changelog: 2.0.0 - 2023-11-20"),
        ("When was the drain command added?", "2.0.0 - 2023-11-20: Add the drain command"),
        ("Which version dropped support for wind gauges?", "2.1.0 - 2024-03-09: Drop support for wind gauges"),
        ("What is the latest version of Velmo?", "Changelog: 2.1.0 - 2024-03-09"),
        ("What changed in version 2.0.0?", "2.0.0 - 2023-11-20: Add the drain command"),
    ],
)
def test_a_heading_says_when_and_in_which_version(index: Index, question: str, told: str) -> None:
    answer = index.query(question)
    first = answer.answer.partition(" [1]")[0].replace("• ", "")
    assert first == told
    text = index.documents.set_index("path").loc[answer.citations[0].path].text
    assert all(text[one.char_start : one.char_end] == one.text for one in answer.citations[:1])


def test_the_latest_version_of_something_else_is_not_told(index: Index) -> None:
    assert index.query("What is the latest version of Quorbit?").abstained


def test_the_day_of_a_release_that_no_log_has_is_not_told(index: Index) -> None:
    assert index.query("When was Velmo 2.0.1 released?").abstained


def test_a_line_below_a_heading_that_says_the_day_is_part_of_it(tmp_path: Path) -> None:
    parts = (f"{n}\n=====\nreleased on {day}\n\n* {items[0]}\n" for n, day, items in RELEASES)
    (tmp_path / "news.rst").write_text("Velmo news\n##########\n\n" + "\n".join(parts))
    index = Index(pipeline.index(tmp_path / "news.rst", tmp_path / "output", Settings()).snapshot)
    told = {
        "What is the newest Velmo release?": "Velmo news: 2.1.0 released on 2024-03-09",
        "When was the drain command added?": "2.0.0 released on 2023-11-20: Add the drain command",
    }
    for question, first in told.items():
        assert index.query(question).answer.partition(" [1]")[0].replace("• ", "") == first


def test_documents_of_one_release_each_are_a_log(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for n, day, items in RELEASES:
        (corpus / f"{n}.md").write_text(f"# Velmo {n}\n\nRelease date: {day}\n\n- {items[0]}\n- It needs Velmo.\n")
    (corpus / "manual.md").write_text(MANUAL)
    index = Index(pipeline.index(corpus, tmp_path / "output", Settings()).snapshot)
    told = {
        "When was Velmo 2.0.0 released?": "Velmo 2.0.0 Release date: 2023-11-20",
        "Which version came out on 17 June 2019?": "Velmo 1.0.0 Release date: 2019-06-17",
        "Which version came after 1.0.0?": "Velmo 2.0.0 Release date: 2023-11-20",
        "What is the latest version of Velmo?": "Velmo 2.1.0 Release date: 2024-03-09",
    }
    for question, first in told.items():
        assert index.query(question).answer.partition(" [1]")[0] == first
    assert index.query("When was Velmo 2.2 released?").abstained
    assert index.query("Which version came out on 18 June 2019?").abstained


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which kinds of alarms are there?", ["flood", "leak", "theft"]),
        ("Who are the wardens of Velmo?", ["Odile Brandt", "Pavel Novak"]),
        ("Who keeps the ledgers?", ["Secretary Imre Toth: Keeps the ledgers"]),
    ],
)
def test_a_list_is_told_with_what_announces_it(index: Index, question: str, told: list[str]) -> None:
    first = index.query(question).answer.partition(" [1]")[0]
    assert [one for one in told if one not in first] == []
    assert "silenced" not in first


def test_a_list_stands_where_its_best_item_does(index: Index) -> None:
    [row] = [row for row in range(index.n_rows("documents")) if "alarms" in index.document_text(row)]
    text = index.document_text(row)
    spans = [
        (at := text.index(said), at + len(said))
        for said in ("raised by the pump", "Each of them can be silenced for an hour.")
    ]
    spans.append((at := text.index("There are"), text.index("alarms:") + 7))
    units = index.units_at(row, [start for start, _ in spans])
    told = in_reading_order(index, [Statement(unit, *span) for unit, span in zip(units, spans, strict=True)])
    assert [text[one.start :].split()[0] for one in told] == ["There", "Each"]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a.md", "```sh\nvelmo drain --all\n```\n"),
        ("a.rst", "::\n\n    velmo drain --all\n"),
        ("a.html", "<pre>velmo drain --all</pre>"),
    ],
)
def test_code_is_told_with_what_announces_it(tmp_path: Path, name: str, code: str) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "manual.md").write_text(MANUAL)
    text = f"To drain the polder, run this command:\n\n{code}\n\nThe polder is dry an hour later.\n"
    (tmp_path / "corpus" / name).write_text(text if name != "a.rst" else text.replace(":\n\n::", "::"))
    index = Index(pipeline.index(tmp_path / "corpus", tmp_path / "output", Settings()).snapshot)
    first = index.query("How do I drain the polder?").answer.partition(" [1]")[0]
    assert first == "To drain the polder, run this command: velmo drain --all"


def test_a_term_with_a_short_meaning_is_an_answer(tmp_path: Path) -> None:
    made = {
        "Norwegian translation": "Ida Moe",
        "Swedish translation": "Olle Ek",
        "Manual": "Ann Pike, Bo Lund, Cy Dahl",
    }
    terms = "".join(f"<dt>{term}</dt><dd>{who}</dd>" for term, who in made.items())
    (tmp_path / "credits.html").write_text(f"<h1>Velmo</h1><p>Velmo keeps dikes dry all year long.</p><dl>{terms}</dl>")
    index = Index(pipeline.index(tmp_path / "credits.html", tmp_path / "output", Settings()).snapshot)
    answer = index.query("Who made the Swedish translation?").answer
    assert answer.partition(" [1]")[0] == "Swedish translation: Olle Ek"


def test_what_stands_below_a_question_is_its_answer_in_other_words(tmp_path: Path) -> None:
    faq = (
        "# Velmo FAQ\n\n## Does Velmo support parallel draining of dikes?\n\nNot yet, though it is planned. Help is welcome.\n\n"
        "## Draining\n\nSeveral pumps of Velmo can be used for draining without a warden. A dike has one gate.\n"
    )
    (tmp_path / "faq.md").write_text(faq)
    index = Index(pipeline.index(tmp_path / "faq.md", tmp_path / "output", Settings()).snapshot)
    first = index.query("Can Velmo drain several dikes in parallel?").answer.partition(" [1]")[0]
    assert first.endswith("Not yet, though it is planned.")

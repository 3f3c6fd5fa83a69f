"""What one has one of at a time, asked of a chat: the value that holds, and the one before it."""

import json
from pathlib import Path

import pytest

import graphrag_lite
from graphrag_lite import Index
from graphrag_lite.search.timeline import timeline

SAID = {
    "2023-01-05": "I live in Paris.",
    "2023-06-01": "I moved to Berlin, so I need a flat.",
    "2023-06-02": "Ana Ruiz now works at Acme Systems. She loves it.",
    "2024-02-02": "Guess what: Ana Ruiz has been hired by Beta Labs.",
    "2024-03-02": "Where is Ana Ruiz? I hope to move to Rome.",
    "2024-04-02": "Yesterday Bo Diaz met Cy Dee in a flat behind Acme Systems.",
}
OF_ANA = {
    "2023-01-10": "I live in Oslo and work at Norsk Data as a tester.",
    "2023-06-02": "I moved to Bergen last week.",
    "2023-09-15": "I started a new job at Vega on September 1st.",
    "2024-05-05": "I moved from Bergen to Trondheim yesterday.",
    "2025-01-03": "I quit my job at Vega last month.",
}


def chat(folder: Path, speaker: str, said: dict[str, str]) -> Index:
    rows = [
        {"id": f"a:{n}", "speaker": speaker, "conversation": "c", "timestamp": day, "text": text}
        for n, (day, text) in enumerate(said.items())
    ]
    (folder / "chat.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return graphrag_lite.index(folder / "chat.jsonl", folder)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return chat(tmp_path_factory.mktemp("chat"), "user", SAID)


@pytest.fixture(scope="module")
def of_ana(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return chat(tmp_path_factory.mktemp("ana"), "Ana Berg", OF_ANA)


@pytest.mark.parametrize(
    ("question", "options", "expected", "day"),
    [
        ("Where do I live?", {}, "Berlin (said 2023-06-01)", "2023-06-01"),
        ("Where did I live before Berlin?", {}, "Paris (2023-01-05 – 2023-06-01)", "2023-01-05"),
        ("Where did I live previously?", {}, "Paris (2023-01-05 – 2023-06-01)", "2023-01-05"),
        ("Where does Ana Ruiz work?", {}, "Beta Labs (said 2024-02-02)", "2024-02-02"),
        ("Where does Ana work?", {}, "Beta Labs (said 2024-02-02)", "2024-02-02"),
        (
            "Where does Ana Ruiz work?",
            {"valid_at": "2023-12-01"},
            "Acme Systems (2023-06-02 – 2024-02-02)",
            "2023-06-02",
        ),
        ("Where does Ana Ruiz work?", {"as_of": "2023-12-01"}, "Acme Systems (said 2023-06-02)", "2023-06-02"),
    ],
)
def test_a_value_and_the_one_before_it(
    index: Index, question: str, options: dict[str, str], expected: str, day: str
) -> None:
    answer = index.query(question, **options)
    assert expected in answer.answer
    assert [one.text for one in answer.citations] == [SAID[day].partition(". She")[0].rstrip(".") + "."]


@pytest.mark.parametrize(
    ("question", "expected", "days"),
    [
        ("Where does Ana work?", "Vega (2023-09 – 2024-12)", ["2023-09-15", "2025-01-03"]),
        ("Where did Ana Berg work?", "Vega (2023-09 – 2024-12)", ["2023-09-15", "2025-01-03"]),
        ("Where did Ana work before Vega?", "Norsk Data (2023-01-10 – 2023-09-01)", ["2023-01-10"]),
        ("Where did Ana live before Trondheim?", "Bergen (2023-05-22 – 2024-05-04)", ["2023-06-02"]),
        ("Where did Ana work in 2024?", "Vega (2023-09 – 2024-12)", ["2023-09-15", "2025-01-03"]),
        ("Where does Ana work in 2026?", "Vega (2023-09 – 2024-12)", ["2023-09-15", "2025-01-03"]),
        ("Where did Ana work in March 2023?", "Norsk Data (2023-01-10 – 2023-09-01)", ["2023-01-10"]),
        ("Where does Ana live?", "Trondheim (2024-05-04 – present)", ["2024-05-05"]),
    ],
)
def test_what_is_over_is_told_with_its_end_and_not_what_came_before_it(
    of_ana: Index, question: str, expected: str, days: list[str]
) -> None:
    answer = of_ana.query(question)
    assert answer.answer.startswith("Ana Berg ") and expected in answer.answer
    assert [one.text.removeprefix("Ana Berg: ") for one in answer.citations] == [OF_ANA[day] for day in days]


def test_of_a_time_in_which_one_value_followed_another_neither_is_the_answer(of_ana: Index) -> None:
    assert "works at" not in of_ana.query("Where did Ana work in 2023?").answer


def test_a_timeline_of_a_speaker_who_is_no_entity(index: Index) -> None:
    said = [(entry.valid_at, entry.object) for entry in timeline(index, "user") if entry.object]
    assert said == [("2023-01-05", "Paris"), ("2023-06-01", "Berlin")]


def test_a_timeline_of_a_name_has_what_names_it_and_of_words_what_holds_most_of_them(index: Index) -> None:
    assert [entry.valid_at for entry in timeline(index, "Acme Systems")] == ["2023-06-02", "2024-04-01"]
    assert [entry.valid_at for entry in timeline(index, "the flat in Berlin")] == ["2023-06-01"]


def test_what_no_fact_tells_is_left_to_the_search(index: Index) -> None:
    assert "(said" not in index.query("Where did Ana Ruiz work before Acme Systems?").answer
    assert "(said" not in index.query("Who leads Beta Labs?").answer

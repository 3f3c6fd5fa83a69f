"""Answers computed of dates, over a small chat: the number, both dates, both citations; nothing where a date is open."""

import json
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner

import graphrag_lite
from graphrag_lite.cli import main
from graphrag_lite.search.answer import NOTHING
from graphrag_lite.search.extractive.date_answers import OPEN
from graphrag_lite.search.index import Index
from graphrag_lite.search.timeline import timeline

SAID = [
    ("2024-02-01", "I started taking ukulele lessons with Rachel today, and it is fun."),
    ("2024-02-25", "I took my acoustic guitar to the tech for servicing today."),
    ("2024-03-05", "I sold the old piano three days ago, finally."),
    ("2024-03-05", "My mother repaired the violin, which is lovely."),
    ("2024-03-06", "I bought new drums about a month ago and a trumpet last week."),
    ("2024-03-07", "My harp concert in Bonn is on April 20, and I need to finish the harp piece by April 10."),
    ("2024-03-07", "The weather is fine and the garden is green."),
    ("2024-03-08", "I have been taking singing lessons with Mo, twice a week, for three months now."),
    ("2024-03-08", "I sent my flute for repair on March 2nd and got a tuba on March 4th."),
    ("2024-03-08", "My cousin Eva just played the oboe in public."),
    ("2024-03-08", "Ida played the oboe on the Sunday two weeks ago."),
    ("2024-03-08", "I heard a band in the park."),
    ("2024-03-08", "Gil Ott (born 4 May 1950) founded the choir."),
    ("2024-03-08", "In the end Gil Ott retired on 3 May 2015."),
    ("2024-03-08", "The choir's first singer was Jan Ek (2 June 1948 – 1 May 2001)."),
    ("2024-03-08", "Cy Dee led the brass band of Bonn from 2001 until 2006."),
    *(
        ("2024-03-08", f"The brewery {place} opened in {year}.")
        for place, year in zip("pqrst", [1990] * 4 + [1993], strict=True)
    ),
    ("2024-03-08", "Tour Mission 1 flew on 9 May 2012."),
    ("2024-03-08", "Tour Mission 2 flew on 1 June 2014."),
    ("2024-03-08", "Tour Mission 2 was cancelled on 1 July 2013, and was on again."),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    root = tmp_path_factory.mktemp("root")
    rows = [
        {"id": f"m{n}", "title": "chat", "timestamp": day, "speaker": "Ann", "text": text}
        for n, (day, text) in enumerate(SAID)
    ]
    (root / "chat.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return graphrag_lite.index(root / "chat.jsonl", root)


@pytest.mark.parametrize(
    ("question", "line", "cited"),
    [
        (
            "How many days passed between my ukulele lessons and taking the acoustic guitar to the tech?",
            "24 days: from 2024-02-01 to 2024-02-25.",
            ["m0", "m1"],
        ),
        ("How many days ago did I sell the old piano?", "6 days before 2024-03-08: 2024-03-02.", ["m2"]),
        (
            "Which did I buy first, the trumpet or the drums?",
            "the drums (2024-01-21 to 2024-02-19), before the trumpet (2024-02-26 to 2024-03-03).",
            ["m4"],
        ),
        ("How many days are there between finishing the harp piece and the harp concert?", "10 days", ["m5"]),
        ("Until when did Cy Dee lead the brass band?", "Until 2006.", ["m15"]),
        ("How many years did Cy Dee lead the brass band of Bonn?", "about 5 years: from 2001 to 2006.", ["m15"]),
        ("How long have I been taking singing lessons?", "about 3 months until 2024-03-08", ["m7"]),
        ("How many days are left until my harp concert?", "43 days after 2024-03-08: 2024-04-20.", ["m5"]),
        ("How many days ago did I buy the tuba?", "4 days before 2024-03-08: 2024-03-04.", ["m8"]),
        ("Who played the oboe first, Eva or Ida?", "Ida (2024-02-25), before Eva (2024-03-08).", ["m9", "m10"]),
        ("How old was Gil Ott when he retired?", "64 years: born 1950-05-04, 2015-05-03.", ["m12", "m13"]),
        ("How old was Gil Ott in 2000?", "49 or 50 years: born 1950-05-04.", ["m12"]),
        ("Who was born first, Gil Ott or Jan Ek?", "Jan Ek (1948-06-02), before Gil Ott (1950-05-04).", ["m12", "m14"]),
        ("How many years ago was the brewery opened?", "about 34 years before 2024-03-08: 1990.", ["m16"]),
        (
            "Which was first, Tour Mission 1 or Tour Mission 2?",
            "Tour Mission 1 (2012-05-09), before Tour Mission 2 (2014-06-01).",
            ["m21", "m22"],
        ),
        ("What did I sell six days ago?", "Dated 2024-03-02:", ["m2", "m8"]),
    ],
)
def test_what_is_computed_shows_its_dates_and_cites_them(
    index: Index, question: str, line: str, cited: list[str]
) -> None:
    answer = index.query(question)
    assert answer.answer.split("\n")[0].startswith(line)
    assert [one.document for one in answer.citations] == cited
    for one in answer.citations:
        assert f"[{one.n}]" in answer.answer and one.text == SAID[int(one.document[1:])][1]


@pytest.mark.parametrize(
    "question",
    [
        "How many days passed between my ukulele lessons and the repair of the violin?",
        "Which did I see first, the violin or the piano?",
        "How many days ago did I ride the camel?",
        "How many days are there between the drums and the trumpet?",  # of which the month alone is known
        "Until when did I take singing lessons?",  # which is not over
        "How many days passed between my ukulele lessons and the Bonn flood?",  # the name alone tells of no flood
    ],
)
def test_where_a_date_is_open_nothing_is_computed(index: Index, question: str) -> None:
    first = index.query(question).answer.split("\n")[0]
    assert first in (OPEN, NOTHING)


def test_what_was_said_later_is_not_computed_with(index: Index) -> None:
    question = "How many days passed between my ukulele lessons and taking the acoustic guitar to the tech?"
    assert not index.query(question, as_of="2024-02-20").answer.startswith("24")


def test_a_timeline_is_in_the_order_of_time_and_within_its_days(index: Index) -> None:
    entries = timeline(index, "Which instruments: ukulele, piano, drums, harp?")
    days = [entry.valid_at or entry.invalid_at for entry in entries]
    assert days == sorted(days) and len(days) >= 4
    assert all(entry.time_text in entry.source.text for entry in entries)
    later = timeline(index, "Which instruments: ukulele, piano, drums, harp?", first=date(2024, 4, 1))
    assert {entry.valid_at or entry.invalid_at for entry in later} == {
        "2024-01-21",
        "2024-02-01",
        "2024-04-20",
        "2024-04-11",
    }
    assert timeline(index, "camels") == []


def test_a_timeline_has_a_statement_once_that_names_both_of_those_asked_for(index: Index) -> None:
    entries = timeline(index, "Cy Dee and Bonn")
    assert len({(entry.source.char_start, entry.source.document, entry.time_text) for entry in entries}) == len(entries)
    assert [entry.source.document for entry in entries].count("m15") == 1


def test_the_command_prints_a_name_s_timeline(index: Index) -> None:
    root = str(index.folder.parents[2])
    shown = CliRunner().invoke(main, ["timeline", "Cy Dee", "--root", root])
    assert shown.exit_code == 0 and "2001-01-01 to 2006-12-31" in shown.output.replace("\n", " ")
    (entry,) = map(
        json.loads, CliRunner().invoke(main, ["timeline", "Cy Dee", "--root", root, "--json"]).output.splitlines()
    )
    assert (entry["subject"], entry["object"], entry["source"]["document"]) == ("Cy Dee", "Bonn", "m15")
    none = CliRunner().invoke(main, ["timeline", "Cy Dee", "--to", "1999", "--root", root])
    assert "dates nothing" in none.output
    assert CliRunner().invoke(main, ["timeline", "Cy Dee", "--to", "soon", "--root", root]).exit_code == 1


@pytest.mark.parametrize(
    ("text", "question", "line"),
    [
        (
            "Le concert de Lyon a eu lieu le 3 février 2024 devant deux mille personnes. La foire de Nantes a commencé"
            " le 20 février 2024 sous la pluie, et les gens sont venus de toute la région.",
            "Combien de jours se sont écoulés entre le concert de Lyon et la foire de Nantes ?",
            "17 days: from 2024-02-03 to 2024-02-20.",
        ),
        (
            "Die Messe in Köln begann am 5. Januar 2024 mit vielen Gästen und einem Fest. Der Kongress in Bremen war"
            " nicht weniger gut besucht und begann am 25. Januar 2024 im alten Rathaus der Stadt.",
            "Wie viele Tage liegen zwischen der Messe in Köln und dem Kongress in Bremen?",
            "20 days: from 2024-01-05 to 2024-01-25.",
        ),
        (
            "东京的展览会于2024年1月10日开幕，吸引了许多观众。大阪的音乐会在2024年2月9日举行，门票全部售完。",
            "东京的展览会和大阪的音乐会相隔多少天？",
            "30 days: from 2024-01-10 to 2024-02-09.",
        ),
    ],
)
def test_dates_are_computed_with_in_other_languages(tmp_path: Path, text: str, question: str, line: str) -> None:
    (tmp_path / "news.txt").write_text(text, encoding="utf-8")
    assert graphrag_lite.index(tmp_path / "news.txt", tmp_path).query(question).answer.startswith(line)

"""How something changed is told by dated documents in the order of time, a sentence of each."""

import json
from pathlib import Path

import pytest

import graphrag_lite
from graphrag_lite.search.index import Index

YEARS = range(2015, 2025)
SALES = "Sales of the Lumo lamp grew {n} percent."
NOISE = "The Lumo lamp came in {n} colours. We repaired the roof of the plant. Sales of chairs grew {m} percent."


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Ten reports, one a year, the newest first in the file, and a text without a date."""
    folder = tmp_path_factory.mktemp("reports")
    rows = [
        {
            "title": f"Holm Works, report {year}",
            "date": f"{year}-03-31",
            "text": f"{NOISE.format(n=year - 2010, m=2030 - year)} {SALES.format(n=3 * (year - 2000))} Thank you all.",
        }
        for year in reversed(YEARS)
    ]
    rows += [
        {
            "title": f"Call FY{22 + n // 4}Q{n % 4 + 1}",
            "date": f"{2022 + n // 4}-{3 * (n % 4) + 1:02}-15",
            "text": f"{NOISE.format(n=n, m=40 + n)} We expect the rent of the Lumo hall to grow {n} percent. "
            f"Rent of the Lumo hall grew {n + 60} percent. Thank you all.",
        }
        for n in range(8)
    ]
    rows.append({"title": "A history", "text": SALES.format(n=99)})
    Path(folder, "reports.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return graphrag_lite.index(folder, folder)


def told(index: Index, question: str, **options: str) -> list[str]:
    return [one.text for one in index.query(question, **options).citations]


@pytest.mark.parametrize(
    ("question", "years"),
    [
        ("How did sales of the Lumo lamp change over the years?", (2015, 2024)),
        ("What changed between the years in Lumo lamp sales?", (2015, 2024)),
        ("How have sales of the Lumo lamp developed since 2020?", (2020, 2024)),
        ("How did Lumo lamp sales change from 2017 to 2019?", (2017, 2019)),
        ("Wie haben sich die Lumo sales von 2017 bis 2019 entwickelt?", (2017, 2019)),
    ],
)
def test_each_period_tells_its_own_in_order(reports: Index, question: str, years: tuple[int, int]) -> None:
    found = told(reports, question)
    of_years = [SALES.format(n=3 * (year - 2000)) for year in range(years[0], years[1] + 1)]
    assert len(found) == min(8, len(of_years))
    assert [each for each in of_years if each in found] == found


def test_of_two_years_compared_no_other_is_told(reports: Index) -> None:
    assert told(reports, "Compare Lumo lamp sales in 2016 and 2019.") == [SALES.format(n=48), SALES.format(n=57)]


@pytest.mark.parametrize(
    ("question", "calls"),
    [
        ("Compare the rent of the Lumo hall in Q2 and Q4 of FY22.", (1, 3)),
        ("How did the rent of the Lumo hall differ between FY22Q4 and FY23Q3?", (3, 6)),
        ("How did the rent of the Lumo hall change from FY22Q3 to FY23Q1?", (2, 3, 4)),
        ("How has the rent of the Lumo hall changed since FY23Q2?", (5, 6, 7)),
    ],
)
def test_documents_of_a_series_are_compared_by_their_numbers(
    reports: Index, question: str, calls: tuple[int, ...]
) -> None:
    assert told(reports, question) == [f"Rent of the Lumo hall grew {n + 60} percent." for n in calls]


def test_of_recent_years_the_last_documents_are_told(reports: Index) -> None:
    asked = "How did sales of the Lumo lamp develop in recent years?"
    assert told(reports, asked)[-8:] == [SALES.format(n=3 * (year - 2000)) for year in range(2017, 2025)]


def test_each_sentence_stands_below_its_document_and_day(reports: Index) -> None:
    answer = reports.query("How did Lumo lamp sales change from 2017 to 2019?").answer
    assert answer.startswith("Holm Works, report 2017 (2017-03-31): Sales of the Lumo lamp grew 51 percent. [1]")


def test_what_is_dated_later_is_not_told(reports: Index) -> None:
    found = told(reports, "How did Lumo lamp sales change over the years?", as_of="2016-12-31")
    assert found == [SALES.format(n=45), SALES.format(n=48)]


def test_documents_that_only_share_a_name_tell_no_course(reports: Index) -> None:
    assert "-03-31): " not in reports.query("How did the repair policy of Lumo change over the years?").answer


@pytest.mark.parametrize(
    "question", ["How much did sales of the Lumo lamp grow?", "Which lamp has grown in sales over the years?"]
)
def test_what_asks_for_one_thing_gets_no_course(reports: Index, question: str) -> None:
    assert "-03-31): " not in reports.query(question).answer

"""Which rows, and how many: as many as the file has, each cited; and other questions are left alone."""

import csv
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import pytest

import graphrag_lite
from graphrag_lite.retrieval import file_tables
from graphrag_lite.retrieval.file_tables import amount
from graphrag_lite.search.index import Index

ROWS = [
    {
        "Key": f"T-{n}",
        "Subject": f"Printer {n} is slow",
        "Owner": ("Ann Lee", "Bo Diaz", "Zoë Núñez")[n % 3],
        "State": ("Open", "Resolved")[n % 2],
        "Level": ("Low", "High", "Critical", "High")[n % 4],
        "Labels": ("ink;urgent", "ink; driver", "paper")[n % 3],
        "opened_by": ("Lea Sand", "Kim Roe")[n % 2],  # who opened what is resolved
        "body": f"Since update {n} the printer of the office takes minutes for each page, whatever is printed.",
    }
    for n in range(1, 41)
]


def indexed(rows: list[dict[str, str]], path: Path) -> Index:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return graphrag_lite.index(path, path.parent)


@pytest.fixture(scope="module")
def printers(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return indexed(ROWS, tmp_path_factory.mktemp("table") / "printers.csv")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many tickets are critical?", {"Level": "Critical"}),
        ("Which tickets did Kim Roe open?", {"opened_by": "Kim Roe"}),
        ("Which are still open?", {"State": "Open"}),
        ("Which tickets does Ann Lee have?", {"Owner": "Ann Lee"}),
        ("Which printers are handled by Ann Lee?", {"Owner": "Ann Lee"}),  # the file is printers.csv
        ("How many open tickets does Bo Diaz have?", {"Owner": "Bo Diaz", "State": "Open"}),
        ("Which printers are owned by Ann Lee?", {"Owner": "Ann Lee"}),  # the field is owner
        ("How many are urgent?", {"Labels": "urgent"}),
        ("Which printers have labels ink and urgent?", {"Labels": "ink;urgent"}),
        ("How many did Zoë Núñez resolve?", {"Owner": "Zoë Núñez", "State": "Resolved"}),
    ],
)
def test_rows_are_counted_and_cited(printers: Index, question: str, expected: dict[str, str]) -> None:
    fitting = [row for row in ROWS if all(value in row[name] for name, value in expected.items())]
    answer = printers.query(question)
    assert answer.answer.startswith(f"{len(fitting)} of {len(ROWS)} ")
    shown = min(len(fitting), 20)
    assert len(answer.citations) == shown and set(answer.documents) == {row["Key"] for row in fitting}
    lines = [cited.text.partition(": ") for cited in answer.citations]
    assert all(expected[name] in value for name, _, value in lines)


@pytest.mark.parametrize(
    ("question", "first", "field"),
    [
        ("Who has the most printers?", "Bo Diaz has the most: 14 of 40.", "Owner"),
        ("Who opened the most?", "Kim Roe and Lea Sand have the most: 20 of 40.", "opened_by"),
        (
            "Which level do most open printers have?",
            "Critical and Low have the most: 10 of 20 with State: Open.",
            "Level",
        ),
    ],
)
def test_who_has_the_most_is_counted(printers: Index, question: str, first: str, field: str) -> None:
    answer = printers.query(question)
    assert answer.answer.splitlines()[0] == first
    assert all(cited.text.startswith(f"{field}: ") for cited in answer.citations)


def test_what_has_not_come_to_its_end_is_open(tmp_path: Path) -> None:
    states = ("To Do", "In Progress", "Done", "Won't do", "Closed")
    lines = [f"a{n},{states[n % 5]},The printer {n} of the office takes minutes for each page." for n in range(1, 31)]
    (tmp_path / "a.csv").write_text("\n".join(["id,status,report", *lines]))
    answer = graphrag_lite.index(tmp_path / "a.csv", tmp_path).query("Which tickets are still open?")
    assert answer.answer.startswith("18 of 30 have status: not Closed or Done.")


def test_where_all_is_done_none_is_open(tmp_path: Path) -> None:
    columns = [f"column {n}" for n in range(200)]  # a row of several text units, of which a later one has the cell
    row = ",".join(f"a value of column number {n}" for n in range(200))
    lines = [f"a{n},{row},{('Ann Lee', 'Bo Diaz')[n % 2]},Done" for n in range(1, 8)]
    (tmp_path / "a.csv").write_text("\n".join([",".join(["id", *columns, "owner", "status"]), *lines]))
    index = graphrag_lite.index(tmp_path / "a.csv", tmp_path)
    assert index.query("How many tickets are open?").answer == "0 of 7 have status: not Done."
    [cited] = index.query("What is the status of a7?").citations
    units = {unit["id"]: unit["text"] for unit in index.arrow("text_units").to_pylist()}
    assert cited.text == "status: Done" and cited.text in units[cited.text_unit_id]


@pytest.mark.parametrize(
    "question",
    [
        "Which printer takes minutes since update 7?",
        "Who has the most money?",
        "What is the salary of Ann Lee?",
        "How many employees does Ann Lee have?",
        "Why are critical printers slow?",
        "Why is T-7 resolved?",
        "What happens for each open page?",
    ],
)
def test_other_questions_are_answered_by_sentences(printers: Index, question: str) -> None:
    answer = printers.query(question).answer
    assert not re.match(r"\d+ of \d+ |T-7: Printer 7 is slow: \w+: ", answer) and "the most" not in answer


def test_a_day_hides_rows(tmp_path: Path) -> None:
    lines = [f"a{n},2024-0{n}-01,Open,The printer {n} of the office takes minutes for each page." for n in range(1, 7)]
    (tmp_path / "a.csv").write_text("\n".join(["id,created,state,report", *lines]))
    index = graphrag_lite.index(tmp_path / "a.csv", tmp_path)
    assert index.query("How many are open?", as_of="2024-03-15").answer.startswith("3 of 3 ")


def test_counts_of_a_word_are_no_count_of_rows(printers: Index) -> None:
    assert Counter(row["State"] for row in ROWS)["Open"] == 20
    assert not printers.query("How many pages does the printer of update 4 print?").answer.startswith("20 of")


def test_what_a_row_says_stands_below_its_title(printers: Index) -> None:
    answer = printers.query("Who takes care of the slow printer 7?").answer
    assert re.match(r"T-7: Printer 7 is slow: .*Owner: Bo Diaz", answer)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What level does T-7 have?", "Level: High"),
        ("Who is the owner of T-7?", "Owner: Bo Diaz"),
        ("Who owns T-7?", "Owner: Bo Diaz"),
        ("Which level has printer 7 is slow?", "Level: High"),
    ],
)
def test_a_cell_is_asked_by_its_label(printers: Index, question: str, first: str) -> None:
    answer = printers.query(question)
    assert answer.citations[0].text == first and "State" not in answer.answer


def test_a_cell_is_told_however_few_passages_are_asked_for(printers: Index) -> None:
    assert printers.query("Who is the owner of T-7?", top_k=1).citations[0].text == "Owner: Bo Diaz"


INVOICES = [
    {
        "Invoice": f"INV-{n}",
        "Customer": ("Vega Ltd", "Orion GmbH", "Lyra SA")[n % 3],
        "Amount": f"{n * 37 % 90 + 10}.{n % 4 * 25:02}",
        "Paid": ("yes", "no")[n % 2],
        "Country": ("Germany", "United States", "France", "Spain")[n % 4],
        "Bonus": ("€ 5", "$ 7")[n % 2],
    }
    for n in range(101, 113)
]


@pytest.fixture(scope="module")
def invoices(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return indexed(INVOICES, tmp_path_factory.mktemp("invoices") / "invoices.csv")


@pytest.mark.parametrize(
    ("question", "of", "computed"),
    [
        ("What is the total of the invoices from Vega Ltd?", {"Customer": "Vega Ltd"}, sum),
        ("What is the sum of the unpaid invoices?", {"Paid": "no"}, sum),
        ("What is the average amount of Orion GmbH?", {"Customer": "Orion GmbH"}, fmean),
        ("What is the largest amount?", {}, max),
        ("Which is the smallest invoice?", {}, min),
    ],
)
def test_numbers_of_a_column_are_computed_of_the_rows_asked_for(
    invoices: Index, question: str, of: dict[str, str], computed: Callable[[list[float]], float]
) -> None:
    fitting = [row for row in INVOICES if of.items() <= row.items()]
    answer = invoices.query(question)
    assert f"{computed([float(row['Amount']) for row in fitting]):,.2f}, of {len(fitting)} rows." in answer.answer
    assert set(answer.documents) <= {row["Invoice"] for row in fitting}
    assert all(cited.text in {f"Amount: {row['Amount']}" for row in fitting} for cited in answer.citations)


@pytest.mark.parametrize(
    ("question", "of"),
    [
        ("How many invoices are paid?", {"Paid": "yes"}),
        ("Which invoices are not paid?", {"Paid": "no"}),
        ("Which invoices of Vega Ltd are paid?", {"Customer": "Vega Ltd", "Paid": "yes"}),
        ("How many invoices of the United States are paid?", {"Country": "United States", "Paid": "yes"}),
        ("How many invoices of the States are unpaid?", {"Country": "United States", "Paid": "no"}),
    ],
)
def test_a_column_of_yes_and_no_is_asked_by_its_name(invoices: Index, question: str, of: dict[str, str]) -> None:
    fitting = {row["Invoice"] for row in INVOICES if of.items() <= row.items()}
    answer = invoices.query(question)
    assert answer.answer.startswith(f"{len(fitting)} of {len(INVOICES)} ") and set(answer.documents) == fitting


@pytest.mark.parametrize(
    "question",
    ["What does amount mean?", "Which are at least paid?", "What is the total bonus?", "What is the largest bonus?"],
)
def test_nothing_is_computed_that_is_not_asked_or_does_not_add_up(invoices: Index, question: str) -> None:
    assert " rows." not in invoices.query(question).answer


def test_another_of_a_shared_name_is_not_meant(printers: Index) -> None:
    assert "Ann Lee" in printers.query("How many printers does Ann have?").answer
    assert "Ann Lee" not in printers.query("How many printers does Ann Roth have?").answer.partition("\n")[0]


def test_digits_of_any_script_are_numbers_and_long_ids_none() -> None:
    assert [amount(value) for value in ("١٢", "１２", "9" * 40)] == [12, 12, None]


FISH = ["Lake,Depth_in_m,Species,First seen,maxTemp,nCatches", *(
    f"{lake},{depth},{species},{year}-0{n + 1}-1{n},{10 + 3 * n}.5,{n * 70 % 130}"
    for n, (lake, depth, species, year) in enumerate(
        [("Loch Moy", 40, "Sea trout", 2019), ("Loch Moy", 12, "Perch", 2020), ("Lake Orta", 143, "Perch", 2020),
         ("Lake Orta", 60, "Sea trout", 2021), ("Mjøsa", 453, "Perch", 2022)]
    )
)]  # fmt: skip


@pytest.fixture(scope="module")
def catches(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Two tables without a sentence, which share a name of a column."""
    folder = tmp_path_factory.mktemp("catches")
    (folder / "fish.csv").write_text("\n".join(FISH), encoding="utf-8")
    people = [f"{name},{30 + n},{('male', 'female')[n % 2]},Perch" for n, name in enumerate(("Ann", "Bo", "Cy", "Di"))]
    (folder / "anglers.csv").write_text("\n".join(["First Name,Age,Sex,Species", *people]))
    (folder / "crew.csv").write_text("first_name,last_name,age\nAnn,Roe,61\nAnn,Lee,19\nBo,Diaz,33\n")
    lakes = ["Moy", "Orta", "Lom", "Ness", *(f"Isle {n}" for n in range(8))]
    regattas = [{"name": name, "cups": {"gold": n, "total": 2 * n}} for n, name in enumerate(lakes)]
    (folder / "regattas2014.json").write_text(json.dumps({"count": 12, "data": regattas}))
    (folder / "rowers.csv").write_text(
        'Name,          Medal,    Year\n"Holm, Mr Ola J", "GOLD",   1936\n"Berg, Ada", "SILVER", 1936\n'
        '"Dahl, Eva",   "GOLD",   1948\n"Roe, Bo", "SILVER", 1948\n"Lund, Mia", "SILVER", 1952\n"Vik, Jan", "GOLD", 1952\n'
    )
    (folder / "dk_ferries.csv").write_text("Year,Ferries,Passengers\n1950,12,99000\n1951,14,91000\n1952,9,97000\n")
    return graphrag_lite.index(folder, folder)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which lake is the deepest of the fish data?", "The corpus does not say"),  # no list says what deep is
        ("Which lake has the greatest depth?", "Largest Depth_in_m: 453, of 5 rows.\n\nMjøsa: Depth_in_m: 453 [1]"),
        ("Which lake had the most catches?", "Largest nCatches: 80"),
        ("hottest fish in 2020?", "Largest maxTemp, First seen: 2020: 16.5, of 2 rows."),
        ("When was the hottest fish?", "Largest maxTemp: 22.5, of 5 rows.\n\nMjøsa: First seen: 2022-05-14 [1]"),
        ("How many sea trouts are in the fish table?", "2 of 5 have Species: Sea trout."),
        ("How many fish were first seen in 2020?", "2 of 5 have First seen: 2020."),
        ("Which fish have a depth of 143?", "1 of 5 has Depth_in_m: 143.\n- Lake Orta [1]"),
        ("max temp of Perch in 2022", "Species: Perch and First seen: 2022: maxTemp: 22.5 [1]"),
        ("max temp of Perch in 2023", "The corpus does not say."),
        ("How many women are among the anglers?", "2 of 4 have Sex: female."),
        ("Who is the oldest of the crew?", "Largest age: 61, of 3 rows.\n\nAnn Roe: age: 61 [1]"),
        ("What is the age of Ann Lee?", "Ann Lee: age: 19 [1]"),
        ("Which regatta had the most cups overall in 2014?", "Largest cups.total: 22, of 12 rows."),
        ("Did Lom or Ness have more gold cups?", "Ness: cups.gold: 3 [1]\n\nLom: cups.gold: 2 [2]"),
        ("Who won gold among the rowers in 1936?", "1 of 6 has Medal: GOLD and Year: 1936.\n- Holm, Mr Ola J [1]"),
        ("Which medal did Ola Holm take?", "Holm, Mr Ola J: Medal: GOLD [1]"),
        ("Is the medal of Eva Dahl gold or silver?", "Dahl, Eva: Medal: GOLD [1]"),
        ("How many people are among the anglers?", "4 rows in anglers.csv."),
        ("How many passengers were there in 1951?", "Year: 1951: Passengers: 91000 [1]"),
        ("How many passengers were there in 1960?", "The corpus does not say."),
    ],
)
def test_tables_of_numbers_are_asked_by_field_value_and_file(catches: Index, question: str, said: str) -> None:
    assert catches.query(question).answer.startswith(said)


def test_a_large_table_is_not_read_for_other_questions(catches: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_tables.FileTable, "columns", property(lambda _table: pytest.fail("its cells are read")))
    assert catches.query("Why is the sky blue?").abstained


@pytest.fixture(scope="module")
def animals(tmp_path_factory: pytest.TempPathFactory) -> Index:
    rows = [
        {
            "ring": f"R{n:03}",
            "Body Mass (g)": str(700 + (n * 37) % 101),
            "height": str(30 + n),
            "death_date": f"2021-03-{n:02}",
            "food": ("fish", "grass", "seeds")[n % 3],
            "grams_fed": str(10 * n),
            "distance_flown": str(1000 - 3 * n),
            "start": str(1900 + n),
            "end": str(1950 + n),
        }
        for n in range(1, 25)
    ]
    return indexed(rows, tmp_path_factory.mktemp("animals") / "birds.csv")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "How heavy was the heaviest bird?",
            f"Largest Body Mass (g): {max(700 + (n * 37) % 101 for n in range(1, 25))}, of 24 rows.",
        ),
        ("Which bird has flown the furthest?", "Largest distance_flown: 997, of 24 rows."),
        ("Which bird ringing has the longest distance?", "Largest distance_flown: 997, of 24 rows."),
        ("How far did R004 fly?", "distance_flown: 988"),
        ("How tall is R007?", "height: 37"),
        ("How heavy is R002?", "Body Mass (g): 774"),
        ("When did R011 die?", "death_date: 2021-03-11"),
        ("How much was R005 fed?", "grams_fed: 50"),
        ("How long was R009 kept?", "start: 1909 [1] end: 1959 [2]"),
        ("How many of the dead ate grass?", "8 of 24 have food: grass."),
    ],
)
def test_what_a_field_says_is_asked_by_other_words(animals: Index, question: str, expected: str) -> None:
    assert expected in animals.query(question).answer


def test_rows_of_one_name_are_told_once(tmp_path: Path) -> None:
    rows = [{"species": ("Blue Gull", "Red Teal")[n % 2], "weight": str(n)} for n in range(24)]
    answer = indexed(rows, tmp_path / "birds.csv").query("How many Blue Gull birds are there?")
    assert answer.answer == "12 of 24 have species: Blue Gull.\n- Blue Gull (12 rows) [1]"
    assert len(answer.documents) == 12


def test_what_is_counted_in_a_row_is_not_rows(tmp_path: Path) -> None:
    boats = [*map(str, range(1, 15)), "C", "D"]
    lines = [
        f"1912-04-15 0{n % 3}:{3 * n:02},{('Port', 'Starboard')[n % 2]},{boat},{n},{60 + n}"
        for n, boat in enumerate(boats)
    ]
    (tmp_path / "Liferafts.csv").write_text("\n".join(["launch,side,raft,men,seats", *lines]))
    index = graphrag_lite.index(tmp_path / "Liferafts.csv", tmp_path)
    assert index.query("How many people were in liferaft 8?").answer == "raft: 8: men: 7 [1] seats: 67 [2]"
    assert index.query("How many liferafts were on the port side?").answer.startswith("8 of 16 have side: Port.")


def test_a_year_in_the_name_of_a_file_chooses_its_table(tmp_path: Path) -> None:
    medals = [f"{name},{n}" for n, name in enumerate(("Norway", "Russia", "Latvia", "Japan", "Italy", "China", "Peru"))]
    (tmp_path / "games2014.csv").write_text("\n".join(["team,medals", *medals]))
    runs = [f"Ann Roe {n},Norway,GOLD,{1960 + 4 * n}" for n in range(9)]
    (tmp_path / "sprint.csv").write_text("\n".join(["name,team,medal,year", *runs]))
    index = graphrag_lite.index(tmp_path, tmp_path / "root")
    assert "Peru: medals: 6" in index.query("Which team won the most medals in 2014?").answer
    assert index.query("Which team won the most medals in 2015?").abstained

"""Tables whose columns nobody has named: what each holds is told by its values, and a row is a card."""

import json
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_lite.read import rows
from graphrag_lite.read.columns import detect_columns
from graphrag_lite.read.documents import Fields, Loaded
from graphrag_lite.read.json_values import Listed
from graphrag_lite.read.readers import all_readers
from graphrag_lite.read.rows import Row

TICKETS = Path(__file__).parents[3] / "shared" / "data" / "reading" / "tickets" / "jira_export_2026.csv"
PEOPLE = ("Ann Lee", "Bo Diaz", "Zoë Núñez")
TABLE = [
    {
        "Nr": f"T-{n}",
        "Topic": f"Printer {n} is slow",
        "Opened": f"2024-03-{n:02} 10:00",
        "Owner": PEOPLE[n % 3],
        "State": ("open", "closed")[n % 2],
        "Hours": str(n * 1.5),
        "Report": f"Since update {n} the printer of the office takes minutes for each page. Nobody knows why.",
        "Answer": f"We replaced cartridge {n} and it has printed every page at once since that day.",
    }
    for n in range(1, 13)
]  # fmt: skip


def csv(rows: Sequence[dict[str, str]]) -> bytes:
    lines = [",".join(rows[0]), *(",".join(f'"{cell}"' for cell in row.values()) for row in rows)]
    return "\n".join(lines).encode()


def test_columns_are_told_by_their_values_whatever_their_names_and_order() -> None:
    columns = detect_columns(list(TABLE[0]), TABLE)
    assert (columns.key, columns.title, columns.time) == ("Nr", "Topic", "Opened")
    assert columns.texts == ("Report", "Answer")
    assert columns.kinds == {"Owner": "person", "State": "value"}
    plain = {name: f"c{place}" for place, name in enumerate(reversed(TABLE[0]))}
    rows = [{plain[name]: row[name] for name in plain} for row in TABLE]
    told = detect_columns(list(rows[0]), rows)
    assert (told.key, told.title, told.time) == (plain["Nr"], plain["Topic"], plain["Opened"])
    assert set(told.texts) == {plain["Report"], plain["Answer"]} and plain["State"] in told.kinds


def test_a_row_is_a_card_with_its_texts_below() -> None:
    item = list(all_readers().read(csv(TABLE), "a.csv", Fields()))[2]
    assert isinstance(item, Loaded)
    assert (item.source_id, item.title, item.created_at) == ("T-3", "T-3: Printer 3 is slow", "2024-03-03T10:00:00")
    assert item.text.startswith(
        "Nr: T-3\nOpened: 2024-03-03 10:00\nOwner: Ann Lee\nState: closed\nHours: 4.5\n\nSince update"
    )
    assert "\n\n## Answer\n\nWe replaced cartridge 3" in item.text
    cells = {block.label: item.text[block.char_start : block.char_end] for block in item.blocks if block.kind != "card"}
    assert cells == {"Nr": "T-3", "Owner": "Ann Lee", "State": "closed"}
    assert item.metadata == {"Owner": "Ann Lee", "State": "closed", "Hours": "4.5"}


def test_issues_as_a_program_exports_them_tell_who_has_them_and_what_was_said() -> None:
    comment = {"author": {"login": "bo"}, "body": "Confirmed, and it is the same with each of the other two printers."}
    rows = [{"number": n, "title": f"Printer {n} is slow", "assignees": [{"login": ("ann", "bo")[n % 2]}],
             "body": f"Since update {n} it takes minutes for each page.", "comments": [comment]} for n in range(1, 7)]  # fmt: skip
    first = next(iter(all_readers().read(json.dumps(rows).encode(), "issues.json", Fields())))
    assert isinstance(first, Loaded) and first.metadata["assignees"] == "bo"
    assert "assignees: bo" in first.text and "bo: Confirmed" in first.text


def test_a_named_text_column_is_taken_and_nothing_is_told() -> None:
    item = next(iter(all_readers().read(csv(TABLE), "a.csv", Fields(text="Report"))))
    assert isinstance(item, Loaded) and item.text == TABLE[0]["Report"] and not item.blocks


def test_rows_of_short_cells_are_called_by_the_column_that_tells_them_apart() -> None:
    data = b"price,fruit,colour\n3,Apple,red\n2,Pear,green\n1,Plum,blue\n7,Quince,yellow\n"
    items = [item for item in all_readers().read(data, "a.csv", Fields()) if isinstance(item, Loaded)]
    assert [(item.title, item.text) for item in items][:2] == [
        ("Apple", "price: 3\ncolour: red"),
        ("Pear", "price: 2\ncolour: green"),
    ]


def test_a_column_of_companies_holds_no_people() -> None:
    rows = [row | {"Owner": f"{row['Owner']} {'Ltd' if n % 3 else ''}".strip()} for n, row in enumerate(TABLE)]
    assert detect_columns(list(rows[0]), rows).kinds["Owner"] == "organization"


def test_real_tickets() -> None:
    if not TICKETS.exists():
        pytest.skip("the development data is not here")
    items = [item for item in all_readers().read(TICKETS.read_bytes(), "t.csv", Fields()) if isinstance(item, Loaded)]
    assert len(items) == 48 and items[0].title == "SUP-4106: Login loop after SSO migration"
    assert {block.kind for item in items for block in item.blocks if block.label == "Assignee"} == {"person"}
    assert all(item.created_at.startswith("2026-") for item in items)


CELL = st.one_of(st.none(), st.text(max_size=30), st.integers(), st.floats(), st.lists(st.text(max_size=3)))


@given(st.lists(st.dictionaries(st.sampled_from("abcde"), CELL), min_size=1, max_size=6))
@settings(deadline=None, max_examples=100)
def test_blocks_are_places_in_the_text_whatever_the_cells(rows: list[dict[str, object]]) -> None:
    import json

    data = "\n".join(map(json.dumps, rows)).encode()
    for item in all_readers().read(data, "a.jsonl", Fields()):
        for block in item.blocks if isinstance(item, Loaded) else ():
            assert 0 <= block.char_start < block.char_end <= len(item.text)
            assert item.text[block.char_start : block.char_end].strip()


def test_of_a_long_table_few_rows_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    class Values(dict[str, Any]):
        pass

    alive: list[weakref.ref[Values]] = []

    def rows_of_file() -> Iterator[Row]:
        for number in range(100):
            values = Values(status=("open", "closed")[number % 2], body=f"The pump number {number} leaks since Monday.")
            alive.append(weakref.ref(values))
            yield Row(number, values)

    monkeypatch.setattr(rows, "MANY", 10)
    most = 0
    for item in rows.row_documents(Listed(rows_of_file), "a.jsonl", Fields()):
        assert isinstance(item, Loaded) and item.text.startswith("status: ")
        most = max(most, sum(each() is not None for each in alive))
    assert most < 20


def test_a_bank_statement_begins_below_its_account() -> None:
    head = '"Konto:";"DE89"\n"Zeitraum:";"01.01.2025 - 31.01.2025"\n\n"Buchungstag";"Art";"Zweck";"Betrag"\n'
    rows = "".join(
        f'"{n:02}.01.2025";"{("Lastschrift", "Gutschrift")[n % 2]}";"Miete {n}";"-{n},10"\n' for n in range(1, 9)
    )
    items = [item for item in all_readers().read((head + rows).encode(), "a.csv", Fields()) if isinstance(item, Loaded)]
    assert len(items) == 8 and items[0].title == "Miete 1" and items[0].created_at == "2025-01-01"
    assert {block.label for block in items[0].blocks if block.kind != "card"} == {"Art"}


def test_a_time_is_no_title_and_columns_of_one_name_are_a_list() -> None:
    lines = [
        f'{n:02}/Jan/24 9:00 AM,Printer {n} is slow in the morning and since update {n},Ink,{("Wet", "Old")[n % 2]},{n}:30,'
        f'"Since update {n} the printer takes minutes, and we do not know why."\n'
        for n in range(1, 13)
    ]  # fmt: skip
    data = "Created,Summary,Labels,Labels,Took,Text of it\n" + "".join(lines)
    item = next(iter(all_readers().read(data.encode(), "a.csv", Fields())))
    assert isinstance(item, Loaded) and item.created_at == "2024-01-01T09:00:00"
    assert item.title == "Printer 1 is slow in the morning and since update 1"
    assert "Labels: Ink; Old\n" in item.text


def test_what_is_called_a_name_names_rows_though_it_is_one_word() -> None:
    rows = [
        {"details": "--" if n % 4 else f"Poet number {n} wrote nothing that was kept by anybody.", "name": name}
        for n, name in enumerate("李白杜甫白居易王維孟浩然")
    ]
    found = detect_columns(list(rows[0]), rows)
    assert (found.title, found.texts) == ("name", ("details",))


def test_what_programs_write_before_each_row_names_it_or_counts_and_what_they_write_for_no_value_is_none() -> None:
    named = b'"","dist","time"\n"Ben Nevis",10,NA\n"Cow Hill",2,17.9\n"Largo Law",5,28.5\n'
    items = [item for item in all_readers().read(named, "a.csv", Fields()) if isinstance(item, Loaded)]
    assert [(item.title, item.text) for item in items][:2] == [
        ("Ben Nevis", "dist: 10"),
        ("Cow Hill", "dist: 2\ntime: 17.9"),
    ]
    assert items[0].source_id == "a.csv:2"
    assert "timestamp" not in items[0].metadata and items[1].metadata == {"dist": "2", "time": "17.9"}
    counted = b"Unnamed: 0,name,area\n0,Oslo,454\n1,Bergen,NULL\n2,Tromso,2519\n"
    items = [item for item in all_readers().read(counted, "a.csv", Fields()) if isinstance(item, Loaded)]
    assert [(item.title, item.text) for item in items] == [
        ("Oslo", "area: 454"), ("Bergen", "name: Bergen"), ("Tromso", "area: 2519")
    ]  # fmt: skip


def test_na_is_a_code_among_codes() -> None:
    data = b"name,country,region\nOslo,NO,x\nWindhoek,NA,NA\nRome,IT,y\n"
    items = [item for item in all_readers().read(data, "a.csv", Fields()) if isinstance(item, Loaded)]
    assert items[1].text == "country: NA"


def test_a_separator_stated_for_excel_is_no_name() -> None:
    data = b"sep=;\r\nname;text\r\nAnn, Lee;Lives in Oslo, since May.\r\nBo;Moved to Rome, and lives there.\r\n"
    items = [item for item in all_readers().read(data, "a.csv", Fields()) if isinstance(item, Loaded)]
    assert [(item.source_id, item.text) for item in items] == [
        ("a.csv:3", "Lives in Oslo, since May."),
        ("a.csv:4", "Moved to Rome, and lives there."),
    ]


def test_cells_beyond_the_columns_are_no_name_of_a_row() -> None:
    data = b"name,country\nOslo,NO,capital\nRome,IT,capital\n"
    items = [item for item in all_readers().read(data, "a.csv", Fields()) if isinstance(item, Loaded)]
    assert [(item.source_id, item.title) for item in items] == [("a.csv:2", "Oslo"), ("a.csv:3", "Rome")]
    assert items[0].text == "country: NO\ncapital"


def test_a_column_of_numbers_is_no_text_whatever_its_name() -> None:
    data = b"name,body,brain\nGiraffe,529,680\nCow,465,423\nGoat,27.66,115\n"
    items = [item for item in all_readers().read(data, "a.csv", Fields()) if isinstance(item, Loaded)]
    assert [(item.title, item.text) for item in items][:1] == [("Giraffe", "body: 529\nbrain: 680")]


def test_a_row_of_a_name_alone_is_told() -> None:
    items = list(all_readers().read(b"name\nAnn\nBob\nCid\n", "a.csv", Fields()))
    assert [(item.title, item.text) for item in items if isinstance(item, Loaded)][:1] == [("Ann", "name: Ann")]


def test_a_table_whose_first_line_is_a_row_has_no_names_of_columns() -> None:
    rows = "2024-01-01,Ann Lee,paid the rent,100\n2024-02-01,Bo Diaz,paid the phone,40\n2024-03-01,Ann Lee,bought chairs,70\n2024-04-01,Bo Diaz,sold chairs,9\n"
    items = [item for item in all_readers().read(rows.encode(), "a.csv", Fields()) if isinstance(item, Loaded)]
    assert [(item.created_at, item.title) for item in items][:2] == [
        ("2024-01-01", "paid the rent"), ("2024-02-01", "paid the phone")
    ]  # fmt: skip
    assert items[0].text == "column 1: 2024-01-01\ncolumn 2: Ann Lee\ncolumn 4: 100"
    years = "city,2020-01-01,2021-01-01\nOslo,1.5,2\nBergen,3,4\n"
    items = [item for item in all_readers().read(years.encode(), "a.csv", Fields()) if isinstance(item, Loaded)]
    assert [item.text for item in items] == ["2020-01-01: 1.5\n2021-01-01: 2", "2020-01-01: 3\n2021-01-01: 4"]

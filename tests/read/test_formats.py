"""Readers: what each format gives, and what each kind of damage gives."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_lite.read.documents import Fields, Loaded, Unreadable
from graphrag_lite.read.readers import all_readers


def loaded(data: str | bytes, path: str, **fields: str) -> list[Loaded | Unreadable]:
    return list(all_readers().read(data if isinstance(data, bytes) else data.encode(), path, Fields(**fields)))


def one(data: str | bytes, path: str, **fields: str) -> Loaded:
    (item,) = loaded(data, path, **fields)
    assert isinstance(item, Loaded), item
    return item


def error(data: str | bytes, path: str) -> Unreadable:
    (item,) = loaded(data, path)
    assert isinstance(item, Unreadable), item
    return item


def test_plain_text() -> None:
    item = one("The Launch\n\nDate: 1990-04-24\n\nIt flew.", "notes/a.txt")
    assert item == Loaded("notes/a.txt", "The Launch", "The Launch\n\nDate: 1990-04-24\n\nIt flew.", "1990-04-24")
    assert one("It flew.\n\nIt landed.", "a.txt").title == "", "a sentence is no title"
    assert one("x" * 81 + "\n\ny", "a.txt").title == ""
    assert one("Velm NEWS   -*- outline -*-\n\nIt flew.", "a.txt").title == "Velm NEWS", "what an editor is told"
    assert one("\r\nLaunch\r\n\r\nIt flew.", "a.txt").title == "Launch"


def test_a_page_of_a_manual_has_no_running_head_and_is_called_by_what_it_is_on() -> None:
    page = "CUT(1)\t  User Commands\t CUT(1)\n\nNAME\n       cut, chop - remove sec‐\n       tions of lines\n\nIt cuts.\n\n2.1  May  CUT(1)\n"
    item = one(page, "cut.txt")
    assert item.title == "cut, chop - remove sections of lines"
    assert item.text == "NAME\n       cut, chop - remove sections of lines\n\nIt cuts.\n"
    assert one("CUT(1)\t  Commands\t CUT(1)\n\nIt cuts.", "cut.txt").title == "CUT(1)"


def test_a_bold_name_above_a_speech_is_its_speaker() -> None:
    play = "**HAMLET**  \nTo be, or  \nnot.\n\n**Exit.**  \nIt rains.\n\n**Bold** and  \nmore."
    assert one(play, "a.md").text == "HAMLET: To be, or not.\n\nExit. It rains.\n\nBold and more."


def test_markdown() -> None:
    item = one("---\ndate: 2024-03-01\n---\n\n## Over ##\n\n# The Launch #\n\nIt flew.", "a.md")
    assert (item.title, item.created_at) == ("The Launch", "2024-03-01")
    assert one("no heading, #tag", "a.md").title == ""


def test_html() -> None:
    item = one("<title>T</title><meta name=date content=2020-01-02><p>Hi</p>", "a.HTM")
    assert item == Loaded("a.HTM", "T", "Hi", "2020-01-02")
    assert one("<p>Date: 2020-01-03</p><p>Hi</p>", "a.html").created_at == "2020-01-03"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_as_spreadsheets_write_it(delimiter: str) -> None:
    rows = [["id", "title", "text", "place"], ["7", "A", 'He said ""no"",;|\n then ran', "Rome"], ["8", "B", "x", ""]]
    data = "\r\n".join(delimiter.join(f'"{cell}"' for cell in row) for row in rows)
    items = loaded(b"\xef\xbb\xbf" + data.encode(), "a.csv")
    assert items == [Loaded("7", "A", 'He said "no",;|\n then ran', "", {"place": "Rome"}), Loaded("8", "B", "x")]


def test_parquet_holds_the_same_rows_as_csv() -> None:
    import pyarrow
    from pyarrow import csv, parquet

    data = b"id,text,date\n1,Whales sing low songs.,2020-05-01\n2,Krill drift in the cold sea.,2020-05-02\n"
    file = pyarrow.BufferOutputStream()
    parquet.write_table(csv.read_csv(pyarrow.BufferReader(data)), file)
    assert loaded(file.getvalue().to_pybytes(), "a.parquet") == loaded(data, "a.csv") != []
    far = pyarrow.table({"text": ["Ann met Bob."], "timestamp": pyarrow.array([2**62], pyarrow.timestamp("us"))})
    parquet.write_table(far, file := pyarrow.BufferOutputStream())
    (kept,) = loaded(file.getvalue().to_pybytes(), "a.parquet")
    assert kept.text == "Ann met Bob."
    assert "no Parquet file" in error(b"PAR1", "a.parquet").error


def test_csv_in_utf16_with_other_columns_named() -> None:
    item = one("nr;Kopf;Inhalt;wann\n1;K;I;1700000000\n".encode("utf-16"), "a.csv",
               id="nr", title="Kopf", text="Inhalt", time="wann")  # fmt: skip
    assert item == Loaded("1", "K", "I", "2023-11-14T22:13:20+00:00")


def test_csv_rows_that_are_too_short_or_too_long() -> None:
    short, long, fine = loaded("id,text\n1\n2,b,c,d\n3,e\n", "a.csv")
    assert short == Unreadable("a.csv:2", "no text in field `text` (fields: id, text)")
    assert long == Loaded("2", "", "b", "", {"": ["c", "d"]})
    assert fine == Loaded("3", "", "e")


def test_csv_headings_with_blanks_and_delimiters() -> None:
    assert one("id, text\n1, b\n", "a.csv").text.strip() == "b"
    assert one('"a, b, c";text\n1;b\n', "a.csv").text == "b"


def test_commas_of_prose_part_no_cells() -> None:
    prose = "We met, and left, again.\n" * 300
    assert one(f'id;title;text\n1;"A day";"{prose}"\n', "a.csv").text == prose
    rows = [f"{n}\tWe went by sea, by land, to number {n} of it" for n in range(9)]
    assert [item.text for item in loaded("\n".join(["id\ttext", *rows]), "a.tsv")] == [row[2:] for row in rows]
    ragged = [row.replace("\t", ",") for row in rows]
    assert [item.source_id for item in loaded("\n".join(["id,text", *ragged]), "a.csv")] == list("012345678")


def test_a_quotation_mark_that_nothing_closes_hides_no_rows_between_tabs() -> None:
    data = 'id\ttext\n1\t"Whales sing low songs.\n2\tKrill drifts.\n'
    assert [item.text for item in loaded(data, "a.tsv")] == ['"Whales sing low songs.', "Krill drifts."]
    assert one('id\ttext\n1\t"Whales\tsing"\n', "a.tsv").text == "Whales\tsing"
    data = 'id\ttext\n1\t"Whales say ""low""\nand long."\n2\tA 5" krill drifts.\n'
    assert [item.text for item in loaded(data, "a.tsv")] == ['Whales say "low"\nand long.', 'A 5" krill drifts.']


def test_csv_with_a_huge_field() -> None:
    assert len(one('id,text\n1,"' + "x" * 500_000 + '"\n', "a.csv").text) == 500_000


def test_csv_without_words_says_which_columns_there_are() -> None:
    assert "columns: a, b" in error("a,b\n1.5,2\n1.5,2\n", "a.csv").error
    assert "load_documents.text_field" in error("a,b\n1.5,2\n1.5,2\n", "a.csv").error
    assert "empty" in error("", "a.csv").error


def test_json_object_and_array() -> None:
    assert one('{"id": 5, "text": "x", "a": [1]}', "a.json") == Loaded("5", "", "x", "", {"a": [1]})
    assert loaded('[{"text": "x"}, 4]', "a.json") == [
        Loaded("a.json:1", "", "x"),
        Unreadable("a.json:2", "not a JSON object but int"),
    ]
    assert "not valid JSON" in error('{"text": "x"', "a.json").error
    assert error("", "a.json").error == "an empty file"


def test_a_bad_line_does_not_spoil_the_others() -> None:
    lines = [
        '{"id": "1", "text": "a"}',
        '{"text": ',
        "",
        "[]",
        '{"words": "b"}',
        '{"text": 5}',
        '{"id": "2", "text": "b"}\r',
    ]
    items = loaded("\n".join(lines), "a.jsonl")
    assert [item.source_id if isinstance(item, Loaded) else item.where for item in items] == [
        "1", "a.jsonl:2", "a.jsonl:4", "a.jsonl:5", "a.jsonl:6", "2",
    ]  # fmt: skip
    assert items[3] == Unreadable("a.jsonl:5", "no field `text` (fields: words)")
    assert items[4] == Unreadable("a.jsonl:6", "no text in field `text` (fields: text)")


def test_line_separators_of_unicode_do_not_cut_json_lines() -> None:
    assert one(json.dumps({"text": "a\u2028b\x85c"}, ensure_ascii=False), "a.jsonl").text == "a\u2028b\x85c"


def test_halves_of_surrogate_pairs_are_replaced() -> None:
    item = one('{"id": "\\ud800", "title": "\\udfff", "text": "a\\ud800", "k\\ud800": 1}', "a.jsonl")
    assert item == Loaded("\ufffd", "\ufffd", "a\ufffd", "", {"k\ufffd": 1})


def test_not_a_number_is_nothing() -> None:
    item = one('{"text": "x", "score": NaN, "more": [Infinity, 1], "timestamp": NaN}', "a.jsonl")
    assert item.metadata == {"more": [None, 1]}


@pytest.mark.parametrize("depth", [500, 100_000])
def test_deep_nesting_is_read_or_reported(depth: int) -> None:
    (item,) = loaded('{"text": "x", "m": ' + "[" * depth + "]" * depth + "}", "a.jsonl")
    assert isinstance(item, Loaded) if depth == 500 else isinstance(item, Unreadable)


def test_binary_files_are_reported() -> None:
    assert "not a text file" in error(b"\x89PNG\r\n\0\0\0", "a.txt").error
    assert "not a text file" in error(b"PK\3\4\0\0", "a.md").error


@given(st.binary(max_size=300), st.sampled_from(all_readers().suffixes()))
@settings(deadline=None)
def test_any_bytes_give_documents_or_failures(data: bytes, suffix: str) -> None:
    for item in all_readers().read(data, f"a{suffix}", Fields()):
        assert isinstance(item, Loaded | Unreadable)


@given(st.dictionaries(st.text(max_size=5), st.none() | st.integers() | st.floats() | st.text() | st.lists(st.text())))
@settings(deadline=None)
def test_any_json_object_gives_a_document_or_a_failure(row: dict[str, Any]) -> None:
    (item,) = all_readers().read(json.dumps(row | {"text": "x"}).encode(), "a.jsonl", Fields())
    assert isinstance(item, Loaded)
    json.dumps([item.title, item.source_id, item.text], ensure_ascii=False).encode()


def test_times_of_a_file_are_read_together() -> None:
    rows = [{"text": "x", "timestamp": stated} for stated in ("05/06/2023", "30/06/2023", "spring")]
    items = loaded("\n".join(map(json.dumps, rows)), "a.jsonl")
    assert [(item.created_at, item.metadata) for item in items if isinstance(item, Loaded)] == [
        ("2023-06-05", {}), ("2023-06-30", {}), ("", {"timestamp": "spring"}),
    ]  # fmt: skip


def test_times_of_files_of_two_makers_are_read_apart() -> None:
    rows = [{"text": "x", "when": "05/06/2023"}, {"text": "y", "timestamp": "30/06/2023"}]
    items = loaded("\n".join(map(json.dumps, rows)), "a.jsonl", time="when")
    assert [item.created_at for item in items if isinstance(item, Loaded)] == ["", "2023-06-30"]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("From: ann@example.org\r\nDate: Tue, 30 May 2023 23:40:00 +0200\r\n", "2023-05-30T23:40:00+02:00"),
        ("---\ndate: '2024-03-01'\n---", "2024-03-01"),
        ("Date: 2024-03-01, by Ann", "2024-03-01"),
        ("**Datum:** 30. Mai 2023", "2023-05-30"),
        ("Gesendet: Dienstag, 30. Mai 2023 23:40", "2023-05-30T23:40:00"),
        ("日付：2023年5月30日", "2023-05-30"),
        ("Date: who knows\nDate: 30.05.2023", "2023-05-30"),
    ],
)
def test_a_line_that_states_the_date(head: str, expected: str) -> None:
    item = one(f"{head}\n\nIt flew.", "a.txt")
    assert (item.created_at, item.metadata) == (expected, {})


def test_a_date_line_that_cannot_be_read_is_kept_as_it_is_stated() -> None:
    assert one("Date: 05/06/2023\n\nIt flew.", "a.md").metadata == {"timestamp": "05/06/2023"}
    assert one("Date: the 5 of us\n\nIt flew.", "a.md").metadata == {}
    assert one("<meta name=date content='05/06/2023'><p>x", "a.html").metadata == {"timestamp": "05/06/2023"}


def test_a_time_that_is_none_stays_in_the_metadata() -> None:
    assert one('{"text": "x", "timestamp": "spring"}', "a.jsonl").metadata == {"timestamp": "spring"}


def test_a_field_of_the_usual_name_beside_the_named_one_is_kept() -> None:
    (both, usual) = all_readers().read(
        b'{"headline": "A", "title": "B", "text": "x"}\n{"title": "C", "text": "y"}',
        "a.jsonl",
        Fields(title="headline"),
    )
    assert isinstance(both, Loaded) and isinstance(usual, Loaded)
    assert (both.title, dict(both.metadata)) == ("A", {"title": "B"})
    assert (usual.title, dict(usual.metadata)) == ("C", {})


def test_messages_are_of_their_senders_by_the_usual_names_of_fields() -> None:
    rows = [
        {"id": 1, "sender": "Ann Lee", "ts": 1700000000, "message": "It flies.", "channel": "general"},
        {"id": 2, "from": "user", "date": "2024-01-02", "content": "Good."},
    ]
    ann, user = (item for item in loaded("\n".join(map(json.dumps, rows)), "a.jsonl") if isinstance(item, Loaded))
    assert (ann.text, ann.created_at, ann.metadata) == (
        "It flies.", "2023-11-14T22:13:20+00:00", {"sender": "Ann Lee", "channel": "general"},
    )  # fmt: skip
    assert [(said.speaker, said.role, said.conversation) for said in ann.messages] == [("Ann Lee", "", "general")]
    assert (user.created_at, [(said.speaker, said.role) for said in user.messages]) == (
        "2024-01-02",
        [("user", "user")],
    )
    (named,) = loaded(json.dumps({"text": "x", "by": "Bo"}), "a.jsonl", sender="by")
    assert isinstance(named, Loaded) and named.messages[0].speaker == "Bo"


@pytest.mark.parametrize(
    "shape",
    [
        lambda rows: {"meta": {"page": 1}, "data": {"items": rows}},
        lambda rows: {"issues": [{"id": row["id"], "fields": row} for row in rows], "total": 2},
        lambda rows: {row["id"]: row for row in rows},
    ],
)
def test_json_that_an_interface_wraps_is_its_rows(shape: Callable[[list[dict[str, str]]], object]) -> None:
    said = ("The pump of the second mill leaks since Monday.", "Nobody knows why the third mill stands still.")
    rows = [{"id": f"M-{n}", "body": text, "status": "open"} for n, text in enumerate(said)]
    items = loaded(json.dumps(shape(rows)), "a.json")
    assert [item.text.rpartition("\n")[2] for item in items if isinstance(item, Loaded)] == list(said)


def test_json_of_settings_is_no_document() -> None:
    value = {"scripts": {"build": {"run": "tsc", "env": "ci"}, "test": {"run": "vitest"}}, "files": ["dist"]}
    assert not any(item.text for item in loaded(json.dumps(value), "package.json") if isinstance(item, Loaded))


@pytest.mark.parametrize(
    ("path", "text", "day"),
    [
        ("notes/2024-05-03 Standup.md", "# Standup\n\nThe mill runs.", "2024-05-03"),
        ("2024-05-03.txt", "The mill runs.", "2024-05-03"),
        ("2024-05-03.md", "---\ndate: 2023-01-01\n---\nThe mill runs.", "2023-01-01"),
        ("2024-05-03.csv", "id,text\n1,The mill runs.\n", ""),  # its rows are of other days
        ("2024-13-03 Plan.md", "The mill runs.", ""),
        ("2024-05-03-17 Plan.md", "The mill runs.", ""),
        ("Plan 2024-05-03.md", "The mill runs.", ""),  # which may be due then
    ],
)
def test_a_file_named_by_a_day_is_of_that_day(path: str, text: str, day: str) -> None:
    assert one(text, path).created_at == day

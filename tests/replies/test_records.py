"""Delimited tuples in replies, however they are dressed."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from linear import assert_linear

from graphrag_lite.replies.graph_records import ENTITY, RELATIONSHIP
from graphrag_lite.replies.records import Form, Records, parse_records

SCROOGE = ["entity", "Scrooge", "person", "A miser"]
MARLEY = ["relationship", "Scrooge", "Marley", "PARTNER_OF", "They traded", "9"]


def read(text: str) -> Records:
    return parse_records(text, ENTITY, RELATIONSHIP)


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(
            '("entity"<|>Scrooge<|>person<|>A miser)##\n'
            '("relationship"<|>Scrooge<|>Marley<|>PARTNER_OF<|>They traded<|>9)##\n<|COMPLETE|>',
            id="as asked",
        ),
        pytest.param(
            '("entity"<|>"Scrooge"<|>"person"<|>"A miser")\n'
            '("relationship"<|>"Scrooge"<|>"Marley"<|>"PARTNER_OF"<|>"They traded"<|>9)',
            id="quoted, no separators",
        ),
        pytest.param(
            "(“entity”<|>“Scrooge”<|>“person”<|>“A miser”)##"
            "(“relationship”<|>“Scrooge”<|>“Marley”<|>“PARTNER_OF”<|>“They traded”<|>9)##",
            id="curly quotes",
        ),
        pytest.param(
            '"entity"<|>Scrooge<|>person<|>A miser\n"relationship"<|>Scrooge<|>Marley<|>PARTNER_OF<|>They traded<|>9\n',
            id="no brackets",
        ),
        pytest.param(
            "((ENTITY<|>Scrooge<|>person<|>A miser))##((Relation<|>Scrooge<|>Marley<|>PARTNER_OF<|>They traded<|>9))",
            id="two brackets, other case, other word",
        ),
        pytest.param(
            "Here you are:\n\n**Entities**\n\n1. **(\"entity\"<|>**Scrooge**<|>`person`<|>'A miser')**\n\n"
            '**Relationships**\n\n- ("relationship"<|>Scrooge<|>Marley<|>PARTNER_OF<|>They traded<|>9)\n\nDone!',
            id="headings, bullets, bold",
        ),
        pytest.param(
            '```text\n("entity"<|>Scrooge<|>person<|>A miser)\n##\n##\n'
            '("relationship"<|>Scrooge<|>Marley<|>PARTNER_OF<|>They traded<|>9)<|COMPLETE|>\n```',
            id="fence",
        ),
        pytest.param(
            '("entity"|>"Scrooge"</|>"person"< | >"A miser")##'
            '("relationship"<||>Scrooge<|#|>Marley<|PARTNER_OF<|>They traded<|>9)',
            id="half a delimiter",
        ),
        pytest.param(
            '("entity"&lt;|&gt;Scrooge&lt;|&gt;person&lt;|&gt;A miser)##'
            '("relationship"&lt;|&gt;Scrooge&lt;|&gt;Marley&lt;|&gt;PARTNER_OF&lt;|&gt;They traded&lt;|&gt;9)',
            id="escaped",
        ),
        pytest.param(
            "（“实体”＜｜＞“Scrooge”＜｜＞“person”＜｜＞“A miser”）##"
            "（“关系”＜｜＞“Scrooge”＜｜＞“Marley”＜｜＞“PARTNER_OF”＜｜＞“They traded”＜｜＞9）",
            id="full width",
        ),
        pytest.param(
            '("entity"\n<|>Scrooge\n<|>person\n<|>"A miser"\n)\n##\n'
            '("relationship"\n<|>Scrooge\n<|>Marley\n<|>PARTNER_OF\n<|>They traded\n<|>9\n)\n',
            id="a line a field",
        ),
        pytest.param(
            '("entity"<|>Scrooge<|>person<|>A miser)("relationship"<|>Scrooge<|>Marley<|>PARTNER_OF<|>They traded<|>9)',
            id="nothing between records",
        ),
        pytest.param(
            '("entity", "Scrooge", "person", "A miser")\n("relationship", "Scrooge", "Marley", "PARTNER_OF", "They traded", 9)',
            id="commas",
        ),
        pytest.param(
            "| entity | Scrooge | person | A miser |\n| relationship | Scrooge | Marley | PARTNER_OF | They traded | 9 |",
            id="pipes",
        ),
        pytest.param(
            "entity\tScrooge\tperson\tA miser\nrelationship\tScrooge\tMarley\tPARTNER_OF\tThey traded\t9", id="tabs"
        ),
        pytest.param(
            '[["entity", "Scrooge", "person", "A miser"], ["relationship", "Scrooge", "Marley", "PARTNER_OF", "They traded", 9]]',
            id="JSON arrays",
        ),
    ],
)
def test_a_record_is_read_however_it_is_dressed(reply: str) -> None:
    found = read(reply)
    assert found.rows == [SCROOGE, MARLEY]
    assert not found.dropped and not found.bare


@pytest.mark.parametrize(
    "reply",
    [
        '{"entities": [{"name": "Scrooge", "type": "person", "description": "A miser"}],'
        ' "relationships": [{"source": "Scrooge", "target": "Marley", "type": "PARTNER_OF", "strength": 9}]}',
        'Sure!\n```json\n[{"entity_name": "Scrooge", "entity_type": "person", "entity_description": "A miser"},'
        '{"source_entity": "Scrooge", "target_entity": "Marley", "relationshipType": "PARTNER_OF", "weight": 9}]\n```',
        '{"entity": "Scrooge", "type": "person", "description": "A miser"}\n'
        '{"from": "Scrooge", "to": "Marley", "label": "PARTNER_OF", "score": 9}\n',
    ],
)
def test_json_takes_the_place_of_tuples(reply: str) -> None:
    assert read(reply).rows == [SCROOGE, ["relationship", "Scrooge", "Marley", "PARTNER_OF", "", "9", "", "", "", ""]]


def test_empty_fields_stay_in_their_places() -> None:
    (row,) = read('("relationship"<|>A<|>B<|>WORKED_FOR<|>He worked.<|>8<|><|>1843)').rows
    assert row == ["relationship", "A", "B", "WORKED_FOR", "He worked.", "8", "", "1843"]
    (row,) = read('("relationship"<|>A<|>B<|>WORKS_FOR<|>He works.<|>8<|>1836<|>)##').rows
    assert row == ["relationship", "A", "B", "WORKS_FOR", "He works.", "8", "1836", ""]


@pytest.mark.parametrize(
    ("reply", "fields"),
    [
        ('("entity"<|>"<|>"<|>"concept"<|>"The mark <|> stands between fields.")', ["<|>", "concept", "The mark <|> stands between fields."]),
        ('("entity"<|>"Weird Al" Yankovic<|>person<|>He sang "Eat It")', ['"Weird Al" Yankovic', "person", 'He sang "Eat It"']),
        ('("entity"<|>""Weird Al" Yankovic"<|>"person"<|>"He sang")', ['"Weird Al" Yankovic', "person", "He sang"]),
        ('("entity"<|>"Scrooge<|>"person"<|>"A miser")', ["Scrooge", "person", "A miser"]),
        ('("entity"<|>Legal entity<|>concept<|>An entity (a company)\nin law)##', ["Legal entity", "concept", "An entity (a company)\nin law"]),
        ('("entity"<|>"Entity"<|>"concept"<|>"He (Bob) said ("no") to\nit.")', ["Entity", "concept", 'He (Bob) said ("no") to\nit.']),
        ('("entity"<|>Complete Works<|>work<|>Complete', ["Complete Works", "work", "Complete"]),
        ('("entity"<|>C# 9##<|>work<|>x)', ["C# 9##", "work", "x"]),
    ],
)  # fmt: skip
def test_names_and_descriptions_may_hold_what_separates_them(reply: str, fields: list[str]) -> None:
    assert read(reply).rows == [["entity", *fields]]


def test_a_quote_that_is_never_closed_takes_no_other_field_in() -> None:
    (row,) = read('("relationship"<|>"A<|>"B"<|>"They met"<|>6)').rows
    assert row[1:] == ["A", "B", "They met", "6"]


def test_a_number_behind_a_comma_is_a_field() -> None:
    (row,) = read('("relationship"<|>"A"<|>"B"<|>"They traded", 8)').rows
    assert row[1:] == ["A", "B", "They traded", "8"]


def test_records_without_a_kind_are_kept_and_scraps_are_told() -> None:
    found = read("(Scrooge<|>person<|>A miser)##\nScrooge<|>\n(Scrooge<|>Fred<|>UNCLE_OF<|>x<|>9)")
    assert found.rows == [["", "Scrooge", "person", "A miser"], ["", "Scrooge", "Fred", "UNCLE_OF", "x", "9"]]
    assert found.dropped == ["Scrooge<|>"]
    only = Form("claim", {"subject": ()})
    assert parse_records("(Scrooge<|>TRUE<|>He is a miser)", only).rows == [
        ["claim", "Scrooge", "TRUE", "He is a miser"]
    ]


@pytest.mark.parametrize(
    "mark", ["<|COMPLETE|>", "<|complete|>", "<|Completed|>", "＜｜COMPLETE｜＞", "<COMPLETE>", "(<|COMPLETE|>)", "COMPLETE", "##\nCOMPLETE."]
)  # fmt: skip
def test_the_completion_mark_alone_says_that_there_is_nothing(mark: str) -> None:
    assert read(mark).complete and read(mark).bare
    found = read(f'("entity"<|>Scrooge<|>person<|>A miser)\n{mark}')
    assert found.rows == [SCROOGE] and found.complete and not found.bare


@pytest.mark.parametrize(
    ("reply", "bare"),
    [
        ("", False),
        ("I cannot help with that.", False),
        ("I cannot help with that.\n<|COMPLETE|>", False),
        ("**Entities:**\n\n**Relationships:**\n\n<|COMPLETE|>", True),
        ('{"entities": [], "relationships": []}', True),
        ("The entity, Scrooge, is a person. (entity, miser) The relationship | is hard.", False),
    ],
)
def test_prose_holds_no_records_and_says_not_that_there_are_none(reply: str, bare: bool) -> None:
    assert read(reply).rows == [] and read(reply).bare is bare


HOSTILE = [*'<|"()\n *`[{', "<|>", "##", "entity", '("entity"<|>', '<|>"a', '"a<|>']
HOSTILE += ['("entity"<|>(', '"entity",', '["', '{"a":', "[1,", "[\n", '{"a":1}', '*"', ")\n(", "<|complete", "1."]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_megabyte_of_anything_is_read_in_linear_time(piece: str) -> None:
    for beginning in ("", '("entity"<|>"', '("entity"<|>'):
        assert_linear(lambda text, beginning=beginning: read(beginning + text), piece)


def replies(shared: Path) -> list[str]:
    path = shared / "replay" / "nano_graphrag_cache" / "responses.jsonl"
    texts = [json.loads(line)["return"] for line in path.read_text(encoding="utf-8").splitlines()]
    return [text for text in texts if "<|>" in text]


def test_no_record_of_84_real_replies_is_lost(shared: Path) -> None:
    # Counted apart from the parser: a kind in quotation marks before a delimiter, each of which was looked at. 12 use
    # half a delimiter, 2 curly quotes, 5 another word for the kind, 4 numbers; 32 have the mark on their line.
    human: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for text in replies(shared):
        counted = Counter(re.findall(r'["“](entity|relation)(?:ship)?["”]\s*<', text))
        read_here = read(text)
        assert not read_here.dropped
        kinds = Counter(row[0].removesuffix("ship") for row in read_here.rows)
        assert kinds == counted, text
        human += counted
        found += kinds
        for row in read_here.rows:
            assert len(row) == {"entity": 4, "relationship": 5}[row[0]], row
            assert not any(re.search(r'<\||\|>|##|\n|^["“(]|["”]$', field) for field in row[:3]), row
            assert row[0] == "entity" or re.fullmatch(r"\d+(\.\d)?", row[4]), row
    assert found == human == {"entity": 654, "relation": 520}

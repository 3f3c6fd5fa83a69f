"""What a human could read of a model's report is read; half a report is not."""

import contextlib
import json
from pathlib import Path

import pytest
from linear import assert_linear

from graphrag_lite.errors import ReplyError
from graphrag_lite.replies.report_reply import SCHEMA, UNRATED, Report, read_report

VALUES = {
    "title": "Scrooge's house",
    "summary": 'He said "no" [1].',
    "rating": 7.5,
    "rating_explanation": "Central.",
    "findings": [{"summary": "A miser", "explanation": "He keeps it all [2, 3]."}],
}
REPORT = Report("Scrooge's house", 'He said "no" [1].', 7.5, "Central.", (("A miser", "He keeps it all [2, 3]."),))
PLAIN = json.dumps(VALUES)


def real_replies(shared: Path) -> list[str]:
    rows = map(json.loads, (shared / "replay" / "nano_graphrag_cache" / "responses.jsonl").read_text().splitlines())
    return [row["return"] for row in rows if '"findings"' in row["return"]]


@pytest.mark.parametrize(
    "reply",
    [
        PLAIN,
        json.dumps(VALUES, indent=2),
        f"```json\n{PLAIN}\n```",
        f"Based on [1] and [2], here is the report:\n\n{PLAIN}\n\nI hope that this {{helps}}!",
        f"[{PLAIN}]",
        json.dumps({"report": VALUES}),
        json.dumps({key.replace("_", " ").title(): value for key, value in VALUES.items()}),
        PLAIN.replace("}]}", "},],}"),
        repr(VALUES),
        PLAIN.replace('\\"no\\"', '"no"'),
        PLAIN.replace("7.5", '"7.5/10"'),
        PLAIN.replace("7.5", '"75%"'),
        json.dumps(VALUES | {"findings": VALUES["findings"][0]}),
        json.dumps(VALUES | {"findings": {"1": VALUES["findings"][0]}}),
        json.dumps(VALUES | {"findings": [VALUES["findings"][0] | {"explanation": ["He keeps", "it all [2, 3]."]}]}),
    ],
)
def test_a_report_is_read_however_it_is_dressed(reply: str) -> None:
    assert read_report(reply) == REPORT


def test_line_breaks_within_strings_are_kept() -> None:
    read = read_report(PLAIN.replace("keeps it", "keeps\n\nit"))
    assert read.findings == (("A miser", "He keeps\n\nit all [2, 3]."),)


def test_what_is_optional_may_be_missing() -> None:
    read = read_report('{"title": "# T", "summary": "S", "findings": ["One [1].", {"summary": "Two"}, {}, ""]}')
    assert read == Report("T", "S", 0.0, UNRATED, (("", "One [1]."), ("Two", "")))


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        ("I cannot do that.", "no JSON object"),
        ("[1, 2]", "no JSON object"),
        ("{}", "lacks title and summary and findings"),
        ('{"title": "T", "summary": " ", "findings": []}', "lacks summary"),
        ('{"title": "T", "summary": "S"}', "lacks findings"),
        ('{"title": "T", "summary": "S", "findings": 3}', "not a list"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_report_is_an_error_that_says_why(reply: str, error: str) -> None:
    with pytest.raises(ReplyError, match=error):
        read_report(reply)


@pytest.mark.parametrize("text", [PLAIN, json.dumps(VALUES, indent=2), repr(VALUES), f"```json\n{PLAIN}"])
def test_half_a_report_is_never_read(text: str) -> None:
    last = text.rindex("}")
    for end in range(last):
        with pytest.raises(ReplyError):
            read_report(text[:end])


def test_every_real_reply_is_read(shared: Path) -> None:
    replies = real_replies(shared)
    assert len(replies) == 101
    for reply in replies:
        values = json.loads(reply)
        assert set(values) == set(SCHEMA["required"])
        findings = tuple((f["summary"], f["explanation"]) for f in values["findings"])
        expected = Report(values["title"], values["summary"], values["rating"], values["rating_explanation"], findings)
        assert read_report(reply) == expected
        assert read_report(f"Sure!\n```json\n{reply.rstrip()[:-1].rstrip()},\n}}\n```") == expected  # a trailing comma
        with pytest.raises(ReplyError):
            read_report(reply[: len(reply) * 2 // 3])


@pytest.mark.parametrize(
    "piece", ["{", "}", "{}", "{a}", '"', "\\", "[", " ", "a", '{"a":', "\n", "'", "/*", '",', "1"]
)
def test_a_megabyte_of_anything_is_refused_at_once(piece: str) -> None:
    def read(text: str) -> None:
        for reply in (text, f'{{"title": {text}}}', f'{{"title": "{text}",}}'):
            with contextlib.suppress(ReplyError):
                read_report(reply)

    assert_linear(read, piece)


def test_the_schema_is_of_the_strict_kind() -> None:
    def check(schema: object) -> None:
        if isinstance(schema, dict):
            if schema.get("type") == "object":
                assert schema["additionalProperties"] is False
                assert sorted(schema["required"]) == sorted(schema["properties"])
            for value in schema.values():
                check(value)

    check(dict(SCHEMA))

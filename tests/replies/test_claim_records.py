"""Claims are read from what models really write."""

import contextlib
import json
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from linear import assert_linear

from graphrag_lite.errors import ReplyError
from graphrag_lite.replies.claim_records import Claim, read_claims


def one(reply: str) -> Claim:
    (claim,), n_dropped = read_claims(reply)
    assert n_dropped == 0
    return claim


def test_a_claim_with_all_its_fields() -> None:
    reply = '("claim"<|>Nordkran<|>Solberg<|>CHANGE_OF OFFICE<|>suspected<|>2016<|>May 2017<|>It is said.<|>"so")##<|COMPLETE|>'
    claim = Claim("Nordkran", "Solberg", "CHANGE OF OFFICE", "SUSPECTED", "2016", "2017-05", "It is said.", "so")
    assert one(reply) == claim


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("(A<|>NONE<|>DEBT<|>TRUE<|>NONE<|>NONE<|>He owed.<|>owed)", Claim("A", "NONE", "DEBT", "TRUE", "", "", "He owed.", "owed")),
        ("(claim<|>A<|>B<|>DEBT<|>FALSE<|>He owed.)", Claim("A", "B", "DEBT", "FALSE", "", "", "He owed.", "")),
        ("(claim<|>A<|>DEBT<|>TRUE<|>2020<|>He owed.<|>q)", Claim("A", "NONE", "DEBT", "TRUE", "2020", "", "He owed.", "q")),
        ("(claim<|>A<|>B<|>FALSE ALARM<|>TRUE<|>NONE<|>NONE<|>d<|>q)", Claim("A", "B", "FALSE ALARM", "TRUE", "", "", "d", "q")),
        ("(claim<|>A<|>B<|>X<|>perhaps<|>NONE<|>NONE<|>d<|>q)", Claim("A", "B", "X", "SUSPECTED", "", "", "d", "q")),
        ('[{"subject": "A", "object": null, "type": "x", "status": "True", "description": "d"}]', Claim("A", "NONE", "X", "TRUE", "", "", "d", "")),
    ],
)  # fmt: skip
def test_a_claim_however_it_is_dressed(reply: str, expected: Claim) -> None:
    assert one(reply) == expected


def test_a_date_that_no_calendar_has_stays_in_the_description() -> None:
    claim = one("(claim<|>A<|>B<|>X<|>TRUE<|>the spring of 1890<|>NONE<|>A fell.<|>q)")
    assert (claim.start_date, claim.end_date, claim.description) == ("", "", "A fell. (the spring of 1890)")
    assert (
        one("(claim<|>A<|>B<|>X<|>TRUE<|>in spring<|>NONE<|>A fell in spring.<|>q)").description == "A fell in spring."
    )


def test_what_says_nothing_is_dropped_and_counted() -> None:
    claims, n_dropped = read_claims(
        "(claim<|>A<|>B<|>X<|>TRUE<|>NONE<|>NONE<|>d<|>q)##(claim<|>NONE<|>B<|>X<|>TRUE<|>NONE<|>NONE<|>d<|>q)##"
        "(claim<|>A<|>B<|>X<|>TRUE<|>NONE<|>NONE<|>NONE<|>)##(claim<|>A<|>B<|>X<|>TRUE<|>NONE<|>NONE<|>d<|>q)"
    )
    assert len(claims) == 1 and n_dropped == 2


def test_nothing_to_say_is_an_answer_and_prose_is_none() -> None:
    assert read_claims("<|COMPLETE|>") == ([], 0)
    for reply in ("There are no claims in this text.", "I cannot help with that.", "(claim<|>A)<|COMPLETE|>"):
        with pytest.raises(ReplyError, match=r"<\|>subject<\|>"):
            read_claims(reply)


@pytest.mark.parametrize("fixture", ["msgraphrag_verbs_fixture", "dulce_index"])
def test_real_claims_are_all_read(shared: Path, fixture: str) -> None:
    units = defaultdict(list)
    for line in (shared / "replay" / fixture / "covariates.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row["type"]:  # the reference stored what it could not read as well
            units[row["text_unit_id"]].append(row)
    names = ("subject_id", "object_id", "type", "status", "start_date", "end_date", "description", "source_text")
    for rows in units.values():
        written = "\n##\n".join("(" + "<|>".join(row[name] or "" for name in names) + ")" for row in rows)
        claims, n_dropped = read_claims(written + "<|COMPLETE|>")
        assert n_dropped == 0
        assert [(c.subject, c.type, c.description) for c in claims] == [
            (row["subject_id"], row["type"], row["description"]) for row in rows
        ]
        for claim, row in zip(claims, rows, strict=True):
            assert claim.start_date == (row["start_date"][:10] if row["start_date"] != "NONE" else "")


@given(st.text(max_size=200))
def test_whatever_is_written_is_read_or_refused(text: str) -> None:
    for reply in (text, f"(claim<|>{text}<|>{text}<|>X<|>TRUE<|>{text}<|>{text}<|>{text}<|>q)"):
        with contextlib.suppress(ReplyError):
            read_claims(reply)


@pytest.mark.parametrize("piece", ["<|>", "(", "claim<|>", "TRUE<|>", "a"])
def test_a_megabyte_of_one_thing(piece: str) -> None:
    def read(text: str) -> None:
        with contextlib.suppress(ReplyError):
            read_claims(text)

    assert_linear(read, piece)

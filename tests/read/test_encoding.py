"""Bytes to text: round trips in the encodings that files come in, and what is no text."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_lite.read.encoding import SAMPLE, _encoding, decode, decoded_lines


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff")))
@settings(deadline=None)
def test_utf8_comes_back_as_it_was(text: str) -> None:
    assert decode(text.encode("utf-8")) == text


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
@given(text=st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff")))
@settings(deadline=None)
def test_a_byte_order_mark_decides_and_is_not_text(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)) == text
    assert list(decoded_lines(text.encode(encoding))) == re.findall(r"[^\n]*\n|[^\n]+", text)


def test_big_endian_marks() -> None:
    assert decode(b"\xfe\xff" + "né\r\n".encode("utf-16-be")) == "né\r\n"
    assert decode(b"\x00\x00\xfe\xff" + "né".encode("utf-32-be")) == "né"


def test_utf16_without_a_mark_is_told_by_its_zero_bytes() -> None:
    text = "Otto sailed to Málta.\r\n" * 3000
    for encoding in ("utf-16-le", "utf-16-be"):
        assert decode(text.encode(encoding)) == text and next(decoded_lines(text.encode(encoding))) == text[:23]
    with pytest.raises(ValueError, match="zero bytes"):
        decode(bytes([1, 0, 2, 0, 3, 0, 4, 0, 5, 0]))


@pytest.mark.parametrize(
    ("corpus", "encoding"),
    [("zho", "gb18030"), ("zho", "big5"), ("jpn", "shift_jis"), ("jpn", "euc-jp"), ("kor", "cp949"), ("fra", "cp1252")],
)
@pytest.mark.parametrize("size", [400, 4000, 500_000])
def test_old_encodings_of_real_texts(shared: Path, corpus: str, encoding: str, size: int) -> None:
    rows = (shared / f"corpora/ntrex_{corpus}/corpus.jsonl").read_text(encoding="utf-8").splitlines()
    text = "\n".join(json.loads(row)["text"] for row in rows)
    data = (text * (size // len(text) + 1))[:size].encode(encoding, "ignore")
    assert size < 500_000 or len(data) > SAMPLE
    assert decode(data) == data.decode(encoding) == "".join(decoded_lines(data))


def test_what_is_damaged_behind_a_mark_is_replaced() -> None:
    assert decode(b"\xef\xbb\xbfcaf\xc3\xa9 \xff") == "café \ufffd"


@pytest.mark.parametrize(("corpus", "encoding"), [("zho", "gb18030"), ("zho", "big5"), ("kor", "cp949")])
def test_texts_of_two_bytes_a_character_are_no_russian(shared: Path, corpus: str, encoding: str) -> None:
    rows = (shared / f"corpora/ntrex_{corpus}/corpus.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(row)["text"] for row in rows]
    cut = [text[:size].encode(encoding, "ignore") for text in texts for size in (200, 2000)]
    assert {_encoding(data)[0] for data in cut} <= {"gb18030", "big5", "cp949", "cp932", "utf-8"}


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1250", "Jeżeli są one już gotowe, to także ja będę mógł się tym zająć, że aż strach."),
        ("iso8859_2", "Když se to stane, že už není čas, tak jí to řekni, než přijde, protože bys měl."),
        ("cp1250", "Ez már nem az, és még így is több, őt és ők is látták, hogy miért."),
        ("cp1254", "Bu değil, çünkü şu olduğu gibi değil; nasıl olduğunu, çok değil, şu da için."),
        ("cp866", "Это не первый раз, но что они для этого сделали, и как им это удалось?"),
        ("koi8_r", "Это не первый раз, но что они для этого сделали, и как им это удалось?"),
        ("cp1253", "Αυτό είναι το πρώτο που δεν είχε και από την αρχή με τους άλλους στο σπίτι."),
        ("cp1255", "הוא לא היה שם, אבל גם היא אמרה כי זה רק אחד מהם, כאשר אין עוד."),
        ("cp1256", "كان هذا في المدينة التي لم تكن قد ظهرت من قبل، ثم قال إن كل ذلك هو الأول."),
        (
            "cp1257",
            "Prezidents teica, ka pilsēta, kurā viņš dzimis, ir mazāka par to, kurā viņš tagad dzīvo, un viņš nekur nebrauks.",
        ),
        (
            "mac_roman",
            "Le président a décidé de créer une école à côté du théâtre, près de la forêt, pour les élèves.",
        ),
        ("cp1252", "He said “don’t” – that it wasn’t his, and hadn’t been; they’d gone to the café."),
        ("cp1252", "Wait…what? That’s “odd”… but it’s 10\xa0km, so\xa0there."),
        ("mac_roman", "Chère Élodie, merci de ta lettre. Nous étions à Besançon."),
        ("cp850", "Sehr geehrter Herr Müller, die Prüfung der Motoren führte Frau Größl durch."),
        ("johab", "김민수 부장님은 삼성전자에서 근무합니다."),
        ("iso2022_jp", "これは日本語の文章です。"),
    ],
)
def test_old_encodings_of_other_languages(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_a_damaged_byte_does_not_spoil_utf8() -> None:
    good = "Les élèves étaient très étonnés. " * 40
    damaged = good.encode() + b"\xff" + good.encode()
    assert decode(damaged) == "".join(decoded_lines(damaged)) == f"{good}\ufffd{good}"


@pytest.mark.parametrize("data", [b"\x7fELF\x00\x01", b"a\0b", bytes(range(256)) * 8, b"\xff\xfea"])
def test_what_is_no_text_is_an_error(data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        decode(data)


def test_nothing_is_text() -> None:
    assert decode(b"") == ""

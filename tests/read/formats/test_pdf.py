"""PDF: text in order, page by page, and what cannot be read."""

import re
import sys
from pathlib import Path

import pytest

from graphrag_lite.read.documents import Fields, Item, Loaded, Unreadable
from graphrag_lite.read.readers import all_readers

REPORTS = Path(__file__).parents[4] / "shared" / "data" / "reading" / "reports"


def one(data: bytes) -> Item:
    (item,) = all_readers().read(data, "a.pdf", Fields())
    return item


def pages(item: Item) -> dict[str, str]:
    assert isinstance(item, Loaded), item
    return {block.label: item.text[block.char_start : block.char_end] for block in item.blocks}


def pdf(words: str) -> bytes:
    """Write a page of one line by hand; without words it is a scan."""
    page = f"BT /F1 24 Tf 72 700 Td ({words}) Tj ET"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        f"<</Length {len(page)}>>\nstream\n{page}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    data, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(data))
        data += f"{number} 0 obj\n{content}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer<</Size {len(objects) + 1}/Root 1 0 R>>\n"
    return data + f"{head}startxref\n{len(data)}\n%%EOF".encode()


def test_a_page() -> None:
    pytest.importorskip("pypdfium2")
    assert pages(one(pdf("The telescope flew in 1990"))) == {"1": "The telescope flew in 1990"}


def test_a_damaged_page_costs_no_other_one() -> None:
    pytest.importorskip("pypdfium2")
    data = pdf("The telescope flew in 1990").replace(b"/Kids[3 0 R]/Count 1", b"/Kids[9 0 R 3 0 R]/Count 2")
    damaged, document = all_readers().read(data, "a.pdf", Fields())
    assert damaged == Unreadable("a.pdf:page 1", "page 1 is damaged, and left out")
    assert pages(document) == {"2": "The telescope flew in 1990"}


@pytest.mark.parametrize(
    ("data", "error"),
    [(pdf(""), "no text on its 1 pages"), (b"", "an empty file"), (pdf("x")[:200], "no PDF"), (b"%PDF", "no PDF")],
)
def test_what_cannot_be_read_is_one_failure(data: bytes, error: str) -> None:
    pytest.importorskip("pypdfium2")
    item = one(data)
    assert isinstance(item, Unreadable) and error in item.error


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    item = one(pdf("x"))
    assert (
        isinstance(item, Unreadable) and "the extra [documents]: pip install 'graphrag-build[documents]'" in item.error
    )


def report(name: str) -> Item:
    pytest.importorskip("pypdfium2")
    if not REPORTS.exists():
        pytest.skip("the development data is not here")
    return one((REPORTS / name).read_bytes())


def test_columns_are_read_one_after_the_other_and_running_heads_are_gone() -> None:
    item = report("mistral7b.pdf")
    text = " ".join(pages(item).values())
    assert (
        "In this context, the search for balanced models delivering both high-level performance and efficiency" in text
    )
    assert "Confidential" not in text and "window_size | $4096$" in text
    assert isinstance(item, Loaded) and item.title == "Mistral 7B"


def test_leaders_numbers_of_pages_and_hyphens_are_gone() -> None:
    found = pages(report("redp5110_sampled.pdf"))
    text = "\n".join(found.values())
    assert list(found)[-1] == "18" and found["18"].startswith("REDP-5110-00")
    assert not re.search(r"\. \. \.|^\d+ .*Support in IBM DB2 for i$|\(cid:", text.partition("Contents")[2], re.M)
    assert "RCAC, which restricts which rows a user is allowed to access in a table" in found["9"]
    assert "CLIENT_PORT | INTEGER | Port used by the current client to communicate with the server" in found["12"]
    assert "This accessibility paved the way for selfpublishing" in "".join(pages(report("multi_page.pdf")).values())


def test_lines_of_any_script_are_put_together() -> None:
    korean, arabic = report("normal_4pages.pdf"), report("right_to_left_01.pdf")
    assert "코로나-19 관련 보험약관상 재해보험금 지급문제 및 개선과제" in (
        (isinstance(korean, Loaded) and korean.title) or ""
    )
    assert "국내 확진자는 9,661명, 사망자는 158명으로 나타났다." in pages(korean)["1"]
    assert "تعتبر البرمجة بلغة R" in pages(arabic)["1"]


def test_what_a_form_was_filled_with_is_read() -> None:
    shown, filled = (b"BT /F1 12 Tf %d 4 Td (%b) Tj ET" % each for each in ((50, b"Name"), (2, b"Ann Lee of Oslo")))
    font = b"/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
    parts = [
        b"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]>>>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 6 0 R/Annots[4 0 R]%b>>" % font,
        b"<</Type/Annot/Subtype/Widget/FT/Tx/T(n)/F 4/Rect[50 660 300 680]/AP<</N 5 0 R>>/P 3 0 R>>",
        b"<</Type/XObject/Subtype/Form/BBox[0 0 250 20]%b/Length %d>>stream\n%b\nendstream"
        % (font, len(filled), filled),
        b"<</Length %d>>stream\n%b\nendstream" % (len(shown), shown),
    ]
    body = b"".join(b"%d 0 obj\n%b\nendobj\n" % (n, part) for n, part in enumerate(parts, start=1))
    (item,) = all_readers().read(b"%%PDF-1.7\n%btrailer<</Root 1 0 R>>\n%%%%EOF" % body, "a.pdf", Fields())
    assert isinstance(item, Loaded) and item.text.split() == ["Name", "Ann", "Lee", "of", "Oslo"]

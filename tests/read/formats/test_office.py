"""Word and PowerPoint files: what a reader sees of them, in order; and archives that are none, or a trap."""

import io
import sys
import zipfile
from pathlib import Path

import pytest

from graphrag_lite.read.documents import Fields, Item, Loaded, Unreadable
from graphrag_lite.read.readers import all_readers

REPORTS = Path(__file__).parents[4] / "shared" / "data" / "reading" / "reports"
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def one(data: bytes, path: str) -> Item:
    (item,) = all_readers().read(data, path, Fields())
    return item


def archive(**parts: str | bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name.replace("__", "/") + ".xml", content)
    return stream.getvalue()


def docx(body: str, **more: str) -> bytes:
    style = '<w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style>'
    return archive(
        **more,
        word__document=f"<w:document {W}><w:body>{body}</w:body></w:document>",
        word__styles=f"<w:styles {W}>{style}</w:styles>",
    )


def paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def test_a_word_file() -> None:
    row = f"<w:tr><w:tc>{paragraph('a')}</w:tc><w:tc>{paragraph('b')}{paragraph('c')}</w:tc></w:tr>"
    deleted = "<w:p><w:r><w:t>kept</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>"
    item = one(docx(f"{paragraph('Launch', 'H1')}{paragraph('It flew.')}<w:tbl>{row}{row}</w:tbl>{deleted}"), "a.docx")
    assert item == Loaded("a.docx", "Launch", "# Launch\n\nIt flew.\n\na | b c\na | b c\n\nkept")


ODF = 'xmlns:o="urn:o" xmlns:t="urn:t" xmlns:b="urn:b" xmlns:d="urn:d"'


def test_a_text_of_libreoffice() -> None:
    gone = "<t:tracked-changes><t:p>gone</t:p></t:tracked-changes>"
    note = "<t:note><t:note-body><t:p>In May.</t:p></t:note-body></t:note>"
    items = "".join(f"<t:list-item><t:p>{word}</t:p></t:list-item>" for word in ("One", "Two"))
    rows = "".join(
        f"<b:table-row><b:table-cell><t:p>{a}</t:p></b:table-cell><b:table-cell><t:p>{b}</t:p></b:table-cell></b:table-row>"
        for a, b in (("a", "b"), ("c", "d"))
    )
    body = (
        f'{gone}<t:h t:outline-level="2">Launch</t:h><t:p>It<t:s/>flew{note} <t:span>far</t:span>.</t:p>'
        f"<t:list>{items}</t:list><b:table>{rows}</b:table>"
    )
    content = f"<o:document-content {ODF}><o:body><o:text>{body}</o:text></o:body></o:document-content>"
    meta = f"<o:document-meta {ODF}><o:meta><d:creator>Ann Lee</d:creator></o:meta></o:document-meta>"
    text = "## Launch\n\nIt flew far.\n\n- One\n- Two\n\na | b\nc | d\n\nIn May."
    item = one(archive(content=content, meta=meta), "a.odt")
    assert item == Loaded("a.odt", "Launch", text, metadata={"author": "Ann Lee"})


def test_slides_of_libreoffice() -> None:
    pages = "".join(f'<d:page d:name="p{n}"><d:frame><t:p>It flew {n}.</t:p></d:frame></d:page>' for n in (1, 2))
    item = one(archive(content=f"<o:document-content {ODF}><o:body>{pages}</o:body></o:document-content>"), "a.odp")
    assert isinstance(item, Loaded) and item.text == "It flew 1.\n\nIt flew 2."
    assert [(block.label, item.text[block.char_start : block.char_end]) for block in item.blocks] == [
        ("p1", "It flew 1."),
        ("p2", "It flew 2."),
    ]


def test_what_stands_in_others_is_read_once() -> None:
    cell, inner = f"<w:tc>{paragraph('a')}</w:tc>", f"<w:tbl><w:tr><w:tc>{paragraph('c')}</w:tc></w:tr></w:tbl>"
    held = f"<w:sdt><w:sdtContent><w:tc>{paragraph('b')}{inner}</w:tc></w:sdtContent></w:sdt>"
    box = "<w:r><w:Choice><w:txbxContent>{0}</w:txbxContent></w:Choice><w:Fallback><w:txbxContent>{0}</w:txbxContent></w:Fallback></w:r>"
    boxes = "".join(box.format(paragraph(said)) for said in ("one", "two"))
    comment = f'<w:comments {W}><w:comment w:author="Ann Lee">{paragraph("Is it so?")}</w:comment></w:comments>'
    item = one(docx(f"<w:tbl><w:tr>{cell}{held}</w:tr></w:tbl><w:p>{boxes}</w:p>", word__comments=comment), "a.docm")
    assert item == Loaded("a.docm", "", "a | b c\n\none\n\ntwo\n\nAnn Lee: Is it so?")
    renamed = archive(word__document2=f"<w:document {W}><w:body>{paragraph('It flew.')}</w:body></w:document>")
    assert one(renamed, "a.docx").text == "It flew."


def test_a_chart_is_its_title_and_series() -> None:
    def values(*said: str) -> str:
        return "".join(f"<c:pt><c:v>{each}</c:v></c:pt>" for each in said)

    series = f"<c:ser><c:tx>{values('Oslo')}</c:tx><c:cat>{values('2023', '2024')}</c:cat><c:val>{values('4.3', '2')}</c:val></c:ser>"
    chart = f'<c:chart xmlns:c="c" xmlns:a="a"><c:title><a:t>Sales </a:t><a:t>(m)</a:t></c:title>{series}</c:chart>'
    related = '<r><r Id="{}" Target="{}"/></r>'
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as show:
        for name, content in {
            "ppt/presentation.xml": '<p xmlns:r="r"><sldIdLst><sldId id="9" r:id="r1"/></sldIdLst></p>',
            "ppt/_rels/presentation.xml.rels": related.format("r1", "slides/slide1.xml"),
            "ppt/slides/slide1.xml": "<p/>",
            "ppt/slides/_rels/slide1.xml.rels": related.format("r1", "../charts/chart1.xml"),
            "ppt/charts/chart1.xml": chart,
        }.items():
            show.writestr(name, content)
    assert one(file.getvalue(), "a.pptm").text == "Sales (m)\nOslo: 2023 4.3; 2024 2"


def test_escapes_that_a_converter_wrote_twice_are_what_they_stand_for() -> None:
    texts = [
        one(docx(f"<w:p><w:r><w:t>{said}</w:t></w:r></w:p>"), "a.docx").text
        for said in ("p&amp;lt;.05", "p&lt;.05 is &amp;lt;")
    ]
    assert texts == ["p<.05", "p<.05 is &lt;"]


@pytest.mark.parametrize("suffix", [".docx", ".pptx", ".epub"])
@pytest.mark.parametrize("data", [b"", b"no such format", b"PK\3\4broken", b"\xd0\xcf\x11\xe0old", archive(a="<a/>")])
def test_what_is_damaged_is_a_failure(data: bytes, suffix: str) -> None:
    assert isinstance(one(data, f"a{suffix}"), Unreadable)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_not_expanded(encoding: str) -> None:
    bomb = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE w [<!ENTITY a "{"x" * 1000}">]><w:document {W}><w:body><w:p><w:r><w:t>&a;</w:t></w:r></w:p></w:body></w:document>'
    item = one(archive(word__document=bomb.encode(encoding)), "a.docx")
    assert isinstance(item, Unreadable) and "declares entities" in item.error


def report(name: str) -> Loaded:
    if not REPORTS.exists():
        pytest.skip("the development data is not here")
    item = one((REPORTS / name).read_bytes(), name)
    assert isinstance(item, Loaded)
    return item


def test_real_files() -> None:
    study = report("dengue_study.docx")
    assert study.title.startswith("Risk factors associated with failing pre-transmission assessment surveys")
    assert "Prevalence | Baseline prevalence | 5% cut off |" in study.text and "\n\n## Methods\n\n" in study.text
    assert "- Wear sunglasses\n- " in report("word_sample.docx").text
    show = report("powerpoint_sample.pptx")
    assert show.title == "Test Table Slide" and [block.label for block in show.blocks] == ["1", "2", "3"]
    assert "Some notes on the second slide." in show.text and "R1 | True | False" in show.text


def test_spreadsheets() -> None:
    pytest.importorskip("python_calamine")
    sheets = report("xlsx_01.xlsx")
    assert "## Sheet1\n\nfirst | second | third\n1 | 5 | 9\n" in sheets.text
    assert [block.label for block in sheets.blocks][:2] == ["Sheet1", "Sheet2"]


def test_a_spreadsheet_without_the_extra_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    item = one(b"PK", "a.xlsx")
    assert isinstance(item, Unreadable) and "the extra [documents]" in item.error

"""What a report may cite stands alone: whole, no caption, nothing that points back."""

import pytest

from graphrag_lite.evidence.sentence_reading import POINTER, read_sentence
from graphrag_lite.evidence.statement import STANDS, ReportStatement
from graphrag_lite.text.sentences import sentences


def worth(text: str, language: str) -> float:
    document = {"id": "d", "title": "", "text": text, "language": language, "created_at": "", "blocks": []}
    spans = sentences(text, language)
    start, end = max(spans, key=lambda span: span[1] - span[0])
    span = {"text_unit_id": "u", "document_id": "d", "char_start": start, "char_end": end}
    return read_sentence(span, document).worth


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "The mirror of the telescope was ground to the wrong shape in Danbury."),
        ("en", "Table tennis was played in the halls of the old university in Oslo."),
        ("en", "In thistle fields near Oslo the farmers found an old bronze sword."),
        ("en", "We found that the old mirror of the telescope had the wrong shape in Danbury."),
        ("de", "Der alte Rechner der Werkstatt in Oslo hat seit dem Umzug eine feste Adresse."),
        ("es", "El espejo del telescopio de la universidad de Oslo tiene una forma nueva."),
        ("ko", "국가재난관리청은 인도네시아 술라웨시섬의 지진과 쓰나미 피해를 조사하고 있다."),
        ("zh", "印度尼西亚位于太平洋地震带的火环上，经常受到地震和海啸的袭击。"),
        ("ja", "国家災害庁はインドネシアのスラウェシ島で地震の被害を調査している。"),
    ],
)
def test_a_statement_stands(language: str, sentence: str) -> None:
    assert worth(sentence, language) >= STANDS


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Table 3 Emission factors of the mirror factory in Danbury, Connecticut."),
        ("en", "Figure S2. The mirror of the telescope was ground to the wrong shape."),
        ("de", "Darauf greifen auch die alten Rechner der Werkstatt in Oslo seit dem Umzug zu."),
        ("de", "Weisen Sie dem alten Rechner der Werkstatt in Oslo eine feste Adresse zu."),
        ("es", "Con este espejo el telescopio de la universidad de Oslo tiene otra forma."),
        ("en", "For this purpose the mirror of the telescope was ground to another shape."),
        ("en", "Shape) the mirror of the telescope was ground to the wrong form in Danbury."),
        ("en", "Shape = the mirror of the telescope was ground to the wrong form in Danbury."),
        ("en", "Extraction and amplification of the viral genome and alignment of NS5A."),
        ("en", "The samples of all the patients in Danbury were incubated for two hours."),
        ("en", "Figure 2. Growth. The works of the old mirror company in Danbury grew by half in a year."),
        ("en", "The plugin supports the following platforms: Azure Kubernetes Service Danbury Engine."),
        ("en", "Growth of lens-based optics at an old company in Danbury, Connecticut, in spring."),
        ("en", "We purified the mirrors of all of the telescopes of the works in Danbury."),
        ("en", "Cells of the mirror were identified using the search command of the old works."),
        ("en", "Mirrors were bought from the old works (Perkin Elmer, Danbury, USA) in spring."),
        ("en", "The mirror was his gift to the company that ground the mirrors in Danbury."),
        ("en", "Both of these mirrors were ground to the wrong shape at the works in Danbury."),
        ("en", "The old mirror page opens with the shapes of all the works in Danbury."),
        ("en", "The plugin for mirrors adds the following events to the logs of the works."),
        ("ko", "이 평가에서 국가재난관리청은 인도네시아 지진과 쓰나미 피해를 조사하고 있다."),
        ("zh", "该机构因未将海啸的消息告知民众而受到广泛的批评，政府正在进行调查。"),
        ("ja", "この国家災害庁はインドネシアのスラウェシ島で地震の被害を調査している。"),
    ],
)
def test_what_points_back_or_is_cut_off_does_not(language: str, sentence: str) -> None:
    assert worth(sentence, language) < STANDS


def test_a_heading_in_its_line_labels_and_pointers_are_not_told() -> None:
    said = {
        "Grinding mirrors of old works Danbury Works grinds the mirrors of the telescope.": "Danbury Works grinds",
        "Grinding the mirrors The works in Danbury grind the mirrors of the telescope.": "The works in Danbury",
        "Results: The works in Danbury grind the mirrors (Freedman et al., 2001; Lee, 1999).": "The works in Danbury",
        "The works grind the mirrors of the telescope (see Fig. 2A) in Danbury (Connecticut).": "The works grind",
    }
    for text, begin in said.items():
        document = {"id": "d", "title": "", "text": text, "language": "en", "created_at": "", "blocks": []}
        span = {"text_unit_id": "u", "document_id": "d", "char_start": 0, "char_end": len(text)}
        read = read_sentence(span, document)
        shown = POINTER.sub("", text[read.start : read.end])
        assert shown.startswith(begin) and "Fig" not in shown and "2001" not in shown and shown[-1] == "."


def test_neither_methods_nor_a_heading_that_runs_on_are_told() -> None:
    told = "The mirror of the telescope was ground to the wrong shape in Danbury."
    assert worth(f"## Results\n\n{told}", "en") >= STANDS
    assert worth(f"## 2 Materials and methods\n\n### Mirrors\n\n{told}", "en") < STANDS
    assert worth(f"## Methods\n\nHm.\n\n## Results\n\n{told}", "en") >= STANDS
    assert worth(f"It was so. # Mirrors of old works {told[4:]}", "en") < STANDS


def test_marks_of_markdown_are_not_told() -> None:
    said = "**HTTPS**: *Chst1* of `app.yaml` has 2 * 3 * 4 and __init__ and a_b_c."
    shown = "HTTPS: Chst1 of app.yaml has 2 * 3 * 4 and __init__ and a_b_c."
    span = {"document_id": "d", "char_start": 0, "char_end": len(said)}
    assert ReportStatement(span, (), 9, 1.0, lambda _: {"text": said}).shown == shown

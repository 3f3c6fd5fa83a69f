"""What a report may cite stands alone: whole, no caption, nothing that points back."""

import pytest

from graphrag_lite.evidence.report_statements import STANDS, reading
from graphrag_lite.text.sentences import sentences


def worth(text: str, language: str) -> float:
    document = {"id": "d", "title": "", "text": text, "language": language, "created_at": "", "blocks": []}
    start, end = sentences(text, language)[0]
    span = {"text_unit_id": "u", "document_id": "d", "char_start": start, "char_end": end}
    return reading(span, document).worth


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "The mirror of the telescope was ground to the wrong shape in Danbury."),
        ("en", "Table tennis was played in the halls of the old university in Oslo."),
        ("en", "In thistle fields near Oslo the farmers found an old bronze sword."),
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
        ("en", "For this purpose the mirror of the telescope was ground to another shape."),
        ("en", "Shape) the mirror of the telescope was ground to the wrong form in Danbury."),
        ("en", "Shape = the mirror of the telescope was ground to the wrong form in Danbury."),
        ("ko", "이 평가에서 국가재난관리청은 인도네시아 지진과 쓰나미 피해를 조사하고 있다."),
        ("zh", "该机构因未将海啸的消息告知民众而受到广泛的批评，政府正在进行调查。"),
        ("ja", "この国家災害庁はインドネシアのスラウェシ島で地震の被害を調査している。"),
    ],
)
def test_what_points_back_or_is_cut_off_does_not(language: str, sentence: str) -> None:
    assert worth(sentence, language) < STANDS

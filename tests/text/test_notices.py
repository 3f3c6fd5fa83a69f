"""Where licences and legal notices stand."""

import pytest

from graphrag_lite.text.notices import NEAR, legal_spans

NOTICE = "Copyright 2020. All rights reserved. Licensed without warranty; permission to redistribute."


@pytest.mark.parametrize("before", ["Marley was dead.\n\n" * 9, "İstanbul ve İzmir.\n\n" * 9, ""])
def test_a_notice_stands_where_the_text_has_it_whatever_letters_stand_before(before: str) -> None:
    assert legal_spans(before + NOTICE) == [(len(before), len(before) + len(NOTICE))]


def test_of_a_long_paragraph_it_begins_with_its_sentence_and_of_a_single_sentence_with_that() -> None:
    words = "and so on " * NEAR
    assert legal_spans(f"Dead he was. {NOTICE}")[0][0] == 0
    assert legal_spans(f"He {words}died. {NOTICE}")[0][0] == len(f"He {words}died. ")
    assert legal_spans(f"He {words}{NOTICE}")[0][0] == 0

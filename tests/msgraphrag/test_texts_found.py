"""A piece is found where it stands, and pieces make one text."""

from hypothesis import given
from hypothesis import strategies as st
from linear import assert_linear

from graphrag_lite.msgraphrag.texts import SearchedText, join_pieces

WORDS = st.text(alphabet="ab. \n", min_size=1, max_size=60)


@given(WORDS, st.data())
def test_a_piece_as_it_stands_is_found_with_its_exact_characters(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    span = SearchedText(text).find(text[start:end], after=start)
    if text[start:end].strip():
        assert span and text[span[0] : span[1]] == text[start:end] and span[0] >= start
    else:
        assert span is None


def test_the_second_of_two_equal_pieces_is_found_after_the_first() -> None:
    document = SearchedText("Humbug! Humbug!")
    assert document.find("Humbug!") == (0, 7)
    assert document.find("Humbug!", after=1) == (8, 15)
    assert document.find("Humbug!", after=9) == (0, 7)
    spaced = SearchedText("Bah!  Humbug! Bah!\nHumbug!")
    assert spaced.find("Bah! Humbug!", after=1) == (14, 26) and spaced.find("Bah! Humbug!", after=15) == (0, 13)


def test_metadata_white_space_and_half_characters_do_not_hide_a_piece() -> None:
    document = SearchedText("\ufeffMarley was dead:\n    to begin with. “Bah!”")
    assert document.find("title: carol.txt.\nauthor: Dickens.\nto begin with.") == (22, 36)
    assert document.find("Marley was dead: to begin with.") == (1, 36)
    assert document.find("title: x\n\ufffdMarley  was\ndead: to begin with. \ufffd") == (1, 36)
    assert document.find("Marley was alive") is None
    assert document.find(" \n ") is None


@given(st.lists(WORDS, min_size=1, max_size=6))
def test_a_joined_text_holds_every_piece_at_its_span(pieces: list[str]) -> None:
    text, spans = join_pieces(pieces)
    assert [text[start:end] for start, end in spans] == pieces


def test_what_neighbours_share_stands_once() -> None:
    source = " ".join(f"word{i}" for i in range(200))
    text, spans = join_pieces([source[:600], source[500:1100], source[1000:]])
    assert text == source and spans[1] == (500, 1100)


def test_a_megabyte_of_one_character_is_soon_looked_through() -> None:
    def look_through(text: str) -> None:
        assert SearchedText(text).find(f"x{text[:1000]}") is None
        join_pieces([text] * 3)

    for char in "a :\n[":
        assert_linear(look_through, char)

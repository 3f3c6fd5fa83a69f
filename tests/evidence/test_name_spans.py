"""Where names stand in a text unit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from linear import assert_linear

from graphrag_lite.evidence.name_spans import NameSpan, NameSpans
from graphrag_lite.text.folding import fold_with_offsets

KNOWN = "Mr. Scrooge had known Jacob\nMarley for years."
TEXT = (
    "Old Marley was as dead as a door-nail. Mr. Scrooge had known Jacob\nMarley for years.  Marley’s chain clanked.\n\n"
    "The Ghost of Christmas Past came in. Scrooge wept. Nobody\nlaughed. Bob Cratchit stayed\nat home."
)


def mentioned(text: str, name: str, description: str = "", language: str = "en") -> tuple[str, str]:
    """Return the first word of the mention and the sentence around it."""
    place = NameSpans(text, language).of(name, description)
    word = text[place.mention_start :].split()[0] if place.mention_start >= 0 else ""
    return word, text[place.char_start : place.char_end]


@pytest.mark.parametrize(
    ("name", "word", "sentence"),
    [
        ("Jacob Marley", "Jacob", KNOWN),
        ("JACOB  MARLEY", "Jacob", KNOWN),
        ("Jacob_Marley", "Jacob", KNOWN),
        ("Marley's chain", "Marley’s", "Marley’s chain clanked."),
        ("Marley's Ghost", "Ghost", "The Ghost of Christmas Past came in."),
        ("“Bob Cratchit”", "Bob", "Bob Cratchit stayed\nat home."),
        ("Ghosts of Christmas Past", "Christmas", "The Ghost of Christmas Past came in."),
        ("Chains", "", TEXT),
        ("Mr. Fezziwig", "", TEXT),
        ("Ann", "", TEXT),
        ("arley", "", TEXT),
        ("!", "", TEXT),
        ("", "", TEXT),
    ],
)
def test_a_name_is_found_as_the_text_writes_it(name: str, word: str, sentence: str) -> None:
    if name == "Marley's Ghost":  # both words are parts of the name: what is said of it tells which
        assert mentioned(TEXT, name, "A ghost of Christmas.") == (word, sentence)
    else:
        assert mentioned(TEXT, name) == (word, sentence)


def test_the_sentence_is_the_one_that_says_what_the_description_says() -> None:
    assert mentioned(TEXT, "Marley")[1] == "Old Marley was as dead as a door-nail."
    assert mentioned(TEXT, "Marley", "Marley drags a clanking chain.")[1] == "Marley’s chain clanked."
    assert mentioned(TEXT, "Marley", "Nothing of the kind.")[1] == "Old Marley was as dead as a door-nail."


def test_a_whole_word_goes_before_the_beginning_of_another() -> None:
    assert mentioned("The Annals were lost. Ann left.", "Ann") == ("Ann", "Ann left.")


def test_a_title_is_no_part_that_stands_for_a_name() -> None:
    assert mentioned(TEXT, "Mr. Jacob Scrooge")[1] == KNOWN
    assert mentioned("Mrs. Dilber came.", "Mrs. Fezziwig")[0] == ""
    assert mentioned("His father came.", "The Father")[0] == "father"


def test_a_name_may_end_otherwise_in_the_text() -> None:
    assert mentioned("Two Spirits came. Good.", "spirit")[0] == "Spirits"
    assert mentioned("Widział Scrooge'a. Rozmawiał z Scroogem.", "Scrooge")[0] == "Scrooge'a."


@pytest.mark.parametrize(
    ("text", "name", "word"),
    [
        ("彼は夏目漱石の弟子だった。", "夏目漱石", "夏目漱石の弟子だった。"),
        ("Er traf Mu\u0308ller.", "Müller", "Mu\u0308ller."),
        ("Er traf Müller.", "Muller", "Müller."),
        ("Ｍａｒｌｅｙ died.", "Marley", "Ｍａｒｌｅｙ"),
        ("Soft\u00adware AG grew.", "Software AG", "Soft\u00adware"),
        ("서울특별시에서 살았다.", "서울특별시", "서울특별시에서"),
        ("Он видел Москву.", "МОСКВУ", "Москву."),
    ],
)
def test_width_accents_and_scripts(text: str, name: str, word: str) -> None:
    assert mentioned(text, name, language="")[0] == word


def test_two_names_stand_in_one_sentence_or_in_as_few_as_possible() -> None:
    places = NameSpans(TEXT, "en")

    def both(one: str, other: str, description: str = "") -> str:
        place = places.of_both(one, other, description)
        return TEXT[place.char_start : place.char_end]

    assert both("Marley", "Scrooge") == both("Scrooge", "Marley") == KNOWN
    assert both("Scrooge", "Bob Cratchit") == "Scrooge wept. Nobody\nlaughed. Bob Cratchit stayed\nat home."
    assert both("Fezziwig", "Bob Cratchit") == "Bob Cratchit stayed\nat home."
    assert both("Fezziwig", "Belle") == TEXT
    twice = NameSpans("Ann met Bob. Ann paid Bob.", "en")
    assert twice.of_both("Ann", "Bob", "Ann paid money.") == NameSpan(13, 13, 26)


def test_each_of_many_names_costs_little() -> None:
    def look_up(text: str) -> None:
        places = NameSpans(text, "en")
        for number in range(20):
            places.of_both("Marley", f"Scrooge {number}", "They knew each other.")

    assert_linear(look_up, "Marley and Scrooge. ", small=5000)


@pytest.mark.parametrize("char", ["a", " ", "é", "界", "'", "\n", "\u0301", "-"])
def test_a_megabyte_of_one_character(char: str) -> None:
    folded, places = fold_with_offsets(char * 1000)
    assert len(folded) == len(places)
    assert_linear(fold_with_offsets, char)


@given(st.text(max_size=60), st.text(max_size=12))
def test_every_place_is_inside_the_unit(text: str, name: str) -> None:
    folded, origins = fold_with_offsets(text)
    assert len(folded) == len(origins) and list(origins) == sorted(origins)
    place = NameSpans(text).of(name, text)
    assert 0 <= place.char_start <= place.char_end <= len(text)
    assert place.mention_start == -1 or place.mention_start < len(text)


@given(st.text(alphabet="abé 界'.\n", min_size=1, max_size=40), st.data())
def test_a_word_of_the_text_is_found_in_it(text: str, data: st.DataObject) -> None:
    words = [word for word in text.split() if any(char.isalnum() for char in word)]
    if words:
        word = data.draw(st.sampled_from(words))
        place = NameSpans(text).of(word.strip(".'"))
        assert place.mention_start >= 0 and place.char_start <= place.mention_start < place.char_end

"""What a sentence says apart from who says it, and which sentences are statements."""

import pytest

from graphrag_lite.text.transcripts import is_head, speakers, spoken_span, statement_form

TALK = (
    "AMY LEE: The mirror of the telescope was ground to the wrong shape.\n"
    "[00:12:07] Bo Yi, Oslo University and Partners: The makers had trusted a faulty measuring device.\n"
    "AMY LEE: [laughs] (Off the record.) Note: nobody had checked the finished mirror against another device.\n"
    "CAM.I.AM: Two tests had shown the error long before the launch of the telescope.\n"
)


@pytest.mark.parametrize("begins", ["The mirror of", "The makers had", "Note: nobody had", "Two tests had"])
def test_labels_times_and_brackets_are_not_said(begins: str) -> None:
    line = next(line for line in TALK.splitlines() if begins in line)
    start = TALK.index(line)
    start, end = spoken_span(TALK, start, start + len(line))
    assert TALK[start:end].startswith(begins) and TALK[start:end].endswith(".")


def test_the_rest_of_a_label_that_was_cut_in_two_is_not_said() -> None:
    start = TALK.index("I.AM")
    assert TALK[slice(*spoken_span(TALK, start, len(TALK)))].startswith("Two tests")


def test_a_colon_makes_a_label_only_where_labels_come_again() -> None:
    text = "Lyman Spitzer: a life.\nOne thing was clear: the mirror was wrong.\nOne thing was clear: it stays.\n"
    assert speakers(text) == frozenset()
    assert [spoken_span(text, *span) for span in ((0, 22), (23, 65))] == [(0, 22), (23, 65)]
    assert speakers(TALK) == {"amy lee"}


def test_two_colons_make_no_label() -> None:
    text = "File: It is short.\nFile: It is long.\nThe File::Copy module copies files."
    start = text.index("The")
    assert spoken_span(text, start, len(text)) == (start, len(text))


@pytest.mark.parametrize(
    ("sentence", "least", "most"),
    [
        ("The mirror of the telescope was ground to the wrong shape.", 1.0, 1.0),
        ("Thank you, Amy, and good evening to you.", 0.0, 0.0),
        ("Who had ground the mirror of the telescope to the wrong shape?", 0.0, 0.0),
        ("The mirror of the telescope and its wrong shape", 0.0, 0.0),
        ("And the mirror of the telescope was ground to the wrong shape.", 0.1, 0.5),
        ("So the mirror of the telescope was ground to the wrong shape.", 0.1, 0.5),
        ("Yeah, the mirror of the telescope was ground to the wrong shape.", 0.1, 0.5),
        ("You told me that the mirror of the telescope was ground wrong.", 0.1, 0.9),
        ("'The mirror of the telescope was ground to the wrong shape!'", 0.1, 0.9),
        ("Famous telescope makers, mirror grinders, launch crews, astronauts.", 0.1, 0.5),
        ("The setting mirror_shape in telescope.md had been changed by its makers in the summer.", 1.0, 1.0),
    ],
)
def test_the_form_of_a_statement(sentence: str, least: float, most: float) -> None:
    assert least <= statement_form(sentence, 0, len(sentence), "en") <= most


def test_form_knows_scripts_without_spaces() -> None:
    sentence = "望遠鏡の鏡は間違った形に研磨されていたことが打ち上げの後で分かった。"
    assert statement_form(sentence, 0, len(sentence), "ja") > 0.9
    assert statement_form("ありがとう。", 0, 6, "ja") == 0.0


def test_what_begins_as_other_lines_do_is_a_pages_head() -> None:
    page = "Annual Report of the Telescope Society 7 had been sent.\n\nThe mirror was flawed, as all of the makers knew.\n\n"
    book = page * 4
    last = book.rindex("Annual")
    assert is_head(book, last, last + 55) and not is_head(page, 0, 55)


def test_a_line_with_a_files_name_is_a_pages_head_where_others_begin_so() -> None:
    """In a book about programs most sentences hold such names."""
    said = "had been ground to the wrong shape by its makers."
    pages = "".join(f"Ep-9.txt  {n} {said}\n" for n in range(3)) + "Nothing else was wrong with mirror_2.txt of theirs."
    assert is_head(pages, 0, 61) and statement_form(pages, 0, 61, "en") == 0
    assert not is_head(pages, pages.index("Nothing"), len(pages))
    assert not is_head(f"Ep-9.txt  {said}", 0, 59)


def test_a_files_name_before_a_sentence_is_not_said_and_a_time_in_it_is() -> None:
    text = "Ep-9_The_Mirror with Amy Lee.txt ../AMY LEE: 5:30 suits me.\nAMY LEE: The max_mirrors setting is new.\nAMY LEE: Yes.\n"
    first = text.index("\n")
    assert text[slice(*spoken_span(text, 0, first))] == "5:30 suits me."
    assert text[slice(*spoken_span(text, first + 1, text.rindex("\nAMY")))] == "The max_mirrors setting is new."

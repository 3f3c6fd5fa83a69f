"""What a notebook shows of an answer: all of it, and nothing that a text of the corpus could run."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.search.answer import Answer, Cited
from graphrag_lite.search.notebook import index_html
from graphrag_lite.text import plain_text
from graphrag_lite.text.plain_text import escape_markdown

HOSTILE = '<script>alert(1)</script> "onload=x() [2] *b* <img src=x onerror=y>'


class Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.names: set[str] = set()
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def answer(text: str, said: str) -> Answer:
    cited = Cited(1, f"d{said}", f"p/{said}.md", "u", 0, len(said), said, "page 1")
    return Answer("Who?", "local", f"{text} [1]", [cited.document], ["u"], [cited])


@given(st.one_of(st.just(HOSTILE), st.text(st.characters(codec="utf-8"), max_size=30)))
def test_texts_are_shown_and_never_run(said: str) -> None:
    found = Tags(answer(said, said)._repr_html_())
    assert found.tags <= {"div", "p", "sup", "br", "ol", "li", "q"} and found.names <= {"title", "value"}
    assert "".join(plain_text.plain(said).split()) in "".join(found.text.split())


def test_markdown_shows_a_text_as_it_is() -> None:
    told = answer(HOSTILE, HOSTILE)._repr_markdown_()
    assert "<script>" not in told.replace("\\<", "") and "\\[1\\]" in told and "page 1" in told
    assert escape_markdown("_x_") == "\\_x\\_"


def test_nothing_of_a_text_or_a_path_obeys_to_controls_or_begins_a_line() -> None:
    said = "a\x1b[31m\n\n# b\x9b2J"
    html, told = answer(said, said)._repr_html_(), answer("Yes.", said)._repr_markdown_()
    assert not {"\x1b", "\x9b"} & {*html, *told}
    assert len(told.split("\n\n")) == 2 and "\n" not in told.split("\n\n")[1]


def test_an_index_is_a_table() -> None:
    found = Tags(index_html("<b>", {"documents": 1200}))
    assert found.tags == {"table", "caption", "tr", "td"} and "1,200" in found.text

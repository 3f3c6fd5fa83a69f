"""A page's text, title and date."""

import time

import pytest

from graphrag_lite.read.formats.web_page import html_to_text

PAGE = """<!doctype html><html><head><title>
  The  Telescope </title><meta property="article:published_time" content="1990-04-24T12:33:51Z">
<style>p {color: red}</style><script>var x = "<p>no</p>";</script></head>
<body><nav>Home</nav><h1>Launch</h1><p>It flew &amp; worked.<p>Twice<br>over.
<table><tr><td>Mass</td><td>11 t</td></tr></table><footer>© 1990</footer></body></html>"""


def test_a_page() -> None:
    page = html_to_text(PAGE)
    assert page.title.split() == ["The", "Telescope"]
    assert "\n" not in page.title
    assert page.date == "1990-04-24T12:33:51Z"
    for words in ("Launch", "It flew & worked.", "Twice", "Mass", "11 t"):
        assert words in page.text
    for words in ("Home", "color", "var x", "© 1990", "<"):
        assert words not in page.text


def test_blocks_are_on_lines_of_their_own() -> None:
    assert html_to_text("<h1>A</h1><p>B</p><p>C D</p>").text.split() == ["A", "B", "C", "D"]
    assert "A B" not in html_to_text("<h1>A</h1><p>B</p>").text


@pytest.mark.parametrize("html", ["", "   ", "plain < text", "<p", "<!--", "</p></div>", "<title>", "\0<p>x"])
def test_broken_pages_are_no_errors(html: str) -> None:
    html_to_text(html)


@pytest.mark.parametrize("html", ["<div>" * 20_000, "<b>a" * 20_000, "<" * 300_000, "a" * 1_000_000, "<p>x" * 50_000])
def test_deep_and_long_pages_take_seconds_at_most(html: str) -> None:
    started = time.process_time()
    html_to_text(html)
    assert time.process_time() - started < 15

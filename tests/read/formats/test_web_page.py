"""A page's text, title and date."""

import time

import pytest

from graphrag_lite.read.documents import Fields, Loaded
from graphrag_lite.read.formats.web_page import decoded_page, read_page
from graphrag_lite.read.readers import all_readers

PAGE = """<!doctype html><html><head><title>
  The  Telescope </title><meta property="article:published_time" content="1990-04-24T12:33:51Z">
<style>p {color: red}</style><script>var x = "<p>no</p>";</script></head>
<body><nav>Home</nav><h1>Launch</h1><p>It flew &amp; worked.<p>Twice<br>over.
<table><tr><td>Mass</td><td>11 t</td></tr></table><footer>© 1990</footer></body></html>"""


def test_a_page() -> None:
    page = read_page(PAGE)
    assert page.title.split() == ["The", "Telescope"]
    assert "\n" not in page.title
    assert page.date == "1990-04-24T12:33:51Z"
    for words in ("Launch", "It flew & worked.", "Twice", "Mass", "11 t"):
        assert words in page.text
    for words in ("Home", "color", "var x", "© 1990", "<"):
        assert words not in page.text


def test_blocks_are_on_lines_of_their_own() -> None:
    assert read_page("<h1>A</h1><p>B</p><p>C D</p>").text == "# A\n\nB\n\nC D"


def test_what_a_term_means_stands_below_it_farther_in() -> None:
    html = "<dl><dt>sluice</dt><dd><p>A gate.</p></dd><dt>weir</dt><dd>A <b>low</b> dam.</dd><dt>all</dt><dd><ul><li>A</ul></dd></dl>"
    assert read_page(html).text == "sluice\n    A gate.\n\nweir\n    A low dam.\n\nall\n  • A"


def test_the_author_that_a_page_states_is_read() -> None:
    assert read_page("<head><meta name=author content=' Ann  Lee '></head><p>B").author == "Ann Lee"


def test_a_text_file_that_is_a_page_is_read_as_one_and_one_that_mentions_tags_is_not() -> None:
    def texts(data: bytes) -> list[str]:
        return [item.text for item in all_readers().read(data, "a.txt", Fields()) if isinstance(item, Loaded)]

    assert texts(b"<title>Gates</title>\n\n<p>One <em>opens</em>.<br/>\nOne\ncloses.</p>\n") == [
        "One opens.\nOne closes."
    ]
    note = "How pages begin:\n\n<h1>A</h1>\n<p>One <em>opens</em>.</p>"
    assert texts(note.encode()) == [note]


CONTENTS = """<h1><code>Book</code> of it</h1><p>Contents</p><ul><li>1. <a href="#one">One</a><ul><li>1.1. <a href="#sub"><span>Sub</span></a></ul>
<li>2. <a href="b.html#two">Two</a></ul><div class="related"><a href="b.html">Next</a></div>
<h2>One<a class="headerlink" href="#one">¶</a></h2><p>See <a href="#two">Two</a>, <a href="#sub">Sub</a>.
<ul><li><a href="#a">Ann</a> sings<li><a href="#b">Bob</a> plays<li><a href="#c">Cy</a> sleeps</ul>
<table><tr><td></td><td></td></tr><tr><th><p>Name</p></th><th><p>Mass</p></th></tr><tr><td>A<td>11&nbsp;t</tr></table><pre>all:\n\tmake <code>x</code>\n</pre>
Run <code>npm ci</code>."""


def test_a_table_of_contents_is_no_text() -> None:
    page = read_page(CONTENTS)
    assert page.text == (
        "# Book of it\n\nContents\n\n## One\n\nSee Two, Sub.\n\n  • Ann sings\n  • Bob plays\n  • Cy sleeps\n"
        "Name | Mass\nA | 11 t\nall:\n\tmake x\n\nRun npm ci."
    )
    assert [page.text[block.char_start : block.char_end] for block in page.blocks if block.kind == "code"] == [
        "Book",
        "all:\n\tmake ",
        "x",
        "npm ci",
    ]


WAYS = ['<div class="toc"><a href="a.html">One</a></div>', "<form><p>One</p></form>", "<nav>One</nav>"]


@pytest.mark.parametrize("html", WAYS)
def test_a_page_that_is_only_ways_to_others_or_a_form_keeps_them(html: str) -> None:
    assert "One" in read_page(html).text


@pytest.mark.parametrize(
    "hides", ["hidden", "style='color:red; display:NONE'", "style='visibility: hidden'", "aria-hidden=true"]
)
def test_what_no_reader_sees_is_not_read_unless_it_is_the_page(hides: str) -> None:
    assert read_page(f"<p>Seen.</p><div {hides}><p>Not seen.</p></div><template>Nor this.</template>").text == "Seen."
    assert read_page(f"<body {hides}><p>Shown later by a script.</p></body>").text == "Shown later by a script."


def test_an_article_that_a_program_shows_is_read_and_its_notice_is_not() -> None:
    article = f"<article style='visibility:hidden'><p>{'The mirror was flawed. ' * 20}</p></article>"
    page = read_page(f"<body><header>Site</header><noscript>Enable JavaScript.</noscript>{article}</body>")
    assert page.text.count("flawed") == 20 and "JavaScript" not in page.text


def test_what_opens_where_a_reader_looks_for_it_is_read() -> None:
    assert read_page("<p>Asked.</p><div hidden=Until-Found><p>Answered.</p></div>").text == "Asked.\n\nAnswered."


def test_what_stands_for_code_while_a_page_is_read_is_not_taken_from_the_page() -> None:
    page = read_page("<title>On <code></title><p>&#xE000; &#57344 A&#xe0010; and <code>b</code> are here.")
    assert page.title == "On <code>"
    assert [page.text[block.char_start : block.char_end] for block in page.blocks if block.kind == "code"] == ["b"]


@pytest.mark.parametrize("html", ["", "   ", "plain < text", "<p", "<!--", "</p></div>", "<title>", "\0<p>x"])
def test_broken_pages_are_no_errors(html: str) -> None:
    read_page(html)


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 10_000,
        "<b>a" * 10_000,
        "<" * 125_000,
        "a" * 500_000,
        "<p>x" * 25_000,
        "<ul><li><a href=#>x" * 10_000,
        f"<a href={'x' * 1500}>x" * 10_000,
        "<a href=x>·</a> " * 30 + "x",
        "<pre></pre>" + "&emsp;" * 30_000 + "x",
    ],
)
def test_deep_and_long_pages_take_seconds_at_most(html: str) -> None:
    started = time.process_time()
    read_page(html)
    assert time.process_time() - started < 8


def test_ways_to_other_pages_before_and_behind_the_text_are_no_text() -> None:
    way = "<ul><li><a href=a.html>Back</a></li><li>The Handbook</li><li><a href=b.html>Next</a></li></ul>"
    page = read_page(f"{way}<h1><a href=c.html>Ships</a></h1><p>See <a href=d.html>Oslo</a>.</p>{way[:40]}")
    assert page.text == "# Ships\n\nSee Oslo."
    assert read_page("<p></p><ul><li>One point.</li></ul><p>It rained.</p>").text == "• One point.\n\nIt rained."


@pytest.mark.parametrize("announces", ["<h2>Members</h2>", "<p>Its members are:</p>"])
def test_links_that_a_page_ends_with_are_text_where_it_announces_them(announces: str) -> None:
    assert "Bo Li" in read_page(f"<p>It met in May.</p>{announces}<ul><li><a href=a>Bo Li</a></li></ul>").text


def test_a_page_that_marks_its_main_part_has_no_other_text() -> None:
    prose = "<p>The ship sailed at noon.</p>" * 30
    assert "Press" not in read_page(f"<div>Press a key</div><main>{prose}</main>").text
    assert "Press" in read_page(f"<div>Press a key</div><main>Loading</main>{prose}").text


@pytest.mark.parametrize(
    "head", ["<meta charset={}>", '<meta http-equiv=a content="text/html; charset={}">', '<?xml encoding="{}"?>']
)
def test_a_page_is_in_the_encoding_that_it_states(head: str) -> None:
    page = f"{head.format('iso-8859-2')}<p>Łódź to miasto."
    assert decoded_page(page.encode("iso-8859-2")) == page
    page = f"{head.format('iso-8859-1')}<p>Łódź"
    assert decoded_page(page.encode()) == page

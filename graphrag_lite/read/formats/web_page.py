"""HTML, by resiliparse (the Webis group's, for web archives)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from graphrag_lite.read.documents import Block, Composer, Fields, Loaded, Reader, replace_surrogates
from graphrag_lite.read.encoding import decode
from graphrag_lite.read.stated_times import stated_date
from graphrag_lite.text.word_lists import sections

HIDING = (("display", "none"), ("visibility", "hidden"))
# Not resiliparse's own `main_content`: it takes minutes for a page of 100,000 nested elements.
SKIPPED, WAYS = sections(__package__, "web_page.txt").values()
HIDDEN = [f"[style*='{way}:{space}{value}' i]" for way, value in HIDING for space in ("", " ")]
FEW, TIMES = 500, 10  # characters of a page that says as many times more once its programs have shown the rest
# While a page is read: what stands around code and around links, and before parts of pages and meanings of terms.
CODE, LINK, PART, MEANING = ("\ue000", "\ue001"), ("\ue002", "\ue003"), "\ue004", "\ue005"
# As characters or by number: fonts of icons use these numbers.
MARKS = re.compile(rf"(?i)[{''.join(CODE + LINK)}{PART}{MEANING}]|&#(?:x0*e00[0-5](?![\da-f])|0*5734[4-9](?!\d));?")
CODE_BEGIN, CODE_END = re.compile(r"(?i)<(?:pre|code)\b[^<>]*>"), re.compile(r"(?i)(?=</(?:pre|code)\s*>)")
LINKED = re.compile(r"""(?i)(<a\s[^<>#]{0,500}+(#)?+[^<>]{0,500}+>)([^<]*(?:<(?!/?a\b)[^<]*)*)""")
CHARSET = re.compile(rb"""(?i)<(?:meta\b[^<>]*\bcharset|\?xml\b[^<>]*\bencoding)\s*=\s*["']?([\w.:-]+)""")
HEADING = re.compile(r"(?i)<h([1-6])\b[^<>]*>")
CELL_BEGIN = re.compile(r"(?i)(<(?:t[dh]|dd)\b[^<>]*>)\s*<p\b[^<>]*>")
CELL_END = re.compile(r"(?i)</p>\s*(?=</(?:t[dh]|dd)\b)")
MEANS = re.compile(r"(?i)<dd\b[^<>]*>(?!\s*<(?:[dou]l|pre|table|div|p)\b)")
MEANT = re.compile(rf"({MEANING}[^\n]*\n)(?=[^\n{MEANING}])")
LIST = re.compile(r"(?i)(</?)[uo]l\b")
DEEP = 50  # lists in each other: each goes in by two characters, so that a small page would become a large text
# A table of contents: three lines or more of nothing but links to parts of pages.
CONTENTS = re.compile(
    rf"(?:^(?:[^\w\n{LINK[0]}]|[\d_])*{LINK[0]}{PART}[^{LINK[1]}\n]*{LINK[1]}[^\w\n]*\n+){{3,}}", re.M
)
# A line of nothing but links, or of nothing; an item of a list that may stand between such links.
BESIDE = rf"[^\w#{LINK[0]}]*"
WAY = re.compile(rf"{BESIDE}(?:{LINK[0]}[^{LINK[1]}]*{LINK[1]}{BESIDE})*(?:{LINK[0]}[^\w#{LINK[1]}]*)?")
ITEM = re.compile(r"\s*•.{1,60}")
ANNOUNCES = re.compile(r"^\s*#|[:：]\W{0,9}$")
BLANK = re.compile(r"\n(?:[^\S\n]*\n){2,}")
CELLS, EMPTY = re.compile(r"(?<![^\S\n])[^\S\n]*\t[^\S\n]*"), re.compile(r"(?m)^[ |•#]+(?=\n)")
LINKS = re.compile(f"[{''.join(LINK)}{PART}]")
DATES = ("date", "article:published_time", "dc.date", "dcterms.date", "datepublished")


@dataclass(frozen=True)
class WebPage:
    """What a reader sees, its blocks on lines of their own; the page's title; date and author that its head states."""

    text: str
    title: str
    date: str
    author: str = ""
    blocks: tuple[Block, ...] = ()


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    page = read_page(decoded_page(data))
    stated = {fields.time: page.date} if page.date else stated_date(page.text, fields)
    stated |= {"author": page.author} if page.author else {}
    yield Loaded(path, page.title, page.text, metadata=stated, blocks=page.blocks)


def decoded_page(data: bytes) -> str:
    """Return the text of a page, in the encoding that it states where it is no UTF-8."""
    stated = CHARSET.search(data, 0, 4096)
    return decode(data, stated[1].decode() if stated else "")


def read_page(html: str, skip: Sequence[str] = ()) -> WebPage:
    """Return a page's text without scripts, styles, navigation and footers: headings with marks, code as blocks.

    `skip` selects (by CSS) what else is left out, unless nothing else is there.

    >>> page = read_page("<title>News</title><nav>Home</nav><h2>A</h2>One &amp; two.<pre>x = 1</pre>")
    >>> page.text, page.title, [(block.kind, page.text[block.char_start : block.char_end]) for block in page.blocks]
    ('## A\\n\\nOne & two.\\nx = 1', 'News', [('code', 'x = 1')])
    """
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.html import HTMLTree

    tree = HTMLTree.parse(_marked(MARKS.sub("", html)))
    stated = {}
    for meta in tree.head.get_elements_by_tag_name("meta") if tree.head else ():
        name = (meta.getattr("name") or meta.getattr("property") or "").lower()
        stated[name] = meta.getattr("content") or ""
    # Some pages are only ways to others, some stand in one form as a whole, and some are shown by their programs.
    skips: tuple[list[str], ...] = ([*SKIPPED, *HIDDEN, *WAYS, *skip], [*SKIPPED, *WAYS], SKIPPED, [])
    texts = (extract_plain_text(tree, alt_texts=False, skip_elements=skip) for skip in skips)
    mains = tree.body.get_elements_by_tag_name("main") if tree.body else []
    main = HTMLTree.parse(mains[0].html) if len(mains) == 1 else None
    text = extract_plain_text(main, alt_texts=False, skip_elements=skips[0]) if main else ""
    if len(text) < FEW:  # no page's main part
        text = next(filter(str.strip, texts), "")
    if len(text) < FEW and any(value in html for _, value in HIDING):
        shown = next(texts, "")
        text = shown if len(shown) >= TIMES * len(text) else text
    composer = _composed(text)
    date = next((stated[name] for name in DATES if stated.get(name)), "")
    author = " ".join(stated.get("author", "").split())
    title = " ".join(MARKS.sub("", tree.title or "").split())
    return WebPage(composer.text(), title, date, author, tuple(composer.blocks))


def _marked(html: str) -> str:
    """Return a page with marks before headings, around code, and around links."""
    depths = accumulate(-1 if found[1] == "</" else 1 for found in LIST.finditer(html))
    html = LIST.sub(r"\1div", html) if max(depths, default=0) > DEEP else html
    html = CELL_END.sub("", CELL_BEGIN.sub(r"\1", html))
    html = MEANS.sub(rf"\g<0>{MEANING}", html)
    html = LINKED.sub(lambda link: f"{link[1]}{LINK[0]}{PART if link[2] else ''}{link[3]}{LINK[1]}", html)
    html = CODE_END.sub(CODE[1], CODE_BEGIN.sub(rf"\g<0>{CODE[0]}", html))
    return HEADING.sub(lambda found: f"{found[0]}{'#' * int(found[1])} ", html)


def _composed(text: str) -> Composer:
    """Return what was read, with cells between bars, and without lines that hold nothing and marks."""
    contents = CONTENTS.sub("", f"{text}\n")
    text = LINKS.sub("", _without_menus(contents)) or LINKS.sub("", contents)
    text = MEANT.sub(r"\1\n", text).replace(MEANING, "    ")
    composer = Composer()
    depth = 0
    for piece in re.split(f"([{''.join(CODE)}])", text.strip()):
        if piece in CODE:
            depth = max(0, depth + (1 if piece == CODE[0] else -1))
        else:
            composer.add(
                replace_surrogates(piece if depth else _plain(piece)), "code" if depth and piece.strip() else ""
            )
    return composer


def _without_menus(text: str) -> str:
    """Return a text without the lines of nothing but links before all others and behind them: ways to other pages.

    Those below a heading, or behind a colon, are what it announces.
    """
    lines = text.split("\n")
    filled = [index for index, line in enumerate(lines) if line.strip()]
    ways = [*(bool(WAY.fullmatch(lines[index])) for index in filled), False]  # before the first and behind the last
    first, last = 0, len(filled)
    while first < last and (
        ways[first] or (ways[first - 1] and ways[first + 1] and ITEM.fullmatch(lines[filled[first]]))
    ):
        first += 1
    while last > first and ways[last - 1]:
        last -= 1
    if first < last and ANNOUNCES.search(lines[filled[last - 1]]):
        last = len(filled)
    return "\n".join(lines[filled[first] : filled[last - 1] + 1]) if first < last else ""


def _plain(text: str) -> str:
    """Return a text with cells between bars, and without lines that hold marks alone.

    >>> _plain("A\\t\\tB\\n\xa0\\t\\t\\n\\n\\nC")
    'A | B\\n\\nC'
    """
    return BLANK.sub("\n\n", EMPTY.sub("", CELLS.sub(" | ", text.replace("\xa0", " "))))


READER = Reader({".html": "text/html", ".htm": "text/html"}, read)

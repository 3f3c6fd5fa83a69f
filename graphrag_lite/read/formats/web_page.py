"""HTML, by resiliparse (the Webis group's, for web archives)."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphrag_lite.read.documents import Fields, Loaded, Reader
from graphrag_lite.read.encoding import decode
from graphrag_lite.read.stated_times import stated_date

# Not resiliparse's own `main_content`: it takes minutes for a page of 100,000 nested elements.
SKIPPED = ["nav", "footer", "aside", "form", "[role=navigation]", "[role=banner]", "[aria-hidden=true]"]
DATES = ("date", "article:published_time", "dc.date", "dcterms.date", "datepublished")


@dataclass(frozen=True)
class Page:
    """What a reader sees, its blocks on lines of their own; the page's title; the date that its head states."""

    text: str
    title: str
    date: str


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    page = html_to_text(decode(data))
    stated = {fields.time: page.date} if page.date else stated_date(page.text, fields)
    yield Loaded(path, page.title, page.text, metadata=stated)


def html_to_text(html: str) -> Page:
    """Return a page's text without scripts, styles, navigation and footers.

    >>> html_to_text("<title>News</title><nav>Home</nav><script>x()</script><p>One &amp; two.<p>Three.")
    Page(text='One & two.\\n\\nThree.', title='News', date='')
    """
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.html import HTMLTree

    tree = HTMLTree.parse(html)
    text = extract_plain_text(tree, alt_texts=False, skip_elements=SKIPPED)
    dates = {}
    for meta in tree.head.get_elements_by_tag_name("meta") if tree.head else ():
        name = (meta.getattr("name") or meta.getattr("property") or "").lower()
        dates[name] = meta.getattr("content") or ""
    date = next((dates[name] for name in DATES if dates.get(name)), "")
    return Page(text.strip(), (tree.title or "").strip(), date)


READER = Reader({".html": "text/html", ".htm": "text/html"}, read)

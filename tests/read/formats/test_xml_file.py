"""XML: feeds and records, documents of any vocabulary, settings, and what cannot be read."""

import pytest

from graphrag_lite.read.documents import Block, Fields, Item, Loaded, Unreadable
from graphrag_lite.read.readers import all_readers

LONG = "The society met in the old hall and talked about the bridge"


def read(text: str | bytes, path: str = "a.xml") -> list[Item]:
    return list(all_readers().read(text.encode() if isinstance(text, str) else text, path, Fields()))


def only(text: str | bytes) -> Loaded:
    (item,) = read(text)
    assert isinstance(item, Loaded)
    return item


def test_items_of_a_feed_are_rows_with_the_pages_in_them_as_text() -> None:
    items = "".join(
        f"<item><title>Bridge {n} opens</title><link>http://x.org/{n}</link><pubDate>Tue, {n} Jan 2006 19:57:00 GMT"
        f"</pubDate><description>&lt;p&gt;{LONG} {n}.&lt;/p&gt;&lt;br&gt;</description></item>"
        for n in (3, 4, 5)
    )
    found = read(f"<rss><channel><title>News</title><link>http://x.org</link>{items}</channel></rss>", "news.rss")
    assert [(item.title, item.created_at) for item in found if isinstance(item, Loaded)][:2] == [
        ("Bridge 3 opens", "2006-01-03T19:57:00+00:00"),
        ("Bridge 4 opens", "2006-01-04T19:57:00+00:00"),
    ]
    assert isinstance(found[0], Loaded) and found[0].text.endswith(f"\n\n{LONG} 3.")


def test_an_entry_with_a_summary_alone_stands_among_those_in_full() -> None:
    entry = "<entry><title>{0}</title><updated>2021-05-03T00:00:00Z</updated><{1}>The crane {0} is broken since May.</{1}></entry>"
    feed = "".join(entry.format(*each) for each in (("A", "content"), ("B", "summary")))
    items = list(all_readers().read(f"<feed>{feed}</feed>".encode(), "a.atom", Fields()))
    assert [getattr(item, "text", item) for item in items] == [
        f"The crane {name} is broken since May." for name in "AB"
    ]


def test_a_document_has_headings_code_and_references_and_what_stands_before_its_text_as_a_card() -> None:
    item = only(
        f"<article xmlns='urn:x'><title>The bridge</title><info><author>Ann Lee</author><date>2024-05-03</date></info>"
        f"<section><title>Talks</title><para>{LONG},\n      <emphasis>twice</emphasis>.\n      Then it closed.</para>"
        "<para>Yes.</para><screen>x = 1\ny = 2</screen></section>"
        "<bibliography><entry>Lee, A. Bridges.</entry></bibliography></article>"
    )
    card, talks = "author: Ann Lee\ndate: 2024-05-03\n\n", "## Talks\n\n"
    assert item.text == f"{card}{talks}{LONG}, twice. Then it closed.\n\nYes.\n\nx = 1\ny = 2\n\nLee, A. Bridges."
    assert (item.title, item.created_at, item.metadata) == ("The bridge", "2024-05-03", {"author": "Ann Lee"})
    assert [(block.kind, item.text[block.char_start : block.char_end].strip()) for block in item.blocks] == [
        ("card", card.strip()),
        ("code", "x = 1\ny = 2"),
        ("references", "Lee, A. Bridges."),
    ]
    assert isinstance(item.blocks[0], Block)


def test_lines_that_are_indented_more_begin_a_paragraph_and_short_names_are_those_of_what_holds_them() -> None:
    item = only(f"<n><TOPICS><D>acq</D><D>oil</D></TOPICS><BODY>{LONG},\nand left.\n    It was late\nthen.</BODY></n>")
    assert item.text == f"TOPICS: acq; oil\n\n{LONG}, and left.\n\nIt was late then."


def test_a_mark_of_a_company_is_no_tag_of_a_page() -> None:
    assert "sold to <Sedio N.V.> of" in only(f"<n><p>{LONG} that was sold to &lt;Sedio N.V.&gt; of Lugano</p></n>").text


def test_texts_of_elements_with_a_name_as_attribute_are_rows() -> None:
    rows = "".join(f"<string name='s{n}' size='{n}'>{LONG} {n}</string>" for n in (1, 2, 3))
    item = read(f"<resources>{rows}</resources>")[1]
    assert isinstance(item, Loaded) and item.text == f"name: s2\nsize: 2\n\n{LONG} 2"


@pytest.mark.parametrize(
    "text",
    [
        "<project><groupId>org.x</groupId><artifactId>y</artifactId><version>1</version></project>",
        "<regs><reg name='r0' size='64'/><reg name='r1' size='64'/></regs>",
        "<svg><path d='M 0 0 1 1'/></svg>",
    ],
)
def test_settings_of_a_program_are_no_document(text: str) -> None:
    assert only(text).text == ""


def test_encodings_of_several_bytes_and_characters_of_html_are_read() -> None:
    japanese = "協会は古い会館で橋について二時間ほど話し合った。次の会合は五月に開かれる。"
    text = f"<?xml version='1.0' encoding='EUC-JP'?><n><p>{japanese}</p></n>"
    assert only(text.encode("euc-jp")).text == japanese
    assert only(f"<!DOCTYPE n SYSTEM 'n.dtd'><n><p>{LONG}&nbsp;&eacute; &amp; on</p></n>").text == f"{LONG} é & on"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("<!DOCTYPE n [<!ENTITY a 'b'>]><n>&a;</n>", "declares entities, which are not read"),
        ("<n><p>One", "is no well-formed XML: no element found: line 1, column 9"),
        ("<a>" * 9000 + "</a>" * 9000, "has elements too deep in each other"),
    ],
)
def test_what_cannot_be_read_is_told(text: str, error: str) -> None:
    assert read(text) == [Unreadable("a.xml", error)]

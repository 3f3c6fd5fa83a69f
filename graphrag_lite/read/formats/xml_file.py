"""XML: feeds and lists of records a row each, all else as one document, what it says in few words as a card above."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from html.entities import name2codepoint
from itertools import starmap
from typing import TYPE_CHECKING, Any

from graphrag_lite.read.columns import MIN_WORDS, TIME, TITLE, words_on_average
from graphrag_lite.read.documents import Composer, Fields, Item, Loaded, Reader, replace_surrogates
from graphrag_lite.read.formats.web_page import decoded_page, read_page
from graphrag_lite.read.packages import local_name
from graphrag_lite.tables import HEAD

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z]\w*);")  # of HTML, where a type that is elsewhere has them
HEADS = re.compile("title|head|heading|headline", re.I)
CODE = re.compile("pre|code|screen|programlisting|literallayout|code-?block", re.I)
REFERENCES = re.compile("ref-list|listbibl|bibliography", re.I)
SKIPPED = re.compile("teiheader|style|script", re.I)
MARKED = re.compile(
    r"</(?:p|a|b|i|em|strong|div|span|ul|ol|li|h\d|table)\s*>|<(?:p|br|img|hr)\b[^<>]*>", re.I
)  # a page
WORD = re.compile(r"(?<!\S)[^\W\d_]{2,}")  # neither "f0767" nor "d"
DEEPEST, MOST = 6, 0.6  # levels of headings; the share of all text that records are to hold


def read(data: bytes, path: str, fields: Fields) -> Iterator[Item]:
    from graphrag_lite.read.chat_exports import conversations_in
    from graphrag_lite.read.formats import web_page
    from graphrag_lite.read.formats.json_file import with_text
    from graphrag_lite.read.rows import Row, row_documents

    root = root_of(data)
    try:
        if local_name(root) == "html":
            yield from web_page.read(data, path, fields)
        elif found := conversations_in(values := list(map(_values, _records(root))), path, fields):
            yield from found
        elif records := with_text(values):
            if any("content" in record for record in records):  # of a feed, beside entries that are told in short
                for record in records:
                    if "content" not in record and "summary" in record:
                        record["content"] = record.pop("summary")
            yield from row_documents(list(starmap(Row, enumerate(records, start=1))), path, fields)
        else:
            yield _document(root, path, fields)
    except RecursionError:
        raise ValueError("has elements too deep in each other") from None


def root_of(data: bytes) -> "Element":
    """Return the root of an XML file. Raises ValueError where it is none, or declares entities."""
    from xml.etree import ElementTree

    text = decoded_page(data)
    if "<!ENTITY" in text:
        raise ValueError("declares entities, which are not read")
    try:
        return ElementTree.fromstring(ENTITY.sub(_by_number, text))  # noqa: S314 - has no entities
    except ElementTree.ParseError as error:
        raise ValueError(f"is no well-formed XML: {error}") from None


def _by_number(found: re.Match[str]) -> str:
    code = name2codepoint.get(found[1])
    return found[0] if code is None else f"&#{code};"


def _text(element: "Element") -> str:
    return "".join(element.itertext())


def _is_block(element: "Element") -> bool:
    """Say whether an element holds text of its own, and no parts alone."""
    return not len(element) or any((text or "").strip() for text in (element.text, *(each.tail for each in element)))


def _records(root: "Element", depth: int = 0) -> "list[Element]":
    """Return the elements of one name that hold most of the text, each a few named values; none where it is prose."""
    names = Counter(map(local_name, root))
    often = next((name for name, n in names.most_common(1) if n > 1), "")
    found = [each for each in root if local_name(each) == often]
    if found and all(map(_is_record, found)):
        held = sum(len(_text(each)) + sum(map(len, each.attrib.values())) for each in found)
        return found if held >= MOST * len(_text(root)) else []
    return next(filter(None, (_records(each, depth + 1) for each in root if depth < 2 and len(each))), [])


def _is_record(element: "Element") -> bool:
    counts = Counter(local_name(each) for each in element.iter() if len((each.text or "").split()) >= MIN_WORDS)
    plain = not len(element) or not _is_block(element)
    return plain and len(element) + len(element.attrib) > 1 and max(counts.values(), default=0) < 2


def _values(element: "Element") -> dict[str, Any]:
    """Return a record as an object: attributes and elements by name, of one name a list."""
    values: dict[str, Any] = {key.rpartition("}")[2]: value for key, value in element.attrib.items()}
    for each in element:
        value = _plain(_text(each)) if _is_block(each) else _values(each)
        held = values.get(name := local_name(each))
        values[name] = value if held is None else [*(held if isinstance(held, list) else [held]), value]
    if not len(element) and (text := _plain(element.text or "")):
        values["value"] = text
    return values


def _plain(text: str) -> str:
    """Return a text without the tags of a page, and its paragraphs in one line each.

    >>> _plain("<p>One &amp; two.</p>"), _plain("It has\\n  completed\\n  the sale.\\n    It said so.")
    ('One & two.', 'It has completed the sale.\\n\\nIt said so.')
    """
    if MARKED.search(text):
        text = read_page(text).text
    lines = text.strip().splitlines()
    indents = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    paragraphs: list[list[str]] = [[]]
    for at, line in enumerate(lines):
        begins = not line.strip() or (at and len(line) - len(line.lstrip()) > min(indents))
        paragraphs += [[]] if begins else []
        paragraphs[-1] += line.split()
    return "\n\n".join(" ".join(words) for words in paragraphs if words)


def _document(root: "Element", path: str, fields: Fields) -> Loaded:
    """Return a document of what an element holds; without text where nothing in it is said in many words."""
    heads: list[str] = []
    card: dict[str, list[str]] = {}
    body = Composer()

    def add(element: "Element", level: int, called: str) -> None:
        name = local_name(element)
        if SKIPPED.fullmatch(name):
            return
        text = _plain(_text(element)) if _is_block(element) else ""
        if HEADS.fullmatch(name) and text:
            if heads:
                body.part()
                body.add(f"{'#' * min(level, DEEPEST)} {' '.join(text.split())}")
            heads.append(text)
        elif CODE.fullmatch(name) and text:
            body.part()
            body.add(_text(element).strip("\n"), "code")
        elif text and not body.length and words_on_average([" ".join(WORD.findall(text))]) < MIN_WORDS:
            card.setdefault(called if len(name) < 3 else name, []).append(" ".join(text.split()))
        elif text:
            body.part()
            body.add(text)
        else:
            start = body.length
            for each in element:
                add(each, level + 1, name)
            body.mark("references" if REFERENCES.fullmatch(name) else "", "", start)

    add(root, 0, "")
    return _with_card(heads, card, body, path, fields) if body.length else Loaded(path, "", "")


def _with_card(heads: list[str], card: Mapping[str, list[str]], body: Composer, path: str, fields: Fields) -> Loaded:
    composer = Composer()
    for name, values in card.items():
        composer.add(f"{name}: {'; '.join(values)}\n")
    composer.mark("card", HEAD, 0)
    composer.part()
    start = composer.length
    composer.add(body.text())
    composer.blocks += [
        each._replace(char_start=start + each.char_start, char_end=start + each.char_end)
        for each in body.blocks
        if each.kind
    ]
    metadata: dict[str, Any] = {name: values[0] if len(values) == 1 else values for name, values in card.items()}
    time = next((name for name in metadata if TIME.match(name)), "")
    metadata |= {fields.time: metadata.pop(time)} if time else {}
    title = heads[0] if heads else next((values[0] for name, values in card.items() if TITLE.fullmatch(name)), "")
    found = composer.loaded(path, " ".join(title.split()), metadata)
    return Loaded(path, replace_surrogates(found.title), replace_surrogates(found.text), "", metadata, found.blocks)


READER = Reader(dict.fromkeys((".xml", ".rss", ".atom"), "application/xml"), read, rows=True)

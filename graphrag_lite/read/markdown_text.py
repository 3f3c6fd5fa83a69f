"""Markdown -> the text that a reader sees, by markdown-it (CommonMark and tables); code and wikilinks are blocks."""

import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from graphrag_lite.read.documents import Composer

if TYPE_CHECKING:
    from markdown_it.token import Token
    from markdown_it.tree import SyntaxTreeNode

SPECIAL = re.compile(r"[\n\\`*_\[\]!<&%=~^{]")
# Obsidian's: [[Page]], [[Page#Section|shown]], ![[Page]]; %%comments%%; ^names of blocks; ==marked==; callouts.
WIKILINK = re.compile(r"!?\[\[([^\[\]|#^\n]*)(?:[#^][^\[\]|\n]*)?(?:\|([^\[\]\n]*))?\]\]")
HIDDEN = re.compile(
    r"!\[\[[^\]\n]*\.(?:png|jpe?g|gif|svg|webp|bmp|pdf|mp[34]|mov|wav|canvas)[^\]\n]*\]\]"
    r"|%%.*?%%|<!--.*?-->|\s\^[\w-]+$|\[\^[^\]\s]+\](?::[ \t]*)?|\{/\*[^*]*\*/\}|[ \t]?\{:?[ \t]?[#.][\w .:#=\"-]*\}$",
    re.S | re.I,
)
MARKED = re.compile(r"(==|~~)(?=\S)(.+?)(?<=\S)\1")
CALLOUT = re.compile(r"\[!(\w+)\][+-]?[ \t]*")
TAG = re.compile(r"<[^<>]*>|\{/\*.*?\*/\}", re.S)
CJK = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]")

MAX_LABEL, MAX_MARKED = 40, 8  # characters of bold words that open a paragraph; tokens up to the break behind them


class Heading(NamedTuple):
    level: int
    text: str


class Piece(NamedTuple):
    """A stretch of a line, and the block that it is, if it is one."""

    text: str
    kind: str = ""
    label: str = ""


def compose_markdown(text: str, composer: Composer) -> list[Heading]:
    """Add what a reader sees of a text, and return its headings in their order.

    Headings keep their marks, items theirs; a table is a line a row, with bars between the cells; emphasis, addresses
    of links and comments are gone. Code is a block, and so is a wikilink, labelled with the page that it means.

    >>> composer = Composer()
    >>> compose_markdown("# A\\n\\nSee [the *docs*](x.md) of\\n[[Leiden|it]]: `x = 1`.", composer)
    [Heading(level=1, text='A')]
    >>> composer.text(), [(block.kind, block.label) for block in composer.blocks]
    ('# A\\n\\nSee the docs of it: x = 1.', [('link', 'Leiden'), ('code', '')])
    """
    from markdown_it.tree import SyntaxTreeNode

    references: dict[str, Any] = {}  # which the parser fills
    writer = _Writer(composer, references)
    for node in SyntaxTreeNode(_parser().parse(text, references)).children:
        writer.write(node, "")
    return writer.headings


@cache
def _parser() -> Any:
    """Return a parser of blocks. What stands in a line is read only where it has marks, which halves the time."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"maxNesting": 40}).enable("table").disable("inline")


class _Writer:
    def __init__(self, composer: Composer, references: dict[str, Any]) -> None:
        self._composer, self._references = composer, references
        self.headings: list[Heading] = []

    def write(self, node: "SyntaxTreeNode", indent: str, mark: str = "", *, tight: bool = False) -> None:
        """Add a block of the file. `mark` stands before its first line, `tight` has it follow without a blank one."""
        kind = node.type
        if kind in ("bullet_list", "ordered_list"):
            self._list(node, indent, tight=tight)
        elif kind == "table":
            rows = [row for part in node.children for row in part.children]
            for index, row in enumerate(rows):
                cells = [piece for cell in row.children for piece in (Piece(" | "), *self._pieces(cell))][1:]
                self._add(cells, indent + mark, tight=bool(index))
        elif kind in ("fence", "code_block"):
            code = node.content.rstrip("\n")
            self._add([Piece(f"```{node.info.strip()}\n{code}\n```", "code")], indent + mark, tight=tight)
        elif kind == "html_block":
            self._add([Piece(" ".join(TAG.sub(" ", HIDDEN.sub("", node.content)).split()))], indent + mark, tight=tight)
        elif kind == "heading":
            pieces = self._pieces(node)
            level = int(node.tag[1])
            self.headings.append(Heading(level, "".join(piece.text for piece in pieces).strip()))
            self._add([Piece("#" * level + " "), *pieces], indent + mark, tight=tight)
        elif kind == "paragraph":
            self._add(self._pieces(node), indent + mark, tight=tight)
        else:  # a quotation
            for index, inner in enumerate(node.children):
                self.write(inner, indent, mark if not index else "", tight=tight and not index)

    def _list(self, node: "SyntaxTreeNode", indent: str, *, tight: bool) -> None:
        first = int(node.attrs.get("start", 1))
        for number, item in enumerate(node.children):
            mark = f"{first + number}. " if node.type == "ordered_list" else "- "
            for index, inner in enumerate(item.children):
                close = bool(number or index or tight)
                self.write(inner, indent + "  " * bool(index), mark if not index else "", tight=close)

    def _add(self, pieces: list[Piece], before: str, *, tight: bool) -> None:
        """Add a paragraph or a line, unless nothing of it is seen."""
        if not "".join(piece.text for piece in pieces).strip("# |"):
            return
        if self._composer.length:
            self._composer.add("\n" if tight else "\n\n")
        self._composer.add(before)
        for piece in pieces[:-1]:
            self._composer.add(*piece)
        self._composer.add(pieces[-1].text.rstrip(), *pieces[-1][1:])

    def _pieces(self, block: "SyntaxTreeNode") -> list[Piece]:
        """Return what a reader sees of the text of a block."""
        content = block.children[0].content
        if not SPECIAL.search(content):
            return [Piece(content)] if content else []
        tokens: list[Token] = []
        _parser().inline.parse(content, _parser(), self._references, tokens)
        return _joined(tokens)


def _joined(tokens: "list[Token]") -> list[Piece]:
    found: list[Piece] = []
    plain = ""
    label = _label(tokens)
    for index, piece in enumerate(map(_seen, tokens)):
        if label and index == label:
            plain += ": "
        elif piece.kind:
            found += [*_linked(plain), piece]
            plain = ""
        elif piece.text == "\n":
            plain = plain.rstrip(" ")
            callout = CALLOUT.match(plain) if not found else None
            if callout:
                plain = f"{plain[callout.end() :] or callout[1].capitalize()}:"
            plain += "" if CJK.match(plain[-1:]) else " "
        else:
            plain += piece.text
    return [*found, *_linked(plain)]


def _label(tokens: "list[Token]") -> int:
    """Return the place of the break behind bold words that open a paragraph in a line of their own, with no mark at
    their end: who speaks, or what of; 0 where there are none."""
    shown = [n for n, token in enumerate(tokens[:MAX_MARKED]) if token.type != "text" or token.content]
    if [tokens[n].type for n in shown[:4]] != ["strong_open", "text", "strong_close", "hardbreak"]:
        return 0
    words = tokens[shown[1]].content
    return shown[3] if len(words) <= MAX_LABEL and words[-1].isalnum() else 0


def _seen(token: "Token") -> Piece:
    """Return what a reader sees of a token: of emphasis and links the words, of a picture those that stand for it.

    What is escaped, or written by its name or number ("\\_", "&amp;"), is a token of its own.
    """
    if token.type in ("text", "text_special", "image", "code_inline"):
        return Piece(token.content, "code" if token.type == "code_inline" else "")
    return Piece({"softbreak": "\n", "hardbreak": " "}.get(token.type, ""))


def _linked(plain: str) -> list[Piece]:
    """Return a text with the wikilinks in it as blocks, and without what Obsidian hides."""
    plain = MARKED.sub(r"\2", HIDDEN.sub("", plain))
    found = []
    last = 0
    for link in WIKILINK.finditer(plain):
        page = link[1].strip()
        found.append(Piece(plain[last : link.start()]))
        last = link.end()
        name = page.rpartition("/")[2]
        found.append(Piece((link[2] or name).strip(), "link" if name else "", name))
    return [piece for piece in (*found, Piece(plain[last:])) if piece.text]

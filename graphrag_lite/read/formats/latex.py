r"""LaTeX (.tex): the text of the document, with headings and items; formulas and listings are code."""

import re
import unicodedata
from collections.abc import Iterator

from graphrag_lite.read.documents import Composer, Fields, Loaded, Reader
from graphrag_lite.read.encoding import decode

COMMENT = re.compile(r"(?m)^[ \t]*%.*\n|(?<!\\)%.*$")
CODE = re.compile(
    r"\\begin\{((?:equation|align|gather|multline|eqnarray|displaymath|verbatim|lstlisting|minted|tikzpicture)\*?)\}"
    r"|(?<!\\)\$\$|(?<!\\)\\\["
)
ENDS = {"$$": "$$", "\\[": "\\]"}
INLINE = re.compile(r"(?<!\\)\$[^$]{1,300}\$|\\\([^\n]{1,300}?\\\)")  # stays as it is
OPTION, GIVEN = r"\[[^\[\]]{0,300}\]", r"\{[^{}]{0,300}\}"
WORDS = r"\{((?:[^{}]|\{[^{}]*\}){0,300})\}"
STATED = re.compile(rf"\\(title|author|date)(?:{OPTION})?{WORDS}")
HEADING = re.compile(rf"\\((?:sub)*section|chapter|part)\*?(?:{OPTION})?{WORDS}")
DEPTHS = {"part": 1, "chapter": 1, "section": 1, "subsection": 2, "subsubsection": 3}
# What a reader does not see, with what stands behind it in brackets and braces.
UNSEEN = re.compile(
    r"[~ ]?\\(?:cite\w*|(?:page|eq|auto|name|[cCv])?ref|label|documentclass|usepackage|bibliography(?:style)?|input"
    r"|includegraphics|[vh]space|include|index|thanks|setlength|pagestyle|thispagestyle|graphicspath|hypersetup|color)"
    rf"\*?(?:{OPTION})*(?:{GIVEN}){{0,3}}(?:{OPTION})?"
)
PARTS = re.compile(rf"\\(?:begin|end)\{{[^{{}}\n]{{1,40}}\}}(?:{OPTION})*(?:{GIVEN})?")
TOKEN = re.compile(
    r"\\(?P<accent>[\"'`^~=.]|[cvuHrk](?=[\s{]))\s*\{?\\?(?P<letter>[A-Za-z])\}?|\\(?P<sign>[&%$#_{}])|(?P<line>\\\\(?:\[[^\[\]]{0,300}\])?)"
    r"|\\item(?:\[(?P<item>[^\[\]]{0,300})\])?\s*|\\href\{[^{}]{0,300}\}|\\(?P<command>[A-Za-z]+)\*?(?:\[[^\[\]]{0,300}\])?\s?|(?P<other>[{}~&]|---?|``|'')"
)
ACCENTS = dict(
    zip("\"'`^~=.cvuHrk", "\u0308\u0301\u0300\u0302\u0303\u0304\u0307\u0327\u030c\u0306\u030b\u030a\u0328", strict=True)
)
SIGNS = {
    "~": " ",
    "&": " | ",
    "---": "—",
    "--": "–",
    "``": "“",
    "''": "”",
    "caption": "\n\n",
    "par": "\n\n",
    "bibitem": "\n\n",
}
SIGNS |= {
    "ss": "ß",
    "ae": "æ",
    "o": "ø",
    "O": "Ø",
    "aa": "å",
    "l": "ł",
    "ldots": "…",
    "dots": "…",
    "LaTeX": "LaTeX",
    "TeX": "TeX",
}
SIGNS |= {"footnote": " – ", "newline": "\n", "and": ", "}


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    text = COMMENT.sub("", decode(data).replace("\r\n", "\n"))
    _, begins, body = text.partition("\\begin{document}")
    body = body.partition("\\end{document}")[0] if begins else text
    stated = {found[1]: " ".join(_seen(found[2]).split()) for found in STATED.finditer(text)}
    body = STATED.sub("", body).replace("\\begin{abstract}", "\\section*{Abstract}")
    body = body.replace("\\begin{thebibliography}", "\\section*{References}\\begin{thebibliography}")
    composer = Composer()
    last = 0
    for start, end in _listings(body):
        composer.add(_seen(body[last:start]).lstrip("\n" * (not composer.length)))
        composer.part()
        composer.add(body[start:end].strip(), "code")
        composer.part()
        last = end
    composer.add(_seen(body[last:]).rstrip().lstrip("\n" * (not composer.length)))
    named = {fields.time: stated.get("date", ""), "author": stated.get("author", "").replace(" ,", ",")}
    yield composer.loaded(path, stated.get("title", ""), {name: value for name, value in named.items() if value})


def _listings(text: str) -> Iterator[tuple[int, int]]:
    """Yield where formulas that stand alone, and listings, begin and end."""
    position, endless = 0, set()
    while found := CODE.search(text, position):
        mark = ENDS.get(found[0]) or f"\\end{{{found[1]}}}"
        end = -1 if mark in endless else text.find(mark, found.end())
        position = found.end() if end < 0 else end + len(mark)
        if end < 0:
            endless.add(mark)
        else:
            yield found.start(), position


def _seen(text: str) -> str:
    r"""Return what a reader sees of a text without listings, paragraphs in a line each.

    >>> _seen(r"\section{Ropes}Br\"un's \emph{rope}~\cite{a} costs \$5 \& $x_1$. \item One")
    "\n\n# Ropes\n\nBrün's rope costs $5 & $x_1$.\n- One"
    """
    text = UNSEEN.sub("", re.sub(r"(?<!\s)[ \t]*\n[ \t]*(?!\s)", " ", PARTS.sub("\n\n", text)))
    text = HEADING.sub(lambda found: f"\n\n{'#' * DEPTHS.get(found[1], 3)} {found[2].strip()}\n\n", text)
    pieces, last = [], 0
    for formula in INLINE.finditer(text):
        pieces += [TOKEN.sub(_sign, text[last : formula.start()]), formula[0]]
        last = formula.end()
    text = "".join([*pieces, TOKEN.sub(_sign, text[last:])])
    return re.sub(r"\n[ \t]*\n\s*", "\n\n", re.sub(r"(?m)(?<![ \t])[ \t]+$|(?<=\S) +(?= )", "", text))


def _sign(found: "re.Match[str]") -> str:
    if found["accent"]:
        return unicodedata.normalize("NFC", found["letter"] + ACCENTS[found["accent"]])
    if found["line"] or found["item"] is not None or found[0].startswith("\\item"):
        return "\n" if found["line"] else f"\n- {found['item'] or ''}" + " " * bool(found["item"])
    return found["sign"] or SIGNS.get(found["command"] or found["other"] or "", "")


READER = Reader({".tex": "text/x-tex"}, read)

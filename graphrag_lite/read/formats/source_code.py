"""Source code: its comments and docstrings are text, in their order, a paragraph each; the code is left out."""

import re
from collections.abc import Iterator
from textwrap import dedent

from graphrag_lite.read.documents import Fields, Loaded, Reader, suffix_of
from graphrag_lite.read.encoding import decode

# What is not closed is looked for the end of once, lest the time grow with the square: a comment ends with the file,
# and a quote that is escaped outside a string begins none.
_STRING = r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\\."""
_BLOCK = r"/\*(?P<block>.*?)(?:\*/|\Z)"
_HASH = re.compile(
    r"(?P<begins>^[ rRuU]*)?(?P<quote>\"\"\"|''')(?P<block>(?:\\.|(?!(?P=quote)).)*)(?:(?P=quote)|\Z)"
    rf"|{_STRING}|#(?P<line>[^\n]*)",
    re.S | re.M,
)
_SLASHES = re.compile(rf"{_BLOCK}|//(?P<line>[^\n]*)|`(?:\\.|[^`\\])*`|{_STRING}", re.S)
_DASHES = re.compile(rf"{_BLOCK}|--(?P<line>[^\n]*)|{_STRING}", re.S)
_LANGUAGES = {
    **dict.fromkeys((".py", ".pyi"), ("text/x-python", _HASH)),
    **dict.fromkeys((".rb", ".sh", ".r", ".jl"), ("text/x-script", _HASH)),
    **dict.fromkeys((".js", ".mjs", ".jsx", ".ts", ".tsx"), ("text/javascript", _SLASHES)),
    **dict.fromkeys((".c", ".h", ".cc", ".cpp", ".hpp", ".cs"), ("text/x-c", _SLASHES)),
    **dict.fromkeys((".go", ".java", ".kt", ".scala", ".rs", ".swift", ".php"), ("text/x-source", _SLASHES)),
    ".sql": ("application/sql", _DASHES),
}
LEAST_WORDS = 3  # of a paragraph: "type: ignore" and "-----" say nothing
_INSTRUCTION = re.compile(
    r"(?i)!|-\*-|(?:noqa|type:|pylint|mypy|eslint|prettier|pragma|nolint|go:|region|endregion|@ts-)"
)
_CODE = re.compile(
    r"[\w.\[\]]+\s?[-+*/|]?=\s|[\w.]+\([^.]*\)\Z|(?:import|from|return|def|class) [\w.]+(?: import|\(|:|\Z)"
)
_NOTICE = re.compile(r"(?i)\bcopyright\b|\blicen[cs]ed?\b|\bwarrant(?:y|ies)\b|\ball rights reserved\b")
_PROMPT = re.compile(r"(?m)^[ \t]*>>> (?:.|\n(?![ \t]*\n))*")
_MARGIN = re.compile(r"(?m)^[ \t]*(?:[*/!#-]+(?=[ \t]|$)[ \t]?)?")
_TYPE = r"(?:\{[^}\n]*\}[ \t]*)?"
_TAG = re.compile(
    rf"(?m)^[@\\](?:(?:param|arg)\b[ \t]*{_TYPE}[\w.$\[\]=]+[ \t]*-?|(?:returns?|throws|type|see)\b[ \t]*{_TYPE})[ \t]*"
)
# reStructuredText within docstrings: "..  versionchanged:: 8.0", ":param name:", ":class:`~pkg.Name`".
_FIELD = re.compile(
    r"(?m)^[ \t]*(?:\.\. (?:[\w-]+:)?(?:code|code-block|sourcecode|module|currentmodule|highlight)::.*$"
    r"|\.\. [\w:-]+::[ \t]*(?:v?\d[\w.]*)?|:(?:param|arg|type|returns?|rtype|raises?|var|ivar|cvar)\b[^:\n]*:)[ \t]*"
)
_ROLE = re.compile(r":[\w:-]+:`(?:~[\w.]*\.|[^`<\n]*<(?=[^`\n]*>`))?([^`>\n]+)>?`")


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    """Yield the comments of a file as one document."""
    _, pattern = _LANGUAGES[suffix_of(path)]
    text = "\n\n".join(_paragraphs(decode(data).expandtabs(4).replace("\r\n", "\n"), pattern))
    yield Loaded(path, "", text)


def _paragraphs(code: str, pattern: re.Pattern[str]) -> Iterator[str]:
    """Yield what comments say; comments on lines one below the other are one."""
    lines: list[str] = []
    end = 0
    for match in filter(_is_comment, pattern.finditer(code)):
        between = code[end : match.start()]
        apart = match["line"] is None or between.strip() or between.count("\n") != 1
        if lines and (apart or _INSTRUCTION.match(match["line"].strip())):
            yield from _prose("\n".join(lines))
            lines = []
        if match["line"] is None:
            yield from _prose(match["block"])
        else:
            lines.append(match["line"])
        end = match.end()
    yield from _prose("\n".join(lines))


def _is_comment(match: re.Match[str]) -> bool:
    """Say whether what was found is a comment, or a string that begins its line: of Python, that is a docstring."""
    groups = match.groupdict()
    if groups.get("quote"):
        return groups["begins"] is not None
    return groups["line"] is not None or groups["block"] is not None


def _prose(comment: str) -> Iterator[str]:
    """Yield the paragraphs of a comment that are prose: no instructions to tools, examples or code that is left out.

    >>> list(_prose("* Adds a row.\\n * @param {int} n the number of it\\n"))
    ['Adds a row.\\nthe number of it']
    >>> list(_prose(":param n: how often it runs\\n.. versionchanged:: 8.0\\n    Added in :class:`~pkg.Row`, of late."))
    ['how often it runs', 'Added in Row, of late.']
    >>> list(_prose(" x = f(1)")), list(_prose("noqa: E501 as it is")), list(_prose(" Rows are kept for a year."))
    ([], [], ['Rows are kept for a year.'])
    """
    if _INSTRUCTION.match(comment.strip()):
        return
    text = _TAG.sub("", _MARGIN.sub("", dedent(_PROMPT.sub("", comment))))
    text = _ROLE.sub(r"\1", _FIELD.sub("", text))
    for paragraph in re.split(r"\n[ \t]*\n", text):
        lines = [line.strip() for line in paragraph.splitlines() if line.strip() and not _is_code(line.strip())]
        if len(re.findall(r"[^\W\d_]{2,}", " ".join(lines))) >= LEAST_WORDS and not _NOTICE.search(paragraph):
            yield "\n".join(lines)


def _is_code(line: str) -> bool:
    return line.endswith((";", "{", "}")) or bool(_CODE.match(line))


READER = Reader({suffix: mime for suffix, (mime, _) in _LANGUAGES.items()}, read)

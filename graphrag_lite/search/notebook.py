"""Answers and an index as a notebook shows them. Texts of the corpus are shown as they are written, never run."""

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from graphrag_lite.text import plain_text
from graphrag_lite.text.plain_text import escape_markdown, markdown_line

if TYPE_CHECKING:
    from graphrag_lite.search.answer import Answer, Cited

_MARK = re.compile(r"\[(\d+)\]")


def answer_html(answer: "Answer") -> str:
    """Return an answer with its sources below it; what a mark stands for is shown where the pointer rests on it."""
    texts = {cited.n: cited.text for cited in reversed(answer.citations)}
    text = _MARK.sub(lambda mark: _marked(mark, texts), _escaped(answer.answer)).replace("\n", "<br>")
    sources = ((cited.n, _escaped(_location(cited)), _escaped(cited.text)) for cited in answer.citations)
    rows = "".join(f'<li value="{n}">{location}: <q>{text}</q></li>' for n, location, text in sources)
    return f"<div><p>{text}</p>" + (f"<ol>{rows}</ol>" if rows else "") + "</div>"


def answer_markdown(answer: "Answer") -> str:
    """Return an answer with its sources below it."""
    lines = [
        f"- \\[{cited.n}\\] {markdown_line(_location(cited))}: {markdown_line(cited.text)}"
        for cited in answer.citations
    ]
    return "\n\n".join(filter(None, (escape_markdown(answer.answer).replace("\n", "  \n"), "\n".join(lines))))


def index_html(name: str, counts: Mapping[str, int]) -> str:
    """Return what an index holds, as a table."""
    return f"<table><caption>{escape(name)}</caption>{''.join(_row(*item) for item in counts.items())}</table>"


def index_markdown(name: str, counts: Mapping[str, int]) -> str:
    """Return what an index holds, as a table."""
    rows: Sequence[str] = [f"| {markdown_line(table)} | {n:,} |" for table, n in counts.items()]
    return "\n".join([f"**{markdown_line(name)}**", "", "| table | rows |", "| --- | ---: |", *rows])


def _escaped(text: str) -> str:
    return escape(plain_text.plain(text))


def _marked(mark: re.Match[str], texts: Mapping[int, str]) -> str:
    text = texts.get(int(mark[1]))
    return mark[0] if text is None else f'<sup title="{_escaped(text)}">{mark[0]}</sup>'


def _location(cited: "Cited") -> str:
    name = plain_text.document_name(cited.path, cited.document) + f", {cited.place}" * bool(cited.place)
    return f"{plain_text.one_line(name)}, characters {cited.char_start}-{cited.char_end}"


def _row(table: str, n: int) -> str:
    return f"<tr><td>{escape(table)}</td><td>{n:,}</td></tr>"

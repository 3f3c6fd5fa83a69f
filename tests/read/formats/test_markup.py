"""Markdown, reStructuredText, Org, notebooks and books: what a reader sees, and what is code."""

import io
import json
import re
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from linear import assert_linear

from graphrag_lite.read.documents import Fields, Loaded
from graphrag_lite.read.readers import all_readers

NOTE = """---
title: "Notes on Leiden"
author: Ann Lee
date: 2024-05-01
tags: [graphs, communities]
---

# Notes

See [GraphRAG](https://x.y) and [[graphs/Traag|it]] with **bold** text,
and `run()`. ![[pic.png]] %%hidden%%

> [!tip] Mind
> Leiden is *better*.

```python
# no heading
import httpx
```

| Name | Year |
|------|------|
| Leiden | 2019 |

1. First
   - nested
2. Second
"""
SEEN = """# Notes

See GraphRAG and it with bold text, and run().

Mind: Leiden is better.

```python
# no heading
import httpx
```

Name | Year
Leiden | 2019

1. First
  - nested
2. Second"""


def one(data: str | bytes, path: str) -> Loaded:
    (item,) = all_readers().read(data if isinstance(data, bytes) else data.encode(), path, Fields())
    assert isinstance(item, Loaded), item
    return item


def blocks(item: Loaded) -> list[tuple[str, str, str]]:
    return [(block.kind, block.label, item.text[block.char_start : block.char_end]) for block in item.blocks]


@pytest.mark.parametrize("suffix", [".md", ".markdown", ".mdx"])
def test_markdown(suffix: str) -> None:
    item = one(NOTE, f"a{suffix}")
    assert (item.title, item.created_at) == ("Notes on Leiden", "2024-05-01")
    assert item.metadata == {"author": "Ann Lee", "tags": ["graphs", "communities"]}
    assert item.text == SEEN
    code = "```python\n# no heading\nimport httpx\n```"
    assert blocks(item) == [("link", "Traag", "it"), ("code", "", "run()"), ("code", "", code)]


def test_titles_come_from_no_code_and_no_comment() -> None:
    assert one("```\n# a comment\n```\n\n# Title", "a.md").title == "Title"
    assert one("<!--\n# hidden\n-->\n\ntext", "a.md").title == ""
    assert "hidden" not in one("<!--\n# hidden\n-->\n\ntext", "a.md").text


@pytest.mark.parametrize(
    "head", ["---\n: [broken\nkey: {\n---\n", "---\na: &x [1]\nb: [*x, *x]\n---\n", "+++\nnot = = toml\n+++\n"]
)
def test_front_matter_that_cannot_be_read_is_no_text(head: str) -> None:
    assert one(head + "It flew.", "a.md").text == "It flew."


def test_a_line_between_two_texts_is_no_front_matter() -> None:
    assert "It flew." in one("---\nIt flew.\n---\nIt landed.", "a.md").text


def test_restructured_text() -> None:
    item = one(
        "=====\nTitle\n=====\n\n:Author: Ann Lee\n:Date: 2024-01-02\n\nSee ``code()``, :class:`~a.Index` and `this <http://x>`_.\n\n"
        "Part\n----\n\n.. note::\n\n   Be *careful*.\n\n.. code-block:: python\n   :linenos:\n\n   import httpx\n\n.. a comment\n\nExample::\n\n    x = 1\n\nEnd.",
        "a.rst",
    )
    assert (item.title, item.created_at, item.metadata) == ("Title", "2024-01-02", {"author": "Ann Lee"})
    assert item.text == (
        "# Title\n\nAuthor: Ann Lee\nDate: 2024-01-02\n\nSee code(), Index and this.\n\n## Part\n\nNote: Be careful.\n\nimport httpx\n\nExample:\n\nx = 1\n\nEnd."
    )
    assert [text for kind, _, text in blocks(item) if kind == "code"] == ["code()", "Index", "import httpx", "x = 1"]
    assert [text for kind, _, text in blocks(item) if kind == "card"] == ["Author: Ann Lee\n", "Date: 2024-01-02\n"]
    assert {label for kind, label, _ in blocks(item) if kind == "card"} == {"head"}


def test_titles_may_stand_farther_in_and_notes_have_titles() -> None:
    text = """======
 Log 1
======

.. admonition:: Old names
   :class: note

   Use ``new``.

   They stay.

.. seealso:: The ``docs``.

Send
~~~~

:signature: ``send(id)``

:param id: Which one.

:``log[redis]``:
    for using Redis

 Quoted
=======
"""
    item = one(text, "a.rst")
    assert item.title == "Log 1"
    assert item.text.strip().split("\n\n") == [
        *("# Log 1", "#### Old names", "Use new.", "They stay.", "See also: The docs.", "## Send"),
        *("- signature: send(id)", "- id: Which one.", "- log[redis]: for using Redis", " Quoted"),
    ]


def test_the_title_of_a_topic_has_a_line_of_its_own() -> None:
    assert one("Intro.\n.. topic:: Pace\n\n   Slow.\n", "a.rst").text.strip() == "Intro.\n\n#### Pace\n\nSlow."


def test_what_directives_hold_is_read_and_releases_of_a_log_are_headings() -> None:
    text = """Log
===

.. changelog::
    :version: 0.7.11
    :released: 2013-01-01

    .. change::
        :tags: bug,
               engine

      The engine parses ``::1``.

.. py:function:: open(name)

   Opens it.

   .. note:: Beware of
      dogs.

.. toctree::
   :maxdepth: 2

   intro
"""
    assert one(text, "a.rst").text.strip().split("\n\n") == [
        *("# Log", "## 0.7.11", "2013-01-01", "The engine parses ::1.", "###### open(name)", "Opens it."),
        "Note: Beware of dogs.",
    ]


def test_what_a_class_describes_stands_below_it_with_its_parameters() -> None:
    text = """.. class:: Pump(rate=1.0, limit=None, on_failure=None, name="", retries=3)

   Pumps.

   :param int rate: Litres.
   :returns: Nothing.

   .. method:: stop()

.. setting:: RATE

   Default: 1
"""
    item = one(text, "a.rst")
    assert item.text.strip().split("\n\n") == [
        *("##### Pump", 'Pump(rate=1.0, limit=None, on_failure=None, name="", retries=3)', "Pumps."),
        *("- rate (int): Litres.\n- Returns: Nothing.", "stop()", "###### RATE", "Default: 1"),
    ]


PEP = """PEP: 9
Title: Pumps
Author: Ann Lee,
        Bo Day
Created: 3-May-2021
Version: $Revision: 12 $

Why
===

See `the guide`_.

.. _the guide: http://x
"""


def test_text_files_that_hold_restructured_text_are_read_as_such_and_heads_of_peps_are_cards() -> None:
    item = one(PEP, "a.txt")
    assert (item.title, item.created_at) == ("Pumps", "2021-05-03")
    head = "PEP: 9\nAuthor: Ann Lee, Bo Day\nCreated: 3-May-2021\nVersion: 12\n"
    assert item.text.strip() == f"{head}\n# Why\n\nSee the guide."
    assert "".join(text for kind, _, text in blocks(item) if kind == "card") == head


def test_the_source_of_a_page_of_sphinx_is_what_it_was_and_tells_when_it_was_made() -> None:
    item = one("Title\n=====\n\n:Created: 2013-Feb-15\n:tocdepth: 2\n\nSee ``code()``.\n", "_sources/a.rst.txt")
    assert (item.title, item.created_at) == ("Title", "2013-02-15")
    assert item.text == "# Title\n\nCreated: 2013-Feb-15\n\nSee code()."


def test_the_title_of_a_text_has_no_marks_of_a_heading() -> None:
    assert one("## The bridge ##\n\nIt was built in 1840.", "a.txt").title == "The bridge"


def test_org() -> None:
    item = one(
        "#+TITLE: Notes\n#+DATE: <2024-03-04 Mon>\n* TODO Part :tag:\n:PROPERTIES:\n:ID: 1\n:END:\n"
        "A *bold* [[https://x][link]].\n#+BEGIN_SRC python\nimport httpx\n#+END_SRC\n",
        "a.org",
    )
    assert (item.title, item.created_at) == ("Notes", "2024-03-04")
    assert item.text.strip() == "# Part\n\nA bold link.\nimport httpx"
    assert blocks(item) == [("code", "", "import httpx")]


def test_a_notebook() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Study\n", "It *flew*."]},
        {"cell_type": "code", "source": "import httpx", "outputs": [{"text": "True"}]},
    ]
    item = one(json.dumps({"cells": cells}), "a.ipynb")
    assert (item.title, item.text) == ("Study", "# Study\n\nIt flew.\n\n```\nimport httpx\n```")
    assert [kind for kind, _, _ in blocks(item)] == ["code"]


def test_a_notebook_of_version_3() -> None:
    cells = [{"cell_type": "heading", "level": 2, "source": "Study"}, {"cell_type": "code", "input": ["import httpx"]}]
    item = one(json.dumps({"worksheets": [{"cells": cells}]}), "a.ipynb")
    assert (item.title, item.text) == ("Study", "## Study\n\n```\nimport httpx\n```")


@pytest.mark.parametrize("top", ["", "epub/"])  # as the standard has it; as Debian packs manuals
def test_a_book(top: str) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        file.writestr(f"{top}META-INF/container.xml", '<container><rootfile full-path="O/book.opf"/></container>')
        items = '<item id="b" href="b.xhtml"/><item id="a" href="a%20a.xhtml"/><item id="n" href="n.xhtml" properties="nav"/>'
        spine = '<itemref idref="n"/><itemref idref="a"/><itemref idref="b"/>'
        about = '<metadata xmlns:dc="d"><dc:title>Carol</dc:title><dc:creator>Charles Dickens</dc:creator></metadata>'
        file.writestr(
            f"{top}O/book.opf", f"<package>{about}<manifest>{items}</manifest><spine>{spine}</spine></package>"
        )
        for name, text in (("a a", "Marley was dead."), ("b", "Scrooge knew."), ("n", "Contents")):
            file.writestr(f"{top}O/{name}.xhtml", f"<html><body><p>{text}</p></body></html>")
    item = one(stream.getvalue(), "a.epub")
    assert item == Loaded("a.epub", "Carol", "Marley was dead.\n\nScrooge knew.", "", {"author": "Charles Dickens"})


MANUAL = """\
======
Manual
======

Fetching
========

The :module:`Fetch
<fetch module>` module gets ``<Name>_URL``, and
:variable:`CMAKE_<LANG>_FLAGS`.

* One item that
  goes on::

    code()

* Another

Depth
-----

=====  =====
A      B
=====  =====
one    two
=====  =====

.. versionadded:: 3.14
  It fetches
  ``now``.

Storing
=======
"""
SHOWN = """# Manual

## Fetching

The Fetch module gets <Name>_URL, and CMAKE_<LANG>_FLAGS.

* One item that goes on:

code()

* Another

### Depth

A      B
one    two

Added in version 3.14: It fetches now.

## Storing"""


def test_a_manual_in_restructured_text_has_whole_paragraphs_and_says_since_which_version() -> None:
    item = one(MANUAL, "manual.rst")
    assert (item.title, item.text.strip()) == ("Manual", SHOWN)
    assert [text for kind, _, text in blocks(item) if kind == "code"] == [
        *("Fetch", "<Name>_URL", "CMAKE_<LANG>_FLAGS", "code()", "now")
    ]


@pytest.mark.parametrize("piece", ["*a ", "**a\n", ":a", "`a <"])
def test_marks_of_restructured_text_without_an_end_are_read_in_linear_time(piece: str) -> None:
    assert_linear(lambda text: list(all_readers().read(text.encode(), "a.rst", Fields())), piece)


@given(st.text(alphabet="ab *_`[]()!|#>-=\n1.&<:~\\", max_size=120), st.sampled_from([".md", ".rst", ".org"]))
@settings(deadline=None, max_examples=200)
def test_any_marks_are_read_and_blocks_are_places(text: str, suffix: str) -> None:
    for item in all_readers().read(text.encode(), f"a{suffix}", Fields()):
        assert isinstance(item, Loaded)
        assert all(0 <= block.char_start < block.char_end <= len(item.text) for block in item.blocks)


LATEX = r"""% a comment $
\documentclass[11pt]{article}
\title{On \emph{Cranes}\thanks{Ann}}
\author{Ann Lee \and J\"org M\"{u}ller}
\date{3 May 2021}
\begin{document}
\maketitle
\section{Costs}\label{sec:a}
Bo built the \textbf{crane} in 1999~\cite{a,b}. It cost \$4{,}200 \& more % hidden
(50\% of ``all''). Let $x_1 = \alpha$ be. Fran\c{c}ois paid\footnote{In \href{https://x.org}{May}.}.

\begin{equation*}
E = mc^2
\end{equation*}
\begin{itemize}
  \item One
  \item[Two] more
\end{itemize}
\begin{tabular}{l|r}\hline
Ann & 5 \\[2pt] \hline
\end{tabular}
\begin{thebibliography}{9}
\bibitem{a} E. Grave. \textit{Cranes}.
\end{thebibliography}
\end{document}
"""
LATEX_SEEN = """# Costs

Bo built the crane in 1999. It cost $4,200 & more (50% of “all”). Let $x_1 = \\alpha$ be. François paid – In May..

\\begin{equation*}
E = mc^2
\\end{equation*}

- One
- Two more

Ann | 5

# References

a E. Grave. Cranes."""


def test_latex() -> None:
    (item,) = all_readers().read(LATEX.encode(), "a.tex", Fields())
    assert isinstance(item, Loaded)
    assert (item.title, item.created_at, item.metadata) == (
        "On Cranes",
        "2021-05-03",
        {"author": "Ann Lee, Jörg Müller"},
    )
    assert re.sub(r"\n{2,}", "\n\n", item.text) == LATEX_SEEN
    assert [block.kind for block in item.blocks] == ["code", "references"]


@pytest.mark.parametrize("piece", ["\\begin{align}", "$", "\\section{", "\\cite[", "\\item[", " ", "\n \n", "\\("])
def test_latex_without_ends_is_read_in_linear_time(piece: str) -> None:
    assert_linear(lambda text: list(all_readers().read(text.encode(), "a.tex", Fields())), piece)


@pytest.mark.parametrize(
    ("path", "text", "seen"),
    [
        ("a.mdx", "# Deploying {#deploy}\n\n:::tip Disks\nUse one.{/* not two */}\n:::\n", "# Deploying\n\nDisks\n\nUse one."),
        ("a.md", ":::tip Disks\r\nUse one.\r\n:::\r\n\r\n```\r\n:::tip\r\n```\r\n", "Disks\n\nUse one.\n\n```\n:::tip\n```"),
        ("a.mdx", "import A from 'a'\nexport const b = 1\n\nexport it as\nimport goods from Oslo", "export it as import goods from Oslo"),
        ("a.mdx", "```one``` line\n\nimport A from 'a'\n", "one line"),
        ("a.mdx", "```js\nimport A from 'a'\n```\n", "```js\nimport A from 'a'\n```"),
        ("a.org", ":note: no drawer\n:LOG:\nx\n:END:\n#+begin_comment\nx\n#+end_comment\n:LOG:\nx\n* Part\nIt flew.", ":note: no drawer\n\n# Part\n\nIt flew."),
        ("a.md", r"AT&amp;T paid \$5 \* 3 for snake\_case in C:\temp&#33; $\frac{a}{b}$", r"AT&T paid $5 * 3 for snake_case in C:\temp! $\frac{a}{b}$"),
        ("a.md", "The pump[^1] leaks.\n\n[^1]: Since Monday.", "The pump leaks.\n\nSince Monday."),
        (
            "a.rst",
            ".. |firm| replace:: Acme\n\nBy |firm|.\n\n.. list-table:: Ports\n   :header-rows: 1\n\n"
            "   * - Port\n     - Use\n   * - 80\n     -\n       web\n",
            "By Acme.\n\nPort | Use\n80 | web",
        ),
        (
            "a.rst",
            "It flew [1]_ by [Lee20]_.\n\n.. figure:: a.png\n   :alt: A\n\n   The mast.\n\n.. [1] Twice.\n\n.. hidden\n",
            "It flew by [Lee20].\n\nThe mast.\n\nTwice.",
        ),
        ("a.html", "<p>It flew.<sup><a href='#n1'>1</a></sup> It landed.<a href='#n2'><sup>[2]</sup></a></p>", "It flew. It landed."),
    ],
)  # fmt: skip
def test_what_is_a_mark_and_what_stands_for_a_text(path: str, text: str, seen: str) -> None:
    (item,) = all_readers().read(text.encode(), path, Fields())
    assert isinstance(item, Loaded) and item.text.strip() == seen

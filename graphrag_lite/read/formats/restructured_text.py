"""reStructuredText (.rst), as docutils and Sphinx write it: by its marks, line by line."""

import re
from collections.abc import Iterator
from itertools import islice, takewhile
from textwrap import dedent

from graphrag_lite.read.documents import Composer, Fields, Loaded, Reader
from graphrag_lite.read.encoding import decode
from graphrag_lite.read.markdown_text import CJK
from graphrag_lite.read.stated_times import stated_date
from graphrag_lite.tables import HEAD
from graphrag_lite.text.word_lists import expressions

LINE = re.compile(r"([=\-~`:'\"^_*+#<>.])\1{2,}[ \t]*")
FIELD_NAME = re.compile(r"(\s*):((?:[^\W_][^:`\n]{0,59}|``[^`\n]{1,60}``):)(?=\s|$)")  # of a field within a page
FIELD = re.compile(r":(\w[\w -]{0,40}):[ \t]+(\S.*)")
HEAD_LINES = re.compile(
    r"\s*(?:[A-Z][\w-]{0,40}:[ \t][^\n]*\n(?:[ \t]+\S[^\n]*\n)*){3,}(?=\n)"
)  # of a PEP, as a mail has
KEYWORD = re.compile(r"\$[A-Z][A-Za-z]{1,20}:[ \t]*([^$\n]{0,200}?)[ \t]*\$")  # that CVS and Subversion fill in
# What a text of another ending has that is reStructuredText: headings, and marks that no other markup has.
UNDERLINED = re.compile(r"(?m)^(\S[^\n]{2,98})\n([=~^*#-])\2{2,99}[ \t]*$")
MARK = re.compile(
    r"(?m)^\s*\.\. (?:\w[\w:-]{0,30}::|_[^:\n]{1,80}:|\[[\w#*]{1,30}\] )|:\w{2,9}:`[^`\n]+`|`[^`\n]+`__?(?!\w)"
)
LEAST_MARKS = 2
MAX_SIGNATURE = 60  # characters; of a longer one the name alone is a heading
SIGNATURE = re.compile(r"[^(\s]+(?: [^(\s]+)?")  # of a function, what it is called
UNSEEN = ("title", "tocdepth", "nosearch")  # fields of a file that its page does not show
RELEASE = re.compile(r"(?m)^\s*:(version|released): *(\S+)")  # of a log of changes
DIRECTIVE = re.compile(r"\.\.[ \t]+(?:(?:\|[^|]+\|[ \t]+)?([\w:.-]+)::|\[[\w#*.-]+\])[ \t]*(.*)")  # or a footnote
NOTED = re.compile(r"\s?\[(?:\d+|[#*][\w-]*)\]_(?!\w)")
_FORMS = expressions(__package__, "restructured_text.txt")
RESULT = re.compile(rf"(?:{_FORMS['results']})(?: .*)?")
PARAMETER = re.compile(rf"(?:{_FORMS['parameters']}) (?:([^:\n]+) )?(\*{{0,2}}[\w.]+)")
OUTER, CALLED = (frozenset(_FORMS[kind].split("|")) for kind in ("outer", "called"))
CODE, SHOWN, TITLED, HIDDEN = (frozenset(_FORMS[kind].split("|")) for kind in ("code", "shown", "titled", "hidden"))
VERSIONS = {name: words for name, words in _FORMS.items() if words.endswith("version")}
ITEM = re.compile(r"\s*(?:[-*+•]|(?:\d{1,3}|[A-Za-z#])[.)]|\(\w{1,3}\)|:(?:[^:`\n]{1,60}|``[^`\n]{1,60}``):)(?:\s+|$)")
TABLE = re.compile(r"\s*=+(?:\s+=+)+\s*$")
ROW = re.compile(r"\s*[|+]|\s*=+(?:\s+=+)*\s*$|.*\S {3,}\S")
ROLE = re.compile(r":[\w:+.-]{1,80}:`(?:[~!][^`<]*\.)?([^`~!]+?)(?:\s+<[^`]*>)?`")
REFERENCE = re.compile(
    r"`([^`<]+?)\s*<[^`>]*>`__?|`([^`]+)`__?|(?<![\w.])([^\W_](?:[\w.+:-]{0,80}[^\W_])?)__?(?=[\s.,;:)\]\"'>/?!]|$)|(?<=\])_(?=[\s.,;:)]|$)|\|(\w[^|\n]*)\|"
)
LITERAL = re.compile(
    rf"``(.+?)``|:(?:\w{{1,9}}:)?(?:{_FORMS['code names']}):`(?:[~!][^`<]*\.)?([^`~!]+?)(?:\s+<[^`]*>)?`"
)
SUBSTITUTION = re.compile(r"(?m)^[ ]*\.\. \|([^|\n]+)\| replace:: *(\S.{0,199})$")
# What is escaped is no mark: it stands as a character of private use while marks are read, a blank as the first.
ESCAPED, PRIVATE_USE, FIRST = re.compile(r"\\([!-/:-@\[-`{-~\s])"), re.compile("[\ue100-\ue1ff]"), 0xE100
EMPHASIS = re.compile(r"(?<![\w*])(\*{1,2})(?=\S)(.{1,300}?)(?<=\S)\1(?![\w*])")  # bounds keep it linear


def is_marked_up(text: str) -> bool:
    """Say whether a text without the ending of reStructuredText is some.

    >>> is_marked_up("Pumps\\n=====\\n\\nSee `the guide`_.\\n\\n.. _the guide: guide.html")
    True
    >>> is_marked_up("Pumps\\n=====\\n\\nUse ``x``, `y` and ::: and .. so on")
    False
    """
    n_headings = sum(len(found[0]) <= 2 * len(found[1]) + 4 for found in islice(UNDERLINED.finditer(text), LEAST_MARKS))
    return n_headings > 0 and len(list(islice(MARK.finditer(text), LEAST_MARKS))) == LEAST_MARKS


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    """Yield what a reader sees: headings, texts, code as blocks. Comments, options and addresses are gone."""
    composer = Composer()
    text = KEYWORD.sub(r"\1", decode(data).expandtabs(8))
    if head := HEAD_LINES.match(text):
        text = re.sub(r"(?m)^(?=[A-Z])", ":", head[0]) + text[head.end() :]
    named = dict(SUBSTITUTION.findall(text))
    lines = re.sub(r"\|(\w[^|\n]*)\|", lambda name: named.get(name[1], name[0]), text).splitlines()
    metadata: dict[str, str] = {}
    headings: list[str] = []
    marks: list[str] = []  # of headings, the first of the highest level
    index, begun = 0, False
    while index < len(lines):
        line, after = lines[index], lines[index + 1] if index + 1 < len(lines) else ""
        directive = DIRECTIVE.match(line.strip())
        if LINE.fullmatch(line) and index + 2 < len(lines) and LINE.fullmatch(lines[index + 2]) and after.strip():
            index += 1  # a heading with a line above, too
        elif _is_heading(lines, index):
            headings.append(_plain(line.strip()))
            composer.part()
            mark = after[0] + after[0] * (index > 0 and lines[index - 1][:1] == after[0])
            marks += [mark] * (mark not in marks)
            composer.add(f"{'#' * min(marks.index(mark) + 1, 6)} {headings[-1]}\n\n")
            index += 2
        elif not begun and (field := FIELD.fullmatch(line.strip())):
            more = list(takewhile(str.strip, _indented(lines, index)[0]))
            value, index = " ".join([field[2].strip(), *map(str.strip, more)]), index + 1 + len(more)
            metadata[field[1].lower()] = value
            if field[1].lower() not in UNSEEN:
                start = composer.length
                composer.add(f"{field[1]}: {_plain(value)}\n")
                composer.mark("card", HEAD, start)
        elif directive or line.lstrip().startswith((".. ", "__ ")) or line.strip() == "..":  # "__ http://x": an address
            body, end = _indented(lines, index)
            if directive and _holds_texts(directive):
                composer.part()
                if directive[1] in TITLED:
                    composer.add(f"#### {_plain(directive[2])}\n\n" * bool(directive[2]))
                else:
                    _signature(composer, directive[1], directive[2], describes=any(map(str.strip, body)))
                release = dict(RELEASE.findall("\n".join(body[:5])))
                if "version" in release:
                    composer.add(f"## {release['version']}\n\n{release.get('released', '')}\n\n")
                begun, lines[index:end] = True, ["", *_without_options(body)]
            else:
                index = end
                _directive(composer, directive, body)
        else:
            begun = begun or bool(line.strip())
            paragraph, index = _paragraph(lines, index)
            if paragraph.endswith("::"):
                _line(composer, "" if paragraph.strip() == "::" else paragraph[:-1])
                body, index = _indented(lines, index - 1)
                _code(composer, body)
            else:
                _line(composer, paragraph)
    time = next((name for name in ("date", "created") if name in metadata), "")
    metadata = {fields.time if name == time else name: value for name, value in metadata.items()}
    title = metadata.pop("title", "") or (headings or [""])[0]
    dated = {} if fields.time in metadata else stated_date(composer.text(), fields)
    yield composer.loaded(path, title, metadata | dated)


def _is_heading(lines: list[str], index: int) -> bool:
    """Say whether a line has one below that is as long; it may stand farther in where the same is above it.

    >>> _is_heading(["====", " Hi", "===="], 1), _is_heading([" Hi", "===="], 0), _is_heading(["Hi", "==="], 0)
    (True, False, True)
    """
    line, after = lines[index], lines[index + 1] if index + 1 < len(lines) else ""
    inset = line.startswith(" ") and not (index and lines[index - 1].rstrip() == after.rstrip())
    return not inset and LINE.fullmatch(after) is not None and len(after.rstrip()) >= len(line.strip()) > 0


def _paragraph(lines: list[str], index: int) -> tuple[str, int]:
    """Return the line at `index` with those that go on with it, and where they end. Rows of tables stand alone.

    >>> _paragraph(["* The ``x`` command", "  gained :option:`a", "  b`.", "* Another"], 0)
    ('* The ``x`` command gained :option:`a b`.', 3)
    >>> _paragraph([":sent: ``f(a,", "  b)``", "", "Next"], 0)
    (':sent: ``f(a, b)``', 2)
    """
    paragraph = lines[index].rstrip()
    item = ITEM.match(paragraph)
    margin = len(paragraph) - len(paragraph.lstrip())
    depth, field = (item.end() if item else margin), (margin + 1 if FIELD_NAME.match(paragraph) else 0)
    index += 1
    if not paragraph or ROW.match(paragraph) or TABLE.match(lines[index - 2] if index > 1 else ""):
        return paragraph, index
    while index < len(lines) and not paragraph.endswith("::"):
        line = lines[index].rstrip()
        at = len(line) - len(line.lstrip())
        stops = not line or not (depth == at or 0 < field <= at) or ITEM.match(line) or ROW.match(line)
        if stops or LINE.fullmatch(line) or line.lstrip().startswith((".. ", "__ ")):
            break
        paragraph += line.lstrip() if CJK.match(paragraph[-1]) else f" {line.lstrip()}"
        index += 1
    return paragraph, index


def _indented(lines: list[str], index: int) -> tuple[list[str], int]:
    """Return the lines that are farther in than the one at `index`, and where they end."""
    depth = len(lines[index]) - len(lines[index].lstrip())
    end = index + 1
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > depth):
        end += 1
    return lines[index + 1 : end], end


def _holds_texts(found: re.Match[str]) -> bool:
    """Say whether a directive holds paragraphs and directives: what a function does, the changes of a version."""
    name = (found[1] or "").lower().rpartition(":")[2]
    return name not in ("", "figure", "list-table", *CODE, *SHOWN, *VERSIONS, *HIDDEN)


def _without_options(body: list[str]) -> list[str]:
    """Return the lines of a directive as far out as those of a page, those of its options empty.

    >>> _without_options(["   :tags: a,", "      b", "", "   Whales sing."])
    ['', '', '', 'Whales sing.']
    """
    options = next((n for n, line in enumerate(body) if not line.strip()), len(body))
    if not options or not re.match(r"\s*:[\w -]+:", body[0]):
        options = 0
    return dedent("\n".join([""] * options + body[options:])).split("\n")


def _directive(composer: Composer, found: re.Match[str] | None, body: list[str]) -> None:
    """Add what a directive shows: code as a block, notes as text; nothing of a comment or a picture."""
    if found is None:
        return
    name = (found[1] or "").lower()
    body = [line for line in body if not re.match(r"\s*:[\w-]+:", line)]
    if name in CODE:
        _code(composer, body)
    elif name == "list-table":
        composer.part()
        for row in re.split(r"(?m)^[ \t]*\*[ \t]+-\s", "\n".join(body))[1:]:
            _line(composer, " | ".join(" ".join(cell.split()) for cell in re.split(r"(?m)^[ \t]+-(?:\s|$)", row)))
        composer.part()
    elif name in ("", "figure", *SHOWN, *VERSIONS):
        label, text = "See also" if name == "seealso" else name.capitalize(), found[2]
        if name == "figure":
            label = text = ""
        elif name in VERSIONS:
            version, _, text = text.partition(" ")
            label = f"{VERSIONS[name]} {version}"
        text = " ".join([text, *(line.strip() for line in body)]).strip()
        composer.part()
        _line(composer, ": ".join(filter(None, (label, text))) if text else f"{label}." * bool(label))
        composer.part()


def _signature(composer: Composer, kind: str, signature: str, *, describes: bool) -> None:
    """Add what a directive describes, a function or a setting: as a heading of what is below it, and as code."""
    if not (describes and kind.rpartition(":")[2] in OUTER | CALLED and (named := SIGNATURE.match(signature))):
        return _code(composer, [signature])
    composer.add("##### " if kind.rpartition(":")[2] in OUTER else "###### ")
    whole = len(signature) <= MAX_SIGNATURE
    composer.add(signature if whole else named[0], "code")
    composer.add("\n\n")
    return None if whole else _code(composer, [signature])


def _code(composer: Composer, body: list[str]) -> None:
    code = dedent("\n".join(body)).strip("\n")
    if code:
        composer.part()
        composer.add(code, "code")
        composer.add("\n\n")


def _line(composer: Composer, line: str) -> None:
    """Add a line of text, or of a table."""
    if not line.strip():
        composer.part()
    if not re.search(r"[^+=|\- ]", line):
        return
    if line.lstrip().startswith("|"):
        line = " | ".join(cell.strip() for cell in line.strip().strip("|").split("|"))
    composer.part(1)
    if field := FIELD_NAME.match(line):
        line = f"{field[1]}- {_parameter(field[2])}{line[field.end() :]}"  # an item of a list
    for number, piece in enumerate(LITERAL.split(line)):
        if piece:  # of three the first is text, one of the others code
            composer.add(piece if number % 3 else _plain(piece), "code" if number % 3 else "")


def _parameter(name: str) -> str:
    """Return the name of a field as a reader says it.

    >>> _parameter("param int size:"), _parameter("param size:"), _parameter("returns:"), _parameter("Date:")
    ('size (int):', 'size:', 'Returns:', 'Date:')
    """
    found = PARAMETER.fullmatch(name[:-1])
    if not found:
        return name[0].upper() + name[1:] if RESULT.fullmatch(name[:-1]) else name
    return f"{found[2]} ({found[1]}):" if found[1] else f"{found[2]}:"


def _plain(text: str) -> str:
    """Return a line without marks.

    >>> _plain("See :class:`~a.b.Index` and the `guide <x.html>`_, **now**.")
    'See Index and the guide, now.'
    >>> _plain(r"Of \\*args, *these*\\ s and C:\\\\temp")
    'Of *args, theses and C:\\\\temp'
    """
    text = ESCAPED.sub(lambda found: chr(FIRST + ord(found[1].strip() or "\0")), text)
    text = ROLE.sub(r"\1", NOTED.sub("", text))
    text = REFERENCE.sub(lambda found: next((group for group in found.groups() if group), ""), text)
    text = EMPHASIS.sub(r"\2", text)
    return PRIVATE_USE.sub(lambda found: chr(ord(found[0]) - FIRST).strip("\0"), text)


READER = Reader({".rst": "text/x-rst"}, read)

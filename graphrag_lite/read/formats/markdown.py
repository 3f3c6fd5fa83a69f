"""Markdown, and MDX; the lines between `---` (YAML) or `+++` (TOML) that begin a file say what it is."""

import re
from collections.abc import Iterator
from typing import Any

from graphrag_lite.read.documents import Composer, Fields, Loaded, Reader, in_json, suffix_of
from graphrag_lite.read.encoding import decode
from graphrag_lite.read.markdown_text import compose_markdown
from graphrag_lite.read.stated_times import stated_date

FENCED = re.compile(r"\A\ufeff?(---|\+\+\+)[ \t]*\r?\n(.*?)(?:^|\n)(?:\1|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.S)
REFERENCE = re.compile(r"(?m)(?:^|[:\[{,-]\s*)[&*]\w")  # a few lines of these unfold to gigabytes
LONGEST = 20_000  # characters; more is no front matter
TIMES = ("date", "created", "created_at", "published", "pubdate", "datetime", "last_modified", "modified", "updated")
# Blocks of code, which stay as they are, and the lines that only programs read: modules of MDX; ":::tip Title", ":::".
_FENCE = r"^[ \t]*+(?P<fence>`{3,}+(?!.*`)|~{3,}+).*\n(?:.++\n?|\n)*?(?:[ \t]*(?P=fence)[`~]*[ \t\r]*$|\Z)"
MODULES = re.compile(
    rf"(?m){_FENCE}|^(?:import\s(?:.+\sfrom\s+)?['\"].+|export\s+(?:[{{*]|(?:default|const|let|var|async|function|class)\s).*)$\n?"
)
ADMONITION = re.compile(
    rf"(?m){_FENCE}"
    r"|^[ \t]*+:{3,}+[ \t]*+(?:[\w-]++|\{[^{}\n]*+\})?+[ \t]*+\[?+(?P<title>[^\[\]\r\n]*+)\]?+[ \t\r]*+$"
)


# What Joplin writes below a note, or alone for a folder, a tag, a file ("type_: 1" is a note).
JOPLIN = re.compile(r"(?:\A|\n\n)(id: [0-9a-f]{32}\n(?:\w+:[^\n]*\n)*type_: (\d+))\s*\Z")
# Lines of Logseq that only it reads: names of blocks, what is folded, clocks, queries.
LOGSEQ = re.compile(
    r"(?m)^[ \t]*(?:- )?(?:(?:id|collapsed|background-color|heading|logseq\.[\w.-]+|last-modified-at|created-at):: ?.*"
    r"|:LOGBOOK:(?:\n(?![ \t]*:END:).*){0,50}\n[ \t]*:END:"
    r"|\{\{(?:query|embed|renderer)\b.*\}\}|\(\([0-9a-f-]{36}\)\))[ \t]*$\n?"
)
BLOCK_NAME = re.compile(r"\(\([0-9a-f-]{36}\)\)")
PROPERTIES = re.compile(r"\A\ufeff?(?:[\w-]+:: ?[^\n]*\n+)+(?=-|\Z)")


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    """Yield what a reader sees. What the front matter states is metadata, and the title before any heading."""
    text = decode(data)
    if note := JOPLIN.search(text):
        yield _of_joplin(note, text, path, fields)
        return
    metadata, text = split_front_matter(text, fields)
    if "::" in text or "((" in text:
        metadata, text = _of_logseq(metadata, text)
    if suffix_of(path) == ".mdx":
        text = MODULES.sub(lambda found: found[0] if found["fence"] else "", text)
    if ":::" in text:
        text = ADMONITION.sub(lambda found: found[0] if found["fence"] else f"\n{found['title']}\n", text)
    composer = Composer()
    headings = compose_markdown(text, composer)
    first = next((heading.text for heading in headings if heading.level == 1), "")
    title = metadata.pop(fields.title, None) or metadata.pop(Fields.title, None) or first
    if fields.time not in metadata:
        metadata |= stated_date(composer.text(), fields)
    yield composer.loaded(path, str(title).strip(), metadata)


def _of_joplin(note: re.Match[str], text: str, path: str, fields: Fields) -> Loaded:
    if note[2] != "1":
        return Loaded(path, "", "")
    stated = dict(line.split(": ", 1) for line in note[1].splitlines() if ": " in line)
    title, _, body = text[: note.start()].lstrip("\ufeff").partition("\n")
    composer = Composer()
    compose_markdown(body, composer)
    about = {fields.time: stated.get("user_created_time") or stated.get("created_time"), "author": stated.get("author")}
    return composer.loaded(path, title.strip(), {name: value for name, value in about.items() if value})


def _of_logseq(metadata: dict[str, Any], text: str) -> tuple[dict[str, Any], str]:
    """Return what a page of Logseq states at its head beside the rest, and its text without what only it reads.

    >>> _of_logseq({}, "alias:: Bo, Diaz\\n\\n- Lives in Oslo\\n  id:: 65f0\\n  collapsed:: true\\n")
    ({'aliases': ['Bo', 'Diaz']}, '- Lives in Oslo\\n')
    """
    if head := PROPERTIES.match(text):
        for line in head[0].strip("\ufeff\n").splitlines():
            name, _, value = line.partition("::")
            listed = [each.strip(" #[]") for each in value.split(",") if each.strip()]
            several = name in ("alias", "tags")
            metadata |= {"aliases" if name == "alias" else name: listed if several else value.strip()} if line else {}
        text = text[head.end() :]
    return metadata, BLOCK_NAME.sub("", LOGSEQ.sub("", text))


def split_front_matter(text: str, fields: Fields) -> tuple[dict[str, Any], str]:
    """Return what a file says of itself, its date under the name of the time field, and its text without that.

    >>> split_front_matter("---\\ntitle: Launch\\ndate: 1990-04-24\\n---\\nIt flew.", Fields())
    ({'title': 'Launch', 'timestamp': '1990-04-24'}, 'It flew.')
    """
    found = FENCED.match(text)
    if not found or len(found[2]) > LONGEST:
        return {}, text
    stated = _parsed(found[2], is_toml=found[1] == "+++")
    if stated is None:
        return {}, text
    values = {str(key): in_json(value) for key, value in stated.items() if value not in (None, "", [], {})}
    time = next((key for name in (fields.time, *TIMES) for key in values if key.casefold() == name), None)
    if time:
        values[fields.time] = values.pop(time)
    return values, text[found.end() :]


def _parsed(block: str, *, is_toml: bool) -> dict[Any, Any] | None:
    """Return what a block states, nothing where it cannot be read; None where it is a text between two lines."""
    import tomllib

    import yaml

    if is_toml:
        try:
            return tomllib.loads(block)
        except tomllib.TOMLDecodeError:
            return {}
    if REFERENCE.search(block):
        return {}
    try:
        stated = yaml.safe_load(block)
    except (yaml.YAMLError, ValueError, RecursionError):
        return {} if re.search(r"(?m)^[\w-]+:", block) else None
    return stated if isinstance(stated, dict) else None


READER = Reader(dict.fromkeys((".md", ".markdown", ".mdx"), "text/markdown"), read)

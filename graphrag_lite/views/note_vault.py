"""The index as an Obsidian vault: a note for each name that is said twice, each report and each document, linked.

A note's file name is told by what it is of, so that exporting again changes the notes alone whose content has changed.
"""

import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from graphrag_lite import tables
from graphrag_lite.retrieval.snapshot_view import SnapshotView
from graphrag_lite.temporal.holding import fact_line
from graphrag_lite.text.plain_text import escape_markdown, markdown_line, printable, with_footnotes
from graphrag_lite.views.other_names import other_names

MIN_UNITS = 2  # text units that name an entity which has a note
MAX_NAME = 150  # bytes of a file name
FORBIDDEN = re.compile(r'[\\/:*?"<>|#^\[\]\n\r\t]')  # by a file system, or in a link of Obsidian
DEVICE = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|\Z)")  # of Windows, whatever the ending of the file
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Vault:
    """Where the notes are: paths without their ending, by id of an entity, by id of a document, by community."""

    names: Mapping[str, str]
    documents: Mapping[str, str]
    reports: Mapping[int, str]
    titles: Mapping[str, str]  # of notes, by path

    def link(self, path: str | None, instead: str = "") -> str:
        """Return a link to a note, or where there is none, words instead."""
        return f"[[{path}|{re.sub(r'[][|]', ' ', self.titles[path])}]]" if path else markdown_line(instead)


def obsidian(view: SnapshotView) -> Iterator[tuple[str, bytes]]:
    """Yield the notes of a vault: `Names/`, `Reports/`, `Documents/`."""
    entities = [row for row in view.arrow("entities").to_pylist() if row["frequency"] >= MIN_UNITS]
    documents = view.arrow("documents").to_pylist()
    reports = view.arrow("community_reports").to_pylist()
    names = file_names([(row["id"], row["title"]) for row in entities])
    paths = ([row["id"], *dict.fromkeys((row["path"], row["source_id"]))] for row in documents)
    texts = file_names([(identity, " ".join(names)) for identity, *names in paths])
    vault = Vault(
        {identity: f"Names/{name}" for identity, name in names.items()},
        {identity: f"Documents/{name}" for identity, name in texts.items()},
        {row["community"]: f"Reports/Community {row['community']}" for row in reports},
        {
            **{f"Names/{names[row['id']]}": printable(row["title"]) for row in entities},
            **{f"Documents/{texts[row['id']]}": printable(row["title"] or row["path"]) for row in documents},
            **{f"Reports/Community {row['community']}": printable(row["title"]) for row in reports},
        },
    )
    notes = [*_names(view, vault, entities), *_reports(view, vault, reports), *_documents(view, vault, documents)]
    for path, content in notes:
        yield f"{path}.md", content.encode()


def file_names(named: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return a file name for each id, by what it is called; those that a file system may take for one have an id.

    >>> file_names([("1a", "AC/DC"), ("2b", "Oslo"), ("3c", "OSLO"), ("4d", "..."), ("5e", "CON.")])
    {'1a': 'AC DC', '2b': 'Oslo 2b', '3c': 'OSLO 3c', '4d': 'unnamed', '5e': '_CON'}
    """
    clean = {identity: _clean(name) for identity, name in named}
    keys = [unicodedata.normalize("NFKC", name).casefold() for name in clean.values()]
    counts = Counter(keys)
    return {
        identity: f"{name} {identity[:8]}" if counts[key] > 1 else name
        for (identity, name), key in zip(clean.items(), keys, strict=True)
    }


def _clean(name: str) -> str:
    name = " ".join(FORBIDDEN.sub(" ", unicodedata.normalize("NFC", printable(name))).split())
    if len(name.encode()) > MAX_NAME:
        digest = hashlib.sha256(name.encode()).hexdigest()[:8]
        name = name.encode()[: MAX_NAME - 9].decode(errors="ignore").strip() + " " + digest
    name = name.strip(". ") or "unnamed"
    return f"_{name}" if DEVICE.match(name) else name


def _note(front: Row, *parts: str) -> str:
    head = yaml.safe_dump(dict(front), allow_unicode=True, sort_keys=False, width=1000)
    return f"---\n{head}---\n\n" + "\n\n".join(part for part in parts if part) + "\n"


def _section(title: str, lines: Iterable[str]) -> str:
    listed = [f"- {each}" for each in lines]
    return "\n".join([f"## {title}", "", *listed]) if listed else ""


def _with_source(vault: Vault, row: Row, text: str) -> str:
    """Return what a row says, with a link to the first document that says so."""
    source = "".join(f"([[{vault.documents[span['document_id']]}|source]])" for span in row["sources"][:1])
    return f"{markdown_line(text)} {source}"


def _names(view: SnapshotView, vault: Vault, entities: Sequence[Row]) -> Iterator[tuple[str, str]]:
    document_of = dict(tables.rows(view.arrow("text_units"), "id", "document_id"))
    near: dict[str, list[str]] = defaultdict(list)
    facts: dict[str, list[str]] = defaultdict(list)
    within: dict[str, list[int]] = defaultdict(list)  # communities with a report, the coarsest first
    for row in view.arrow("relationships").to_pylist():
        ends = [(row["source_id"], row["source"]), (row["target_id"], row["target"])]
        for (own, _), (other, title) in (ends, ends[::-1]):
            line = vault.link(vault.names.get(other), title)
            line += f" ({markdown_line(row['relation'])})" if row["relation"] else ""
            line += f": {_with_source(vault, row, row['description'])}" if row["description"] else ""
            near[own].append(line)
    for row in view.arrow("facts").to_pylist():
        for own in {row["subject_id"], row["object_id"]} - {""}:
            facts[own].append(_with_source(vault, row, fact_line(row)))
    for number, members in tables.rows(view.arrow("communities"), "community", "entity_ids"):
        for identity in members if number in vault.reports else ():
            within[identity].append(number)
    others = dict(zip(view.column("entities", "id").to_pylist(), other_names(view), strict=True))
    for row in entities:
        documents = dict.fromkeys(document_of[unit] for unit in row["text_unit_ids"])
        own = row["id"]
        front = {"id": own, "aliases": [printable(row["title"]), *others[own]], "type": printable(row["type"])}
        front |= {"passages": row["frequency"], "documents": row["n_documents"]}
        note = _note(
            front,
            _with_source(vault, row, row["description"]).strip(),
            _section("Relationships", near[own]),
            _section("When", facts[own]),
            _section("Reports", (vault.link(vault.reports[number]) for number in within[own])),
            _section("Documents", sorted(vault.link(vault.documents[each]) for each in documents)),
        )
        yield vault.names[own], note


def _reports(view: SnapshotView, vault: Vault, reports: Sequence[Row]) -> Iterator[tuple[str, str]]:
    members = dict(tables.rows(view.arrow("communities"), "community", "entity_ids"))
    for row in reports:
        notes = [vault.names[each] for each in members[row["community"]] if each in vault.names]
        inner = [vault.reports[number] for number in row["children"] if number in vault.reports]
        cited = [
            f"[^{span['n']}]: [[{vault.documents[span['document_id']]}|source]],"
            f" characters {span['char_start']}-{span['char_end']}"
            for span in row["citations"]
        ]
        front = {"id": row["id"], "aliases": [printable(row["title"])], "level": row["level"]}
        front |= {"rank": row["rank"], "size": row["size"]}
        findings = [(markdown_line(each["summary"]), with_footnotes(each["explanation"])) for each in row["findings"]]
        note = _note(
            front,
            f"# {markdown_line(row['title'])}",
            with_footnotes(row["summary"]),
            *(f"**{summary}**\n{explanation}" for summary, explanation in findings),
            f"Part of {vault.link(vault.reports[row['parent']])}" if row["parent"] in vault.reports else "",
            _section("Parts", map(vault.link, inner)),
            _section("Names", map(vault.link, notes)),
            "\n".join(cited),
        )
        yield vault.reports[row["community"]], note


def _documents(view: SnapshotView, vault: Vault, documents: Sequence[Row]) -> Iterator[tuple[str, str]]:
    named: dict[str, set[str]] = defaultdict(set)
    for document, found in tables.rows(view.arrow("text_units"), "document_id", "entity_ids"):
        named[document] |= vault.names.keys() & found
    for row in documents:
        front = {"id": row["id"], "aliases": [printable(row["title"])], "path": printable(row["path"])}
        front |= {"created": row["created_at"]} if row["created_at"] else {}
        names = sorted(vault.link(vault.names[each]) for each in named[row["id"]])
        yield vault.documents[row["id"]], _note(front, escape_markdown(row["text"]), _section("Names", names))

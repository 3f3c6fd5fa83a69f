"""What the page shows of a snapshot: columns of plain values, rows instead of ids, spans in UTF-16 units."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphrag_lite import tables
from graphrag_lite.evidence.source_locations import page_of
from graphrag_lite.retrieval.snapshot_view import SnapshotView
from graphrag_lite.temporal.holding import fact_period
from graphrag_lite.text.plain_text import document_name, one_line, printable, utf16_offsets
from graphrag_lite.views.other_names import other_names

Spans = Sequence[Mapping[str, Any]]
OwnText = Callable[[str, Spans], str | None]


class CitedDocuments:
    """The documents of a snapshot: their rows, and spans of them as the page counts."""

    def __init__(self, view: SnapshotView) -> None:
        self.row = {identity: row for row, identity in enumerate(view.column("documents", "id").to_pylist())}
        self.texts: list[str] = view.column("documents", "text").to_pylist()
        self._offsets: dict[int, Callable[[int], int]] = {}

    def flat(self, spans: Spans) -> list[int]:
        """Return spans as [document, start, end, document, start, end, ...]."""
        found = []
        for span in spans:
            row = self.row[span["document_id"]]
            found += [row, *(self.offset(row, span[end]) for end in ("char_start", "char_end"))]
        return found

    def offset(self, row: int, at: int) -> int:
        """Return where a character of a document stands."""
        if row not in self._offsets:
            self._offsets[row] = utf16_offsets(self.texts[row])
        return self._offsets[row](at)

    def words(self, spans: Spans) -> str:
        """Return what stands in some spans, on one line."""
        return " ".join(
            one_line(self.texts[self.row[span["document_id"]]][span["char_start"] : span["char_end"]]) for span in spans
        )


def page_graph(view: SnapshotView, title: str, *, with_texts: bool) -> dict[str, Any]:
    """Return all but the texts of documents, as values of JSON.

    A description, or the sentence of a relationship or fact, is None where its spans, joined, say the same: the page
    takes it from the texts. Without them, all is spelt out.
    """
    documents = CitedDocuments(view)
    entity_row = {identity: row for row, identity in enumerate(view.column("entities", "id").to_pylist())}
    n_of = Counter(view.column("entities", "type").to_pylist())
    kinds = sorted(n_of, key=lambda kind: (kind == "unknown", -n_of[kind], kind))

    def own_text(text: str, spans: Spans) -> str | None:
        return None if with_texts and spans and documents.words(spans) == one_line(text) else printable(text)

    return {
        "title": printable(title),
        "snapshot": view.folder.name.partition("-")[2],
        "method": view.manifest["settings"]["method"],
        "with_texts": with_texts,
        "types": [printable(kind) for kind in kinds],
        "names": _names(view, documents, entity_row, kinds, own_text),
        "relationships": _relationships(view, documents, entity_row, own_text),
        **_communities(view, documents),
        "documents": _documents(view, documents),
        "facts": _facts(view, documents, entity_row, own_text),
    }


def _names(
    view: SnapshotView, documents: CitedDocuments, entity_row: Mapping[str, int], kinds: list[str], own_text: OwnText
) -> dict[str, Any]:
    data = view.arrow("entities")
    n_names = data.num_rows
    counts: list[Counter[int]] = [Counter() for _ in range(n_names)]
    for document, found in tables.rows(view.arrow("text_units"), "document_id", "entity_ids"):
        for identity in found:
            counts[entity_row[identity]][documents.row[document]] += 1
    leaf = [-1] * n_names
    rows = enumerate(tables.rows(view.arrow("communities"), "level", "entity_ids"))
    for row, (_, members) in sorted(rows, key=lambda found: found[1][0]):  # the finest is put last
        for identity in members:
            leaf[entity_row[identity]] = row
    return {
        "title": [printable(name) for name in data["title"].to_pylist()],
        "type": [kinds.index(kind) for kind in data["type"].to_pylist()],
        "units": data["frequency"].to_pylist(),
        "community": leaf,
        "description": [own_text(text, spans) for text, spans in tables.rows(data, "description", "sources")],
        "sources": [documents.flat(spans) for spans in data["sources"].to_pylist()],
        "documents": [[number for pair in sorted(found.items()) for number in pair] for found in counts],
        "aliases": other_names(view),
    }


def _relationships(
    view: SnapshotView, documents: CitedDocuments, entity_row: Mapping[str, int], own_text: OwnText
) -> dict[str, list[Any]]:
    data = view.arrow("relationships")
    return {
        "source": [entity_row[identity] for identity in data["source_id"].to_pylist()],
        "target": [entity_row[identity] for identity in data["target_id"].to_pylist()],
        "weight": [round(weight, 2) for weight in data["weight"].to_pylist()],
        "relation": [printable(relation) for relation in data["relation"].to_pylist()],
        "description": [own_text(text, spans) for text, spans in tables.rows(data, "description", "sources")],
        "sources": [documents.flat(spans) for spans in data["sources"].to_pylist()],
    }


def _communities(view: SnapshotView, documents: CitedDocuments) -> dict[str, dict[str, list[Any]]]:
    communities, reports = view.arrow("communities"), view.arrow("community_reports")
    numbers = communities["community"].to_pylist()
    row = {number: i for i, number in enumerate(numbers)}
    return {
        "communities": {
            "number": numbers,
            "parent": [row.get(parent, -1) for parent in communities["parent"].to_pylist()],
            "title": [printable(title) for title in communities["title"].to_pylist()],
            "size": communities["size"].to_pylist(),
        },
        "reports": {
            "community": [row[number] for number in reports["community"].to_pylist()],
            "title": [printable(title) for title in reports["title"].to_pylist()],
            "summary": [printable(summary) for summary in reports["summary"].to_pylist()],
            "rank": [round(rank, 1) for rank in reports["rank"].to_pylist()],
            "why": [printable(why) for why in reports["rating_explanation"].to_pylist()],
            "findings": [
                [[printable(finding["summary"]), printable(finding["explanation"])] for finding in findings]
                for findings in reports["findings"].to_pylist()
            ],
            "citations": [
                [[span["n"], *documents.flat([span])] for span in spans] for spans in reports["citations"].to_pylist()
            ],
            "stale_runs": [age if stale else 0 for stale, age in tables.rows(reports, "stale", "age")],
        },
    }


def _documents(view: SnapshotView, documents: CitedDocuments) -> dict[str, list[Any]]:
    named = zip(*(view.column("documents", name).to_pylist() for name in ("path", "source_id")), strict=True)
    return {
        "title": [printable(title) for title in view.column("documents", "title").to_pylist()],
        "place": [printable(document_name(path, own)) for path, own in named],
        "pages": [
            [[documents.offset(row, block["char_start"]), page_of(block)] for block in blocks if page_of(block)]
            for row, blocks in enumerate(view.column("documents", "blocks").to_pylist())
        ],
        "day": [time[:10] for time in view.column("documents", "created_at").to_pylist()],
    }


def _facts(
    view: SnapshotView, documents: CitedDocuments, entity_row: Mapping[str, int], own_text: OwnText
) -> dict[str, list[Any]]:
    """Return facts that say when; `ends` are [subject, object], rows of names or, where they are none, words."""
    rows = [row for row in view.arrow("facts").to_pylist() if row["valid_at"] or row["invalid_at"]]
    first = [row["sources"][:1] for row in rows]
    return {
        "ends": [
            [entity_row.get(row[f"{end}_id"], printable(row[end])) for end in ("subject", "object")] for row in rows
        ],
        "relation": [printable(row["relation"]) for row in rows],
        "kind": [row["kind"] for row in rows],
        "from": [row["valid_at"] for row in rows],
        "until": [row["invalid_at"] for row in rows],
        "when": [fact_period(row) for row in rows],
        "conflict": [int(row["conflict"]) for row in rows],
        "sentence": [own_text(row["fact"], spans) for row, spans in zip(rows, first, strict=True)],
        "sources": [documents.flat(spans) for spans in first],
    }

"""What search needs, computed once: BM25 postings, which text units name which entity, which names mean it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import chain, compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphrag_lite import tables
from graphrag_lite.attempts import ignore, outcome
from graphrag_lite.resolution.name_keys import exact_key
from graphrag_lite.retrieval.bm25 import lengths_of, mean_length, norms_of, read_counts
from graphrag_lite.retrieval.entity_names import key_of
from graphrag_lite.retrieval.postings import Postings, count_postings, join_postings
from graphrag_lite.retrieval.stated_values import RowsOf, Stated, read_stated_values, shared_values
from graphrag_lite.retrieval.unit_postings import NOTHING, UnitsBefore, as_table, put_together
from graphrag_lite.run.services import Attempt, Each, Fail, Last, unguarded
from graphrag_lite.run.workers import give_memory_back, split_work
from graphrag_lite.settings import IndexSearch
from graphrag_lite.tables import groups
from graphrag_lite.tables.mention_rows import meant
from graphrag_lite.tables.segments import as_lists
from graphrag_lite.temporal.durations import SEEN
from graphrag_lite.temporal.latest_mentions import last_reported
from graphrag_lite.text.language import most_common
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import ArrayLike, NDArray


MOST = 65_535  # mentions in a text unit that count: two bytes
BATCH = 500_000  # characters of passages that are counted together: their words are the same
PASSAGE = ["id", "title", "language", "metadata"]  # of a document, which its passages hold beside their texts


class TextToAnalyze(NamedTuple):
    """A text to analyse, of the text unit or community with this id and row."""

    id: str
    text: str
    language: str
    row: int
    is_of_report: bool = False


class Counted(NamedTuple):
    """The postings of a batch of passages, and what of it could not be analysed, with the error."""

    postings: Postings
    is_of_reports: bool
    failed: list[tuple[str, str]]


async def index_search(
    documents: "pa.Table",
    text_units: "pa.Table",
    entities: "pa.Table",
    entity_mentions: "pa.Table",
    entity_resolutions: "pa.Table",
    community_reports: "pa.Table",
    fact_mentions: "pa.Table",
    episodes: "pa.Table",
    settings: IndexSearch,
    each: Each,
    attempt: Attempt = unguarded,
    fail: Fail = ignore,
    last: Last | None = None,
) -> tuple["pa.Table", ...]:
    """Analyse titles and texts, and store the result by term, by entity, by name and by metadata.

    What was analysed for the last snapshot is not analysed again. A text that cannot be analysed is a failure, and has
    no terms; a title means nothing then, and metadata no value.
    """
    read = read_stated_values(documents, attempt)
    before, (reports_before, reports_then) = _before(last, documents, text_units, community_reports)
    new, new_reports = (np.flatnonzero(rows < 0) for rows in (before.rows, reports_then))
    unread = groups.in_rows(text_units, new)
    of_units = _of_units(unread, new, _about(documents, read, unread["document_id"]))
    text_units = text_units.drop_columns(["text"])
    of_reports = _of_reports(groups.in_rows(community_reports, new_reports), new_reports, _commonest(documents))
    batches = chain(split_work(of_units, BATCH), split_work(of_reports, BATCH))
    made_of_reports: list[Postings] = []

    def made() -> Iterator[Postings]:
        for one in filter(None, each(_counted, batches)):
            for what, error in one.failed:
                fail(what, error, 1)
            if not one.is_of_reports:
                yield one.postings
            else:
                made_of_reports.append(one.postings)

    search_terms, lengths = put_together(text_units["id"], before, made())
    reports = join_postings([reports_before], reports_then, made_of_reports)
    k1, b, report_lengths = settings.k1, settings.b, lengths_of(reports, len(reports_then))
    rows_of = _rows_of(documents, text_units)
    del before, reports_before
    give_memory_back()
    links = _links(read, rows_of, text_units, entities, entity_mentions, entity_resolutions)
    give_memory_back()
    return (
        search_terms,
        as_table("search_report_terms", reports),
        links,
        _units(documents, text_units, episodes, links, lengths.astype(np.int32)),
        _names(entities, entity_resolutions),
        shared_values(documents, read, rows_of, text_units, episodes),
        _times(text_units, fact_mentions),
        tables.make_columns("search_reports", norm=norms_of(report_lengths, k1, b, mean_length(report_lengths))),
        tables.make("search_lengths", [(k1, b, mean_length(lengths), len(lengths), len(report_lengths))]),
    )


def _about(documents: "pa.Table", read: Sequence[Stated], wanted: "pa.ChunkedArray") -> dict[str, tuple[str, str]]:
    """Return what stands above the texts of some documents, and their language, by id."""
    among = groups.is_in(documents, "id", wanted)
    rows = tables.rows(
        groups.held_rows(documents.select(["id", "title", "language"]), among), "id", "title", "language"
    )
    pairs = zip(rows, compress(read, among), strict=True)
    return {key: ("\n".join(dict.fromkeys([title, *one.words.values()])), code) for (key, title, code), one in pairs}


def _of_units(
    unread: "pa.Table", rows: "NDArray[np.intp]", about: Mapping[str, tuple[str, str]]
) -> Iterator[TextToAnalyze]:
    texts = tables.rows(unread, "id", "document_id", "text")
    for row, (identity, document_id, text) in zip(rows.tolist(), texts, strict=True):
        title, language = about[document_id]
        yield TextToAnalyze(identity, f"{title}\n{text}", language, row)


def _of_reports(unread: "pa.Table", rows: "NDArray[np.intp]", language: str) -> Iterator[TextToAnalyze]:
    texts = tables.rows(unread, "community", "full_content")
    for row, (number, content) in zip(rows.tolist(), texts, strict=True):
        yield TextToAnalyze(f"community {number}", content, language, row, is_of_report=True)


def _before(
    last: Last | None, documents: "pa.Table", text_units: "pa.Table", reports: "pa.Table"
) -> "tuple[UnitsBefore, tuple[Postings, NDArray[np.int64]]]":
    """Return the postings of the last run, and the row that each row of now had, -1 where its text was another.

    First those of text units, of which an equal id is an equal text, then those of reports.
    """
    of_units, of_reports = ["id", "document_id"], ["id", "full_content"]
    ranges = last.segments("search_terms") if last else None
    names = ["search_report_terms", *([] if ranges else ["search_terms"])]  # `ranges` are intact
    intact = last and all(map(last.intact, (*names, "search_units")))
    held = last.read(*names, unless={"code", "failed"}, search_units=["length"]) if last and intact else None
    now = {"documents": documents.select(PASSAGE), "text_units": text_units.select(of_units)}
    beside = last and held and last.beside(**now, community_reports=reports.select(of_reports))
    if not held or not beside:
        nothing = UnitsBefore(np.full(text_units.num_rows, -1), np.zeros(0))
        return nothing, (NOTHING, np.full(reports.num_rows, -1))
    others = beside[0].changed("id", PASSAGE)
    rows = np.where(groups.is_in(text_units, "document_id", others), -1, beside[1].rows_then(of_units))
    report_rows = beside[2].rows_then(of_reports)
    if _commonest(documents) != _commonest(beside[0].then):
        report_rows[:] = -1
    reports_before, *whole = map(read_counts, held[:-1])
    lengths = np.asarray(held[-1]["length"]).astype(np.float64)
    return UnitsBefore(rows, lengths, next(iter(whole), NOTHING), ranges), (reports_before, report_rows)


def _commonest(documents: "pa.Table") -> str:
    return most_common(Counter(documents["language"].to_pylist()))


def _rows_of(documents: "pa.Table", text_units: "pa.Table") -> RowsOf:
    listed = documents["text_unit_ids"].combine_chunks()
    offsets, rows = np.asarray(listed.offsets), groups.row_indices(listed.flatten(), text_units["id"])
    return lambda row: rows[offsets[row] : offsets[row + 1]].tolist()


def _counted(batch: list[TextToAnalyze]) -> Counted:
    found = [outcome(terms, passage.text, passage.language) for passage in batch]
    failed = [(passage.id, error) for passage, (_, error) in zip(batch, found, strict=True) if error]
    rows = np.array([passage.row for passage in batch])
    counted = (Counter(words) if words else None for words, _ in found)
    return Counted(count_postings(counted, rows), batch[0].is_of_report, failed)


def _links(
    read: Sequence[Stated],
    rows_of: RowsOf,
    text_units: "pa.Table",
    entities: "pa.Table",
    entity_mentions: "pa.Table",
    entity_resolutions: "pa.Table",
) -> "pa.Table":
    """Count the mentions of every entity in every text unit, and find the units that its own document consists of."""
    n_units = max(text_units.num_rows, 1)
    found = meant(entities, entity_mentions, entity_resolutions)
    units = groups.row_indices(entity_mentions["text_unit_id"], text_units["id"])
    pairs, counts = np.unique((found * n_units + units)[found >= 0], return_counts=True)
    offsets = np.searchsorted(pairs, np.arange(entities.num_rows + 1) * n_units)
    return tables.make_columns(
        "search_links",
        rows=as_lists(offsets, pairs % n_units),
        counts=as_lists(offsets, np.minimum(counts, MOST).astype(np.uint16)),
        defines=_defined(read, rows_of, entities, entity_resolutions),
    )


def _defined(
    read: Sequence[Stated], rows_of: RowsOf, entities: "pa.Table", entity_resolutions: "pa.Table"
) -> list[list[int]]:
    """Return the rows of the text units of the documents whose title is a name of each entity."""
    resolved = list(tables.rows(entity_resolutions, "document_id", "name", "rule"))
    # "Upgrading Red Hat Developer Hub" is not about what that is: a name that begins with more is no title of it.
    longer = {name for _, name, rule in resolved if rule == "opener"}
    entity_rows = groups.row_indices(entity_resolutions["entity_id"], entities["id"]).tolist()
    by_key = {
        exact_key(name): row
        for (document, name, _), row in zip(resolved, entity_rows, strict=True)
        if not document and name not in longer
    }
    defines: list[set[int]] = [set() for _ in range(entities.num_rows)]
    for document_row, (_, names, _) in enumerate(read):
        for entity in {by_key.get(name, -1) for name in names} - {-1}:
            defines[entity].update(rows_of(document_row))
    return list(map(sorted, defines))


def _units(
    documents: "pa.Table", text_units: "pa.Table", episodes: "pa.Table", links: "pa.Table", lengths: "ArrayLike"
) -> "pa.Table":
    """Turn the links round, and add what each text unit is of."""
    import pyarrow.compute as pc

    spans = list(tables.rows(text_units, "document_id", "char_start", "char_end"))
    dated = episodes.filter(pc.not_equal(episodes["reference_time"], ""))
    dated_spans = list(tables.rows(dated, "document_id", "char_start", "char_end", "reference_time", "kind", "ordinal"))
    rows, counts = (links[name].combine_chunks() for name in ("rows", "counts"))
    units = np.asarray(rows.flatten())
    entities = np.repeat(np.arange(links.num_rows), np.diff(np.asarray(rows.offsets)))
    by_unit = np.argsort(units, kind="stable")
    offsets = np.searchsorted(units[by_unit], np.arange(text_units.num_rows + 1))
    days, order = last_reported(spans, dated_spans, dict(tables.rows(documents, "id", "source_id")))
    return tables.make_columns(
        "search_units",
        document=groups.row_indices(text_units["document_id"], documents["id"]),
        day=days,
        order=order,
        length=lengths,
        entities=as_lists(offsets, entities[by_unit]),
        counts=as_lists(offsets, np.asarray(counts.flatten())[by_unit]),
    )


def _names(entities: "pa.Table", entity_resolutions: "pa.Table") -> "pa.Table":
    """List every name that means an entity in the whole corpus, with the entity's row, by the words of the name."""
    rows = groups.row_indices(entity_resolutions["entity_id"], entities["id"]).tolist()
    named = zip(tables.rows(entity_resolutions, "document_id", "name"), rows, strict=True)
    names = {(key_of(name), name, row) for (document, name), row in named if row >= 0 and not document}
    return tables.make("search_names", sorted(names))


def _times(text_units: "pa.Table", fact_mentions: "pa.Table") -> "pa.Table":
    """Return the days that statements of each text unit tell of; of what has ended by then, only its end is known."""
    import pyarrow as pa
    import pyarrow.compute as pc

    stated = fact_mentions.filter(pc.not_equal(fact_mentions["precision"], SEEN))
    units = groups.row_indices(stated["text_unit_id"], text_units["id"])
    order = np.argsort(units, kind="stable")
    rows = []
    for kind, polarity, *days, start in tables.rows(
        stated.take(pa.array(order)), "kind", "polarity", "valid_at", "invalid_at", "char_start"
    ):
        first, after = (date.fromisoformat(day).toordinal() if day else 0 for day in days)
        over = kind == "state" and polarity == "negative"
        rows.append((0, first, 1, start) if over else (first, max(after - 1, 0), int(kind == "state"), start))
    offsets = np.searchsorted(units[order], np.arange(text_units.num_rows + 1))
    struct = tables.schema("search_times").field("told").type.value_type
    values = [
        pa.array(each).cast(field.type) for field, each in zip(struct, np.array(rows).reshape(-1, 4).T, strict=True)
    ]
    return tables.make_columns(
        "search_times",
        told=pa.ListArray.from_arrays(
            pa.array(offsets, pa.int32()), pa.StructArray.from_arrays(values, fields=[*struct])
        ),
    )

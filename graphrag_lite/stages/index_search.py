"""What search needs, computed once: BM25 postings, which text units name which entity, which names mean it."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import date
from itertools import chain, compress, count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphrag_lite import tables
from graphrag_lite.resolution.name_keys import exact_key
from graphrag_lite.retrieval.bm25 import Bm25, build_counted
from graphrag_lite.retrieval.entity_names import key_of
from graphrag_lite.retrieval.stated_values import RowsOf, Stated, read_stated_values, shared_values
from graphrag_lite.run.services import Attempt, Each, Last, unguarded
from graphrag_lite.settings import IndexSearch
from graphrag_lite.tables import groups
from graphrag_lite.tables.lazy_items import LazyItems
from graphrag_lite.tables.mention_rows import meant
from graphrag_lite.temporal.durations import SEEN
from graphrag_lite.temporal.said_days import said_last
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import ArrayLike, NDArray


class Passage(NamedTuple):
    """A text to analyse, of the text unit or community with this id."""

    id: str
    text: str
    language: str

    @property
    def key(self) -> str:
        return tables.content_id(self.language, self.text)


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
    last: Last | None = None,
) -> tuple["pa.Table", ...]:
    """Analyse titles and texts, and store the result by term, by entity, by name and by metadata.

    What was analysed for the last snapshot is not analysed again. A text that cannot be analysed is a failure, and has
    no terms; a title means nothing then, and metadata no value.
    """
    import pyarrow as pa

    read = read_stated_values(documents, attempt)
    told = zip(tables.rows(documents, "id", "title", "language"), read, strict=True)
    about = {key: ("\n".join(dict.fromkeys([title, *one.words.values()])), code) for (key, title, code), one in told}

    def passages(units: "pa.Table") -> Iterator[Passage]:
        for identity, document_id, text in tables.rows(units, "id", "document_id", "text"):
            title, language = about[document_id]
            yield Passage(identity, f"{title}\n{text}", language)

    languages = Counter(documents["language"].to_pylist())
    language = min(languages, key=lambda code: (-languages[code], code))  # the one that global search takes
    contents = tables.rows(community_reports, "community", "full_content")
    reports = [Passage(f"community {number}", content, language) for number, content in contents]
    rows_of = _rows_of(documents, text_units)
    links = _links(read, rows_of, text_units, entities, entity_mentions, entity_resolutions)
    keys = [[passage.key for passage in several] for several in (passages(text_units), reports)]
    vocabulary, counts = _in_order(
        *_counts(lambda held: passages(groups.held_rows(text_units, held)), reports, keys, each, attempt, last)
    )
    words = vocabulary["term"].to_pylist()
    held, times = (counts[name].combine_chunks() for name in ("terms", "counts"))
    offsets, numbers, often = (np.asarray(values) for values in (held.offsets, held.flatten(), times.flatten()))

    def bm25(keys: Sequence[str]) -> Bm25:
        rows = groups.row_indices(pa.array(keys, pa.string()), counts["key"])
        return build_counted(words, offsets, numbers, often, rows, settings.k1, settings.b)

    return (
        _postings("search_terms", bm25(keys[0])),
        _postings("search_report_terms", bm25(keys[1])),
        links,
        _units(documents, text_units, episodes, links),
        _names(entities, entity_resolutions),
        shared_values(documents, read, rows_of, text_units, episodes),
        _times(text_units, fact_mentions),
        vocabulary,
        counts,
    )


def _counts(
    units: "Callable[[NDArray[np.bool_]], Iterator[Passage]]",
    reports: Collection[Passage],
    keys: Sequence[Sequence[str]],
    each: Each,
    attempt: Attempt,
    last: Last | None,
) -> tuple[list[str], "pa.Table"]:
    """Return `search_counts`, a row for each different passage that can be analysed, and the terms by their numbers.

    The `keys` of the passages are known; `units` yields those of the text units, of all, that are to be analysed.
    """
    names = ("search_vocabulary", "search_counts")
    before, kept = (last and last.read(*names, unless={"code"})) or (tables.make(name, []) for name in names)
    kept = groups.rows_of(kept, "key", [*chain(*keys)])
    known = set(kept["key"].to_pylist())
    new, written = ([key not in known for key in several] for several in keys)
    unread = LazyItems(sum(new), lambda: units(np.array(new, bool)))
    found = chain(
        each(_counted, unread), (attempt(report.id, _counted, report) for report in compress(reports, written))
    )
    read: dict[str, None] = {}
    known_terms = {term: place for place, term in enumerate(before["term"].to_pylist())}
    number = defaultdict(count(len(known_terms)).__next__, known_terms)  # of a new term the next
    offsets, held, times = array("i", [0]), array("i"), array("i")
    for key, counted in zip(chain(*map(compress, keys, (new, written))), found, strict=True):
        if counted is not None and key not in read:
            read[key] = None
            held.extend(map(number.__getitem__, counted[0]))
            times.extend(counted[1])
            offsets.append(len(held))
    lists = {name: _lists(np.asarray(offsets), values) for name, values in (("terms", held), ("counts", times))}
    made = tables.make_columns("search_counts", key=list(read), **lists)
    return list(number), groups.stack(kept, made).sort_by("key")


def _in_order(words: Sequence[str], counts: "pa.Table") -> tuple["pa.Table", "pa.Table"]:
    """Return `search_vocabulary`, the words that are used, in order, and the counts by its rows."""
    terms = counts["terms"].combine_chunks()
    numbers = np.asarray(terms.flatten())
    used = np.flatnonzero(np.bincount(numbers, minlength=len(words))).tolist()
    used.sort(key=words.__getitem__)
    place = np.zeros(len(words), np.int32)
    place[used] = np.arange(len(used))
    columns = {name: counts[name] for name in counts.column_names} | {"terms": _lists(terms.offsets, place[numbers])}
    vocabulary = tables.make_columns("search_vocabulary", term=[words[number] for number in used])
    return vocabulary, tables.make_columns("search_counts", **columns)


def _rows_of(documents: "pa.Table", text_units: "pa.Table") -> RowsOf:
    listed = documents["text_unit_ids"].combine_chunks()
    offsets, rows = np.asarray(listed.offsets), groups.row_indices(listed.flatten(), text_units["id"])
    return lambda row: rows[offsets[row] : offsets[row + 1]].tolist()


def _counted(passage: Passage) -> tuple[list[str], "array[int]"]:
    """Return the terms of a passage in their order, and how often it has each."""
    counts = Counter(terms(passage.text, passage.language))
    return (held := sorted(counts)), array("i", map(counts.__getitem__, held))


def _postings(name: str, index: Bm25) -> "pa.Table":
    rows, scores = (_lists(index.offsets, values) for values in (index.units, index.weights))
    return tables.make_columns(name, term=index.vocabulary, rows=rows, scores=scores)


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
        rows=_lists(offsets, pairs % n_units),
        counts=_lists(offsets, counts),
        defines=_defined(read, rows_of, entities, entity_resolutions),
    )


def _lists(offsets: "ArrayLike", values: "ArrayLike") -> "pa.ListArray":
    import pyarrow as pa

    return pa.ListArray.from_arrays(pa.array(np.asarray(offsets), pa.int32()), pa.array(np.asarray(values)))


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
    for place, (_, names, _) in enumerate(read):
        for entity in {by_key.get(name, -1) for name in names} - {-1}:
            defines[entity].update(rows_of(place))
    return list(map(sorted, defines))


def _units(documents: "pa.Table", text_units: "pa.Table", episodes: "pa.Table", links: "pa.Table") -> "pa.Table":
    """Turn the links round, and add what each text unit is of."""
    import pyarrow.compute as pc

    spans = list(tables.rows(text_units, "document_id", "char_start", "char_end"))
    dated = episodes.filter(pc.not_equal(episodes["reference_time"], ""))
    said = list(tables.rows(dated, "document_id", "char_start", "char_end", "reference_time", "kind", "ordinal"))
    rows, counts = (links[name].combine_chunks() for name in ("rows", "counts"))
    units = np.asarray(rows.flatten())
    entities = np.repeat(np.arange(links.num_rows), np.diff(np.asarray(rows.offsets)))
    by_unit = np.argsort(units, kind="stable")
    offsets = np.searchsorted(units[by_unit], np.arange(text_units.num_rows + 1))
    days, order = said_last(spans, said, dict(tables.rows(documents, "id", "source_id")))
    return tables.make_columns(
        "search_units",
        document=groups.row_indices(text_units["document_id"], documents["id"]),
        day=days,
        order=order,
        entities=_lists(offsets, entities[by_unit]),
        counts=_lists(offsets, np.asarray(counts.flatten())[by_unit]),
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
    columns = zip(("firsts", "lasts", "lasting", "starts"), np.array(rows, np.int64).reshape(-1, 4).T, strict=True)
    return tables.make_columns("search_times", **{name: _lists(offsets, values) for name, values in columns})

"""What search needs, computed once: BM25 postings, which text units name which entity, which names mean it."""

import json
import re
from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import date
from itertools import chain, compress, islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphrag_lite import tables
from graphrag_lite.read.documents import Fields
from graphrag_lite.resolution.name_keys import exact_key
from graphrag_lite.retrieval.bm25 import Bm25, build_counted
from graphrag_lite.retrieval.entity_names import key_of, names_of_title
from graphrag_lite.retrieval.title_numbers import in_series
from graphrag_lite.run.services import Attempt, Each, Last, unguarded
from graphrag_lite.settings import IndexSearch
from graphrag_lite.tables import groups
from graphrag_lite.tables.lazy_items import LazyItems
from graphrag_lite.temporal.durations import SEEN
from graphrag_lite.temporal.said_days import said_days, said_order
from graphrag_lite.text.numbered_titles import Numbered, numbered
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import ArrayLike, NDArray

RowsOf = Callable[[int], list[int]]
"""Returns the rows of the text units of the document in a row."""
WORDS = re.compile(r"[^\d_/:]{1,80}")
SPEAKER = Fields.sender  # the field under which those who speak in a conversation are found
FEW = 0.5  # of the documents that have a field: one with more values than that tells documents apart, not kinds of them


class Passage(NamedTuple):
    """A text to analyse, of the text unit or community with this id."""

    id: str
    text: str
    language: str

    @property
    def key(self) -> str:
        return tables.content_id(self.language, self.text)


class Read(NamedTuple):
    """What a document's metadata say in words, the keys of what its title may name, and that title's numbers."""

    words: dict[str, str]
    names: list[str]
    numbers: list[Numbered]


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

    read = _read(documents, attempt)
    told = zip(tables.rows(documents, "id", "title", "language"), read, strict=True)
    about = {key: ("\n".join([title, *one.words.values()]), language) for (key, title, language), one in told}

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
    counted = _counts(lambda held: passages(groups.chosen(text_units, held)), reports, keys, each, attempt, last)
    vocabulary, counts = _in_order(*counted)
    words = vocabulary["term"].to_pylist()
    held, times = (counts[name].combine_chunks() for name in ("terms", "counts"))
    offsets, numbers, often = (np.asarray(values) for values in (held.offsets, held.flatten(), times.flatten()))

    def bm25(keys: Sequence[str]) -> Bm25:
        rows = groups.places(pa.array(keys, pa.string()), counts["key"])
        return build_counted(words, offsets, numbers, often, rows, settings.k1, settings.b)

    return (
        _postings("search_terms", bm25(keys[0])),
        _postings("search_report_terms", bm25(keys[1])),
        links,
        _units(documents, text_units, episodes, links),
        _names(entities, entity_resolutions),
        _values(documents, read, rows_of, text_units, episodes),
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
    kept = groups.of(kept, "key", [*chain(*keys)])
    known = set(kept["key"].to_pylist())
    new, written = ([key not in known for key in several] for several in keys)
    unread = LazyItems(sum(new), lambda: units(np.array(new, bool)))
    found = chain(
        each(_counted, unread), (attempt(report.id, _counted, report) for report in compress(reports, written))
    )
    read: dict[str, None] = {}
    number = {term: place for place, term in enumerate(before["term"].to_pylist())}
    offsets, held, times = array("i", [0]), array("i"), array("i")
    for key, counted in zip(chain(*map(compress, keys, (new, written))), found, strict=True):
        if counted is not None and key not in read:
            read[key] = None
            held.extend(number.setdefault(term, len(number)) for term in counted[0])
            times.extend(counted[1])
            offsets.append(len(held))
    lists = {name: _lists(np.asarray(offsets), values) for name, values in (("terms", held), ("counts", times))}
    made = tables.make_columns("search_counts", key=list(read), **lists)
    return list(number), groups.stacked(kept, made).sort_by("key")


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


def _read(documents: "pa.Table", attempt: Attempt) -> list[Read]:
    """Read titles and metadata; those that documents share are read once."""
    words: dict[str, dict[str, str]] = {}
    titles: dict[tuple[str, str], tuple[list[str], list[Numbered]]] = {}
    found = []
    for identity, title, language, metadata in tables.rows(documents, "id", "title", "language", "metadata"):
        if metadata not in words and (said := attempt(identity, _words_of, metadata)) is not None:
            words[metadata] = said
        key = (title, language)
        if key not in titles and (told := attempt(identity, _title_read, *key)):
            titles[key] = told
        found.append(Read(words.get(metadata, {}), *titles.get(key, ([], []))))
    return found


def _words_of(metadata: str) -> dict[str, str]:
    """Return the fields of a document's metadata that are words, such as author, source and category; not ids."""
    stated = json.loads(metadata).items()
    return {field: value for field, value in stated if isinstance(value, str) and WORDS.fullmatch(value)}


def listed(value: str) -> list[str]:
    """Return the values of a field, several where they stand in a list.

    >>> listed("bug;sync; ui"), listed("Oslo, Norway")
    (['bug', 'sync', 'ui'], ['Oslo, Norway'])
    """
    return [one.strip() for one in re.split("[;|]", value) if one.strip()]


def _title_read(title: str, language: str) -> tuple[list[str], list[Numbered]]:
    return list(map(exact_key, names_of_title(title))), numbered(title, language)


def _rows_of(documents: "pa.Table", text_units: "pa.Table") -> RowsOf:
    listed = documents["text_unit_ids"].combine_chunks()
    offsets, rows = np.asarray(listed.offsets), groups.places(listed.flatten(), text_units["id"])
    return lambda row: rows[offsets[row] : offsets[row + 1]].tolist()


def _counted(passage: Passage) -> tuple[list[str], "array[int]"]:
    """Return the terms of a passage in their order, and how often it has each."""
    counts = Counter(terms(passage.text, passage.language))
    return (held := sorted(counts)), array("i", map(counts.__getitem__, held))


def _postings(name: str, index: Bm25) -> "pa.Table":
    rows, scores = (_lists(index.offsets, values) for values in (index.units, index.weights))
    return tables.make_columns(name, term=index.vocabulary, rows=rows, scores=scores)


def _links(
    read: Sequence[Read],
    rows_of: RowsOf,
    text_units: "pa.Table",
    entities: "pa.Table",
    entity_mentions: "pa.Table",
    entity_resolutions: "pa.Table",
) -> "pa.Table":
    """Count the mentions of every entity in every text unit, and find the units that its own document consists of."""
    n_units = max(text_units.num_rows, 1)
    found = _meant(entities, entity_mentions, entity_resolutions)
    units = groups.places(entity_mentions["text_unit_id"], text_units["id"])
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


def _meant(entities: "pa.Table", entity_mentions: "pa.Table", entity_resolutions: "pa.Table") -> "NDArray[np.int64]":
    """Return the row of the entity that each mention means, -1 where it is none: by its document, else the corpus."""

    columns = (entity_resolutions[name].to_pylist() for name in ("document_id", "name"))
    anywhere: dict[str, int] = {}
    here: dict[str, dict[str, int]] = defaultdict(dict)
    rows = groups.places(entity_resolutions["entity_id"], entities["id"]).tolist()
    for document_id, name, row in zip(*columns, rows, strict=True):
        if document_id:
            here[name][document_id] = row
        else:
            anywhere[name] = row
    if not entity_mentions.num_rows:
        return np.zeros(0, np.int64)
    names = entity_mentions["name"].combine_chunks().dictionary_encode()
    held = names.dictionary.to_pylist()
    numbers = np.asarray(names.indices)
    found: NDArray[np.int64] = np.array([anywhere.get(name, -1) for name in held], np.int64)[numbers]
    document_ids = entity_mentions["document_id"]
    for place in np.flatnonzero(np.array([name in here for name in held], bool)[numbers]).tolist():
        own = here[held[numbers[place]]]
        found[place] = own.get(document_ids[place].as_py(), found[place])
    return found


def _defined(
    read: Sequence[Read], rows_of: RowsOf, entities: "pa.Table", entity_resolutions: "pa.Table"
) -> list[list[int]]:
    """Return the rows of the text units of the documents whose title is a name of each entity."""
    resolved = list(tables.rows(entity_resolutions, "document_id", "name", "rule"))
    # "Upgrading Red Hat Developer Hub" is not about what that is: a name that begins with more is no title of it.
    longer = {name for _, name, rule in resolved if rule == "opener"}
    entity_rows = groups.places(entity_resolutions["entity_id"], entities["id"]).tolist()
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
    return tables.make_columns(
        "search_units",
        document=groups.places(text_units["document_id"], documents["id"]),
        day=said_days(spans, (row[:4] for row in said)),
        order=said_order(spans, said, dict(tables.rows(documents, "id", "source_id"))),
        entities=_lists(offsets, entities[by_unit]),
        counts=_lists(offsets, np.asarray(counts.flatten())[by_unit]),
    )


def _names(entities: "pa.Table", entity_resolutions: "pa.Table") -> "pa.Table":
    """List every name that means an entity in the whole corpus, with the entity's row, by the words of the name."""
    rows = groups.places(entity_resolutions["entity_id"], entities["id"]).tolist()
    named = zip(tables.rows(entity_resolutions, "document_id", "name"), rows, strict=True)
    names = {(key_of(name), name, row) for (document, name), row in named if row >= 0 and not document}
    return tables.make("search_names", sorted(names))


def _times(text_units: "pa.Table", fact_mentions: "pa.Table") -> "pa.Table":
    """Return the days that statements of each text unit tell of; of what has ended by then, only its end is known."""
    import pyarrow as pa
    import pyarrow.compute as pc

    stated = fact_mentions.filter(pc.not_equal(fact_mentions["precision"], SEEN))
    units = groups.places(stated["text_unit_id"], text_units["id"])
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


def _values(
    documents: "pa.Table", read: Sequence[Read], rows_of: RowsOf, text_units: "pa.Table", episodes: "pa.Table"
) -> "pa.Table":
    """List the text units of documents that share a metadata value, or have a word with a number in their titles.

    A value that is a document's title is its name. Of several ways to write a word with a number, it is the first. Of a
    conversation, those who speak are values of the units in which they do.
    """
    n_values: Counter[str] = Counter()
    rows: dict[tuple[str, str], list[int]] = defaultdict(list)
    written: dict[tuple[str, str], str] = {}
    titles = documents["title"].to_pylist()
    for place, (title, (words, names, numbers)) in enumerate(zip(titles, read, strict=True)):
        for one in numbers:
            value = written.setdefault((one.word, one.number), title[one.start : one.end])
            rows[tables.OF_TITLES, value] += rows_of(place)
        for field, value in words.items():
            if exact_key(value) not in names:
                for part in listed(value):
                    n_values[field] += 1
                    rows[field, part] += rows_of(place)
    for speaker, unit_rows in _spoken(text_units, episodes):
        n_values[SPEAKER] += len(unit_rows)
        rows[SPEAKER, speaker] += unit_rows
    n_distinct = Counter(field for field, _ in rows)
    with_numbers = {(title, tuple(one.numbers)) for title, one in zip(titles, read, strict=True) if one.numbers}
    series = {written[one] for one in in_series(with_numbers)}
    kept = [
        (field, value)
        for field, value in sorted(rows)
        if (value in series if field == tables.OF_TITLES else n_distinct[field] <= FEW * n_values[field])
    ]
    return tables.make_columns(
        "search_values",
        field=[field for field, _ in kept],
        value=[value for _, value in kept],
        rows=[sorted(set(rows[key])) for key in kept],
    )


def _spoken(text_units: "pa.Table", episodes: "pa.Table") -> Iterator[tuple[str, list[int]]]:
    """Yield who speaks in a document of several messages, and the rows of text units that hold words of theirs."""
    import pyarrow.compute as pc

    several = pc.unique(episodes.filter(pc.greater(episodes["ordinal"], 0))["document_id"])
    said: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    columns = ("document_id", "char_start", "char_end", "speaker")
    for document_id, *message in tables.rows(groups.of(episodes, "document_id", several), *columns):
        said[document_id].append(tuple(message))
    spoken: dict[tuple[str, str], dict[int, None]] = defaultdict(dict)
    units = tables.rows(text_units, "document_id", "char_start", "char_end") if said else ()
    for row, (document_id, start, end) in enumerate(units):
        for last, speaker in _between(said.get(document_id, []), start, end):
            if speaker and last > start:
                spoken[document_id, speaker][row] = None
    yield from ((speaker, list(rows)) for (_, speaker), rows in spoken.items())


def _between(messages: list[tuple[int, int, str]], start: int, end: int) -> Iterator[tuple[int, str]]:
    """Yield the end and the speaker of messages from the one that begins at `start`, or before it, to `end`."""
    for first, last, speaker in islice(messages, max(bisect_right(messages, (start, end, "")) - 1, 0), None):
        if first >= end:
            return
        yield last, speaker

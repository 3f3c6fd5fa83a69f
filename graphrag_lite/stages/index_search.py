"""What search needs, computed once: BM25 postings, which text units name which entity, which names mean it."""

import json
import re
from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphrag_lite import tables
from graphrag_lite.read.documents import Fields
from graphrag_lite.resolution.name_keys import exact_key
from graphrag_lite.retrieval.bm25 import Bm25, build_counted
from graphrag_lite.retrieval.entity_names import key_of, names_of_title
from graphrag_lite.retrieval.title_numbers import in_series
from graphrag_lite.run.services import Attempt, Each, Last, unguarded
from graphrag_lite.settings import IndexSearch
from graphrag_lite.temporal.said_days import said_days, said_order
from graphrag_lite.text.numbered_titles import numbered
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    import pyarrow as pa

WORDS = re.compile(r"[^\d_/:]{1,80}")
SPEAKER = Fields.sender  # the field under which those who speak in a conversation are found
FEW = 0.5  # of the documents that have a field: one with more values than that tells documents apart, not kinds of them


class Passage(NamedTuple):
    """A text to analyse: of the text unit or community with this id."""

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
    about = {
        identity: ("\n".join([title, *(attempt(identity, _words_of, metadata) or {}).values()]), language)
        for identity, title, language, metadata in tables.rows(documents, "id", "title", "language", "metadata")
    }
    units = [
        Passage(identity, f"{about[document_id][0]}\n{text}", about[document_id][1])
        for identity, document_id, text in tables.rows(text_units, "id", "document_id", "text")
    ]
    languages = Counter(documents["language"].to_pylist())
    language = min(languages, key=lambda code: (-languages[code], code))  # the one that global search takes
    contents = tables.rows(community_reports, "community", "full_content")
    reports = [Passage(f"community {number}", content, language) for number, content in contents]
    links = _links(documents, text_units, entities, entity_mentions, entity_resolutions, attempt)
    counts = _counts(units, reports, each, attempt, last)
    place = {key: row for row, key in enumerate(counts["key"].to_pylist())}

    def bm25(passages: Iterable[Passage]) -> Bm25:
        rows = np.array([place.get(passage.key, -1) for passage in passages], dtype=np.int64)
        held, times = (counts[name].combine_chunks() for name in ("terms", "counts"))
        return build_counted(held, times, rows, settings.k1, settings.b)

    return (
        _postings("search_terms", bm25(units)),
        _postings("search_report_terms", bm25(reports)),
        links,
        _units(documents, text_units, episodes, links),
        _names(entities, entity_resolutions),
        _values(documents, text_units, episodes, attempt),
        _times(text_units, fact_mentions),
        counts,
    )


def _counts(
    units: Sequence[Passage], reports: Sequence[Passage], each: Each, attempt: Attempt, last: Last | None
) -> "pa.Table":
    """Return `search_counts`, a row for each different passage that can be analysed."""
    import pyarrow as pa
    import pyarrow.compute as pc

    before = last.read("search_counts") if last and "code" not in last.changed else None
    kept = before[0] if before else tables.make("search_counts", [])
    read = pa.array([passage.key for passage in (*units, *reports)], pa.string())
    kept = kept.filter(pc.is_in(kept["key"], value_set=read))
    known = set(kept["key"].to_pylist())
    new, written = ([passage for passage in several if passage.key not in known] for several in (units, reports))
    found = chain(each(_terms, new), (attempt(report.id, _terms, report) for report in written))
    keys: dict[str, None] = {}
    offsets, held, times = array("i", [0]), list[str](), array("i")
    for passage, said in zip(chain(new, written), found, strict=True):
        if said is not None and passage.key not in keys:
            keys[passage.key] = None
            counted = sorted(Counter(said).items())
            held += [term for term, _ in counted]
            times.extend(n for _, n in counted)
            offsets.append(len(held))
    columns = {"terms": pa.array(held, pa.string()), "counts": pa.array(np.array(times))}
    lists = {name: pa.ListArray.from_arrays(np.array(offsets), values) for name, values in columns.items()}
    made = tables.make_columns("search_counts", key=list(keys), **lists)
    return pa.concat_tables([kept, made]).sort_by("key")


def _words_of(metadata: str) -> dict[str, str]:
    """Return the fields of a document's metadata that are words, such as author, source and category; not ids."""
    return {
        field: value
        for field, value in json.loads(metadata).items()
        if isinstance(value, str) and WORDS.fullmatch(value)
    }


def _terms(passage: Passage) -> list[str]:
    return terms(passage.text, passage.language)


def _postings(name: str, index: Bm25) -> "pa.Table":
    import pyarrow as pa

    def lists(values: Any) -> pa.Array:
        return pa.ListArray.from_arrays(pa.array(index.offsets, pa.int32()), pa.array(values))

    return tables.make_columns(name, term=index.vocabulary, rows=lists(index.units), scores=lists(index.weights))


def _links(
    documents: "pa.Table",
    text_units: "pa.Table",
    entities: "pa.Table",
    entity_mentions: "pa.Table",
    entity_resolutions: "pa.Table",
    attempt: Attempt,
) -> "pa.Table":
    """Count the mentions of every entity in every text unit, and find the units that its own document consists of."""
    unit_row = {identity: row for row, identity in enumerate(text_units["id"].to_pylist())}
    entity_row = {identity: row for row, identity in enumerate(entities["id"].to_pylist())}
    meant = {
        (document_id, name): entity_id
        for document_id, name, entity_id in tables.rows(entity_resolutions, "document_id", "name", "entity_id")
    }

    def entity_of(document_id: str, name: str) -> int | None:
        identity = meant.get((document_id, name))
        return entity_row.get(meant.get(("", name), "") if identity is None else identity)

    counts: list[Counter[int]] = [Counter() for _ in range(entities.num_rows)]
    for unit_id, document_id, name in tables.rows(entity_mentions, "text_unit_id", "document_id", "name"):
        entity = entity_of(document_id, name)
        if entity is not None:
            counts[entity][unit_row[unit_id]] += 1
    # "Upgrading Red Hat Developer Hub" is not about what that is: a name that begins with more is no title of it.
    longer = {name for name, rule in tables.rows(entity_resolutions, "name", "rule") if rule == "opener"}
    by_key = {
        exact_key(name): entity_row.get(identity)
        for (document, name), identity in meant.items()
        if not document and name not in longer
    }
    defines: list[set[int]] = [set() for _ in range(entities.num_rows)]
    for identity, title, unit_ids in tables.rows(documents, "id", "title", "text_unit_ids"):
        for name in attempt(identity, names_of_title, title) or ():
            entity = by_key.get(exact_key(name))
            if entity is not None:
                defines[entity] |= {unit_row[unit_id] for unit_id in unit_ids}
    ordered = [sorted(count.items()) for count in counts]
    return tables.make_columns(
        "search_links",
        rows=[[row for row, _ in pairs] for pairs in ordered],
        counts=[[count for _, count in pairs] for pairs in ordered],
        defines=[sorted(rows) for rows in defines],
    )


def _units(documents: "pa.Table", text_units: "pa.Table", episodes: "pa.Table", links: "pa.Table") -> "pa.Table":
    """Turn the links round, and add what each text unit is of."""
    document_row = {identity: row for row, identity in enumerate(documents["id"].to_pylist())}
    spans = list(tables.rows(text_units, "document_id", "char_start", "char_end"))
    said = list(tables.rows(episodes, "document_id", "char_start", "char_end", "reference_time", "kind", "ordinal"))
    days = said_days(spans, (row[:4] for row in said))
    order = said_order(spans, said, dict(tables.rows(documents, "id", "source_id")))
    rows = [document_row[identity] for identity in text_units["document_id"].to_pylist()]
    named: list[list[int]] = [[] for _ in rows]
    counts: list[list[float]] = [[] for _ in rows]
    for entity, (units, mentions) in enumerate(tables.rows(links, "rows", "counts")):
        for unit, count in zip(units, mentions, strict=True):
            named[unit].append(entity)
            counts[unit].append(count)
    return tables.make_columns("search_units", document=rows, day=days, order=order, entities=named, counts=counts)


def _names(entities: "pa.Table", entity_resolutions: "pa.Table") -> "pa.Table":
    """List every name that means an entity in the whole corpus, with the entity's row, by the words of the name."""
    entity_row = {identity: row for row, identity in enumerate(entities["id"].to_pylist())}
    names = {
        (key_of(name), name, entity_row[entity_id])
        for document_id, name, entity_id in tables.rows(entity_resolutions, "document_id", "name", "entity_id")
        if entity_id in entity_row and not document_id
    }
    return tables.make("search_names", sorted(names))


def _times(text_units: "pa.Table", fact_mentions: "pa.Table") -> "pa.Table":
    """Return the days that statements of each text unit tell of; of what has ended by then, only its end is known."""
    found: dict[str, list[tuple[int, ...]]] = defaultdict(list)
    columns = ("text_unit_id", "kind", "polarity", "valid_at", "invalid_at", "char_start")
    for unit_id, kind, polarity, valid_at, invalid_at, start in tables.rows(fact_mentions, *columns):
        first, after = (date.fromisoformat(day).toordinal() if day else 0 for day in (valid_at, invalid_at))
        over = kind == "state" and polarity == "negative"
        days = (0, first, 1) if over else (first, max(after - 1, 0), int(kind == "state"))
        found[unit_id].append((*days, start))
    rows = [found[identity] for identity in text_units["id"].to_pylist()]
    parts = ([[row[place] for row in several] for several in rows] for place in range(4))
    return tables.make_columns(
        "search_times", **dict(zip(("firsts", "lasts", "lasting", "starts"), parts, strict=True))
    )


def _values(documents: "pa.Table", text_units: "pa.Table", episodes: "pa.Table", attempt: Attempt) -> "pa.Table":
    """List the text units of documents that share a metadata value, or have a word with a number in their titles.

    A value that is a document's title is its name. Of several ways to write a word with a number, it is the first. Of a
    conversation, those who speak are values of the units in which they do.
    """
    unit_row = {identity: row for row, identity in enumerate(text_units["id"].to_pylist())}
    n_documents: Counter[str] = Counter()
    rows: dict[tuple[str, str], list[int]] = defaultdict(list)
    written: dict[tuple[str, str], str] = {}
    columns = ("id", "title", "language", "metadata", "text_unit_ids")
    for identity, title, language, metadata, unit_ids in tables.rows(documents, *columns):
        for one in attempt(identity, numbered, title, language) or ():
            value = written.setdefault((one.word, one.number), title[one.start : one.end])
            rows[tables.OF_TITLES, value] += [unit_row[unit_id] for unit_id in unit_ids]
        own_names = {exact_key(name) for name in attempt(identity, names_of_title, title) or ()}
        for field, value in (attempt(identity, _words_of, metadata) or {}).items():
            if exact_key(value) not in own_names:
                n_documents[field] += 1
                rows[field, value] += [unit_row[unit_id] for unit_id in unit_ids]
    for speaker, unit_ids in _spoken(text_units, episodes):
        n_documents[SPEAKER] += len(unit_ids)
        rows[SPEAKER, speaker] += [unit_row[unit_id] for unit_id in unit_ids]
    n_values = Counter(field for field, _ in rows)
    series = {written[one] for one in in_series(tables.rows(documents, "title", "language"))}
    kept = [
        (field, value)
        for field, value in sorted(rows)
        if (value in series if field == tables.OF_TITLES else n_values[field] <= FEW * n_documents[field])
    ]
    return tables.make_columns(
        "search_values",
        field=[field for field, _ in kept],
        value=[value for _, value in kept],
        rows=[sorted(set(rows[key])) for key in kept],
    )


def _spoken(text_units: "pa.Table", episodes: "pa.Table") -> Iterator[tuple[str, list[str]]]:
    """Yield who speaks in a document of several messages, and the text units that hold words of theirs."""
    said: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for document_id, speaker, start, end in tables.rows(episodes, "document_id", "speaker", "char_start", "char_end"):
        said[document_id].append((start, end, speaker))
    spoken: dict[tuple[str, str], list[str]] = defaultdict(list)
    for identity, document_id, start, end in tables.rows(text_units, "id", "document_id", "char_start", "char_end"):
        messages = said[document_id] if len(said[document_id]) > 1 else []
        for last, speaker in _between(messages, start, end):
            if speaker and last > start and identity not in spoken[document_id, speaker][-1:]:
                spoken[document_id, speaker].append(identity)
    yield from ((speaker, unit_ids) for (_, speaker), unit_ids in spoken.items())


def _between(messages: list[tuple[int, int, str]], start: int, end: int) -> Iterator[tuple[int, str]]:
    """Yield the end and the speaker of messages from the one that begins at `start`, or before it, to `end`."""
    for first, last, speaker in islice(messages, max(bisect_right(messages, (start, end, "")) - 1, 0), None):
        if first >= end:
            return
        yield last, speaker

"""What documents state in titles and metadata: words, names and numbers, and the values that they share."""

import json
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from graphrag_lite import tables
from graphrag_lite.read.documents import Fields
from graphrag_lite.resolution.name_keys import exact_key
from graphrag_lite.retrieval.entity_names import names_of_title
from graphrag_lite.retrieval.title_numbers import in_series, series_names
from graphrag_lite.run.services import Attempt
from graphrag_lite.tables import groups
from graphrag_lite.text.numbered_titles import Numbered, numbered_words

if TYPE_CHECKING:
    import pyarrow as pa

RowsOf = Callable[[int], list[int]]
"""Returns the rows of the text units of the document in a row."""
WORDS = re.compile(r"[^\d_/:]{1,80}|[^\W\d_]{1,20}[ -]?\d[\d.]{,9}")  # "v2.2" and "Sprint 12", no dates and times
SPEAKER = Fields.sender  # the field under which those who speak in a conversation are found
FEW = 0.5  # of the documents that have a field: one with more values than that tells documents apart, not kinds of them


class Stated(NamedTuple):
    """What a document's metadata say in words, the keys of what its title may name, and that title's numbers."""

    words: dict[str, str]
    names: list[str]
    numbers: list[Numbered]


def read_stated_values(documents: "pa.Table", attempt: Attempt) -> list[Stated]:
    """Read titles and metadata; those that documents share are read once."""
    words: dict[str, dict[str, str]] = {}
    titles: dict[tuple[str, str], tuple[list[str], list[Numbered]]] = {}
    found = []
    for identity, title, language, metadata in tables.rows(documents, "id", "title", "language", "metadata"):
        if metadata not in words and (fields := attempt(identity, _words_of, metadata)) is not None:
            words[metadata] = fields
        key = (title, language)
        if key not in titles and (parsed := attempt(identity, _title_read, *key)):
            titles[key] = parsed
        found.append(Stated(words.get(metadata, {}), *titles.get(key, ([], []))))
    return found


def _words_of(metadata: str) -> dict[str, str]:
    """Return the fields of a document's metadata that are words, such as author, source and category; not ids."""
    fields = json.loads(metadata).items()
    return {field: value for field, value in fields if isinstance(value, str) and WORDS.fullmatch(value)}


def _listed(value: str) -> list[str]:
    """Return the values of a field, several where they stand in a list.

    >>> _listed("bug;sync; ui"), _listed("Oslo, Norway")
    (['bug', 'sync', 'ui'], ['Oslo, Norway'])
    """
    return [one.strip() for one in re.split("[;|]", value) if one.strip()]


def _title_read(title: str, language: str) -> tuple[list[str], list[Numbered]]:
    return list(map(exact_key, names_of_title(title))), numbered_words(title, language)


def shared_values(
    documents: "pa.Table", read: Sequence[Stated], rows_of: RowsOf, text_units: "pa.Table", episodes: "pa.Table"
) -> "pa.Table":
    """List the text units of documents that share a metadata value, a word with a number in titles, or a series' name.

    A value that is a document's title is its name. Of several ways to write a word with a number, it is the first. Of a
    conversation, those who speak are values of the units in which they do.
    """
    n_values: Counter[str] = Counter()
    rows: dict[tuple[str, str], list[int]] = defaultdict(list)
    written: dict[tuple[str, str], str] = {}
    titles = documents["title"].to_pylist()
    for row, (title, (words, names, numbers)) in enumerate(zip(titles, read, strict=True)):
        for one in numbers:
            value = written.setdefault((one.word, one.number), title[one.start : one.end])
            rows[tables.OF_TITLES, value] += rows_of(row)
        for field, value in words.items():
            if exact_key(value) not in names:
                for part in _listed(value):
                    n_values[field] += 1
                    rows[field, part] += rows_of(row)
    for speaker, unit_rows in _spoken(text_units, episodes):
        n_values[SPEAKER] += len(unit_rows)
        rows[SPEAKER, speaker] += unit_rows
    n_distinct = Counter(field for field, _ in rows)
    with_numbers = {title: one.numbers for title, one in zip(titles, read, strict=True) if one.numbers}
    numbered = in_series(with_numbers.items())
    names_of = series_names(with_numbers, numbered)
    for row, title in enumerate(titles):
        for name in names_of.get(title, ()):
            rows[tables.OF_TITLES, name] += rows_of(row)
    series = {written[one] for one in numbered}.union(*names_of.values())
    selected = [
        (field, value)
        for field, value in sorted(rows)
        if (value in series if field == tables.OF_TITLES else n_distinct[field] <= FEW * n_values[field])
    ]
    return tables.make_columns(
        "search_values",
        field=[field for field, _ in selected],
        value=[value for _, value in selected],
        rows=[sorted(set(rows[key])) for key in selected],
    )


def _spoken(text_units: "pa.Table", episodes: "pa.Table") -> Iterator[tuple[str, list[int]]]:
    """Yield who speaks in a document of several messages, and the rows of text units that hold words of theirs."""
    import pyarrow.compute as pc

    several = pc.unique(episodes.filter(pc.greater(episodes["ordinal"], 0))["document_id"])
    messages: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    columns = ("document_id", "char_start", "char_end", "speaker")
    for document_id, *message in tables.rows(groups.rows_of(episodes, "document_id", several), *columns):
        messages[document_id].append(tuple(message))
    spoken: dict[tuple[str, str], dict[int, None]] = defaultdict(dict)
    units = tables.rows(text_units, "document_id", "char_start", "char_end") if messages else ()
    for row, (document_id, start, end) in enumerate(units):
        for last, speaker in _between(messages.get(document_id, []), start, end):
            if speaker and last > start:
                spoken[document_id, speaker][row] = None
    yield from ((speaker, list(rows)) for (_, speaker), rows in spoken.items())


def _between(messages: list[tuple[int, int, str]], start: int, end: int) -> Iterator[tuple[int, str]]:
    """Yield the end and the speaker of messages from the one that begins at `start`, or before it, to `end`."""
    for first, last, speaker in islice(messages, max(bisect_right(messages, (start, end, "")) - 1, 0), None):
        if first >= end:
            return
        yield last, speaker

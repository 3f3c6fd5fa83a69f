"""Documents -> text units."""

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from graphrag_lite import tables
from graphrag_lite.settings import SplitTextUnits
from graphrag_lite.stages import Each
from graphrag_lite.text.sentences import sentences
from graphrag_lite.text.splitting import split
from graphrag_lite.text.tokens import counter

if TYPE_CHECKING:
    import pyarrow as pa


async def split_text_units(source_documents: "pa.Table", settings: SplitTextUnits, each: Each) -> "pa.Table":
    """Cut every document into token windows that end where sentences do."""
    cut = partial(_cut, settings=settings)
    rows: list[tuple[str, str, int, int, int, str, int]] = []
    seen: Counter[str] = Counter()
    documents = sorted(zip(source_documents["id"].to_pylist(), source_documents["text"].to_pylist(), strict=True))
    for (document_id, text), units in zip(documents, each(cut, [text for _, text in documents]), strict=True):
        for ordinal, (start, end, n_tokens) in enumerate(units):
            key = tables.content_id("text unit", text[start:end])
            identity = tables.content_id(key, str(seen[key]))
            seen[key] += 1
            rows.append((identity, document_id, ordinal, start, end, text[start:end], n_tokens))
    place = {identity: position for position, identity in enumerate(source_documents["id"].to_pylist())}
    rows.sort(key=lambda row: (place[row[1]], row[2]))
    return tables.make("source_units", rows)


def _cut(text: str, settings: SplitTextUnits) -> list[tuple[int, int, int]]:
    """Return (start, end, tokens) of each unit of a text."""
    count = counter(settings.encoding)
    units = split(text, sentences(text), count, size=settings.size, overlap=settings.overlap)
    return [(unit.start, unit.end, count(text[unit.start : unit.end])) for unit in units]

"""Mentions -> which entity each name means, and which candidates are no names."""

import logging
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite import tables
from graphrag_lite.attempts import outcome
from graphrag_lite.extraction.extractor import Extractor
from graphrag_lite.extraction.mentions import TextUnit, text_units
from graphrag_lite.resolution.known_names import apply_decisions, apply_types, unused_names
from graphrag_lite.resolution.ladder import NameEvidence, Resolution, resolve
from graphrag_lite.resolution.mentioned import alike, each_mention
from graphrag_lite.resolution.name_contexts import MENTIONS, NameContexts
from graphrag_lite.resolution.works import works
from graphrag_lite.run.services import Attempt, Each, Last, unguarded
from graphrag_lite.run.workers import give_memory_back
from graphrag_lite.settings import ResolveEntities
from graphrag_lite.tables import groups
from graphrag_lite.tables.lazy_items import LazyItems
from graphrag_lite.text.names.find import is_acronym
from graphrag_lite.text.names.own_types import cues_of, stated_type
from graphrag_lite.text.names.tokens import lower_case_words
from graphrag_lite.text.names.words import AND_WORDS

if TYPE_CHECKING:
    import pyarrow as pa

    from graphrag_lite.llm.stage_model import StageModel
    from graphrag_lite.prompts import Prompts

BATCH = 500_000  # characters of text units whose words are counted at once: many are the same
HELD = 64  # texts of units that are kept for the next mention
# Between two names: they are two. After a comma may stand a title: "James Adam, Lord Adam".
LISTING = AND_WORDS | {"&"}
SAME = re.compile(
    r"\b(same (as|person|character|individual|entity|man|woman)|another (name|reference)|also (known|called|referred)"
    r"|full name|nickname|alias|abbreviat\w*|acronym|short for)\b",
    re.I,
)  # the relationship of a thing to itself
BEFORE_BRACKET = re.compile(r"\b([A-Za-z])[a-z]* \(\Z")
LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
LONGEST_ACRONYM, LONGEST_WORD = 6, 40  # characters
NEAR = 2 + max(map(len, AND_WORDS))  # characters
MAX_ABSENT = 20  # names that no text has

TextOf = Callable[[str], tuple[str, int]]
logger = logging.getLogger(__name__)


async def resolve_entities(
    source_documents: "pa.Table",
    source_units: "pa.Table",
    entity_mentions: "pa.Table",
    relationship_mentions: "pa.Table",
    settings: ResolveEntities,
    each: Each,
    model: "StageModel | None",
    prompts: "Prompts",
    attempt: Attempt = unguarded,
    extractor: Extractor | None = None,
    last: Last | None = None,
) -> tuple["pa.Table", "pa.Table", "pa.Table"]:
    """Decide by the rungs exact, lexical and alias over all mentions, and by the model about the pairs they leave open.

    `resolution.ladder` has the rules. What a model or an extractor of somebody else extracted is an entity for sure:
    nothing of it is dropped. What the user knows (`settings.known`) goes before all that. A text unit whose words
    cannot be counted is a failure. `word_counts` of the last run are counted on, its `name_contexts` kept.
    """
    lower_counts = _lower_counts(source_documents, source_units, each, attempt, last)
    units = groups.row_indices(entity_mentions["text_unit_id"], source_units["id"])
    confirmed = model is not None or extractor is not None
    mentions = (each_mention if confirmed else alike)(entity_mentions, source_units["ordinal"].to_numpy()[units])
    text_of = _texts(source_units)
    known = last.read("name_contexts", unless={"code"}) if last else None
    both = last.beside(entity_mentions=entity_mentions.select(MENTIONS)) if last and known else None
    contexts = NameContexts(entity_mentions, text_of, (known[0], *both[0].apart) if known and both else None)
    beside = list(_beside(text_of, entity_mentions, in_order=not confirmed))
    evidence = NameEvidence(
        languages=list(map(dict(tables.rows(source_documents, "id", "language")).__getitem__, mentions.document_ids)),
        works={} if confirmed else works(source_documents),
        contexts=contexts if model is None else None,
        definitions=_definitions(beside, attempt),
        glossed=_glossed(text_of, entity_mentions),
        glosses=_glosses(beside),
        related=_related(relationship_mentions, beside, stated=model is not None),
    )
    give_memory_back()
    rows = resolve(
        mentions,
        lower_counts,
        evidence,
        lexical=settings.lexical,
        alias=settings.alias,
        threshold=settings.lexical_threshold,
        confirmed=confirmed,
    )
    if model is not None and settings.model:
        from graphrag_lite.extraction.judged_names import joined_by_model

        described = list(zip(mentions.names, mentions.types, entity_mentions["description"].to_pylist(), strict=True))
        order = _by_date(source_documents, mentions.document_ids)
        rows = await joined_by_model(rows, [described[index] for index in order], settings.max_pairs, model, prompts)
    if settings.known.types:
        rows = apply_types(rows, _stated_types(text_of, entity_mentions, settings.known.types))
    rows = _decided(rows, settings)
    ids = {key: tables.content_id("entity", key) if key else "" for key in {row.key for row in rows}}
    resolved = ((row.document_id, row.name, ids[row.key], row.title, row.type, row.rule) for row in rows)
    made = tables.make("entity_resolutions", resolved), tables.make("word_counts", sorted(lower_counts.items()))
    return *made, contexts.table


def _definitions(beside: Iterable[tuple[str, str, str, str, str]], attempt: Attempt) -> list[tuple[str, str, str]]:
    """Return (document, long name, acronym) wherever one of two names stands in brackets behind the other."""
    return [
        (document_id, *pair)
        for document_id, one, between, other, _ in beside
        if between == " ("
        for pair in ((one, other), (other, one))
        if attempt(document_id, is_acronym, *reversed(pair))
    ]


def _glosses(beside: Iterable[tuple[str, str, str, str, str]]) -> list[tuple[str, str]]:
    """Return names with what stands in brackets behind them, where that is in another script."""
    return [
        (one, other)
        for _, one, between, other, after in beside
        if between.strip() in ("(", "（") and after in (")", "）") and _in_two_scripts(one, other)
    ]


def _decided(rows: list[Resolution], settings: ResolveEntities) -> list[Resolution]:
    if absent := unused_names(rows, settings.known):
        logger.info("entities.yaml has names that no text has: %s.", ", ".join(absent[:MAX_ABSENT]))
    return apply_decisions(rows, settings.known)


def _lower_counts(
    source_documents: "pa.Table", source_units: "pa.Table", each: Each, attempt: Attempt, last: Last | None
) -> Counter[str]:
    """Return how often the corpus writes each word in lower case; of documents as in the last run it is known."""
    counts = last.read("word_counts", unless={"code", "failed"}) if last else None
    where = ["document_id", "id", "char_start"]
    beside = last.beside(source_units=source_units.select(where)) if last and counts else None
    if not last or not counts or not beside:
        return _counted(source_documents, source_units, each, attempt)
    other = beside[0].changed("document_id", where[1:])  # a document's id tells its blocks
    came = groups.rows_of(source_units, "document_id", other)
    gone = sorted(other)
    documents = last.rows("documents", "id", gone, "id", "title", "language", "blocks")
    units = last.rows("text_units", "document_id", gone, "id", "document_id", "ordinal", "text", "char_start")
    if documents is None or units is None:
        return _counted(source_documents, source_units, each, attempt)
    found = Counter(dict(tables.rows(counts[0], "word", "n")))
    found.update(_counted(source_documents, came, each, attempt))
    found.subtract(_counted(documents, units, each, attempt))
    return +found


def _counted(documents: "pa.Table", units: "pa.Table", each: Each, attempt: Attempt) -> Counter[str]:
    """Return how often the prose of text units writes each word in lower case."""
    import pyarrow.compute as pc

    counted: Counter[str] = Counter()
    ends = np.cumsum(np.asarray(pc.utf8_length(units["text"])), dtype=np.int64)
    starts = np.flatnonzero(np.diff(ends // BATCH, prepend=-1)).tolist()
    spans = [(start, end - start) for start, end in pairwise([*starts, units.num_rows])]

    def batches() -> Iterator[list[TextUnit]]:
        listed = text_units(documents, units)
        return ([*islice(listed, n)] for _, n in spans)

    found = each(partial(outcome, _prose_words), LazyItems(len(spans), batches))
    for span, (counts, error) in zip(spans, found, strict=True):
        counted.update(counts)
        for unit in text_units(documents, units.slice(*span)) if error else ():  # which of them is it?
            counted.update(attempt(unit.id, _prose_words, [unit]))
    return counted


def _prose_words(units: Iterable[TextUnit]) -> Counter[str]:
    return lower_case_words("\n\n".join(unit.prose for unit in units))


def _in_two_scripts(one: str, other: str) -> bool:
    """Tell whether one of two names is written in Latin letters and the other is not: 허블 (Hubble). No acronyms."""
    in_latin = [bool(LATIN.search(name)) for name in (one, other)]
    return in_latin[0] != in_latin[1] and not (other if in_latin[1] else one).isupper()


def _glossed(text_of: TextOf, entity_mentions: "pa.Table") -> set[tuple[str, str]]:
    """Return (document, acronym) where one stands in brackets behind a word with one of its initials."""
    columns = ("text_unit_id", "document_id", "name", "mention_start")
    names = entity_mentions["name"].unique().to_pylist()
    acronyms = [name for name in names if len(name) <= LONGEST_ACRONYM and name.isupper()]
    found = set()
    for unit_id, document_id, name, start in groups.rows_with(entity_mentions, "name", acronyms, *columns):
        if start > 0:
            text, offset = text_of(unit_id)
            word = BEFORE_BRACKET.search(text, max(0, start - offset - LONGEST_WORD), start - offset)
            if word and word[1].casefold() in name.casefold():
                found.add((document_id, name))
    return found


def _stated_types(
    text_of: TextOf, entity_mentions: "pa.Table", types: Mapping[str, str]
) -> dict[tuple[str, str], Counter[str]]:
    """Return how many mentions of a name tell each of the user's own types, by document and name."""
    cues = cues_of(types)
    columns = ("text_unit_id", "document_id", "name", "mention_start")
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for unit_id, document_id, name, start in tables.rows(entity_mentions, *columns):
        text, offset = text_of(unit_id)
        if start >= 0 and (kind := stated_type(text, start - offset, start - offset + len(name), cues)):
            found[document_id, name][kind] += 1
    return found


def _texts(source_units: "pa.Table") -> TextOf:
    """Return what tells text and place in its document of each unit, by id."""
    rows = {identity: row for row, identity in enumerate(source_units["id"].to_pylist())}
    texts, starts = source_units["text"], source_units["char_start"]

    @lru_cache(HELD)  # mentions come by unit
    def text_of(identity: str) -> tuple[str, int]:
        row = rows[identity]
        return texts[row].as_py(), starts[row].as_py()

    return text_of


def _by_date(source_documents: "pa.Table", document_ids: Sequence[str]) -> list[int]:
    """Return the places of mentions by the dates of their documents, ties by document id, then as they stand.

    The names of files have no say: a file that is renamed must change no question, and new documents mostly come last.
    """
    created_at = dict(tables.rows(source_documents, "id", "created_at"))
    return sorted(range(len(document_ids)), key=lambda i: (created_at[document_ids[i]], document_ids[i]))


def _related(
    relationship_mentions: "pa.Table", beside: Iterable[tuple[str, str, str, str, str]], *, stated: bool
) -> Iterator[tuple[str, str, str]]:
    """Yield (document, name, name) where words relate the two, or list them.

    Where relationships are not `stated` by a model, one without a word for it says no more than that both names are in
    a sentence, or one in the other's document: "'Jacob!' he said. 'Old Jacob Marley, tell me more!'" Nor does one that
    says that the two are one: "Ebenezer Scrooge is another reference to the same character, Scrooge".
    """
    columns = ("document_id", "source", "target", "relation", "description")
    for document_id, *ends, relation, description in tables.rows(relationship_mentions, *columns):
        if (relation or stated) and not SAME.search(f"{relation.replace('_', ' ')} {description}"):
            yield document_id, ends[0], ends[1]
    for document_id, one, between, other, _ in beside:
        if between.strip().casefold() in LISTING:
            yield document_id, one, other


def _beside(
    text_of: TextOf, entity_mentions: "pa.Table", *, in_order: bool
) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield (document, name, what stands between, name, the character behind) of names that follow each other closely.

    `in_order` says that the mentions of a unit stand in the order of its text; a model has an order of its own.
    """
    import pyarrow.compute as pc

    mentions = entity_mentions.select(["text_unit_id", "name", "mention_start", "document_id"])
    if not in_order:
        mentions = mentions.sort_by([(column, "ascending") for column in ("text_unit_id", "mention_start", "name")])
    starts = mentions["mention_start"].to_numpy()
    gaps = starts[1:] - starts[:-1] - pc.utf8_length(mentions["name"]).to_numpy()[:-1]
    near = np.flatnonzero((starts[:-1] >= 0) & (gaps > 0) & (gaps <= NEAR))
    pairs = (tables.rows(groups.in_rows(mentions, rows), *mentions.column_names) for rows in (near, near + 1))
    for gap, before, (unit_id, name, start, document_id) in zip(gaps[near].tolist(), *pairs, strict=True):
        if unit_id == before[0]:
            text, offset = text_of(unit_id)
            begin, end = start - offset, start - offset + len(name)
            yield document_id, before[1], text[begin - gap : begin], name, text[end : end + 1]

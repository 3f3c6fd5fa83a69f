"""Mentions and resolutions -> entities and relationships, described by the corpus's own sentences, or a model's.

Where a model extracted, each mention says what its text unit says of the thing: these descriptions stand together as
long as they are short, and are merged by the model once they are not (`descriptions`).

A relationship's weight is the sum of its strengths times its normalised pointwise mutual information over text units
(Bouma 2009), moved from [-1, 1] to [0, 1]: names that are everywhere meet by chance, so hubs are damped. The number of
text units is taken in steps of a thirtieth to a sixteenth: else one more would change every weight.
"""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from graphrag_lite import tables
from graphrag_lite.errors import ReplyError
from graphrag_lite.evidence.describing_sentences import best_sentences, best_statements
from graphrag_lite.evidence.descriptions import cut_to_tokens, distinct_descriptions, join_descriptions
from graphrag_lite.evidence.mention_fold import CANDIDATES, QUERIES
from graphrag_lite.evidence.mention_forms import forms_of
from graphrag_lite.evidence.packing import pack_ranges
from graphrag_lite.run.services import Counts, Each, Last
from graphrag_lite.run.workers import give_memory_back
from graphrag_lite.settings import SummarizeDescriptions
from graphrag_lite.tables import groups
from graphrag_lite.tables.database import execute, open_database, rows, select
from graphrag_lite.tables.lazy_items import LazyItems
from graphrag_lite.tables.long_texts import LongTexts
from graphrag_lite.tables.mapped_table import forget_what_was_looked_at
from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.tokens import token_counter

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from graphrag_lite.llm.stage_model import StageModel
    from graphrag_lite.prompts import Prompts

Row = dict[str, Any]
ENCODING = "cl100k_base"  # what tokens of descriptions are counted in
WORDS_PER_TOKEN = 0.75
FOLDED = ("entity_mentions", "relationship_mentions", "entity_resolutions")
MADE = ("entities", "relationships")


async def summarize_descriptions(
    source_documents: "pa.Table",
    entity_mentions: "pa.Table",
    relationship_mentions: "pa.Table",
    entity_resolutions: "pa.Table",
    settings: SummarizeDescriptions,
    model: "StageModel | None",
    prompts: "Prompts",
    each: Each,
    count: Counts | None = None,
    last: Last | None = None,
) -> tuple["pa.Table", "pa.Table", "pa.Table", "pa.Table"]:
    """Fold mentions into entities and relationships, and describe each by the sentences that say most about it.

    What a model has described is described in its words; the sentences are then what these rest on. Where no sentence
    can be chosen there is a failure, and no description. What no change touches keeps its sentences of the last
    snapshot. `count` is told how many mentions of relationships vanish because both of their names are one entity.
    """
    texts, languages = LongTexts(source_documents), dict(tables.rows(source_documents, "id", "language"))
    read = (entity_mentions, relationship_mentions, entity_resolutions)
    describe = partial(_descriptions, settings=settings, model=model, prompts=prompts)
    with open_database(sum(table.num_rows for table in read)) as database:
        for name, table in zip(FOLDED, read, strict=True):
            database.register(name, table)
        reused = _before(database, read, source_documents, last)
        execute(database, QUERIES["meant"])
        forget_what_was_looked_at()  # all mentions
        execute(database, QUERIES["fold"])
        if count:
            count("relationships_within_entities", next(rows(database, QUERIES["within"]))["n"])
        entities = select(database, QUERIES["entities"])
        n_units = _in_steps(len(entity_mentions["text_unit_id"].unique()))
        pairs = select(database, QUERIES["relationships"], n_units=n_units)
        edges = _community_edges(database, pairs)
        by_model = _by_model(database)
        acts = {row["key"]: row for row in rows(database, QUERIES["pair_relations"])}
        titles = dict(tables.rows(entities, "id", "title"))
        ends = {f"{low} {high}": (low, high) for low, high in tables.rows(pairs, "low", "high")}
        names = titles | {key: f"{titles[low]} and {titles[high]}" for key, (low, high) in ends.items()}
        things = tuple(Thing(key, name, by_model[key]) for key, name in names.items() if key in by_model)
        if model:
            model.begin(describe, things)  # while sentences are chosen
        give_memory_back()
        execute(database, QUERIES["touched" if reused else "all_touched"])
        forms = forms_of(database, reused and reused[2], texts, languages, each)
        database.register("forms", forms)
        choose = partial(_chosen, database, names=names, by_model=by_model, texts=texts, each=each)
        touched = [key for row in rows(database, "from touched") if (key := row["entity"]) in titles]
        sentences = choose(touched, "entity_sentences", settings.max_sentences)
        described = _made("entities", entities, ({"id": key, **_described(own)} for key, own in sentences))
        touched = [f"{row['low']} {row['high']}" for row in rows(database, "from touched_pair")]
        stated = (
            _directed(*ends[key], titles, acts.get(key) or next(iter(own), None)) | _described(own)
            for key, own in choose(touched, "pair_sentences", 1)
        )
        directed = _made("relationships", pairs, stated)
    descriptions = await (model.outcome(describe, things) if model else describe(things))
    ids = [tables.content_id("relationship", *pair) for pair in ends.values()]
    return (
        _table("entities", entities, titles, described, reused and reused[0], list(map(descriptions.get, titles))),
        _table("relationships", pairs, ids, directed, reused and reused[1], list(map(descriptions.get, ends))),
        forms,
        edges,
    )


def _in_steps(n: int) -> int:
    """Return a number rounded up to its first five bits.

    >>> [_in_steps(n) for n in (31, 33, 63, 65, 2800, 2801)]
    [31, 34, 64, 68, 2816, 2816]
    """
    shift = max(n.bit_length() - 5, 0)
    return -(-n >> shift) << shift


def _community_edges(database: "duckdb.DuckDBPyConnection", pairs: "pa.Table") -> "pa.Table":
    """Return `community_edges`; `pairs` are the relationships."""
    database.register("pairs", pairs.select(["low", "high", "weight"]))
    execute(database, QUERIES["named_in"])
    n = next(rows(database, QUERIES["n_sentences"]))["n"]
    found = select(database, QUERIES["community_edges"], n_sentences=max(1, _in_steps(n)))
    return tables.make_columns("community_edges", **{name: found[name] for name in found.column_names})


def _by_model(database: "duckdb.DuckDBPyConnection") -> dict[str, tuple[str, ...]]:
    """Return what a model has said of each entity and pair, by key."""
    return {
        row["key"]: tuple(distinct_descriptions(row["descriptions"]))
        for query in ("entity_descriptions", "pair_descriptions")
        for row in rows(database, QUERIES[query])
    }


class Choice(NamedTuple):
    """The candidates of an entity or pair, and how many of them are to be chosen."""

    id: str
    key: str
    candidates: list[Row]
    most: int


def _chosen(
    database: "duckdb.DuckDBPyConnection",
    touched: Collection[str],
    query: str,
    most: int,
    *,
    names: Mapping[str, str],
    by_model: Collection[str],
    texts: LongTexts,
    each: Each,
) -> Iterator[tuple[str, list[Row]]]:
    """Yield the key of each entity or pair and the sentences chosen for it: more where a model's words rest on them."""
    left = dict.fromkeys(touched)
    keys = deque[str]()

    def choices() -> Iterator[Choice]:
        for key, found in groupby(rows(database, QUERIES[query]), itemgetter("key")):
            if key in left:
                keys.append(key)
                yield Choice(
                    names[key], key, [_read(row, texts) for row in found], CANDIDATES if key in by_model else most
                )

    for chosen in each(partial(_choose, query=query), LazyItems(len(left), choices)):
        del left[key := keys.popleft()]
        yield key, chosen or []
    yield from ((key, []) for key in left)


def _read(row: Row, texts: LongTexts) -> Row:
    """Add its sentence to a candidate, of a mention from where what it says begins."""
    if row.get("mention_start", -1) >= 0:
        row["char_start"] = row["begins"]
    return row | {"sentence": texts[row["document_id"]][row["char_start"] : row["char_end"]]}


def _choose(choice: Choice, query: str) -> list[Row]:
    choose = best_sentences if query == "entity_sentences" else best_statements
    return choose(choice.candidates, choice.most)


def _made(name: str, folded: "pa.Table", rows: Iterable[Row]) -> "pa.Table":
    """Return the id, and the columns that are not `folded`, of a table; few of its rows are objects at once."""
    import pyarrow as pa

    each = iter(rows)
    leave_out = {*folded.column_names, "human_readable_id"} - {"id"}
    schema = pa.schema([column for column in tables.schema(name) if column.name not in leave_out])
    parts = iter(lambda: list(islice(each, tables.PART)), [])
    return pa.concat_tables([schema.empty_table(), *(pa.Table.from_pylist(part, schema) for part in parts)])


def _before(
    database: "duckdb.DuckDBPyConnection", read: Iterable["pa.Table"], source_documents: "pa.Table", last: Last | None
) -> "list[pa.Table] | None":
    """Tell the database what is not as it was. Returns the last entities, relationships and forms of mentions.

    None where all is new.
    """
    import pyarrow as pa

    unless = ("settings", "code", "failed")
    other: dict[str, pa.Table] = {}
    for name, now in zip(FOLDED, read, strict=True):  # one after the other: each may be a fifth of all memory
        by = "name" if name == "entity_resolutions" else "document_id"
        if last and (beside := last.beside(unless=unless, **{name: now})):
            (both,) = beside
            keys = both.changed(by, now.column_names)
            rows_of = (both.now, both.then) if by == "name" else both.apart  # those of a document are in one part
            for when, table in zip(("now", "before"), rows_of, strict=True):
                other[f"{name}_{when}"] = table.filter(pa.array(groups.is_in(table, by, keys)))
    columns = {name: [c for c in tables.schema(name).names if c != "text_unit_ids"] for name in MADE}
    found = beside = None
    if last and len(other) == 2 * len(FOLDED):
        found = last.read("mention_forms", **columns)
        beside = last.beside(source_documents=source_documents.select(["id", "language"]))
    forms, *reused = found if found and beside else [tables.make("mention_forms", [])]
    retold = sorted(beside[0].changed("id", ["language"])) if beside else []
    other |= {f"{name}_before": table for name, table in zip(MADE, reused, strict=False)} | {"forms_before": forms}
    other["retold"] = pa.table({"document_id": pa.array(retold, pa.string())})
    for name, table in other.items():
        database.register(name, table)
    return [*reused, forms] if reused else None


def _table(
    name: str,
    folded: "pa.Table",
    ids: Iterable[str],
    made: "pa.Table",
    reused: "pa.Table | None",
    descriptions: Sequence[str | None],
) -> "pa.Table":
    """Return a table of what was `folded`, with these ids: the rest of its columns was `made` now, or is `reused`.

    A description is the model's where there is one.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    schema = tables.schema(name)
    identities = pa.array(ids, pa.string())
    if reused:
        _, untouched = groups.split_rows(reused, "id", made["id"])
        made = pa.concat_tables([made, untouched.select(made.column_names)])
    rest = made.combine_chunks()
    rest = rest.take(pc.index_in(identities, value_set=rest["id"].combine_chunks()))
    values = {each: folded[each].cast(schema.field(each).type) for each in folded.column_names if each in schema.names}
    values |= {each: rest[each] for each in rest.column_names} | {
        "id": identities,
        "human_readable_id": pa.array(range(len(identities))),
    }
    if any(text is not None for text in descriptions):
        pairs = zip(descriptions, values["description"].to_pylist(), strict=True)
        values["description"] = pa.array([own if text is None else text for text, own in pairs], pa.string())
    return tables.make_columns(name, **values)


def _directed(low: str, high: str, titles: Mapping[str, str], statement: Row | None) -> Row:
    """Return the id, ends and relation of a pair of entities: the first is who acts in the statement."""
    source, target = (high, low) if statement and statement["a"] == high else (low, high)
    return {
        "id": tables.content_id("relationship", low, high),
        "source_id": source,
        "target_id": target,
        "source": titles[source],
        "target": titles[target],
        "relation": statement["relation"] if statement else "",
    }


class Thing(NamedTuple):
    """An entity or a pair of them that a model has described. `descriptions` are sorted, without repetitions."""

    key: str
    name: str
    descriptions: tuple[str, ...]


async def _descriptions(
    things: Sequence[Thing], settings: SummarizeDescriptions, model: "StageModel | None", prompts: "Prompts"
) -> dict[str, str]:
    """Return the description of every thing: what was said of it, merged by the model where it is long.

    What exceeds one question is merged in several, and their answers again, until they are short together. Where there
    is no model, or no usable answer, it is the beginning of what was said.
    """
    if not things:
        return {}
    count = token_counter(ENCODING)
    largest = settings.max_input_tokens // 4  # so that a pack holds two at least, and every round has fewer
    done: dict[str, str] = {}
    waiting: list[Thing] = []
    for thing in things:
        if len(thing.descriptions) == 1 or count(join_descriptions(thing.descriptions)) <= settings.max_tokens:
            done[thing.key] = join_descriptions(thing.descriptions)
        else:
            waiting.append(thing)
    beginnings = {
        thing.key: cut_to_tokens(join_descriptions(thing.descriptions), settings.max_tokens, count) for thing in waiting
    }
    if model is None:
        return done | beginnings
    from graphrag_lite.prompts import SummarizeDescriptionsPrompt as MergePrompt

    async def work(question: Thing) -> str | None:
        lines = "\n".join(f"- {line}" for line in question.descriptions)
        words = round(settings.max_tokens * WORDS_PER_TOKEN)
        content = prompts.fill(MergePrompt(max_words=words, name=question.name, descriptions=lines))
        try:
            reply = await model.ask([{"role": "user", "content": content}], _plain)
        except ReplyError as error:  # the index can do without: what was said is there
            model.failed(question.name, error, "its descriptions are not merged: ")
            return None
        return cut_to_tokens(reply, 2 * settings.max_tokens, count)  # not mid-thought where it counts no words

    while waiting:
        questions: list[Thing] = []
        for thing in waiting:
            texts = tuple(cut_to_tokens(line, largest, count) for line in thing.descriptions)
            ranges = pack_ranges(texts, [count(line) for line in texts], settings.max_input_tokens)
            questions += [thing._replace(descriptions=texts[pack.start : pack.stop]) for pack in ranges]
        merging = [question for question in questions if len(question.descriptions) > 1]
        answers = dict(zip(map(id, merging), await model.map(work, merging, lambda each: each.name), strict=True))
        merged: dict[str, list[str | None]] = {}
        for question in questions:
            merged.setdefault(question.key, []).append(answers.get(id(question), question.descriptions[0]))
        left = []
        for thing in waiting:
            texts = tuple(text for text in merged[thing.key] if text is not None)
            if len(texts) < len(merged[thing.key]):
                done[thing.key] = beginnings[thing.key]
            elif len(texts) == 1 or count(join_descriptions(texts)) <= settings.max_tokens:
                done[thing.key] = join_descriptions(texts)
            else:
                left.append(thing._replace(descriptions=texts))
        waiting = left
    return done


def _plain(reply: str) -> str:
    """Return a merged description on one line. Raises ReplyError where there is none."""
    text = one_line(reply).strip('"“”*` ')
    if not text:
        raise ReplyError("it holds no description")
    return text


def _described(chosen: list[Row]) -> Row:
    return {
        "description": " ".join(row["sentence"] for row in chosen),
        "sources": [{k: row[k] for k in ("text_unit_id", "document_id", "char_start", "char_end")} for row in chosen],
    }

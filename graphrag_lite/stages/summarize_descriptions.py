"""Mentions and resolutions -> entities and relationships, described by the corpus's own sentences, or a model's.

Where a model extracted, each mention says what its text unit says of the thing: these descriptions stand together as
long as they are short, and are merged by the model once they are not (`descriptions`).

A relationship's weight is the sum of its strengths times its normalised pointwise mutual information over text units
(Bouma 2009), moved from [-1, 1] to [0, 1]: names that are everywhere meet by chance, so hubs are damped.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from graphrag_lite import tables
from graphrag_lite.errors import ReplyError
from graphrag_lite.evidence.describing_sentences import GOOD_LENGTH, best_sentences, best_statements, sentence_of
from graphrag_lite.evidence.descriptions import cut, distinct, joined
from graphrag_lite.evidence.mention_form import mention_form
from graphrag_lite.evidence.packing import packs
from graphrag_lite.llm.model import StageModel
from graphrag_lite.prompts import Prompts
from graphrag_lite.prompts import SummarizeDescriptions as MergePrompt
from graphrag_lite.run.services import Attempt, unguarded
from graphrag_lite.settings import SummarizeDescriptions
from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.tokens import counter

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

Row = dict[str, Any]
ENCODING = "cl100k_base"  # what tokens of descriptions are counted in
WORDS_PER_TOKEN = 0.75
SOON_FOLDED = 20_000  # mentions
CANDIDATES = 12  # sentences read for each entity and relationship

# A name means what its own document says it means, else what the corpus says; '' was dropped. A unit's overlap repeats
# sentences of the unit before it, so an instance counts once for its place in the document; of what a model told, what
# differs in direction or relation are several instances. Rows come in any order, so every order ends in what tells one
# row from the next as far as it is read, and strengths are added as decimals: of floats, the order changes the sum.
FOLD = """
create view here as select * from entity_resolutions where document_id <> '';
create view anywhere as select * from entity_resolutions where document_id = '';
create table mention as
    select coalesce(h.entity_id, a.entity_id) as entity, coalesce(h.title, a.title) as title,
        coalesce(h.type, a.type) as entity_type, m.description <> '' as told, m.*
    from entity_mentions m
    left join here h on h.document_id = m.document_id and h.name = m.name
    left join anywhere a on a.name = m.name
    where coalesce(h.entity_id, a.entity_id, '') <> '';
create table entity as
    select entity, min(title) as title, min(entity_type) as type, count(distinct text_unit_id) as frequency,
        count(distinct (document_id, mention_start, case when told and mention_start < 0 then text_unit_id end))
            as n_mentions,
        count(distinct document_id) as n_documents,
        list(distinct text_unit_id order by text_unit_id) as text_unit_ids
    from mention group by entity;
create table related as
    select coalesce(hs.entity_id, s.entity_id, '') as a, coalesce(ht.entity_id, t.entity_id, '') as b,
        least(a, b) as low, greatest(a, b) as high,
        r.document_id, text_unit_id, char_start, char_end, relation, strength, description,
        description <> '' as told, r.source <> r.target as two
    from relationship_mentions r
    left join here hs on hs.document_id = r.document_id and hs.name = r.source
    left join here ht on ht.document_id = r.document_id and ht.name = r.target
    left join anywhere s on s.name = r.source
    left join anywhere t on t.name = r.target
    where low <> '';
create view instance as select * from related where low <> high;
create table pair as
    select low, high, sum(strength)::double as strength, count(*) as n_mentions
    from (
        select low, high, max(strength)::decimal(18, 6) as strength from instance
        group by low, high, document_id, char_start,
            case when told then (a, relation, case when char_start < 0 then text_unit_id end) end
    )
    group by low, high;
create table pair_units as
    select low, high, list(distinct text_unit_id order by text_unit_id) as text_unit_ids
    from instance group by low, high;
create table degree as
    select entity, count(*) as degree
    from (select low as entity from pair union all select high from pair) group by entity;
"""
ENTITIES = """
select entity as id, title, type, text_unit_ids, frequency,
    coalesce(degree, 0) as degree, n_mentions, n_documents
from entity left join degree using (entity)
order by frequency desc, n_mentions desc, title, id
"""
RELATIONSHIPS = """
select low, high, x.title as low_title, y.title as high_title, u.text_unit_ids, pair.n_mentions,
    dx.degree + dy.degree as combined_degree, len(u.text_unit_ids) / $n_units as p,
    case when p >= 1 then 1 else -ln(p * $n_units * $n_units / (x.frequency * y.frequency)) / ln(p) end as npmi,
    round(strength * (1 + greatest(-1, least(1, npmi))) / 2, 6) as weight
from pair join pair_units u using (low, high)
join entity x on x.entity = low join entity y on y.entity = high
join degree dx on dx.entity = low join degree dy on dy.entity = high
order by weight desc, low_title, high_title, low, high
"""
# What says nothing any more since its two names are one entity.
WITHIN = "select count(*) as n from related where low = high and two"
# Mentions that stand in the text, to be read document after document.
MENTIONED = """
select rowid as mention, document_id, mention_start, len(name) as length, char_start, char_end from mention
where mention_start >= 0 and char_start >= 0
order by document_id, mention
"""
# What says what a name is, and after it what a name is in at all, before what its bearer says or is told.
# A name early in its sentence is what the sentence is about. The first sentences of a document come first. A name that
# a model gives and the text does not hold (mention_start -1) stands for its whole text unit: used for want of others.
ENTITY_SENTENCES = f"""
select entity as key, mention.*, form, begins from mention left join forms on mention = mention.rowid
where char_start >= 0
qualify (mention_start >= 0 or not bool_or(mention_start >= 0) over (partition by entity))
    and row_number() over (partition by entity order by
    mention_start < 0, form desc, char_end - char_start not between {GOOD_LENGTH.start} and {GOOD_LENGTH.stop},
    greatest(0, mention_start - char_start) // 12, char_start, char_end, document_id, text_unit_id, mention_start, name
) <= {CANDIDATES}
order by key, document_id, char_start, char_end, text_unit_id, mention_start, name
"""
PAIR_SENTENCES = f"""
select low || ' ' || high as key, * from instance where char_start >= 0
qualify row_number() over (partition by low, high order by
    strength desc, char_end - char_start not between {GOOD_LENGTH.start} and {GOOD_LENGTH.stop}, relation = '',
    char_end - char_start, document_id, char_start, text_unit_id, a, relation) <= {CANDIDATES}
order by key, document_id, char_start, char_end, text_unit_id, a, strength desc, relation
"""
# What a model said, per entity and per pair. A repeated description says nothing more.
ENTITY_DESCRIPTIONS = """
select entity as key, list(distinct description order by description) as descriptions
from mention where told group by entity
"""
PAIR_DESCRIPTIONS = """
select low || ' ' || high as key, list(distinct description order by description) as descriptions
from instance where told group by low, high
"""
# The commonest relation of a pair, and who acts in it most often; ties by strength, then by name.
PAIR_RELATIONS = """
with acted as (
    select low, high, a, relation, count(*) as n, sum(strength::decimal(18, 6)) as strength
    from instance where told group by low, high, a, relation
), named as (
    select *, sum(n) over (partition by low, high, relation) as n_relation,
        sum(strength) over (partition by low, high, relation) as relation_strength
    from acted
)
select low || ' ' || high as key, a, relation from named
qualify row_number() over (partition by low, high order by
    relation = '', n_relation desc, relation_strength desc, relation, n desc, strength desc, a) = 1
"""


async def summarize_descriptions(
    source_documents: "pa.Table",
    entity_mentions: "pa.Table",
    relationship_mentions: "pa.Table",
    entity_resolutions: "pa.Table",
    settings: SummarizeDescriptions,
    model: StageModel | None,
    prompts: Prompts,
    attempt: Attempt = unguarded,
    count: Callable[[str, int], None] | None = None,
) -> tuple["pa.Table", "pa.Table"]:
    """Fold mentions into entities and relationships, and describe each by the sentences that say most about it.

    What a model has described is described in its words; the sentences are then what these rest on. Where no sentence
    can be chosen there is a failure, and no description. `count` is told how many mentions of relationships vanish
    because resolution took both of their names for one entity.
    """
    texts = dict(tables.rows(source_documents, "id", "text"))
    languages = dict(tables.rows(source_documents, "id", "language"))
    with opened(entity_mentions.num_rows + relationship_mentions.num_rows) as database:
        database.register("entity_mentions", entity_mentions)
        database.register("relationship_mentions", relationship_mentions)
        database.register("entity_resolutions", entity_resolutions)
        database.execute(FOLD)
        database.register("forms", _forms(database, texts, languages, attempt))
        n_units = len(set(entity_mentions["text_unit_id"].to_pylist()))
        if count:
            count("relationships_within_entities", next(_rows(database, WITHIN))["n"])
        entities = list(_rows(database, ENTITIES))
        relationships = list(_rows(database, RELATIONSHIPS, n_units=n_units))
        told = {
            row["key"]: distinct(row["descriptions"])
            for query in (ENTITY_DESCRIPTIONS, PAIR_DESCRIPTIONS)
            for row in _rows(database, query)
        }
        acts = {row["key"]: row for row in _rows(database, PAIR_RELATIONS)}
        names = {row["id"]: row["title"] for row in entities}
        for row in relationships:
            row["key"] = f"{row['low']} {row['high']}"
            names[row["key"]] = f"{row['low_title']} and {row['high_title']}"

        def chosen(query: str, choose: Callable[..., list[Row]], most: int) -> dict[str, list[Row]]:
            return {
                key: attempt(names[key], choose, list(rows), texts, CANDIDATES if key in told else most) or []
                for key, rows in groupby(_rows(database, query), lambda row: row["key"])
            }

        sentences = chosen(ENTITY_SENTENCES, best_sentences, settings.max_sentences)
        stated = chosen(PAIR_SENTENCES, best_statements, 1)
    things = [Thing(key, name, told[key]) for key, name in names.items() if key in told]
    descriptions = await _descriptions(things, settings, model, prompts)
    for number, row in enumerate(entities):
        row["human_readable_id"] = number
        row |= _described(sentences.get(row["id"], []), texts, descriptions.get(row["id"]))
    for number, row in enumerate(relationships):
        statements = stated.get(row["key"], [])
        row |= {"human_readable_id": number} | _directed(row, acts.get(row["key"]) or next(iter(statements), None))
        row |= _described(statements, texts, descriptions.get(row["key"]))
    return tables.make("entities", entities), tables.make("relationships", relationships)


def _directed(row: Row, statement: Row | None) -> Row:
    """Return the id, ends and relation of a pair of entities: the first is who acts in the statement."""
    low, high = (row["low"], row["low_title"]), (row["high"], row["high_title"])
    source, target = (high, low) if statement and statement["a"] == row["high"] else (low, high)
    return {
        "id": tables.content_id("relationship", row["low"], row["high"]),
        "source_id": source[0],
        "target_id": target[0],
        "source": source[1],
        "target": target[1],
        "relation": statement["relation"] if statement else "",
    }


@contextmanager
def opened(n_rows: int) -> Iterator["duckdb.DuckDBPyConnection"]:
    """Open a database in memory. A Ctrl-C during a query is a Ctrl-C: DuckDB makes a RuntimeError of it.

    Few rows are soon folded by one thread; to start and end more would take longer.
    """
    import duckdb

    with duckdb.connect(config={"threads": 1} if n_rows < SOON_FOLDED else {}) as database:
        try:
            yield database
        except RuntimeError as error:
            if str(error) == "Query interrupted":
                raise KeyboardInterrupt from None
            raise


def _rows(database: "duckdb.DuckDBPyConnection", query: str, **values: Any) -> Iterator[Row]:
    for batch in database.sql(query, params=values or None).to_arrow_table().to_batches(max_chunksize=20_000):
        yield from batch.to_pylist()


def _forms(
    database: "duckdb.DuckDBPyConnection", texts: dict[str, str], languages: dict[str, str], attempt: Attempt
) -> "pa.Table":
    """Return what `mention_form` says of every mention of `MENTIONED`; where it fails, that it says nothing."""
    import pyarrow as pa

    mentions = database.sql(MENTIONED).to_arrow_table()
    places = tables.rows(mentions, *mentions.column_names[1:])
    found = [
        attempt(document, mention_form, texts[document], (start, start + length), (first, last), languages[document])
        or (0, first)
        for document, start, length, first, last in places
    ]
    forms, begins = zip(*found, strict=True) if found else ((), ())
    return pa.table(
        {"mention": mentions["mention"], "form": pa.array(forms, pa.int8()), "begins": pa.array(begins, pa.int64())}
    )


class Thing(NamedTuple):
    """An entity or a pair of them that a model has described. `said` is sorted, without repetitions."""

    key: str
    name: str
    said: list[str]


async def _descriptions(
    things: list[Thing], settings: SummarizeDescriptions, model: StageModel | None, prompts: Prompts
) -> dict[str, str]:
    """Return the description of every thing: what was said of it, merged by the model where it is long.

    What exceeds one question is merged in several, and their answers again, until they are short together. Where there
    is no model, or no usable answer, it is the beginning of what was said.
    """
    if not things:
        return {}
    count = counter(ENCODING)
    largest = settings.max_input_tokens // 4  # so that a pack holds two at least, and every round has fewer
    done: dict[str, str] = {}
    waiting: list[Thing] = []
    for thing in things:
        if len(thing.said) == 1 or count(joined(thing.said)) <= settings.max_tokens:
            done[thing.key] = joined(thing.said)
        else:
            waiting.append(thing)
    beginnings = {thing.key: cut(joined(thing.said), settings.max_tokens, count) for thing in waiting}
    if model is None:
        return done | beginnings

    async def work(question: Thing) -> str | None:
        lines = "\n".join(f"- {line}" for line in question.said)
        words = round(settings.max_tokens * WORDS_PER_TOKEN)
        content = prompts.fill(MergePrompt(max_words=words, name=question.name, descriptions=lines))
        try:
            reply = await model.ask([{"role": "user", "content": content}], _plain)
        except ReplyError as error:  # the index can do without: what was said is there
            model.failed(question.name, error, "its descriptions are not merged: ")
            return None
        return cut(reply, 2 * settings.max_tokens, count)  # a model that does not count words is not cut mid-thought

    while waiting:
        questions: list[Thing] = []
        for thing in waiting:
            said = [cut(line, largest, count) for line in thing.said]
            places = packs(said, [count(line) for line in said], settings.max_input_tokens)
            questions += [thing._replace(said=said[pack.start : pack.stop]) for pack in places]
        merging = [question for question in questions if len(question.said) > 1]
        answers = dict(
            zip(map(id, merging), await model.map(work, merging, lambda question: question.name), strict=True)
        )
        merged: dict[str, list[str | None]] = {}
        for question in questions:
            merged.setdefault(question.key, []).append(answers.get(id(question), question.said[0]))
        left = []
        for thing in waiting:
            said = [text for text in merged[thing.key] if text is not None]
            if len(said) < len(merged[thing.key]):
                done[thing.key] = beginnings[thing.key]
            elif len(said) == 1 or count(joined(said)) <= settings.max_tokens:
                done[thing.key] = joined(said)
            else:
                left.append(thing._replace(said=said))
        waiting = left
    return done


def _plain(reply: str) -> str:
    """Return a merged description on one line. Raises ReplyError where there is none."""
    text = one_line(reply).strip('"“”*` ')
    if not text:
        raise ReplyError("it holds no description")
    return text


def _described(chosen: list[Row], texts: dict[str, str], description: str | None) -> Row:
    return {
        "description": " ".join(sentence_of(row, texts) for row in chosen) if description is None else description,
        "sources": [{k: row[k] for k in ("text_unit_id", "document_id", "char_start", "char_end")} for row in chosen],
    }

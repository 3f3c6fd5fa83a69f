"""Mentions and resolutions -> entities and relationships, described by the corpus's own sentences.

A relationship's weight is the sum of its strengths times its normalised pointwise mutual information over text units
(Bouma 2009), moved from [-1, 1] to [0, 1]: names that are everywhere meet by chance, so hubs are damped.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.settings import SummarizeDescriptions
from graphrag_lite.text.sentences import is_statement, stands_alone

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

Row = dict[str, Any]
CANDIDATES = 12  # sentences read for each entity and relationship
GOOD_LENGTH = range(50, 320)  # characters of a sentence that says something and is read at a glance
DEFINES = re.compile(
    r"\W{0,3}(?:\([^)]{0,80}\)|,[^,.]{0,60},)?\s*(?:is|was|are|were|est|était|sont|ist|war|es|fue|è)\b", re.I
)

# A name means what its own document says it means, else what the corpus says; '' was dropped. A unit's overlap repeats
# sentences of the unit before it, so an instance counts once for its place in the document.
FOLD = """
create view here as select * from entity_resolutions where document_id <> '';
create view anywhere as select * from entity_resolutions where document_id = '';
create table mention as
    select coalesce(h.entity_id, a.entity_id) as entity, coalesce(h.title, a.title) as title,
        coalesce(h.type, a.type) as entity_type, m.*
    from entity_mentions m
    left join here h on h.document_id = m.document_id and h.name = m.name
    left join anywhere a on a.name = m.name
    where coalesce(h.entity_id, a.entity_id, '') <> '';
create table entity as
    select entity, min(title) as title, min(entity_type) as type, count(distinct text_unit_id) as frequency,
        count(distinct (document_id, mention_start)) as n_mentions, count(distinct document_id) as n_documents,
        list(distinct text_unit_id order by text_unit_id) as text_unit_ids
    from mention group by entity;
create table instance as
    select coalesce(hs.entity_id, s.entity_id, '') as a, coalesce(ht.entity_id, t.entity_id, '') as b,
        least(a, b) as low, greatest(a, b) as high,
        r.document_id, text_unit_id, char_start, char_end, relation, strength
    from relationship_mentions r
    left join here hs on hs.document_id = r.document_id and hs.name = r.source
    left join here ht on ht.document_id = r.document_id and ht.name = r.target
    left join anywhere s on s.name = r.source
    left join anywhere t on t.name = r.target
    where low <> '' and low <> high;
create table pair as
    select low, high, sum(strength) as strength, count(*) as n_mentions
    from (select low, high, max(strength) as strength from instance group by low, high, document_id, char_start)
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
# A name early in its sentence is what the sentence is about. The first sentences of a document come first.
ENTITY_SENTENCES = f"""
select entity as key, * from mention where char_start >= 0
qualify row_number() over (partition by entity order by
    char_end - char_start not between {GOOD_LENGTH.start} and {GOOD_LENGTH.stop},
    greatest(0, mention_start - char_start) // 12, char_start, document_id, text_unit_id, mention_start, name
) <= {CANDIDATES}
order by key, document_id, char_start, text_unit_id, mention_start, name
"""
PAIR_SENTENCES = f"""
select low || ' ' || high as key, * from instance where char_start >= 0
qualify row_number() over (partition by low, high order by
    strength desc, char_end - char_start not between {GOOD_LENGTH.start} and {GOOD_LENGTH.stop}, relation = '',
    char_end - char_start, document_id, char_start, text_unit_id, a, relation) <= {CANDIDATES}
order by key, document_id, char_start, text_unit_id, a, strength desc, relation
"""


async def summarize_descriptions(
    source_documents: "pa.Table",
    entity_mentions: "pa.Table",
    relationship_mentions: "pa.Table",
    entity_resolutions: "pa.Table",
    settings: SummarizeDescriptions,
) -> tuple["pa.Table", "pa.Table"]:
    """Fold mentions into entities and relationships, and describe each by the sentences that say most about it."""
    import duckdb

    texts = dict(zip(source_documents["id"].to_pylist(), source_documents["text"].to_pylist(), strict=True))
    with duckdb.connect() as database:
        database.register("entity_mentions", entity_mentions)
        database.register("relationship_mentions", relationship_mentions)
        database.register("entity_resolutions", entity_resolutions)
        database.execute(FOLD)
        n_units = len(set(entity_mentions["text_unit_id"].to_pylist()))
        entities = list(_rows(database, ENTITIES))
        relationships = list(_rows(database, RELATIONSHIPS, n_units=n_units))
        sentences = {
            key: _best_sentences(candidates, texts, settings.max_sentences)
            for key, candidates in groupby(_rows(database, ENTITY_SENTENCES), lambda row: row["key"])
        }
        stated = {
            key: _best_statement(candidates, texts)
            for key, candidates in groupby(_rows(database, PAIR_SENTENCES), lambda row: row["key"])
        }
    for number, row in enumerate(entities):
        row["human_readable_id"] = number
        row |= _described(sentences.get(row["id"], []), texts)
    for number, row in enumerate(relationships):
        low, high = (row["low"], row["low_title"]), (row["high"], row["high_title"])
        best = stated.get(f"{row['low']} {row['high']}")
        source, target = (high, low) if best and best["a"] == row["high"] else (low, high)
        row |= {
            "id": tables.content_id("relationship", row["low"], row["high"]),
            "human_readable_id": number,
            "source_id": source[0],
            "target_id": target[0],
            "source": source[1],
            "target": target[1],
            "relation": best["relation"] if best else "",
        }
        row |= _described([best] if best else [], texts)
    return tables.make("entities", entities), tables.make("relationships", relationships)


def _rows(database: "duckdb.DuckDBPyConnection", query: str, **values: Any) -> Iterator[Row]:
    for batch in database.sql(query, params=values or None).to_arrow_table().to_batches(max_chunksize=20_000):
        yield from batch.to_pylist()


def _described(chosen: list[Row], texts: dict[str, str]) -> Row:
    return {
        "description": " ".join(_sentence(row, texts) for row in chosen),
        "sources": [{k: row[k] for k in ("text_unit_id", "document_id", "char_start", "char_end")} for row in chosen],
    }


def _sentence(row: Row, texts: dict[str, str]) -> str:
    return " ".join(texts[row["document_id"]][row["char_start"] : row["char_end"]].split())


def _best_sentences(candidates: Iterator[Row], texts: dict[str, str], most: int) -> list[Row]:
    """Choose the sentences that say what an entity is, best first, ties by place. Equal sentences are one."""
    scored: dict[str, tuple[float, int, Row]] = {}
    for row in candidates:
        sentence = _sentence(row, texts)
        scored.setdefault(sentence, (-_informs(row, sentence, texts), len(scored), row))
    return [row for *_, row in sorted(scored.values(), key=lambda item: item[:2])[:most]]


def _informs(row: Row, sentence: str, texts: dict[str, str]) -> float:
    """Say how well a sentence introduces the entity that it mentions."""
    score = 0.0
    if row["mention_start"] >= 0:
        offset = row["mention_start"] - row["char_start"]
        after = texts[row["document_id"]][row["mention_start"] + len(row["name"]) : row["char_end"]]
        score += 2.0 if offset <= 5 else 1.0 if offset <= 40 else 0.0
        score += 2.0 if offset <= 5 and DEFINES.match(after) else 0.0
    return score + _reads_well(sentence)


def _reads_well(sentence: str) -> float:
    """Say how well a sentence stands on its own: a whole statement of good length that points to nothing before it."""
    good_length = len(sentence) in GOOD_LENGTH
    return 1.0 * good_length - 1.0 * (not stands_alone(sentence)) - 2.0 * (not is_statement(sentence))


def _best_statement(candidates: Iterator[Row], texts: dict[str, str]) -> Row:
    """Choose the sentence that states a relationship best; ties by place."""

    def score(row: Row) -> float:
        return 2.0 * float(row["strength"]) + 0.5 * bool(row["relation"]) + _reads_well(_sentence(row, texts))

    return max(candidates, key=score)

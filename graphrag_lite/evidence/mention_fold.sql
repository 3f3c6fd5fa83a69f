-- Mentions and resolutions -> entities and pairs of them, as queries. Words in braces are constants of mention_fold.py.

[meant]
-- A name means what its own document says it means, else what the corpus says; '' was dropped. A unit's overlap repeats
-- sentences of the unit before it, so an instance counts once for its place in the document; of what a model told, what
-- differs in direction or relation are several instances. Rows come in any order, so every order ends in what tells one
-- row from the next as far as it is read, and strengths are added as decimals: of floats, the order changes the sum.
create view here as select * from entity_resolutions where document_id <> '';
create view anywhere as select * from entity_resolutions where document_id = '';
create table mention as
    select coalesce(h.entity_id, a.entity_id) as entity, coalesce(h.title, a.title) as title,
        coalesce(h.type, a.type) as entity_type, m.description <> '' as told, len(m.name) as length,
        text_unit_id, m.document_id, m.name, char_start, char_end, mention_start, description
    from entity_mentions m
    left join here h on h.document_id = m.document_id and h.name = m.name
    left join anywhere a on a.name = m.name
    where coalesce(h.entity_id, a.entity_id, '') <> '';

[fold]
create table entity as  -- each is counted by itself: several distinct counts of one group take a third longer
    from (select entity, min(title) as title, min(entity_type) as type from mention group by entity)
    join (
        select entity, count(*) as frequency, list(text_unit_id order by text_unit_id) as text_unit_ids
        from (select distinct entity, text_unit_id from mention) group by entity
    ) using (entity)
    join (
        select entity, count(*) as n_mentions from (
            select distinct entity, document_id, mention_start,
                case when told and mention_start < 0 then text_unit_id end
            from mention
        ) group by entity
    ) using (entity)
    join (
        select entity, count(*) as n_documents from (select distinct entity, document_id from mention) group by entity
    ) using (entity);
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

[entities]
select entity as id, title, type, text_unit_ids, frequency,
    coalesce(degree, 0) as degree, n_mentions, n_documents
from entity left join degree using (entity)
order by frequency desc, n_mentions desc, title, id

[relationships]
select low, high, x.title as low_title, y.title as high_title, u.text_unit_ids, pair.n_mentions,
    dx.degree + dy.degree as combined_degree, len(u.text_unit_ids) / $n_units as p,
    case when p >= 1 then 1 else -ln(p * $n_units * $n_units / (x.frequency * y.frequency)) / ln(p) end as npmi,
    round(strength * (1 + greatest(-1, least(1, npmi))) / 2, 6) as weight
from pair join pair_units u using (low, high)
join entity x on x.entity = low join entity y on y.entity = high
join degree dx on dx.entity = low join degree dy on dy.entity = high
order by weight desc, low_title, high_title, low, high

[named_in]
-- Which entities each sentence names. Of what a model found nothing: it tells itself what is related.
create table named_in as
    select document_id, char_start, entity, count(*) over (partition by document_id, char_start) as n_names
    from (select distinct document_id, char_start, entity from mention where char_start >= 0 and mention_start >= 0)
    where not exists (from mention where told);

[n_sentences]
select count(*) as n from (select distinct document_id, char_start from named_in)

[community_edges]
-- `pairs` are the relationships. A sentence that names many is a list, and says nothing of any two of them. In a large
-- corpus once is chance.
with n_of as (select entity, count(*) as n from named_in group by entity),
few as (from named_in where n_names between 2 and {list}),
met as (
    select a.entity as low, b.entity as high, count(*) as n, n / $n_sentences as p,
        sum((1 / (a.n_names - 1))::decimal(18, 6))::double as strength
    from few a join few b on a.document_id = b.document_id and a.char_start = b.char_start and a.entity < b.entity
    group by a.entity, b.entity
),
near as (
    select low, high, strength,
        case when p >= 1 then 1 else -ln(p * $n_sentences * $n_sentences / (x.n * y.n)) / ln(p) end as npmi
    from met join n_of x on x.entity = low join n_of y on y.entity = high
    where met.n > 1 or $n_sentences < {large}
)
select low as source_id, high as target_id, round(sum(weight), 6) as weight
from (
    select low, high, weight from pairs
    union all select low, high, {share} * strength * least(1, npmi) as weight from near where npmi > 0
)
group by low, high
order by low, high

[within]
-- What says nothing any more since its two names are one entity.
select count(*) as n from related where low = high and two

[mentioned]
-- Places of mentions in the text of documents to be read again, one after the other; those of the last run have been.
select place.*, form, begins from (
    select distinct document_id, mention_start, length, char_start, char_end
    from mention semi join reread using (document_id)
    where mention_start >= 0 and char_start >= 0
) place
left join (from forms_before anti join retold using (document_id))
    using (document_id, mention_start, length, char_start, char_end)
order by all

[entity_sentences]
-- What says what a name is, and after it what a name is in at all, before what its bearer says or is told.
-- A name early in its sentence is what the sentence is about. The first sentences of a document come first. A name that
-- a model gives and the text does not hold (mention_start -1) stands for its whole text unit: used for want of others.
select entity as key, text_unit_id, document_id, char_start, char_end, mention_start, form, begins
from mention semi join touched using (entity)
left join forms using (document_id, mention_start, length, char_start, char_end)
where char_start >= 0
qualify (mention_start >= 0 or not bool_or(mention_start >= 0) over (partition by entity))
    and row_number() over (partition by entity order by
    mention_start < 0, form desc, char_end - char_start not between {shortest} and {longest},
    greatest(0, mention_start - char_start) // 12, char_start, char_end, document_id, text_unit_id, mention_start, name
) <= {candidates}
order by key, document_id, char_start, char_end, text_unit_id, mention_start, name

[pair_sentences]
select low || ' ' || high as key, a, relation, strength, text_unit_id, document_id, char_start, char_end
from instance semi join touched_pair using (low, high) where char_start >= 0
qualify row_number() over (partition by low, high order by
    strength desc, char_end - char_start not between {shortest} and {longest}, relation = '',
    char_end - char_start, document_id, char_start, text_unit_id, a, relation) <= {candidates}
order by key, document_id, char_start, char_end, text_unit_id, a, strength desc, relation

[entity_descriptions]
-- What a model said, per entity and per pair. A repeated description says nothing more.
select entity as key, list(distinct description order by description) as descriptions
from mention where told group by entity

[pair_descriptions]
select low || ' ' || high as key, list(distinct description order by description) as descriptions
from instance where told group by low, high

[pair_relations]
-- The commonest relation of a pair, and who acts in it most often; ties by strength, then by name.
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

[touched]
-- What is described as it was in the last run: no document that mentions it is new, gone, read otherwise or in a
-- language that is told otherwise now, and nothing that its names mean. More than what changed is touched: whatever a
-- name of it means in any document, and every pair of what is. `_now` and `_before` are the rows of what is not the same
-- in both runs, by document, or by name: only what is in them matters here.
create table other_meaning as
    select name from ((from entity_resolutions_now except from entity_resolutions_before)
        union all (from entity_resolutions_before except from entity_resolutions_now));
create table other_mention as
    select name from entity_mentions_now union select name from entity_mentions_before
    union select unnest([source, target]) from relationship_mentions_now
    union select unnest([source, target]) from relationship_mentions_before
    union select name from entity_mentions semi join retold using (document_id);
create table meaning as
    select name, entity_id as entity from entity_resolutions
    union select name, entity_id from entity_resolutions_before;
create table moved as select distinct entity from meaning semi join other_meaning using (name);
create table touched as
    select entity from moved union select entity from meaning semi join other_mention using (name)
    union select entity from entity anti join entities_before on id = entity;
create table reread as  -- what has mentions that are others, that came or went, or of names that were, or now are, none
    select document_id from entity_mentions_now union select document_id from entity_mentions_before
    union from retold union select document_id from entity_mentions semi join other_meaning using (name);
create table touched_pair as
    select low, high from pair
    where (low in (from touched) and high in (from touched)) or low in (from moved) or high in (from moved)
    union select low, high from pair anti join relationships_before
        on low = least(source_id, target_id) and high = greatest(source_id, target_id);

[all_touched]
create view touched as select entity from entity;
create view reread as select distinct document_id from mention;
create view touched_pair as select low, high from pair;

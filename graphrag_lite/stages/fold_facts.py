"""Dated statements -> facts: what held when, and since when the documents say so.

`temporal.spells` has the rules, `temporal.policies` how a relation is found to have one value at a time.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite import tables
from graphrag_lite.errors import InputError
from graphrag_lite.run.services import Last
from graphrag_lite.settings import FoldFacts
from graphrag_lite.temporal import fold, one_value
from graphrag_lite.temporal.contradictions import Pair, departures, with_ends
from graphrag_lite.temporal.fact_rows import Things, fact_table, map_distinct, sentences_of
from graphrag_lite.temporal.fold import FUNCTIONAL, INVERSE, MULTI, POLICIES, Ints, Mentions
from graphrag_lite.temporal.instants import UNITS, UNKNOWN, first_second
from graphrag_lite.temporal.policies import Learned, doubtful_relations, learn_policies
from graphrag_lite.temporal.relations import Resolution, relation_key, resolve, states_relation
from graphrag_lite.temporal.spells import KINDS, STATE
from graphrag_lite.text import folding

if TYPE_CHECKING:
    import pyarrow as pa

    from graphrag_lite.llm.stage_model import StageModel
    from graphrag_lite.prompts import Prompts

MIN_ENDED = 20  # so few facts that end stop no run, however few are open


async def fold_facts(
    source_documents: "pa.Table",
    fact_mentions: "pa.Table",
    entity_resolutions: "pa.Table",
    settings: FoldFacts,
    last: Last | None,
    model: "StageModel | None",
    prompts: "Prompts",
) -> "tuple[pa.Table, pa.Table, pa.Table]":
    """Return `facts`, `relation_policies` and `relation_resolutions`.

    Where no policy says whether a newer value ends an older one, the model judges (`extraction.judged_ends`). A mention
    without a subject, or whose relation says nothing, dates a sentence and makes no fact. Raises InputError where too
    many facts that were open would end by what is said of others (`max_ended_share`).
    """
    english = _english(source_documents, fact_mentions)
    resolutions = _resolutions(fact_mentions, english)
    told = _usable(source_documents, fact_mentions, resolutions).sort_by("id")
    subject, object_, things = _things(told, entity_resolutions)
    of_two = np.flatnonzero(subject != object_)  # "it was renamed as Acme"
    told, subject, object_ = told.take(of_two), subject[of_two], object_[of_two]
    names = sorted({each.relation for each in resolutions.values()})
    mentions = _numbered(told, subject, object_, names, resolutions)
    learned, rules = _settled(learn_policies(mentions, len(names)), names, settings.policies)
    n_of_relation = np.bincount(mentions.relation, minlength=len(names)).tolist()
    mentions = fold.prepare(mentions, learned.policy)
    told, mentions = _with_ends(told, mentions, departures(mentions, names))
    if model is not None and settings.model:
        undecided = {place for place, rule in enumerate(rules) if rule == "default" and learned.policy[place] == MULTI}
        sentences = partial(sentences_of, source_documents, told)
        from graphrag_lite.extraction.judged_ends import judged_ends

        asked, ended = await judged_ends(told, mentions, undecided, sentences, settings.max_pairs, model, prompts)
        _stop_where_texts_say_otherwise(mentions, learned, asked, ended, settings.max_ended_share)
        told, mentions = _with_ends(told, mentions, ended)
    apart = fold.distinct(mentions, learned.policy)
    facts = fact_table(source_documents, told, things, names, mentions, apart, fold.fold(mentions, apart))
    _stop_where_too_much_ends(facts, last, settings.max_ended_share)
    policies = zip(
        *(names, (POLICIES[policy] for policy in learned.policy), rules, learned.n.tolist()),
        (learned.closed / np.maximum(learned.n, 1)).tolist(),
        n_of_relation,
        strict=True,
    )
    return facts, tables.make("relation_policies", policies), tables.make("relation_resolutions", resolutions.values())


def _with_ends(told: "pa.Table", mentions: Mentions, ended: Sequence[Pair]) -> "tuple[pa.Table, Mentions]":
    """Return mentions, and the rows that say them, with a denial for each pair."""
    import pyarrow as pa

    others = told.take(np.array([other for _, other in ended], dtype=np.int64))
    return pa.concat_tables([told, others]), with_ends(mentions, ended)


def _english(source_documents: "pa.Table", fact_mentions: "pa.Table") -> set[str]:
    """Return the wordings of relations in documents that are in English, or whose language is not known."""
    import pyarrow as pa
    import pyarrow.compute as pc

    other = pc.invert(pc.is_in(source_documents["language"], value_set=pa.array(["en", ""])))
    foreign = pc.is_in(fact_mentions["document_id"], value_set=source_documents["id"].filter(other).combine_chunks())
    return set(pc.unique(fact_mentions["relation"].filter(pc.invert(foreign))).to_pylist())


def _resolutions(fact_mentions: "pa.Table", english: Collection[str]) -> dict[str, Resolution]:
    import pyarrow.compute as pc

    counted = pc.value_counts(fact_mentions["relation"])
    wordings = dict(zip(*(counted.field(name).to_pylist() for name in ("values", "counts")), strict=True))
    return resolve(wordings, english)


def _usable(
    source_documents: "pa.Table", fact_mentions: "pa.Table", resolutions: Mapping[str, Resolution]
) -> "pa.Table":
    """Return the mentions of which a fact can be made.

    What text analysis found has to state something of its subject: "Britain's PM" does not.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    known = pa.array(list(resolutions), pa.string())
    inverse = pa.array([wording for wording, each in resolutions.items() if each.inverse], pa.string())
    places = pc.index_in(fact_mentions["document_id"], value_set=source_documents["id"].combine_chunks())
    languages = source_documents["language"].combine_chunks().take(places.combine_chunks())
    said = pc.binary_join_element_wise(languages, fact_mentions["relation"], " ")
    loose = pa.array([each for each in pc.unique(said).to_pylist() if not _states(each)], pa.string())
    subject, object_, by_text = (pc.not_equal(fact_mentions[name], "") for name in ("subject", "object", "time_text"))
    turned, says_nothing = pc.is_in(fact_mentions["relation"], value_set=inverse), pc.is_in(said, value_set=loose)
    usable = pc.and_(pc.is_in(fact_mentions["relation"], value_set=known), subject)
    usable = pc.and_(usable, pc.invert(pc.and_(by_text, says_nothing)))
    return fact_mentions.filter(pc.and_(usable, pc.or_(object_, pc.invert(turned))))


def _states(said: str) -> bool:
    """Tell whether words behind their language, unknown where it is empty, state something."""
    language, _, wording = said.partition(" ")
    return states_relation(wording, language or "en")


def _numbered(
    told: "pa.Table", subject: Ints, object_: Ints, names: Sequence[str], resolutions: Mapping[str, Resolution]
) -> Mentions:
    """Return mentions as numbers, with things told from the side of the relation's object turned round."""
    number = {name: place for place, name in enumerate(names)}
    inverse = map_distinct(told["relation"], lambda wording: resolutions[wording].inverse) > 0
    return Mentions(
        subject=np.where(inverse, object_, subject),
        relation=map_distinct(told["relation"], lambda wording: number[resolutions[wording].relation]),
        object=np.where(inverse, subject, object_),
        kind=map_distinct(told["kind"], KINDS.index),
        positive=map_distinct(told["polarity"], lambda polarity: polarity != "negative") > 0,
        start=map_distinct(told["valid_at"], first_second),
        end=map_distinct(told["invalid_at"], first_second),
        unit=map_distinct(told["precision"], lambda precision: UNITS.get(precision, 1)),
        said=map_distinct(told["reference_time"], first_second),
    )


def _things(told: "pa.Table", entity_resolutions: "pa.Table") -> tuple[Ints, Ints, Things]:
    """Return the number of each mention's subject and object: a name means what its document, else the corpus, says."""
    meant: dict[tuple[str, str], tuple[str, str]] = {}
    for document_id, name, entity_id, title in tables.rows(
        entity_resolutions, "document_id", "name", "entity_id", "title"
    ):
        meant[document_id, name] = entity_id, title
    found: dict[tuple[str, str, str], None] = {}  # of key, entity id and name
    seen: dict[tuple[str, str], tuple[str, str, str]] = {}
    ends = []
    for column in ("subject", "object"):
        places = []
        for document_id, name in tables.rows(told, "document_id", column):
            own = (document_id, name) if (document_id, name) in meant else ("", name)
            if own not in seen:
                entity_id, title = meant.get(own, ("", ""))
                seen[own] = (entity_id, entity_id, title) if entity_id else (f"\x1f{folding.fold(name)}", "", name)
                found[seen[own]] = None
            places.append(seen[own])
        ends.append(places)
    listed = sorted(found)
    first = {key: (entity_id, name) for key, entity_id, name in reversed(listed)}
    number = {key: place for place, key in enumerate(sorted(first))}
    subject, object_ = (np.array([number[key] for key, *_ in places], dtype=np.int64) for places in ends)
    keys = list(number)
    return subject, object_, Things(keys, [first[key][0] for key in keys], [first[key][1] for key in keys])


def _settled(learned: Learned, names: Sequence[str], policies: Mapping[str, str]) -> tuple[Learned, list[str]]:
    """Return policies, and by what each relation's was found: those of the settings, learned ones, those of words."""
    turned = {FUNCTIONAL: INVERSE, INVERSE: FUNCTIONAL}
    known = {name: each.policy for name, each in one_value.one_value_relations().items()}
    wanted = {
        key: (POLICIES.index(policy), inverse, rule)
        for rule, stated in (("default", known), ("settings", policies))
        for name, policy in stated.items()
        for english in (False, True)
        for key, inverse in [relation_key(name, english=english)]
    }
    policy = learned.policy.copy()
    rules = ["learned" if number else "default" for number in policy.tolist()]
    for place, name in enumerate(names):
        for key, inverse in (relation_key(name, english=english) for english in (False, True)):
            number, other, rule = wanted.get(key, (0, False, ""))
            if rule == "settings" or (rule and rules[place] == "default"):
                policy[place] = turned.get(number, number) if inverse != other else number
                rules[place] = rule
                break
    return replace(learned, policy=policy), rules


def _stop_where_texts_say_otherwise(
    mentions: Mentions, learned: Learned, asked: Sequence[Pair], ended: Sequence[Pair], max_share: float
) -> None:
    """Raise InputError where too many facts would end in relations of whose values texts state that they go together.

    So a first run stops, too, which has no facts to lose.
    """
    facts = (np.array(sorted({one for one, _ in listed}), dtype=np.int64) for listed in (asked, ended))
    of_asked, of_ended = (mentions.relation[rows] for rows in facts)
    n = int(doubtful_relations(learned, of_asked, of_ended)[of_ended].sum())
    if n > max(MIN_ENDED, max_share * np.sum((mentions.kind == STATE) & (mentions.end == UNKNOWN))):
        raise InputError(
            f"the model says of {n} facts that a later value ended them, where texts that state an end say that the"
            f" relation has several values at once: more than fold_facts.max_ended_share ({max_share:.0%}), so nothing"
            " is published. `--set fold_facts.model=false` asks no model, `fold_facts.max_ended_share=1` publishes it."
        )


def _stop_where_too_much_ends(facts: "pa.Table", last: Last | None, max_share: float) -> None:
    """Raise InputError where more of the facts open in the last snapshot would end by what is said of others.

    An end that is stated of the fact itself does not count, and nor do those that other settings or code make.
    """
    before = last.read("facts", unless={"settings", "code"}) if last else None
    if before is None:
        return
    columns = (
        *("fact_group_id", "valid_at", "kind", "expired_at", "invalid_at"),
        *("ended_by", "subject", "relation", "object"),
    )
    was = {row[:2] for row in tables.rows(before[0], *columns) if row[2:5] == ("state", "", "")}
    ended = [
        row
        for row in tables.rows(facts, *columns)
        if row[2:4] == ("state", "") and row[5] in ("negated", "succeeded") and row[:2] in was
    ]
    if len(ended) > max(MIN_ENDED, max_share * len(was)):
        named = "; ".join(" ".join(filter(None, row[6:])) for row in ended[:3])
        raise InputError(
            f"{len(ended)} of the {len(was)} facts that hold would end by what is said of others ({named}; ...): more"
            f" than fold_facts.max_ended_share ({max_share:.0%}), so nothing is published. Look at what the new"
            " documents say; `--set fold_facts.max_ended_share=1` publishes it."
        )

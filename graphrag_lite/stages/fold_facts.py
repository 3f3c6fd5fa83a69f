"""Dated statements -> facts: what held when, and since when the documents say so.

`temporal.spells` has the rules, `temporal.policies` how a relation is found to have one value at a time.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from graphrag_lite import tables
from graphrag_lite.errors import InputError
from graphrag_lite.run.services import Last
from graphrag_lite.settings import FoldFacts
from graphrag_lite.temporal import fold, one_value
from graphrag_lite.temporal.contradictions import Pair, with_ends
from graphrag_lite.temporal.fold import FUNCTIONAL, INVERSE, MULTI, POLICIES, Distinct, Facts, Ints, Mentions
from graphrag_lite.temporal.instants import UNITS, UNKNOWN, seconds
from graphrag_lite.temporal.policies import Learned, doubted, learn
from graphrag_lite.temporal.relations import Resolution, relation_key, resolve, states
from graphrag_lite.temporal.spells import ENDED_BY, KINDS, NEGATED, OPEN, STATE, STATED, SUCCEEDED
from graphrag_lite.text import folding

if TYPE_CHECKING:
    import pyarrow as pa

    from graphrag_lite.llm.model import StageModel
    from graphrag_lite.prompts import Prompts

MAX_SOURCES = 10  # of a fact
MIN_ENDED = 20  # so few facts that end stop no run, however few are open


class Things(NamedTuple):
    """The subjects and objects of mentions, in order of key: an entity's id, or the folded words of what is none."""

    keys: list[str]
    ids: list[str]  # entities.id, or empty
    names: list[str]


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
    import numpy as np
    import pyarrow as pa

    english = _english(source_documents, fact_mentions)
    resolutions = _resolutions(fact_mentions, english)
    told = _usable(fact_mentions, resolutions, english).sort_by("id")
    subject, object_, things = _things(told, entity_resolutions)
    names = sorted({each.relation for each in resolutions.values()})
    number = {name: place for place, name in enumerate(names)}
    relation = _coded(told["relation"], lambda wording: number[resolutions[wording].relation])
    inverse = _coded(told["relation"], lambda wording: resolutions[wording].inverse) > 0
    mentions = Mentions(
        subject=np.where(inverse, object_, subject),
        relation=relation,
        object=np.where(inverse, subject, object_),
        kind=_coded(told["kind"], KINDS.index),
        positive=_coded(told["polarity"], lambda polarity: polarity != "negative") > 0,
        start=_coded(told["valid_at"], seconds),
        end=_coded(told["invalid_at"], seconds),
        unit=_coded(told["precision"], lambda precision: UNITS.get(precision, 1)),
        said=_coded(told["reference_time"], seconds),
    )
    learned, rules = _settled(learn(mentions, len(names)), names, settings.policies)
    mentions = fold.prepare(mentions, learned.policy)
    if model is not None and settings.model:
        undecided = {place for place, rule in enumerate(rules) if rule == "default" and learned.policy[place] == MULTI}
        sentences = partial(_sentences, source_documents, told)
        from graphrag_lite.extraction.judged_ends import judged_ends

        asked, ended = await judged_ends(told, mentions, undecided, sentences, settings.max_pairs, model, prompts)
        _stop_where_texts_say_otherwise(mentions, learned, asked, ended, settings.max_ended_share)
        mentions = with_ends(mentions, ended)
        told = pa.concat_tables([told, told.take(np.array([other for _, other in ended], dtype=np.int64))])
    apart = fold.distinct(mentions, learned.policy)
    facts = _table(source_documents, told, things, names, mentions, apart, fold.fold(mentions, apart))
    _stop_where_too_much_ends(facts, last, settings.max_ended_share)
    policies = zip(
        *(names, (POLICIES[policy] for policy in learned.policy), rules, learned.n.tolist()),
        (learned.closed / np.maximum(learned.n, 1)).tolist(),
        np.bincount(relation, minlength=len(names)).tolist(),
        strict=True,
    )
    return facts, tables.make("relation_policies", policies), tables.make("relation_resolutions", resolutions.values())


def _coded(column: "pa.ChunkedArray", value: Callable[[str], int]) -> Ints:
    """Return the value of each text of a column, each different text of which is looked at once."""
    import numpy as np

    encoded = column.combine_chunks().dictionary_encode()
    values = np.array([value(text) for text in encoded.dictionary.to_pylist()], dtype=np.int64)
    codes: Ints = values[np.asarray(encoded.indices)]
    return codes


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


def _usable(fact_mentions: "pa.Table", resolutions: Mapping[str, Resolution], english: Collection[str]) -> "pa.Table":
    """Return the mentions of which a fact can be made.

    What text analysis found in an English sentence has to state something of its subject: "Britain's PM" does not.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    known = pa.array(list(resolutions), pa.string())
    inverse = pa.array([wording for wording, each in resolutions.items() if each.inverse], pa.string())
    loose = pa.array(sorted(wording for wording in english if not states(wording)), pa.string())
    subject, object_, by_text = (pc.not_equal(fact_mentions[name], "") for name in ("subject", "object", "time_text"))
    turned, says_nothing = (pc.is_in(fact_mentions["relation"], value_set=each) for each in (inverse, loose))
    usable = pc.and_(pc.is_in(fact_mentions["relation"], value_set=known), subject)
    usable = pc.and_(usable, pc.invert(pc.and_(by_text, says_nothing)))
    return fact_mentions.filter(pc.and_(usable, pc.or_(object_, pc.invert(turned))))


def _things(told: "pa.Table", entity_resolutions: "pa.Table") -> tuple[Ints, Ints, Things]:
    """Return the number of each mention's subject and object: a name means what its document, else the corpus, says."""
    import numpy as np

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
    known = {name: each.policy for name, each in one_value.relations().items()}
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


class _Rows(NamedTuple):
    """Rows of mentions, (n_facts,) each; -1: none."""

    first: Ints
    start: Ints
    end: Ints
    created: Ints
    expired: Ints


def _table(
    source_documents: "pa.Table",
    told: "pa.Table",
    things: Things,
    names: Sequence[str],
    mentions: Mentions,
    apart: Distinct,
    facts: Facts,
) -> "pa.Table":
    """Put facts in words."""
    import numpy as np

    row_of = np.append(apart.rows[apart.first], -1)
    first = facts.statements[np.append(0, np.cumsum(facts.n_statements))[:-1]]
    rows = _Rows(
        *(row_of[places] for places in (first, facts.start_by, facts.end_by, facts.created_by, facts.expired_by))
    )
    stated = facts.ended_by == STATED
    subject, object_ = mentions.subject[rows.first], mentions.object[rows.first]
    relation = [names[place] for place in mentions.relation[rows.first].tolist()]
    vaguer = np.where(
        (rows.start >= 0) & (_unit(mentions, rows.start) >= _unit(mentions, rows.end)), rows.start, rows.end
    )
    columns: dict[str, Any] = {
        "valid_at": _texts(told, "valid_at", rows.start),
        "invalid_at": [
            end or begins
            for end, begins in zip(
                _texts(told, "invalid_at", np.where(stated, rows.end, -1)),
                _texts(told, "valid_at", np.where(stated, -1, rows.end)),
                strict=True,
            )
        ],
        "created_at": _texts(told, "reference_time", rows.created),
        "expired_at": _texts(told, "reference_time", rows.expired),
        "ended_by": _ended_by(told, facts, rows),
        "kind": [KINDS[number] for number in facts.kind.tolist()],
        "conflict": facts.conflict.tolist(),
        "fact_group_id": [
            tables.content_id("fact group", things.keys[one], name, things.keys[other])
            for one, name, other in zip(subject.tolist(), relation, object_.tolist(), strict=True)
        ],
    }
    columns["id"] = [tables.content_id("fact", *map(str, row)) for row in zip(*columns.values(), strict=True)]
    data = tables.make_columns(
        "facts",
        **columns,
        subject_id=[things.ids[place] for place in subject.tolist()],
        subject=[things.names[place] for place in subject.tolist()],
        relation=relation,
        object_id=[things.ids[place] for place in object_.tolist()],
        object=[things.names[place] for place in object_.tolist()],
        fact=_sentences(source_documents, told, np.where(rows.start >= 0, rows.start, rows.first)),
        precision=_texts(told, "precision", vaguer),
        invalidated_by=_texts(told, "id", np.where(facts.kind == STATE, rows.end, -1)),
        prior_id=_prior(columns, mentions.start[rows.start]),
        **_sources(told, mentions, apart, facts),
    )
    order = ("subject", "relation", "valid_at", "object", "kind", "created_at", "id")
    return data.sort_by([(name, "ascending") for name in order])


def _ended_by(told: "pa.Table", facts: Facts, rows: _Rows) -> list[str]:
    """Return what ended each fact: a denial that no text states is a model's word for a value that succeeds it."""
    import numpy as np

    denied = np.append(_coded(told["polarity"], lambda polarity: polarity == "negative") > 0, False)[rows.end]
    ended_by = np.where((facts.ended_by == NEGATED) & ~denied, SUCCEEDED, facts.ended_by)
    return [ENDED_BY[number] for number in np.where(facts.kind == STATE, ended_by, OPEN).tolist()]


def _unit(mentions: Mentions, rows: Ints) -> Ints:
    """Return the unit of some rows, -1 for the row -1."""
    import numpy as np

    units: Ints = np.append(mentions.unit, -1)[rows]
    return units


def _texts(told: "pa.Table", column: str, rows: Ints) -> list[str]:
    """Return the values of a column in some rows, empty for the row -1."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values = told[column].take(pa.array(rows, mask=rows < 0))
    found: list[str] = pc.fill_null(values, "").to_pylist()
    return found


def _sentences(source_documents: "pa.Table", told: "pa.Table", rows: Ints) -> list[str]:
    """Return the sentences of mentions, on one line each; a document is read once."""
    import numpy as np

    place = {identity: row for row, identity in enumerate(source_documents["id"].to_pylist())}
    documents = _coded(told["document_id"], place.__getitem__)[rows]
    starts, ends = (np.asarray(told[name])[rows] for name in ("char_start", "char_end"))
    found = [""] * len(rows)
    opened, text = -1, ""
    for row in np.argsort(documents, kind="stable").tolist():
        if documents[row] != opened:
            opened = int(documents[row])
            text = source_documents["text"][opened].as_py()
        found[row] = " ".join(text[max(starts[row], 0) : max(ends[row], 0)].split())
    return found


def _prior(columns: Mapping[str, Sequence[Any]], starts: Ints) -> list[str]:
    """Return the id of the spell before each that is told today, empty where there is none."""
    prior = [""] * len(starts)
    told = zip(*(columns[name] for name in ("kind", "expired_at", "valid_at")), strict=True)
    lasting = [row for row, (kind, expired, begins) in enumerate(told) if kind == "state" and begins and not expired]
    lasting.sort(key=lambda row: (columns["fact_group_id"][row], starts[row]))
    for before, row in pairwise(lasting):
        if columns["fact_group_id"][before] == columns["fact_group_id"][row]:
            prior[row] = columns["id"][before]
    return prior


def _sources(told: "pa.Table", mentions: Mentions, apart: Distinct, facts: Facts) -> dict[str, Any]:
    """Return how many mentions and documents say each fact, while it is told, and where the first of them stand."""
    import numpy as np
    import pyarrow as pa

    lengths = np.append(apart.first, len(apart.rows))[1:] - apart.first
    fact = np.repeat(np.repeat(np.arange(len(facts.kind)), facts.n_statements), lengths[facts.statements])
    starts, sizes = apart.first[facts.statements], lengths[facts.statements]
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    rows = apart.rows[np.repeat(starts, sizes) + within]
    until = np.append(mentions.said[apart.rows[apart.first]], fold.FOREVER)[facts.expired_by]
    kept = mentions.said[rows] < until[fact]
    fact, rows = fact[kept], rows[kept]
    order = np.lexsort((rows, mentions.said[rows], fact))
    fact, rows = fact[order], rows[order]
    n_mentions = np.bincount(fact, minlength=len(facts.kind))
    document = np.asarray(told["document_id"].combine_chunks().dictionary_encode().indices, dtype=np.int64)[rows]
    width = int(document.max(initial=0)) + 1
    n_documents = np.bincount(np.unique(fact * width + document) // width, minlength=len(facts.kind))
    rank = np.arange(len(fact)) - np.repeat(np.cumsum(n_mentions) - n_mentions, n_mentions)
    shown = told.select(["text_unit_id", "document_id", "char_start", "char_end"]).take(rows[rank < MAX_SOURCES])
    offsets = np.append(0, np.cumsum(np.minimum(n_mentions, MAX_SOURCES))).astype(np.int32)
    spans = pa.StructArray.from_arrays([column.combine_chunks() for column in shown.columns], shown.column_names)
    sources = pa.ListArray.from_arrays(pa.array(offsets), spans).cast(tables.schema("facts").field("sources").type)
    return {"n_mentions": n_mentions, "n_documents": n_documents, "sources": sources}


def _stop_where_texts_say_otherwise(
    mentions: Mentions, learned: Learned, asked: Sequence[Pair], ended: Sequence[Pair], max_share: float
) -> None:
    """Raise InputError where too many facts would end in relations of whose values texts state that they go together.

    So a first run stops, too, which has no facts to lose.
    """
    import numpy as np

    facts = (np.array(sorted({one for one, _ in listed}), dtype=np.int64) for listed in (asked, ended))
    of_asked, of_ended = (mentions.relation[rows] for rows in facts)
    n = int(doubted(learned, of_asked, of_ended)[of_ended].sum())
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

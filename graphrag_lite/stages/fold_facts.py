"""Dated statements -> facts: what held when, and since when the documents say so.

`temporal.spells` has the rules, `temporal.policies` how a relation is found to have one value at a time. Facts of the
last run stay that nothing touches (`temporal.touched`), unless a model judges ends.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite import tables
from graphrag_lite.errors import InputError, TableError
from graphrag_lite.run.services import Columns, Last
from graphrag_lite.settings import FoldFacts
from graphrag_lite.tables import groups
from graphrag_lite.temporal import fold, one_value, touched
from graphrag_lite.temporal.contradictions import Pair, departures, with_ends
from graphrag_lite.temporal.fact_rows import FactRows, fact_rows, sentences_of
from graphrag_lite.temporal.fold import FUNCTIONAL, INVERSE, MULTI, POLICIES, FactMentions
from graphrag_lite.temporal.instants import UNKNOWN
from graphrag_lite.temporal.numbered import FactSource, NumberedMentions, numbered
from graphrag_lite.temporal.policies import Learned, doubtful_relations, learn_policies
from graphrag_lite.temporal.relations import relation_key, resolve
from graphrag_lite.temporal.spells import NEGATED, STATE, SUCCEEDED

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from graphrag_lite.llm.stage_model import StageModel
    from graphrag_lite.prompts import Prompts

MIN_ENDED = 20  # so few facts that end stop no run, however few are open
HOLDS = {"kind": ["state"], "expired_at": [""], "invalid_at": [""]}
OTHERWISE = frozenset(("settings", "code"))  # nothing of the last run is used where these were others


async def fold_facts(
    source_documents: "pa.Table",
    fact_mentions: "pa.Table",
    entity_resolutions: "pa.Table",
    settings: FoldFacts,
    last: Last | None,
    model: "StageModel | None",
    prompts: "Prompts",
) -> "tuple[pa.RecordBatchReader, pa.Table, pa.Table]":
    """Return `facts`, `relation_policies` and `relation_resolutions`.

    Where no policy says whether a newer value ends an older one, the model judges (`extraction.judged_ends`). A mention
    without a subject, or whose relation says nothing, dates a sentence and makes no fact. Raises InputError where too
    many facts that were open would end by what is said of others (`max_ended_share`).
    """
    import pyarrow as pa

    judge = model if settings.model else None
    read = FactSource(
        source_documents, fact_mentions, entity_resolutions, _resolutions(source_documents, fact_mentions)
    )
    before = _before(last, read) if last and judge is None else None
    change, policies_before = before or (None, None)
    candidates = numbered(read.of("relation", change.relations) if change else read)
    learned, rules = _settled(
        learn_policies(candidates.mentions, len(candidates.names)), candidates.names, settings.policies
    )
    policies = _policies(candidates, learned, rules)
    candidates = candidates._replace(mentions=fold.prepare(candidates.mentions, learned.policy))
    candidates = _with_ends(candidates, departures(candidates.mentions, candidates.names))
    if judge is not None:
        undecided = {index for index, rule in enumerate(rules) if rule == "default" and learned.policy[index] == MULTI}
        sentences = partial(sentences_of, source_documents, candidates.worded)
        from graphrag_lite.extraction.judged_ends import judged_ends

        pairs = await judged_ends(
            candidates.worded, candidates.mentions, undecided, sentences, settings.max_pairs, judge, prompts
        )
        _stop_where_texts_say_otherwise(candidates.mentions, learned, *pairs, settings.max_ended_share)
        candidates = _with_ends(candidates, pairs[1])
    reused: Iterable[pa.Table] = ()
    if last and change:
        others = groups.split_rows(policies_before, "relation", {*candidates.names, *change.gone})[1]
        policies = groups.stack(others, policies).sort_by("relation")
        candidates, stays = touched.parted(change, candidates, learned.policy, policies_before)
        reused = map(stays.of, last.parts("facts"))
    apart = fold.distinct(candidates.mentions, learned.policy)
    made = fact_rows(source_documents, candidates, apart, fold.fold(candidates.mentions, apart))
    if last:
        _stop_where_too_much_ends(made, last, settings.max_ended_share)
    parts = touched.merged(reused, made.parts())
    batches = (batch for part in parts for batch in part.to_batches())
    return pa.RecordBatchReader.from_batches(tables.schema("facts"), batches), policies, read.relation_resolutions


def _before(last: Last, read: FactSource) -> "tuple[touched.Change, pa.Table] | None":
    """Return what changed since the last run and that run's policies, where its tables can be used."""
    names = ["document_id", "name", "entity_id", "title"]
    beside = last.beside(
        source_documents=read.source_documents.select(["id", "language"]),
        entity_resolutions=read.entity_resolutions.select(names),
    )
    found = last.read("relation_policies", "relation_resolutions", unless=OTHERWISE)
    if not found or not beside:
        return None
    policies, wordings = found
    documents, meanings = (both.then for both in beside)
    try:
        change = touched.change(read, FactSource(documents, Columns(last, "fact_mentions"), meanings, wordings))
        for _ in last.parts("facts"):  # all of it can be read, as it will be
            pass
    except TableError:
        return None
    return change, policies


def _with_ends(candidates: NumberedMentions, ended: Sequence[Pair]) -> NumberedMentions:
    """Return mentions with a denial for each pair."""
    rows = np.append(np.arange(len(candidates.worded.rows)), np.array([other for _, other in ended], dtype=np.int64))
    return candidates._replace(worded=candidates.worded.take(rows), mentions=with_ends(candidates.mentions, ended))


def _resolutions(source_documents: "pa.Table", fact_mentions: "pa.Table") -> "pa.Table":
    """Return which relation each wording stands for; English are those of documents in English or of no language."""
    import pyarrow.compute as pc

    spoken = groups.rows_of(source_documents.select(["id", "language"]), "language", ["en", ""])["id"]
    english_mentions = groups.rows_of(fact_mentions.select(["document_id", "relation"]), "document_id", spoken)
    english = set(english_mentions["relation"].unique().to_pylist())
    counted = pc.value_counts(fact_mentions["relation"])
    wordings = dict(zip(*(counted.field(name).to_pylist() for name in ("values", "counts")), strict=True))
    return tables.make("relation_resolutions", resolve(wordings, english).values())


def _policies(candidates: NumberedMentions, learned: Learned, rules: Sequence[str]) -> "pa.Table":
    kinds = [POLICIES[policy] for policy in learned.policy]
    shares = (learned.closed / np.maximum(learned.n, 1)).tolist()
    n_mentions = np.bincount(candidates.mentions.relation, minlength=len(candidates.names)).tolist()
    columns = (candidates.names, kinds, rules, learned.n.tolist(), shares, n_mentions)
    return tables.make("relation_policies", zip(*columns, strict=True))


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
    for index, name in enumerate(names):
        for key, inverse in (relation_key(name, english=english) for english in (False, True)):
            number, other, rule = wanted.get(key, (0, False, ""))
            if rule == "settings" or (rule and rules[index] == "default"):
                policy[index] = turned.get(number, number) if inverse != other else number
                rules[index] = rule
                break
    return replace(learned, policy=policy), rules


def _stop_where_texts_say_otherwise(
    mentions: FactMentions, learned: Learned, judged: Sequence[Pair], ended: Sequence[Pair], max_share: float
) -> None:
    """Raise InputError where too many facts would end in relations of whose values texts state that they go together.

    So a first run stops, too, which has no facts to lose.
    """
    facts = (np.array(sorted({one for one, _ in listed}), dtype=np.int64) for listed in (judged, ended))
    of_judged, of_ended = (mentions.relation[rows] for rows in facts)
    n = int(doubtful_relations(learned, of_judged, of_ended)[of_ended].sum())
    if n > max(MIN_ENDED, max_share * np.sum((mentions.kind == STATE) & (mentions.end == UNKNOWN))):
        raise InputError(
            f"the model says of {n} facts that a later value ended them, where texts that state an end say that the"
            f" relation has several values at once: more than fold_facts.max_ended_share ({max_share:.0%}), so nothing"
            " is published. `--set fold_facts.model=false` asks no model, `fold_facts.max_ended_share=1` publishes it."
        )


def _stop_where_too_much_ends(made: FactRows, last: Last, max_share: float) -> None:
    """Raise InputError where more of the facts open in the last snapshot would end by what is said of others.

    An end that is stated of the fact itself does not count, and nor do those that other settings or code make.
    """
    import pyarrow.compute as pc

    unexpired = np.asarray(pc.equal(made.short["expired_at"].words(), ""))
    over = np.flatnonzero(unexpired & (made.facts.kind == STATE) & np.isin(made.facts.ended_by, (NEGATED, SUCCEEDED)))
    if len(over) <= MIN_ENDED or not (read := last.read(unless=OTHERWISE, facts=[*HOLDS])):
        return
    n_open = np.count_nonzero(_holds(read[0]))
    texts = made.words(over)
    named = ("fact_group_id", "valid_at", "subject", "relation", "object")
    now = [*zip(*(texts[name].to_pylist() for name in named), strict=True)]
    spell = ("fact_group_id", "valid_at")
    found = last.rows("facts", spell[0], {row[0] for row in now}, *spell, *HOLDS)
    open_ = set(tables.rows(groups.held_rows(found, _holds(found)), *spell)) if found else set()
    ended = [row[2:] for row in now if row[:2] in open_]
    if len(ended) > max(MIN_ENDED, max_share * n_open):
        three = "; ".join(" ".join(filter(None, row)) for row in ended[:3])
        raise InputError(
            f"{len(ended)} of the {n_open} facts that hold would end by what is said of others ({three}; ...):"
            f" more than fold_facts.max_ended_share ({max_share:.0%}), so nothing is published. Look at what the new"
            " documents say; `--set fold_facts.max_ended_share=1` publishes it."
        )


def _holds(facts: "pa.Table") -> "NDArray[np.bool_]":
    """Tell of each fact whether it is a state that goes on, as told today."""
    held: NDArray[np.bool_] = np.logical_and.reduce([groups.is_in(facts, *each) for each in HOLDS.items()])
    return held

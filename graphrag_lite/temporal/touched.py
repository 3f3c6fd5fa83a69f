"""Which facts a change of the evidence touches: those of every other group are what they were.

What is folded together is a group: what is said of a subject in a relation or, where the relation has one subject at a
time, of its object. Each of its statements, what their names mean and the relation's policy decide its facts, and so
does who left what.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from graphrag_lite import tables
from graphrag_lite.tables import groups
from graphrag_lite.temporal.contradictions import leaves
from graphrag_lite.temporal.fact_rows import ORDER
from graphrag_lite.temporal.fold import INVERSE, POLICIES, Ints
from graphrag_lite.temporal.numbered import FactSource, NumberedMentions, key_of, numbered

ENDS = ("subject_id", "subject", "object_id", "object")


class Change(NamedTuple):
    """What came or went: statements, each its relation and the keys of its subject and object; and who left something.

    `relations` are those of which all mentions have to be read, `gone` those that there are no more.
    """

    statements: set[tuple[str, str, str]]
    leavers: set[str]
    relations: set[str]
    gone: set[str]


def change(now: FactSource, before: FactSource) -> Change:
    """Compare what facts are folded from with what those of the last run were."""
    found = [
        numbered(run._replace(fact_mentions=rows).of("wording", rows["relation"]))
        for run, rows in zip((now, before), _changed(now, before), strict=True)
    ]
    statements = {
        (each.names[relation], each.things.keys[one], each.things.keys[other])
        for each in found
        for relation, one, other in np.unique(
            [each.mentions.relation, each.mentions.subject, each.mentions.object], axis=1
        ).T.tolist()
    }
    leavers = {subject for relation, subject, _ in statements if leaves(relation)}
    there = set(now.relation_resolutions["relation"].to_pylist())
    touched = {name for each in found for name in each.names}
    read = there if leavers else there & touched | set(filter(leaves, there))
    return Change(statements, leavers, read, touched - there)


def _changed(now: FactSource, before: FactSource) -> Iterator[pa.Table]:
    """Yield the mentions of each run of which anything that a fact is made of is another in the other run."""

    def other(table: str, by: str, *columns: str) -> set[str]:
        return groups.changed_keys(getattr(now, table), getattr(before, table), by, columns)

    documents = other("fact_mentions", "document_id", *now.fact_mentions.column_names)
    documents |= other("source_documents", "id", "language")
    documents |= other("entity_resolutions", "document_id", "name", "entity_id", "title") - {""}
    all_now, all_before = (groups.rows_of(run.entity_resolutions, "document_id", [""]) for run in (now, before))
    names = groups.changed_keys(all_now, all_before, "name", ["entity_id", "title"])
    wordings = other("relation_resolutions", "wording", "relation", "inverse")
    changed = {"document_id": documents, "subject": names, "object": names, "relation": wordings}
    for run in (now, before):
        held = [groups.is_in(run.fact_mentions, column, values) for column, values in changed.items()]
        yield run.fact_mentions.take(np.flatnonzero(np.logical_or.reduce(held)))


def parted(
    of: Change, candidates: NumberedMentions, policy: Ints, policies: pa.Table
) -> "tuple[NumberedMentions, Untouched]":
    """Return the mentions of the groups that a change touches, and which facts of the last run are of no such group.

    `candidates` are all mentions of the relations of the change and `policy` is of each of these, `policies` are
    the last run's.
    """
    mentions, keys, names = candidates.mentions, candidates.things.keys, candidates.names
    kind_before = dict(tables.rows(policies, "relation", "kind"))
    kind_of = {name: POLICIES[number] for name, number in zip(names, policy.tolist(), strict=True)}
    whole = {name for name, kind in kind_of.items() if kind != kind_before.get(name)}
    number, relation_number = ({each: n for n, each in enumerate(listed)} for listed in (keys, names))
    side = np.where(policy[mentions.relation] == INVERSE, mentions.object, mentions.subject)
    group = mentions.relation * len(keys) + side
    left = np.isin(mentions.subject, [number[key] for key in of.leavers if key in number])
    found = {(name, other if kind_of.get(name) == "inverse" else one) for name, one, other in of.statements}
    found |= {(names[each // len(keys)], keys[each % len(keys)]) for each in np.unique(group[left]).tolist()}
    wanted = [
        relation_number[name] * len(keys) + number[key]
        for name, key in found
        if name in relation_number and key in number
    ]
    own = np.isin(group, wanted) | np.isin(mentions.relation, [relation_number[name] for name in whole])
    return candidates.take(np.flatnonzero(own)), Untouched(whole | of.gone, found, kind_of)


class Untouched(NamedTuple):
    """Which facts of the last run stay: of none of these relations, and none of these groups (relation, key)."""

    relations: set[str]
    groups: set[tuple[str, str]]
    kinds: Mapping[str, str]

    def of(self, facts: pa.Table) -> pa.Table:
        """Return the facts that stay."""
        held = ~groups.is_in(facts, "relation", self.relations)
        near = np.flatnonzero(held & groups.is_in(facts, "relation", {name for name, _ in self.groups}))
        for row, (name, *ends) in zip(near.tolist(), tables.rows(facts.take(near), "relation", *ENDS), strict=True):
            held[row] = (name, key_of(*(ends[2:] if self.kinds[name] == "inverse" else ends[:2]))) not in self.groups
        return groups.held_rows(facts, held)


def merged(untouched: Iterable[pa.Table], made: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Yield facts of both, each in the order of facts, in that order."""

    def row(table: pa.Table, index: int) -> tuple[str, ...]:
        return tuple(table[name][index].as_py() for name in ORDER)

    new = next(made, None)
    for part in untouched:
        due = [part]
        while new and part.num_rows:
            n = bisect_left(range(new.num_rows), row(part, part.num_rows - 1), key=partial(row, new))
            if n:
                due.append(new.slice(0, n))
            if n < new.num_rows:
                new = new.slice(n)
                break
            new = next(made, None)
        yield groups.stack(*due).sort_by([(name, "ascending") for name in ORDER]) if len(due) > 1 else part
    if new:
        yield new
    yield from made

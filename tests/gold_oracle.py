"""An oracle behind the endpoint: it extracts annotated facts from the texts that state them, and judges by the same facts.

It can lie: it calls everything over, names pairs that nobody asked about, and turns times around.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

import stub_replies

from graphrag_lite.temporal.holding import holds_on, is_stated
from graphrag_lite.temporal.instants import first_second
from graphrag_lite.text.period import period_of

LIE = json.dumps({"ended": [*range(-2, 60), 4711]})
PAIR = re.compile(r"^\d+\. (.+?) \(from (\S*)\): .*\n   Later: (.+?) \(from (\S*)\): ", re.M)


class Fact(NamedTuple):
    """What is annotated of a text; dates are ISO 8601, of a year or a month at least."""

    subject: str
    relation: str
    object: str
    start: str
    end: str  # the last time that is meant where ends are told, else the first that is not; empty: it goes on

    @property
    def said(self) -> str:
        return f"{self.subject} {self.relation} {self.object}"


def records(facts: Iterable[Fact], *, ends: bool, lies: bool = False) -> str:
    """Return a reply to `extract_graph`. With `ends` it tells when facts ended, with `lies` that this was before."""
    listed = list(facts)
    names = dict.fromkeys(name for fact in listed for name in (fact.subject, fact.object))
    rows = [f'("entity"<|>{name}<|>concept<|>{name} is named.)' for name in names]
    for fact in listed:
        dates = [fact.start, str(int(fact.start[:4]) - 1) if lies else fact.end if ends else ""]
        rows.append(f'("relationship"<|>{"<|>".join([*fact[:1], fact.object, fact.relation, fact.said, "8", *dates])})')
    return "##\n".join([*rows, "<|COMPLETE|>"])


def oracle(
    facts_of: Mapping[str, Sequence[Fact]], *, ends: bool = False, lies: bool = False
) -> Callable[[Mapping[str, Any]], str]:
    """Return what a stub server says: of the facts of each text, and of pairs whether the first was over by then."""
    end_of: dict[tuple[str, str], str] = {}
    for facts in facts_of.values():
        for fact in facts:
            end_of[fact.said, day(fact.start)] = fact.end

    def reply(body: Mapping[str, Any]) -> str:
        name, fields = stub_replies.recognise(body["messages"][-1]["content"])
        if name == "extract_graph.md":
            return records(facts_of.get(fields["text"].strip(), ()), ends=ends, lies=lies)
        if name == "fold_facts.md" and lies:
            return LIE
        if name == "fold_facts.md":
            over = []
            for number, (said, start, _, later) in enumerate(PAIR.findall(fields["pairs"]), start=1):
                end = end_of.get((said, start))
                if end and first_second(day(end)) <= first_second(later):
                    over.append(number)
            return json.dumps({"ended": over})
        return "<|COMPLETE|>" if name.startswith("extract") else stub_replies.reply(body["messages"])

    return reply


def day(stated: str) -> str:
    """Return the first day of a year or a month.

    >>> day("1993"), day("1993-05")
    ('1993-01-01', '1993-05-01')
    """
    return stated + "-01-01"[len(stated) - 4 :] if len(stated) < 10 else stated


def wrong(
    facts: Sequence[Mapping[str, Any]], gold: Iterable[Fact], *, ends: bool = False
) -> list[tuple[Fact, set[str], set[str]]]:
    """Return where what held at the beginning of a gold fact is not what gold says: the fact, told values, gold values.

    Only what had begun by then counts, of the same subject and relation; `ends` as the oracle was told.
    """
    listed = sorted(set(gold))
    by_group: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in listed:
        by_group[fact.subject, fact.relation].append(fact)
    held: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for row in facts:
        if is_stated(row):
            held[row["subject"], row["relation"]].append(row)
    found = []
    for fact in listed:
        group = (fact.subject, fact.relation)
        at = date.fromisoformat(day(fact.start))
        now = first_second(at.isoformat())
        right = {
            one.object
            for one in by_group[group]
            if first_second(day(one.start)) <= now and (not one.end or _over(one.end, last=ends) > now)
        }
        said = {row["object"] for row in held[group] if holds_on(row, at)}
        if said != right:
            found.append((fact, said, right))
    return found


def _over(end: str, *, last: bool) -> int:
    """Return the second from which on a fact holds no more: after all of its `last` time, or at its beginning."""
    period = period_of(end)
    assert period
    return first_second((period.last + timedelta(days=1) if last else period.first).isoformat())

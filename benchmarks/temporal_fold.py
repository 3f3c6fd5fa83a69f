"""How many of the ends that the fold makes are right, on graphs whose ends are known: WIKIDATA12k and YAGO11k.

    python benchmarks/temporal_fold.py ../shared/data/temporal [--stated .3] [--seed 0] [--mentions 1000000]

Each folder has train.txt, valid.txt and test.txt: subject, relation, object, first and last year, tabs between. A share
of the ends is told to the fold, the rest is not. An end is right that is not before the last year. "newest wins" is
what many memories do: the newer value ends the older one, whatever the relation. `--mentions` measures a fold of so
many at random instead: CPU and memory, where all were said at once, and each on a day of its own (with history).
"""

import random
import resource
import time
from pathlib import Path

import click
import numpy as np

from graphrag_lite.temporal.fold import EVENTS, FUNCTIONAL, MULTI, POLICIES, FactMentions, Ints, distinct, fold, prepare
from graphrag_lite.temporal.instants import UNITS, UNKNOWN, first_second
from graphrag_lite.temporal.policies import learn_policies
from graphrag_lite.temporal.spells import STATE, SUCCEEDED

ROW = "{:12} {:12} {:>7} {:>6} {:>6} {:>6} {:>8} {:>15}"
FAR = 2900  # years of the data sets that stand for "no end"


def read(folder: Path) -> list[tuple[int, int, int, int, int | None]]:
    """Return subject, relation, object, first year and last year, None where it is not known; each once."""
    found: dict[tuple[int, int, int, int, int | None], None] = {}
    for name in ("train", "valid", "test"):
        for line in (folder / f"{name}.txt").read_text().splitlines():
            parts = line.split()
            if len(parts) == 5 and all(part.lstrip("-").isdigit() for part in parts):
                subject, relation, thing, first, last = map(int, parts)
                if 0 < first < FAR:
                    found[subject, relation, thing, first, last if first <= last < FAR else None] = None
    return list(found)


def year(number: int) -> int:
    return first_second(f"{number:04}")


def mentions(gold: list[tuple[int, int, int, int, int | None]], share: float, seed: int) -> tuple[FactMentions, Ints]:
    """Return what is told, and the ends as they are (UNKNOWN: not known)."""
    draw = random.Random(seed)
    ends = [UNKNOWN if last is None else year(last + 1) for *_, last in gold]
    told = [end if draw.random() < share else UNKNOWN for end in ends]
    subject, relation, thing = (np.array([row[column] for row in gold]) for column in range(3))
    starts = np.array([year(first) for *_, first, _ in gold])
    n = len(gold)
    kind, positive, unit = np.full(n, STATE), np.ones(n, dtype=bool), np.full(n, UNITS["year"])
    return FactMentions(subject, relation, thing, kind, positive, starts, np.array(told), unit, starts), np.array(ends)


def judge(told: FactMentions, ends: Ints, policies: Ints) -> tuple[int, int, int, int]:
    """Fold, and count facts, those that another one ended, and of these the right ones and the wrong ones."""
    told = prepare(told, policies)
    apart = distinct(told, policies)
    facts = fold(told, apart)
    current, ended = facts.expired_by < 0, facts.ended_by == SUCCEEDED
    rows = apart.rows[apart.first]
    own = np.split(ends[rows[facts.statements]], np.cumsum(facts.n_statements)[:-1])
    judged = [fact for fact in np.flatnonzero(current & ended) if (own[fact] != UNKNOWN).all()]
    right = sum(own[fact].max() <= told.start[rows[facts.end_by[fact]]] + UNITS["year"] for fact in judged)
    return int(current.sum()), int((current & ended).sum()), int(right), len(judged) - int(right)


def at_random(n: int, seed: int, *, history: bool) -> FactMentions:
    """Return mentions of n / 200 subjects in 200 relations, a third of them with an end."""
    draw = np.random.default_rng(seed)
    subject, relation, thing = (draw.integers(0, most, n) for most in (max(1, n // 200), 200, max(1, n // 5)))
    start = draw.integers(year(1950), year(2020), n)
    end = np.where(draw.random(n) < 1 / 3, start + draw.integers(1, 5 * UNITS["year"], n), UNKNOWN)
    said = draw.integers(year(2020), year(2024), n) if history else np.full(n, year(2020))
    kind, unit = np.full(n, STATE), np.full(n, UNITS["day"])
    return FactMentions(subject, relation, thing, kind, np.ones(n, dtype=bool), start, end, unit, said)


def measure(n: int, seed: int) -> None:
    """Print what a fold of n mentions takes, 60 of whose 200 relations have one value at a time."""
    policies = np.where(np.arange(200) < 60, FUNCTIONAL, MULTI)
    for history in (False, True):
        told = at_random(n, seed, history=history)
        begun = time.process_time()
        learn_policies(told, 200)
        prepared = prepare(told, policies)
        apart = distinct(prepared, policies)
        facts = fold(prepared, apart)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        took = time.process_time() - begun
        print(f"{n} mentions{', with history' if history else ''}: {len(facts.kind)} facts,", end=" ")
        print(f"{len(apart.groups)} groups, {took:.1f} CPU s, {peak:.0f} MB at the peak")


@click.command()
@click.argument("data", type=click.Path(exists=True, path_type=Path))
@click.option("--stated", default=0.3, show_default=True, help="Share of the ends that is told.")
@click.option("--seed", default=0, show_default=True)
@click.option("--relations", is_flag=True, help="List what is learned of each relation.")
@click.option("--mentions", "n_mentions", type=int, help="Measure a fold of so many at random instead.")
def main(data: Path, stated: float, seed: int, relations: bool, n_mentions: int | None) -> None:
    """Print a row for each graph and policy."""
    if n_mentions:
        measure(n_mentions, seed)
        return
    print(ROW.format("graph", "policy", "facts", "ended", "right", "wrong", "right %", "wrong of all %"))
    for folder in sorted(path for path in data.iterdir() if path.is_dir()):
        told, ends = mentions(read(folder), stated, seed)
        n_relations = int(told.relation.max()) + 1
        learned = learn_policies(told, n_relations)
        newest = np.where(learned.policy == EVENTS, EVENTS, FUNCTIONAL)
        for name, policies in (("newest wins", newest), ("learned", learned.policy)):
            n, n_ended, right, wrong = judge(told, ends, policies)
            shares = f"{right / max(1, right + wrong):.1%}", f"{wrong / n:.3%}"
            print(ROW.format(folder.name, name, n, n_ended, right, wrong, *shares))
        for number in range(n_relations) if relations else ():
            policy = POLICIES[learned.policy[number]]
            if policy != POLICIES[MULTI]:
                print(f"    {number:4} {policy:10} {learned.closed[number]} of {learned.n[number]}")


if __name__ == "__main__":
    main()

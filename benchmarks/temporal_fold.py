"""How many of the ends that the fold makes are right, on graphs whose ends are known: WIKIDATA12k and YAGO11k.

    python benchmarks/temporal_fold.py ../shared/data/temporal [--stated .3] [--seed 0]

Each folder has train.txt, valid.txt and test.txt: subject, relation, object, first and last year, tabs between. A share
of the ends is told to the fold, the rest is not. An end is right that is not before the last year. "newest wins" is
what many memories do: the newer value ends the older one, whatever the relation.
"""

import random
from pathlib import Path

import click
import numpy as np

from graphrag_lite.temporal.fold import EVENTS, FUNCTIONAL, MULTI, POLICIES, Ints, Mentions, distinct, fold, prepare
from graphrag_lite.temporal.instants import UNITS, UNKNOWN, seconds
from graphrag_lite.temporal.policies import learn
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
    return seconds(f"{number:04}")


def mentions(gold: list[tuple[int, int, int, int, int | None]], share: float, seed: int) -> tuple[Mentions, Ints]:
    """Return what is told, and the ends as they are (UNKNOWN: not known)."""
    draw = random.Random(seed)
    ends = [UNKNOWN if last is None else year(last + 1) for *_, last in gold]
    told = [end if draw.random() < share else UNKNOWN for end in ends]
    subject, relation, thing = (np.array([row[column] for row in gold]) for column in range(3))
    starts = np.array([year(first) for *_, first, _ in gold])
    n = len(gold)
    kind, positive, unit = np.full(n, STATE), np.ones(n, dtype=bool), np.full(n, UNITS["year"])
    return Mentions(subject, relation, thing, kind, positive, starts, np.array(told), unit, starts), np.array(ends)


def judge(told: Mentions, ends: Ints, policies: Ints) -> tuple[int, int, int, int]:
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


@click.command()
@click.argument("data", type=click.Path(exists=True, path_type=Path))
@click.option("--stated", default=0.3, show_default=True, help="Share of the ends that is told.")
@click.option("--seed", default=0, show_default=True)
@click.option("--relations", is_flag=True, help="List what is learned of each relation.")
def main(data: Path, stated: float, seed: int, relations: bool) -> None:
    """Print a row for each graph and policy."""
    print(ROW.format("graph", "policy", "facts", "ended", "right", "wrong", "right %", "wrong of all %"))
    for folder in sorted(path for path in data.iterdir() if path.is_dir()):
        told, ends = mentions(read(folder), stated, seed)
        n_relations = int(told.relation.max()) + 1
        learned = learn(told, n_relations)
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

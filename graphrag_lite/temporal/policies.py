"""Whether a relation has one value at a time, learned from the intervals that texts state from end to end.

Of those that last, and that another value of the same subject follows: how many were over when it began? A subject has
one object at a time (functional) where at least LEAST of them were, by the lower end of the 95% confidence interval; an
object one subject (inverse) likewise. A relation whose intervals nearly all are points in time tells events.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphrag_lite.temporal.fold import EVENTS, FUNCTIONAL, INVERSE, MULTI, FactMentions, Ints, changes
from graphrag_lite.temporal.instants import UNKNOWN
from graphrag_lite.temporal.spells import STATE

LEAST = 0.75  # 95 to 99% of the ends that follow from it are right on two gold graphs; at .9 there are a third as many
MIN_INTERVALS = 10  # of which most are points, for a relation of events
MAX_LASTING = 0.1  # share of a relation of events that lasts longer than its time may be off
Z = 1.6449  # one-sided 95%


@dataclass(frozen=True)
class Learned:
    """Policies by relation, (n_relations,) each. `n` intervals decided, and `closed` of them were over in time."""

    policy: Ints
    n: Ints
    closed: Ints


def learn_policies(mentions: FactMentions, n_relations: int) -> Learned:
    """Learn the policies of relations from mentions, each different statement of which counts once."""
    lasting = (mentions.kind == STATE) & mentions.positive & (mentions.start != UNKNOWN)
    lasting &= (mentions.end == UNKNOWN) | (mentions.end > mentions.start)
    known = mentions.take(_once(mentions, np.flatnonzero(lasting)))
    stated = known.end != UNKNOWN
    point = stated & (known.end - known.start <= known.unit)
    n_stated, n_points = (np.bincount(known.relation[which], minlength=n_relations) for which in (stated, point))
    events = (n_stated >= MIN_INTERVALS) & (n_stated - n_points < MAX_LASTING * n_stated)
    usable = stated & ~point
    of_subjects = _followed(known, known.subject, known.object, usable, n_relations)
    of_objects = _followed(known, known.object, known.subject, usable, n_relations)
    functional, inverse = (lower_bound(closed, n) >= LEAST for n, closed in (of_subjects, of_objects))
    policy = np.select([events, functional, inverse], [EVENTS, FUNCTIONAL, INVERSE], MULTI)
    n = np.select([events, inverse & ~functional], [n_stated, of_objects[0]], of_subjects[0])
    closed = np.select([events, inverse & ~functional], [n_points, of_objects[1]], of_subjects[1])
    return Learned(policy, n, closed)


def _once(mentions: FactMentions, rows: Ints) -> Ints:
    """Return the rows, one for each different statement, in order of what they say."""
    columns = ("relation", "subject", "object", "start", "end", "unit")
    keys = [getattr(mentions, name)[rows] for name in columns]
    order = np.lexsort(keys[::-1])
    return rows[order[changes(keys, order)]]


def _followed(
    known: FactMentions, group: Ints, value: Ints, usable: NDArray[np.bool_], n_relations: int
) -> tuple[Ints, Ints]:
    """Count, by relation, the usable intervals that another value of their group follows, and those over by then."""
    order = np.lexsort((known.end, value, known.start, group, known.relation))
    relation, group, value = known.relation[order], group[order], value[order]
    other_group = np.ones(len(order), dtype=bool)
    other_group[1:] = (np.diff(relation) != 0) | (np.diff(group) != 0)
    run = other_group.copy()
    run[1:] |= np.diff(value) != 0
    starts = np.append(np.flatnonzero(run), len(order))  # of the runs of one value
    following = starts[np.cumsum(run)]  # the first row of the next run
    there = following < len(order)
    there[there] = ~other_group[following[there]] & usable[order][there]
    one, other = order[there], order[following[there]]
    over = known.end[one] <= known.start[other] + np.maximum(known.unit[one], known.unit[other])
    rows = known.relation[one]
    return np.bincount(rows, minlength=n_relations), np.bincount(rows[over], minlength=n_relations)


def doubtful_relations(learned: Learned, followed: Ints, ended: Ints) -> NDArray[np.bool_]:
    """Tell of each relation whether more of its facts were judged over than its stated intervals leave credible.

    `followed` are the relations of facts that another value follows, `ended` those of the facts that it is said to have
    ended. Where texts state few ends, nothing is doubted.

    >>> stated = Learned(np.array([0, 0]), np.array([24, 0]), np.array([1, 0]))
    >>> doubtful_relations(stated, np.repeat([0, 1], 20), np.repeat([0, 1], 18)).tolist()
    [True, False]
    """
    n_followed, n_ended = (np.bincount(relations, minlength=len(learned.n)) for relations in (followed, ended))
    return lower_bound(n_ended, n_followed) > 1 - lower_bound(learned.n - learned.closed, learned.n)


def lower_bound(k: Ints, n: Ints) -> NDArray[np.float64]:
    """Return the lower end of Wilson's 95% interval (one-sided) of a share, k of n; 0 where n is 0.

    >>> lower_bound(np.array([9, 90, 0]), np.array([9, 100, 0])).round(2).tolist()
    [0.77, 0.84, 0.0]
    """
    whole = np.maximum(n, 1)
    share = k / whole
    middle = share + Z * Z / (2 * whole)
    width = Z * np.sqrt(share * (1 - share) / whole + Z * Z / (4 * whole * whole))
    return np.where(n > 0, (middle - width) / (1 + Z * Z / whole), 0.0)

"""Where names stand in a drawing of the whole graph: communities in communities, so that a graph opens laid out."""

import math
from collections.abc import Mapping, Sequence

GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))
SPREAD = 1.3  # of a spiral whose circles hardly overlap

Point = tuple[float, float]


def spiral(radii: Sequence[float]) -> tuple[list[Point], float]:
    """Place circles on a sunflower's spiral (Vogel 1979), the largest inmost; return centres and the radius of all.

    >>> centres, radius = spiral([1.0, 2.0])
    >>> [round(math.hypot(*centre), 1) for centre in centres], round(radius, 1)
    ([2.8, 1.8], 3.8)
    """
    centres: list[Point] = [(0.0, 0.0)] * len(radii)
    area = outer = 0.0
    for turn, place in enumerate(sorted(range(len(radii)), key=lambda i: -radii[i])):
        distance = SPREAD * math.sqrt(area + radii[place] ** 2 / 2) if len(radii) > 1 else 0.0
        centres[place] = (distance * math.cos(turn * GOLDEN_ANGLE), distance * math.sin(turn * GOLDEN_ANGLE))
        area += radii[place] ** 2
        outer = max(outer, distance + radii[place])
    return centres, outer


def positions(radii: Sequence[float], finest: Sequence[int], parents: Mapping[int, int]) -> list[Point]:
    """Return the centre of each name, by its radius and the finest community that it is in (-1: none).

    `parents` has the community that each community is in, -1 for those in none.
    """
    parts: dict[int, list[int]] = {}
    for community, parent in parents.items():
        parts.setdefault(parent, []).append(community)
    names: dict[int, list[int]] = {}
    for name, community in enumerate(finest):
        names.setdefault(community, []).append(name)
    placed: dict[int, tuple[list[Point], float]] = {}

    def place(community: int) -> float:
        sizes = [place(part) for part in parts.get(community, [])] + [radii[name] for name in names.get(community, [])]
        placed[community] = spiral(sizes)
        return placed[community][1]

    found: list[Point] = [(0.0, 0.0)] * len(radii)

    def put(community: int, at: Point) -> None:
        centres = [(at[0] + x, at[1] + y) for x, y in placed[community][0]]
        inner = parts.get(community, [])
        for part, centre in zip(inner, centres, strict=False):
            put(part, centre)
        for name, centre in zip(names.get(community, []), centres[len(inner) :], strict=True):
            found[name] = centre

    place(-1)
    put(-1, (0.0, 0.0))
    return found

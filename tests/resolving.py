"""Resolution of a few mentions, as tests write them: as lists, each of a text unit of its own place or of the first."""

from collections.abc import Mapping, Sequence
from typing import Any

from graphrag_lite.resolution import ladder
from graphrag_lite.resolution.ladder import NameEvidence, Resolution
from graphrag_lite.resolution.mentioned import MentionLists

SWITCHES = {"lexical", "alias", "threshold", "confirmed"}


def resolve(
    document_ids: Sequence[str],
    names: Sequence[str],
    types: Sequence[str],
    anchored: Sequence[bool],
    lower_counts: Mapping[str, int],
    ordinals: Sequence[int] = (),
    **more: Any,
) -> list[Resolution]:
    """Resolve mentions; `more` are switches, and fields of the evidence."""
    places = ordinals or [0] * len(names)
    mentions = MentionLists(document_ids, names, types, anchored, places, places, [1] * len(names))
    switches = {name: more.pop(name) for name in SWITCHES & more.keys()}
    return ladder.resolve(mentions, lower_counts, NameEvidence(**more), **switches)

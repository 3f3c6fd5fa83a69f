"""Mentions and resolutions -> entities and pairs of them, as queries; and which of them a change touches.

`meant` and `fold` come first, then `touched` or `all_touched`: sentences are read for what is touched.
"""

import re
from importlib import resources

from graphrag_lite.evidence.describing_sentences import GOOD_LENGTH

CANDIDATES = 12  # sentences read for each entity and relationship
LIST = 8  # names of a sentence that says nothing of any two of them where it has more
LARGE = 20_000  # sentences with names, from which on two that one alone names are joined by chance
SHARE = 0.5  # what a sentence that names two entities joins them by, beside one that says how they are related


def _queries() -> dict[str, str]:
    """Return the queries of `mention_fold.sql` by name."""
    text = (resources.files(__package__) / "mention_fold.sql").read_text(encoding="utf-8")
    values = {"candidates": CANDIDATES, "list": LIST, "share": SHARE, "large": LARGE}
    values |= {"shortest": GOOD_LENGTH.start, "longest": GOOD_LENGTH.stop}
    _, *parts = re.split(r"^\[(\w+)\]\n", text.format(**values), flags=re.M)
    return dict(zip(parts[::2], parts[1::2], strict=True))


QUERIES = _queries()

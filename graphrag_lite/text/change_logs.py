"""Which documents are logs of changes, as their titles say, and which questions ask what changed, or when."""

import re

from graphrag_lite.text.word_lists import expressions

_TITLE, _ASKS = (
    re.compile(expressions(__package__, "change_logs.txt")[name], re.I) for name in ("change log", "asks for changes")
)


def is_change_log(title: str) -> bool:
    """Tell whether a title is that of a log of changes, or of the notes on a release.

    >>> is_change_log("What's new in Celery 5.4"), is_change_log("ChangeLog"), is_change_log("How the climate changes")
    (True, True, False)
    """
    return bool(_TITLE.search(title))


def asks_for_changes(question: str) -> bool:
    """Tell whether a question may be about a change of something: what it was, of which release, or when.

    >>> [asks_for_changes(text) for text in ("Does 5.4 drop Riak?", "Is Riak still supported?", "What is a worker?")]
    [True, True, False]
    """
    return bool(_ASKS.search(question))

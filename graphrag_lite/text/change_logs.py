"""Which documents are logs of changes, as their titles say."""

import re

from graphrag_lite.text.word_lists import expressions

_TITLE = re.compile(expressions(__package__, "change_logs.txt")["change log"], re.I)


def is_change_log(title: str) -> bool:
    """Tell whether a title is that of a log of changes, or of the notes on a release.

    >>> is_change_log("What's new in Celery 5.4"), is_change_log("ChangeLog"), is_change_log("How the climate changes")
    (True, True, False)
    """
    return bool(_TITLE.search(title))

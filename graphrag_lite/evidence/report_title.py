"""What a community's report is called: who it is about most, what its sentences come from, and when that was."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.evidence.stories import without_capitals
from graphrag_lite.text.numbered_titles import without_part
from graphrag_lite.text.period import Period
from graphrag_lite.text.transcripts import FILE_NAME

MOST_FACTS = 1.5  # times the facts of a document: a report of no more has the document's title for a theme
LONGEST_TITLE = 150  # characters
MAX_NAMES = 2
_NO_TITLE = re.compile(rf"{FILE_NAME.pattern}|[<>]")  # names of files and ways through a site say nothing
# Two words, or some characters of a script without spaces.
_SAYS = re.compile(r"[^\W\d_]{2}\S*\s.*[^\W\d_]{3}|[^\W\da-zA-Z]{4}")
_SECTION = re.compile(r"^\d+(?:\.\d+)+\.?\s+")
_ENDED = re.compile(r"[.:;,。：；、]\W*$|^[\w-]+: .*\d")  # or a field: "Date: 26-Feb-1987"


def title(names: Sequence[str], theme_words: str, period: str) -> str:
    """Return a report's title.

    >>> title(["Perkin-Elmer", "Lockheed", "Danbury"], "primary mirror", "1975–1990")
    'Perkin-Elmer, Lockheed – primary mirror, 1975–1990'
    >>> title(["Ann", "Bob"], "", "")
    'Ann, Bob'
    """
    about = ", ".join(escape_marks(name) for name in names[:MAX_NAMES])
    named = " – ".join(part for part in (about, escape_marks(theme_words)) if part)
    return f"{named}, {period}" if period else named


def common_subject(titles: Sequence[str]) -> str:
    """Return what most of some facts' documents are called, without the number of a part or section; empty if no title.

    >>> common_subject(["Mirrors of the Hubble: a history / part 2", "Mirrors of the Hubble: a history / part 3"])
    'Mirrors of the Hubble: a history'
    >>> common_subject(["11.7. LDAP Directory"])
    'LDAP Directory'
    >>> common_subject(["WHALES OF THE NORTH"])
    'Whales of the North'
    >>> common_subject(["report_final.pdf", "report_final.pdf"])
    ''
    """
    counted = Counter(_SECTION.sub("", without_part(one)) for one in titles)
    name, n = max(sorted(counted.items()), key=lambda item: item[1], default=("", 0))
    if len(name) > LONGEST_TITLE:
        name = re.split(r"[:?.–|]\s", name)[0]
    if MOST_FACTS * n < len(titles) or len(name) > LONGEST_TITLE or not is_informative(name):
        return ""
    name = without_capitals(name) if name.isupper() and " " in name else name
    return name[0].upper() + name[1:].rstrip(" ,;:")


def is_informative(name: str) -> bool:
    """Say whether a document's title tells a reader something, as no file's name and no id does."""
    return bool(_SAYS.search(name)) and not _NO_TITLE.search(name)


def headline(text: str) -> str:
    """Return the heading in the first line of a text, empty where it is a sentence, or long.

    >>> lines = "Push into beauty", "Whales sing.", "Date: 26 May 1987"
    >>> [headline(f"{line}\\nSainsbury's is taking on Boots.") for line in lines]
    ['Push into beauty', '', '']
    """
    line = text[: 2 * LONGEST_TITLE].partition("\n")[0].strip(" #*")
    return line if "\n" in text[: 2 * LONGEST_TITLE] and not _ENDED.search(line) and is_informative(line) else ""


def year_range(periods: Iterable[Period]) -> str:
    """Return from which year to which some periods are, empty for none.

    >>> from datetime import date
    >>> year_range([Period(date(2009, 5, 1), date(2009, 5, 2)), Period(date(1993, 1, 1), date(1993, 12, 31))])
    '1993–2009'
    """
    known = sorted(year for period in periods for year in (period.first.year, period.last.year))
    if not known:
        return ""
    return str(known[0]) if known[0] == known[-1] else f"{known[0]}–{known[-1]}"

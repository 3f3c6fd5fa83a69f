"""How an index reads words of a question: as words that its texts hold, and as titles write numbers."""

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite.retrieval.spelling import readings
from graphrag_lite.retrieval.title_numbers import as_titles_say
from graphrag_lite.text.numbered_titles import wording_pattern
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.snapshot_view import SnapshotView
    from graphrag_lite.text.numbered_titles import Numbered

_VERSION = re.compile(r"(?<![\d.])\d+\.\d+(?![\d.]*\d)")
MAX_READ = 100  # text units that are looked into for a word of several terms


def question_readings(
    index: "SnapshotView",
    text: str,
    languages: tuple[str, str],
    capitalized: Collection[str],
    left_out: Collection[str],
) -> dict[str, str]:
    """Return how words of a question are read: likely typing errors, and numbers that titles write otherwise.

    Of its two `languages` one is its own, the other that which its words are analysed in. Words that are `left_out`, in
    lower case, are no errors.
    """
    found = readings(text, languages[1], index.bm25, index.vocabulary, index.passage, capitalized, left_out)

    def borne_out(stated: str, numbered: "Numbered", word: str) -> bool:
        return _is_of_titles(index, stated, numbered, word)

    found |= {version: longer for version in _VERSION.findall(text) if (longer := _longer(index, version))}
    return found | as_titles_say(text, languages[0], index.title_numbers, borne_out)


def _longer(index: "SnapshotView", version: str) -> str:
    """Return how texts write a version that none of them has as it is: "25.1.0" for 25.1; "" where they do not."""
    if index.bm25.holds(version):
        return ""
    longer = re.compile(rf"(?<![\d.]){re.escape(version)}(?:\.\d+)+")
    units = index.bm25.all_of(version.split("."))[:MAX_READ].tolist()
    return min((found for unit in units for found in longer.findall(index.passage(unit)[0])), default="")


def _is_of_titles(index: "SnapshotView", stated: str, numbered: "Numbered", word: str) -> bool:
    """Say whether what a question says with a number is a word of titles, though they write it as `word`.

    It is not, where less than half of the documents with that word in the title, and a number, say what it would be
    short for. A single letter is short for many words: those with the same number have to say that, too. Of a word
    that no text holds ("third quarter") there is nothing to say.
    """
    language = index.languages[0] if index.languages else ""
    numbers = [numbered.number] if len(word) == 1 else list(index.title_numbers)
    positions = [at for number in numbers for other, _, at in index.title_numbers.get(number, ()) if other == word]
    units = np.unique(
        np.concatenate([index.bm25.units[:0], *(index.attributes.units[position] for position in positions)])
    )
    document_row = np.asarray(index.document_row)
    rows = np.unique(document_row[units])
    initials = word == numbered.before[:1] + numbered.word[:1]
    spelt = terms(f"{numbered.before} {numbered.word}" if initials else numbered.word, language)
    rows_by_term = [document_row[index.bm25.units_of(term)] for term in spelt]
    if not rows_by_term or not all(map(len, rows_by_term)):
        return any(map(str.isspace, stated))
    if min(len(np.intersect1d(rows, one)) for one in rows_by_term) < len(rows) / 2:
        return False
    if len(word) > 1:
        return True
    pattern = re.compile(wording_pattern(numbered), re.I)
    read = rows[:MAX_READ].tolist()
    return 2 * sum(pattern.search(index.document_text(row)) is not None for row in read) >= len(read)

"""How an index reads words of a question: as words that its texts hold, and as titles write numbers."""

import re
from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite.retrieval.columns import Strings
from graphrag_lite.retrieval.spelling import readings
from graphrag_lite.retrieval.title_numbers import as_titles_say
from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.numbered_titles import as_said
from graphrag_lite.text.words import content_words, terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView
    from graphrag_lite.text.numbered_titles import Numbered

MAX_READ = 100  # text units that are looked into for a word of several terms


def question_readings(question: "Question") -> dict[str, str]:
    """Return how words of a question are read: likely typing errors, and numbers that titles write otherwise."""
    index = question.index
    left_out: frozenset[str] = frozenset()
    if question.language not in index.languages:  # its words are no errors, and one of the corpus may hold them
        left_out = FUNCTION_WORDS.get(question.language, frozenset()) | {
            word.casefold()
            for word in content_words(question.text, question.language)
            if word.islower() or any(map(index.bm25.holds, question.terms_of(word)))
        }
    vocabulary = Strings(index.column("search_terms", "term"))
    capitalized, language = question.capitalized, question.analyzed_in
    found = readings(question.text, language, index.bm25, vocabulary, index.passage, capitalized, left_out)

    def borne_out(stated: str, said: "Numbered", word: str) -> bool:
        return _is_of_titles(index, stated, said, word)

    return found | as_titles_say(question.text, question.language, index.title_numbers, borne_out)


def _is_of_titles(index: "SnapshotView", stated: str, said: "Numbered", word: str) -> bool:
    """Say whether what a question says with a number is a word of titles, though they write it as `word`.

    It is not, where a text holds it as it is ("HIV-1"), or where less than half of the documents with that word in
    the title, and a number, say what it would be short for. A single letter is short for many words: those with
    the same number have to say that, too. Of a word that no text holds ("third quarter") there is nothing to say.
    """
    language = index.languages[0] if index.languages else ""
    apart = any(map(str.isspace, stated))
    if not apart and _is_written(index, stated, language):
        return False
    numbers = [said.number] if len(word) == 1 else list(index.title_numbers)
    places = [at for number in numbers for other, _, at in index.title_numbers.get(number, ()) if other == word]
    units = np.unique(np.concatenate([index.bm25.units[:0], *(index.attributes.units[place] for place in places)]))
    document_row = np.asarray(index.document_row)
    rows = np.unique(document_row[units])
    initials = word == said.before[:1] + said.word[:1]
    spelt = terms(f"{said.before} {said.word}" if initials else said.word, language)
    told = [document_row[index.bm25.postings(term)[0]] for term in spelt]
    if not told or not all(map(len, told)):
        return apart
    if min(len(np.intersect1d(rows, one)) for one in told) < len(rows) / 2:
        return False
    if len(word) > 1:
        return True
    pattern = re.compile(as_said(said), re.I)
    read = rows[:MAX_READ].tolist()
    return 2 * sum(pattern.search(index.document_text(row)) is not None for row in read) >= len(read)


def _is_written(index: "SnapshotView", word: str, language: str) -> bool:
    """Say whether a text holds a word as it is, letters and digits in one."""
    parts = list(dict.fromkeys(terms(word, language)))
    if not parts:
        return False
    both = index.bm25.postings(parts[0])[0]
    for part in parts[1:]:
        both = np.intersect1d(both, index.bm25.postings(part)[0])
    if len(parts) == 1:
        return len(both) > 0
    return any(word.casefold() in index.passage(unit)[0].casefold() for unit in both[:MAX_READ].tolist())

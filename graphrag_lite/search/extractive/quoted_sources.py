"""Who says what is quoted, and in which document, where that is the answer, or whose "I" it is; and how often."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from math import isnan
from typing import TYPE_CHECKING

from graphrag_lite.search.answer import Statement
from graphrag_lite.search.extractive.answer_type import Sought
from graphrag_lite.search.extractive.read_unit import read_out
from graphrag_lite.search.extractive.sentence_candidates import MYSELF
from graphrag_lite.text.transcripts import speaker_at, speakers
from graphrag_lite.text.word_lists import expressions

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

_FORMS = {name: re.compile(form, re.I) for name, form in expressions(__package__, "quoted_sources.txt").items()}
_ASKS = _FORMS["asks"]
MOST_DOCUMENTS, FEW_DOCUMENTS = 0.5, 4  # share of the documents in which a host speaks, of so many at least


def under_titles(question: "Question", sought: Sought, statements: Sequence[Statement]) -> list[Statement]:
    """Return statements, below the titles of their documents where the question asks which document or who says it.

    >>> bool(_ASKS.search("In which call is the dividend announced?")), bool(_ASKS.search("Which page did Ann read?"))
    (True, False)
    """
    index = question.index

    def says_i(statement: Statement) -> bool:
        sentence, language = read_out(index, statement)
        return MYSELF.search(sentence) is not None and not sought.is_held(index, sentence, language)

    wanted = _ASKS.search(question.text) or (sought.kind == "person" and statements and says_i(statements[0]))
    if not wanted:
        return [*statements]
    titles = [index.cell("documents", "title", index.document_row[statement.unit]) for statement in statements]
    return [
        replace(statement, about=statement.about or title) for statement, title in zip(statements, titles, strict=True)
    ]


def source_of(index: "SnapshotView", statement: Statement) -> str:
    """Return who says what stands at a place, if that is a transcript, the title of its document, and its day."""
    row = index.document_row[statement.unit]
    speaker, title = (
        speaker_at(index.document_of(statement.unit)[0], statement.start),
        index.cell("documents", "title", row),
    )
    day = index.days[statement.unit]
    dated = f" ({date.fromordinal(int(day))})" if not isnan(day) else ""
    return ", ".join(filter(None, (speaker, f"{title}{dated}")))


def asks_for_documents(text: str) -> bool:
    """Say whether a question asks which documents speak of something."""
    return _ASKS.search(text) is not None


def of_guests(question: "Question", statements: Sequence[Statement]) -> list[Statement]:
    """Return places, without those where a host speaks if a question asks for guests: who speaks in most documents."""
    index = question.index
    texts = {index.document_row[statement.unit]: index.document_of(statement.unit)[0] for statement in statements}
    if len(texts) < FEW_DOCUMENTS or not _FORMS["guests"].search(question.text):
        return [*statements]
    n_documents = Counter(name for text in texts.values() for name in speakers(text))
    hosts = {name for name, n in n_documents.items() if n > MOST_DOCUMENTS * len(texts)}
    return [
        statement
        for statement in statements
        if speaker_at(texts[index.document_row[statement.unit]], statement.start).casefold() not in hosts
    ]


def how_often(question: "Question", query_terms: Sequence[str]) -> str:
    """Return how many passages, of how many documents, hold each word asked about in any form, and all of them.

    "" where the question does not ask how often something is spoken of.
    """
    index = question.index
    if not _FORMS["how often"].search(question.text):
        return ""
    found = {
        word: held
        for word in re.findall(r"\w+", question.text)
        if (held := {*question.terms_of(word)} & {*query_terms})
    }
    of_words = {f"“{word}”": index.bm25.all_of(sorted(held)) for word, held in found.items()}
    if len(of_words) > 1:
        of_words["all of them"] = index.bm25.all_of(query_terms)
    counts = (
        f"{word}: {len(units):,}, in {len({index.document_row[unit] for unit in units.tolist()}):,}"
        for word, units in of_words.items()
    )
    return f"Passages with forms of {'; '.join(counts)} of {index.n_rows('documents'):,} documents." if of_words else ""

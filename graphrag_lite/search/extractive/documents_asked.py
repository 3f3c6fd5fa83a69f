"""Titles over what is quoted, where it is the answer which document says so, or whose "I" it is."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag_lite.search.answer import Statement
from graphrag_lite.search.extractive.answer_type import Sought
from graphrag_lite.search.extractive.read_unit import read_out
from graphrag_lite.search.extractive.sentence_candidates import MYSELF
from graphrag_lite.text.word_lists import expressions

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question

_ASKS = re.compile(expressions(__package__, "documents_asked.txt")["asks"], re.I)


def under_titles(question: "Question", asked: Sought, told: Sequence[Statement]) -> list[Statement]:
    """Return statements, below the titles of their documents where the question asks which document or who says it.

    >>> bool(_ASKS.search("In which call is the dividend announced?")), bool(_ASKS.search("Which page did Ann read?"))
    (True, False)
    """
    index = question.index

    def says_i(place: Statement) -> bool:
        said, language = read_out(index, place)
        return MYSELF.search(said) is not None and not asked.is_held(index, said, language)

    wanted = _ASKS.search(question.text) or (asked.kind == "person" and told and says_i(told[0]))
    if not wanted:
        return [*told]
    titles = [index.cell("documents", "title", index.document_row[place.unit]) for place in told]
    return [replace(place, about=place.about or title) for place, title in zip(told, titles, strict=True)]

"""Whether anybody who is asked for what he says of something has it in a text of his: abstention by speaker."""

import re
from typing import TYPE_CHECKING

from graphrag_lite.text.plain_text import path_words

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question

_SAYS = re.compile(
    r"\W*(?i:what (?:do|does|did|has|have)) ([^?]+?) (?:say|said|think|thought|recommend\w*|propose\w*|write|wrote|"
    r"announced?|promised?|suggest\w*|claim\w*) (?:about|on|of|for) ([^?]+)"
)
_NAME = re.compile(r"(?<!\w)[A-ZÀ-ÖØ-Þ][\w-]*")


def is_of_another_speaker(question: "Question") -> bool:
    """Say whether a question asks what somebody says of something by name, and no document has both.

    A document has what its text says, and what its file is called. A word that none has tells nothing here.
    """
    found = _SAYS.match(question.text)
    both = [set(question.terms_of(" ".join(_NAME.findall(found[n])))) for n in (1, 2)] if found else []
    if not all(both) or not both:
        return False
    index = question.index
    paths = index.column("documents", "path").to_pylist()
    called = [set(question.terms_of(path_words(path))) for path in paths]
    first, second = (
        {row for row, words in enumerate(called) if wanted <= words}.union(
            index.document_row[unit] for unit in index.bm25.all_of(sorted(wanted)).tolist()
        )
        for wanted in both
    )
    return bool(first and second) and first.isdisjoint(second)

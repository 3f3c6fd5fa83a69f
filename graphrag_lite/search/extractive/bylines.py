"""Who wrote a document, where a question asks for the author of what its title names: its byline, or its metadata."""

import json
import re
from typing import TYPE_CHECKING, Any

from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.search.answer import Answer, Ranking, Statement, answered, compose
from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.word_lists import expressions
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question

TOP = 2000  # first characters of a document, in which its byline stands
_FORMS = expressions(__package__, "bylines.txt")
_ASKS = re.compile(_FORMS["asks"], re.I)
_WRITTEN = re.compile(rf"\b(?:{_FORMS['written']})\b", re.I)
_FIELDS = _FORMS["fields"].split("|")
_OF_VERSION = re.compile(r"\bv(?=\d)", re.I)  # "v1.2" is what a question calls 1.2
_NAME = rf"[^\W\d_a-zß-ÿ][\w.'’-]*(?:(?:,? (?:{_FORMS['within']}|&)|,)? [^\W\d_a-zß-ÿ][\w.'’-]*){{0,7}}"
_BYLINE = re.compile(
    rf"(?m)^[\W_]*((?i:{_FORMS['byline']})(?:[ \t]*[:：]\s*|\s+)[*_]*{_NAME})(?=\s*(?:$|[*_,;|(·•\u2013\u2014]))"
)


def byline_answer(question: "Question", method: str, ranking: Ranking) -> Answer | None:
    """Answer by the first document found whose title has all that the question names, and that has an author.

    >>> _BYLINE.search("# Bees\\n\\nBy Ann Lee, 4 March 2021\\n\\nBy the sea bees live.")[1]
    'By Ann Lee'
    """
    if not _ASKS.search(question.text):
        return None
    index = question.index
    names = _OF_VERSION.sub("", _WRITTEN.sub(" ", _ASKS.sub(" ", question.text)))
    named = set(question.terms_of(_OF_VERSION.sub("", question.text))).intersection(question.terms_of(names))
    for row in ranking.documents if named or index.n_rows("documents") == 1 else ():
        title, language = (index.cell("documents", name, row) for name in ("title", "language"))
        if not named <= set(terms(_OF_VERSION.sub("", title), language)):
            continue
        for unit in index.units_in(row):
            start = index.cell("text_units", "char_start", unit)
            if start < TOP and (byline := _BYLINE.search(index.cell("text_units", "text", unit), 0, TOP - start)):
                statement = Statement(unit, start + byline.start(1), start + byline.end(1), title)
                return compose(question, method, [statement], ranking)
        stated = json.loads(index.cell("documents", "metadata", row))
        if author := next((value for name, value in stated.items() if name.casefold() in _FIELDS and value), None):
            text = escape_marks(one_line(f"{title}: its metadata names the author {_as_names(author)}."))
            return answered(question, method, ranking, answer=text, citations=[])
    return None


def _as_names(author: Any) -> str:
    """Return the names that a field of authors states, as one, several, or each with more about them.

    >>> _as_names(["Ann", {"name": "Bo", "url": "b.org"}])
    'Ann, Bo'
    """
    if isinstance(author, list):
        return ", ".join(map(_as_names, author))
    return str(author.get("name") or next(iter(author.values()), "")) if isinstance(author, dict) else str(author)

"""Names as code writes them, `max_size`, `--max-size`, `maxSize`, `size()`: those that a question asks for, or names.

A name of an option that no text has is none: what stands near it in words ("max", "size") tells nothing of it.
"""

import re
from collections.abc import Collection
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from graphrag_lite.search.answer import NOTHING, Answer, Ranking, answered
from graphrag_lite.search.extractive.beside_names import text_of, title_of

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question

NAME = re.compile(
    r"(?<![\w/.@-])(?:--[a-z][\w-]*\w|[A-Za-z]\w{0,60}_\w*[A-Za-z0-9]|[a-z]{2,}[A-Z][a-z]\w*|[A-Z][a-z]+(?:[A-Z][a-z0-9]+)+"
    r"|\w+(?=\(\)))(?![\w/@]|\.\w)"
)
OPTION = re.compile(r"(?<![\w-])-[A-Za-z](?![\w-])")  # "-M"
_HUMP, _APART = re.compile(r"(?<=[a-z0-9])(?=[A-Z])"), re.compile(r"[\s_.()-]+")
READ, MOST_NEAR, ALIKE = 12, 3, 0.6  # text units in which near names are looked for; those told; how alike they are


def holds_name(text: str, others: Collection[str] = ()) -> bool:
    """Say whether a text has a name as code writes it, beside `others`, in lower case.

    >>> [holds_name(text) for text in ("Use max_size.", "the -M option", "a well-known one", "maxSize: 1", "size()")]
    [True, True, False, True, True]
    """
    names = (name for name in NAME.findall(text) if name.casefold() not in others)
    return any(True for name in names) or OPTION.search(text) is not None


def missing_name(question: "Question") -> str:
    """Return the first name in a question, as code writes it, that no text has in any way of writing; "" for none."""
    index, bm25 = question.index, question.index.bm25
    for name in NAME.findall(question.text):
        ways = [question.terms_of(name), question.terms_of(_HUMP.sub(" ", name))]
        if not all(ways) or name.casefold() in map(str.casefold, question.readings):
            continue
        whole = _plain(name)
        units = (unit for way in ways for unit in bm25.all_of(way).tolist())
        if not any(whole in _plain(text_of(index, unit)) or whole in _plain(title_of(index, unit)) for unit in units):
            return str(name)
    return ""


def missing_name_answer(question: "Question", method: str, ranking: Ranking) -> Answer | None:
    """Refuse a question that names what no text has as code writes it, and tell what is called nearly so."""
    if not (name := missing_name(question)):
        return None
    texts = (text_of(question.index, unit) for unit in ranking.units[:READ])
    found = {near for text in texts for near in NAME.findall(text)}
    worth = {near: SequenceMatcher(None, _plain(name), _plain(near), autojunk=False).ratio() for near in sorted(found)}
    near = [one for one in sorted(worth, key=lambda one: (-worth[one], one)) if worth[one] >= ALIKE][:MOST_NEAR]
    told = f"{NOTHING} No text has “{name}”" + (f"; near to it: {', '.join(near)}." if near else ".")
    return answered(question, method, ranking, answer=told, citations=[])


def _plain(text: str) -> str:
    return _APART.sub("", text).casefold()

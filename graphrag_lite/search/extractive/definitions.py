"""Questions for what or who something is, and the sentences that say so.

"What is RCAC?", "¿Quién es Bob Cratchit?" and "Who is the chief financial officer?" ask what a thing is, and not what
it does. A sentence defines by its form: its subject is the thing and its verb is "is", or what the thing is stands
beside it, between commas or in brackets. So it does for a role: "Amy Hood, chief financial officer, joins us."
"""

import re
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from graphrag_lite.text.folding import unaccented
from graphrag_lite.text.word_lists import expressions
from graphrag_lite.text.words import UNSPACED_CHARACTERS, terms

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from graphrag_lite.graph.sparse import Vector
    from graphrag_lite.retrieval.question import Question

LOOKED_AT, DEFINING_UNITS = 200, 6  # best text units that hold a thing, and those that say what it is

SUBJECT = 30  # characters of its sentence before the thing: "In this paper, Zep is ..."
REACH = 100  # characters behind it that are looked at
_FORMS = expressions(__package__, "definitions.txt")
_KIND = f"(?:{_FORMS['kinds']})"
# What stands before a name that is a heading, and behind it: "Class: Worker", ":biff: /bif/, vt."
_HEADING = re.compile(rf"^\W*(?:(?:{_KIND}:|new|the)\s+)?|(?<=\w):\s.{{1,25}}$|\s*\([^()]*\)\W*$|\s+{_KIND}\W*$", re.I)
_OF_KIND = re.compile(rf"^{_KIND} | {_KIND}$", re.I)
_IS = re.compile(
    rf"(?:\s*[(（][^()（）]{{0,80}}[)）]|,[^,.;]{{2,60}},)?\s*(?:{_FORMS['is'].replace('KIND', _KIND)})", re.I
)
_OF_KIND_IS = re.compile(rf"\s*(?:{_FORMS['of kind'].replace('KIND', _KIND)})", re.I)
_ALONE = re.compile(
    r"\W*(?:(?:the|this|an?) )?\W*", re.I
)  # before a thing of a kind: not "the *Confuse randart property is"
_ITEM, _MARK = re.compile(_FORMS["item"]), re.compile(r"\s*[-*+•]\s+\W{0,2}")
_OF_ANOTHER = re.compile(
    r"\b(?:in|of|for|with|to|by|on|from|about|as|than) (?:an? |the )?$", re.I
)  # "The aim of Zep is a ..."
_JOINS = re.compile(r"(?:, (?:and|but)|;) ")
_CLAUSE = re.compile(r"\b(?:because|if|when|since|although|though|while|weil|wenn|quand|cuando|quando) ", re.I)
_BESIDE = re.compile(_FORMS["beside"])
_NAME_BEFORE = re.compile(r"(?:^|[\s(])[^\W\d_a-zß-ÿ][^,;:.!?()]{1,40}, ((?:the|our|an?|der|die|le|la) )?$")
_NAME = r"[^\W\d_a-zß-ÿ][\w.’-]*"
_HOLDER_BEFORE = re.compile(  # "Amy Hood, our chairman and ", "Amy Hood was the first "
    rf"(?<!\w){_NAME}(?: {_NAME})*(?:,| [–—-]"
    rf"|,? (?:(?:who )?joined (?:us )?as|who['’]s|who is|is|was|as|became|becomes)) (?:[\w’']+ ){{0,3}}$"
)
_HOLDER_BEHIND = re.compile(rf",? (?:(?:is|was) )?{_NAME} {_NAME}")
_ROLE_AT = re.compile(r"(?!The |Our |Its |Their |An? |Former )(?<!\w)([A-Z]\w+)(?:['’]s?)? $")
_ROLE_OF = re.compile(r"^,? (?:of|at|for) (?:the )?([A-Z]\w+)")
_SET_OFF = re.compile(r"\s*(?:[,.;:)]|$|[은는이가을를로와과의]| (?:which|that|(?:and|or) (?:an?|its?|the|their)) )")
_INTRODUCED = re.compile(r"(?:called|named|known as|namens|genannt|appelée?|llamad[oa]|인) (?:an? )?$", re.I)


def defines(text: str, things: Iterable[str]) -> bool:
    """Say whether a text says what or who a thing is, by its form; `things` are names of the same.

    >>> [defines(text, ["Zep"]) for text in ("Zep is a memory layer.", "We use Zep, a memory layer.", "Zep is fast.")]
    [True, True, False]
    >>> defines("Amy Hood, chief financial officer, is here.", ["chief financial officer"])
    True
    >>> defines("Dear me, Arc!", ["Arc"]), defines("Nobody knew Ann, the other guests being old.", ["Ann"])
    (False, False)
    >>> defines("Paths for Zep (in the settings of a tool)", ["Zep"]), defines("Zep (a memory) is fast.", ["Zep"])
    (False, True)
    >>> defines("We use grouped-query attention (GQA) throughout.", ["GQA"])
    True
    >>> defines("- Zep - memory layer for agents", ["Zep"]), defines("The slow Zep option is new", ["Zep"])
    (True, False)
    >>> texts = ("The aim of Zep is a memory.", "He asks what it is that is built here, and Zep is a memory.")
    >>> [defines(text, ["Zep"]) for text in texts]
    [False, True]
    """
    return any(_defined(text, found.start(), found.end()) for thing in things for found in _named(thing).finditer(text))


def names_holder(text: str, role: Iterable[str], words: Container[str] = ()) -> bool:
    """Say whether a text says by its form who has a role, of which `role` are the forms.

    Not where it is one at what none of `words`, in lower case, names.

    >>> texts = "I am Amy Hood, our CFO.", "Acme CFO Amy Hood agrees.", "Ann was the first CFO.", "Every CFO was there."
    >>> [names_holder(text, ["CFO"], ["acme"]) for text in texts], names_holder("Ann, the CFO of Beta", ["CFO"])
    ([True, True, True, False], False)
    """
    return any(
        (_HOLDER_BEFORE.search(text[max(0, start - REACH) : start]) or _HOLDER_BEHIND.match(text, end))
        and all(name.casefold() in words for name in _ROLE_AT.findall(text[:start]) + _ROLE_OF.findall(text[end:]))
        for form in role
        for start, end in (found.span() for found in _named(form).finditer(text))
    )


def is_about(heading: str, things: Collection[str]) -> bool:
    """Say whether the heading of a section, or the title of a document, is the name of a thing, and no more.

    >>> [is_about(heading, ["npm ci"]) for heading in ("npm-ci", "## `npm ci` command", "npm ci and CI")]
    [True, True, False]
    >>> is_about("### Class: `Worker`", ["Worker"]), is_about("## fs.open(path[, flags])", ["fs.open"])
    (True, True)
    """
    name = _words(_HEADING.sub("", heading)) if things else ""
    return bool(name) and any(name in (_words(thing), _words(_OF_KIND.sub("", thing))) for thing in things)


def _words(name: str) -> list[str]:
    return [word.removesuffix("s") for word in re.findall(r"\w+", name.casefold())]


@lru_cache(maxsize=100)
def _named(thing: str) -> re.Pattern[str]:
    other = "" if thing.casefold().startswith(("mrs", "miss")) else r"(?<!mrs\. )(?<!mrs )(?<!miss )"  # of the family
    return re.compile(rf"(?<![^\W{UNSPACED_CHARACTERS}]){other}{re.escape(thing)}s?(?![a-z0-9])", re.I)


def _defined(text: str, start: int, end: int) -> bool:
    """Say whether what the thing at [start, end) of a text is stands beside it, or is said of it."""
    first = max(text.rfind(stop, 0, start) for stop in ".!?。\n") + 1
    before, after = text[max(first, start - REACH) : start].lstrip(), text[end : end + REACH]
    before, clause = _JOINS.split(before)[-1], _CLAUSE.search(before)
    is_noun = text[start:end].split()[-1][0].islower()  # "Chapter 2, Capital Gains" names one thing twice
    return bool(
        (len(before) <= SUBJECT and not clause and not _OF_ANOTHER.search(before) and _IS.match(after))
        or (_OF_KIND_IS.match(after) and _ALONE.fullmatch(before))
        or (_ITEM.match(after) and (_MARK.fullmatch(before) or (not before and is_noun)))
        or (_BESIDE.match(after) and not (clause and after.startswith(",")))
        or (_INTRODUCED.search(before) and _SET_OFF.match(after))
        or _is_short_form(text[start:end], before, after)
        or ((name_before := _NAME_BEFORE.search(before)) and (name_before[1] or is_noun) and _SET_OFF.match(after))
    )


def defining_units(
    question: "Question", things: Sequence[str], scores: "Vector", is_defined: Callable[[str], bool]
) -> list[int]:
    """Return text units that say what things are by their form (`is_defined`), best first.

    What stands early in a document is likely to introduce them.
    """
    index = question.index
    held: set[int] = set()
    for thing in things:
        held |= set(index.bm25.all_of(question.terms_of(thing)).tolist())
    ordinals = index.column("text_units", "ordinal")
    worth = {unit: scores[unit] / (1 + ordinals[unit].as_py()) ** 0.5 for unit in held if scores[unit] > 0}
    near = sorted(worth, key=lambda unit: (-worth[unit], unit))[:LOOKED_AT]
    texts = ((unit, index.cell("text_units", "text", unit)) for unit in near)

    alone = re.compile(rf"^(?:#+ .*|\W*)(?:{'|'.join(map(re.escape, things))}).{{0,20}}$", re.M | re.I)

    def introduces(unit: int, text: str) -> bool:
        headings = alone.findall(text)
        if ordinals[unit].as_py() == 0:
            headings.append(index.cell("documents", "title", index.document_row[unit]))
        return any(is_about(heading, things) for heading in headings)

    return list(islice((unit for unit, text in texts if is_defined(text) or introduces(unit, text)), DEFINING_UNITS))


def only_alike(question: "Question", thing: str, scores: "npt.NDArray[np.floating[Any]]") -> bool:
    """Say whether texts hold what an English question asks to define in other words alone: "coherent" is no Cohere.

    That is told of one word with a capital, by the best text units that hold its term.
    """
    if question.language != "en" or not thing.isalpha() or thing not in question.capitalized:
        return False
    if terms(thing, "en") != question.terms_of(thing):  # "CFO"
        return False
    index, wanted = question.index, _words(unaccented(thing))[0]
    held = index.bm25.all_of(question.terms_of(thing)).tolist()
    near = sorted(held, key=lambda unit: (-scores[unit], unit))[:LOOKED_AT]
    titles = (index.cell("documents", "title", index.document_row[unit]) for unit in near)
    texts = (index.cell("text_units", "text", unit) for unit in near)
    return bool(near) and not any(wanted in _words(unaccented(text)) for text in chain(titles, texts))


def _is_short_form(thing: str, before: str, after: str) -> bool:
    """Say whether letters in brackets are short for the words before them."""
    if not (thing.isupper() and before.endswith(("(", "（")) and after.startswith((")", "）"))):
        return False
    initials = "".join(word[0] for word in re.findall(r"\w+", before))
    return initials.upper().endswith(thing) or "".join(filter(str.isupper, initials)).endswith(thing)

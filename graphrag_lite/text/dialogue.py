"""Who speaks to whom, and who does something together: what relates the people of a story.

A novel's conversations are its social network (Elson, Dames and McKeown, ACL 2010). In `"Yes, Michael," replied Martha`
a verb of speech beside the closing mark tells who speaks; who is spoken to is named between commas in what is said.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from graphrag_lite.text.names.name import Name
from graphrag_lite.text.relations import opens_clause
from graphrag_lite.text.word_lists import sections

_LISTS = {section: sorted(words) for section, words in sections(__package__, "dialogue.txt").items()}
_VERB = "|".join(_LISTS["said"] + _LISTS["told"])
_DIRECT, _INVOKED = frozenset(_LISTS["told"]), frozenset(_LISTS["invoked"])
_WHICH = r"(?:the\s+(?:(?!(?:of|to|in|from|with|for|by|at)\b)[a-z-]+\s+){0,2})?"  # "replied the offended Michael"
_VERB_BEFORE = re.compile(rf"[\"'“”‘’»]\s+(?:\w+ly\s+)?({_VERB})\s+{_WHICH}\Z")
_CLOSED = re.compile(rf"[\"'“”‘’»]\s+{_WHICH}\Z", re.I)
_SAYS = re.compile(rf"\s+(?:\w+ly\s+)?({_VERB})\b")
_OPENED = re.compile(r"(?:^|\s|—)[\"'“‘«](?=\S)")
_ADDRESSES = re.compile(r"(?:\A|[\"'“‘«,.!?;—])\s*(?:(?:[Oo]h?|[Mm]y|[Dd]ear|[Mm]y dear)\s+)?\Z")
_APPOSED = re.compile(r"\b(?:his|her|your|our|their)\s(?:\w+\s)?\w+,\s\Z")
_ADDRESSED = re.compile(r"\s?(?:[,!?;.]|—)")
_TO = re.compile(r"\s+to\s+(?:the\s+)?")
_AND = re.compile(r"\s+and\s+(?:the\s+)?")
_SPOKEN = re.compile(r"\b(?:I|[Mm][ey]|[Yy]ours?|[Yy]ou|[Tt]hee|[Tt]hy|[Ww]e|[Oo]ur)\b|[,.!?][\"'”’»]")
# With "were", what follows says it: "were walking", "were alone".
_BOTH = r"\s+(?:(?:\w+ly|both|had|have|then|now|soon|again)\s+){0,2}(?:were\s+(?:\w+ly\s+|both\s+)?)?"
_TOGETHER = re.compile(rf"{_BOTH}({'|'.join(_LISTS['together'])})\b")
_GOES_ON = re.compile(
    r"[^.!?\"“‘]{0,120}?,\s[\"'“‘](?:is|was|has|had|can|could|will|would|may|might|must|does|did|are|were)\b"
)
_CLOSES = re.compile(r"[,.!?—-][\"'”’»](?=\s)")
_REACH = 60  # characters before a name


def addressed(text: str, names: Sequence[Name], span: tuple[int, int]) -> list[int]:
    """Return who may be spoken to in a sentence: the places of names that stand between marks, and in no list.

    >>> text = "If you and Bo sing, Ann, I dance."
    >>> addressed(text, [Name(11, 13, "Bo", "person", True), Name(20, 23, "Ann", "person", True)], (0, len(text)))
    [1]
    """
    marked = [i for i, name in enumerate(names) if _ADDRESSED.match(text, name.end)]
    if not marked or not _SPOKEN.search(text, *span):
        return []
    found = []
    for i in marked:
        name = names[i]
        listed = any(text[a.end : b.start].strip() == "," for a, b in pairwise(names[max(0, i - 1) : i + 2]))
        known = name.type == "person" or (name.anchored and name.type == "unknown")
        before = text[max(span[0], name.start - _REACH) : name.start]
        if known and not listed and _ADDRESSES.search(before) and not _APPOSED.search(before):
            found += [i] if name.name.casefold() not in _INVOKED else []
    return found


def met(text: str, names: Sequence[Name], span: tuple[int, int]) -> Iterator[tuple[int, int, str]]:
    """Yield who of an English paragraph speaks to whom, or does something with whom, by places in `names`, and how.

    >>> def found(text, *words):
    ...     names = [Name(text.index(n), text.index(n) + len(n), n, "person", True) for n in words]
    ...     return list(met(text, names, (0, len(text))))
    >>> found("'Yes, Cy,' replied the good Ann, 'Bo left.'", "Cy", "Ann", "Bo"), found("Ann and Bo ran.", "Ann", "Bo")
    ([(1, 0, 'replied to')], [(0, 1, 'ran with')])
    """
    for i, (a, b) in enumerate(pairwise(names)):
        did = _TOGETHER.match(text, b.end) if _AND.fullmatch(text, a.end, b.start) else None
        if did and (opens_clause(text, a.start) or text.endswith(("as ", "As "), 0, a.start)):
            yield i, i + 1, f"{did[1]} with"
    if not _CLOSES.search(text, *span):
        return
    says = [(i, verb) for i, name in enumerate(names) if (verb := _says(text, name))]
    if len({names[i].name.split()[-1] for i, _ in says}) != 1:
        return
    speaker, verb = says[0]
    speaker_name, label = names[speaker], verb if verb in _DIRECT else f"{verb} to"
    if speaker + 1 < len(names) and _TO.fullmatch(text, speaker_name.end, names[speaker + 1].start):
        yield speaker, speaker + 1, label
        return
    goes_on = _GOES_ON.match(text, speaker_name.end)  # '"Cy," said Ann, "has left"'
    for i in addressed(text, names, span):
        quoted = i < speaker or _OPENED.search(text, speaker_name.end, names[i].start)
        subject = goes_on and text.startswith(",", names[i].end)
        if i != speaker and quoted and not subject and names[i].name != speaker_name.name:
            yield speaker, i, label


def _says(text: str, name: Name) -> str:
    """Return the verb that makes a name the speaker of what is quoted beside it, else ""."""
    before = text[max(0, name.start - _REACH) : name.start]
    if text.startswith(("'s", "’s"), name.end):
        return ""
    found = _VERB_BEFORE.search(before)
    if not found and _CLOSED.search(before):
        found = _SAYS.match(text, name.end)
    return found[1] if found else ""

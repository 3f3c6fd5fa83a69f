"""Type a name by what its own words and the words beside it say. Weights add up within a text unit.

Nothing here looks beyond one text unit, and
nothing but a stated cue decides: a name without one is `unknown`.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile

from graphrag_lite.text.names.gazetteer import DEMONYMS, GIVEN_NAMES, PLACES, WELL_KNOWN
from graphrag_lite.text.names.words import CORPORATE, EPITHETS, HONORIFICS, LISTS, NUMBER_WORDS

TYPES = ("person", "organization", "location", "event", "work", "product", "law", "language", "date", "concept", "code")
"""Known types; the order breaks ties."""

Evidence = dict[str, float]


# The first speak for the whole name even where others end it: School of Engineering.
_HEADS = {kind: LISTS[f"{kind}_heads"] for kind in ("location", "organization", "event", "work")}
_WEAK_HEADS = {kind: LISTS[f"{kind}_heads"] for kind in ("product", "law", "language", "date", "concept")}
_KINDS_OF_HEADS = [
    {word: [kind for kind, heads in of.items() if word in heads] for word in frozenset().union(*of.values())}
    for of in (_HEADS, _WEAK_HEADS)
]
_KINDS: dict[str, str] = {
    word: kind for kind in TYPES if kind not in ("date", "code") for word in LISTS[f"{kind}_nouns"]
}
_FEASTS, _FRONTED, _NOBLE = LISTS["feasts"], LISTS["fronted"], LISTS["noble"]
SPEECH, _VOICED, _PERSON_VERBS = LISTS["speech"], LISTS["voiced"], LISTS["person_verbs"]
_ABSTRACT = re.compile(r"\w{3}is(?:m|me|mo|mus)$|\w{3}изм$")
_SMALL = frozenset(("in", "the", "of", "and", "for", "is", "to"))  # words of a title, of no person
_KIN, _OFFICES = LISTS["kin"], LISTS["offices"]
# What is done at, from, by and with organisations only, by the word that joins the two.
_BEFORE_ORGANIZATION = {word: _OFFICES | LISTS.get(f"done_{word}", set()) for word in "of for at from by with".split()}
OF_HEADS = LISTS["of_heads"].union(*_HEADS.values(), LISTS["law_heads"]) - LISTS["no_of_heads"]
"""Words after which "of X" or "for X" belongs to the name."""
PAIR_HEADS = LISTS["pair_heads"]
"""Words that make one name of "X and Y": Food and Drug Administration, Department of Health and Human Services."""
INSTITUTION_OWNED = LISTS["institution_owned"]
"""What an institution's name owns: St. Paul's Cathedral, King's College, Valentine's Day."""
EVENTS_OF_A_YEAR = LISTS["events_of_a_year"]


def _goes_on(word: str) -> bool:
    return word not in LISTS["kind_ends"]


def kind_of(word: str) -> str:
    """Return the type of the things that a noun names, "" if it names none: film -> work."""
    return _KINDS.get(word, "")


def evidence_of_words(words: Sequence[str], written: Sequence[str]) -> Evidence:
    """Return what the words of one name say about its type. `words` are casefolded, `written` as in the text.

    >>> evidence_of_words(["university", "of", "oslo"], ["University", "of", "Oslo"])
    {'organization': 3.0}
    """
    return dict(_evidence_of_words(tuple(words), tuple(written)))


@lru_cache(maxsize=10_000)
def _evidence_of_words(words: tuple[str, ...], written: tuple[str, ...]) -> Evidence:
    name = " ".join(words)
    if name in WELL_KNOWN:
        return {WELL_KNOWN[name]: 3.0}
    if name in PLACES:
        return {"location": 1.0 if name in GIVEN_NAMES else 3.0}
    if name in _FEASTS:
        return {"event": 3.0}
    if words[0] in HONORIFICS and len(words) > 1 and words[0] not in ("st", "saint", "san", "santa", "sainte"):
        return {"person": 5.0}
    found = _evidence_of_heads(words)
    if len(words) == 2 and "location" in found and words[0] in GIVEN_NAMES - PLACES - DEMONYMS:
        found["location"] = 1.0  # "Matt Mountain", "James Bay": what stands beside them decides
    if (words[-1] in CORPORATE and len(words) > 1) or "&" in words:
        found["organization"] = 5.0
    found = found or _evidence_of_person(words, written)
    if not found and len(words) == 1 and _ABSTRACT.search(name):
        found["concept"] = 1.5
    if not found and len(words) > 1 and WELL_KNOWN.get(words[0]) in ("organization", "product"):
        found["product"] = 1.5  # Google Translate, Windows 10
    return found


def _evidence_of_heads(words: Sequence[str]) -> Evidence:
    """Return the types of the first head that tells one: the last word, the word before "of", or a fronted one.

    Numbers at either end are no heads: World War II, Segunda Guerra Mundial.
    """
    while len(words) > 1 and (words[-1].isdigit() or words[-1] in NUMBER_WORDS):
        words = words[:-1]
    while len(words) > 2 and words[0] in NUMBER_WORDS:
        words = words[1:]
    first, last = words[0], words[-1]
    of = next((i for i, word in enumerate(words) if word in ("of", "for", "de", "du", "des", "d'")), len(words))
    head = words[of - 1]
    fronted = first if last != head or first in _FRONTED or ":" in first else ""
    for kinds_of in _KINDS_OF_HEADS:
        for word, weight in ((last, 3.0), (head, 3.0), (fronted, 1.5)) if len(words) > 1 else ((last, 1.0),):
            if kinds := kinds_of.get(word):
                return dict.fromkeys(kinds, weight)
    return {}


def _evidence_of_person(words: Sequence[str], written: Sequence[str]) -> Evidence:
    """Return the weight of a given name, of initials, and of particles and epithets."""
    weight = 0.0
    if words[0].partition("-")[0] in GIVEN_NAMES and words[0] not in PLACES:  # Pierre-Joseph
        if len(words) == 1:
            weight = 0.0 if written[0].isupper() else 1.6
        elif len(words) <= 4 and not any(word.isdigit() for word in words) and words[1] not in ("and", "of"):
            weight = 2.5
    initials = any(len(word.rstrip(".")) == 1 and word[0].isupper() for word in written[:-1])
    spelled = any(c.isdigit() for word in words for c in word) or not _SMALL.isdisjoint(words)  # "N 2 O"
    if initials and not spelled and 2 <= len(words) <= 4 and written[0] not in ("A", "I", "O"):
        weight += 2.0
    if len(words) >= 3 and (words[1] in _NOBLE or (words[-2] in ("the", "le", "der") and words[-1] in EPITHETS)):
        weight += 1.5
    return {"person": weight} if weight else {}


def kind_after(words: Sequence[str]) -> str:
    """Return the type that the words after "X is a" state, "" if none. `words` are casefolded, at most about ten.

    >>> kind_after(["german", "skeleton", "racer", "who", "competed"])
    'person'
    >>> kind_after(["village", "in", "the", "district"])
    'location'
    """
    *_, kind = "", *(_KINDS[word] for word in takewhile(_goes_on, words) if word in _KINDS)
    return kind


def kind_beside(words: Sequence[str]) -> str:
    """Return the type that an apposition states, "" if none: its noun must come last ("a British singer who").

    >>> kind_beside(["british", "singer", "who", "lives"]), kind_beside(["weight", "of", "his", "method"])
    ('person', '')
    """
    *_, last = "", *takewhile(_goes_on, words)
    kind = _KINDS.get(last, "")
    return "" if kind == "concept" else kind


def evidence_beside(before: Sequence[str], after: Sequence[str], possessive: bool) -> Evidence:
    """Return what the words beside a mention say, without punctuation between them and the name.

    `before` are up to three casefolded words, nearest last; `after` up to three, nearest first; both end at the first
    punctuation mark.
    """
    found: Evidence = {}

    def add(kind: str, weight: float) -> None:
        found[kind] = found.get(kind, 0.0) + weight

    if before:
        kind = _KINDS.get(before[-1], "")
        if kind == "work" and not LISTS["before_verbs"].isdisjoint(before[-2:-1]):  # "will play Eric"
            kind = ""
        if kind and (before[-1] not in LISTS["also_adjectives"] or not LISTS["definite"].isdisjoint(before[-2:-1])):
            add(kind, 2.0)
        elif before[-1] in SPEECH or before[-1] in _VOICED:
            add("person", 1.5)
        elif before[-1] in ("of", "de") and len(before) > 1 and _KINDS.get(before[-2]) == "location":
            add("location", 2.0)
        near = before[:-1] if before[-1] == "the" else before
        if len(near) > 1 and near[-2] in _BEFORE_ORGANIZATION.get(near[-1], ()):
            add("organization", 1.5)
    if after:
        if after[0] in _OFFICES:
            add("organization", 1.5)
        if possessive:
            if after[0] in _KIN:
                add("person", 2.0)
        elif after[0] in _VOICED or after[0] in _PERSON_VERBS:
            add("person", 1.5)
        elif after[0] in SPEECH:
            add("person", 0.7)
        elif after[0] in ("is", "was", "est", "était", "fue") and after[1:2] in (["born"], ["né"], ["née"]):
            add("person", 3.0)
    return found


def best_type(evidence: Evidence) -> str:
    """Return the type with the most weight, `unknown` below 1.5 in all; ties by the order of `TYPES`."""
    kind = max(sorted(evidence, key=TYPES.index), key=evidence.__getitem__, default="unknown")
    return kind if evidence.get(kind, 0.0) >= 1.5 else "unknown"

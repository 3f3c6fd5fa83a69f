"""What the mentions of one key say in all: whether it is a name, of which type, or a name after a common word."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from graphrag_lite.text.names.gazetteer import DEMONYMS, GIVEN_NAMES
from graphrag_lite.text.names.types import TYPES
from graphrag_lite.text.names.words import HONORIFICS, PARTICLES, function_words

# A single word is no name if the corpus writes it in lower case this many times as often as with a telling capital.
_LOWER_RATIO = 1.0
_SHOUTED_RATIO, _MAX_ACRONYM = 0.2, 4
_GERUND_RATIO = 0.05  # of "Installing", which headings and what points to them begin with
# Nor if nothing but the capital speaks for most of its mentions, as for German nouns.
_MIN_ANCHORED, _MIN_ACRONYM = 0.2, 0.05
# Places without a telling suffix are mostly common nouns (channel, zone), and so are repeated terms.
_MIN_CASELESS_DOCUMENTS, _MIN_CASELESS_COUNT = 3, 20
# A term is kept from this many mentions on, and from this share of the lower-case uses of its rarer end.
_MIN_TERM_COUNT = 4
_MIN_TERM_SHARE = 0.12
_MIN_TYPE_SHARE = 0.25
# "CMake", whose command is "cmake"; no "URLs".
_INNER_CAPITAL = re.compile(r"[A-Z][A-Za-z]*[a-z][A-Z][A-Za-z]*|[A-Z]{2,}[a-z]{2,}")
_MAX_HEADING = 6  # words of a name that only headings have
_MIN_CODE_COUNT = 3  # of what code within a line names
# Few sentences say who works at a company, what a product is, or who speaks: this many for each that says otherwise.
_MIN_RATIO = {"organization": 2, "product": 2, "person": 9, "location": 5}


class Tally(dict[str, int]):
    """How often each word is said: a `Counter` without its methods, which takes ten times as long to make."""

    def __missing__(self, word: str) -> int:
        return 0


@dataclass(slots=True)
class Candidate:
    """What the mentions of one key say in all."""

    count: int = 0
    anchored: int = 0
    types: Tally = field(default_factory=Tally)
    surfaces: Tally = field(default_factory=Tally)


def majority_type(types: Mapping[str, int]) -> str:
    """Return the most frequent known type, ties by the order of `TYPES`; `unknown` where few mentions tell.

    >>> majority_type({"unknown": 99, "organization": 9, "location": 3}), majority_type({"unknown": 99, "person": 8})
    ('organization', 'unknown')
    """
    known = [kind for kind in TYPES if types.get(kind)]
    if not known:
        return "unknown"
    kind = max(known, key=lambda kind: (types[kind], -TYPES.index(kind)))
    if types[kind] >= _MIN_TYPE_SHARE * sum(types.values()):
        return kind
    others = sum(types[other] for other in known) - types[kind]
    return kind if types[kind] >= _MIN_RATIO.get(kind, math.inf) * max(1, others) else "unknown"


def is_name(key: str, entry: Candidate, n_documents: int, lower_counts: Mapping[str, int]) -> bool:
    """Tell whether a candidate is a name at all."""
    words = key.split()
    if not entry.anchored and key.upper() == key and not key.isascii():  # a script without case: recurrence speaks
        recurs = n_documents >= _MIN_CASELESS_DOCUMENTS or entry.count >= _MIN_CASELESS_COUNT
        return recurs and not entry.types["concept"] and majority_type(entry.types) != "location"
    title = max(entry.surfaces, key=lambda name: (entry.surfaces[name], name))
    if entry.types["code"] == entry.count:  # a common word is one where it mostly is written as code
        common = title.isalpha() and title.islower()
        distinct = not common or (key not in function_words("") and lower_counts.get(key, 0) <= 1.5 * entry.count)
        return entry.count >= _MIN_CODE_COUNT and distinct
    if entry.types["concept"] == entry.count and not entry.anchored:
        if entry.count < _MIN_TERM_COUNT or len(words) < 2:
            return False
        ends = min(lower_counts.get(words[0], 0), lower_counts.get(words[-1], 0))
        return entry.count >= _MIN_TERM_SHARE * ends
    if not entry.anchored and (len(words) == 1 or " " not in title.strip()):  # "Stopp-Knopf"
        # a person who only ever begins sentences: "Barney said"
        return entry.types["person"] > 1 and majority_type(entry.types) == "person" and not lower_counts.get(key, 0)
    if not entry.anchored:  # of headings alone, whose words all have capitals
        usual = [bool(lower_counts.get(word, 0)) or not word.isalnum() for word in words]
        chance = entry.count == 1 and usual[-1] and majority_type(entry.types) == "unknown"
        return 1 < len(words) <= _MAX_HEADING and not all(usual) and not chance
    acronym = is_acronym(key, entry) and entry.anchored >= _MIN_ACRONYM * entry.count
    if len(words) != 1 or acronym or _INNER_CAPITAL.fullmatch(title):
        return True
    if entry.anchored < _MIN_ANCHORED * entry.count:
        return False
    ratio = _GERUND_RATIO if key.endswith("ing") and majority_type(entry.types) == "unknown" else _LOWER_RATIO
    if title.isupper() and len(title) > _MAX_ACRONYM:  # a word in capitals: "BARES, PUBS"
        ratio = min(ratio, _SHOUTED_RATIO)
    return lower_counts.get(key, 0) <= ratio * entry.anchored


def is_acronym(key: str, entry: Candidate) -> bool:
    """Tell whether a key is mostly written as a short word in capitals."""
    return len(key) <= 4 and max(entry.surfaces, key=lambda name: (entry.surfaces[name], name)).isupper()


def _verb_count(word: str, lower_counts: Mapping[str, int]) -> int:
    """Return how often the verb of a long word in -ing is written in small letters: 3 of "Snatching" by "snatch".

    >>> _verb_count("snatching", {"snatch": 3}), _verb_count("sterling", {"ster": 3})
    (3, 0)
    """
    stem = word[:-3] if word.endswith("ing") and len(word) > len("sterling") else ""
    return lower_counts.get(stem, 0) or lower_counts.get(f"{stem}e", 0) if stem else 0


def find_openers(
    entries: Mapping[str, Candidate],
    kinds: Mapping[str, str],
    dropped: frozenset[str],
    lower_counts: Mapping[str, int],
    documents: Mapping[str, Mapping[str, object]],
    n_documents: Mapping[str, int],
) -> dict[str, str]:
    """Find rare names that are a known name after a common word: "Angry Scrooge" at the start of a sentence.

    Both must be of one type: Lake James is no James. A single word must stand alone in the same document, too: Castle
    Howard is no Howard. Of a person's whole name a common word, a place or an organization may stand in front.
    """
    found = {}
    beside = set()  # those that count only where their document has the name alone, too
    for key, entry in entries.items():
        first, _, rest = key.partition(" ")
        if rest not in entries or rest in dropped or first in HONORIFICS or first in GIVEN_NAMES:
            continue
        if kinds[key] not in ("unknown", kinds[rest]) or not entries[rest].anchored:
            continue
        whole = " " in rest and kinds[rest] == "person"
        gerund = first.endswith("ing") and lower_counts.get(first, 0)  # "Installing Red Hat OpenShift"
        if not gerund and entries[rest].count < (1 if whole else 2) * entry.count * n_documents[key]:
            continue
        common = lower_counts.get(first, 0) or (not entry.anchored and _verb_count(first, lower_counts))
        ordinary = common or first in DEMONYMS or kinds.get(first) in ("location", "organization")
        if whole:  # "Rapper Kanye West"
            if not ordinary and rest.partition(" ")[0] in PARTICLES:  # a surname: "Femke Van den Driessche"
                continue
            common = max(common, 5 * entry.count)
        if gerund or (not entry.anchored and common) or (kinds[rest] == "person" and common >= 5 * entry.count):
            found[key] = rest
            if " " not in rest or not ordinary:
                beside.add(key)
    for held in documents.values():
        for key in held.keys() & beside:
            if found[key] not in held:
                del found[key]
                beside.remove(key)
    return found

"""What an entity is called, and of which type it is."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite.resolution.candidates import Candidate, majority_type
from graphrag_lite.resolution.types import infer_types
from graphrag_lite.text.names.contexts import CELL, MAX_CONTEXTS, PARTS, written_form
from graphrag_lite.text.names.gazetteer import GIVEN_NAMES
from graphrag_lite.text.names.types import kind_of
from graphrag_lite.text.names.words import HONORIFICS, LISTS, ROLES

if TYPE_CHECKING:
    import pyarrow as pa

MAX_ACRONYM, MIN_LETTERS = 6, 3  # characters
# Times that a corpus has a word in small letters which is no person; times that it has a name.
MIN_COMMON, SELDOM = 3, 5
OF_PERSONS = HONORIFICS | ROLES | LISTS["kin"]
# "TypedArray", "Uint8Array", "IPv4": words of code and of models, which stand where persons do, too.
IDENTIFIER = re.compile(r"(?!(?:Ma?c|De|Di|La|Le|O['’])[A-Z])[^\W_]*(?:\d|[a-z][A-Z])[^\W_]*")
VERSION = re.compile(r"[^\W\d_]{3,}-?[vV]\d+(?:\.\d+)*(?:-.+)?")  # "DeepSeek-V3", "MobileNetV2"
# "MMLU-Pro", "C-Eval": of letters that are spelled.
SPELLED = re.compile(r"[A-Z]{3}|^[A-Z]{1,2}[-\d]")
# "apiVersion", "RuntimeError": no name of a thing is written so.
CAMEL = re.compile(r"[a-z]{3,}(?:[A-Z][a-z\d]+)+|[A-Z]\w*[a-zS](?:Error|Exception)")
Face = tuple[str, str]
"""Title and type."""
Contexts = Callable[[Sequence[Sequence[str]]], "pa.ListArray"]
"""What stands beside the mentions of the names of each entity (`text.names.contexts`), a `JOINED` string a mention."""


def face(root: str, group: Sequence[str], entries: Mapping[str, Candidate], kinds: Mapping[str, str]) -> Face:
    """Return the title and the type of the entity: its root's commonest spelling, the majority of all its mentions.

    A phrase in small letters ("mass drug administration") is a concept, whatever its last word is in names.
    """
    title = _title(entries[root].surfaces)
    kind = kinds[root] if kinds[root] != "unknown" else majority_type(_types(group, entries))
    if title.islower() and " " in title and kind != "code":
        return title, "concept"
    if kind == "unknown" and CAMEL.fullmatch(title):
        return title, "code"
    if kind == "person" and title.isupper() and (" " in title or title.title() in entries[root].surfaces):
        title = title.title()
    return title, kind


def _title(surfaces: Mapping[str, int]) -> str:
    """Return the spelling used most, but of a word longer than an acronym not the one in capitals.

    >>> _title({"KEVIN SCOTT": 9, "Kevin Scott": 2}), _title({"DOI": 9, "Doi": 2, "The DOI": 1})
    ('Kevin Scott', 'DOI')
    """
    if len(surfaces) == 1:
        return next(iter(surfaces))
    folded: Counter[str] = Counter()
    for name, n in surfaces.items():
        folded[name.casefold()] += n
    most = max(folded, key=lambda name: (folded[name], len(name), name))
    same = [name for name in surfaces if name.casefold() == most]
    return max(same, key=lambda name: (len(name) > MAX_ACRONYM and not name.isupper(), surfaces[name], name))


def confirmed_face(
    root: str, group: Sequence[str], entries: Mapping[str, Candidate], _kinds: Mapping[str, str]
) -> Face:
    """Return the title and the type of the entity: its root's commonest spelling, the majority of all its mentions."""
    return commonest(entries[root].surfaces), majority_word(_types(group, entries))


def _types(group: Sequence[str], entries: Mapping[str, Candidate]) -> Counter[str]:
    """Return how many mentions of an entity state each type."""
    types: Counter[str] = Counter()
    for key in group:
        types.update(entries[key].types)
    return types


def inferred_faces(
    faces: Mapping[str, Face],
    groups: Mapping[str, Sequence[str]],
    entries: Mapping[str, Candidate],
    contexts: Contexts,
    lower_counts: Mapping[str, int],
) -> dict[str, Face]:
    """Return the faces of the entities whose type the others tell (`resolution.types`); code only tells its own."""
    import pyarrow as pa
    import pyarrow.compute as pc

    faces = {root: face for root, face in faces.items() if face[1] != "code"}
    beside = contexts([sorted(name for key in groups[root] for name in entries[key].surfaces) for root in faces])
    n_cells = np.diff(np.append(0, np.cumsum(pc.match_substring_regex(beside.flatten(), CELL)))[beside.offsets])
    in_cells = (n_cells > 0) & (n_cells == np.diff(beside.offsets))
    used = [n for n, (_, kind) in enumerate(faces.values()) if kind != "unknown" or not in_cells[n]]
    beside, roots = pc.list_slice(beside.take(pa.array(used, pa.int64())), 0, MAX_CONTEXTS), [*faces]
    forms = {roots[n]: written_form(faces[roots[n]][0], lower_counts) for n in used}
    stated = {root: kind for root, (_, kind) in faces.items() if kind != "unknown"}
    akin = _akin(faces)
    versions = {
        root: "product" for root, (title, _) in faces.items() if root not in stated and VERSION.fullmatch(title)
    }
    kinds = infer_types(forms, beside, stated | akin) | akin | versions
    counts = {root: sum(entries[key].count for key in groups[root]) for root in kinds}
    return {
        root: (faces[root][0], kind)
        for root, kind in kinds.items()
        if may_be(faces[root][0], kind, lower_counts, counts[root])
    }


def may_be(name: str, kind: str, lower_counts: Mapping[str, int], count: int = 0) -> bool:
    """Tell whether a name may be of a type that its own words and those beside it do not state.

    No place or person is called by letters that are spelled or by numbers, no place by a word that the corpus has in
    small letters.
    """
    if IDENTIFIER.fullmatch(name) or (len(name) < MIN_LETTERS and name.isascii()):
        return kind in ("product", "concept")
    if kind not in ("person", "location"):
        return True
    if name.isupper() or any(c.isdigit() for c in name):  # "Ил-96-300", "Дакар-2006"
        return name.isupper() and len(name) > MAX_ACRONYM and "-" not in name
    if SPELLED.search(name):
        return False
    words = name.casefold().split()
    if kind == "location":
        return not lower_counts.get(name.casefold())
    return any(lower_counts.get(word, 0) < max(MIN_COMMON, count / SELDOM) or _of_a_person(word) for word in words)


def _of_a_person(word: str) -> bool:
    """Say whether a word that texts have in small letters, too, stands in a person's name: a title, or who one is."""
    return word.rstrip(".") in OF_PERSONS or word in GIVEN_NAMES or kind_of(word) == "person"


def _akin(faces: Mapping[str, Face]) -> dict[str, str]:
    """Return the types of untyped names that others share: a surname, a product before its number, a given name.

    >>> _akin({"a": ("Ann Li", "person"), "l": ("Li", "unknown"), "w": ("Word 7", "product"), "x": ("Word", "unknown")})
    {'l': 'person', 'x': 'product'}
    >>> _akin({"a": ("Ann", "person"), "l": ("Ann Li", "unknown"), "p": ("Ann Li Prize", "unknown")})
    {'l': 'person'}
    """
    kinds: dict[str, set[str]] = defaultdict(set)
    for title, kind in faces.values():
        *first, last = PARTS.split(title)
        if first:
            kinds[last if not last[:1].isdigit() else " ".join(first)].update({kind} - {"unknown"})
    unknown = {root: title for root, (title, kind) in faces.items() if kind == "unknown"}
    shared = {root: kinds.get(title, set()) for root, title in unknown.items()}
    akin = {root: next(iter(of)) for root, of in shared.items() if of in ({"person"}, {"product"})}
    people = {title for title, kind in faces.values() if kind == "person"}
    pairs = ((root, PARTS.split(title)) for root, title in unknown.items())
    return akin | {
        root: "person" for root, words in pairs if len(words) == 2 and words[0] in people and words[1].istitle()
    }


def commonest(names: Mapping[str, int]) -> str:
    """Return the name written most often; of equals one not all in capitals, then the longest, then the last.

    >>> commonest({"MARLEY": 2, "Marley": 2, "marley": 1})
    'Marley'
    """
    return max(names, key=lambda name: (names[name], not name.isupper(), len(name), name))


def majority_word(types: Mapping[str, int]) -> str:
    """Return the type that most mentions give, in lower case, ties by the alphabet; `unknown` where none gives one.

    >>> majority_word({"PERSON": 2, "person": 2, "Ghost": 3, "unknown": 9})
    'person'
    """
    votes: Counter[str] = Counter()
    for kind, count in types.items():
        votes[" ".join(kind.casefold().split())] += count
    known = sorted(kind for kind in votes if kind not in ("", "unknown"))
    return max(known, key=lambda kind: votes[kind], default="unknown")

"""The alias rung: a shorter name of exactly one longer name of a person.

A name is cut into its honorific and its words; the words of an alias are the first or the last words of the longer
name, or both with middle names left out. Every name is looked up by those word sequences, so the cost is linear in
the number of distinct (document, name) pairs.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter

from graphrag_lite.text.names.gazetteer import FEMALE_NAMES, GIVEN_NAMES, MALE_NAMES
from graphrag_lite.text.names.words import AND_WORDS, FEMALE_HONORIFICS, HONORIFICS, NEUTRAL_HONORIFICS
from graphrag_lite.text.word_lists import sections

_LISTS = {name: frozenset(words) for name, words in sections(__package__, "persons.txt").items()}
_DESCRIPTORS, _GIVEN_TITLES = _LISTS["descriptors"], _LISTS["given titles"]
_NO_PERSON = _LISTS["not in persons"] | AND_WORDS | {"&"}
_BEFORE_NAMES = (HONORIFICS | _DESCRIPTORS) - _LISTS["place titles"]
_FEMALE_TITLES, _MALE_TITLES = FEMALE_HONORIFICS | _LISTS["female titles"], _LISTS["male titles"]
_MAX_CANDIDATES = 20
# A surname that this many times as many documents use without the long name as have it is no short form of it even
# where both stand: Dell, beside Michael Dell.
_OWN_RATIO = 3
_OFTENER = 5
_OFTEN = 10  # times a name, that both its parts come up


@dataclass(frozen=True, slots=True)
class Person:
    """A name as a person's: `words` without `title`; `gender` is f, m or "" as far as title and given name tell.

    `sure` is False where the name may hold an opener of a sentence, `known` where nothing says that it is a person:
    such a name may still be shortened to its last word.
    """

    key: str
    words: tuple[str, ...]
    title: str
    gender: str
    sure: bool = True
    known: bool = True


def as_person(key: str, sure: bool = True) -> Person | None:
    """Return `key` (see `name_keys.exact_key`) cut as a person's name, None where it is a pair or has no name in it.

    >>> as_person("mrs cratchit")
    Person(key='mrs cratchit', words=('cratchit',), title='mrs', gender='f', sure=True, known=True)
    >>> as_person("mr and mrs cratchit")
    """
    words = tuple(key.split())
    first = 0
    gender = ""
    while first < len(words) - 1 and words[first] in _BEFORE_NAMES:
        if words[first] in _FEMALE_TITLES:
            gender = "f"
        elif words[first] in HONORIFICS and words[first] not in NEUTRAL_HONORIFICS:
            gender = "m"
        first += 1
    core = words[first:]
    if not _NO_PERSON.isdisjoint(core) or any(map(str.isdigit, key)):  # "CDC6600 Pascal"
        return None
    if (core[0] in HONORIFICS and len(core) == 1) or ("de" in core[1:] and core[0] not in GIVEN_NAMES):
        return None
    if not gender and (core[0] in _FEMALE_TITLES or core[0] in _MALE_TITLES):
        gender = "f" if core[0] in _FEMALE_TITLES else "m"
    if not gender and len(core) > 1:
        male, female = core[0] in MALE_NAMES, core[0] in FEMALE_NAMES
        gender = "" if male == female else "f" if female else "m"
    return Person(key, core, words[first - 1] if first else "", gender, sure)


class _Index:
    """Longer names by the word sequences that may stand for them."""

    def __init__(self) -> None:
        self._by_words: dict[tuple[str, tuple[str, ...]], list[Person]] = defaultdict(list)

    def add(self, person: Person) -> None:
        words = person.words
        n = len(words)
        for size in range(1, min(n, 4)):
            self._append("last", words[-size:], person)
        if not person.known:
            return
        self._append("first", words[:1], person)
        if n > 2:
            self._append("ends", (words[0], words[-1]), person)

    def _append(self, position: str, words: tuple[str, ...], person: Person) -> None:
        block = self._by_words[position, words]
        if len(block) <= _MAX_CANDIDATES:
            block.append(person)

    def find(self, short: Person) -> list[Person]:
        """Return the longer names that `short` may stand for; more than the limit stands for "too many"."""
        found = list(self._by_words.get(("last", short.words), ()))
        if len(short.words) == 1 and (not short.title or short.title in _GIVEN_TITLES or short.title in _DESCRIPTORS):
            found += self._by_words.get(("first", short.words), ())
        if len(short.words) == 2:
            found += self._by_words.get(("ends", short.words), ())
        found = [person for person in found if _agree(short, person)]
        return [person for person in found if person.sure] or found


def is_whole(short: Person, long: Person) -> bool:
    """Tell whether `short`, which may stand for `long`, has a given name and a surname itself."""
    first, *rest = short.words
    return bool(rest) and not short.title and (first == long.words[0] or first in GIVEN_NAMES)


def _agree(short: Person, long: Person) -> bool:
    if short.title and not long.known and short.title not in NEUTRAL_HONORIFICS | _DESCRIPTORS | {"mr", "ms"}:
        return False
    return _agree_in_gender(short, long)


def _agree_in_gender(short: Person, long: Person) -> bool:
    if short.gender and long.gender and short.gender != long.gender:
        return False
    # a wife was called by her husband's name, a daughter by her father's: Miss Crawley is not Rawdon Crawley
    by_surname = short.words[-1:] == long.words[-1:] and short.title != "ms"
    if short.words == long.words[: len(short.words)] and short.title in _GIVEN_TITLES - {"miss", "lady"}:
        by_surname = False  # Princess Gaitelgrima, Gaitelgrima
    return not (short.gender == "f" and short.title and by_surname and not long.gender)


def alias_in_documents(
    documents: Mapping[str, Mapping[str, tuple[int, int, int]]],
    persons: Mapping[str, Person],
    shorts: Mapping[str, Person],
) -> dict[tuple[str, str], str]:
    """Return (document, key) -> key of the longer name, "" where several would fit.

    `documents` holds the keys of each document with the first and the last text unit of each and how often it comes up,
    `persons` the keys that may be a longer name, `shorts` those that may be a shorter one. Of several longer names that
    one is meant that comes up `_OFTENER` times as often as all others. A given name does not stand for a full name that
    comes up only in a text unit after its last use: "Joe", before "Joe Miller" never made such a joke.
    """
    decided: dict[tuple[str, str], str] = {}
    several = {key for key, person in persons.items() if len(person.words) > 1}
    for document in sorted(documents):
        held = documents[document]
        if len(held) < 2:  # a name alone in its document is short for no other there
            continue
        own = [shorts[key] for key in held.keys() & shorts.keys()]
        if not own:
            continue
        longs = [persons[key] for key in sorted(held.keys() & several) if not _is_two(key, held)]
        if not (longs or any(short.title for short in own)):
            continue
        longest = _longest(longs)
        if not any(short.title or _may_end(short, longest) for short in own):
            continue
        own.sort(key=attrgetter("key"))
        index = _Index()
        for person in longs:
            index.add(person)
        roots: dict[str, str] = {}
        bare = {person.words: person for person in own if not person.title}
        given = {person.words[0] for person in own if len(person.words) == 1 and not person.title}
        for short in sorted(own, key=lambda person: (-len(person.words), bool(person.title), person.key)):
            if short.title and len(short.words) > 1 and short.words in bare and _agree(short, bare[short.words]):
                decided[document, short.key] = roots[short.key] = bare[short.words].key
                continue
            found = index.find(short)
            last = held[short.key][1]
            if all(short.words == person.words[:1] and held[person.key][0] > last for person in found):
                found = []
            if short.title in ("mrs", "mme", "frau"):  # a child is called by its given name, its mother is not
                found = [person for person in found if person.words[0] not in given]
            root = _root(short, found, roots, {person.key: held[person.key][2] for person in found})
            if root is not None:
                roots[short.key] = root or short.key
                decided[document, short.key] = root
        for short in own:  # "Mr. Fezziwig" and "Fezziwig", where no Mrs. Fezziwig lives and no full name is known
            if short.title and short.key not in roots and short.words in bare:
                titled = {other.gender for other in own if other.title and other.words == short.words}
                root = roots.get(bare[short.words].key) or bare[short.words].key
                if len(titled - {""}) <= 1 and (root not in persons or _agree_in_gender(short, persons[root])):
                    decided[document, short.key] = root
    return decided


def _longest(persons: Iterable[Person]) -> dict[str, int]:
    """Return how many words the longest name has that begins or ends with a word, by word."""
    found: dict[str, int] = {}
    for person in persons:
        for word in (person.words[0], person.words[-1]):
            found[word] = max(found.get(word, 0), len(person.words))
    return found


def _may_end(short: Person, longest: Mapping[str, int]) -> bool:
    """Tell whether a longer name begins or ends with a word that a name begins or ends with: no other is found."""
    return max(longest.get(short.words[0], 0), longest.get(short.words[-1], 0)) > len(short.words)


def _is_two(key: str, held: Mapping[str, tuple[int, int, int]]) -> bool:
    """Tell whether a name is rather two that stand side by side: "given Margaret Howards End", which both are all over.

    >>> _is_two("ann oslo", {"ann oslo": (0, 0, 1), "ann": (0, 9, 60), "oslo": (2, 9, 12)})
    True
    """
    first, _, rest = key.partition(" ")
    n = min(held[part][2] if part in held else 0 for part in (first, rest))
    return n >= _OFTEN * held[key][2]


def _root(
    short: Person, candidates: Iterable[Person], roots: Mapping[str, str], counts: Mapping[str, int]
) -> str | None:
    """Return the one root of `candidates`, or the one that is meant by far the most; else "", None if there is none."""
    found: Counter[str] = Counter()
    for person in candidates:
        found[_follow(person.key, roots)] += counts[person.key]
    found.pop(short.key, None)
    if not found:
        return None
    (best, n), *_ = found.most_common(1)
    return best if n > _OFTENER * (found.total() - n) else ""


def _follow(key: str, roots: Mapping[str, str]) -> str:
    seen = {key}
    while roots.get(key, key) not in seen:
        key = roots[key]
        seen.add(key)
    return key


def alias_in_corpus(
    in_documents: Mapping[tuple[str, str], str],
    persons: Mapping[str, Person],
    shorts: Mapping[str, Person],
    n_documents: Mapping[str, int],
) -> tuple[dict[str, str], set[tuple[str, str]]]:
    """Return key -> key of the longer name, for keys that mean the same in every document that tells.

    The second is what of `in_documents` does not hold, since the key is a name of its own.
    At least one document must have used both. If no other longer name in the corpus fits, that is enough; else four
    of five documents that tell, and at least two, must agree. `n_documents` counts the documents of every key: a rare
    long name takes no frequent short one. What is no whole name itself must stand without the longer name in fewer
    documents than have the longer one. A surname that is without it in many more is no short name in any document.
    """
    meant: dict[str, Counter[str]] = defaultdict(Counter)
    for (_, key), root in sorted(in_documents.items()):
        meant[key][root] += 1
    silent = {key: n_documents[key] - direct.total() for key, direct in meant.items()}
    reach = Counter(n_documents)  # documents with a long name, or with another that stands for it
    for key, direct in meant.items():
        reach.update({root: silent[key] for root in direct if root in persons and is_whole(shorts[key], persons[root])})
    index = _Index()
    for key in sorted(persons):
        if len(persons[key].words) > 1:
            index.add(persons[key])
    decided: dict[str, str] = {}
    for key, direct in sorted(
        meant.items(), key=lambda item: (item[0] in shorts and bool(shorts[item[0]].title), item[0])
    ):
        votes: Counter[str] = Counter()  # bare names are decided before titled ones
        for root, count in direct.items():
            votes[_follow(root, decided)] += count
        votes.pop("", None)
        votes.pop(key, None)
        if not votes:
            continue
        root, count = max(votes.items(), key=lambda item: (item[1], item[0]))
        if silent[key] >= reach[root]:
            continue
        if count > 1 and count >= 0.8 * votes.total():
            decided[key] = root
            continue
        family = {_follow(person.key, decided) for person in index.find(shorts[key])} if key in shorts else set()
        if {_single(other, meant) for other in family} <= {root, key}:
            decided[key] = root
    own = {
        (document, key)
        for (document, key), root in in_documents.items()
        if root and " " not in key and key not in GIVEN_NAMES and silent[key] > _OWN_RATIO * reach[root]
    }
    return decided, own


def _single(key: str, meant: Mapping[str, Counter[str]]) -> str:
    roots = meant.get(key, Counter())
    return next(iter(roots)) if len(roots) == 1 and "" not in roots else key

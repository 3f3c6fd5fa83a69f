"""Pairs of entities whose names are similar, but not similar enough: the questions of the model rung of resolution.

Names meet where they share a rare word or a rare 3-gram, where they are one letter apart, or where one is the initials
of the other; blocks of common words are left out, so the cost is near linear in the number of names. What meets is
compared by words: what the two do not share must be little and on one side only, or nearly the same on both, or stand
beside words that hardly any other name holds.

Of 12,000 names without types (`musique_openie`) a first version made 5,500 pairs, 28% of them by one rare word that two
longer names shared, of which 1 in 40 was one entity; hence the possessive or the second word that it needs now.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from graphrag_lite.resolution.name_similarity import NUMERAL, grams_of
from graphrag_lite.text.folding import unmarked
from graphrag_lite.text.names.words import CORPORATE, FEMALE_HONORIFICS, HONORIFICS, NEUTRAL_HONORIFICS

MAX_BLOCK = 30  # names that share a word or a 3-gram; where more do, it says nothing
TELLING = 10  # names that share a word by which a part of a name can mean the whole: "Gutenberg"
RARE = 3  # names that share a word which speaks for itself: "Jacob Marley", "Marley's ghost"
MIN_JACCARD = 0.5  # of the 3-grams of what two names do not share
MAX_PAIRS = 4  # of one entity: its likest
MIN_JACCARD_ALONE = 0.6  # the same, of names that share no word
SHORT = range(5, 10)  # letters of a single word that may be one letter apart from another
# Small words inside names. Not all function words: "US" and "May" are names, and so is Kim Jong Un.
PARTICLES = frozenset(
    "of the and for in on at to a an de la le les du des di da del der die das van von und y e et".split()
)

Words = tuple[str, ...]


def grey_pairs(
    entities: Mapping[str, str], types: Mapping[str, frozenset[str]], most: int = MAX_PAIRS
) -> list[tuple[str, str]]:
    """Return the pairs (a < b) of entities that may be one, likest first, ties by name.

    `entities` tells which entity each name key means (`name_keys.exact_key`), `types` what types its mentions give an
    entity; those that share none, or whose names hold other numerals or titles of another sex, do not meet. An entity
    is in `most` pairs at most: its likest.

    >>> names = ["jacob marley", "marleys ghost", "john smith", "jon smith", "world war i", "world war ii", "www"]
    >>> grey_pairs({name: name for name in names}, {})
    [('john smith', 'jon smith'), ('jacob marley', 'marleys ghost')]
    """
    words = {key: _words(key) for key in sorted(entities)}
    frequency = Counter(word for held in words.values() for word in set(held))
    found: dict[tuple[str, str], float] = {}
    for one, other in _meeting(words, frequency):
        pair = min(entities[one], entities[other]), max(entities[one], entities[other])
        if pair[0] == pair[1] or not _compatible(types.get(pair[0]), types.get(pair[1])):
            continue
        if NUMERAL.findall(one) != NUMERAL.findall(other) or {_gender(one), _gender(other)} == {"f", "m"}:
            continue
        if (score := _likeness(one, other, words, frequency)) > found.get(pair, 0.0):
            found[pair] = score
    n_pairs: Counter[str] = Counter()
    selected = []
    for pair in sorted(found, key=lambda pair: (-found[pair], pair)):
        if max(n_pairs[pair[0]], n_pairs[pair[1]]) < most:
            n_pairs.update(pair)
            selected.append(pair)
    return selected


def _compatible(one: frozenset[str] | None, other: frozenset[str] | None) -> bool:
    return not one or not other or bool(one & other)


def _gender(key: str) -> str:
    """Return f or m where a title tells it."""
    titles = HONORIFICS.intersection(key.split()) - NEUTRAL_HONORIFICS
    return "" if not titles else "f" if titles & FEMALE_HONORIFICS else "m"


def _words(key: str) -> Words:
    """Return what tells a name from others: without its title, legal form, small words, accents and plural.

    >>> _words("mr jacob marleys ghost"), _words("banque de québec ltd"), _words("inspector general of police")
    (('jacob', 'marley', 'ghost'), ('banque', 'quebec'), ('inspector', 'general', 'police'))
    """
    key = unmarked(key)
    words = key.split()
    while len(words) > 1 and words[-1] in CORPORATE:
        words.pop()
    titles = next((i for i, word in enumerate(words) if word not in HONORIFICS), len(words))
    if titles < len(words) and words[titles] not in PARTICLES:
        words = words[titles:]
    telling = [word for word in words if word not in PARTICLES] or words
    return tuple(_singular(word) for word in telling)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] != "s" and word.isalpha() else word


def _meeting(words: Mapping[str, Words], frequency: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield pairs of keys that are worth a comparison; some more than once."""
    blocks: dict[tuple[str, str], list[str]] = defaultdict(list)
    initials: dict[str, list[str]] = defaultdict(list)
    for key, held in words.items():
        joined = " ".join(held)
        blocks["form", " ".join(sorted(held))].append(key)
        for word in sorted(set(held)):
            if 1 < frequency[word] <= MAX_BLOCK and len(word) > 1:
                blocks["word", word].append(key)
        for gram in sorted(_grams(joined)):
            blocks["gram", gram].append(key)
        if len(held) == 1 and len(joined) in SHORT and joined.isalpha():
            for variant in sorted({joined, *(joined[:i] + joined[i + 1 :] for i in range(len(joined)))}):
                blocks["letter", variant].append(key)
        for short in sorted(_initials(key, held)):
            initials[short].append(key)
    for (kind, _), block in blocks.items():
        if 1 < len(block) <= MAX_BLOCK:
            if kind != "gram":
                yield from combinations(block, 2)
                continue
            for one, other in combinations(block, 2):
                if 2 * min(len(one), len(other)) >= max(len(one), len(other)) or not one.isascii():
                    yield one, other
    for short, longs in initials.items():
        if short in words and len(longs) <= RARE:
            yield from ((short, long) for long in longs)


def _grams(text: str) -> frozenset[str]:
    """Return 3-grams, or 2-grams of a script without case, whose names are short."""
    if not _caseless(text):
        return grams_of(text)
    return frozenset(text[i : i + 2] for i in range(len(text) - 1)) or frozenset((text,))


def _caseless(text: str) -> bool:
    return not text.isascii() and text.upper() == text


def _initials(key: str, held: Words) -> set[str]:
    """Return the initials of a name, with and without its small words.

    >>> sorted(_initials("bank of england", ("bank", "england")))
    ['be', 'boe']
    """
    return {"".join(word[0] for word in words) for words in (key.split(), held) if len(words) > 1}


def _likeness(one: str, other: str, words: Mapping[str, Words], frequency: Mapping[str, int]) -> float:
    """Return how likely two names are one entity's, from their form alone: 0 not at all, to 1."""
    a, b = words[one], words[other]
    if sorted(a) == sorted(b):
        return 1.0 if a == b else 0.95
    if one in _initials(other, b) or other in _initials(one, a):
        return 0.9
    shared = set(a) & set(b)
    rest_a, rest_b = [word for word in a if word not in shared], [word for word in b if word not in shared]
    if rest_a and rest_b and (alike := _alike(rest_a, rest_b, bool(shared))):
        return 0.4 + 0.4 * alike
    rarest = min((frequency[word] for word in shared if len(word) > 2 and not word.isdigit()), default=MAX_BLOCK)
    if not rest_a or not rest_b:
        half = 2 * len(shared) >= max(len(a), len(b))
        return 0.4 + 0.4 * len(shared) / max(len(a), len(b)) if half and rarest <= TELLING else 0.0
    possessive = bool(set(one.split()) & shared != set(other.split()) & shared) and max(len(a), len(b)) == 2
    return 0.4 if rarest <= RARE and (len(shared) > 1 or possessive) else 0.0


def _alike(a: Sequence[str], b: Sequence[str], beside_shared: bool) -> float:
    """Return how alike what two names do not share is, 0 where it is not: a slip, a short form, initials.

    Less is asked of words beside others that the two names share.

    >>> _alike(["john"], ["jon"], True), _alike(["robert"], ["r"], True), _alike(["peter"], ["martha"], True)
    (0.7, 0.8, 0)
    """
    short, long = sorted((" ".join(a), " ".join(b)), key=lambda text: (len(text), text))
    if beside_shared:
        pairs = list(zip(a, b, strict=False))
        if len(a) == len(b) and all(x[0] == y[0] and (x == y or min(len(x), len(y)) == 1) for x, y in pairs):
            return 0.8
        if long.startswith(short) and len(short) >= 3:
            return 0.8
    if _caseless(short):  # names without blanks, whose every character tells more
        part = len(short) >= 2 and (long.startswith(short) or long.endswith(short))
        return 0.7 if part or (len(short) >= 4 and _one_edit(short, long)) else 0
    grams = _grams(short), _grams(long)
    jaccard = len(grams[0] & grams[1]) / len(grams[0] | grams[1])
    if jaccard >= (MIN_JACCARD if beside_shared else MIN_JACCARD_ALONE):
        return jaccard
    return 0.7 if len(short) >= (3 if beside_shared else SHORT.start) and _one_edit(short, long) else 0


def _one_edit(short: str, long: str) -> bool:
    """Tell whether one letter added, changed, or swapped with the next makes `long` of `short`.

    >>> _one_edit("jon", "john"), _one_edit("smith", "smyth"), _one_edit("brian", "brain"), _one_edit("ann", "amy")
    (True, True, True, False)
    """
    start = next((i for i, (x, y) in enumerate(zip(short, long, strict=False)) if x != y), len(short))
    if len(long) == len(short) + 1:
        return short[start:] == long[start + 1 :]
    swapped = long[start : start + 2] == short[start : start + 2][::-1] and short[start + 2 :] == long[start + 2 :]
    return len(long) == len(short) and (short[start + 1 :] == long[start + 1 :] or swapped)

"""The case forms of a name, in languages that decline names: Путин, Путина, Путиным; Warszawa, Warszawie.

A form is cut to its stem by the endings of its language, the longest and the shortest that fit: the -ей of "Сергей" is
none of its own, that of "Россией" is. Forms that share a stem are one name. Endings that make another name are not
among them: Иванов is not Иван.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping

MIN_STEM = 3  # letters

_EASTERN = """а я ы и у ю е о й ь ом ем ём ой ей ою ею ам ям ью ах ях ами ями ым им ый ий ая яя ое ее ую юю ого его ому
    ему ых их ыми ими і ї ові еві""".split()
_POLISH = (
    """a y i ę ą e o u ie owi iowi em iem om ami ach ego iego emu iemu ej iej im ym ich ych imi ymi zie cie""".split()
)
_CZECH = """a y e ě u ou o i í em ovi ům ech ích ách ami ého ému ým é ý á ém ých ými ou ova ovou""".split()
ENDINGS: Mapping[str, tuple[str, ...]] = {
    language: tuple(sorted(endings, key=len))
    for language, endings in {
        "ru": _EASTERN,
        "uk": _EASTERN,
        "be": _EASTERN,
        "pl": _POLISH,
        "cs": _CZECH,
        "sk": _CZECH,
    }.items()
}
_FOLDED = str.maketrans("óéáíýěůúżźśćńłё", "oeaiyeuuzzscnlе")


def case_forms(languages: Mapping[str, str], counts: Mapping[str, int]) -> dict[str, str]:
    """Return key -> the key that it is a case form of: the one used most, then the shortest, then the last by name.

    That is one order of all keys, so that no two join each other.

    `languages` has the language (ISO 639-1) of each key that may be declined, `counts` how often a key is used.

    >>> keys = ["владимир путин", "владимиром путиным", "иван", "иванов"]
    >>> case_forms(dict.fromkeys(keys, "ru"), {"владимир путин": 9, "владимиром путиным": 2, "иван": 1, "иванов": 1})
    {'владимиром путиным': 'владимир путин'}
    """
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for key in sorted(languages):
        for stem in {*_stems(key, ENDINGS.get(languages[key], ()))}:
            groups[languages[key], stem].append(key)
    roots: dict[str, str] = {}
    for _, group in sorted(groups.items()):
        root = max(group, key=lambda key: (counts[key], -len(key), key))
        roots |= {key: root for key in group if key != root}
    return roots


def _stems(key: str, endings: tuple[str, ...]) -> Iterator[str]:
    """Yield a key without the shortest and without the longest endings of its words."""
    for order in (endings, endings[::-1]):
        yield " ".join(_cut(word, order) for word in key.split()).translate(_FOLDED)


def _cut(word: str, endings: tuple[str, ...]) -> str:
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= MIN_STEM:
            return word[: -len(ending)]
    return word

"""The case forms of a name, in languages that decline names: Путин, Путина, Путиным; Warszawa, Warszawie.

A form is cut to its stem by the endings of its language, the longest and the shortest that fit: the -ей of "Сергей" is
none of its own, that of "Россией" is. Forms that share a stem are one name. Endings that make another name are not
among them: Иванов is not Иван. Nor are Hans and Williams forms of Han and William.
"""

from collections import defaultdict
from collections.abc import Mapping

from graphrag_lite.text.case_endings import ENDINGS, stems
from graphrag_lite.text.names.gazetteer import GIVEN_NAMES


def case_forms(languages: Mapping[str, str], counts: Mapping[str, int]) -> dict[str, str]:
    """Return key -> the key that it is a case form of: the one used most, then the shortest, then the last by name.

    That is one order of all keys, so that no two join each other.

    `languages` has the language (ISO 639-1) of each key that may be declined, `counts` how often a key is used.

    >>> keys = ["владимир путин", "владимиром путиным", "иван", "иванов"]
    >>> case_forms(dict.fromkeys(keys, "ru"), {"владимир путин": 9, "владимиром путиным": 2, "иван": 1, "иванов": 1})
    {'владимиром путиным': 'владимир путин'}
    >>> keys = ["merkel", "merkels", "william", "williams"]
    >>> case_forms(dict.fromkeys(keys, "de"), dict.fromkeys(keys, 1))
    {'merkels': 'merkel'}
    """
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for key in sorted(languages):
        for stem in {*stems(key, ENDINGS.get(languages[key], []), GIVEN_NAMES)}:
            groups[languages[key], stem].append(key)
    roots: dict[str, str] = {}
    for _, group in sorted(groups.items()):
        root = max(group, key=lambda key: (counts[key], -len(key), key))
        roots |= {key: root for key in group if key != root}
    return roots

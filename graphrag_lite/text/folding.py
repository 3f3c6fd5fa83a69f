"""Case, width and accents folded away, as words and names are compared; each function folds more than the last."""

import re
import unicodedata
from array import array
from functools import lru_cache

_ACCENTED_LATIN = re.compile("([a-z\u00e6\u00f8\u0153])[\u0300-\u036f]+")
_UNSEEN = "\u00ad\u200b-\u200f\u2060\ufeff"
_JOINING = r"[\u0300-\u036f\u3099\u309a\u1160-\u11ff]"
_ASCII = rf"(?P<ascii>[!-~]+(?: [!-~]+)*)(?!{_JOINING})"
_CLUSTER = re.compile(rf"(?P<space>\s+)|{_ASCII}|(?P<unseen>[{_UNSEEN}]+)|\S{_JOINING}{{0,8}}")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_ALIKE = str.maketrans(dict.fromkeys("‘’‚‛ʼ´`′", "'") | dict.fromkeys("“”„‟«»″", '"') | dict.fromkeys("‐‑‒–—―−", "-"))


def fold(text: str) -> str:
    """Return a text without differences of case and width.

    >>> fold("Ｓtraße")
    'strasse'
    """
    return unicodedata.normalize("NFKC", text).casefold()


def unaccented(text: str) -> str:
    """Return a folded text without the accents of its Latin letters; other scripts keep their marks.

    >>> unaccented("müller й")
    'muller й'
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _ACCENTED_LATIN.sub(r"\1", unicodedata.normalize("NFD", text)))


def unmarked(text: str) -> str:
    """Return a folded text without the marks of letters of any script, decomposed; itself where it is marks alone."""
    if text.isascii():
        return text
    return "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char)) or text


def fold_with_offsets(text: str) -> tuple[str, "array[int]"]:
    """Return `text` as it is compared, and for each of its characters the offset in `text` that it comes from.

    Case, width, accents of any letter, and kinds of quotation marks, dashes and white space are folded; characters that
    are not seen are left out. Every run of white space is one space.

    >>> fold_with_offsets("Ｍüller’s\\n  house")[0]
    "muller's house"
    """
    folded, offsets = [], array("l")
    for cluster in _CLUSTER.finditer(text):
        start = cluster.start()
        if cluster.lastgroup == "unseen":
            continue
        if cluster.lastgroup == "ascii":
            plain = cluster.group().lower().replace("`", "'")
            offsets.extend(range(start, cluster.end()))
        else:
            plain = " " if cluster.lastgroup else _folded_cluster(cluster.group())
            offsets.extend([start] * len(plain))
        folded.append(plain)
    return "".join(folded), offsets


@lru_cache(maxsize=10_000)
def _folded_cluster(cluster: str) -> str:
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", cluster.translate(_ALIKE)))
    return fold(bare).translate(_ALIKE)

"""Cut the endings of case forms off words, in languages that decline names: Россией, Россию, России."""

from collections.abc import Collection, Iterator, Sequence

from graphrag_lite.text.word_lists import sections

MIN_STEM = 3  # letters

ENDINGS = {
    language: sorted(endings, key=len)
    for codes, endings in sections(__package__, "case_endings.txt").items()
    for language in codes.split()
}
"""Endings by ISO 639-1 code, the shortest first."""
_FOLDED = str.maketrans("óéáíýěůúżźśćńłё", "oeaiyeuuzzscnlе")


def stems(name: str, endings: Sequence[str], whole: Collection[str] = ()) -> Iterator[str]:
    """Yield a casefolded name without the shortest, then without the longest endings of its words.

    The -ей of "Сергей" is none of its own, that of "Россией" is. Words of `whole` keep a last s, and take one.

    >>> list(stems("россией", ENDINGS["ru"]))
    ['россие', 'росси']
    """
    for order in (endings, endings[::-1]):
        yield " ".join(_cut(word, order, whole) for word in name.split()).translate(_FOLDED)


def _cut(word: str, endings: Sequence[str], whole: Collection[str]) -> str:
    if word in whole or (word.endswith("s") and word[:-1] in whole):
        endings = [ending for ending in endings if ending != "s"]
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= MIN_STEM:
            return word[: -len(ending)]
    return word

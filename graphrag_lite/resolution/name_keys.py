"""The exact rung: one key for all spellings of a name."""

import re

from graphrag_lite.text.folding import fold

_ELISION = re.compile(r"^[ld](?:['’])(?=\w)")
_APOSTROPHES = str.maketrans("", "", "'’‘ʼ`´")
_PUNCTUATION = re.compile(r"[^\w&+#]+|_+")
# Not "la", "le", "los": La Paz, Le Havre and Los Angeles would lose a part of their names.
_ARTICLES = frozenset("the a an les l der das ο η το".split())


def exact_key(name: str) -> str:
    """Fold case, width, punctuation, white space and a leading article of `name`.

    Single letters side by side become one word, so that all spellings of initials agree. The plural of an acronym is
    the acronym. A name of punctuation alone is its own key.

    >>> [exact_key(name) for name in ("The  Beatles", "L’Oréal", "J. R. R. Tolkien", "J.R.R. Tolkien", "U.S.", "APIs")]
    ['beatles', 'oréal', 'jrr tolkien', 'jrr tolkien', 'us', 'api']
    """
    if name[-1:] == "s" and len(name) > 2 and name[:-1].isupper() and name[:-1].isalpha():
        name = name[:-1]
    folded = fold(name).replace("i\u0307", "i")  # of a Turkish capital "İ"
    if folded.isalpha():
        return folded
    bare = _ELISION.sub("", folded).translate(_APOSTROPHES)
    words = _PUNCTUATION.sub(" ", bare).split()
    if len(words) > 1 and words[0] in _ARTICLES and len(words[1]) > 1:
        words = words[1:]
    joined: list[str] = []
    initials = False
    for word in words:
        initial = len(word) == 1 and word.isalpha() and word.isascii()
        if initial and initials:
            joined[-1] += word
        else:
            joined.append(word)
        initials = initial
    return " ".join(joined) or folded.strip() or folded

"""German writes every noun with a capital: what else says that a single word is a name, or that it is none.

Names of people and places mostly take no article and no adjective, and have no plural: "die Regierung" and
"Regierungen" show a noun. A name is shown by its shape (an acronym, digits), by what
types it, by a longer name that it is part of, and by "in", "aus" or "nach" right before it.
"""

import re

from graphrag_lite.text.names.lists import word_lists
from graphrag_lite.text.names.runs import Run
from graphrag_lite.text.names.tokens import JOIN, Tokens

_LISTS = word_lists("german")
_DETERMINERS, _NO_ADJECTIVE = _LISTS["determiner"], _LISTS["no_adjective"]
_ADJECTIVE = re.compile(r"[^\W\d_]{3,}(?:e|en|er|es|em)$")
_NOUN = re.compile(
    r"(?:ung|ungen|heit|heiten|keit|keiten|schaft|schaften|tion|tionen|tät|täten|ismus|nis|nisse|tum|ment|mente|ieren|"
    r"eur|eure|isten|innen|ling|linge|sal|zeug|werk)$"
)
_BARE = frozenset(("in", "aus", "nach"))
_ENDINGS = ("s", "es", "e", "en", "n", "er", "ern")


def plain_nouns(tokens: Tokens, runs: list[Run]) -> frozenset[str]:
    """Return the single words of `runs`, casefolded, that nothing but the capital makes a name in this text.

    >>> from graphrag_lite.text.names.tokens import tokenize
    >>> tokens = tokenize("Merkel reiste nach Palu, während in Berlin die Regierung mit Menschen sprach.", "de")
    >>> capitals = [Run(i, i + 1, i == 0) for i, is_capital in enumerate(tokens.capital) if is_capital]
    >>> sorted(plain_nouns(tokens, capitals))
    ['menschen', 'merkel', 'regierung']
    """
    single = {tokens.lower[run.first] for run in runs if run.last - run.first == 1}
    named = {word for run in runs if run.last - run.first > 1 for word in tokens.lower[run.first : run.last]}
    nouns = {word for word in single if _NOUN.search(word)}
    for run in runs:
        first, word = run.first, tokens.lower[run.first]
        if run.last - first > 1 or first == 0 or tokens.gaps[first] != JOIN:
            continue
        before = tokens.words[first - 1]
        if before in _DETERMINERS or before[0].isdigit() or (_ADJECTIVE.match(before) and before not in _NO_ADJECTIVE):
            nouns.add(word)
        elif before in _BARE:
            named.add(word)
    words = {word for i, word in enumerate(tokens.lower) if tokens.capital[i]}
    for word in single - nouns:
        inflected = any(word + ending in words for ending in _ENDINGS[1:])
        if inflected or any(word.endswith(ending) and word.removesuffix(ending) in nouns for ending in _ENDINGS):
            nouns.add(word)
    return frozenset(single - (named - nouns))

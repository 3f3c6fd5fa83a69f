"""Turkish: names take an apostrophe before the ending of a case ("İzmir'de"), other words do not ("denizde")."""

from graphrag_lite.text.names.runs import WordRun
from graphrag_lite.text.names.tokens import Tokens

_MIN_STEM, _LONGEST_ENDING = 4, 4  # letters


def inflected_words(tokens: Tokens, runs: list[WordRun]) -> frozenset[str]:
    """Return the single words of `runs`, casefolded, that a text has in small letters, too, with another ending.

    >>> from graphrag_lite.text.names.tokens import tokenize
    >>> tokens = tokenize("Denizin suyu soğuk. İzmir'in denizi güzel.", "tr")
    >>> capitals = [WordRun(i, i + 1, True) for i, is_capital in enumerate(tokens.capital) if is_capital]
    >>> sorted(inflected_words(tokens, capitals))
    ['denizin']
    """
    columns = zip(tokens.lower, tokens.capital, strict=True)
    small = {word[:n] for word, capital in columns if not capital for n in range(_MIN_STEM, len(word) + 1)}
    single = {tokens.lower[run.first] for run in runs if run.last - run.first == 1}
    owned = {tokens.lower[run.first] for run in runs if tokens.possessive[run.last - 1]}
    plain = (word for word in single - owned if word[: max(_MIN_STEM, len(word) - _LONGEST_ENDING)] in small)
    return frozenset(word for word in plain if len(word) > _MIN_STEM)

"""Whether a corpus has anything to say to a question, told without a model and without training.

Terms of a question meet in some passage by chance, too, but few of them: of n terms that a large corpus has here and
there, the luckiest passage holds one or two. So the share of the question that the best passage holds is compared with
1 / sqrt(n), and a question with a name that the corpus does not know needs the rest of it to be together.
"""

import math
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite.search.spelling import names_within
from graphrag_lite.text.words import ASKING, UNSPACED_CHARACTERS, terms

if TYPE_CHECKING:
    import numpy.typing as npt

    from graphrag_lite.search.bm25 import Bm25
    from graphrag_lite.search.loaded import Loaded

# What fits less is not answered. On eleven sets, 9 of 2,020 questions with an answer fit less, and 22 of 86 with none.
LEAST_FIT = 0.6
# In a corpus of three notes no word is rare; what is missing would weigh more than all that is there.
MIN_UNITS = 100
# An unknown n-gram of a script without spaces is often none of a word, but of the end of one and the start of another.
UNKNOWN_NGRAM = 0.5
# n-grams overlap: so much of a word is each for `fit`, and so much less for each character of hiragana, which write
# endings and particles, and meet by chance. At .75 to .8 and .25 to .5 it is about the same; below .75 more is refused.
NGRAM, HIRAGANA = 0.8, 1 / 3
# Times the weight of a word that the corpus does not hold, of one with a capital within the sentence: a question about
# Mongolia is not answered by what else it says. At 3, 11 of 2,020 questions with an answer are refused.
UNKNOWN_NAME = 2.0
NOUNS_HAVE_CAPITALS = ("de",)
UNSPACED = re.compile(f"[{UNSPACED_CHARACTERS}]")
_HIRAGANA = re.compile("[\u3041-\u309f]")


def weights(index: "Bm25", question_terms: Iterable[str]) -> dict[str, float]:
    """Return the idf of the distinct terms of a question that do more than ask, the highest for an unknown term."""
    units = max(index.n_units, MIN_UNITS)
    found = dict.fromkeys(term for term in question_terms if term not in ASKING)
    rows = {term: len(index.postings(term)[0]) for term in found}
    return {
        term: math.log1p((units - n + 0.5) / (n + 0.5)) * (1.0 if n or not UNSPACED.match(term) else UNKNOWN_NGRAM)
        for term, n in rows.items()
    }


def fit(
    index: "Bm25",
    asked: Iterable[str] | Mapping[str, float],
    hidden: "npt.NDArray[np.bool_] | None" = None,
) -> float:
    """Return how well the best passage that is not `hidden` (n_units,) fits: its share of the weight, times sqrt(n).

    `asked` are the terms of a question, or what each of them weighs.

    >>> from graphrag_lite.search.bm25 import build
    >>> index = build([["red", "fox", "ran"], ["hen"], ["hen", "sat"]])
    >>> round(fit(index, ["red", "fox"]), 2), round(fit(index, ["hen", "zebra", "moon", "tide"]), 2)
    (1.41, 0.38)
    """
    weighed = asked if isinstance(asked, Mapping) else weights(index, asked)
    held = np.zeros(index.n_units)
    whole = n_words = 0.0
    for term, weight in weighed.items():
        by_chance = HIRAGANA ** len(_HIRAGANA.findall(term))
        held[index.postings(term)[0]] += weight * by_chance
        whole += weight * by_chance
        n_words += NGRAM * by_chance if UNSPACED.match(term) else 1.0
    if hidden is not None:
        held[hidden] = 0.0
    return float(held.max(initial=0.0)) / whole * math.sqrt(max(n_words, 1.0)) if whole else 0.0


def as_said_and_read(index: "Loaded", question: str) -> dict[str, float]:
    """Return what each term of a question weighs, for whether the corpus says anything.

    A name that the corpus does not hold weighs more than another word, and a guess is half of its due: the word as
    written is as much as its reading.
    """
    language = index.question_language(question)
    weighed = weights(index.bm25, index.question_terms(question))
    if language not in NOUNS_HAVE_CAPITALS:
        for term in dict.fromkeys(terms(" ".join(names_within(question)), language)):
            if term in weighed and not len(index.bm25.postings(term)[0]):
                weighed[term] *= UNKNOWN_NAME
    for word, reading in index.readings(question).items():
        if any(map(str.isdigit, reading)):  # a number as titles write it is no guess
            continue
        as_read = weights(index.bm25, terms(reading, language))
        weighed |= dict.fromkeys(terms(word, language), sum(as_read.values()))
    return weighed

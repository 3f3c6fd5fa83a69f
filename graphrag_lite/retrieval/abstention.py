"""Whether a corpus has anything to say to a question, told without a model and without training.

Terms of a question meet in some passage by chance, too, but few of them: of n terms that a large corpus has here and
there, the luckiest passage holds one or two. So the share of the question that the best passage holds is compared with
1 / sqrt(n), and a question with a name that the corpus does not know needs the rest of it to be together.

How much a missing word tells depends on the corpus. Where every text brings words, or forms of words, that no other
has (a few notes, compounds, case endings that nothing strips), a question on its very subject does so too. The corpus
shows its own rate of them (Good 1953, Biometrika 40, "The population frequencies of species"), and a word that it does
not hold weighs no more than that allows.
"""

import math
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite.retrieval.bm25 import LEAST_STEM, Bm25, idf
from graphrag_lite.retrieval.question import NOUNS_HAVE_CAPITALS, Question
from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.language import closest_language
from graphrag_lite.text.words import UNSPACED, terms

if TYPE_CHECKING:
    import numpy.typing as npt

# What fits less is not answered.
LEAST_FIT = 0.6
# n-grams overlap: so much of a word is each for `fit`, and so much less for each character of hiragana, which write
# endings and particles, and meet by chance. At .75 to .8 and .25 to .5 it is about the same; below .75 more is refused.
NGRAM, HIRAGANA = 0.8, 1 / 3
# Times -log of the corpus's rate of new words: the most that a word weighs that it does not hold.
UNKNOWN_WORD = 1.5
# The rate of words that are new in their form only, from which words are looked for in other forms: .03 or less in
# English and French, .06 in German, .14 in it without its stemmer.
INFLECTED = 0.05
# The rate from which a word that is missing tells nothing: of questions with an answer over German without its stemmer
# 2% are refused although other forms count, and of English with made-up endings only 9% of other corpora's questions.
UNTOLD = 0.1
# That all there is besides a name is unknown to the corpus by chance: with one new word in three (German) 7% of the
# questions with an answer are so, none of 650 with one in ten or fewer.
BY_CHANCE = 0.1
_CODE = re.compile(r"\d[^\W\d]|[^\W\d]\d")
_HIRAGANA = re.compile("[\u3041-\u309f]")


def passage_fit(index: Bm25, weights: Mapping[str, float]) -> float:
    """Return how well the best passage fits what terms weigh: its share of their weight, times sqrt(n).

    >>> from graphrag_lite.retrieval.bm25 import build, term_idf
    >>> index = build([["red", "fox", "ran"], ["hen"], ["hen", "sat"]])
    >>> [round(passage_fit(index, term_idf(index, asked)), 2) for asked in (["red", "fox"], ["hen", "zebra", "moon",
    ...  "tide"])]
    [1.41, 0.38]
    """
    return _fit(index.n_units, ((term, weight, index.units_of(term)) for term, weight in weights.items()))


def _fit(n_units: int, found: "Iterable[tuple[str, float, npt.NDArray[np.int32]]]") -> float:
    """Return `fit` of terms with their weights and the text units that hold them."""
    held = np.zeros(n_units)
    whole = n_words = 0.0
    for term, weight, units in found:
        by_chance = HIRAGANA ** len(_HIRAGANA.findall(term))
        held[units] += weight * by_chance
        whole += weight * by_chance
        n_words += NGRAM * by_chance if UNSPACED.match(term) else 1.0
    return float(held.max(initial=0.0)) / whole * math.sqrt(max(n_words, 1.0)) if whole else 0.0


def says_nothing(question: Question, weights: Mapping[str, float], *, attributes: bool = True) -> bool | None:
    """Say whether no passage has anything to say to a question of such `weights`.

    Without `attributes`, how it asks for one ("How old") counts as no word of it: texts tell them in others.

    So it is where none fits, nor fits when a word that the corpus does not hold weighs no more than such words tell
    there and is found in other forms; and where of all that is asked of a known name the corpus holds not a word. None
    where it seems so and cannot be told (`cannot_tell`).
    """
    index = question.index.bm25
    fits = passage_fit(index, weights) >= LEAST_FIT
    if fits and not _nothing_but_names(question, weights, attributes) and not _names_nothing_known(question):
        return False
    if _names_nothing_known(question):
        return True
    if cannot_tell(question):
        return None
    return fits or _fit_at_most(index, weights, question.names) < LEAST_FIT


def cannot_tell(question: Question) -> bool:
    """Say whether words of a question may be missing whatever the texts say.

    So it is where the question is in another language, and where many words of a text are new in form only: a language
    with endings that nothing strips.
    """
    if question.index.bm25.novelty[1] >= UNTOLD:
        return True
    text = question.text
    for name in question.capitalized:  # "Ben" is no word of Dutch
        text = text.replace(name, " ")
    return closest_language(text, [question.analyzed_in, *FUNCTION_WORDS]) != question.analyzed_in


def _names_nothing_known(question: Question) -> bool:
    """Say whether a question in another language than the texts has names, and the corpus none of them.

    All that it shares with the texts are then words that are in every text.
    """
    if question.language in question.index.languages:
        return False
    names = [word for word in question.capitalized if not question.translated(word)]
    return bool(names) and not any(map(question.index.bm25.holds, question.terms_of(" ".join(names))))


def _nothing_but_names(question: Question, weights: Mapping[str, float], attributes: bool) -> bool:
    """Say whether the corpus knows names of a question and no other word, by more than chance.

    The first word, which may only say what to do ("Compare"), is not counted.
    """
    index, language = question.index.bm25, question.analyzed_in
    if all(map(index.holds, weights)):
        return False
    other_terms = weights.keys() - question.names - set(terms(question.text.split(maxsplit=1)[0], language))
    new = other_terms.difference(*(asking for _, asking in question.attributes if not attributes))
    return (
        language in FUNCTION_WORDS  # of another, a word that asks for nothing is taken for one that does
        and language not in NOUNS_HAVE_CAPITALS
        and len(new) > 0
        and not any(map(index.holds, other_terms))
        and index.novelty[0] ** len(new) <= BY_CHANCE
        and not any(len(_held(index, term)) for term in other_terms)
    )


def _fit_at_most(index: Bm25, weighed: Mapping[str, float], names: set[str]) -> float:
    """Return `fit` where an unknown word tells no more than the corpus allows, and words count in other forms.

    A name tells more than another word, but where names have forms. Codes of letters and digits ("FY22") are written in
    too many ways to tell anything. A question of more terms than a passage has room for is compared with what there is
    room for.
    """
    inflected = index.novelty[1] >= INFLECTED
    most = (1.0 if inflected else UNKNOWN_WORD) * -math.log(max(index.novelty[0], 1e-9)) / idf(index.n_units, 0)
    found = []
    for term, weight in weighed.items():
        held, exact = _held(index, term), index.units_of(term)
        if len(held) > len(exact):
            found.append((term, idf(index.n_units, len(held)), held))
        elif len(held) or UNSPACED.match(term) or (term in names and not inflected and not _CODE.search(term)):
            found.append((term, weight, held))
        elif not _CODE.search(term):
            found.append((term, weight * min(1.0, most), held))
    room = max(1.0, len(index.units) / max(index.n_units, 1))
    return _fit(index.n_units, found) * math.sqrt(max(1.0, len(found) / room))


def _held(index: Bm25, term: str) -> "npt.NDArray[np.int32]":
    """Return the text units, ascending, that hold a term, in any form where words have forms that nothing strips."""
    if index.novelty[1] < INFLECTED or len(term) < LEAST_STEM or UNSPACED.match(term) or any(map(str.isdigit, term)):
        return index.units_of(term)
    return np.unique(index.forms(term))

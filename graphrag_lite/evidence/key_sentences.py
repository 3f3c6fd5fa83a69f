"""Which sentences of several say most about what all of them are about, and not twice.

A sentence is worth the mean weight of its words: those weigh most that many of the sentences use and few elsewhere (the
centroid of MEAD: Radev et al. 2004). What has been said counts less from then on (Carbonell and Goldstein, SIGIR 1998).
"""

import math
from collections import Counter
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Protocol

import numpy as np

from graphrag_lite.evidence.distinct_sentences import cheapest_first, says_the_same

if TYPE_CHECKING:
    from numpy.typing import NDArray

REPEATED = 0.5  # what a term counts once it has been said
SHORT = 8  # words added to every sentence's: the mean of few is by chance


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence to choose from. `worth` is what it is worth whatever it says, 0 where it is no statement."""

    text: str
    terms: Collection[str]  # each once: a set of those that are chosen from
    length: int  # words, those without content too
    worth: float


class Worded(Protocol):
    """What has `terms`, each once."""

    @property
    def terms(self) -> Collection[str]: ...


def rounded_idf(sentences: Sequence[Worded]) -> dict[str, float]:
    """Return the idf of every term over all sentences of a corpus."""
    held = Counter(term for sentence in sentences for term in sentence.terms)
    worth = whole_idf(np.fromiter(held.values(), np.int64, len(held)), len(sentences))
    return dict(zip(held, worth.tolist(), strict=True))


def whole_idf(n_held: "NDArray[np.int64]", n_sentences: int) -> "NDArray[np.float64]":
    """Return the idf of terms that so many of all sentences hold, in whole bits, their number in quarters of one.

    So a text more changes the idf of few terms, of its own. What none holds is worth nothing.
    """
    n_all = 2 ** (round(4 * math.log2(max(n_sentences, 1))) / 4)
    return np.where(n_held, np.rint(np.log2(1 + n_all / np.maximum(n_held, 1))), 0.0)


def choose_sentences(
    sentences: Sequence[Sentence], most: int, idf: Mapping[str, float], used: Container[str] = frozenset()
) -> list[int]:
    """Return up to `most` of `ranked_sentences`.

    >>> said = ["whales sing low", "whales sing songs low", "whales eat krill", "birds"]
    >>> made = [Sentence(text, frozenset(text.split()), 3, float(text != "birds")) for text in said]
    >>> (choose_sentences(made, 4, rounded_idf(made)),
    ...  choose_sentences(made, 1, rounded_idf(made), {"whales sing low", "whales sing songs low"}))
    ([1, 2, 3], [2])
    """
    return list(islice(ranked_sentences(sentences, idf, used), most))


def ranked_sentences(
    sentences: Sequence[Sentence], idf: Mapping[str, float], used: Container[str] = frozenset()
) -> Iterator[int]:
    """Yield sentences by place, best first, ties by place; none says what one before it says.

    Those already `used` come after the rest, and what is no statement last of all.
    """
    weight = {
        term: idf[term] * math.log1p(n)
        for term, n in Counter(term for sentence in sentences for term in sentence.terms).items()
    }

    def cost(index: int) -> tuple[bool, bool, float]:
        sentence = sentences[index]
        lexical = math.fsum(weight[term] for term in sentence.terms) / (sentence.length + SHORT)
        return sentence.worth == 0, sentence.text in used, -lexical * (sentence.worth or 1.0)

    chosen: list[frozenset[str]] = []
    for index in cheapest_first(len(sentences), cost):
        own = frozenset(sentences[index].terms)
        if not says_the_same(own, chosen):
            yield index
            chosen.append(own)
            for term in sentences[index].terms:
                weight[term] *= REPEATED

"""The sentences of some text units that a description rests on, found by its words.

`evidence.name_spans` finds where a name stands in one text unit. Here a description that somebody else wrote is traced,
over all the units that it was made from, to the single sentence that says most of it, whether or not the name is in it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log

from graphrag_lite.text.sentences import is_statement, sentences, stands_alone, trimmed
from graphrag_lite.text.words import terms

MAX_UNITS = 24  # of one record that are read; the sentences of its first units introduce it
MAX_LENGTH = 800  # characters; what is longer is a table or a list, and cites badly
NAME_WEIGHT = 2.0  # of a word of the name, beside a word of the description
UNNAMED = 0.5  # of the score, for each name without a word in the sentence
SECOND = 0.7  # of the best sentence's score: what scores less is left out


@dataclass(frozen=True, slots=True)
class SourceSentence:
    """Characters [start, end) of a document, inside the text unit of number `unit`."""

    unit: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Unit:
    language: str
    spans: list[SourceSentence]
    factors: list[float]  # by sentence: lower where it is long, or says nothing on its own
    postings: dict[str, list[int]]  # term -> sentences


class SentenceIndex:
    """Text units by the terms of their sentences."""

    def __init__(self, units: Iterable[tuple[str, int, str]]) -> None:
        """Analyse text units, each (language, its first character in its document, text)."""
        self._units = [_unit(number, *unit) for number, unit in enumerate(units)]
        self._n_sentences = sum(len(unit.spans) for unit in self._units)
        self._frequencies = Counter[str]()
        for unit in self._units:
            self._frequencies.update({term: len(numbers) for term, numbers in unit.postings.items()})

    def best(self, units: Sequence[int], names: Sequence[str], description: str, most: int) -> list[SourceSentence]:
        """Return the sentences of `units` that say most of what a description says of some names, best first.

        A word counts its inverse frequency; a sentence without a word of one of the names counts less. Ties go by the
        order of units, then of sentences. None where no word is shared, as in a description of another language.

        >>> text = "Rain fell. Marley was dead, and Scrooge knew it. Scrooge was his friend."
        >>> SentenceIndex([("en", 0, text)]).best([0], ["MARLEY"], "Marley is dead.", most=1)
        [SourceSentence(unit=0, start=11, end=48)]
        """
        read = units[:MAX_UNITS]
        languages = dict.fromkeys(self._units[number].language for number in read)
        named = {language: [frozenset(terms(name, language)) for name in names] for language in languages}
        weights = {language: self._weights(language, named[language], description) for language in languages}
        found: list[tuple[float, int, SourceSentence]] = []
        for number in read:
            unit = self._units[number]
            scores: dict[int, float] = defaultdict(float)
            for term, weight in weights[unit.language].items():
                for sentence in unit.postings.get(term, ()):
                    scores[sentence] += weight
            for name in named[unit.language]:
                without = scores.keys() - {i for term in name for i in unit.postings.get(term, ())}
                scores |= {i: scores[i] * UNNAMED for i in without}
            found += [(score * unit.factors[i], len(found) + i, unit.spans[i]) for i, score in sorted(scores.items())]
        found.sort(key=lambda item: (-item[0], item[1]))
        chosen: dict[tuple[int, int], SourceSentence] = {}  # a sentence in the overlap of two units counts once
        for score, _, span in found:
            if len(chosen) == most or score < SECOND * found[0][0]:
                break
            chosen.setdefault((span.start, span.end), span)
        return list(chosen.values())

    def _weights(self, language: str, names: Sequence[frozenset[str]], description: str) -> dict[str, float]:
        weights = dict.fromkeys(terms(description, language), 1.0)
        weights |= dict.fromkeys(sorted(frozenset().union(*names)), NAME_WEIGHT)
        return {
            term: weight * log(1 + self._n_sentences / self._frequencies[term])
            for term, weight in weights.items()
            if term in self._frequencies
        }


def _unit(number: int, language: str, offset: int, text: str) -> _Unit:
    spans: list[SourceSentence] = []
    factors: list[float] = []
    postings: dict[str, list[int]] = defaultdict(list)
    for span in sentences(text, language):
        start, end = trimmed(text, *span)
        if not start < end <= start + MAX_LENGTH:
            continue
        sentence = text[start:end]
        own = sorted(set(terms(sentence, language)))
        for term in own:
            postings[term].append(len(spans))
        spans.append(SourceSentence(number, offset + start, offset + end))
        factor = 1.0 if stands_alone(sentence) else 0.85 if is_statement(sentence) else 0.6
        factors.append(factor / (8 + len(own)) ** 0.5)
    return _Unit(language, spans, factors, dict(postings))

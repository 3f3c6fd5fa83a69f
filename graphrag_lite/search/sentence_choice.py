"""Choose the sentences of some text units that answer a question best."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite.search.answer import Statement
from graphrag_lite.text.sentences import is_statement, sentences
from graphrag_lite.text.words import ASKING, terms

if TYPE_CHECKING:
    from graphrag_lite.search.loaded import Loaded

MIN_FRAGMENT, MAX_LENGTH = 25, 600  # characters; a shorter fragment is a heading, what is longer is no sentence
ENOUGH = 0.3  # of the best sentence's score: what scores less is left out
SIMILAR = 0.6  # Jaccard index of terms from which two sentences say the same


def choose_sentences(
    index: "Loaded", question_terms: Sequence[str], units: Sequence[int], most: int, told: Sequence[Statement] = ()
) -> list[Statement]:
    """Return up to `most` sentences, best first: those that hold the question's rarest terms, in the best units.

    A term counts its idf once, question words count nothing; what another chosen (or `told`) sentence says is left out.
    None where no sentence shares a term with the question.
    """
    weights = {term: _idf(index, term) for term in set(question_terms) - ASKING}
    candidates = []
    for rank, unit in enumerate(units):
        row = index.document_row[unit]
        language = index.arrow("documents")["language"][row].as_py()
        offset, text = (
            index.arrow("text_units")["char_start"][unit].as_py(),
            index.arrow("text_units")["text"][unit].as_py(),
        )
        for start, end in sentences(text, language):
            sentence = text[start:end].strip()
            fragment = not is_statement(sentence)
            if len(sentence) > MAX_LENGTH or (fragment and len(sentence) < MIN_FRAGMENT) or sentence.startswith("#"):
                continue
            own = frozenset(terms(sentence, language))
            score = sum(weights[term] for term in own & weights.keys())
            if score > 0:
                start += len(text[start:end]) - len(text[start:end].lstrip())
                place = Statement(unit, offset + start, offset + start + len(sentence))
                # A question or a heading rarely answers; the best unit does it better than the tenth.
                score *= (0.5 if fragment else 1.0) / np.log2(2 + rank) ** 0.5
                candidates.append((score, place, own))
    candidates.sort(key=lambda candidate: -candidate[0])
    chosen: list[Statement] = []
    said: list[frozenset[str]] = []
    places = {(index.document_row[s.unit], s.start) for s in told}
    for score, place, own in candidates:
        if len(chosen) == most or score < ENOUGH * candidates[0][0]:
            break
        key = (index.document_row[place.unit], place.start)
        if key not in places and all(len(own & other) < SIMILAR * len(own | other) for other in said):
            places.add(key)
            said.append(own)
            chosen.append(place)
    return chosen


def _idf(index: "Loaded", term: str) -> float:
    df = len(index.bm25.postings(term)[0])
    return float(np.log1p((index.bm25.n_units - df + 0.5) / (df + 0.5))) if df else 0.0

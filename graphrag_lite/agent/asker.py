"""Who asks: a question in the first person is about one person, and documents may say whose they are."""

import json
import re
from collections import defaultdict
from math import log
from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite.retrieval.top_k import best

if TYPE_CHECKING:
    import numpy.typing as npt

    from graphrag_lite.retrieval.question import Question

FIRST_PERSON = {
    "": r"I|I'm|I've|my|me|mine",
    "en": r"I|I'm|I've|my|me|mine",
    "de": r"ich|mich|mir|mein\w*",
    "fr": r"je|j'\w+|moi|mon|ma|mes",
    "es": r"yo|mí|mi|mis|me",
}  # words of the first person, by language
READ = 10  # best text units whose documents tell whose they are
MOST_SHARE = 0.1  # of the text units: what more of them share tells nobody from the others


def own_passages(question: "Question", scores: "npt.NDArray[np.float64]") -> "npt.NDArray[np.bool_]":
    """Return which text units are of whoever asks a question in the first person, shape (n_units,); else none.

    It is told by the text in metadata that the best text units have and few others.
    """
    index = question.index
    own = np.zeros(len(scores), np.bool_)
    words = FIRST_PERSON.get(question.language)
    if not words or not re.search(rf"(?<!\w)(?:{words})(?!\w)", question.text.replace("’", "'")):
        return own
    import pyarrow.compute as pc

    metadata = index.column("documents", "metadata")
    votes: dict[str, list[float]] = defaultdict(list)
    units = [unit for unit in best(scores, READ).tolist() if scores[unit] > 0]
    for rank, unit in enumerate(units, start=1):
        for name, value in json.loads(metadata[index.document_row[unit]].as_py() or "{}").items():
            if isinstance(value, str):  # a number counts or measures
                votes[json.dumps({name: value}, ensure_ascii=False)[1:-1]].append(float(scores[unit]) / rank)
    rows = np.asarray(index.document_row)
    worth: list[tuple[float, str, npt.NDArray[np.bool_]]] = []
    for stated, given in votes.items():
        of_documents = pc.match_substring(metadata, stated).combine_chunks().to_numpy(zero_copy_only=False)
        held = of_documents.astype(np.bool_)[rows]
        if held.mean() <= MOST_SHARE:
            worth.append((sum(given) * log(len(held) / held.sum()), stated, held))
    return max(worth, key=lambda one: one[:2])[2] if worth else own

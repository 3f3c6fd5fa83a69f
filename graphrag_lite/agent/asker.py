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


def own_passages(question: "Question", scores: "npt.NDArray[np.float64]") -> "npt.NDArray[np.float64]":
    """Return how likely text units are of whoever asks a question in the first person, shape (n_units,).

    The likeliest asker's have 1; all have 0 where a question is not in the first person. It is told by the text in
    metadata that the best text units have and few others.
    """
    index = question.index
    own: npt.NDArray[np.float64] = np.zeros(len(scores))
    words = FIRST_PERSON.get(question.language)
    if not words or not re.search(rf"(?<!\w)(?:{words})(?!\w)", question.text.replace("’", "'")):
        return own
    import pyarrow.compute as pc

    metadata = index.column("documents", "metadata")
    votes: dict[str, float] = defaultdict(float)
    units = [unit for unit in best(scores, READ).tolist() if scores[unit] > 0]
    for rank, unit in enumerate(units, start=1):
        for name, value in json.loads(metadata[index.document_row[unit]].as_py() or "{}").items():
            if isinstance(value, str):  # a number counts or measures
                votes[json.dumps({name: value}, ensure_ascii=False)[1:-1]] += float(scores[unit]) ** 2 / rank
    rows = np.asarray(index.document_row)
    for stated, given in votes.items():
        of_documents = pc.match_substring(metadata, stated).combine_chunks().to_numpy(zero_copy_only=False)
        held = of_documents.astype(np.bool_)[rows]
        if held.mean() <= MOST_SHARE:
            own = np.maximum(own, given * log(len(held) / held.sum()) * held)
    own /= max(own.max(initial=0.0), 1e-9)
    return own

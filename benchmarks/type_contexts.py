"""Count what stands beside names of each type: the file from which types are inferred where a corpus states few.

    python benchmarks/type_contexts.py DATA_FOLDER > graphrag_lite/resolution/type_contexts.tsv

takes passages of some sets at random, indexes them twenty at a time, as small corpora are, and counts the features
(`text.names.contexts`) of the names whose type a text states. First and last words of names are left out, which lists
know better, and features of fewer than `LEAST` names.
"""

import argparse
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graphrag_lite import pipeline
from graphrag_lite.resolution import faces
from graphrag_lite.settings import Settings
from graphrag_lite.text.names.contexts import JOINED

SETS = {
    "qa/2wiki": 600,
    "qa/musique": 600,
    "qa/timeqa": 400,
    "qa/xquad_de": 300,
    "corpora/ntrex_fra": 123,
    "corpora/ntrex_eng": 123,
    "qa/lihua_world": 200,
}  # passages of each
TYPES = ("person", "location", "organization", "work", "event", "product", "concept")
TOGETHER, LEAST = 20, 20
HEAD = """\
# How many names of each type have a feature (`text.names.contexts`) in passages of Wikipedia, news and chats (2Wiki,
# MuSiQue, TimeQA, XQuAD, NTREX, LiHua-World): counts by `benchmarks/type_contexts.py`, the first line of all names."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    totals: Counter[str] = Counter()
    counts: dict[str, Counter[str]] = defaultdict(Counter)

    def count(forms: Mapping[str, Sequence[str]], beside: Any, stated: Mapping[str, str]) -> dict[str, str]:
        for (key, form), mentions in zip(forms.items(), beside.to_pylist(), strict=True):
            if key in stated:
                totals[stated[key]] += 1
                held = [*form, *(feature for one in mentions for feature in one.split(JOINED))]
                for feature, n in Counter(held).items():
                    counts[feature][stated[key]] += n.bit_length()
        return {}

    vars(faces)["infer_types"] = count  # which asks, and gets no answer
    for name, n in SETS.items():
        rows = (folder / name / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
        random.Random(7).shuffle(rows)
        for first in range(0, min(n, len(rows)), TOGETHER):
            with tempfile.TemporaryDirectory() as place:
                corpus = Path(place) / "corpus.jsonl"
                corpus.write_text("\n".join(rows[first : min(first + TOGETHER, n)]), encoding="utf-8")
                pipeline.index(corpus, Path(place) / "output", Settings())
    print(HEAD, "\t".join(["", *TYPES]), _line("", totals), sep="\n")
    for feature, of in sorted(counts.items()):
        if feature[0] not in "^$" and sum(of[kind] for kind in TYPES) >= LEAST:
            print(_line(feature, of))


def _line(feature: str, counts: Mapping[str, int]) -> str:
    return "\t".join([feature, *(str(counts.get(kind) or "") for kind in TYPES)]).rstrip("\t")


if __name__ == "__main__":
    main()

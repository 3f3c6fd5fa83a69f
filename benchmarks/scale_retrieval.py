"""What retrieval costs on large indexes: time to open, time of a question, memory.

    python benchmarks/scale_retrieval.py [--folder FOLDER] [10000 100000 1000000]

writes a synthetic snapshot of so many text units and measures it in a process of its own. Words and entities have
Zipf's frequencies (of entities the commonest is in about 4% of the units), documents have one to five units and a title
that names an entity, a third of them a date. Only tables that retrieval reads are made, and texts; the model and the
rest of the pipeline are left out. A million units take about three minutes and 3 GB on the disk to write.
"""

import argparse
import datetime
import json
import resource
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from graphrag_lite import tables
from graphrag_lite.retrieval.bm25 import Bm25, build, lengths_of, mean_length, weigh
from graphrag_lite.retrieval.entity_names import key_of
from graphrag_lite.retrieval.postings import count_postings
from graphrag_lite.run import snapshots
from graphrag_lite.search.index import Index
from graphrag_lite.tables import segments
from graphrag_lite.text.words import terms

Ints = npt.NDArray[np.int64]

WORDS, NAMED = 80, 8  # of a text unit, mean
QUESTIONS = 200
FIRST_DAY = datetime.date(2015, 1, 1).toordinal()
CONSONANTS, VOWELS = "bcdfgklmnprstvz", "aiou"
SYLLABLES = [c + v for c in CONSONANTS for v in VOWELS]


def word(number: int) -> str:
    """Return a word that no stemmer shortens.

    >>> word(0), word(61), word(3600)
    ('babak', 'bibik', 'bababik')
    """
    syllables: list[str] = []
    while number or len(syllables) < 2:
        number, last = divmod(number, len(SYLLABLES))
        syllables.append(SYLLABLES[last])
    return "".join(reversed(syllables)) + "k"


def zipf(rng: np.random.Generator, n_kinds: int, size: int, shift: float) -> Ints:
    """Draw kinds with frequencies 1 / (rank + shift)."""
    cumulated = np.cumsum(1 / (np.arange(n_kinds) + 1 + shift))
    kinds: Ints = np.searchsorted(cumulated, rng.random(size, np.float32) * cumulated[-1]).clip(max=n_kinds - 1)
    return kinds


def lists(offsets: Any, values: Any, kind: pa.DataType) -> pa.ListArray:
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(values, kind))


def pairs(owners: Ints, members: Ints, n_members: int) -> tuple[Ints, Ints, Ints]:
    """Return owners and members of the distinct pairs, ordered by them, and how often each pair is there."""
    keys = owners * n_members + members
    keys.sort()
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    counts = np.diff(np.append(first, len(keys)))
    owner, member = np.divmod(keys[first], n_members)
    return owner, member, counts


def ends(owners: Ints, n_owners: int) -> Ints:
    return np.concatenate(([0], np.cumsum(np.bincount(owners, minlength=n_owners))))


def make(output: Path, n_units: int) -> None:
    """Write a published snapshot of so many text units, and `questions.json` beside it."""
    rng = np.random.default_rng(n_units)
    folder = output / "snapshots" / f"20260101T000000000000Z-{n_units}"
    (folder / "work").mkdir(parents=True)
    written: dict[str, pa.Table] = {}

    def write(name: str, /, **columns: Any) -> None:
        data = tables.make_columns(name, **columns)
        firsts = segments.first_rows([str(row) for row in range(n_units)]) if name == "search_terms" else [0]
        path = tables.write(folder, name, segments.split(data, firsts, n_units) if firsts[1:] else data)
        written[name] = {"rows": data.num_rows, "bytes": tables.size(path), "sha256": snapshots.table_digest(path)}

    # Documents and their text units.
    sizes = rng.integers(1, 6, n_units)
    sizes = sizes[: int(np.searchsorted(np.cumsum(sizes), n_units)) + 1]
    sizes[-1] -= sizes.sum() - n_units
    n_documents = len(sizes)
    document = np.repeat(np.arange(n_documents), sizes)
    dated = rng.random(n_documents) < 1 / 3
    days = np.where(dated, FIRST_DAY + rng.integers(0, 4000, n_documents), 0)

    # Names: each document is about an entity of its own; as many are only mentioned.
    n_entities, n_words = 2 * n_documents, 2_000 + 10 * int(n_units**0.75)
    owner = rng.permutation(n_entities)[:n_documents]  # entity that a document is about
    mentions = rng.poisson(NAMED - 1, n_units)
    unit = np.concatenate([np.repeat(np.arange(n_units), mentions), np.arange(n_units)])
    named = np.concatenate([zipf(rng, n_entities, int(mentions.sum()), 20), owner[document]])
    by_unit = pairs(unit, named, n_entities)
    by_entity = pairs(named, unit, n_units)
    defined = np.argsort(owner)  # documents by the entity that they are about
    defining = np.zeros(n_entities, np.int64)
    defining[owner] = sizes
    starts = np.cumsum(sizes) - sizes
    defines = np.concatenate([np.arange(starts[d], starts[d] + sizes[d]) for d in defined])
    write(
        "search_links",
        rows=lists(ends(by_entity[0], n_entities), by_entity[1], pa.int32()),
        counts=lists(ends(by_entity[0], n_entities), by_entity[2], pa.uint16()),
        defines=lists(np.concatenate(([0], np.cumsum(defining))), defines, pa.int32()),
    )
    of_units = {
        "document": document,
        "day": days[document],
        "order": np.where(dated, np.arange(n_documents) + 1, 0)[document],
        "entities": lists(ends(by_unit[0], n_units), by_unit[1], pa.int32()),
        "counts": lists(ends(by_unit[0], n_units), by_unit[2], pa.uint16()),
    }
    del unit, named, by_unit, by_entity
    names = [f"{word(60 + i % 997).title()} {word(3600 + i).title()}" for i in range(n_entities)]
    keys = sorted((key_of(name), name, entity) for entity, name in enumerate(names))
    write("search_names", key=[k for k, _, _ in keys], name=[n for _, n, _ in keys], entity=[e for _, _, e in keys])
    del keys

    # Words of the texts. A term is the number of its word.
    lengths = rng.integers(WORDS // 2, 3 * WORDS // 2, n_units)
    said = zipf(rng, n_words, int(lengths.sum()), 5)
    words = [word(i) for i in range(n_words)]
    assert all(terms(w, "en") == [w] for w in words[:1000])
    held = pairs(np.repeat(np.arange(n_units), lengths), said, n_words)
    bounds = pairwise(ends(held[0], n_units).tolist())
    counted = count_postings(
        ({words[i]: n for i, n in zip(held[1][a:b].tolist(), held[2][a:b].tolist(), strict=True)} for a, b in bounds),
        np.arange(n_units),
    )
    said_in = lengths_of(counted, n_units)
    postings(write, "search_terms", weigh(counted, said_in))
    write("search_units", length=said_in.astype(np.int32), **of_units)
    write("search_lengths", k1=[1.5], b=[0.75], mean=[mean_length(said_in)], n_units=[n_units], n_reports=[0])
    postings(write, "search_report_terms", build([]))
    sources = rng.integers(0, 50, n_documents)[document]
    rows = np.argsort(sources, kind="stable")
    write(
        "search_values",
        field=["source"] * 50,
        value=[f"{word(60 + i).title()} Gazette" for i in range(50)],
        rows=lists(np.concatenate(([0], np.cumsum(np.bincount(sources, minlength=50)))), rows, pa.int32()),
    )
    write("search_times", told=[[]] * n_units)
    questions = list(ask(rng, names, words, said, np.concatenate(([0], np.cumsum(lengths))), owner[document]))
    (output / "questions.json").write_text(json.dumps(questions), encoding="utf-8")

    texts = pa.chunked_array(list(spoken(pa.array(words), said, lengths)))
    ids = pa.array([tables.content_id(str(i)) for i in range(n_units)])
    document_ids = pa.array([tables.content_id("document", str(i)) for i in range(n_documents)])
    write_texts(write, texts, ids, document_ids, document, sizes, [names[i] for i in owner], days)
    for name in tables.FINAL:
        if name not in written:
            write(name, **{column: [] for column in tables.schema(name).names})
    written["entities"]["rows"] = n_entities
    manifest = {"id": folder.name, "schema_version": tables.SCHEMA_VERSION, "tables": written}
    snapshots.write_json(folder / snapshots.MANIFEST, {**manifest, "stages": {}, "settings": {}})
    tables.replace_file(output / "current", f"{folder.name}\n".encode())


def postings(write: Any, name: str, index: Bm25) -> None:
    offsets = np.asarray(index.offsets)
    write(
        name,
        term=pa.array(index.vocabulary, pa.string()),
        document_frequency=np.diff(offsets).astype(np.int32),
        rows=lists(offsets, index.units, pa.int32()),
        counts=lists(offsets, index.counts, pa.uint8()),
    )


def spoken(words: pa.Array, said: Ints, lengths: Ints) -> Any:
    """Yield the texts, some at a time."""
    at = 0
    for some in np.array_split(lengths, max(1, len(lengths) // 50_000)):
        of = words.take(pa.array(said[at : at + some.sum()]))
        offsets = pa.array(np.concatenate(([0], np.cumsum(some))), pa.int32())
        yield pc.binary_join(pa.ListArray.from_arrays(offsets, of), " ")
        at += some.sum()


def write_texts(
    write: Any, texts: Any, ids: pa.Array, owners: pa.Array, document: Ints, sizes: Ints, titles: list[str], days: Ints
) -> None:
    """Write text_units and documents; a document's text here is that of its first unit."""
    n, n_documents = len(ids), len(owners)
    lengths = pc.utf8_length(texts)
    starts = np.cumsum(sizes) - sizes
    none = pa.ListArray.from_arrays(pa.array(np.zeros(n + 1), pa.int32()), pa.array([], pa.string()))
    write(
        "text_units",
        id=ids,
        human_readable_id=np.arange(n),
        text=texts,
        n_tokens=pc.divide(lengths, 4).cast(pa.int64()),
        document_id=owners.take(pa.array(document)),
        entity_ids=none,
        relationship_ids=none,
        covariate_ids=none,
        ordinal=np.arange(n) - starts[document],
        char_start=np.zeros(n, np.int64),
        char_end=lengths.cast(pa.int64()),
    )
    dates = [datetime.date.fromordinal(day).isoformat() if day else "" for day in days.tolist()]
    empty = [""] * n_documents
    write(
        "documents",
        id=owners,
        human_readable_id=np.arange(n_documents),
        title=titles,
        text=texts.take(pa.array(starts)),
        text_unit_ids=lists(np.concatenate(([0], np.cumsum(sizes))), ids, pa.string()),
        creation_date=dates,
        raw_data=empty,
        source_id=[f"document-{i}" for i in range(n_documents)],
        path=["corpus.jsonl"] * n_documents,
        content_sha256=empty,
        mime=empty,
        language=["en"] * n_documents,
        created_at=dates,
        metadata=empty,
        blocks=[[]] * n_documents,
        messages=[[]] * n_documents,
    )


def ask(rng: np.random.Generator, names: list[str], words: list[str], said: Ints, offsets: Ints, about: Ints) -> Any:
    """Yield questions: six words of a text unit, common ones as often as in texts, and in every second its subject."""
    for number, unit in enumerate(rng.integers(0, len(about), QUESTIONS).tolist()):
        own = rng.choice(said[offsets[unit] : offsets[unit + 1]], 6, replace=False)
        name = f" of {names[about[unit]]}" if number % 2 else ""
        when = (" in March 2019", " now", "", "", "")[number % 5]
        yield f"Which {' '.join(words[i] for i in own)}{name}{when}?"


def once(index: Index, question: str, method: str) -> float:
    began = time.perf_counter()
    index.query(question, method, retrieve_only=True)
    return time.perf_counter() - began


def measure(output: Path) -> dict[str, float]:
    """Open an index and ask every question, three times each: the best counts, as other work disturbs the clock."""
    questions = json.loads((output / "questions.json").read_text(encoding="utf-8"))
    clock, cpu = time.perf_counter(), time.process_time()
    index = Index.open(output, overrides=("llm.model=null",))
    index.query(questions[0], retrieve_only=True)
    found = {
        "open and first answer, ms": 1000 * (time.perf_counter() - clock),
        "of this CPU, ms": 1000 * (time.process_time() - cpu),
    }
    for method in ("local", "basic"):
        seconds = [min(once(index, question, method) for _ in range(3)) for question in questions]
        p50, p95 = np.percentile(1000 * np.array(seconds), (50, 95))
        found |= {f"{method} p50, ms": p50, f"{method} p95, ms": p95}
    found["peak memory, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    anonymous = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("RssAnon"))
    found["of this not mapped, MB"] = int(anonymous.split()[1]) / 1024
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_units", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--folder", type=Path, help="Keep the indexes here, and measure those that are there already.")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.folder)))
        return
    rows: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for n_units in given.n_units:
            output = (given.folder or Path(scratch)) / str(n_units)
            began = time.perf_counter()
            if not (output / "current").exists():
                make(output, n_units)
            print(f"{n_units} units written in {time.perf_counter() - began:.0f} s", file=sys.stderr)
            command = [sys.executable, __file__, "--measure", "--folder", str(output)]
            found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
            size = sum(path.stat().st_size for path in (output / "snapshots").glob("*/work/search_*"))
            for name, value in {**found, "search tables, MB on disk": size / 1e6}.items():
                rows.setdefault(name, []).append(f"{value:.1f}" if value < 100 else f"{value:.0f}")
    print(
        "| text units | "
        + " | ".join(f"{n:,}" for n in given.n_units)
        + " |\n"
        + "| --- " * (1 + len(given.n_units))
        + "|"
    )
    for name, cells in rows.items():
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()

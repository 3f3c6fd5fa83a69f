"""What an update costs: model calls, tokens, reports and time of a run after 1% more text, against a run from nothing.

    python benchmarks/update_cost.py podcast_graphrag/corpus.jsonl msft_earnings/corpus.jsonl [--set ...]

Documents are transcripts in the order of their dates, or of their episodes, and long: 1.0 to 2.6% of the text each. So
each is cut at line ends into parts of about 10,000 characters, and a part is a document, a file of its own. The first
95% of the text is indexed, then 1% at a time; then, from the 95% again, one change of each other kind. The model is
`plausible_model`, in this process. CPU seconds leave out its own.
"""

import json
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import numpy as np
from plausible_model import Asked, PlausibleModel
from scipy.sparse import coo_matrix

from graphrag_lite import pipeline, tables
from graphrag_lite.graph.leiden import hierarchical_leiden, modularity
from graphrag_lite.ops import planning
from graphrag_lite.settings import Settings
from graphrag_lite.settings.file import load

PART = 10_000  # characters
FIRST, STEP, N_STEPS = 0.95, 0.01, 5  # shares of the text
EPISODE = re.compile(r"(?i)ep(?:isode)?[ -]*(\d+)")
KINDS = {
    "extract_graph.md": "first pass",
    "extract_graph_missed.md": "missed?",
    "extract_graph_more.md": "gleanings",
    "resolve_entities.md": "pairs",
    "summarize_descriptions.md": "descriptions",
    "report_communities.md": "reports",
}
SUMS = ("calls", "prompt_tokens", "completion_tokens")
SENTENCE = "And then Ada Lovelace told Grace Hopper in London that the engine was running again.\n"
Row = dict[str, Any]


def parts(corpus: Path) -> list[Row]:
    """Return the parts of all documents, in the order of dates or episodes."""
    rows = [json.loads(line) for line in corpus.read_text(encoding="utf-8").splitlines()]
    return [part for row in sorted(rows, key=_when) for part in _cut(row)]


def _when(row: Row) -> tuple[str, int, str]:
    found = EPISODE.search(row["title"])
    return row.get("timestamp") or "", int(found[1]) if found else 0, row["id"]


def _cut(row: Row) -> Iterator[Row]:
    n_parts = max(round(len(row["text"]) / PART), 1)
    lines, size, number = list[str](), 0, 0
    for line in row["text"].splitlines(keepends=True):
        lines.append(line)
        size += len(line)
        if size >= len(row["text"]) * (number + 1) / n_parts:
            yield {**row, "id": f"{row['id']}-{number:02}", "text": "".join(lines)}
            lines, number = [], number + 1


def cuts(rows: Sequence[Row]) -> list[int]:
    """Return how many parts are 95, 96 ... 100% of the text."""
    total = sum(len(row["text"]) for row in rows)
    found, size = [0] * (N_STEPS + 1), 0
    for number, row in enumerate(rows, start=1):
        size += len(row["text"])
        for step in range(N_STEPS + 1):
            if size <= (FIRST + step * STEP) * total + len(row["text"]) / 2:
                found[step] = number
    return [*found[:-1], len(rows)]


@dataclass(frozen=True)
class Held:
    """What a snapshot holds, read before a later run can remove it."""

    n_characters: int  # of all documents
    communities: dict[str, tuple[int, frozenset[str]]]  # id -> level, members
    reports: dict[str, str]  # id -> that of its community
    n_stale: int
    modularity: float
    modularity_anew: float  # of a partition made anew of the same graph

    @classmethod
    def of(cls, folder: Path, settings: Settings) -> "Held":
        rows = tables.read(folder, "communities", only=["id", "community", "level", "entity_ids"]).to_pylist()
        reports = tables.read(folder, "community_reports", only=["id", "community", "stale"]).to_pylist()
        ids = {row["community"]: row["id"] for row in rows}
        return cls(
            sum(map(len, tables.read(folder, "documents", only=["text"])["text"].to_pylist())),
            {row["id"]: (row["level"], frozenset(row["entity_ids"])) for row in rows},
            {row["id"]: ids[row["community"]] for row in reports},
            sum(row["stale"] for row in reports),
            *_modularities(folder, rows, settings),
        )


def _modularities(folder: Path, communities: Sequence[Row], settings: Settings) -> tuple[float, float]:
    """Return the modularity of level 0, and that of a level 0 made from nothing."""
    columns = ["source_id", "target_id", "weight"]
    read = tables.read(folder, "relationships", only=columns)
    edges = [read[name].to_pylist() for name in columns]
    node = {identity: i for i, identity in enumerate(sorted({i for row in communities for i in row["entity_ids"]}))}
    ends = [np.array([node[identity] for identity in edges[side]], dtype=np.int64) for side in (0, 1)]
    upper = coo_matrix((np.array(edges[2]), (ends[0], ends[1])), shape=(len(node), len(node))).tocsr()
    graph = (upper + upper.T).tocsr()
    labels, anew = np.zeros(len(node), dtype=np.int64), np.zeros(len(node), dtype=np.int64)
    for number, row in enumerate(row for row in communities if row["level"] == 0):
        labels[[node[identity] for identity in row["entity_ids"]]] = number
    section = settings.detect_communities
    found = hierarchical_leiden(
        graph, max_cluster_size=section.max_cluster_size, resolution=section.resolution, seed=section.seed
    )
    for number, community in enumerate(found):
        if community.level == 0:
            anew[community.members] = number
    return modularity(graph, labels), modularity(graph, anew)


@dataclass(frozen=True)
class Step:
    """One run: what it asked, what it was expected to ask, what it took (seconds), what was and is there."""

    name: str
    asked: dict[str, Asked]
    planned: planning.Plan | None
    seconds: float
    cpu: float
    before: Held | None
    after: Held


@dataclass(frozen=True)
class Bench:
    """A corpus folder and its index under a root."""

    root: Path
    settings: Settings
    model: PlausibleModel

    @property
    def corpus(self) -> Path:
        return self.root / "corpus"

    def path(self, name: str) -> Path:
        return self.corpus / f"{name}.json"

    def write(self, rows: Iterable[Row]) -> None:
        self.corpus.mkdir(parents=True, exist_ok=True)
        for row in rows:
            self.path(row["id"]).write_text(json.dumps(row), encoding="utf-8")

    def copied(self, name: str) -> "Bench":
        """Return a copy of this corpus and index, to be changed in another way."""
        root = self.root.with_name(name)
        shutil.copytree(self.root, root, symlinks=True)
        return Bench(root, self.settings, self.model)

    def run(self, name: str, before: Held | None) -> Step:
        """Bring the index up to date."""
        output = self.root / "output"
        chat = self.model if self.settings.method == "standard" else None
        planned = planning.plan(self.corpus, output, self.settings, chat) if before and chat else None
        self.model.take()
        wall, cpu = time.perf_counter(), time.process_time()
        run = pipeline.index(self.corpus, output, self.settings, model=chat)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        asked, own = self.model.take()
        calls = sum(kind.calls for kind in asked.values())
        click.echo(f"{name}: {calls} calls, {wall:.0f} s", err=True)
        return Step(name, asked, planned, wall - own, cpu - own, before, Held.of(run.snapshot, self.settings))


@dataclass(frozen=True)
class Anew:
    """Two runs from nothing, over the first 95% and over all; what lies between is taken to grow with the text."""

    first: Step
    whole: Step

    def at(self, step: Step, of: Callable[[Step], float]) -> float:
        """Return a figure of a run from nothing over the text that a step ended with."""
        low, high = of(self.first), of(self.whole)
        sizes = [each.after.n_characters for each in (self.first, self.whole, step)]
        return low + (high - low) * (sizes[2] - sizes[0]) / (sizes[1] - sizes[0])


def measure(rows: Sequence[Row], settings: Settings, folder: Path) -> tuple[list[Step], Anew]:
    """Index 95%, make changes of each kind, each of its own copy; then add 1% at a time to the 95%."""
    marks = cuts(rows)
    bench = Bench(folder / "index", settings, PlausibleModel())
    bench.write(rows[: marks[0]])
    first = bench.run("95%", None)
    edited = rows[marks[0] // 2]
    changes: dict[str, Callable[[Bench], object]] = {
        "nothing": lambda _: None,
        "a sentence more": lambda bench: bench.write([_edited(edited)]),
        "one renamed": lambda bench: bench.path(edited["id"]).rename(bench.path("renamed")),
        "one deleted": lambda bench: bench.path(edited["id"]).unlink(),
    }
    others = []
    for name, change in changes.items():
        copy = bench.copied("copy")
        change(copy)
        others.append(copy.run(name, first.after))
        shutil.rmtree(copy.root)
    steps = [first]
    for start, stop in pairwise(marks):
        bench.write(rows[start:stop])
        share = sum(len(row["text"]) for row in rows[start:stop]) / first.after.n_characters
        steps.append(bench.run(f"+{share:.1%}", steps[-1].after))
    fresh = Bench(folder / "fresh", settings, bench.model)
    fresh.write(rows)
    return [*steps, *others], Anew(first, fresh.run("all", None))


def _edited(row: Row) -> Row:
    """Return a document with a sentence more in its middle."""
    lines = row["text"].splitlines(keepends=True)
    middle = len(lines) // 2
    return {**row, "text": "".join([*lines[:middle], SENTENCE, *lines[middle:]])}


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [heads, ["---"] * len(heads), *rows])


def _share(part: float, whole: float) -> str:
    return f"{part} ({part / whole:.1%})" if part and whole else str(part)


def changes_table(steps: Sequence[Step], anew: Anew) -> str:
    """Return what became of communities and reports."""
    heads = ["", "communities with other members", "of new ids", "reports written", "of new communities"]
    heads += ["kept stale", "modularity", "anew", "s", "CPU s", "CPU s from nothing"]
    rows = []
    for step in steps:
        before, after = step.before, step.after
        groups = set(before.communities.values()) if before else set()
        moved = [identity for identity, group in after.communities.items() if group not in groups]
        new = [identity for identity in after.communities if not before or identity not in before.communities]
        written = [report for report in after.reports if not before or report not in before.reports]
        of_new = sum(after.reports[report] in set(new) for report in written)
        rows.append(
            [
                step.name,
                _share(len(moved), len(after.communities)),
                _share(len(new), len(after.communities)),
                _share(len(written), len(after.reports)),
                str(of_new),
                str(after.n_stale),
                f"{after.modularity:.3f}",
                f"{after.modularity_anew:.3f}",
                f"{step.seconds:.1f}",
                f"{step.cpu:.1f}",
                f"{anew.at(step, lambda run: run.cpu):.1f}",
            ]
        )
    return table(heads, rows)


def calls_table(steps: Sequence[Step], anew: Anew) -> str:
    """Return what was asked of the model, with its share of a run from nothing, and what `plan` had said."""
    heads = ["", "calls", "prompt tokens", "completion tokens", *KINDS.values(), "plan: calls", "prompt", "completion"]
    asked = [partial(_asked, name) for name in SUMS] + [partial(_calls, kind) for kind in KINDS]
    rows = []
    for step in steps:
        plan = step.planned.total if step.planned else None
        rows.append(
            [
                step.name,
                *(_share(of(step), anew.at(step, of)) for of in asked),
                *(str(getattr(plan, name)) if plan else "" for name in SUMS),
            ]
        )
    return table(heads, rows)


def _asked(name: str, step: Step) -> int:
    return sum(getattr(asked, name) for asked in step.asked.values())


def _calls(kind: str, step: Step) -> int:
    return step.asked.get(kind, Asked()).calls


@click.command()
@click.argument("corpora", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.option("--method", "methods", multiple=True, default=("fast", "standard"), show_default=True)
@click.option("--set", "overrides", multiple=True, help="A setting, as for `graphrag-lite index`.")
def main(corpora: tuple[Path, ...], methods: tuple[str, ...], overrides: tuple[str, ...]) -> None:
    """Print two tables for each corpus and method, of method fast the first only."""
    for corpus in corpora:
        rows = parts(corpus)
        for method in methods:
            chosen = [*overrides, f"method={method}", "llm.model=plausible", "workers=1"]
            with tempfile.TemporaryDirectory() as folder:
                started = time.perf_counter()
                steps, anew = measure(rows, load(Path(folder), overrides=chosen), Path(folder))
            took = time.perf_counter() - started
            print(f"\n{corpus.parent.name}, method {method}: {len(rows)} documents, {took:.0f} s\n")
            print(changes_table(steps, anew))
            if method == "standard":
                print(f"\n{calls_table(steps, anew)}")


if __name__ == "__main__":
    main()

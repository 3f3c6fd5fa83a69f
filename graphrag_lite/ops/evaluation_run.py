"""Measure retrieval on a set of questions: its index is brought up to date, then every method is asked all of them."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from graphrag_lite import pipeline
from graphrag_lite.errors import InputError
from graphrag_lite.ops.evaluate import (
    DEPTH,
    JudgedQuestion,
    Measured,
    compare,
    measure,
    read_questions,
    read_text,
    summarize,
)
from graphrag_lite.read.json_values import objects
from graphrag_lite.run.loop import Run
from graphrag_lite.run.workers import default_workers
from graphrag_lite.search.answer import Answer
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings
from graphrag_lite.watch import Watch

BASELINE = "basic"  # BM25


class EvaluationProgress(Watch, Protocol):
    """A run's watch that is also told which questions are asked."""

    def say(self, what: str) -> None: ...


@dataclass(frozen=True)
class QuestionSet:
    """A folder with a corpus and questions about it."""

    name: str
    folder: Path
    questions: Sequence[JudgedQuestion]


def read_sets(folders: Sequence[Path]) -> list[QuestionSet]:
    """Return folders with their questions, before anything is indexed. Raises InputError."""
    sets: dict[str, QuestionSet] = {}
    for folder in folders:
        name = folder.resolve().name or "root"
        if name in sets:
            raise InputError(f"{sets[name].folder} and {folder} have the same name, and so would their indexes.")
        for needed in ("corpus.jsonl", "questions.jsonl"):
            if not (folder / needed).is_file():
                raise InputError(f"{folder}: there is no {needed}. QA_DIR holds corpus.jsonl and questions.jsonl.")
        corpus, listed = folder / "corpus.jsonl", folder / "questions.jsonl"
        if wrong := [number for number, row in objects(read_text(corpus)) if row is None]:
            raise InputError("\n".join(f"{corpus}:{number}: not a JSON object" for number in wrong[:20]))
        sets[name] = QuestionSet(name, folder, read_questions(read_text(listed), str(listed)))
    return list(sets.values())


def evaluate(
    one: QuestionSet,
    root: Path,
    settings: Settings,
    methods: Sequence[str],
    before: Mapping[str, Mapping[str, Measured]],
    progress: EvaluationProgress,
) -> tuple[Run, list[dict[str, Any]]]:
    """Return the run that indexed a set, and an object for each method: what --json prints (docs/json.md), stable.

    The index is under `root`/output/eval; `before` are earlier measures to compare with, by method and question id.
    """
    run, indexed = _index(one, root, settings, progress)
    found = _ask_all(run, settings, one.questions, methods, progress)
    return run, _results(one, indexed, found, before)


def _index(one: QuestionSet, root: Path, settings: Settings, watch: Watch) -> tuple[Run, dict[str, Any]]:
    """Bring the index of a set up to date, and return what it took."""
    started, cpu = time.perf_counter(), sum(os.times()[:4])
    run = pipeline.index(
        one.folder / "corpus.jsonl",
        root / "output" / "eval" / one.name / "output",
        settings,
        workers=settings.workers or default_workers(),
        watch=watch,
        prompt_folder=root / "prompts",
    )
    return run, {
        "status": "published" if run.changed else "unchanged",
        "snapshot": run.snapshot.name,
        "documents": run.manifest["tables"]["documents"]["rows"],
        "text_units": run.manifest["tables"]["text_units"]["rows"],
        "seconds": round(time.perf_counter() - started, 3),
        "cpu_seconds": round(sum(os.times()[:4]) - cpu, 3),
    }


def _ask_all(
    run: Run,
    settings: Settings,
    questions: Sequence[JudgedQuestion],
    methods: Sequence[str],
    progress: EvaluationProgress,
) -> dict[str, list[dict[str, Any]]]:
    """Return, by method, what came of every question that the corpus answers, in their order."""
    index = Index(run.snapshot, settings)
    own_ids = set(index.arrow("documents")["source_id"].to_pylist())
    judged = [question for question in questions if question.gold]
    found: dict[str, list[dict[str, Any]]] = {}
    for method in methods:
        _ask(index, judged[0], method)  # reads the tables; what every query after it finds in memory
        found[method] = []
        for n_done, question in enumerate(judged):
            progress.say(f"{method} search: {n_done} of {len(judged)} questions")
            started = time.perf_counter()
            answer = _ask(index, question, method)
            seconds = time.perf_counter() - started
            found[method].append(
                {
                    "id": question.id,
                    "type": question.type,
                    "supporting_ids": sorted(question.gold),
                    "missing_ids": sorted(question.gold - own_ids),
                    "documents": answer.documents,
                    "ms": round(1000 * seconds, 3),
                    "steps": len(answer.steps),
                    "tokens": answer.steps[-1]["in_use"] if answer.steps else 0,
                    "measures": measure(question, answer.documents),
                }
            )
    return found


def _ask(index: Index, question: JudgedQuestion, method: str) -> Answer:
    """Ask one question; as of a day on which nothing was there yet nothing is found."""
    answer = index.query_all([question.question], method, top_k=DEPTH, retrieve_only=True, as_of=[question.as_of])[0]
    return answer if isinstance(answer, Answer) else Answer(question.question, method, "", [], [], [])


def _results(
    one: QuestionSet,
    indexed: dict[str, Any],
    found: Mapping[str, list[dict[str, Any]]],
    before: Mapping[str, Mapping[str, Measured]],
) -> list[dict[str, Any]]:
    measures = {method: {row["id"]: row["measures"] for row in rows} for method, rows in found.items()}
    results = []
    for method, rows in found.items():
        p50, p95 = np.percentile([row["ms"] for row in rows], (50, 95))
        kinds = sorted({row["type"] for row in rows} - {""})
        versus_basic = measures[BASELINE] if BASELINE in found and method != BASELINE else None
        results.append(
            {
                "set": one.name,
                "method": method,
                "n_questions": len(rows),
                "n_left_out": len(one.questions) - len(rows),
                "n_missing_ids": len({key for row in rows for key in row["missing_ids"]}),
                "measures": summarize([row["measures"] for row in rows]),
                "types": {k: summarize([row["measures"] for row in rows if row["type"] == k]) for k in kinds},
                "against_basic": None if versus_basic is None else compare(measures[method], versus_basic),
                "against": compare(measures[method], before[method]) if method in before else None,
                "steps": float(np.mean([row["steps"] for row in rows])),
                "tokens": float(np.mean([row["tokens"] for row in rows])),
                "ms": {"p50": round(float(p50), 3), "p95": round(float(p95), 3)},
                "index": indexed,
                "questions": rows,
            }
        )
    return results


def warnings(
    results: Sequence[dict[str, Any]], run: Run, against: Path | None, before: Mapping[str, Mapping[str, Measured]]
) -> list[str]:
    """Say what is to be known beside the results of a set."""
    warnings = []
    missing = sorted({key for row in results[0]["questions"] for key in row["missing_ids"]})
    if missing:
        named = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
        warnings.append(f"{len(missing)} supporting_ids are of no document, and can never be found: {named}")
    if run.n_failures:
        root = run.snapshot.parents[2]
        warnings.append(f"failures were recorded in its index: graphrag-lite show failures --root {root}")
    if against:
        warnings += [f"{against} has no result by {r['method']}" for r in results if r["method"] not in before]
    return warnings

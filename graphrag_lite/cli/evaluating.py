"""The command eval."""

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from graphrag_lite.cli.options import EXIT_CODES, JSON, Root, log, terminable, while_read, with_settings

if TYPE_CHECKING:
    from graphrag_lite.cli.progress import OneLine
    from graphrag_lite.ops.evaluate import Measured, Question
    from graphrag_lite.run.loop import Run
    from graphrag_lite.search.index import Index
    from graphrag_lite.settings import Settings

BASELINE = "basic"  # BM25


@click.command("eval", epilog=EXIT_CODES)
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="QA_DIR...")
@with_settings
@click.option(
    "--method",
    "methods",
    multiple=True,
    default=(BASELINE, "local"),
    show_default=True,
    help="Search method; repeatable. The others are compared with basic, which is BM25.",
)
@click.option("--against", type=click.Path(path_type=Path), help="Compare with an earlier result, by question id.")
@click.option("--output", type=click.Path(path_type=Path), help="Write the result to this file, too, as --json does.")
@JSON
def evaluate(
    folders: tuple[Path, ...],
    root: Root,
    methods: tuple[str, ...],
    against: Path | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Measure retrieval on your own questions.

    QA_DIR holds corpus.jsonl (id, title, text) and questions.jsonl (id, question, supporting_ids: the ids of the
    documents that answer it, and type where there is one; with a question_date it is asked as of that day). No model is
    asked the questions. The index of QA_DIR is built with the settings of ROOT, and kept in ROOT/output/eval/NAME for
    the next time, apart from your own.

    Prints recall of the supporting documents among the first 2, 5 and 10, how often all of them are in the first 5
    (all@5), and the mean reciprocal rank of the first one (MRR), with 95% bootstrap intervals; p of differences by a
    randomisation test. Questions without supporting_ids are left out.

    \b
    Examples:
      graphrag-lite eval ./my-questions
      graphrag-lite eval qa/* --output before.jsonl
      graphrag-lite eval qa/* --set split_text_units.size=300 --against before.jsonl
    """
    from rich.console import Console

    from graphrag_lite.cli import evaluation_table, progress, terminal
    from graphrag_lite.errors import InputError, OutputError
    from graphrag_lite.ops.evaluate import read_results
    from graphrag_lite.search.methods import method_named

    log()
    methods = tuple(dict.fromkeys(methods))
    for method in methods:
        method_named(method)  # before an index is built for one that is not there
    if output and not output.absolute().parent.is_dir():
        raise OutputError(f"{output}: there is no folder {output.parent}.")
    loaded = root.load()
    sets = _read_sets(folders)
    earlier = read_results(_read(against), str(against)) if against else {}
    if against and not any((name, method) in earlier for name in sets for method in methods):
        known = ", ".join(f"{name} by {method}" for name, method in earlier)
        raise InputError(f"{against} has nothing to compare with. It holds: {known}.")

    results: list[dict[str, Any]] = []
    failed = False
    for name, (folder, questions) in sets.items():
        with terminable(), progress.OneLine(Console(stderr=True), name) as line:
            run, indexed = _index(folder, root.folder, name, loaded, line)
            found = _ask_all(run, loaded, questions, methods, line)
        before = {method: earlier[name, method] for method in methods if (name, method) in earlier}
        made = _results(name, questions, indexed, found, before)
        results += made
        for warning in _warnings(made, run, against, before):
            terminal.tell(f"{name}: {warning}")
        failed = failed or bool(run.n_failures)
        with while_read():
            if as_json:
                for result in made:
                    terminal.print_json(result)
            else:
                evaluation_table.print_set(terminal.Output(), made, against.name if against else "")
    if output:
        _write(output, results)
    if failed:
        sys.exit(3)


def _read(path: Path) -> str:
    from graphrag_lite.errors import InputError

    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None


def _read_sets(folders: Sequence[Path]) -> dict[str, tuple[Path, "list[Question]"]]:
    """Return folders and their questions by name, before anything is indexed. Raises InputError."""
    from graphrag_lite.errors import InputError
    from graphrag_lite.ops.evaluate import read_questions
    from graphrag_lite.read.json_lines import objects

    sets: dict[str, tuple[Path, list[Question]]] = {}
    for folder in folders:
        name = folder.resolve().name or "root"
        if name in sets:
            raise InputError(f"{sets[name][0]} and {folder} have the same name, and so would their indexes.")
        for needed in ("corpus.jsonl", "questions.jsonl"):
            if not (folder / needed).is_file():
                raise InputError(f"{folder}: there is no {needed}. QA_DIR holds corpus.jsonl and questions.jsonl.")
        corpus = folder / "corpus.jsonl"
        if wrong := [number for number, row in objects(_read(corpus)) if row is None]:
            raise InputError("\n".join(f"{corpus}:{number}: not a JSON object" for number in wrong[:20]))
        sets[name] = (folder, read_questions(_read(folder / "questions.jsonl"), str(folder / "questions.jsonl")))
    return sets


def _index(folder: Path, root: Path, name: str, loaded: "Settings", line: "OneLine") -> tuple["Run", dict[str, Any]]:
    """Bring the index of a set up to date, and return what it took."""
    from graphrag_lite import pipeline
    from graphrag_lite.run.workers import default_workers

    started, cpu = time.perf_counter(), sum(os.times()[:4])
    run = pipeline.index(
        folder / "corpus.jsonl",
        root / "output" / "eval" / name / "output",
        loaded,
        workers=loaded.workers or default_workers(),
        watch=line,
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
    run: "Run", loaded: "Settings", questions: "Sequence[Question]", methods: Sequence[str], line: "OneLine"
) -> dict[str, list[dict[str, Any]]]:
    """Return, by method, what came of every question that the corpus answers, in their order."""
    from graphrag_lite.ops.evaluate import measure
    from graphrag_lite.search.index import Index

    index = Index(run.snapshot, loaded)
    own_ids = set(index.arrow("documents")["source_id"].to_pylist())
    judged = [question for question in questions if question.gold]
    found: dict[str, list[dict[str, Any]]] = {}
    for method in methods:
        _ask(index, judged[0], method)  # reads the tables; what every query after it finds in memory
        found[method] = []
        for n_done, question in enumerate(judged):
            line.say(f"{method} search: {n_done} of {len(judged)} questions")
            started = time.perf_counter()
            documents = _ask(index, question, method)
            seconds = time.perf_counter() - started
            found[method].append(
                {
                    "id": question.id,
                    "type": question.type,
                    "supporting_ids": sorted(question.gold),
                    "missing_ids": sorted(question.gold - own_ids),
                    "documents": documents,
                    "ms": round(1000 * seconds, 3),
                    "measures": measure(question, documents),
                }
            )
    return found


def _ask(index: "Index", question: "Question", method: str) -> list[str]:
    from graphrag_lite.ops.evaluate import DEPTH
    from graphrag_lite.search.methods import method_named

    as_of = question.as_of if "as_of" in method_named(method).takes else None
    return index.query(question.question, method, top_k=DEPTH, retrieve_only=True, as_of=as_of).documents


def _results(
    name: str,
    questions: "Sequence[Question]",
    indexed: dict[str, Any],
    found: dict[str, list[dict[str, Any]]],
    before: "dict[str, dict[str, Measured]]",
) -> list[dict[str, Any]]:
    """Return an object for each method: what --json prints, documented in docs/json.md, and stable."""
    import numpy as np

    from graphrag_lite.ops.evaluate import compare, summarize

    measures = {method: {row["id"]: row["measures"] for row in rows} for method, rows in found.items()}
    results = []
    for method, rows in found.items():
        p50, p95 = np.percentile([row["ms"] for row in rows], (50, 95))
        kinds = sorted({row["type"] for row in rows} - {""})
        versus_basic = measures[BASELINE] if BASELINE in found and method != BASELINE else None
        results.append(
            {
                "set": name,
                "method": method,
                "n_questions": len(rows),
                "n_left_out": len(questions) - len(rows),
                "n_missing_ids": len({key for row in rows for key in row["missing_ids"]}),
                "measures": summarize([row["measures"] for row in rows]),
                "types": {k: summarize([row["measures"] for row in rows if row["type"] == k]) for k in kinds},
                "against_basic": None if versus_basic is None else compare(measures[method], versus_basic),
                "against": compare(measures[method], before[method]) if method in before else None,
                "ms": {"p50": round(float(p50), 3), "p95": round(float(p95), 3)},
                "index": indexed,
                "questions": rows,
            }
        )
    return results


def _warnings(
    results: Sequence[dict[str, Any]], run: "Run", against: Path | None, before: "dict[str, dict[str, Measured]]"
) -> list[str]:
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


def _write(path: Path, results: Sequence[dict[str, Any]]) -> None:
    """Write results as --json prints them."""
    import json

    from graphrag_lite.errors import OutputError

    try:
        path.write_text("".join(json.dumps(result) + "\n" for result in results), encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}.") from None

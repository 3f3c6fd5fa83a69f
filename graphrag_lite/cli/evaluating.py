"""The command eval."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from graphrag_lite.cli.options import EXIT_CODES, JSON, MethodName, Root, log, terminable, while_read, with_settings


@click.command("eval", epilog=EXIT_CODES)
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="QA_DIR...")
@with_settings
@click.option(
    "--method",
    "methods",
    multiple=True,
    type=MethodName(),
    default=("basic", "local"),
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
    from graphrag_lite.errors import OutputError
    from graphrag_lite.ops import evaluation_run
    from graphrag_lite.ops.evaluate import read_earlier
    from graphrag_lite.search.methods import method_named

    log()
    methods = tuple(dict.fromkeys(methods))
    for method in methods:
        method_named(method)  # before an index is built for one that is not there
    if output and not output.absolute().parent.is_dir():
        raise OutputError(f"{output}: there is no folder {output.parent}.")
    loaded, sets = root.load(), evaluation_run.read_sets(folders)
    earlier = read_earlier(against, [(one.name, method) for one in sets for method in methods]) if against else {}
    results: list[dict[str, Any]] = []
    n_failures = 0
    for one in sets:
        before = {method: earlier[one.name, method] for method in methods if (one.name, method) in earlier}
        with terminable(), progress.OneLine(Console(stderr=True), one.name) as line:
            run, made = evaluation_run.evaluate(one, root.folder, loaded, methods, before, line)
        results += made
        n_failures += run.n_failures
        for warning in evaluation_run.warnings(made, run, against, before):
            terminal.tell(f"{one.name}: {warning}")
        with while_read():
            if as_json:
                terminal.print_json(*made)
            else:
                evaluation_table.print_set(terminal.Output(), made, against.name if against else "")
    if output:
        _write(output, results)
    if n_failures:
        sys.exit(3)


def _write(path: Path, results: Sequence[dict[str, Any]]) -> None:
    """Write results as --json prints them."""
    import json

    from graphrag_lite.errors import OutputError

    try:
        path.write_text("".join(json.dumps(result) + "\n" for result in results), encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}.") from None

"""The command eval."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from graphrag_lite.cli import progress, terminal
from graphrag_lite.cli.group import command, while_read
from graphrag_lite.cli.options import Root, log, terminable, with_options
from graphrag_lite.cli.terminal import aligned, plain
from graphrag_lite.errors import OutputError
from graphrag_lite.ops.exported import write_output
from graphrag_lite.search.methods import method_named


@command("eval")
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="QA_DIR...")
@with_options("eval")
def evaluate(
    folders: tuple[Path, ...],
    root: Root,
    methods: tuple[str, ...],
    against: Path | None,
    output: Path | None,
    as_json: bool,
) -> None:
    from graphrag_lite.ops import evaluation_run
    from graphrag_lite.ops.evaluate import read_earlier

    log()
    methods = tuple(dict.fromkeys(methods))
    for method in methods:
        method_named(method)  # before an index is built for one that is not there
    if output and (output.is_dir() or not output.absolute().parent.is_dir()):
        raise OutputError(f"{output}: {'is a folder' if output.is_dir() else f'there is no folder {output.parent}'}.")
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
            terminal.print_note(f"{one.name}: {warning}")
        with while_read():
            if as_json:
                terminal.print_json(*made)
            else:
                print_set(terminal.Output(), made, against.name if against else "")
    if output:
        write_output(output, "".join(json.dumps(result) + "\n" for result in results).encode())
    if n_failures:
        sys.exit(3)


HEADINGS = {"recall@2": "R@2", "recall@5": "R@5", "recall@10": "R@10", "all_gold@5": "all@5", "mrr": "MRR"}
MAIN = "recall@5"  # has its interval also where the others have no room for it
MAX_LABEL = 27  # characters
Figures = Mapping[str, Mapping[str, float]]


def print_set(console: Console, results: Sequence[Mapping[str, Any]], against: str) -> None:
    """Print what came of a set, as `eval --json` says it, a table with every method of it."""
    first = results[0]
    index, left_out = first["index"], first["n_left_out"]
    built = f"index built in {index['seconds']:.1f} s ({index['cpu_seconds']:.1f} s of CPU)"
    parts = [f"{first['n_questions']:,} questions" + (f" ({left_out:,} left out)" if left_out else "")]
    parts += [f"{index['documents']:,} documents", built if index["status"] == "published" else "index unchanged"]
    # A pipe or a file has room for everything.
    width = console.width if console.is_terminal else sys.maxsize
    console.print(Text(plain(f"{first['set']}: ") + ", ".join(parts), style="bold"))
    rows = _rows(results, against)
    lines = _lines(rows, list(HEADINGS))
    if max(map(len, lines)) > width:
        lines = _lines(rows, [MAIN])
    for line, style in zip(lines, ["dim", *(style for _, _, style in rows)], strict=True):
        console.print(Text(line, style=style), soft_wrap=True)
    for line in filter(None, (_newest(rows), _times(results))):
        console.print(Text(line, style="dim"))
    console.print()


def _rows(results: Sequence[Mapping[str, Any]], against: str) -> list[tuple[str, Figures, str]]:
    """Return label, figures and style of each row."""
    rows: list[tuple[str, Figures, str]] = []
    for result in results:
        method = result["method"]
        rows.append((method, result["measures"], "bold"))
        if len(result["types"]) > 1:
            rows += [(f"  {plain(kind)}", figures, "") for kind, figures in result["types"].items()]
        rows.append((f"{method} - basic", result["against_basic"], "cyan"))
        rows.append((f"{method} - {plain(against)}", result["against"], "cyan"))
    return [(label, figures, style) for label, figures, style in rows if figures]


def _lines(rows: Sequence[tuple[str, Figures, str]], full: Sequence[str]) -> list[str]:
    """Return the heading and the rows as lines; the measures `full` have their intervals, or p."""
    table = [["in %", "n", *(f"{heading}{' (95% CI)' * (name in full)}" for name, heading in HEADINGS.items())]]
    for label, figures, _ in rows:
        short = label if len(label) <= MAX_LABEL else label[: MAX_LABEL - 1] + "…"
        cells = [_cell(figures.get(name), name in full) for name in HEADINGS]
        table.append([short, f"{figures[MAIN]['n']:,}", *cells])
    return aligned(table, [False, *[True] * (len(table[0]) - 1)])


def _cell(figure: Mapping[str, float] | None, full: bool) -> str:
    if figure is None:
        return "-"
    if "p" in figure:
        value, sure = f"{100 * figure['difference']:+.1f}", f"({_chance(figure['p'])})"
    else:
        value, sure = f"{100 * figure['mean']:.1f}", f"({100 * figure['low']:.0f}-{100 * figure['high']:.0f})"
    return f"{value} {sure:>8}" if full else value


def _chance(p: float) -> str:
    return "p<.001" if p < 0.001 else f"p={p:.3f}".replace("0.", ".")[:6]


def _newest(rows: Sequence[tuple[str, Figures, str]]) -> str:
    """Say how often the newest document stands above those that it supersedes."""
    from graphrag_lite.ops.evaluate import NEWEST

    found = [(label, figures[NEWEST]) for label, figures, _ in rows if NEWEST in figures]
    parts = [f"{label} {' '.join(_cell(figure, full=True).split())}" for label, figure in found if label[0] != " "]
    return f"newest above all superseded ({found[0][1]['n']:,} questions): {', '.join(parts)}" if parts else ""


def _times(results: Sequence[Mapping[str, Any]]) -> str:
    parts = [f"{result['method']} {result['ms']['p50']:.1f} / {result['ms']['p95']:.1f}" for result in results]
    looks = [f"{one['method']} {one['steps']:.1f} / {one['tokens']:,.0f}" for one in results if one.get("steps")]
    steps = f"\nsteps and tokens of a query, mean: {', '.join(looks)}" if looks else ""
    return f"ms a query, median / 95th percentile: {', '.join(parts)}{steps}"

"""The command query."""

import contextlib
import sys
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from graphrag_lite.cli import printed_answer, terminal
from graphrag_lite.cli.group import command, while_read
from graphrag_lite.cli.options import Root, log, uncollected, with_options
from graphrag_lite.errors import InputError
from graphrag_lite.search.methods import method_named

if TYPE_CHECKING:
    from graphrag_lite.search.answer import Answer
    from graphrag_lite.search.index import Index


@command("query")
@click.argument("question", required=False)
@with_options("query")
def query(
    question: str | None,
    root: Root,
    questions: Path | None,
    quiet: bool,
    as_json: bool,
    trace: bool,
    level: int | None,
    **options: Any,
) -> None:
    if questions is None:
        click.get_current_context().with_resource(uncollected())

    if (question is None) == (questions is None):
        raise click.UsageError("Give a QUESTION, or a file with --questions.")
    if options["dynamic"] and level is not None:
        raise click.UsageError("--dynamic chooses reports of all levels: give no --level.")
    if options["budget"] and level is not None:
        raise click.UsageError("--budget goes through communities of all levels: give no --level.")
    if level is not None and "level" not in method_named(options["method"]).takes:
        raise click.UsageError(f"--level is of reports: it says nothing to method {options['method']}.")
    opened = root.open_index()
    if opened.asks:
        log(quiet=quiet)
    options["level"] = level or 0
    if questions is not None:
        _answer_file(opened, questions, options, quiet=quiet, trace=trace)
    else:
        stated = _standard_input() if question == "-" else question or ""
        _answer(opened, stated.strip(), options, as_json, quiet=quiet, trace=trace)


def _standard_input() -> str:
    """Return what standard input holds: nothing where it is closed, as a scheduler may leave it."""
    try:
        return sys.stdin.buffer.read().decode("utf-8", "replace") if sys.stdin else ""
    except OSError as error:
        raise InputError(f"standard input cannot be read: {error.strerror}.") from None


def _answer(
    opened: "Index", question: str, options: dict[str, Any], as_json: bool, *, quiet: bool, trace: bool
) -> None:
    """Answer one question; a model's answer is printed as it is written. With `quiet`, print nothing but that."""
    in_pieces = opened.asks and not as_json and not options["retrieve_only"]
    with printed_answer.Pieces() if in_pieces else contextlib.nullcontext() as show:
        answer = opened.query(question, **options, show=show)
    if trace:
        printed_answer.tell_steps(answer)
    if answer.readings and not quiet:
        terminal.print_note(printed_answer.read_as(answer.readings))
    with while_read():
        if as_json:
            terminal.print_json({"id": None, **answer.to_dict()})
        elif options["retrieve_only"]:
            _print_units(terminal.Output(), opened, answer.text_units)
        elif in_pieces:
            printed_answer.print_sources(terminal.Output(), answer, quiet=quiet)
        else:
            printed_answer.print_answer(terminal.Output(), answer, quiet=quiet)
    _end_query([answer], quiet=quiet)


def _answer_file(opened: "Index", path: Path, options: dict[str, Any], *, quiet: bool, trace: bool) -> None:
    """Answer the questions of a file, a line of JSON each."""
    from graphrag_lite.search.answer import Answer

    listed = list(_questions(path))
    options["as_of"] = [day or options["as_of"] for _, _, day, _ in listed]
    options["where"] = [[*options["where"], *own] for *_, own in listed]
    outcomes: list[Any] = []

    def done(index: int, outcome: Any) -> None:
        outcomes.append(outcome)
        number, question, *_ = listed[index]
        if isinstance(outcome, Answer):
            if trace:
                printed_answer.tell_steps(outcome)
            terminal.print_json({"id": number, **outcome.to_dict()})
        else:
            failed = {"question": question, "method": options["method"], "error": str(outcome)}
            terminal.print_json({"id": number, **failed})

    with while_read():  # a reader that has seen enough pays for no more
        opened.query_all([question for _, question, *_ in listed], **options, done=done)
    answers = [outcome for outcome in outcomes if isinstance(outcome, Answer)]
    n_failed = len(outcomes) - len(answers)
    if n_failed:
        terminal.print_note(f"{n_failed} of {len(outcomes)} questions were not answered.")
    _end_query(answers, n_failed, quiet=quiet)


def _end_query(answers: "Sequence[Answer]", n_failed: int = 0, *, quiet: bool) -> None:
    """Say on standard error what went wrong and what the model used; exit with 3 where something failed."""
    for line in () if quiet else printed_answer.remarks(answers):
        terminal.print_note(line)
    if n_failed or any(answer.failures for answer in answers):
        sys.exit(3)


def _print_units(console: Any, opened: "Index", unit_ids: list[str]) -> None:
    rows = []
    for unit_id in unit_ids:
        unit = opened.unit_row[unit_id]
        name = terminal.document_at(opened, opened.document_row[unit])
        start, end, text = (opened.cell("text_units", each, unit) for each in ("char_start", "char_end", "text"))
        rows.append((name, f"{start}-{end}", text[:300]))
    terminal.print_table(console, ["document", "characters", "text"], rows)


def _questions(path: Path) -> Iterator[tuple[Any, str, "date | None", list[str]]]:
    """Yield (id, question, as of which day, conditions) of each line of a file. Raises InputError that names it."""
    from graphrag_lite.ops.evaluate import read_text
    from graphrag_lite.read.json_values import objects
    from graphrag_lite.search.index import last_day

    for number, row in objects(read_text(path)):
        question = row and row.get("question")
        if not row or not isinstance(question, str) or not question.strip():
            raise InputError(f"{path}:{number}: not a JSON object with a `question`.")
        try:
            day = last_day(str(row["question_date"])) if row.get("question_date") else None
        except InputError as error:
            raise InputError(f"{path}:{number}: question_date: {error}") from None
        where = row.get("where") or []
        where = [where] if isinstance(where, str) else where
        if not isinstance(where, list) or not all(isinstance(stated, str) for stated in where):
            raise InputError(f"{path}:{number}: where: not a condition, such as speaker=Ana, nor a list of them.")
        yield row.get("id", number), question, day, where

"""The command line: parse, call, print. Everything heavy is imported inside the commands."""

import contextlib
import errno
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from graphrag_lite.search.answer import Answer
    from graphrag_lite.search.index import Index
    from graphrag_lite.settings import Settings

EXIT_CODES = """
\b
Exit codes:
  0    done, also when nothing had changed
  1    something that you can fix: settings, corpus, question, disk
  2    wrong usage of this command
  3    finished, with failures recorded (`graphrag-lite show failures`)
  75   another run is writing this index; try again later
  130  interrupted; the next run goes on from there
"""
ROOT = click.option(
    "--root",
    type=click.Path(path_type=Path),
    default=".",
    show_default=True,
    help="Folder that holds settings.yaml and output/.",
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
CONFIG = click.option("--config", type=click.Path(path_type=Path), help="Settings file instead of ROOT/settings.yaml.")
OVERRIDES = click.option(
    "--set", "overrides", metavar="SECTION.KEY=VALUE", multiple=True, help="Change one setting; repeatable."
)


class Group(click.Group):
    """Turns the errors that a user can fix into one message and an exit code; a bug keeps its traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        from graphrag_lite.errors import GraphragLiteError

        for stream in (sys.stdout, sys.stderr):  # where it is not UTF-8, what it cannot write is escaped
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        try:
            return super().invoke(ctx)
        except GraphragLiteError as error:
            from graphrag_lite import terminal

            click.echo(terminal.plain(f"Error: {error}"), err=True)
            ctx.exit(error.exit_code)
        except KeyboardInterrupt:
            kept = " Nothing was published; finished stages are kept, run again to go on."
            click.echo(f"Interrupted.{kept if ctx.invoked_subcommand in ('index', 'import') else ''}", err=True)
            ctx.exit(130)
        except BrokenPipeError:  # the reader of a pipe, such as head, has seen enough
            ctx.exit(0)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or error.filename:
                raise
            click.echo(f"Error: standard output cannot be written: {error.strerror}.", err=True)
            ctx.exit(1)


@click.group(cls=Group, epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="graphrag-lite")
def main() -> None:
    """Turn a folder of documents into a knowledge graph with communities and reports, and ask it questions.

    \b
    Start with:
      graphrag-lite index ./corpus
      graphrag-lite query --method global "What are the main themes?"
      graphrag-lite query --method local "Who is Scrooge and whom does he know?"

    No key, no network: the default method analyses text. An index is a build: the same command does the first run,
    the nightly run and the run after a crash, and does only the work that the change needs.
    """


@main.command(epilog=EXIT_CODES)
@click.argument("corpus", type=click.Path(path_type=Path))
@ROOT
@CONFIG
@OVERRIDES
@click.option("--dry-run", is_flag=True, help="Say what would be asked of the model, as `plan` does; do nothing.")
@JSON
def index(
    corpus: Path, root: Path, config: Path | None, overrides: tuple[str, ...], dry_run: bool, as_json: bool
) -> None:
    """Bring the index of CORPUS, a folder or one file, up to date.

    Reads .txt .md .html .csv .json .jsonl, and .pdf .docx .pptx with the extra [documents]. A file that
    cannot be read is recorded and the rest goes on. The result is published in one step under ROOT/output.

    \b
    Examples:
      graphrag-lite index ./corpus
      graphrag-lite index ./corpus --root /srv/index --set split_text_units.size=300 --json
    """
    from rich.console import Console

    from graphrag_lite import pipeline, runner, settings, terminal

    _log()
    loaded = settings.load(root, config, overrides)
    if dry_run:
        _print_plan(corpus, root, loaded, as_json)
        return
    console = Console(stderr=True)
    output = root / "output"
    watch = terminal.Bars(console) if console.is_terminal and not as_json else terminal.Lines()
    with _terminable(), watch:
        run = pipeline.index(corpus, output, loaded, workers=loaded.workers or runner.default_workers(), watch=watch)
    if as_json:
        terminal.print_json(terminal.summary(run))
    else:
        terminal.print_summary(terminal.Output(), run, str(output))
    if run.n_failures:
        _name_failures(run.snapshot)
        sys.exit(3)


@main.command(epilog=EXIT_CODES)
@click.argument("corpus", type=click.Path(path_type=Path))
@ROOT
@CONFIG
@OVERRIDES
@JSON
def plan(corpus: Path, root: Path, config: Path | None, overrides: tuple[str, ...], as_json: bool) -> None:
    """Say what `index CORPUS` would ask of the model, before anything is spent.

    Calls, tokens and cost of every stage, without what kept answers serve. Needs no key and no endpoint, and
    changes nothing. The first pass of extraction is counted exactly; what depends on answers to come is estimated.

    \b
    Examples:
      graphrag-lite plan ./corpus
      graphrag-lite plan ./corpus --set method=standard --set llm.model=gpt-4o-mini --json
    """
    from graphrag_lite import settings

    _log()
    _print_plan(corpus, root, settings.load(root, config, overrides), as_json)


@main.command("prompt-tune", epilog=EXIT_CODES)
@click.argument("corpus", type=click.Path(path_type=Path))
@ROOT
@CONFIG
@OVERRIDES
@click.option("--sample", type=click.IntRange(1), default=12, show_default=True, help="Text units to learn from.")
@click.option("--force", is_flag=True, help="Overwrite prompt files that are there.")
def prompt_tune(
    corpus: Path, root: Path, config: Path | None, overrides: tuple[str, ...], sample: int, force: bool
) -> None:
    """Write prompts for the domain and the language of CORPUS into ROOT/prompts.

    Asks the model of section llm about a sample of the corpus: its domain, the kinds of entities in it, and examples
    of their extraction. Prints the entity types to put into settings.yaml, which it does not change.

    \b
    Example:
      graphrag-lite prompt-tune ./corpus --set llm.model=gpt-4o-mini
    """
    from graphrag_lite import settings, terminal, tuning

    _log()
    loaded = settings.load(root, config, overrides)
    with _terminable():
        tuned = tuning.tune(corpus, root, loaded, n_units=sample, force=force)
    terminal.print_tuned(terminal.Output(), tuned, loaded.llm.model or "")


@main.command(epilog=EXIT_CODES)
@click.argument("question", required=False)
@ROOT
@CONFIG
@OVERRIDES
@click.option(
    "--method",
    default="local",
    show_default=True,
    help="local: named entities and the passages they lead to. global: community reports. basic: BM25 alone.",
)
@click.option("--level", type=int, help="Community level of global search, 0 = coarsest.  [default: 0]")
@click.option("--dynamic", is_flag=True, help="Let the model choose the reports of global search, on every level.")
@click.option("--top-k", type=click.IntRange(1), help="Documents and text units to retrieve, at least. [default: 10]")
@click.option("--response-type", metavar="FORM", help="Form of a model's answer. [default: multiple paragraphs]")
@click.option("--context-only", is_flag=True, help="Retrieve without answering.")
@click.option(
    "--questions", type=click.Path(path_type=Path), help="Answer a JSONL file of {id, question}, a line each."
)
@JSON
def query(
    question: str | None,
    root: Path,
    config: Path | None,
    overrides: tuple[str, ...],
    method: str,
    level: int | None,
    dynamic: bool,
    top_k: int | None,
    response_type: str | None,
    context_only: bool,
    questions: Path | None,
    as_json: bool,
) -> None:
    """Answer QUESTION from the index, every sentence with its source.

    The model that the settings name answers, from what the index holds; without one the answer is made of sentences of
    the corpus. Marks that a model makes up are left out and counted, and so are sentences without a mark.

    With --json, or --questions FILE, one JSON object a question: id, question, answer, documents (ranked, by their own
    ids), text_units (ranked), citations (path and character span of every mark), and what the model used.

    \b
    Examples:
      graphrag-lite query "Who is Scrooge and whom does he know?"
      graphrag-lite query --method global --level 1 "What are the main themes?"
      graphrag-lite query --method global --dynamic --response-type "three bullet points" "Who pays?"
      graphrag-lite query --set llm.model=null "Who is Scrooge?"
      graphrag-lite query --method basic --questions questions.jsonl --top-k 20 > answers.jsonl
    """
    if questions is None:
        click.get_current_context().with_resource(_uncollected())

    from graphrag_lite import terminal
    from graphrag_lite.search.answer import Answer
    from graphrag_lite.search.index import Index

    if (question is None) == (questions is None):
        raise click.UsageError("Give a QUESTION, or a file with --questions.")
    if dynamic and level is not None:
        raise click.UsageError("--dynamic chooses reports of all levels: give no --level.")
    opened = Index.open(root / "output", config=config, overrides=overrides)
    if opened.asks:
        _log()
    options: dict[str, Any] = {
        "method": method,
        "level": level or 0,
        "dynamic": dynamic,
        "top_k": top_k,
        "response_type": response_type,
        "retrieve_only": context_only,
    }
    if questions is not None:
        listed = list(_questions(questions))

        def told(place: int, outcome: Any) -> None:
            number, asked = listed[place]
            if isinstance(outcome, Answer):
                terminal.print_json({"id": number, **outcome.to_dict()})
            else:
                terminal.print_json({"id": number, "question": asked, "method": method, "error": str(outcome)})

        outcomes = opened.query_all([asked for _, asked in listed], **options, done=told)
        answers = [outcome for outcome in outcomes if isinstance(outcome, Answer)]
        n_failed = len(outcomes) - len(answers)
        if n_failed:
            click.echo(f"{n_failed} of {len(outcomes)} questions were not answered.", err=True)
        _end_query(answers, n_failed)
        return
    # Under a locale that is not UTF-8 the bytes of an argument arrive as surrogates.
    asked = (question or "").encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if as_json:
        answer = opened.query(asked, **options)
        terminal.print_json({"id": None, **answer.to_dict()})
    elif context_only:
        answer = opened.query(asked, **options)
        _print_units(terminal.Output(), opened, answer.text_units)
    elif opened.asks:
        with terminal.Pieces() as show:
            answer = opened.query(asked, **options, show=show)
        terminal.print_sources(terminal.Output(), answer)
    else:
        answer = opened.query(asked, **options)
        terminal.print_answer(terminal.Output(), answer)
    _end_query([answer])


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Collect no garbage in a process that answers and ends: going through all imports costs it a third of a second."""
    import gc

    gc.disable()
    try:
        yield
    finally:
        if "duckdb" not in sys.modules:  # whose binding complains; a query has no need of it
            gc.freeze()
        gc.enable()


def _end_query(answers: "Sequence[Answer]", n_failed: int = 0) -> None:
    """Say on standard error what went wrong and what the model used; exit with 3 where something failed."""
    from graphrag_lite import terminal

    for line in terminal.remarks(answers):
        click.echo(terminal.plain(line), err=True)
    if n_failed or any(answer.failures for answer in answers):
        sys.exit(3)


@main.command(epilog=EXIT_CODES)
@click.argument("what", default="summary", metavar="[WHAT]")
@click.argument("identity", required=False, metavar="[ID]")
@ROOT
@click.option("--search", help="Only rows that hold this text, in upper or lower case.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Most rows to show.")
@JSON
def show(what: str, identity: str | None, root: Path, search: str | None, limit: int, as_json: bool) -> None:
    """Show what the index holds.

    WHAT is summary, documents, entities, relationships, communities, reports, text-units or failures; or `report ID`
    for one report as a page (ID is a community number, or a report's id).

    \b
    Examples:
      graphrag-lite show
      graphrag-lite show entities --search scrooge --limit 5
      graphrag-lite show report 3
    """

    from graphrag_lite import terminal
    from graphrag_lite.search.index import Index

    opened = Index.open(root / "output")
    console = terminal.Output()
    if what == "report":
        _show_report(console, opened, identity, as_json)
        return
    if identity is not None:
        raise click.UsageError(f"Got unexpected extra argument ({identity})")
    if what == "summary":
        _show_summary(console, opened, as_json)
        return
    if what not in VIEWS:
        raise click.UsageError(f"WHAT is one of summary, report ID, {', '.join(VIEWS)}; not {what!r}.")
    table, columns = VIEWS[what]
    rows = opened.arrow(table).select(columns).to_pylist()
    if search:
        rows = [row for row in rows if search.casefold() in " ".join(map(str, row.values())).casefold()]
    if as_json:
        for row in rows[:limit]:
            terminal.print_json(row)
        return
    terminal.print_table(console, columns, (row.values() for row in rows[:limit]))
    if len(rows) > limit:
        console.print(f"{limit} of {len(rows)} rows; --limit shows more", style="dim")


@main.command("import", epilog=EXIT_CODES)
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@ROOT
@JSON
def import_(folder: Path, root: Path, as_json: bool) -> None:
    """Take over the finished index of microsoft/graphrag in DIR, to ask it questions here.

    DIR holds its tables: text_units.parquet, entities.parquet, relationships.parquet, and communities,
    community_reports, covariates and documents where there are any; names of its version 1 and .jsonl are read, too.
    Nothing is asked of a model. What refers to records that are not there is left out and counted.

    \b
    Example:
      graphrag-lite import ./ragtest/output --root my-index
      graphrag-lite query --root my-index --method global "What are the main themes?"
    """
    from rich.console import Console

    from graphrag_lite import pipeline, settings, terminal

    _log()
    loaded = settings.load(root)
    console = Console(stderr=True)
    watch = terminal.Bars(console) if console.is_terminal and not as_json else terminal.Lines()
    with _terminable(), watch:
        run = pipeline.take_over(folder, root / "output", loaded, watch=watch)
    if as_json:
        terminal.print_json(terminal.summary(run))
    else:
        terminal.print_summary(terminal.Output(), run, str(root / "output"))


@main.command(epilog=EXIT_CODES)
@click.argument("folder", type=click.Path(path_type=Path), default=".")
@click.option("--force", is_flag=True, help="Overwrite files that are there.")
def init(folder: Path, force: bool) -> None:
    """Write settings.yaml and prompts/ with their comments into FOLDER.

    \b
    Example:
      graphrag-lite init my-project
    """
    from graphrag_lite.init import write_defaults

    for path in write_defaults(folder, force=force):
        click.echo(f"Wrote {path}")


# What `show WHAT` prints: the table and its columns.
VIEWS: dict[str, tuple[str, list[str]]] = {
    "documents": ("documents", ["human_readable_id", "source_id", "title", "path", "created_at", "language"]),
    "entities": ("entities", ["human_readable_id", "title", "type", "frequency", "degree", "description"]),
    "relationships": ("relationships", ["human_readable_id", "source", "relation", "target", "weight", "description"]),
    "communities": ("communities", ["community", "level", "parent", "size", "title"]),
    "reports": ("community_reports", ["community", "level", "rank", "size", "title"]),
    "text-units": ("text_units", ["human_readable_id", "id", "n_tokens", "text"]),
    "failures": ("failures", ["document", "stage", "error", "attempts"]),
}


def _show_summary(console: Any, opened: "Index", as_json: bool) -> None:
    from graphrag_lite import terminal

    manifest = opened.manifest
    values = {
        "snapshot": opened.folder.name,
        "created_at": manifest["created_at"],
        "method": manifest["settings"]["method"],
        **{name: entry["rows"] for name, entry in manifest["tables"].items() if name in VIEW_TABLES},
        "seconds": manifest["seconds"],
        "folder": str(opened.folder),
    }
    if as_json:
        terminal.print_json(values)
    else:
        terminal.print_table(console, ["what", "value"], values.items())


VIEW_TABLES = [table for table, _ in VIEWS.values()]


def _show_report(console: Any, opened: "Index", identity: str | None, as_json: bool) -> None:
    from graphrag_lite import terminal
    from graphrag_lite.errors import InputError

    reports = opened.arrow("community_reports")
    wanted = identity or ""
    rows = [
        i
        for i, (number, own) in enumerate(zip(reports["community"].to_pylist(), reports["id"].to_pylist(), strict=True))
        if wanted in (str(number), own)
    ]
    if not rows:
        raise InputError(f"There is no report {wanted!r}. `graphrag-lite show reports` lists them by community number.")
    report = reports.slice(rows[0], 1).to_pylist()[0]
    if as_json:
        terminal.print_json(report)
        return
    documents = opened.arrow("documents")
    row = {own: i for i, own in enumerate(documents["id"].to_pylist())}
    sources = []
    for citation in report["citations"]:
        document = row[citation["document_id"]]
        name = terminal.source_of(documents["path"][document].as_py(), documents["source_id"][document].as_py())
        sources.append(f"[{citation['n']}] {name}, characters {citation['char_start']}-{citation['char_end']}")
    place = f"Community {report['community']}, level {report['level']}."
    note = f"{place} Rank {report['rank']}: {report['rating_explanation']}"
    terminal.print_report(console, report["full_content"], [*sources, note])


def _print_units(console: Any, opened: "Index", unit_ids: list[str]) -> None:
    from graphrag_lite import terminal

    documents, units = opened.arrow("documents"), opened.arrow("text_units")
    rows = []
    for unit_id in unit_ids:
        unit = opened.unit_row[unit_id]
        document = opened.document_row[unit]
        name = terminal.source_of(documents["path"][document].as_py(), documents["source_id"][document].as_py())
        rows.append((name, f"{units['char_start'][unit]}-{units['char_end'][unit]}", units["text"][unit].as_py()[:300]))
    terminal.print_table(console, ["document", "characters", "text"], rows)


def _questions(path: Path) -> Iterator[tuple[Any, str]]:
    """Yield (id, question) of each line of a JSONL file. Raises InputError that names the line."""
    from graphrag_lite.errors import InputError
    from graphrag_lite.text.json_lines import objects

    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    for number, row in objects(text):
        question = row and row.get("question")
        if not row or not isinstance(question, str) or not question.strip():
            raise InputError(f"{path}:{number}: not a JSON object with a `question`.")
        yield row.get("id", number), question


def _print_plan(corpus: Path, root: Path, loaded: "Settings", as_json: bool) -> None:
    from graphrag_lite import planning, terminal

    planned = planning.plan(corpus, root / "output", loaded)
    if as_json:
        terminal.print_json(planned.to_dict())
    else:
        terminal.print_plan(terminal.Output(), planned, loaded)


def _name_failures(snapshot: Path) -> None:
    from graphrag_lite import tables, terminal

    failures = tables.read(snapshot, "failures").to_pylist()
    click.echo(
        "1 failure was recorded:" if len(failures) == 1 else f"{len(failures)} failures were recorded:", err=True
    )
    places = _places(snapshot, {row["document"] for row in failures[:20]})
    for row in failures[:20]:
        what = places.get(row["document"], row["document"])
        click.echo(terminal.plain(f"  {what}: {row['error']}"), err=True)
    if len(failures) > 20:
        click.echo(f"  and {len(failures) - 20} more; see `graphrag-lite show failures`", err=True)


def _places(snapshot: Path, unit_ids: Collection[str]) -> dict[str, str]:
    """Return where text units stand, in words, by their ids."""
    from graphrag_lite import tables, terminal

    units = tables.read(snapshot, "text_units", only=["id", "document_id", "char_start", "char_end"]).to_pylist()
    documents = tables.read(snapshot, "documents", only=["id", "path", "source_id"]).to_pylist()
    names = {row["id"]: terminal.source_of(row["path"], row["source_id"]) for row in documents}
    return {
        unit["id"]: f"{names[unit['document_id']]}, characters {unit['char_start']}-{unit['char_end']}"
        f" (text unit {unit['id']})"
        for unit in units
        if unit["id"] in unit_ids
    }


def _log() -> None:
    import logging

    from graphrag_lite import terminal

    class Plain(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return terminal.plain(super().format(record))

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Plain("%(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    """Meet SIGTERM, which a scheduler sends, like Ctrl-C."""
    import signal

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


if __name__ == "__main__":
    main()

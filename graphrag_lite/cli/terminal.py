"""What the command line shows: progress, summaries, tables, answers. Plain lines where no terminal is."""

import contextlib
import json
import os
import re
import shutil
import sys
import textwrap
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from graphrag_lite import tables
from graphrag_lite.run import run_log
from graphrag_lite.run.corpus_files import left_out_of
from graphrag_lite.settings import ASKING

if TYPE_CHECKING:
    from graphrag_lite.ops.planning import Plan
    from graphrag_lite.ops.tuning import Tuned
    from graphrag_lite.run.loop import Run
    from graphrag_lite.search.answer import Answer
    from graphrag_lite.settings import Settings

# Controls, directions and halves of characters that `json` does not escape.
UNSAFE = re.compile(r"[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d\S*")
MAX_CELL = 160  # characters of a table cell
MAX_WORD = 32  # characters; a shorter word of a table is not folded where there is room for it
GAP = 2  # spaces between the columns of a table
WIDE = 100  # columns of a terminal from which a bar has its full width
MAX_PLACES = 3  # that are listed for one mark of an answer
EMBED = "embed_text_units"
LABELS = {
    "load_documents": "load documents",
    "split_text_units": "split text units",
    "extract_graph_fast": "extract names and relations",
    "extract_graph": "extract graph",
    "extract_claims": "extract claims",
    "resolve_entities": "resolve entities",
    "summarize_descriptions": "summarize descriptions",
    "detect_communities": "detect communities",
    "report_communities_fast": "report communities",
    "report_communities": "report communities",
    "publish_tables": "publish tables",
    "import_graphrag": "take over the index",
    "index_search": "index for search",
    EMBED: "embed text units",
}


def plain(text: str) -> str:
    """Return a text of the corpus without the characters that could steer a terminal."""
    return "".join(char if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf") else " " for char in text)


class Output(Console):
    """A console on standard output: a pipe or a file gets lines as they are, a terminal has them folded at words.

    Where the reader of a pipe, such as head, has left, BrokenPipeError is raised.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.soft_wrap = not self.is_terminal

    def on_broken_pipe(self) -> None:
        raise  # noqa: PLE0704 - it is called where one is handled


def discard(stream: TextIO) -> None:
    """Send what is still buffered nowhere, so that Python does not fail on it when it ends."""
    with contextlib.suppress(OSError, ValueError):  # a stream of a test has no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class Bars:
    """Live progress on a terminal: one line per stage, a bar while it runs."""

    def __init__(self, console: Console) -> None:
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.table import Column

        def whole() -> Column:
            return Column(no_wrap=True)

        self.progress = Progress(
            SpinnerColumn(finished_text="[green]✓", table_column=whole()),
            TextColumn("{task.description}", style="bold", table_column=whole()),
            BarColumn(bar_width=24 if console.width >= WIDE else 8, table_column=whole()),
            TimeElapsedColumn(table_column=whole()),
            # The only column that wraps: on a narrow terminal the others would vanish before it.
            TextColumn("{task.fields[note]}", style="dim", table_column=Column(no_wrap=False)),
            console=console,
        )

    def __enter__(self) -> "Bars":
        self.progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.progress.stop()

    def start(self, stage: str) -> None:
        self.task = self.progress.add_task(LABELS.get(stage, stage), total=None, note="")

    def advance(self, done: int, total: int) -> None:
        self.progress.update(self.task, completed=done, total=total)

    def finish(self, stage: str, seconds: float, rows: Mapping[str, int], reused: bool) -> None:  # noqa: ARG002
        note = "unchanged" if reused else ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in rows.items() if n)
        if asked := self.progress.tasks[self.task].fields["note"]:
            note = f"{note}; {asked}"
        self.progress.update(self.task, completed=1, total=1, note=note)

    def spend(self, usage: Mapping[str, Any]) -> None:
        self.progress.update(self.task, note=spent(usage))


def spent(usage: Mapping[str, Any]) -> str:
    """Say what a stage has asked of the model."""
    cost = "" if usage["cost"] is None else f", ${usage['cost']:.4f}"
    tokens = f"{usage['prompt_tokens']:,} + {usage['completion_tokens']:,} tokens"
    return f"{_counted(usage['calls'], 'call')}, {usage['memo_hits']:,} kept, {tokens}{cost}"


class Lines:
    """Progress as plain lines, one a stage, and one every ten seconds while it runs."""

    def __init__(self) -> None:
        self.last = time.monotonic()

    def __enter__(self) -> "Lines":
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def start(self, stage: str) -> None:
        self.stage = stage
        self.last = time.monotonic()
        self.spent = ""

    def advance(self, done: int, total: int) -> None:
        if time.monotonic() - self.last >= 10:
            self.last = time.monotonic()
            tell(f"{self.stage}: {done} of {total}{self.spent}")

    def spend(self, usage: Mapping[str, Any]) -> None:
        self.spent = f"; {spent(usage)}"

    def finish(self, stage: str, seconds: float, rows: Mapping[str, int], reused: bool) -> None:
        done = "unchanged" if reused else ", ".join(f"{n} {name}" for name, n in rows.items())
        tell(f"{stage}: {done} ({seconds:.2f} s{self.spent})")


def tell(line: str) -> None:
    """Print a line to standard error. A log that is full, or that nobody reads any more, is no reason to end a run."""
    try:
        print(_folded(plain(line)) if sys.stderr.isatty() else plain(line), file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)


def _folded(text: str) -> str:
    """Fold lines between words, as the terminal would not."""
    width = shutil.get_terminal_size().columns
    options: dict[str, Any] = {"width": width, "break_long_words": False, "break_on_hyphens": False}
    lines = text.expandtabs().splitlines()
    return "\n".join(
        textwrap.fill(line, **options, subsequent_indent=line[: len(line) - len(line.lstrip())]) for line in lines
    )


def summary(run: "Run") -> dict[str, Any]:
    """Return what `index --json` prints: documented in docs/json.md, and stable."""
    rows = {name: entry["rows"] for name, entry in run.manifest["tables"].items()}
    names = ("documents", "text_units", "entities", "relationships", "covariates", "communities", "community_reports")
    return {
        "status": "published" if run.changed else "unchanged",
        "snapshot": run.snapshot.name,
        "method": run.manifest["settings"]["method"],
        **{name: rows[name] for name in names},
        "communities_by_level": _by_level(run),
        "relationships_within_entities": within_entities(run.manifest),
        "failures": rows["failures"],
        "left_out": left_out_of(run.manifest),
        "unread_times": _unread_times(run),
        "stale_reports": sum(tables.read(run.snapshot, "community_reports", only=["stale"])["stale"].to_pylist()),
        "why": list(run.why),
        "changes": run.manifest["changes"] if run.changed else {},
        "resumed": run.resumed,
        "stages_run": list(run.ran),
        **({"usage": run_log.total(run.usage)} if _asks(run) else {}),
        "seconds": round(run.seconds, 3),
        "peak_memory_mb": run.peak_memory_mb,
    }


def within_entities(manifest: Mapping[str, Any]) -> int:
    """Return how many mentions of relationships are left out since both names are one entity."""
    counts = manifest["stages"].get("summarize_descriptions", {}).get("counts", {})
    return int(counts.get("relationships_within_entities", 0))


def _asks(run: "Run") -> bool:
    """Say whether the run may have asked a model: one that chats, or one that embeds."""
    values = run.manifest["settings"]
    return bool(run.usage) or values["method"] in ASKING or values["embeddings"]["model"] is not None


def _unread_times(run: "Run") -> list[dict[str, Any]]:
    """Return the files with times that cannot be read: the path, how many documents, and an example."""
    from graphrag_lite.stages.load_documents import unread_times

    documents = tables.read(run.snapshot, "source_documents", only=["path", "created_at", "metadata"])
    field = run.manifest["settings"]["load_documents"]["time_field"]
    return [unread._asdict() for unread in unread_times(documents, field)]


def _by_level(run: "Run") -> dict[str, int]:
    levels = tables.read(run.snapshot, "communities", only=["level"])["level"].to_pylist()
    return {str(level): levels.count(level) for level in sorted(set(levels))}


def changes(counts: Mapping[str, int]) -> str:
    """Say how many documents were added, edited, renamed and deleted."""
    return ", ".join(f"{n:,} {what}" for what, n in counts.items() if n)


def print_summary(console: Console, run: "Run", output: str) -> None:
    """Print the table at the end of a run."""
    values = summary(run)
    table = Table(show_header=False, box=None, padding=(0, 2))
    table.add_column(style="bold")
    table.add_column(justify="right")
    for name in ("documents", "text_units", "entities", "relationships", "communities"):
        table.add_row(name.replace("_", " "), f"{values[name]:,}")
    if within := values["relationships_within_entities"]:
        table.add_row("left out: both names one entity", f"{within:,} mentions")
    table.add_row("by level", ", ".join(f"{n:,}" for n in values["communities_by_level"].values()))
    stale = f" ({values['stale_reports']:,} stale)" if values["stale_reports"] else ""
    table.add_row("community reports", f"{values['community_reports']:,}{stale}")
    if changed := changes(values["changes"]):
        table.add_row("changed documents", changed)
    if unread := values["unread_times"]:
        n = sum(one["documents"] for one in unread)
        told = f"{n:,}, such as {unread[0]['example']!r} in {unread[0]['path']}"
        table.add_row("times not read", Text(plain(told)))
    if "usage" in values:
        spent = values["usage"]
        table.add_row("model", f"{spent['calls']:,} calls, {spent['memo_hits']:,} answers kept from before")
        cached = f" ({spent['cached_tokens']:,} cached)" if spent["cached_tokens"] else ""
        table.add_row("tokens", f"{spent['prompt_tokens']:,} prompt{cached}, {spent['completion_tokens']:,} completion")
        llm, embeddings = (run.manifest["settings"][name] for name in ("llm", "embeddings"))
        asked = [embeddings["model"] if stage == EMBED else llm["model"] for stage in run.usage]
        unknown = next((f"llm.prices.{model}" for model in asked if model not in llm["prices"]), "llm.prices")
        table.add_row("cost", f"not known: set {unknown}" if spent["cost"] is None else f"${spent['cost']:,.4f}")
    table.add_row("seconds", f"{values['seconds']:.1f}")
    table.add_row("peak memory", f"{values['peak_memory_mb']:,} MB")
    console.print(table)
    what = "Published" if run.changed else "Nothing has changed. Current is"
    console.print(f"{what} snapshot {values['snapshot']} in {output}", markup=False, highlight=False, soft_wrap=True)


def print_plan(console: Console, plan: "Plan", settings: "Settings") -> None:
    """Print what a run would ask of the model, and what may surprise about it."""
    if plan.model is None and not plan.steps:
        console.print(f"Method {plan.method} asks no model: nothing will be spent.")
        console.print("To plan the other method: --set method=standard --set llm.model=NAME", style="dim")
        return
    sizes = f"{plan.documents:,} documents, {plan.text_units:,} text units, {plan.text_tokens:,} tokens of text"
    asked = [model for model in (plan.model, plan.embedding_model) if model]
    console.print(Text(plain(f"{'Model' if plan.model else 'Embeddings by'} {', '.join(asked)}: {sizes}.\n")))
    priced = any(step.cost is not None for step in plan.steps)
    rows = [["stage", "calls", "kept", "prompt", "completion", *(["cost"] if priced else []), ""]]
    notes: dict[str, int] = {}
    stage = ""
    for step in (*plan.steps, plan.total):
        number = 0 if step.exact or not step.basis else notes.setdefault(step.basis, len(notes) + 1)
        if step.step and stage != step.stage:
            rows.append([step.stage, *[""] * (len(rows[0]) - 1)])
        stage = step.stage
        rows.append(
            [
                f"  {step.step}" if step.step else step.stage,
                *(f"{n:,}" for n in (step.calls, step.memo_hits, step.prompt_tokens, step.completion_tokens)),
                *(["?" if step.cost is None else f"${step.cost:,.2f}"] if priced else []),
                f"({number})" if number else step.basis,
            ]
        )
    for row, line in enumerate(_aligned(rows, [False, *[True] * (len(rows[0]) - 2), False])):
        console.print(Text(line, style="bold" if row in (0, len(rows) - 1) else ""), soft_wrap=True)
    console.print()
    for basis, number in notes.items():
        console.print(Text(f"({number}) {basis}", style="dim"))
    encoding = settings.split_text_units.encoding
    legend = (
        f"kept: requests{' (of embeddings: texts)' if plan.embedding_model else ''} that answers from before serve",
        f"prompt, completion: tokens as {encoding} counts them; completion is always an estimate",
        *(["cost: as if the provider's own cache served nothing"] if priced else []),
    )
    console.print(Text("\n".join(legend), style="dim"))
    for model in asked:
        if model in settings.llm.prices:
            continue
        price = f'llm.prices={{"{model}": {{input: ..., output: ...}}}}'
        unknown = f"\nThe prices of {model} are not known. Set them, in US dollars per million tokens, as in:"
        console.print(Text(plain(f"{unknown}\n  --set '{price}'")), soft_wrap=True)
    if plan.stop:
        stop = f"\n{plan.stop.setting} = {plan.stop.limit:g} would stop this run in {plan.stop.stage}. "
        stop += "Its answers are kept, and the next run goes on from there."
        console.print(Text(stop, style="bold"))


def _aligned(rows: Sequence[Sequence[str]], to_right: Sequence[bool]) -> list[str]:
    """Return rows as lines, with which columns are aligned to the right."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        gaps = [" " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = [gap + cell if right else cell + gap for cell, gap, right in zip(row, gaps, to_right, strict=True)]
        lines.append((" " * GAP).join(cells).rstrip())
    return lines


def print_tuned(console: Console, tuned: "Tuned", model: str) -> None:
    """Print what `prompt-tune` wrote, and what is left to the user."""
    console.print(Text(plain(f"Domain: {tuned.domain}\nLanguage: {tuned.language}")))
    for path in tuned.written:
        console.print(Text(f"Wrote {path}"), soft_wrap=True)
    console.print(f"\n{tuned.n_examples} examples of extraction came out well.", highlight=False)
    console.print(Text(plain(f"Asked {model}: {spent(tuned.usage)}")))
    console.print(Text("The entity types are a setting. Put this into settings.yaml:\n", style="bold"))
    console.print(Text(plain(tuned.settings)), soft_wrap=True)


def print_table(console: Console, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows as a table; a terminal folds long texts between words, a pipe or a file has a line for each row."""
    listed = [list(row) for row in rows]
    cells = [[_cell(value) for value in row] for row in listed]
    numeric = [
        bool(listed) and all(isinstance(row[column], int | float) for row in listed) for column in range(len(columns))
    ]
    if not console.is_terminal:
        for line in _aligned([columns, *cells], numeric):
            console.print(Text(line))
        return
    table = Table(box=None, padding=(0, GAP, 0, 0), header_style="bold")
    widths = _widths([list(column) for column in zip(columns, *cells, strict=True)], console.width)
    for column, width, number in zip(columns, widths, numeric, strict=True):
        table.add_column(column, overflow="fold", justify="right" if number else "left", width=width)
    for row in cells:
        table.add_row(*map(Text, row))
    console.print(table)


def _widths(columns: Sequence[Sequence[str]], most: int) -> list[int]:
    """Return the widths of columns of a table, `most` in all; where there is room for it, no word is folded."""
    room = most - GAP * len(columns)
    longest = [max(cell_len(word) for cell in column for word in cell.split(" ")) for column in columns]
    word = next((word for word in range(MAX_WORD, 1, -1) if sum(min(width, word) for width in longest) <= room), 1)
    widths = [max(map(cell_len, column)) for column in columns]
    while sum(widths) > room and any(width > min(one, word) for width, one in zip(widths, longest, strict=True)):
        spare = [width if width > min(one, word) else 0 for width, one in zip(widths, longest, strict=True)]
        widths[spare.index(max(spare))] -= 1
    return widths


def _cell(value: object) -> str:
    """Write a value as a table shows it, on one line.

    >>> _cell(7.581718), _cell(None), _cell(False), _cell("2024-06-17T09:02:00+00:00"), _cell("a\\n b")
    ('7.58', '', 'no', '2024-06-17 09:02', 'a b')
    """
    if isinstance(value, bool) or value is None:
        return {None: "", True: "yes", False: "no"}[value]
    if isinstance(value, float):
        return f"{value:,.2f}"
    text = " ".join(plain(str(value)).split())
    if TIME.fullmatch(text):
        return text[:16].replace("T", " ")
    return text if len(text) <= MAX_CELL else text[: MAX_CELL - 1] + "…"


def print_report(console: Console, content: str, sources: Iterable[str]) -> None:
    """Print a report as a page, then where its statements stand."""
    from rich.markdown import Markdown

    console.print(Markdown(plain(content)))
    console.print()
    for source in sources:
        console.print(Text(plain(source), style="dim"))


class Pieces:
    """Prints an answer that is being written; where it breaks off, its line is ended before that is said."""

    def __init__(self) -> None:
        self.begun = False

    def __enter__(self) -> "Pieces":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind and self.begun:
            print(flush=True)

    def __call__(self, text: str) -> None:
        self.begun = True
        print(plain(text), end="", flush=True)


def print_answer(console: Console, answer: "Answer") -> None:
    """Print an answer and where its statements stand."""
    console.print(Text(plain(answer.answer)))
    if answer.abstained and answer.documents:
        console.print(Text(plain(f"Nearest to it, and no answer: {answer.documents[0]}"), style="dim"))
    print_sources(console, answer)


def print_sources(console: Console, answer: "Answer") -> None:
    """Print where an answer's statements stand."""
    if answer.model:
        console.print()  # the answer was printed in pieces, and its last line has not ended
    if answer.citations:
        console.print(Text("\nSources", style="bold"))
    n_told: Counter[int] = Counter()
    places = Counter(cited.n for cited in answer.citations)
    for cited in answer.citations:
        n_told[cited.n] += 1
        where = f"{cited.place}, " * bool(cited.place) + f"characters {cited.char_start}-{cited.char_end}"
        if n_told[cited.n] <= MAX_PLACES:
            console.print(Text(plain(f"[{cited.n}] {source_of(cited.path, cited.document)}, {where}"), style="dim"))
        elif n_told[cited.n] == places[cited.n]:
            more = _counted(places[cited.n] - MAX_PLACES, "more place")
            console.print(Text(f"[{cited.n}] and {more}; --json lists them", style="dim"))


def read_as(readings: Mapping[str, str]) -> str:
    """Say how words of a question were read, which a reader should know before its answer."""
    read = ", ".join(f'"{word}" as "{reading}"' for word, reading in readings.items())
    return f"Read {read}: that is how the corpus writes it."


UNSURE = "hardly a word of the question is in the texts, which tells nothing in another language or in other forms."


def remarks(answers: "Sequence[Answer]") -> Iterator[str]:
    """Yield what a reader should know after an answer: gaps, failures, and the cost."""
    if n_unsure := sum(answer.unsure and not answer.abstained for answer in answers):
        yield f"{_counted(n_unsure, 'answer')} may be to something else: {UNSURE}"
    asked = [answer for answer in answers if answer.usage is not None]
    for answer in asked:
        about = f"{answer.question[:60]!r}: " if len(answers) > 1 else ""
        if answer.n_uncited_sentences:
            yield f"{about}{_counted(answer.n_uncited_sentences, 'sentence')} of the answer without a source."
        if answer.n_dropped_citations:
            dropped = _counted(answer.n_dropped_citations, "citation")
            yield f"{about}{dropped} left out: the model was shown no such record."
        if answer.failures:
            yield f"{about}{_counted(len(answer.failures), 'call')} failed; the answer rests on the others:"
            yield from (f"  {failure}" for failure in answer.failures)
    if asked:
        usage = run_log.total({str(i): answer.usage for i, answer in enumerate(asked) if answer.usage is not None})
        yield f"{asked[0].model}: {spent(usage)}"


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def source_of(path: str, document: str) -> str:
    """Name a document on one line: its file, and its own id where that is another."""
    return (path if document == path else f"{path} · {document}").replace("\n", "\\n")


def print_json(value: object) -> None:
    """Print one line of JSON to standard output."""
    print(UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False)), flush=True)

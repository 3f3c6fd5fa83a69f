"""What `query` prints of an answer: its text, where it stands, what a reader should know beside."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from graphrag_lite.cli.terminal import counted, plain, print_note, source_of, spent
from graphrag_lite.run import run_log

if TYPE_CHECKING:
    from graphrag_lite.search.answer import Answer

MAX_SPANS = 3  # that are listed for one mark of an answer
SHORT = 8  # characters of an id in a trace


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


def print_answer(console: Console, answer: "Answer", *, quiet: bool = False) -> None:
    """Print an answer and, unless `quiet`, where its statements stand."""
    console.print(Text(plain(answer.answer)))
    if not quiet and answer.abstained and answer.documents:
        nearest = source_of(answer.paths[0], answer.documents[0])
        console.print(Text(plain(f"Nearest to it, and no answer: {nearest}"), style="dim"))
    print_sources(console, answer, quiet=quiet)


def print_sources(console: Console, answer: "Answer", *, quiet: bool = False) -> None:
    """Print where an answer's statements stand, unless `quiet`."""
    if answer.model:
        console.print()  # the answer was printed in pieces, and its last line has not ended
    if quiet:
        return
    if answer.citations:
        console.print(Text("\nSources", style="bold"))
    n_printed: Counter[int] = Counter()
    n_spans = Counter(cited.n for cited in answer.citations)
    for cited in answer.citations:
        n_printed[cited.n] += 1
        where = f"{cited.place}, " * bool(cited.place) + f"characters {cited.char_start}-{cited.char_end}"
        if n_printed[cited.n] <= MAX_SPANS:
            console.print(Text(plain(f"[{cited.n}] {source_of(cited.path, cited.document)}, {where}"), style="dim"))
        elif n_printed[cited.n] == n_spans[cited.n]:
            more = counted(n_spans[cited.n] - MAX_SPANS, "more place")
            console.print(Text(f"[{cited.n}] and {more}; --json lists them", style="dim"))


def tell_steps(answer: "Answer") -> None:
    """Say on standard error what an agent did, a line a step."""
    for n, step in enumerate(answer.steps, start=1):
        arguments = json.dumps(step["arguments"], ensure_ascii=False)
        ids = ", ".join(one[:SHORT] for one in step["ids"]) or "nothing"
        result = f"page {step['page']} of {step['n_pages']}: {ids} {step['note']}".rstrip()
        used = f"{step['tokens']:,} tokens, {step['in_use']:,} in use"
        print_note(plain(f"{n}. {step['tool']} {arguments} -> {result} ({used})"))
        if step.get("thought"):
            print_note(plain(f"   {step['thought']}"))


def read_as(readings: Mapping[str, str]) -> str:
    """Say how words of a question were read, which a reader should know before its answer."""
    read = ", ".join(f'"{word}" as "{reading}"' for word, reading in readings.items())
    return f"Read {read}: that is how the corpus writes it."


UNSURE = "hardly a word of the question is in the texts, which tells nothing in another language or in other forms."


def remarks(answers: "Sequence[Answer]") -> Iterator[str]:
    """Yield what a reader should know after an answer: gaps, failures, and the cost."""
    if n_unsure := sum(answer.unsure and not answer.abstained for answer in answers):
        yield f"{counted(n_unsure, 'answer')} may be to something else: {UNSURE}"
    by_model = [answer for answer in answers if answer.usage is not None]
    for answer in by_model:
        about = f"{answer.question[:60]!r}: " if len(answers) > 1 else ""
        if answer.n_uncited_sentences:
            yield f"{about}{counted(answer.n_uncited_sentences, 'sentence')} of the answer without a source."
        if answer.n_dropped_citations:
            dropped = counted(answer.n_dropped_citations, "citation")
            yield f"{about}{dropped} left out: the model was shown no such record."
        if answer.failures:
            yield f"{about}{counted(len(answer.failures), 'call')} failed; the answer rests on the others:"
            yield from (f"  {failure}" for failure in answer.failures)
    if by_model:
        usage = run_log.total_usage(
            {str(i): answer.usage for i, answer in enumerate(by_model) if answer.usage is not None}
        )
        yield f"{by_model[0].model}: {spent(usage)}"

"""The command plan, and `index --dry-run`."""

from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.text import Text

from graphrag_lite.cli import terminal
from graphrag_lite.cli.group import command
from graphrag_lite.cli.options import Root, corpus_of, log, with_options
from graphrag_lite.cli.terminal import aligned, counted, plain

if TYPE_CHECKING:
    from graphrag_lite.ops.planning import Plan
    from graphrag_lite.settings import Settings

A_CALL = 10  # seconds that a call is taken to last: extraction writes some 300 to 600 tokens


@command("plan")
@click.argument("corpus", required=False, type=click.Path(path_type=Path))
@with_options("plan")
def plan(corpus: Path | None, root: Root, as_json: bool) -> None:
    log()
    show_plan(corpus_of(root, corpus), root, as_json)


def show_plan(corpus: Path, root: Root, as_json: bool) -> None:
    """Print what a run would ask of the model; changes nothing."""
    from graphrag_lite.ops import planning

    loaded = root.load()
    planned = planning.with_choices(planning.plan(corpus, root.output, loaded), corpus, root.output, loaded)
    if as_json:
        terminal.print_json(planned.to_dict())
    else:
        _print_plan(terminal.Output(), planned, loaded)


def _dollars(cost: float) -> str:
    """Return what something costs; what is not free is not called so.

    >>> [_dollars(cost) for cost in (0.0, 0.0018, 1234.5)]
    ['$0.00', '<$0.01', '$1,234.50']
    """
    return "<$0.01" if 0 < cost < 0.005 else f"${cost:,.2f}"


def _ways(plan: "Plan", at_once: int) -> list[str]:
    """Return what a plan costs and how long it takes, directly and in batches."""
    steps = [step for step in plan.steps if step.calls and step.stage != "embed_text_units"]
    cost, halved = plan.total.cost or 0.0, sum(step.cost or 0.0 for step in steps) / 2
    seconds, n = ceil(sum(step.calls for step in steps) / at_once) * A_CALL, len(steps)
    long = f"{seconds / 3600:,.1f} hours" if seconds >= 3600 else f"{ceil(seconds / 60)} min"
    return [
        f"directly: {_dollars(cost)}, {long} where a call takes {A_CALL} s, {at_once} at once",
        f"in batches (index --batch): {_dollars(cost - halved)}, up to {24 * n} hours, 24 for each of {n} steps and"
        " rounds, and for further ones of repairs and of reports on reports",
    ]


def _print_plan(console: Console, plan: "Plan", settings: "Settings") -> None:
    """Print what a run would ask of the model, and what may surprise about it."""
    if plan.model is None and not plan.steps:
        console.print(f"Method {plan.method} asks no model: nothing will be spent.")
        console.print("To plan the other method: --set method=standard --set llm.model=NAME", style="dim")
        return
    sizes = f"{counted(plan.documents, 'document')}, {counted(plan.text_units, 'text unit')}"
    sizes += f", {plan.text_tokens:,} tokens of text"
    models = [model for model in (plan.model, plan.embedding_model) if model]
    console.print(Text(plain(f"{'Model' if plan.model else 'Embeddings by'} {', '.join(models)}: {sizes}.\n")))
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
                *(["?" if step.cost is None else _dollars(step.cost)] if priced else []),
                f"({number})" if number else step.basis,
            ]
        )
    for row, line in enumerate(aligned(rows, [False, *[True] * (len(rows[0]) - 2), False])):
        console.print(Text(line, style="bold" if row in (0, len(rows) - 1) else ""), soft_wrap=True)
    encoding = settings.split_text_units.encoding
    lines = [
        *(f"({number}) {basis}" for basis, number in notes.items()),
        f"kept: requests{' (of embeddings: texts)' if plan.embedding_model else ''} that answers from before serve",
        f"prompt, completion: tokens as {encoding} counts them; completion is always an estimate",
    ]
    lines += ["cost: as if the provider's own cache served nothing"] if priced else []
    if plan.model and plan.total.cost and settings.llm.preset.batches:
        lines += _ways(plan, settings.llm.concurrency)
    for choice in plan.cheaper:
        cost = "" if choice.cost is None else f", {_dollars(choice.cost)}"
        n_tokens = f"{choice.calls:,} calls, {choice.prompt_tokens:,} + {choice.completion_tokens:,} tokens{cost}"
        lines.append(f"cheaper, and finds less: --set {choice.setting}: {n_tokens}")
    console.print(Text("\n" + "\n".join(lines), style="dim"))
    for model in (model for model in models if not settings.llm.prices_of(model)):
        price = f'llm.prices={{"{model}": {{input: ..., output: ...}}}}'
        unknown = f"\nThe prices of {model} are not known. Set them, in US dollars per million tokens, as in:"
        console.print(Text(plain(f"{unknown}\n  --set '{price}'")), soft_wrap=True)
    if plan.stop:
        stop = f"\n{plan.stop.setting} = {plan.stop.limit:g} would stop this run in {plan.stop.stage}. "
        stop += "Its answers are kept, and the next run goes on from there."
        console.print(Text(stop, style="bold"))

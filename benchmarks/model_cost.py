"""What an index by a model asks for: calls, tokens and dollars by stage, at the shipped defaults and at other settings.

    python benchmarks/model_cost.py scale_eltec_eng/corpus.jsonl

The model is the stand-in of `plausible_model`; what `plan` says before each run stands beside it. The text is that of
`model_overhead.py`, units of the shipped size.
"""

import tempfile
from collections.abc import Mapping
from pathlib import Path

import click
from model_overhead import N_DOCUMENTS, cut
from plausible_model import PlausibleModel

import graphrag_lite
from graphrag_lite.ops import planning
from graphrag_lite.settings import file as settings_file

INPUT, OUTPUT = 0.40, 1.60  # US dollars per million tokens, of gpt-4.1-mini
CACHED = 0.25  # the price of cached tokens, of that of others
CHOICES = (
    (),
    ("extract_claims.enabled=true",),
    ("split_text_units.size=1200",),
    ("extract_graph.max_gleanings=0",),
)


def dollars(prompt: int, completion: int, cached: int = 0) -> float:
    """Return what tokens cost; those that a prompt cache serves, `CACHED` of others."""
    return ((prompt - cached * (1 - CACHED)) * INPUT + completion * OUTPUT) / 1e6


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path, exists=True))
@click.option("--documents", default=N_DOCUMENTS, show_default=True, help="The first of the corpus.")
def main(corpus: Path, documents: int) -> None:
    """Index the first documents of a corpus with each choice of settings."""
    print(
        "| settings | calls | plan | prompt tokens | plan | completion tokens | plan | US dollars"
        + f" | cached tokens | US dollars with these at {CACHED} |\n"
        + "| --- " * 10
        + "|"
    )
    with tempfile.TemporaryDirectory() as folder:
        part = cut(corpus, Path(folder) / "corpus.jsonl", documents)
        for number, choice in enumerate(CHOICES):
            root, model = Path(folder) / str(number), PlausibleModel()
            root.mkdir()
            overrides = ["method=standard", "llm.model=plausible", *choice]
            planned = planning.plan(part, root / "output", settings_file.load(root, None, overrides), model).total
            index = graphrag_lite.index(part, root, overrides=overrides, model=model)
            usage = index.manifest["usage"]
            show(", ".join(choice) or "as shipped", _sum(usage), planned)
            for stage, used in usage.items() if not choice else ():
                show(stage, used)


def _sum(usage: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    names = ("calls", "prompt_tokens", "cached_tokens", "completion_tokens")
    return {name: sum(used[name] for used in usage.values()) for name in names}


def show(name: str, used: Mapping[str, int], planned: planning.PlannedCalls | None = None) -> None:
    """Print a row: what was used, each beside what was planned."""
    cells = [name]
    for what in ("calls", "prompt_tokens", "completion_tokens"):
        cells += [f"{used[what]:,}", f"{getattr(planned, what):,}" if planned else ""]
    tokens, cached = (used["prompt_tokens"], used["completion_tokens"]), used["cached_tokens"]
    cells += [f"{dollars(*tokens):.2f}", f"{cached:,}", f"{dollars(*tokens, cached):.2f}"]
    print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

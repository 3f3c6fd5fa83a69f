"""What `index` and `import` say at the end of a run."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from graphrag_lite.cli.terminal import changes, plain
from graphrag_lite.run import run_log, snapshots
from graphrag_lite.run.corpus_files import left_out_of
from graphrag_lite.run.loop import Run
from graphrag_lite.settings import ASKING


def summary(run: Run) -> dict[str, Any]:
    """Return what `index --json` prints: documented in docs/json.md, and stable."""
    rows = {name: entry["rows"] for name, entry in run.manifest["tables"].items()}
    values = run.manifest["settings"]
    may_have_called = run.usage or values["method"] in ASKING or values["embeddings"]["model"] is not None
    counts = snapshots.counted(run.manifest)
    names = ("documents", "text_units", "entities", "relationships", "covariates", "communities", "community_reports")
    return {
        "status": "published" if run.changed else "unchanged",
        "snapshot": run.snapshot.name,
        "method": values["method"],
        **{name: rows[name] for name in names},
        "communities_by_level": counts.get("communities_by_level", {}),
        "relationships_within_entities": counts.get("relationships_within_entities", 0),
        "failures": rows["failures"],
        "left_out": left_out_of(run.manifest),
        "unread_times": counts.get("unread_times", []),
        "stale_reports": counts.get("stale_reports", 0),
        "why": list(run.why),
        "changes": run.manifest["changes"] if run.changed else {},
        "resumed": run.resumed,
        "stages_run": list(run.ran),
        **({"usage": run_log.total_usage(run.usage)} if may_have_called else {}),
        "seconds": round(run.seconds, 3),
        "peak_memory_mb": run.peak_memory_mb,
    }


def print_summary(console: Console, run: Run, values: Mapping[str, Any], output: str) -> None:
    """Print the table at the end of a run, of the values of its `summary`."""
    table = Table(show_header=False, box=None, padding=(0, 2))
    table.add_column(style="bold")
    table.add_column(justify="right")
    for name in ("documents", "text_units", "entities", "relationships", "communities"):
        table.add_row(name.replace("_", " "), f"{values[name]:,}")
    table.add_row("  by level, coarsest first", ", ".join(f"{n:,}" for n in values["communities_by_level"].values()))
    stale = f" ({values['stale_reports']:,} stale)" if values["stale_reports"] else ""
    table.add_row("community reports", f"{values['community_reports']:,}{stale}")
    if changed := changes(values["changes"]):
        table.add_row("changed documents", changed)
    if unread := values["unread_times"]:
        n = sum(one["documents"] for one in unread)
        example = f"{n:,}, such as {unread[0]['example']!r} in {unread[0]['path']}"
        table.add_row("times not read", Text(plain(example)))
    if "usage" in values:
        spent = values["usage"]
        table.add_row("model", f"{spent['calls']:,} calls, {spent['memo_hits']:,} answers kept from before")
        cached = f" ({spent['cached_tokens']:,} cached)" if spent["cached_tokens"] else ""
        table.add_row("tokens", f"{spent['prompt_tokens']:,} prompt{cached}, {spent['completion_tokens']:,} completion")
        llm, embeddings = (run.manifest["settings"][name] for name in ("llm", "embeddings"))
        models = [
            embeddings["model"] if stage == "embed_text_units" else llm["models"].get(stage, llm["model"])
            for stage in run.usage
        ]
        unknown = next((f"llm.prices.{model}" for model in models if model not in llm["prices"]), "llm.prices")
        table.add_row("cost", f"not known: set {unknown}" if spent["cost"] is None else f"${spent['cost']:,.4f}")
    table.add_row("seconds", f"{values['seconds']:.1f}")
    table.add_row("peak memory", f"{values['peak_memory_mb']:,} MB")
    console.print(table)
    what = "Published" if run.changed else "Nothing has changed. Current is"
    console.print(f"{what} snapshot {values['snapshot']} in {output}", markup=False, highlight=False, soft_wrap=True)

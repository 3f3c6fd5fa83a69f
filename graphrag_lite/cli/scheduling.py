"""The command schedule."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import click

from graphrag_lite.cli import terminal
from graphrag_lite.cli.group import command
from graphrag_lite.cli.options import Root, with_options
from graphrag_lite.errors import InputError
from graphrag_lite.ops import cron, metrics, scheduler_files
from graphrag_lite.ops import schedule as scheduler


@command("schedule")
@click.argument("corpus", type=click.Path(path_type=Path))
@with_options("schedule")
def schedule(
    corpus: Path, root: Root, expression: str, timezone: str | None, metrics_file: Path | None, form: str | None
) -> None:
    times, zone = cron.parse_cron(expression), cron.time_zone(timezone)
    loaded = root.load()
    job = scheduler.Job(corpus, root.folder, root.config, root.overrides, metrics_file)
    if form:
        if not corpus.exists():
            terminal.print_note(f"Warning: {corpus}: there is no such folder or file here yet.")
        key = loaded.llm.key_env if loaded.asks else None
        job = scheduler_files.absolute(job)
        click.echo(scheduler_files.FORMS[form](job, times, timezone, key), nl=False)
        return

    if not corpus.exists():
        raise InputError(f"{corpus}: there is no such folder or file.")
    if metrics_file:
        metrics.check(metrics_file)
    asyncio.run(scheduler.serve(job, times, zone, _log))


def _log(event: str, *, level: str = "info", **fields: Any) -> None:
    entry = {"time": scheduler.format_time(), "level": level, "event": event, **fields}
    with contextlib.suppress(OSError):  # a log that cannot be written, as on a full disk, ends no schedule
        terminal.print_json(entry)

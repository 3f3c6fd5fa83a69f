"""What the commands share: options, exit codes, how errors, logs and signals are met."""

import contextlib
import errno
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

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
METRICS_FILE = click.option(
    "--metrics-file",
    type=click.Path(path_type=Path),
    metavar="FILE.prom",
    help="After every run, write its figures for Prometheus' node exporter.",
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


def log() -> None:
    import logging

    from graphrag_lite import terminal

    class Plain(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return terminal.plain(super().format(record))

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Plain("%(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """Meet SIGTERM, which a scheduler sends, like Ctrl-C."""
    import signal

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)

"""The group of commands: which there are, their help, and how an error that a user can fix ends one."""

import contextlib
import errno
import os
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from graphrag_lite.cli.from_graphrag import translated
from graphrag_lite.errors import GraphragLiteError
from graphrag_lite.text.word_lists import toml_file

HELP = toml_file(__package__, "help.toml")
COMMANDS: dict[str, str] = HELP["functions"]


def command(name: str, **attributes: Any) -> Callable[[Callable[..., None]], Any]:
    """Make a command of a function, with its help of `help.toml` and the exit codes below it."""
    return click.command(name, help=HELP[name], epilog=HELP["exit codes"], **attributes)


def loaded(name: str) -> Any:
    """Import a command."""
    module, _, function = COMMANDS[name].partition(":")
    return getattr(import_module(f"{__package__}.{module}"), function)


@contextlib.contextmanager
def while_read() -> Iterator[None]:
    """Print until the reader of standard output, such as head, has seen enough. That is no error."""
    try:
        yield
    except BrokenPipeError:
        from graphrag_lite.cli import terminal

        terminal.discard(sys.stdout)


class Group(click.Group):
    """Turns the errors that a user can fix into one message and an exit code; a bug keeps its traceback.

    Its commands are names and help; one that is called is imported.
    """

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        short = HELP["summaries"]
        self.commands = {name: click.Command(name, help=HELP[name], short_help=short[name]) for name in COMMANDS}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's own sorts them
        return [*self.commands]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        rest = None
        with _explained(ctx):
            rest = super().parse_args(ctx, args)
        return ctx.exit() if rest is None else rest  # of its help enough has been read

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, found, rest = super().resolve_command(ctx, translated(args))
        return name, loaded(name) if found and name else None, rest

    def invoke(self, ctx: click.Context) -> None:
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:  # closed by >&-: what is opened next would take its place
                setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 - to the end
            stream = getattr(sys, name)
            if hasattr(stream, "reconfigure"):  # where it is not UTF-8, what it cannot write is escaped
                stream.reconfigure(errors="backslashreplace")
        with _explained(ctx):
            super().invoke(ctx)


@contextlib.contextmanager
def _explained(ctx: click.Context) -> Iterator[None]:
    """End the program with one message for what a user can fix."""
    try:
        with while_read():
            yield
        return
    except GraphragLiteError as error:
        message, code = f"Error: {error}", error.exit_code
    except KeyboardInterrupt:
        note = " Nothing was published; finished stages are kept, run again to go on."
        message, code = f"Interrupted.{note if ctx.invoked_subcommand in ('index', 'import') else ''}", 130
    except OSError as error:
        if isinstance(error, FileNotFoundError) and _is_nowhere():
            message, code = "Error: the folder that this was called in is gone. Change to one that is there.", 1
        elif error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or error.filename:
            raise
        else:
            message, code = f"Error: standard output cannot be written: {error.strerror}.", 1
    from graphrag_lite.cli import terminal

    terminal.print_note(message)
    ctx.exit(code)


def _is_nowhere() -> bool:
    try:
        return not Path.cwd()
    except OSError:
        return True

"""What the commands share: options, the root, how logs and signals are met."""

import contextlib
import functools
import gc
import logging
import signal
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from graphrag_lite.cli import terminal
from graphrag_lite.search.methods import METHODS, names

if TYPE_CHECKING:
    from graphrag_lite.search.index import Index
    from graphrag_lite.settings import Settings

SUMMARIES = " ".join(f"{name}: {method.summary}." for name, method in METHODS.items())


class MethodName(click.ParamType):  # type: ignore[type-arg] # older clicks have no argument
    """The name of a search method, this package's or another's, as a choice: wrong usage where there is none."""

    name = "method"

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002
        return f"[{'|'.join(METHODS)}]"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in METHODS and value not in names():
            self.fail(f"{value!r} is not one of {', '.join(names())}.", param, ctx)
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        return [CompletionItem(known) for known in names() if known.startswith(incomplete)]


TYPES: dict[str | None, Any] = {
    "path": click.Path(path_type=Path),
    "file": click.Path(path_type=Path, dir_okay=False),
    "folder": click.Path(path_type=Path, file_okay=False),
    "count": click.IntRange(1),
    "whole number": click.INT,
    "method": MethodName(),
}


@dataclass(frozen=True)
class Root:
    """A folder with settings.yaml and output/, and what a command changes of its settings."""

    folder: Path
    config: Path | None = None
    overrides: tuple[str, ...] = ()

    @property
    def output(self) -> Path:
        return self.folder / "output"

    def load(self, *, for_indexing: bool = True) -> "Settings":
        """Return the settings. Raises SettingsError."""
        from graphrag_lite.settings import file as settings_file

        return settings_file.load(self.folder, self.config, self.overrides, for_indexing=for_indexing)

    def open_index(self) -> "Index":
        """Return the current snapshot, for a command, which has no use of pandas. Raises IndexNotFound, TableError."""
        from graphrag_lite import tables
        from graphrag_lite.search.index import Index

        tables.spare_pandas()
        return Index.open(self.output, config=self.config, overrides=self.overrides)


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Collect no garbage in a process that answers and ends: going through all imports costs it a third of a second."""
    gc.disable()
    try:
        yield
    finally:
        if "duckdb" not in sys.modules:  # whose binding complains; a query has no need of it
            gc.freeze()
        gc.enable()


def corpus_of(root: Root, corpus: Path | None) -> Path:
    """Return the corpus that is named, else ROOT/input, where microsoft/graphrag has it. Raises UsageError.

    A name that leads nowhere before the first run is mistyped; later the folder is gone, which is a run that failed.
    """
    from graphrag_lite.run.corpus_files import on_this_machine

    on_this_machine(corpus, root.folder)
    if corpus and not corpus.exists() and not (root.output / "current").exists():
        raise click.UsageError(f"{corpus}: there is no such folder or file.")
    if corpus is None and not (root.folder / "input").exists():
        raise click.UsageError(f"Give a CORPUS, a folder or a file: there is no {root.folder / 'input'}.")
    return corpus or root.folder / "input"


@functools.cache
def options_of(name: str) -> dict[str, dict[str, Any]]:
    """Return what `options.toml` has below [name]. A command reads its own part: tomllib takes 10 ms for all of it."""
    text = (resources.files(__package__) / "options.toml").read_text(encoding="utf-8")
    (part,) = (part for part in text.split("\n\n") if part.startswith((f"[{name}]", f'["{name}"]')))
    found: dict[str, dict[str, Any]] = tomllib.loads(part)[name]
    return found


def _text(value: Any) -> Any:
    """Return what a command is given; bytes of another locale, or that are no UTF-8, are surrogates in its texts."""
    if isinstance(value, tuple):
        return tuple(map(_text, value))
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace") if isinstance(value, str) else value


def with_options(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command its options of `options.toml`; --root, --config and --set come as one `root`."""

    def given(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def called(**values: Any) -> None:
            if "root" in values:
                values["root"] = Root(values["root"], values.pop("config", None), values.pop("overrides", ()))
            function(**{name: _text(value) for name, value in values.items()})

        for flags, own in reversed(options_of(name).items()):
            stated = own or options_of("shared")[flags]
            attributes = {key: value for key, value in stated.items() if key != "choice"}
            attributes["type"] = click.Choice(stated["choice"]) if "choice" in stated else TYPES.get(stated.get("type"))
            attributes["help"] = stated["help"].replace("$methods", SUMMARIES)
            click.option(*flags.split(), **attributes, show_default="default" in stated)(called)
        return called

    return given


def log(*, quiet: bool = False) -> None:
    """Tell what a run remarks; with `quiet` only what goes wrong."""

    class NoteHandler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            terminal.print_note(self.format(record))

    logging.basicConfig(
        level=logging.WARNING if quiet else logging.INFO, format="%(message)s", handlers=[NoteHandler()]
    )


@contextlib.contextmanager
def terminable() -> Iterator[Callable[[], None]]:
    """Meet SIGTERM, which a scheduler sends, like Ctrl-C, until the work is done; what this yields is told so.

    From then on neither ends the command: it has only to say what has come of the work.
    """

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = {signal.SIGTERM: signal.signal(signal.SIGTERM, stop)}

    def done() -> None:
        before[signal.SIGINT] = signal.getsignal(signal.SIGINT)
        for number in before:
            signal.signal(number, signal.SIG_IGN)

    try:
        yield done
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

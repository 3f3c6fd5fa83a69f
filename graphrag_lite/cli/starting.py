"""The commands to begin with: demo, init, prompt-tune."""

import shlex
from pathlib import Path

import click
from rich.text import Text

from graphrag_lite.cli.group import command
from graphrag_lite.cli.options import Root, log, terminable, with_options
from graphrag_lite.cli.terminal import Output, plain, spent
from graphrag_lite.distribution import shipped_folder
from graphrag_lite.ops.init import write_defaults

QUESTIONS = (  # about the sample corpus, each with the options that it is asked with
    ("What are the main themes?", "--method", "global"),
    ("Who was Lyman Spitzer and what did he propose?", "--method", "local"),
    ("Who was the director of the Space Telescope Science Institute?", "--valid-at", "1995-06-01"),
)


@command("demo")
@with_options("demo")
@click.pass_context
def demo(ctx: click.Context, root: Root, opens: bool) -> None:
    at_root = ["--root", str(root.folder)]
    for words in (
        ["index", str(shipped_folder("corpus", "examples", "corpus")), *at_root],
        *(["query", *question, *at_root] for question in QUESTIONS),
        ["explore", "--title", "Hubble Space Telescope", *at_root, *(["--open"] if opens else [])],
    ):
        click.echo(f"$ graphrag-lite {shlex.join(words)}")
        code = ctx.find_root().command.main(words, "graphrag-lite", standalone_mode=False)
        if code:
            ctx.exit(code)
        click.echo()
    click.echo(f"Open {(root.folder / 'explore.html').resolve().as_uri()}")


@command("init")
@click.argument("folder", type=click.Path(path_type=Path), default=".")
@with_options("init")
def init(folder: Path, force: bool) -> None:
    for path in write_defaults(folder, force=force):
        click.echo(f"Wrote {path}")


@command("prompt-tune")
@click.argument("corpus", type=click.Path(path_type=Path))
@with_options("prompt-tune")
def prompt_tune(corpus: Path, root: Root, sample: int, force: bool) -> None:
    from graphrag_lite.ops import tuning  # which all stages come with

    log()
    loaded = root.load()
    with terminable():
        tuned = tuning.tune(corpus, root.folder, loaded, n_units=sample, force=force)
    console = Output()
    console.print(Text(plain(f"Domain: {tuned.domain}\nLanguage: {tuned.language}")))
    for path in tuned.written:
        console.print(Text(f"Wrote {path}"), soft_wrap=True)
    console.print(f"\n{tuned.n_examples} examples of extraction came out well.", highlight=False)
    console.print(Text(plain(f"Asked {loaded.llm.model}: {spent(tuned.usage)}")))
    console.print(Text("The entity types are a setting. Put this into settings.yaml:\n", style="bold"))
    console.print(Text(plain(tuned.settings)), soft_wrap=True)

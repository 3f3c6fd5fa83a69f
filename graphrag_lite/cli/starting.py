"""The commands that write files for a root: init, prompt-tune."""

from pathlib import Path

import click

from graphrag_lite.cli.options import CONFIG, EXIT_CODES, OVERRIDES, ROOT, log, terminable


@click.command(epilog=EXIT_CODES)
@click.argument("folder", type=click.Path(path_type=Path), default=".")
@click.option("--force", is_flag=True, help="Overwrite files that are there.")
def init(folder: Path, force: bool) -> None:
    """Write settings.yaml and prompts/ with their comments into FOLDER.

    \b
    Example:
      graphrag-lite init my-project
    """
    from graphrag_lite.ops.init import write_defaults

    for path in write_defaults(folder, force=force):
        click.echo(f"Wrote {path}")


@click.command("prompt-tune", epilog=EXIT_CODES)
@click.argument("corpus", type=click.Path(path_type=Path))
@ROOT
@CONFIG
@OVERRIDES
@click.option("--sample", type=click.IntRange(1), default=12, show_default=True, help="Text units to learn from.")
@click.option("--force", is_flag=True, help="Overwrite prompt files that are there.")
def prompt_tune(
    corpus: Path, root: Path, config: Path | None, overrides: tuple[str, ...], sample: int, force: bool
) -> None:
    """Write prompts for the domain and the language of CORPUS into ROOT/prompts.

    Asks the model of section llm about a sample of the corpus: its domain, the kinds of entities in it, and examples
    of their extraction. Prints the entity types to put into settings.yaml, which it does not change.

    \b
    Example:
      graphrag-lite prompt-tune ./corpus --set llm.model=gpt-4o-mini
    """
    from graphrag_lite import settings
    from graphrag_lite.cli import terminal
    from graphrag_lite.ops import tuning

    log()
    loaded = settings.load(root, config, overrides)
    with terminable():
        tuned = tuning.tune(corpus, root, loaded, n_units=sample, force=force)
    terminal.print_tuned(terminal.Output(), tuned, loaded.llm.model or "")

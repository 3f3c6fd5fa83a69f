"""The commands that write files for a root: init, prompt-tune."""

from pathlib import Path

import click

from graphrag_lite.cli.options import EXIT_CODES, Root, log, terminable, with_settings


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
@with_settings
@click.option("--sample", type=click.IntRange(1), default=12, show_default=True, help="Text units to learn from.")
@click.option("--force", is_flag=True, help="Overwrite prompt files that are there.")
def prompt_tune(corpus: Path, root: Root, sample: int, force: bool) -> None:
    """Write prompts for the domain and the language of CORPUS into ROOT/prompts.

    Asks the model of section llm about a sample of the corpus: its domain, the kinds of entities in it, and examples
    of their extraction. Prints the entity types to put into settings.yaml, which it does not change.

    \b
    Example:
      graphrag-lite prompt-tune ./corpus --set llm.model=gpt-4o-mini
    """
    from rich.text import Text

    from graphrag_lite.cli.terminal import Output, plain, spent
    from graphrag_lite.ops import tuning

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

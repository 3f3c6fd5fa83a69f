"""The command line: parse, call, print. Everything heavy is imported inside the commands."""

import sys

import click

from graphrag_lite.distribution import installed_version, overwritten

if problem := overwritten():
    sys.exit(problem)

from graphrag_lite.cli.dating import timeline
from graphrag_lite.cli.evaluating import evaluate
from graphrag_lite.cli.facts import facts
from graphrag_lite.cli.history import check, diff, rollback, runs
from graphrag_lite.cli.indexing import import_, index, plan
from graphrag_lite.cli.memory import memory
from graphrag_lite.cli.options import EXIT_CODES, Group
from graphrag_lite.cli.querying import query
from graphrag_lite.cli.scheduling import schedule
from graphrag_lite.cli.showing import show
from graphrag_lite.cli.starting import demo, init, prompt_tune
from graphrag_lite.cli.tools import mcp, tool
from graphrag_lite.cli.viewing import explore, export


@click.group(cls=Group, epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(installed_version(), "-V", "--version")
def main() -> None:
    """Turn a folder of documents into a knowledge graph with communities and reports, and ask it questions.

    \b
    Start with:
      graphrag-lite index ./corpus
      graphrag-lite query --method global "What are the main themes?"
      graphrag-lite query --method local "Who is Scrooge and whom does he know?"

    No key, no network: the default method analyses text. An index is a build: the same command does the first run,
    the nightly run and the run after a crash, and does only the work that the change needs.
    """


_COMMANDS = (
    *(index, schedule, plan, query, facts, timeline, tool, mcp, memory),
    *(evaluate, show, explore, export, runs, diff, rollback, check),
    *(demo, init, prompt_tune, import_),
)
for command in _COMMANDS:
    main.add_command(command)

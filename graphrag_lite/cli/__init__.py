"""The command line: parse, call, print. A command's module is imported when the command is called."""

import sys

import click

from graphrag_lite.distribution import installed_version, namesake_hint

if problem := namesake_hint():
    sys.exit(problem)

from graphrag_lite.cli.group import Group, command


@command("graphrag-lite", cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(installed_version(), "-V", "--version")
def main() -> None: ...

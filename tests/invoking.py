"""Commands run in this process, and what they print as JSON lines."""

import json
from typing import Any

from click.testing import CliRunner, Result

from graphrag_lite.cli import main

LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
from graphrag_lite.cli import main
main()
"""
"""A command line that may write so many bytes to a file, its first argument."""


def invoke(*arguments: object) -> Result:
    """Run a command in this process; an error that is not for the user is raised."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments], catch_exceptions=False)


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]

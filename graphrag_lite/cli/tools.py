"""The commands tool and mcp."""

import click

from graphrag_lite.cli import terminal
from graphrag_lite.cli.group import command, while_read
from graphrag_lite.cli.options import Root, uncollected, with_options


@command("tool")
@click.argument("name", required=False)
@click.argument("arguments", default="{}")
@with_options("tool")
def tool(name: str | None, arguments: str, schema: bool, session: str, where: tuple[str, ...], root: Root) -> None:
    click.get_current_context().with_resource(uncollected())
    from graphrag_lite.agent import requests, tools

    with while_read():
        if name is not None and not schema:
            from graphrag_lite.agent.session import MEMORY, Session
            from graphrag_lite.memory.store import Memory

            opened = Session(lambda: root.open_index().limited(where), lambda: Memory(root.output / MEMORY), session)
            terminal.print_json(tools.call(opened, name, arguments))
        elif schema:
            for known, each in tools.TOOLS.items():
                if name in (None, known):
                    stated = {"name": known, "description": each.summary, "parameters": requests.schema(each.request)}
                    terminal.print_json(stated)
        else:
            rows = [(known, each.summary, requests.example(each.request)) for known, each in tools.TOOLS.items()]
            terminal.print_table(terminal.Output(), ["tool", "returns", "arguments"], rows)


@command("mcp")
@with_options("mcp")
def mcp(session: str, where: tuple[str, ...], read_only: bool, root: Root) -> None:
    from graphrag_lite.agent.mcp_server import Current, serve

    serve(Current(root.output, lambda: root.open_index().limited(where), session, read_only=read_only))

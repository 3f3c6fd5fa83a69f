"""The commands tool and mcp."""

import click

from graphrag_lite.cli.options import EXIT_CODES, SESSION, WHERE, Root, uncollected, while_read, with_settings


@click.command(epilog=EXIT_CODES)
@click.argument("name", required=False)
@click.argument("arguments", default="{}")
@click.option("--schema", is_flag=True, help="Print what the tools are asked for, as JSON schemas, a line each.")
@SESSION
@WHERE
@with_settings
def tool(name: str | None, arguments: str, schema: bool, session: str, where: tuple[str, ...], root: Root) -> None:
    """Call one of the tools by which an agent looks at the index, and print what it answers as one JSON object.

    ARGUMENTS are a JSON object. A search returns a page of at most five records; `page`, `n_pages` and `total` say how
    many there are, and {"page": 2} is the next. Without NAME the tools are listed.

    \b
    Examples:
      graphrag-lite tool
      graphrag-lite tool search_passages '{"query": "Scrooge", "page": 2}'
      graphrag-lite tool get_entity '{"id": "Scrooge"}'
      graphrag-lite tool read_source '{"id": "notes/1998.txt", "num_lines": 40}'
    """
    click.get_current_context().with_resource(uncollected())
    from graphrag_lite.agent import requests, tools
    from graphrag_lite.cli import terminal

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


@click.command(epilog=EXIT_CODES)
@SESSION
@WHERE
@click.option("--read-only", is_flag=True, help="Leave out the tools that write memory.")
@with_settings
def mcp(session: str, where: tuple[str, ...], read_only: bool, root: Root) -> None:
    """Serve the tools of `tool` over the Model Context Protocol, on standard input and output.

    Every call is answered from the snapshot that is current then. Nothing but the protocol goes to standard output.
    Needs the extra [mcp]. docs/mcp.md has what to tell common clients.

    \b
    Examples:
      graphrag-lite mcp --root /srv/index
      graphrag-lite mcp --root /srv/index --where "path=public/*" --read-only
    """
    from graphrag_lite.agent.mcp_server import Current, serve

    serve(Current(root.output, lambda: root.open_index().limited(where), session, read_only=read_only))

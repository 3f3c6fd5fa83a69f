"""The generated pages in docs/ say what the code says. `python tests/test_docs.py` writes them anew."""

import dataclasses
import importlib
import inspect
import json
import pkgutil
import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import graphrag_lite
from graphrag_lite import errors, pipeline, plugins, tables
from graphrag_lite.agent import requests
from graphrag_lite.agent import tools as agent_tools
from graphrag_lite.cli import main
from graphrag_lite.cli.group import loaded
from graphrag_lite.settings import file as settings_file

ROOT = Path(__file__).parents[1]


def tables_page() -> str:
    """Render the data dictionary."""
    lines = [
        "# Tables",
        "",
        "Written by `python tests/test_docs.py` from `graphrag_lite/tables/declared.txt`. Final tables carry every column of",
        "microsoft/graphrag 3.x's table of the same name; working tables are in `work/` of a snapshot.",
    ]
    writers = {name: stage.name for stage in pipeline.stages(embeds=True) for name in stage.writes}
    for name, table in tables.TABLES.items():
        kind = "working" if name in tables.WORKING else "final"
        by = f", written by `{writers[name]}`" if name in writers else ""
        lines += [
            "",
            f"## {name}",
            "",
            f"{table.about} ({kind}{by})",
            "",
            "| column | type | holds |",
        ]
        lines += ["| --- | --- | --- |"]
        lines += [f"| {column} | {kind} | {text} |" for column, kind, text in tables.columns(name)]
    return "\n".join(lines) + "\n"


def tools_page() -> str:
    """Render what each tool of an agent is asked for."""
    lines = [
        "# Tools",
        "",
        "Written by `python tests/test_docs.py` from `graphrag_lite/agent/requests.py`. [mcp.md](mcp.md) says how they are called.",
    ]
    for name, tool in agent_tools.TOOLS.items():
        stated = requests.schema(tool.request)
        lines += [
            "",
            f"## {name}",
            "",
            f"{tool.summary}{' Writes memory.' if tool.writes else ''}",
            "",
            "| argument | type | is |",
            "| --- | --- | --- |",
        ]
        for argument, field in stated["properties"].items():
            kinds = [one.get("type", "") for one in field.get("anyOf", [field])]
            least = (
                "required" if argument in stated.get("required", ()) else f"default `{json.dumps(field['default'])}`"
            )
            lines.append(f"| `{argument}` | {' or '.join(kinds)}, {least} | {field['description']} |")
    return "\n".join(lines) + "\n"


def commands_page() -> str:
    """Render the help of every command."""
    lines = [
        "# Commands",
        "",
        "Written by `python tests/test_docs.py` from the commands' own help. What `--json` prints",
    ]
    lines += [
        "is in [json.md](json.md).",
        "",
        "The Tab key completes commands, options, methods and what `show` shows once the shell is told, by a line in `~/.bashrc`:",
        '`eval "$(_GRAPHRAG_LITE_COMPLETE=bash_source graphrag-lite)"`. In `~/.zshrc` it is `zsh_source`; for fish,',
        "`_GRAPHRAG_LITE_COMPLETE=fish_source graphrag-lite > ~/.config/fish/completions/graphrag-lite.fish`.",
    ]
    own = [[name, inner] for name in main.commands for inner in getattr(loaded(name), "commands", ())]
    for command in sorted([[], *([name] for name in main.commands), *own]):
        title = " ".join(["graphrag-lite", *command])
        result = CliRunner().invoke(main, [*command, "--help"], prog_name="graphrag-lite", terminal_width=96)
        lines += ["", f"## {title}", "", "```", result.output.rstrip(), "```"]
    return "\n".join(lines) + "\n"


def api_page() -> str:
    """Render what Python sees: signatures and docstrings."""
    lines = [
        "# Python",
        "",
        "Written by `python tests/test_docs.py` from the docstrings. [Recipes](recipes.md) use it.",
        "",
    ]
    lines += ["```python", "import graphrag_lite", "", 'index = graphrag_lite.open("output")', "```"]
    functions = [("graphrag_lite.index", graphrag_lite.index), ("graphrag_lite.open", graphrag_lite.open)]
    functions += [(f"Index.{name}", getattr(graphrag_lite.Index, name)) for name in METHODS_OF_INDEX]
    for name, function in functions:
        signature = _named(re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(function)))).replace(
            "(self, ", "("
        )
        lines += ["", f"## {name}", "", "```python", _folded(f"{name}{signature}"), "```", ""]
        lines += [inspect.getdoc(function) or ""]
    for kind in (graphrag_lite.Answer, graphrag_lite.Cited, graphrag_lite.Passage):
        types = (
            (one.name, one.type.__name__ if isinstance(one.type, type) else one.type)
            for one in dataclasses.fields(kind)
        )
        fields = [f"{name}: {_named(str(type_))}" for name, type_ in types]
        lines += ["", f"## {kind.__name__}", "", "```python", *fields, "```", "", inspect.getdoc(kind) or ""]
    tree = (errors.__doc__ or "").partition("\n\n")[2].rstrip()
    lines += ["", "## Errors", "", "All are in `graphrag_lite.errors`, and nearly all in `graphrag_lite`, too.", ""]
    return "\n".join([*lines, "```", tree, "```"]) + "\n"


def _folded(signature: str) -> str:
    """Write a long signature with an argument a line."""
    if len(signature) <= 100:
        return signature
    head, _, rest = signature.partition("(")
    arguments, _, result = rest.rpartition(")")
    split = re.split(r", (?![^\[\(]*[\]\)])", arguments)
    return "\n".join([f"{head}(", *(f"    {one}," for one in split), f"){result}"])


def _named(stated: str) -> str:
    """Return types without their modules."""
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z]|date\b)", "", stated)


METHODS_OF_INDEX = ("query", "aquery", "query_all", "search", "limited")
PAGES = {
    "docs/api.md": api_page,
    "docs/tables.md": tables_page,
    "docs/tools.md": tools_page,
    "docs/commands.md": commands_page,
    "settings.yaml": settings_file.render_defaults,
}


def test_generated_pages_are_up_to_date() -> None:
    for path, render in PAGES.items():
        assert (ROOT / path).read_text(encoding="utf-8") == render(), f"{path}: run `python tests/test_docs.py`"


@pytest.mark.parametrize("page", [*sorted((ROOT / "benchmarks").glob("*.py")), *sorted((ROOT / "docs").glob("*.md"))])
def test_a_benchmark_takes_the_arguments_that_are_documented(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anything that is written like a path is there; what is asked for beyond that may not be left out."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    monkeypatch.chdir(tmp_path)
    for name, line in re.findall(r"python benchmarks/(\w+)\.py([^`\n]*)", page.read_text(encoding="utf-8")):
        words = shlex.split(re.sub(r"--\w+ \.\.\.|[][]", " ", line))
        for word in words:
            if "/" in word or word.isupper() or (word[0].isalpha() and "_" in word):
                path = Path(word)
                (path.parent if path.suffix else path).mkdir(parents=True, exist_ok=True)
                if path.suffix:
                    path.touch()
        main = importlib.import_module(name).main
        if isinstance(main, click.Command):
            main.make_context(name, words)


def test_what_a_page_names_is_there() -> None:
    """Links lead to files and headings that exist, and names of the package import."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    headings = {
        page: {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in re.findall(r"(?m)^#+ (.+)", text)}
        for page, text in texts.items()
    }
    groups = set(re.findall(r"graphrag_lite\.\w+", plugins.__doc__ or ""))  # of entry points
    wrong = []
    for page, text in texts.items():
        for path, heading in re.findall(r"\]\((?!http)([^)#\s]*)(?:#([^)]*))?\)", text):
            target = (page.parent / path).resolve() if path else page
            if not target.exists() or (heading and heading not in headings[target]):
                wrong.append(f"{page.name}: {path}#{heading}")
        for name in set(re.findall(r"graphrag_lite(?:\.\w+)+", text)) - groups:
            try:
                pkgutil.resolve_name(name)
            except (ImportError, AttributeError):
                wrong.append(f"{page.name}: {name}")
    assert not wrong


def test_the_picture_shows_every_stage_and_table() -> None:
    picture = (ROOT / "docs" / "dataflow.svg").read_text(encoding="utf-8")
    stages = pipeline.stages(embeds=True)
    names = {stage.name for stage in stages} | {name for stage in stages for name in stage.writes}
    assert not {name for name in names | set(tables.FINAL) if f">{name}<" not in picture and f">{name} " not in picture}


if __name__ == "__main__":
    for page, render_page in PAGES.items():
        (ROOT / page).write_text(render_page(), encoding="utf-8")

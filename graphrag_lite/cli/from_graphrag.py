"""Words of microsoft/graphrag's command line, as ours: hands that know them need not learn."""

from collections.abc import Sequence
from pathlib import Path

COMMANDS = {"update": "index"}
OPTIONS = {
    "-r": "--root",
    "-m": "--method",
    "--community-level": "--level",
    "--dynamic-community-selection": "--dynamic",
    "--data": "--root",
}
FLAGS = ("--no-dynamic-community-selection",)  # that say what is so anyway


def translated(words: Sequence[str]) -> list[str]:
    """Return the words of a command, its name first, with graphrag's in ours.

    >>> translated(["update", "-r", "./ragtest", "-m", "fast-update"])
    ['index', '--root', './ragtest', '--set', 'method=fast']
    >>> translated(["query", "-m", "global", "--community-level=2", "--data", "my/output/", "Why?"])
    ['query', '--method', 'global', '--level=2', '--root', 'my', 'Why?']
    >>> translated(["query", "--data", "my-output", "Why?"])
    ['query', '--root', 'my-output', 'Why?']
    """
    if not words:
        return []
    command = COMMANDS.get(words[0], words[0])
    found, left = [command], list(words[1:])
    while left:
        word = left.pop(0)
        if word == "--":
            return [*found, word, *left]
        name, equals, value = word.partition("=")
        ours = OPTIONS.get(name, name)
        if name in FLAGS:
            continue
        if name in ("-r", "-m", "--data", "--method") and not equals and left:
            value, equals = left.pop(0), " "
        if name == "--data":
            folder = Path(value)
            value = str(folder.parent if folder.name == "output" else folder)
        if ours == "--method" and command in ("index", "plan"):
            ours, equals, value = "--set", " ", f"method={value.removesuffix('-update')}"
        found += [ours, value] if equals == " " else [f"{ours}{equals}{value}"]
    return found

"""A corpus folder that changes: files of lines, and what may happen to them. The folder itself is the state.

A line of a text is a sentence, a line of a JSONL file is a row. Names of people come in several forms, so that what one
document says bears on how names of another are resolved.
"""

import json
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

FORMS = [
    "Alice Smith",
    "Smith",
    "Alicia Smith",
    "Robert Jones",
    "Bob Jones",
    "Caroll White",
    "Carol White",
    "Mrs. White",
]
FIRST = ["Dora", "Émile", "Emile", "Yann", "Zora", "Hugo", "Ida", "Ruth"]
LAST = ["Quill", "Zola", "Ober", "Fenn", "Brandt", "Okafor", "Tanaka"]
PEOPLE = [*FORMS, *(f"{first} {last}" for last in LAST for first in FIRST), *LAST]
PLACES = ["Paris", "Rome", "Acme Corporation", "ACME Corp", "New Harbour", "the Royal Society", "Xanten"]
SENTENCES = [
    "{one} met {other} in {place} and never spoke of it again.",
    "In {year}, {one} left {place} because {other} had asked for it.",
    "{one} wrote to {other} about the bridge near {place}.",
    "Nobody at {place} knew that {one} was the sister of {other}.",
    "{one} bought a clock.",
    "# {place}",
    "It rained for a week, and the harvest was lost, as old people had said it would be.",
]
NAMES = ["letters/a", "letters/b", "letters/old/a", "notes/a", "notes/b", "c"]
KINDS = ["add", "insert", "remove", "replace", "shorten", "rename", "rename folder", "swap", "copy", "delete", "touch"]
Night = tuple["Change", ...]


@dataclass(frozen=True)
class Change:
    """What happens to a file: `which` and `where` choose among the files and lines that are there, `what` is new."""

    kind: str
    which: int
    where: int
    what: int


def sentence(number: int) -> str:
    """Return a sentence, the same for the same number."""
    near = number * 3 // 4  # sentences that follow each other name people near each other: there are communities
    one, other = (PEOPLE[(near + number * step % 5) % len(PEOPLE)] for step in (1, 3))
    form = SENTENCES[number % len(SENTENCES)]
    return form.format(one=one, other=other, place=PLACES[number // 6 % len(PLACES)], year=1800 + number)


def line(path: Path, number: int) -> str:
    """Return a line for a file: a sentence, or a row of some sentences."""
    if path.suffix != ".jsonl":
        return sentence(number)
    text = "\n".join(sentence(number + i) for i in range(number % 5 + 1))
    return json.dumps({"id": f"row-{number % 9}", "title": f"Row {number % 4}", "text": text, "kind": number % 3})


def write(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{text}\n" for text in lines), encoding="utf-8")


def begin(folder: Path, numbers: Iterable[int]) -> None:
    """Write a corpus to start from: a file for each number."""
    for place, number in enumerate(numbers):
        path = folder / f"{NAMES[place % len(NAMES)]}.{'jsonl' if place % 4 == 3 else 'txt'}"
        write(path, (line(path, number + i) for i in range(number % 6 * 4 + 3)))


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def apply(folder: Path, change: Change) -> None:
    """Let a change happen; nothing happens where it would leave no document, or write over one."""
    there = files(folder)
    path = there[change.which % len(there)]
    other = there[change.where % len(there)]
    lines = path.read_text(encoding="utf-8").splitlines()
    place = change.where % (len(lines) + 1)
    new = path.with_name(f"{Path(NAMES[change.what % len(NAMES)]).name}-{change.what}{path.suffix}")
    if change.kind == "add":
        name = NAMES[change.which % len(NAMES)]
        path = folder / f"{name}-{change.what}.{'jsonl' if change.where % 4 == 3 else 'txt'}"
        if not path.exists():
            write(path, (line(path, change.what + i) for i in range(change.where + 1)))
    elif change.kind == "insert":
        write(path, [*lines[:place], line(path, change.what), *lines[place:]])
    elif change.kind == "remove" and len(lines) > 1:
        write(path, [*lines[:place], *lines[place + 1 :]])
    elif change.kind == "replace" and place < len(lines):
        write(path, [*lines[:place], _edited(path, lines[place], change.what), *lines[place + 1 :]])
    elif change.kind == "shorten" and place:
        write(path, lines[:place])
    elif change.kind == "rename" and not new.exists():
        path.rename(new)
    elif change.kind == "rename folder" and path.parent != folder:
        target = folder / f"{path.parent.name}-{change.what}"
        if not target.exists():
            path.parent.rename(target)
    elif change.kind == "swap" and path != other and path.suffix == other.suffix:
        between = path.with_name("between")
        path.rename(between)
        other.rename(path)
        between.rename(other)
    elif change.kind == "copy" and not new.exists():
        shutil.copy2(path, new)  # with its times
    elif change.kind == "delete" and len(there) > 1:
        path.unlink()
    elif change.kind == "touch":
        path.touch()


def _edited(path: Path, text: str, number: int) -> str:
    """Return another line in the place of one; a row keeps its id."""
    if path.suffix != ".jsonl":
        return sentence(number)
    return json.dumps(json.loads(text) | {"text": sentence(number)})

"""Fetch public sets by their public addresses, and build our slices of them.

    python benchmarks/fetch_data.py FOLDER

A set becomes FOLDER/NAME/corpus.jsonl and questions.jsonl, as `graphrag-lite eval FOLDER/NAME` reads them. Addresses
stand in public_sets.yaml; which rows a slice has stands in `slices/NAME.txt`, by hashes of title and text, and of
questions, in our order: what reads otherwise is not what we measured. Sets without such a list are taken whole, and
their numbers of rows and one hash over all are compared; of graphs and dated facts a hash of each file. docs/data.md
says how far the script was tested.
"""

import fnmatch
import functools
import hashlib
import io
import json
import urllib.parse
import urllib.request
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import yaml
from gold_forms import GOLD, TABLES
from public_forms import FORMS, Row, key_of

HERE = Path(__file__).parent
SOURCES: Mapping[str, Any] = yaml.safe_load((HERE / "public_sets.yaml").read_text(encoding="utf-8"))


@functools.lru_cache(maxsize=1)  # of a set, most often, several patterns of one archive
def fetched(address: str) -> bytes:
    """Return what an address serves; raises ClickException with the address where it serves nothing."""
    try:
        with urllib.request.urlopen(address, timeout=60) as reply:
            return bytes(reply.read())
    except (OSError, ValueError) as error:
        raise click.ClickException(f"{address}: {error}. Is there a network? Has the file moved?") from error


def address_of(source: str, mirror: str) -> tuple[str, str]:
    """Return where a source is fetched from, and the pattern of its files where that is an archive.

    >>> address_of("me/texts@c0ffee:data/a.json", "")
    ('https://raw.githubusercontent.com/me/texts/c0ffee/data/a.json', '')
    >>> address_of("me/texts@c0ffee:data/*.txt", "http://127.0.0.1:80")
    ('http://127.0.0.1:80/texts.zip', 'data/*.txt')
    """
    if source.startswith("https://"):
        return (f"{mirror}/{source.rpartition('/')[2]}" if mirror else source), ""
    (repository, _, commit), path = source.partition(":")[0].partition("@"), source.partition(":")[2]
    if "*" in path:
        own = f"{repository.partition('/')[2]}.zip"
        return (f"{mirror}/{own}" if mirror else f"https://codeload.github.com/{repository}/zip/{commit}"), path
    quoted = urllib.parse.quote(path)
    own = quoted.rpartition("/")[2]
    return (f"{mirror}/{own}" if mirror else f"https://raw.githubusercontent.com/{repository}/{commit}/{quoted}"), ""


def files_of(source: str, mirror: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a source by their names, those of an archive in the order of their names."""
    address, pattern = address_of(source, mirror)
    content = fetched(address)
    if not zipfile.is_zipfile(io.BytesIO(content)):
        yield urllib.parse.unquote(address.rpartition("/")[2]), content
        return
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in sorted(archive.namelist()):
            if not name.endswith("/") and fnmatch.fnmatchcase(name, f"*/{pattern}" if pattern else "*"):
                yield name, archive.read(name)


def keys(name: str, documents: Sequence[Row], questions: Sequence[Row]) -> tuple[list[str], list[str]]:
    """Return what tells the rows of a set apart, whatever their ids: eight digits, of corpora without their titles."""
    if SOURCES[name].get("by_title"):
        told = [key_of(row["title"])[:8] for row in documents]
    elif SOURCES[name].get("by_text"):
        told = [key_of(" ".join(row["text"].split()))[:8] for row in documents]
    else:
        told = [key_of(row["title"], row["text"])[:8] for row in documents]
    return told, [key_of(row["question"])[:8] for row in questions]


def whole(name: str, documents: Sequence[Row], questions: Sequence[Row]) -> str:
    """Return the numbers of rows of a set, and a hash over what they say."""
    told = keys(name, documents, questions)
    digest = hashlib.sha256(" ".join(sorted(told[0]) + sorted(told[1])).encode()).hexdigest()[:12]
    return f"{len(documents)} documents, {len(questions)} questions, {digest}"


def sliced(name: str, documents: Sequence[Row], questions: Sequence[Row]) -> tuple[list[list[Row]], int]:
    """Return the documents and questions of our slice, in its order, and how many of them are not there.

    Of documents that read alike, those that a question of the slice rests on come first.
    """
    listed = [part.split() for part in (HERE / "slices" / f"{name}.txt").read_text(encoding="utf-8").split("\n\n")]
    chosen: list[list[Row]] = []
    gold: set[str] = set()
    for wanted, rows, own in zip(
        reversed(listed), (questions, documents), reversed(keys(name, documents, questions)), strict=True
    ):
        found = defaultdict(list)
        for key, row in sorted(zip(own, rows, strict=True), key=lambda pair: pair[1]["id"] not in gold):
            found[key].append(row)
        chosen.insert(0, [found[key].pop(0) for key in wanted if found[key]])
        gold = {identity for row in chosen[0] for identity in row.get("supporting_ids", ())}
    return chosen, sum(map(len, listed)) - sum(map(len, chosen))


def write(folder: Path, documents: Sequence[Row], questions: Sequence[Row]) -> None:
    """Write a set as `graphrag-lite eval` reads it, and gold names and relationships where it has them."""
    folder.mkdir(parents=True, exist_ok=True)
    gold = {name: [one for row in documents for one in row.pop(name, ())] for name in ("entities", "relations")}
    for file, rows in {"corpus": documents, "questions": questions, **gold}.items():
        if rows:
            lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            (folder / f"{file}.jsonl").write_text("".join(lines), encoding="utf-8")


def write_tables(folder: Path, files: Mapping[str, bytes], measured: Mapping[str, str]) -> str:
    """Write files, and return which differ from what was measured: by the first 12 digits of their SHA-256."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    found = {name: hashlib.sha256(content).hexdigest()[:12] for name, content in files.items()}
    differ = sorted(name for name in {*found, *measured} if found.get(name) != measured.get(name))
    return f"{', '.join(differ)} not as measured" if differ else ""


def build(name: str, folder: Path, mirror: str) -> str:
    """Fetch a set, write our slice of it, and return how it differs from what was measured; empty where it doesn't."""
    source = SOURCES[name]
    files = {path: content for one in source["from"] for path, content in files_of(one, mirror)}
    try:
        if source["form"] in TABLES:
            return write_tables(folder / name, TABLES[source["form"]](files), source["files"])
        documents, questions = (FORMS | GOLD)[source["form"]](files, source["prefix"])
    except Exception as error:  # whatever a file of another form may raise
        what = f"not in the form that was measured ({type(error).__name__}: {error})."
        raise click.ClickException(f"{', '.join(list(files)[:3])}: {what}") from error
    documents = list({row["id"]: row for row in documents}.values())
    if "whole" in source:
        found = whole(name, documents, questions)
        differs = "" if found == source["whole"] else f"{found}, and not {source['whole']}"
    else:
        (documents, questions), n_missing = sliced(name, documents, questions)
        differs = f"{n_missing} rows of the slice are not there" if n_missing else ""
    if not source.get("apart"):
        write(folder / name, documents, questions)
        return differs
    for own in dict.fromkeys(row["id"].partition(":")[0] for row in documents):
        parts = ([row for row in rows if row["id"].startswith(f"{own}:")] for rows in (documents, questions))
        write(folder / name / own.removeprefix(source["prefix"]), *parts)
    return differs


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("names", nargs=-1, type=click.Choice(sorted(SOURCES)))
@click.option("--from", "mirror", default="", help="Read the files, by their names, from this address instead.")
def main(folder: Path, names: tuple[str, ...], mirror: str) -> None:
    """Fetch sets, all without a name, and build our slices of them in FOLDER.

    No set was ever fetched from its real address: each form was tested on files of that form, served on loopback. A set
    that is not what was measured is told, with what differs, and the exit code is 1.
    """
    failed = False
    for name in names or sorted(SOURCES):
        try:
            differs = build(name, folder, mirror)
            told = f"{differs}: figures will differ" if differs else "as measured"
        except click.ClickException as error:
            differs = told = error.message
        failed |= bool(differs)
        click.echo(f"{name}: {told}")
    raise SystemExit(int(failed))


if __name__ == "__main__":
    main()

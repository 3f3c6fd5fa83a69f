"""Fetch public sets of questions by their public addresses, and build our slices of them.

    python benchmarks/fetch_data.py FOLDER

A set becomes FOLDER/NAME/corpus.jsonl and questions.jsonl, as `graphrag-lite eval FOLDER/NAME` reads them. Which
paragraphs and questions are in a slice stands in `slices/NAME.txt`, by hashes of title and text: what has another hash
is not what we measured, and is told. docs/data.md lists all sets, and which of them this script builds.
"""

import hashlib
import json
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

SLICES = Path(__file__).parent / "slices"
GITHUB = "https://raw.githubusercontent.com"
JGLUE = f"{GITHUB}/yahoojapan/JGLUE/6f071c09316baae89c3d083a90985b4b1cb9968c/datasets/jsquad-v1.3"
CMRC = f"{GITHUB}/ymcui/cmrc2018/c0eb1b6ba219847457e6af3180da722bbeb656af/squad-style-data"
DRCD = f"{GITHUB}/DRCKnowledgeTeam/DRCD/b944790de5af02c5fbb7cd9cb1473d27d169eebf"
Row = Mapping[str, Any]


class Source(NamedTuple):
    """Files in SQuAD's form, at the commit that was read, and what the ids of their rows begin with."""

    prefix: str
    addresses: tuple[str, ...]


SOURCES = {
    "jsquad_ja": Source("ja", (f"{JGLUE}/valid-v1.3.json", f"{JGLUE}/test-v1.3.json")),
    "cmrc2018_zh": Source("zh", (f"{CMRC}/cmrc2018_dev.json", f"{CMRC}/cmrc2018_trial.json")),
    "drcd_zhtw": Source("tw", (f"{DRCD}/DRCD_dev.json", f"{DRCD}/DRCD_test.json")),
}


def paragraphs(prefix: str, squad: Row) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Yield the document of each paragraph, and its questions; those without an answer are left out."""
    for article in squad["data"]:
        for paragraph in article["paragraphs"]:
            title, text = article["title"], paragraph["context"]
            content = f"{title}\x1f{text}".encode()
            identity = f"{prefix}_{hashlib.sha1(content).hexdigest()[:12]}"
            questions = [
                {
                    "id": f"{prefix}q_{asked['id']}",
                    "question": asked["question"],
                    "answers": list(dict.fromkeys(answer["text"] for answer in asked["answers"])),
                    "supporting_ids": [identity],
                    "type": "single_hop",
                    "article": title,
                }
                for asked in paragraph["qas"]
                if asked["answers"] and not asked.get("is_impossible")
            ]
            yield {"id": identity, "title": title, "text": text, "article": title}, questions


def build(name: str, files: list[Row], target: Path) -> list[str]:
    """Write the slice of a set, in our order, and return the ids that no file has."""
    found: dict[str, Row] = {}
    for squad in files:
        for document, questions in paragraphs(SOURCES[name].prefix, squad):
            found |= {row["id"]: row for row in (document, *questions)}
    target.mkdir(parents=True, exist_ok=True)
    listed = (SLICES / f"{name}.txt").read_text(encoding="utf-8").split("\n\n")
    missing = []
    for file, ids in zip(("corpus.jsonl", "questions.jsonl"), map(str.split, listed), strict=True):
        missing += [identity for identity in ids if identity not in found]
        lines = (json.dumps(found[identity], ensure_ascii=False) + "\n" for identity in ids if identity in found)
        (target / file).write_text("".join(lines), encoding="utf-8")
    return missing


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("names", nargs=-1, type=click.Choice(sorted(SOURCES)))
@click.option("--from", "mirror", default="", help="Read the files, by their names, from this address instead.")
def main(folder: Path, names: tuple[str, ...], mirror: str) -> None:
    """Fetch sets, all without a name, and build our slices of them in FOLDER."""
    for name in names or sorted(SOURCES):
        addresses = [f"{mirror}/{one.rpartition('/')[2]}" if mirror else one for one in SOURCES[name].addresses]
        files = []
        for address in addresses:
            with urllib.request.urlopen(address) as reply:
                files.append(json.load(reply))
        missing = build(name, files, folder / name)
        told = f"{len(missing)} rows are not there: {', '.join(missing[:5])}" if missing else "as measured"
        print(f"{name}: {told}")


if __name__ == "__main__":
    main()

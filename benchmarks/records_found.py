"""What a cheaper index by a model costs in records: larger units, and no round for what was missed.

    python benchmarks/records_found.py DATA_FOLDER

First with what gpt-4o-mini replied to A Christmas Carol in units of 1,200 tokens, then with the gold of Re-DocRED, a
dozen of its documents one after the other in each of ours: an oracle says a share of the relations whose two names a
unit has, and in the round for what was missed the same share of the rest. The share is of units of 600 tokens. Of units
twice as large it is the same, or less by the square root of two, as the GraphRAG paper's counts of entities have it.
"""

import json
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import click

import graphrag_lite
from graphrag_lite import tables
from graphrag_lite.llm.chat import Reply, Request, Usage
from graphrag_lite.text.tokens import token_counter

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import stub_replies  # type: ignore[import-not-found]
from replay import replay_model  # type: ignore[import-not-found]
from stub_model import StubModel  # type: ignore[import-not-found]

SIZE = 600  # tokens of a text unit, as shipped
SHARES = (0.8, 0.5)
TOGETHER = 12  # documents of Re-DocRED in one of ours: some 2,600 tokens
COLUMNS = "| {} | calls | prompt tokens | completion tokens | {} |"
SETTINGS = ("method=standard", "llm.model=stub", "resolve_entities.model=false")


class Gold(NamedTuple):
    """A relation of a document, and all names of its two ends."""

    document: str
    head: str
    tail: str
    names: tuple[tuple[str, ...], tuple[str, ...]]


@click.command()
@click.argument("data", type=click.Path(path_type=Path, exists=True))
def main(data: Path) -> None:
    """Print how many records each choice finds, and what it asks for."""
    print(COLUMNS.format("A Christmas Carol, real replies", "names, mentioned") + " entities | relationships |")
    print("| --- " * 7 + "|")
    for gleanings in (1, 0):
        carol = data / "corpora" / "christmas_carol" / "corpus.jsonl"
        chosen = ("split_text_units.size=1200", f"extract_graph.max_gleanings={gleanings}")
        show(f"1,200 tokens, max_gleanings={gleanings}", carol, chosen, counted(replay_model(data)), None)
    gold = list(relations(data / "extraction" / "redocred"))
    pairs = {(one.document, one.head, one.tail) for one in gold}
    print("\n" + COLUMNS.format(f"Re-DocRED, {len(pairs):,} pairs", "pairs found") + " of them |")
    print("| --- " * 6 + "|")
    with tempfile.TemporaryDirectory() as folder:
        corpus, texts = Path(folder) / "corpus.jsonl", documents(data / "extraction" / "redocred")
        whole = iter(texts.values())
        rows = iter(lambda: list(islice(whole, TOGETHER)), [])
        corpus.write_text(
            "".join(json.dumps({"id": str(n), "text": "\n\n".join(part)}) + "\n" for n, part in enumerate(rows))
        )
        for share in SHARES:
            for size, of_it in ((SIZE, share), (2 * SIZE, share), (2 * SIZE, share / 2**0.5)):
                for gleanings in (1, 0):
                    oracle = Oracle(texts, gold, of_it)
                    name = f"{size:,} tokens, {of_it:.0%} said, max_gleanings={gleanings}"
                    chosen = (f"split_text_units.size={size}", f"extract_graph.max_gleanings={gleanings}")
                    show(name, corpus, chosen, counted(StubModel(oracle.reply)), (oracle, len(pairs)))


def documents(folder: Path) -> dict[str, str]:
    rows = map(json.loads, (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines())
    return {row["id"]: " ".join(row["text"].split()) for row in rows}


def relations(folder: Path) -> Iterator[Gold]:
    """Yield the relations between names; times and numbers are none."""
    names: dict[tuple[str, str], tuple[str, ...]] = {}
    for line in (folder / "entities.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["type"] not in ("TIME", "NUM"):
            names[row["doc_id"], row["name"]] = (row["name"], *row["aliases"])
    for line in (folder / "relations.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        ends = [names.get((row["doc_id"], row[end])) for end in ("head", "tail")]
        if ends[0] and ends[1]:
            yield Gold(row["doc_id"], row["head"], row["tail"], (ends[0], ends[1]))


class Oracle:
    """Says a share of the gold pairs of a text, and then the same share of the rest. `pairs`: gold by what was said."""

    def __init__(self, texts: Mapping[str, str], gold: list[Gold], share: float) -> None:
        self.texts, self.share = texts, share
        self.gold: dict[str, list[Gold]] = defaultdict(list)
        for one in gold:
            self.gold[one.document].append(one)
        self.pairs: dict[tuple[str, str], set[tuple[str, str, str]]] = defaultdict(set)

    def reply(self, request: Request) -> str:
        name, fields = stub_replies.recognise(request.messages[-1]["content"])
        if name not in ("extract_graph.md", "extract_graph_more.md"):
            return str(stub_replies.reply(request.messages))
        _, fields = stub_replies.recognise(request.messages[0]["content"])
        missed = name == "extract_graph_more.md"
        lines: dict[str, None] = {}
        for part in fields["text"].split("\n\n"):
            for source, target, one in self._stated(" ".join(part.split())):
                heard = _coin(fields["text"], one, "first") < self.share
                if missed:
                    heard = not heard and _coin(fields["text"], one, "missed") < self.share
                if heard:
                    self.pairs[source, target].add((one.document, one.head, one.tail))
                    lines |= dict.fromkeys(f'("entity"<|>{end}<|>person<|>{end} is here.)' for end in (source, target))
                    lines[f'("relationship"<|>{source}<|>{target}<|>RELATED<|>{source}, {target}.<|>5<|><|>)'] = None
        return "\n##\n".join([*lines, "<|COMPLETE|>"])

    def _stated(self, part: str) -> Iterator[tuple[str, str, Gold]]:
        """Yield the gold relations of which a part of a document has both names, the longest of each."""
        document = next((name for name, text in self.texts.items() if part and part in text), "")
        for one in self.gold[document]:
            ends = [max((name for name in names if _stands(name, part)), key=len, default="") for names in one.names]
            if all(ends) and ends[0] != ends[1]:
                yield ends[0], ends[1], one


def _stands(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _coin(text: str, one: Gold, turn: str) -> float:
    """Return a number from 0 to 1 that only what is asked decides."""
    said = "\n".join((text, one.document, one.head, one.tail, turn))
    return int(sha256(said.encode()).hexdigest()[:8], 16) / 2**32


def counted(model: Any) -> Any:
    """Let a model tell the tokens of its replies and prompts."""
    count, say = token_counter("cl100k_base"), model.reply

    def reply(request: Request) -> Reply:
        said = say(request)
        return Reply(said, "stop", Usage(sum(count(one["content"]) for one in request.messages), 0, count(said)))

    model.reply = reply
    return model


def show(name: str, corpus: Path, chosen: tuple[str, ...], model: Any, gold: tuple[Oracle, int] | None) -> None:
    """Index, and print a row: what was asked for, and what was found."""
    with tempfile.TemporaryDirectory() as root:
        index = graphrag_lite.index(corpus, Path(root), overrides=[*SETTINGS, *chosen], model=model)
        used = index.manifest["usage"].values()
        found = [f"{sum(stage[what] for stage in used):,}" for what in ("calls", "prompt_tokens", "completion_tokens")]
        if gold is None:
            found.append(f"{tables.read(index.folder, 'entity_mentions').num_rows:,}")
            found += [f"{index.arrow(table).num_rows:,}" for table in ("entities", "relationships")]
        else:
            oracle, n = gold
            rows = tables.read(index.folder, "relationship_mentions").to_pylist()
            heard = set().union(*(oracle.pairs[row["source"], row["target"]] for row in rows))
            found += [f"{len(heard):,}", f"{len(heard) / n:.0%}"]
    print(f"| {name} | {' | '.join(found)} |", flush=True)


if __name__ == "__main__":
    main()

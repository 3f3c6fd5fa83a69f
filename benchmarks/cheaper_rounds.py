"""What three ways to ask less would cost in records and save in dollars, with and without a provider's prompt cache.

    python benchmarks/cheaper_rounds.py DATA_FOLDER

The round for what was missed without what was said before: its prompt then holds the instructions without examples, the
text, and the names and pairs that are known. That round only where the first one found few for the length of its text.
Merged descriptions only of what says something new. Each index is made once, as shipped, by the real replies to A
Christmas Carol, a stand-in, or the oracle of `records_found.py` over Re-DocRED; what each way would ask is counted.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import click
from model_cost import INPUT, OUTPUT
from model_overhead import N_DOCUMENTS, cut
from plausible_model import PlausibleModel
from prompt_cache import PromptCache
from records_found import SETTINGS, SIZE, TOGETHER, Oracle, documents, relations

import graphrag_lite
from graphrag_lite.errors import ReplyError
from graphrag_lite.evidence.descriptions import join_descriptions
from graphrag_lite.llm.chat import Message, Reply, Request
from graphrag_lite.replies.graph_records import GraphReply, read_graph
from graphrag_lite.settings import ExtractGraph, SummarizeDescriptions
from graphrag_lite.text.tokens import token_counter
from graphrag_lite.text.words import terms

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import stub_replies  # type: ignore[import-not-found]
from replay import replay_model  # type: ignore[import-not-found]
from stub_model import StubModel  # type: ignore[import-not-found]

COUNT = token_counter("cl100k_base")
CACHED = (0.5, 0.25, 0.1)  # prices of cached tokens, of others
NEW = 0.3  # share of the words of a description that no longer one has
TYPES = ExtractGraph().entity_types


class Call(NamedTuple):
    """A call, and what kind of prompt it is."""

    kind: str
    messages: tuple[Message, ...]
    reply: str


Way = Callable[[Sequence[Call]], list[Call]]
Found = Callable[[Sequence[Call]], str]


def recorded(model: Any) -> list[Call]:
    """Let a model keep its calls, in a list that is returned."""
    calls: list[Call] = []
    complete = model.complete

    async def kept(request: Request) -> Reply:
        said: Reply = await complete(request)
        kind, _ = stub_replies.recognise(request.messages[-1]["content"])
        calls.append(Call(kind, tuple(request.messages), said.text))
        return said

    model.complete = kept
    return calls


def graph(reply: str) -> GraphReply | None:
    try:
        return read_graph(reply, types=TYPES)
    except ReplyError:
        return None


def as_shipped(calls: Sequence[Call]) -> list[Call]:
    return list(calls)


def told(calls: Sequence[Call]) -> list[Call]:
    """Tell the round for what was missed what is known, in the place of the conversation."""
    return [_told(call) if call.kind == "extract_graph_more.md" else call for call in calls]


def _told(call: Call) -> Call:
    first, said, more = (message["content"] for message in call.messages[:3])
    known = graph(said)
    names = ", ".join(one.name for one in known.entities) if known else ""
    pairs = "; ".join(f"{one.source} - {one.target}" for one in known.relationships) if known else ""
    instructions, _, rest = first.partition("EXAMPLES (")
    text = rest.partition("END OF EXAMPLES")[2].removesuffix("Records:\n").rstrip()
    content = f"{instructions}{more}\n{text}\n\nKnown names: {names}\nKnown pairs: {pairs}\nRecords:\n"
    return call._replace(messages=({"role": "user", "content": content},))


def sparser(share: float) -> Way:
    """Ask for what was missed in those texts alone, a share of them, whose first reply has fewest records a token."""

    def way(calls: Sequence[Call]) -> list[Call]:
        more = sorted((call for call in calls if call.kind == "extract_graph_more.md"), key=_density)
        left_out = {id(call) for call in more[round(share * len(more)) :]}
        return [call for call in calls if id(call) not in left_out]

    return way


def _density(call: Call) -> float:
    _, fields = stub_replies.recognise(call.messages[0]["content"])
    found = graph(call.messages[1]["content"])
    return (len(found.entities) + len(found.relationships) if found else 0) / max(COUNT(fields["text"]), 1)


def _merged(call: Call) -> str:
    """Return the descriptions that a call merges, a line each."""
    return str(stub_replies.recognise(call.messages[0]["content"])[1]["descriptions"])


def new_alone(calls: Sequence[Call]) -> list[Call]:
    """Merge what says something new, where that is still too long to stand as it is."""
    left = []
    for call in calls:
        if call.kind == "summarize_descriptions.md":
            content, told = call.messages[0]["content"], _merged(call)
            lines = _new(told.split("\n"))
            if COUNT(join_descriptions([line[2:] for line in lines])) <= SummarizeDescriptions().max_tokens:
                continue
            call = call._replace(messages=({"role": "user", "content": content.replace(told, "\n".join(lines))},))
        left.append(call)
    return left


def _new(lines: Sequence[str]) -> list[str]:
    held: set[str] = set()
    kept = []
    for line in sorted(lines, key=len, reverse=True):
        words = set(terms(line, "en"))
        if len(words - held) > NEW * len(words):
            held |= words
            kept.append(line)
    return kept


WAYS: dict[str, Way] = {
    "as shipped": as_shipped,
    "the round is told what is known": told,
    "the round in the sparser 90%": sparser(0.9),
    "in the sparser 70%": sparser(0.7),
    "in the sparser half": sparser(0.5),
    "no round": sparser(0),
    "merges of what is new": new_alone,
}


def show(name: str, calls: Sequence[Call], found: Found) -> None:
    """Print a row: what was asked, its price without a cache, and with one that gives its tokens for a share."""
    cache = PromptCache(COUNT)
    prompt = sum(COUNT(message["content"]) for call in calls for message in call.messages)
    cached = sum(cache.take(call.messages) for call in calls)
    said = sum(COUNT(call.reply) for call in calls)
    dollars = [(prompt * INPUT + said * OUTPUT) / 1e6]
    dollars += [dollars[0] - cached * (1 - price) * INPUT / 1e6 for price in CACHED]
    cells = [f"{len(calls):,}", f"{prompt:,}", f"{cached:,}", f"{said:,}", *(f"{each:.3f}" for each in dollars)]
    print(f"| {' | '.join([name, *cells, found(calls)])} |", flush=True)


def records(calls: Sequence[Call]) -> str:
    found = [known for call in calls if call.kind.startswith("extract_graph") and (known := graph(call.reply))]
    return f"{sum(len(each.entities) + len(each.relationships) for each in found):,} records"


def pairs_of(oracle: Oracle, n: int) -> Found:
    def pairs(calls: Sequence[Call]) -> str:
        heard: set[tuple[str, str, str]] = set()
        for call in calls:
            if call.kind.startswith("extract_graph") and (known := graph(call.reply)):
                heard.update(*(oracle.pairs[one.source, one.target] for one in known.relationships))
        return f"{len(heard):,} pairs, {len(heard) / n:.1%}"

    return pairs


def compare(name: str, corpus: Path, model: Any, found: Found, *chosen: str) -> None:
    """Index once, and print a row for each way."""
    calls = recorded(model)
    with tempfile.TemporaryDirectory() as root:
        graphrag_lite.index(corpus, Path(root), overrides=[*SETTINGS, *chosen], model=model)
    prices = " | ".join(f"cached at {price}" for price in CACHED)
    print(f"\n| {name} | calls | prompt tokens | cached | completion tokens | $ | {prices} | found |")
    print("| --- " * 10 + "|")
    for way, made in WAYS.items():
        show(way, made(calls), found)
    merged = [_merged(call) for call in calls if call.kind == "summarize_descriptions.md"]
    n_words = sum(len(set(terms(told, "en"))) for told in merged)
    n_new = sum(len(set(terms("\n".join(_new(told.split("\n"))), "en"))) for told in merged)
    if merged:
        print(f"\nOf {n_words:,} words of the {len(merged)} merged descriptions {n_new:,} are in those that are new.")


@click.command()
@click.argument("data", type=click.Path(path_type=Path, exists=True))
def main(data: Path) -> None:
    """Print a table for the real replies, and one for each share that the oracle says."""
    carol = data / "corpora" / "christmas_carol" / "corpus.jsonl"
    compare("A Christmas Carol, real replies", carol, replay_model(data), records, "split_text_units.size=1200")
    with tempfile.TemporaryDirectory() as root:
        novels = data / "corpora" / "scale_eltec_eng" / "corpus.jsonl"
        part = cut(novels, Path(root) / "corpus.jsonl", N_DOCUMENTS)
        compare("484 KB of novels, a stand-in", part, PlausibleModel(), records)
    folder = data / "extraction" / "redocred"
    gold, texts = list(relations(folder)), documents(folder)
    n = len({(one.document, one.head, one.tail) for one in gold})
    with tempfile.TemporaryDirectory() as root:
        corpus, whole = Path(root) / "corpus.jsonl", iter(texts.values())
        rows = iter(lambda: list(islice(whole, TOGETHER)), [])
        lines = (json.dumps({"id": str(number), "text": "\n\n".join(part)}) for number, part in enumerate(rows))
        corpus.write_text("".join(f"{line}\n" for line in lines))
        for share in (0.8, 0.5):
            oracle = Oracle(texts, gold, share)
            name = f"Re-DocRED, {share:.0%} said"
            compare(name, corpus, StubModel(oracle.reply), pairs_of(oracle, n), f"split_text_units.size={SIZE}")


if __name__ == "__main__":
    main()

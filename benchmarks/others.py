"""This package beside microsoft/graphrag, LightRAG and nano-graphrag: same texts, machine and model, their defaults.

    python benchmarks/others.py scale_eltec_eng/corpus.jsonl --python graphrag=PYTHON --python nano=PYTHON

PYTHON is the interpreter of an environment into which only that package was installed, so that its size can be told.
The model is the stub of the tests, an HTTP server that names in the form of each what stands in capitals in a text, and
answers at once: what is measured is what a package does around its model. Tokens of prompts are counted at four
characters, texts to be embedded among them. tiktoken fetches its tables when it is first used; without a network set
TIKTOKEN_CACHE_DIR to a folder that has them.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
from model_overhead import TESTS, Took, cut

sys.path.insert(0, str(TESTS))

import stub_replies  # type: ignore[import-not-found]

N_DOCUMENTS = 20  # of 8,889 characters
QUESTION = "Who travels, and why?"
N_NAMES = 12  # of a text

GRAPHRAG = """
completion_models:
  default_completion_model: {{model_provider: openai, model: stub, api_base: "{url}", api_key: none}}
embedding_models:
  default_embedding_model: {{model_provider: openai, model: stub, api_base: "{url}", api_key: none}}
vector_store: {{type: lancedb, db_uri: output/lancedb, vector_size: 8}}
"""
LIGHTRAG = """
import asyncio, json, sys
from lightrag import LightRAG, QueryParam
from lightrag.llm.openai import openai_complete_if_cache, openai_embed
from lightrag.utils import EmbeddingFunc
url, root, corpus, question = sys.argv[1:]
async def complete(prompt, system_prompt=None, history_messages=None, **options):
    return await openai_complete_if_cache(
        "stub", prompt, system_prompt, history_messages, base_url=url, api_key="none", **options)
async def embed(texts):
    return await openai_embed.func(texts, model="stub", base_url=url, api_key="none")
async def main():
    embedding = EmbeddingFunc(embedding_dim=8, max_token_size=8192, func=embed)
    rag = LightRAG(working_dir=root, llm_model_func=complete, embedding_func=embedding)
    await rag.initialize_storages()
    if question:
        print(await rag.aquery(question, param=QueryParam(mode="local")))
    else:
        rows = [json.loads(line) for line in open(corpus)]
        await rag.ainsert([row["text"] for row in rows], file_paths=[row["id"] for row in rows])
    await rag.finalize_storages()
asyncio.run(main())
"""
NANO = """
import json, sys
from nano_graphrag import GraphRAG, QueryParam
from nano_graphrag._utils import wrap_embedding_func_with_attrs
from openai import AsyncOpenAI
import numpy as np
url, root, corpus, question = sys.argv[1:]
client = AsyncOpenAI(base_url=url, api_key="none")
async def complete(prompt, system_prompt=None, history_messages=[], hashing_kv=None, **options):
    messages = [*history_messages, {"role": "user", "content": prompt}]
    if hashing_kv is not None:
        key = json.dumps(messages)
        if (kept := await hashing_kv.get_by_id(key)) is not None:
            return kept["return"]
    said = (await client.chat.completions.create(model="stub", messages=messages)).choices[0].message.content
    if hashing_kv is not None:
        await hashing_kv.upsert({key: {"return": said, "model": "stub"}})
        await hashing_kv.index_done_callback()
    return said
@wrap_embedding_func_with_attrs(embedding_dim=8, max_token_size=8192)
async def embed(texts):
    found = await client.embeddings.create(model="stub", input=texts)
    return np.array([row.embedding for row in sorted(found.data, key=lambda row: row.index)])
rag = GraphRAG(working_dir=root, best_model_func=complete, cheap_model_func=complete, embedding_func=embed)
if question:
    print(rag.query(question, param=QueryParam(mode="local")))
else:
    rag.insert([json.loads(line)["text"] for line in open(corpus)])
"""


def say(body: Mapping[str, Any]) -> str:
    """Return the stub's reply to a request of any of the four: the same names of a text, each in its own form."""
    if "messages" not in body:
        return ""
    last = str(body["messages"][-1]["content"])
    whole = "\n".join(str(message["content"]) for message in body["messages"])
    try:
        name, fields = stub_replies.recognise(last)
    except AssertionError:
        name, fields = "", {}
    if name == "extract_graph.md":
        return _records(fields["text"], '("{}")', "<|>", "\n##\n", ("RELATED",), ("7", "", ""))
    if name:
        return "No" if name.endswith("missed.md") else str(stub_replies.answer(body))
    if "low_level_keywords" in whole:
        return json.dumps({"high_level_keywords": ["travel"], "low_level_keywords": ["London"]})
    if "<|#|>" in whole:
        text = "" if "missed" in last else last.rpartition("---Input Text---")[2]
        return _records(text, "{}", "<|#|>", "\n", ("related",), ())
    if "single letter Y or N" in last or "YES | NO" in last:
        return "N" if "letter" in last else "NO"
    if "MANY entities" in last:
        return "<|COMPLETE|>"
    if "relationship_strength" in last:
        return _records(last.rpartition("\nText:")[2], '("{}")', "<|>", "\n##\n", (), ("7",))
    if '"findings"' in whole:
        finding = {"summary": "They are named together.", "explanation": "They are, as is told [Data: Entities (1)]."}
        # Alike for all, batches of embeddings would be one request at once: graphrag's cache deletes it half written.
        told = f"Names {hashlib.sha256(whole.encode()).hexdigest()[:8]}."
        report = {"title": "A group", "summary": told, "rating": 5, "rating_explanation": "-"}
        return json.dumps(report | {"findings": [finding]})
    return "They travel to see the world [Data: Entities (1)]."


def _records(text: str, form: str, mark: str, between: str, before: Sequence[str], after: Sequence[str]) -> str:
    """Write the first names of a text, and each pair of neighbours, with what stands around a pair's description."""
    names = stub_replies._names(text)[:N_NAMES]
    quote, relation = ('"', "relationship") if '"' in form else ("", "relation")
    first = "(" + quote if quote else ""
    rows = [mark.join([f"{first}entity{quote}", name, "person", f"{name} is named here."]) for name in names]
    rows += [
        mark.join([f"{first}{relation}{quote}", a, b, *before, f"{a} is named with {b}.", *after])
        for a, b in pairwise(names)
    ]
    return between.join(row + (")" if quote else "") for row in rows) + "\n<|COMPLETE|>"


def commands(name: str, python: str, url: str, root: Path, corpus: Path) -> tuple[list[str], list[str]]:
    """Return the commands that index and ask."""
    if name == "graphrag":
        (root / "input").mkdir()
        (root / "settings.yaml").write_text(GRAPHRAG.format(url=url))
        for row in map(json.loads, corpus.open(encoding="utf-8")):
            (root / "input" / f"{row['id'].replace('/', '_')}.txt").write_text(row["text"], encoding="utf-8")
        own = [python, "-m", "graphrag"]
        return [*own, "index", "--root", str(root)], [*own, "query", "--root", str(root), "--method", "local", QUESTION]
    if name in ("lightrag", "nano"):
        driver = [python, "-c", LIGHTRAG if name == "lightrag" else NANO, url, str(root), str(corpus)]
        return [*driver, ""], [*driver, QUESTION]
    own = [python, "-m", "graphrag_lite"]
    model = ["--root", str(root)]
    if name == "standard":
        model += ["--set", "method=standard", "--set", "llm.model=stub", "--set", f"llm.base_url={url}"]
    return [*own, "index", str(corpus), *model], [*own, "query", "--method", "local", QUESTION, *model]


def run(command: Sequence[str], log: Path) -> Took:
    """Run a command to its end; raises SystemExit with the end of its log where it fails."""
    with log.open("w") as said:
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command[:4]}:\n{log.read_text()[-3000:]}")
    return Took(0, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def size(python: str) -> str:
    """Return how many packages an environment has beside pip and setuptools, and their megabytes."""
    told = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    packages = Path(subprocess.run([python, "-c", told], capture_output=True, text=True, check=True).stdout.strip())
    n_bytes = sum(path.stat().st_size for path in packages.rglob("*") if path.is_file() and path.suffix != ".pyc")
    ours = [path for path in packages.glob("*.dist-info") if path.name.split("-")[0] not in ("pip", "setuptools")]
    return f"{len(ours)} packages, {n_bytes / 1e6:.0f} MB"


def measure(name: str, python: str, corpus: Path) -> None:
    """Print what one of them takes to index, to index again, and to answer."""
    stub = [sys.executable, str(TESTS / "stub_server.py"), "--reply", "others:say"]
    paths = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    found = os.environ | {"PYTHONPATH": paths}
    server = subprocess.Popen(stub, cwd=TESTS, stdout=subprocess.PIPE, text=True, env=found)
    try:
        assert server.stdout
        url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        print(f"\n{name}: {size(python)}")
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "root"
            root.mkdir()
            index, ask = commands(name, python, url, root, corpus)
            before = {"requests": 0, "prompt_tokens": 0}
            for what, command in (("index", index), ("index again", index), ("a local question", ask)):
                took = run(command, Path(folder) / "log")
                stats = json.load(urllib.request.urlopen(f"{url}/stats"))
                calls, tokens = (stats[key] - before[key] for key in ("requests", "prompt_tokens"))
                spent = f"{calls} calls, {tokens} prompt tokens"
                print(f"  {what}: {took.cpu:.1f} s of CPU, {took.peak_mb:.0f} MB, {spent}")
                before = stats
    finally:
        server.terminate()
        server.wait()


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path, exists=True))
@click.option("--python", "pythons", multiple=True, help="NAME=PYTHON: graphrag, lightrag, nano, fast or standard.")
def main(corpus: Path, pythons: Sequence[str]) -> None:
    """Measure the first documents of a corpus."""
    with tempfile.TemporaryDirectory() as folder:
        part = cut(corpus, Path(folder) / "corpus.jsonl", N_DOCUMENTS)
        for stated in pythons or (f"fast={sys.executable}", f"standard={sys.executable}"):
            measure(*stated.partition("=")[::2], part)


if __name__ == "__main__":
    main()

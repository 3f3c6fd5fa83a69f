"""The engine of a Ray cluster makes the bytes that one process makes, whatever becomes of its workers and machines."""

import importlib.util
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from last_snapshot import bytes_of

from graphrag_lite import pipeline, tables
from graphrag_lite.errors import SettingsError, WorkerError
from graphrag_lite.run import ray_engine, workers
from graphrag_lite.run.ray_engine import RayEngine
from graphrag_lite.settings import Settings
from graphrag_lite.watch import Silence

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus"
STORE = 80_000_000  # bytes, hardly more than the least that Ray takes
MACHINE = {"object_store_memory": STORE}


@pytest.fixture(autouse=True)
def _own_handler() -> Iterator[None]:
    """Who calls `ray.init` gives SIGTERM to Ray: other tests of this process want theirs back."""
    handler = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, handler)


class Joining(Silence):
    """A machine joins the cluster when a stage begins; where each stage's work is done is noted."""

    def __init__(self, cluster: Any, notes: Path) -> None:
        self.cluster, self.notes = cluster, notes

    def start(self, stage: str) -> None:
        tables.replace_file(self.notes / "stage", stage.encode(), durable=False)  # a worker may read it just now
        if stage == "resolve_entities":
            self.cluster.add_node(num_cpus=1, **MACHINE)
            self.cluster.wait_for_nodes()


def dying_once_a_stage(notes: Path) -> Callable[..., Any]:
    """Return what a worker does for a part: the first of each stage kills itself, and the machine is noted."""
    really = ray_engine._work

    def work(function: Callable[[Any], Any], part: Any, own: str) -> Any:
        import ray

        stage = (notes / "stage").read_text()
        try:
            (notes / f"{stage}.killed").touch(exist_ok=False)
            os.kill(os.getpid(), signal.SIGKILL)
        except FileExistsError:
            (notes / f"{stage}.{ray.get_runtime_context().get_node_id()}").touch()
        return really(function, part, own)

    return work


@pytest.mark.filterwarnings("ignore")  # Ray's own
def test_dead_workers_a_late_machine_and_a_full_store_change_no_byte(
    corpus: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = pytest.importorskip("ray", reason="the extra ray is not installed")
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setattr(workers, "STARTS", 1)
    monkeypatch.setattr(workers, "GOES_OVER", 1)
    texts = corpus({path.name: path.read_text() for path in sorted(EXAMPLE.rglob("*.md"))[:4]})
    undisturbed = pipeline.index(texts, tmp_path / "undisturbed" / "output", Settings())
    notes = tmp_path / "notes"
    notes.mkdir()
    try:
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, **MACHINE})
    except Exception as error:
        pytest.skip(f"Ray starts no cluster on this machine: {error}")
    try:
        ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
        with monkeypatch.context() as patched:
            patched.setattr(ray_engine, "_work", dying_once_a_stage(notes))
            run = pipeline.index(
                texts, tmp_path / "output", Settings(engine="ray"), workers=2, watch=Joining(cluster, notes)
            )
        assert bytes_of(run.snapshot) == bytes_of(undisturbed.snapshot)
        assert run.n_failures == 0
        noted = [path.name.split(".") for path in notes.iterdir()]
        killed = {stage for stage, *rest in noted if rest == ["killed"]}
        assert {"split_text_units", "extract_graph_fast", "resolve_entities", "index_search"} <= killed
        assert killed == {stage for stage, *rest in noted if rest and rest != ["killed"]}
        assert len({rest[0] for _, *rest in noted if rest and rest != ["killed"]}) == 2, "the late machine did nothing"
        monkeypatch.setattr(workers, "AHEAD", 100)
        with RayEngine(None, 2) as engine:
            found = engine.each(lambda n: bytes([n]) * 6_000_000, range(4 * STORE // 6_000_000), lambda: False)
            firsts = [next(found)[0]]
            spilled = Path(cluster.head_node.get_session_dir_path()).glob
            until = time.monotonic() + 90  # what is not taken yet is more than the stores hold
            while not any(spilled("ray_spilled_objects*/*")) and time.monotonic() < until:
                time.sleep(0.1)
            assert any(spilled("ray_spilled_objects*/*")), "it had room for all"
            firsts += [each[0] for each in found]
        assert firsts == list(range(4 * STORE // 6_000_000))
    finally:
        ray.shutdown()
        cluster.shutdown()


def test_what_ray_needs_and_what_it_is_not_for_is_told(
    corpus: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = Settings.model_validate({"method": "standard", "engine": "ray", "llm": {"model": "m"}})
    with pytest.raises(SettingsError, match="engine: ray shares out text analysis"):
        pipeline.index(corpus({"a.txt": "Ann met Bob."}), tmp_path / "output", asks)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(SettingsError, match=r"pip install 'graphrag-build\[ray\]'"):
        pipeline.index(corpus({"a.txt": "Ann met Bob."}), tmp_path / "output", Settings(engine="ray"))


def test_a_cluster_that_does_not_answer_is_told() -> None:
    pytest.importorskip("ray", reason="the extra ray is not installed")
    with RayEngine("127.0.0.1:1", 2) as engine, pytest.raises(SettingsError, match=r"127\.0\.0\.1:1 cannot be joined"):
        list(engine.each(len, [], lambda: False))


def test_a_machine_with_another_version_is_refused() -> None:
    with pytest.raises(WorkerError, match="another version"):
        ray_engine._work(list, [1], "another")
    assert ray_engine._work(list, [1], ray_engine._code()) == [1]

"""Shared fixtures. No test may talk to a network beyond this machine."""

import json
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

if TYPE_CHECKING:
    from graphrag_lite.search.index import Index

# How fast a busy machine makes examples says nothing of the code. Each run has the same examples, so that a change that
# is red is red because of the change; `pytest --hypothesis-profile=default` has new ones.
hypothesis.settings.register_profile(
    "any machine", deadline=None, derandomize=True, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any machine")

# Waiting for the disk tells nothing here: no test cuts the power of this process. Tests of what a power cut leaves run
# the package in a process of its own (test_faults), where files are synced as a user's are.
os.fsync = lambda _: None

SHARED = Path(__file__).parents[2] / "shared" / "data"
EXAMPLE = Path(__file__).parents[1] / "examples" / "corpus"


@pytest.fixture(autouse=True)
def _only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection that would leave this machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"a test tried to reach {address}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture
def shared() -> Path:
    """The evaluation data beside the repository; the test is skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the evaluation data (../shared/data) is not on this machine")
    return SHARED


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The snapshot of the sample corpus by default settings, for tests that only read it."""
    from graphrag_lite import pipeline
    from graphrag_lite.settings import Settings

    return pipeline.index(EXAMPLE, tmp_path_factory.mktemp("sample") / "output", Settings()).snapshot


@pytest.fixture(scope="session")
def sample_root(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Make a root with a copy of the sample corpus' index, for tests that write into it."""

    def copied() -> Path:
        root = tmp_path_factory.mktemp("root")
        shutil.copytree(sample.parents[1], root / "output")
        return root

    return copied


@pytest.fixture
def corpus(tmp_path: Path) -> Callable[..., Path]:
    """Write a corpus folder: corpus({"a.txt": "text", "b.jsonl": [{"text": "..."}]})."""

    def write(files: dict[str, str | bytes | list[dict[str, Any]]], name: str = "corpus") -> Path:
        folder = tmp_path / name
        for path, content in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, list):
                content = "".join(json.dumps(row) + "\n" for row in content)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    return write


@pytest.fixture
def index_of(corpus: Callable[..., Path], tmp_path: Path) -> "Callable[..., Index]":
    """Index a corpus by default settings, under `tmp_path`, and open it: index_of({"a.txt": "text"})."""
    from graphrag_lite import pipeline
    from graphrag_lite.search.index import Index
    from graphrag_lite.settings import Settings

    return lambda files: Index(pipeline.index(corpus(files), tmp_path / "output", Settings()).snapshot)


@pytest.fixture(scope="session")
def some_notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with some documents of the sample corpus, enough for communities; to be read."""
    folder = tmp_path_factory.mktemp("notes")
    for path in sorted((EXAMPLE / "notes").iterdir())[:25]:
        shutil.copy(path, folder)
    return folder


@pytest.fixture
def notes(some_notes: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return shutil.copytree(some_notes, tmp_path / "corpus", copy_function=shutil.copyfile)

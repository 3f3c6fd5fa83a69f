"""An index of a corpus that changed is the index of the corpus as it is now, whatever happened to it on the way.

SAME_RESULT_EXAMPLES=200 tries more sequences of changes, other ones every time.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import changing_corpus
import pytest
import stub_replies
from changing_corpus import Change, Night
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from stub_model import StubModel

from graphrag_lite import pipeline, tables
from graphrag_lite.llm.chat import Request
from graphrag_lite.ops import check
from graphrag_lite.run import file_hashes, snapshots
from graphrag_lite.run.loop import Run
from graphrag_lite.settings import Settings
from graphrag_lite.tables import parts, segments

METHODS = ("fast", "standard")
OF_COMMUNITIES = {
    "communities",
    "community_reports",
    "report_bases",
    "report_leads",  # sentences of members of communities that may have a report
    "report_pages",
    "report_sentences",
    "search_lengths",  # how many reports there are
    "search_report_terms",
    "search_reports",
}
MORE = int(os.environ.get("SAME_RESULT_EXAMPLES", "0"))


def tried(n_examples: int) -> Callable[..., Any]:
    return hypothesis_settings(
        max_examples=MORE or n_examples,
        derandomize=not MORE,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink] if MORE else [Phase.generate],
    )


CHANGES = st.builds(
    Change,
    st.sampled_from(changing_corpus.KINDS),
    which=st.integers(0, 7),
    where=st.integers(0, 24),
    what=st.integers(0, 140),
)
NIGHTS = st.lists(st.lists(CHANGES, min_size=1, max_size=4).map(tuple), min_size=2, max_size=3)
BEGINNINGS = st.lists(st.integers(0, 140), min_size=2, max_size=5).filter(any)  # not the least, which comes first


@pytest.fixture(autouse=True)
def _no_waiting_for_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_hashes, "TICK", 0)  # files of a moment ago are remembered, too


@contextmanager
def changing(beginning: list[int]) -> Iterator[tuple[Path, Path]]:
    """A new corpus folder, and a folder for indexes."""
    with tempfile.TemporaryDirectory() as name:
        changing_corpus.begin(Path(name) / "corpus", beginning)
        yield Path(name) / "corpus", Path(name)


def reply(request: Request) -> str:
    """Plausible replies, with some pairs of names that are one entity: a function of the request alone."""
    name, fields = stub_replies.recognise(request.messages[-1]["content"])
    if name == "resolve_entities.md":
        return str({"same": [n for n in range(1, 21) if len(fields["pairs"]) % (n + 1) == 0]}).replace("'", '"')
    return stub_replies.reply(request.messages)


def index(corpus: Path, output: Path, method: str, mode: str, **options: Any) -> Run:
    values = {
        "method": method,
        "communities": {"mode": mode},
        "split_text_units": {"size": 40, "overlap": 10},  # documents of many text units
        "extract_claims": {"enabled": True},
        "llm": {"model": "stub"},
        "detect_communities": {"max_cluster_size": 6},  # levels
        "snapshots": {"keep": 2},
    }
    return pipeline.index(corpus, output, Settings.model_validate(values), model=StubModel(reply), **options)


def bytes_of(snapshot: Path) -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in tables.files(snapshot)}


def differing(one: Path, other: Path) -> list[str]:
    """Return the tables that are not the same bytes; a table that only one has, too."""
    left, right = bytes_of(one), bytes_of(other)
    return sorted(name for name in left.keys() | right.keys() if left.get(name) != right.get(name))


def from_nothing(corpus: Path, folder: Path, method: str, mode: str) -> Path:
    """Index a corpus into a new folder; return the snapshot."""
    output = Path(tempfile.mkdtemp(dir=folder)) / "output"
    return index(corpus, output, method, mode).snapshot


def happen(corpus: Path, night: Night) -> None:
    for change in night:
        changing_corpus.apply(corpus, change)


@pytest.mark.parametrize("method", METHODS)
def test_an_index_of_what_changed_is_the_index_from_nothing(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "LEAST", 500)  # tables in parts, though small
    monkeypatch.setattr(segments, "LEAST", 4)

    @tried(2)
    @given(beginning=BEGINNINGS, nights=NIGHTS)
    def holds(beginning: list[int], nights: list[Night]) -> None:
        with changing(beginning) as (corpus, folder):
            index(corpus, folder / "output", method, "full")
            for night in nights:
                happen(corpus, night)
                run = index(corpus, folder / "output", method, "full")
                assert differing(run.snapshot, from_nothing(corpus, folder, method, "full")) == []
                assert not index(corpus, folder / "output", method, "full").changed

    holds()


@pytest.mark.parametrize("method", METHODS)
def test_deleting_a_document_takes_back_what_it_alone_had_said(method: str) -> None:
    @tried(1)
    @given(beginning=BEGINNINGS, what=st.integers(0, 140), where=st.integers(0, 24))
    def holds(beginning: list[int], what: int, where: int) -> None:
        with changing(beginning) as (corpus, folder):
            before = index(corpus, folder / "output", method, "full").snapshot
            kept = shutil.copytree(before, folder / "before")
            new = corpus / "new.txt"
            changing_corpus.write(new, (changing_corpus.line(new, what + i) for i in range(where + 1)))
            assert index(corpus, folder / "output", method, "full").changed
            new.unlink()
            assert differing(index(corpus, folder / "output", method, "full").snapshot, kept) == []

    holds()


@pytest.mark.parametrize("method", METHODS)
def test_a_stable_index_says_what_the_corpus_says_and_nothing_in_it_dangles(method: str) -> None:
    """Two indexes of one history are the same bytes; what does not follow from communities is as from nothing."""

    @tried(2)
    @given(beginning=BEGINNINGS, nights=NIGHTS)
    def holds(beginning: list[int], nights: list[Night]) -> None:
        with changing(beginning) as (corpus, folder):
            for night in [(), *nights]:
                happen(corpus, night)
                runs = [index(corpus, folder / name, method, "stable") for name in ("one", "two")]
                assert differing(runs[0].snapshot, runs[1].snapshot) == []
                assert check.check(runs[0].snapshot).problems == ()
                assert not index(corpus, folder / "one", method, "stable").changed
            anew = from_nothing(corpus, folder, method, "full")
            assert set(differing(runs[0].snapshot, anew)) <= OF_COMMUNITIES
            assert not stale(index(corpus, folder / "two", method, "stable", refresh=True).snapshot)
            assert differing(index(corpus, folder / "one", method, "full").snapshot, anew) == []

    holds()


def stale(snapshot: Path) -> list[str]:
    return [row["id"] for row in tables.read(snapshot, "community_reports").to_pylist() if row["stale"] or row["age"]]


@pytest.mark.parametrize("method", METHODS)
def test_what_a_document_alone_had_named_is_gone_with_it(method: str, tmp_path: Path) -> None:
    corpus, output = tmp_path / "corpus", tmp_path / "output"
    changing_corpus.begin(corpus, [5, 17, 30, 44, 57])
    index(corpus, output, method, "stable")
    said = "Wilhelmina Xerxes met Dora Quill in Paris. Wilhelmina Xerxes wrote to Hugo Quill.\n"
    (corpus / "new.txt").write_text(said)
    assert "Xerxes" in said_in(index(corpus, output, method, "stable").snapshot)
    (corpus / "new.txt").unlink()
    assert "Xerxes" not in said_in(index(corpus, output, method, "stable").snapshot)
    assert snapshots.current(output)


def said_in(snapshot: Path) -> str:
    return "\n".join(str(tables.read(snapshot, path.stem).to_pylist()) for path in tables.files(snapshot))

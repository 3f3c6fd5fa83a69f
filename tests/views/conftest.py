"""Indexes to look at, and a browser to look with; each is made once."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import BROWSER, Page, browser

from graphrag_lite import pipeline
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

SAMPLE = Path(__file__).parents[2] / "examples" / "corpus"
EVIL = {
    "</script><script>window.ran = 1</script>.txt": "Ann Lee met Bob Hall in Paris in May 2020. Ann Lee likes Paris.",
    "b.html": "<h1>Ann Lee &lt;img src=x onerror='window.ran = 1'&gt;</h1><p>Bob Hall wrote to Ann Lee in 2021."
    " &lt;script&gt;window.ran = 1&lt;/script&gt; Carl Moss of Acme Corp. met Ann Lee.</p>",
    "c.md": "# <svg onload=window.ran=1>\n\nBob Hall and Carl Moss met \u202eeeL nnA\u202c in Paris.\n\n"
    "[Carl Moss](javascript:window.ran=1) works at Acme Corp. since 2019. \x07 Ann Lee \x9d joined Acme Corp. in 2020.",
    "d.txt": "😀 Ann Lee 🏳️‍🌈 and Bob Hall founded Acme Corp. in Paris in 2018. اَلْعَرَبِيَّةُ Carl Moss left Acme Corp. in 2022.\u2028"
    '`${window.ran = 1}` {{window.ran = 1}} <a href="javascript:window.ran=1" onclick=window.ran=1>Bob Hall</a>',
}


def indexed(corpus: Path, output: Path) -> Index:
    return Index(pipeline.index(corpus, output, Settings()).snapshot)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The index of some documents of the sample corpus: dated ones, with facts."""
    folder = tmp_path_factory.mktemp("sample")
    (folder / "corpus").mkdir()
    for path in sorted((SAMPLE / "notes").iterdir())[:20]:
        (folder / "corpus" / path.name).write_bytes(path.read_bytes())
    return indexed(folder / "corpus", folder / "output")


@pytest.fixture(scope="session")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The index of documents that try to run in a page, or to turn its lines."""
    folder = tmp_path_factory.mktemp("evil")
    for name, text in EVIL.items():
        path = folder / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return indexed(folder / "corpus", folder / "output")


@pytest.fixture(scope="session")
def _chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    if BROWSER is None:
        pytest.skip("there is no Chromium on this machine (Debian: apt install chromium)")
    with browser(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture
def tab(_chromium: Page) -> Page:
    """A tab of Chromium that has said nothing yet."""
    _chromium.run("0")
    _chromium.events.clear()
    _chromium.size(1400, 900)
    return _chromium

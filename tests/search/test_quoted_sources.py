"""Where it is asked which document says something, or who, titles stand over what is quoted."""

import pytest

import graphrag_lite
from graphrag_lite.search.index import Index

SPEECHES = {
    "1901 Ada Holm": "I urge that the northern harbour be opened to all ships. The treasury holds a surplus this year.",
    "1905 Olaf Berg": "My government has lowered the tax on grain. The harbour earns more than it did under my predecessor.",
}


@pytest.fixture(scope="module")
def speeches(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("speeches")
    for title, text in SPEECHES.items():
        (folder / f"{title}.txt").write_text(text, encoding="utf-8")
    return graphrag_lite.index(folder, folder)


@pytest.mark.parametrize(
    ("question", "begin"),
    [
        ("In which address is the northern harbour urged to be opened?", "1901 Ada Holm: I urge"),
        ("Who lowered the tax on grain?", "1905 Olaf Berg: My government"),
        ("Which president lowered the tax on grain?", "1905 Olaf Berg: My government"),
        ("What holds a surplus?", "The treasury holds"),
        ("When was the tax on grain lowered?", "My government has lowered"),
    ],
)
def test_titles_stand_where_they_answer(speeches: Index, question: str, begin: str) -> None:
    assert speeches.query(question).answer.startswith(begin)

"""What is kept of a document or text unit from run to run, and counted on, is what it would be from nothing."""

from pathlib import Path

import numpy as np
import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from graphrag_lite import tables
from graphrag_lite.attempts import unguarded
from graphrag_lite.evidence.document_signs import document_signs
from graphrag_lite.graph.sparse import components, from_edges, node_strengths, rows_of
from graphrag_lite.resolution.name_contexts import MENTIONS, NameContexts
from graphrag_lite.stages.resolve_entities import _lower_counts
from tests.last_snapshot import last

TEXTS = [
    "The whale's song. A Whale sings the song.",
    "1980s and 's that, the that",
    "ANN: So?\nBO: No.\nANN: So.\nBO: No.",
    "Copyright 2020. All rights reserved. Licensed without warranty; permission to redistribute.",
]
NAMES = ["ANN", "BO", "Whale", "whale", "that"]
SOME = st.sets(st.integers(0, len(TEXTS) - 1))
CODE = [{"kind": "code", "label": "", "char_start": 4, "char_end": 20}]


def units(numbers: set[int]) -> pa.Table:
    return tables.make("source_units", [(f"u{n}", f"d{n}", 0, 0, len(TEXTS[n]), TEXTS[n], 1) for n in sorted(numbers)])


def with_code(numbers: set[int], coded: set[int], cut: int) -> tuple[pa.Table, pa.Table]:
    """Documents and text units of these numbers; what is `coded` is another document, of the same text, with code.

    Each text is `cut` at a character.
    """
    own = [(n, f"d{n}{'c' * (n in coded)}") for n in sorted(numbers)]
    documents = tables.make(
        "source_documents",
        [
            dict.fromkeys(tables.schema("source_documents").names, "")
            | {"id": document, "text": TEXTS[n], "blocks": CODE if n in coded else [], "messages": []}
            for n, document in own
        ],
    )
    spans = [(n, document, span) for n, document in own for span in ((0, cut), (cut, len(TEXTS[n])))]
    rows = [
        (f"u{n} {span}", document, number % 2, *span, TEXTS[n][slice(*span)], 1)
        for number, (n, document, span) in enumerate(spans)
    ]
    return documents, tables.make("source_units", rows)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(then=SOME, now=SOME, code_then=SOME, code_now=SOME, cut=st.tuples(*[st.sampled_from((4, 9))] * 2))
def test_words_are_counted_on_and_signs_kept(
    tmp_path: Path, then: set[int], now: set[int], code_then: set[int], code_now: set[int], cut: tuple[int, int]
) -> None:
    held_then, held_now = with_code(then, code_then, cut[0]), with_code(now, code_now, cut[1])
    before = _lower_counts(*held_then, map, unguarded, None)
    written = dict(zip(("source_documents", "source_units"), held_then, strict=True))
    counts = tables.make("word_counts", sorted(before.items()))
    found = _lower_counts(*held_now, map, unguarded, last(tmp_path, **written, word_counts=counts))
    assert found == _lower_counts(*held_now, map, unguarded, None)

    was, documents = (units(some).rename_columns(["u", "id", *"abc", "text", "n"]) for some in (then, now))
    mentions = tables.make("entity_mentions", [])
    signs = document_signs(documents, mentions, [document_signs(was, mentions, None, map)], map)
    assert signs.equals(document_signs(documents, mentions, None, map))
    assert signs["document_id"].to_pylist() == documents["id"].to_pylist()


@settings(max_examples=40, deadline=None)
@given(then=SOME, now=SOME, told=st.booleans())
def test_what_stands_beside_names_is_kept(then: set[int], now: set[int], told: bool) -> None:
    def beside(
        numbers: set[int], names: list[str], before: list[pa.Table] | None = None, last: str = "ANN"
    ) -> list[pa.Table]:
        held = [
            (unit, word) for unit in tables.rows(units(numbers), "id", "document_id", "text") for word in words(unit)
        ]
        rows = [(*unit[:2], word, unit[2].index(word)) for unit, word in held if last != word or told]
        mentions = pa.table(dict(zip(MENTIONS, map(pa.array, zip(*rows, strict=True)), strict=True))) if rows else none
        both = before and (before[0], mentions, before[1])
        found = NameContexts(mentions, lambda unit: (TEXTS[int(unit[1:])], 0), both)
        found([[name] for name in names])
        return [found.table, mentions]

    def words(unit: tuple[str, ...]) -> list[str]:
        return [word for word in NAMES if word in unit[2]]

    none = pa.table({name: pa.array([], pa.int64() if name == "mention_start" else pa.string()) for name in MENTIONS})
    before = beside(then, NAMES[1:])
    assert beside(now, NAMES[:-1], before, "")[0].equals(beside(now, NAMES[:-1], None, "")[0])


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 9), st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8))))
def test_our_adjacency_is_that_of_scipy(n_nodes: int, pairs: set[tuple[int, int]]) -> None:
    edges = sorted(pair for pair in pairs if pair[0] < pair[1] < n_nodes)
    sources, targets = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    weights = 1 / (1.0 + np.arange(len(edges)))
    graph = from_edges(sources, targets, weights, n_nodes)
    matrix = coo_matrix((weights, (sources, targets)), shape=(n_nodes, n_nodes)).tocsr()
    matrix = (matrix + matrix.T).tocsr().sorted_indices()
    for ours, theirs in zip(
        (graph.indptr, graph.indices, graph.data), (matrix.indptr, matrix.indices, matrix.data), strict=True
    ):
        assert (ours == theirs).all()
    assert (node_strengths(graph) == np.asarray(matrix.sum(axis=1)).ravel()).all()
    assert all((np.diff(graph.row(i)) > 0).all() for i in range(n_nodes))
    some = np.arange(0, n_nodes, 2)
    assert (rows_of(graph, some).data == matrix[some].data).all()
    theirs = connected_components(matrix, directed=False)[1]
    _, firsts = np.unique(theirs, return_index=True)
    assert (components(graph) == firsts[theirs]).all()

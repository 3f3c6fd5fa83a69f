"""Products of sparse matrices, as scipy has them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from graphrag_lite.graph.sparse import from_dense, rows_of

SIZES = st.integers(0, 6)


@given(st.data(), SIZES, SIZES)
def test_products_equal_those_of_scipy(data: st.DataObject, n_rows: int, n_columns: int) -> None:
    dense = data.draw(arrays(np.float64, (n_rows, n_columns), elements=st.integers(0, 3).map(float)))
    matrix, other = from_dense(dense), csr_array(dense)
    assert matrix.indices.tolist() == other.indices.tolist() and matrix.shape == dense.shape
    column, row = np.arange(n_columns) + 0.5, np.arange(n_rows) + 0.5
    np.testing.assert_allclose(matrix @ column, other @ column)
    np.testing.assert_allclose(matrix.columns(row), row @ other)
    chosen = np.flatnonzero(row % 2 < 1)[::-1]
    np.testing.assert_allclose(rows_of(matrix, chosen) @ column, (other @ column)[chosen])

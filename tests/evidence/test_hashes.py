"""Hashes of lists are the same however many of these are computed at once."""

import numpy as np
import pytest

from graphrag_lite.evidence import hashes


@pytest.mark.parametrize("at_once", [1, 3, 20])
def test_lists_are_hashed_some_at_a_time_as_all_at_once(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(7)
    owners = np.sort(draw.integers(0, 30, 50))
    values = draw.integers(0, 9, 50).astype(np.uint64)
    whole = hashes.in_order(values, owners, 32)
    each = [hashes.in_order(values[owners == one], np.zeros((owners == one).sum(), int), 1)[0] for one in range(32)]
    monkeypatch.setattr(hashes, "AT_ONCE", at_once)
    assert hashes.in_order(values, owners, 32).tolist() == whole.tolist() == [int(one) for one in each]

from datetime import date, timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.retrieval.held import NEAR_DAYS, Held
from graphrag_lite.text.period import Period

DAY = date(1950, 1, 1)


@given(st.integers(1, 4 * NEAR_DAYS), st.integers(-3 * NEAR_DAYS, 3 * NEAR_DAYS), st.integers(1, 2 * NEAR_DAYS))
def test_what_begins_with_a_long_period_fits_better_than_what_happened_later_in_it(
    length: int, begins: int, lasts: int
) -> None:
    asked = [Period(DAY, DAY + timedelta(days=length))]
    first = DAY.toordinal() + np.array([begins, max(length - lasts, begins)])
    held = Held(2, np.arange(2), first, first + lasts, np.zeros(2), np.zeros(2))
    ((fit, is_begun),) = list(held.statements(0, asked).values()) or [(0.0, False)]
    overlaps = begins <= length and begins + lasts >= 0
    assert is_begun == (overlaps and abs(begins) <= NEAR_DAYS <= length)
    assert (fit > 0) == overlaps
    if is_begun and begins >= 0 and length > NEAR_DAYS + lasts:  # both lie in it
        assert held.fits(asked)[0] > held.fits(asked)[1]

"""The lexical rung against the definition, pair by pair."""

import re
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_lite.resolution.name_similarity import similar_pairs


def slow_pairs(keys: list[str]) -> list[tuple[str, str]]:
    grams = {key: {key[i : i + 3] for i in range(len(key) - 2)} for key in keys if len(key) >= 6}
    alike = [
        (a, b)
        for a, b in combinations(sorted(grams), 2)
        if len(grams[a] & grams[b]) >= 0.9 * len(grams[a] | grams[b])
        and re.findall(r"\d+|\b[ivxlcdm]+\b", a) == re.findall(r"\d+|\b[ivxlcdm]+\b", b)
    ]
    degree = [key for pair in alike for key in pair]
    return [pair for pair in alike if degree.count(pair[0]) == degree.count(pair[1]) == 1]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.builds(
            lambda words, tail: " ".join(words) + tail,
            st.lists(
                st.sampled_from("orchard velmton society research ii 12 of annual".split()), min_size=1, max_size=7
            ),
            st.sampled_from(["", "s", "x", " a", "ing"]),
        ),
        max_size=25,
        unique=True,
    )
)
def test_equals_the_definition(keys: list[str]) -> None:
    assert similar_pairs(keys) == slow_pairs(keys)


def test_long_names_that_differ_in_their_rarest_grams() -> None:
    # 27 3-grams against 29: the two that only one name has are the rarest of it
    assert similar_pairs(["international orchard society", "international orchard societyqz"]) == [
        ("international orchard society", "international orchard societyqz")
    ]


def test_numerals_accents_and_second_candidates() -> None:
    assert similar_pairs(["velmton station 1", "velmton station 2"]) == []
    assert similar_pairs(["fourth orchard of elizabeth i", "fourth orchard of elizabeth ii"]) == []
    assert similar_pairs(["velmé orchard", "velme orchard"]) == [("velme orchard", "velmé orchard")]
    assert similar_pairs(["velmton orchard", "velmton orchards", "velmton orchardy"]) == []

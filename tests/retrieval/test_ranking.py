"""The ranking policy on hand-made graphs: each part does one thing, and where no part applies BM25's order stays."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.graph.pagerank import Step, Walk
from graphrag_lite.graph.sparse import from_dense
from graphrag_lite.retrieval.features import Features
from graphrag_lite.retrieval.links import Links, link_mentions
from graphrag_lite.retrieval.ranking import Policy, rank
from graphrag_lite.retrieval.top_k import best_rows

OFF = Policy(naming=0, throughout=0, stating=0, hop=0, joining=0, dating=0, spreading=0, discount=0)


def graph(n_units: int, mentions: dict[int, list[int]], titles: dict[int, list[int]], n_entities: int = 6) -> Links:
    """Build the graph where unit u mentions `mentions[u]` and the document of unit u is titled `titles[u]`."""
    counts, definitions = np.zeros((n_units, n_entities)), np.zeros((n_entities, n_units))
    for unit, entities in mentions.items():
        counts[unit, entities] = 1.0
    for unit, entities in titles.items():
        definitions[entities, unit] = counts[unit, entities] = 1.0
    return link_mentions(from_dense(counts), from_dense(definitions), from_dense(counts.T))


def ask(scores: list[list[float]], named: list[int] = [], in_name: list[int] = [], dated: list[int] = []) -> Features:  # noqa: B006
    """Make a question from the scores of its terms, one list per unit."""
    names = [(tuple(named), np.array(sorted(set(in_name)), dtype=np.int64))]
    return Features(from_dense(np.array(scores).T), names, dict.fromkeys(named, 1.0), np.array(dated, dtype=np.int32))


def order(question: Features, links: Links, policy: Policy) -> list[int]:
    return [int(unit) for unit in best_rows(rank(question, links, policy), 20)]


def test_without_entities_bm25_decides() -> None:
    links = graph(4, {}, {})
    assert order(ask([[1.0], [3.0], [0.0], [3.0]]), links, Policy()) == [1, 3, 0, 2]


def test_a_named_title_comes_before_a_better_match_of_words() -> None:
    links = graph(3, {1: [0]}, {2: [0]})
    question = ask([[1.0], [1.2], [0.9]], named=[0])
    assert order(question, links, OFF) == [1, 0, 2]
    assert order(question, links, replace(OFF, naming=1.0)) == [2, 1, 0]


def test_of_several_units_with_a_title_the_best_match_gains_most() -> None:
    links = graph(3, {}, {0: [0], 1: [0], 2: [1]})
    gains = rank(ask([[0.2], [0.6], [1.0]], named=[0]), links, replace(OFF, naming=1.0)) - [0.2, 0.6, 1.0]
    assert gains[1] == pytest.approx(1.0) and 0 < gains[0] < 1 and gains[2] == 0


def test_a_page_says_the_name_that_it_is_titled_with_as_often_as_any() -> None:
    links = graph(4, {}, {1: [0], 2: [0], 3: [1]})  # unit 0 names entity 0 often, unit 1 is its page and says "he"
    question = ask([[2.0, 0.0], [0.5, 1.0], [0.0, 0.0], [0.5, 0.0]], named=[0], in_name=[0])
    assert (rank(question, links, OFF) * 2).tolist() == pytest.approx([2.0, 1.5, 0.0, 0.5])
    scores = rank(question, links, replace(OFF, throughout=1.0))
    assert (scores * 3).tolist() == pytest.approx([2.0, 3.0, 0.0, 0.5])  # scaled; what lacks the word has none of it
    assert question.term_scores.data.tolist() == [2.0, 0.5, 0.5, 1.0]  # the index's own are left as they are


def test_hop_finds_the_definition_of_what_the_best_unit_mentions() -> None:
    links = graph(4, {0: [1]}, {0: [0], 3: [1]})  # unit 0 is the film, unit 3 its director
    question = ask([[2.0], [0.3], [0.2], [0.0]], named=[0])
    assert order(question, links, OFF)[-1] == 3
    assert order(question, links, replace(OFF, hop=1.0))[:2] == [0, 3]


def test_hop_leaves_out_what_the_question_names_itself() -> None:
    links = graph(2, {0: [1]}, {0: [0], 1: [1]})
    scores = rank(ask([[2.0], [0.0]], named=[0, 1]), links, replace(OFF, hop=1.0))
    assert scores.tolist() == [1.0, 0.0]


def test_hop_is_shared_among_many_mentions_and_many_definitions() -> None:
    few = graph(3, {0: [1]}, {1: [1]})
    many_mentions = graph(3, {0: [1, 2, 3, 4]}, {1: [1], 2: [2, 3, 4]})
    many_definitions = graph(3, {0: [1]}, {1: [1], 2: [1]})
    gain = [
        rank(ask([[1.0], [0.0], [0.0]]), g, replace(OFF, hop=1.0))[1] for g in (few, many_mentions, many_definitions)
    ]
    assert gain == pytest.approx([1.0, 0.5, 0.5])


def test_join_needs_a_shared_entity_and_a_term_that_the_best_unit_lacks() -> None:
    links = graph(5, {0: [0], 1: [0], 2: [0], 3: [1]}, {})
    terms = [[3.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]  # term 1 is what unit 0 leaves open
    gains = rank(ask(terms), links, replace(OFF, joining=1.0, join_seeds=1)) - np.array(terms).sum(axis=1) / 3
    assert gains[1] > 0.05
    assert gains[[2, 3, 4]] == pytest.approx([0, 0, 0])


def test_a_hub_joins_nothing() -> None:
    everywhere = graph(30, {unit: [0] for unit in range(30)}, {})
    terms = [[2.0, 0.0]] + [[0.0, 1.0]] * 29
    assert not (rank(ask(terms), everywhere, replace(OFF, joining=1.0)) - np.array(terms).sum(axis=1) / 2).any()


def test_units_of_the_period_gain_in_proportion_to_bm25() -> None:
    links = graph(3, {}, {0: [0]})
    scores = rank(ask([[1.0], [2.0], [0.0]], dated=[0, 2]), links, replace(OFF, dating=0.5))
    assert scores.tolist() == [0.75, 1.0, 0.0]
    named = rank(ask([[1.0], [2.0], [0.0]], named=[0], dated=[0]), links, replace(OFF, naming=1.0, dating=0.5))
    assert named.tolist() == [1.75, 1.0, 0.0]  # the name's gain is not of BM25


def test_spread_reaches_the_neighbours_of_the_best_units() -> None:
    links = graph(4, {0: [0], 2: [0], 3: [1]}, {})
    scores = rank(ask([[1.0], [0.0], [0.0], [0.0]]), links, replace(OFF, spreading=0.2))
    assert scores.tolist() == [1.2, 0.0, 0.2, 0.0]  # the best that is not a seed has the full weight, seeds no more


def test_a_name_counts_less_once_a_better_unit_holds_it() -> None:
    # Terms: a name, then a word. Units 1 and 2 repeat the name, unit 3 has the word.
    question = ask([[2.0, 0.5], [1.2, 0.0], [1.1, 0.0], [0.0, 1.0]], named=[0], in_name=[0])
    own_document = graph(4, {}, {0: [0]})
    assert order(question, own_document, OFF) == [0, 1, 2, 3]
    assert order(question, own_document, replace(OFF, discount=0.3)) == [0, 3, 1, 2]


def test_a_name_that_no_document_is_about_keeps_its_weight_but_in_an_encyclopaedia() -> None:
    question = ask([[2.0, 0.5], [1.2, 0.0], [1.1, 0.0], [0.0, 1.0]], named=[0], in_name=[0])
    policy = replace(OFF, discount=0.3)
    assert order(question, graph(4, {0: [0], 1: [0], 2: [0]}, {}), policy) == [0, 1, 2, 3]
    assert order(question, graph(4, {0: [0]}, {0: [1], 1: [2], 2: [3], 3: [4]}), policy) == [0, 3, 1, 2]


def test_a_reply_counts_less_than_what_it_repeats() -> None:
    question = ask([[1.0, 0.9], [1.0, 1.0], [0.2, 0.2]])
    replied = replace(question, replies=np.array([False, True, False]))
    assert order(question, graph(3, {}, {}), OFF) == [1, 0, 2]
    assert order(replied, graph(3, {}, {}), OFF) == [0, 1, 2]
    nothing_else = ask([[0.0], [1.0], [0.5]])
    scores = rank(replace(nothing_else, replies=np.array([False, True, True])), graph(3, {}, {}), OFF)
    assert scores.tolist() == [0.0, 0.5, 0.25]  # replies alone keep their order


def stated(units: list[int], fits: list[float] | None = None) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(np.array(units, dtype=np.int64), np.array(fits or [1.0] * len(units)))]


def test_what_an_assistant_is_to_heed_counts_double() -> None:
    question = replace(ask([[1.0], [0.6], [0.4]]), heeded=np.array([1, 2], np.int32))
    assert rank(question, graph(3, {}, {}), OFF).tolist() == pytest.approx([1.0, 1.2, 0.8])


def test_of_the_units_that_have_what_is_stated_the_best_match_gains_most_and_rare_values_more() -> None:
    links, question = graph(6, {}, {}), ask([[0.2], [0.6], [1.0], [0.0], [0.0], [0.0]])
    policy = replace(OFF, stating=1.0)
    bm25 = np.array([0.2, 0.6, 1.0, 0, 0, 0])
    gains = rank(replace(question, stated=stated([0, 1])), links, policy) - bm25
    assert gains[1] > gains[0] > 0 and not gains[2:].any()
    rare = rank(replace(question, stated=stated([1])), links, policy) - bm25
    assert rare[1] == pytest.approx(np.log(7) / np.log(7)) and gains[1] == pytest.approx(np.log(7 / 2) / np.log(7))
    both = rank(replace(question, stated=[*stated([0, 1]), *stated([1])]), links, policy) - bm25
    assert both.tolist() == pytest.approx([gains[0], rare[1], 0, 0, 0, 0])  # the rarer of two counts
    assert (rank(replace(question, stated=stated([])), links, policy) == bm25).all()


def test_a_better_fit_gains_more() -> None:
    question = replace(ask([[1.0], [1.0], [0.0]]), stated=stated([0, 1], [0.25, 1.0]))
    assert order(question, graph(3, {}, {}), replace(OFF, stating=1.0)) == [1, 0, 2]


def test_scores_fade_with_age_by_a_power_law() -> None:
    question = replace(ask([[1.0], [1.0], [1.0]]), ages=np.array([0.0, 9.0, 99.0]))
    scores = rank(question, graph(3, {}, {}), replace(OFF, fading=0.1, newest_depth=0))
    assert scores.tolist() == pytest.approx([1.0, 10**-0.1, 10**-0.2])


def test_of_the_best_units_a_newer_one_about_the_same_goes_first() -> None:
    # Unit 0 is old; 1 holds more than half of it and is newer; 2 is newer and about something else; 3 is newest, below.
    terms = [[3.0, 1.8, 0.0], [3.0, 0.0, 0.0], [0.0, 0.0, 2.95], [2.9, 0.0, 0.0]]
    question = replace(ask(terms), order=np.array([1.0, 2.0, 3.0, 4.0]))
    links, policy = graph(4, {}, {}), replace(OFF, fading=0.0)
    assert order(question, links, replace(policy, newest_depth=0)) == [0, 1, 2, 3]
    assert order(question, links, replace(policy, newest_depth=2)) == [1, 0, 2, 3]
    assert order(question, links, replace(policy, newest_depth=4)) == [3, 1, 0, 2]
    same_day = replace(question, order=np.full(4, 5.0))
    assert order(same_day, links, policy) == [0, 1, 2, 3]
    much_worse = replace(ask([[3.0, 2.2], [3.0, 0.0]]), order=np.array([1.0, 9.0]))
    assert order(much_worse, graph(2, {}, {}), policy) == [0, 1]
    another_thing = replace(ask([[1.0, 2.0, 0.0], [1.0, 0.0, 1.5]]), order=np.array([1.0, 9.0]))
    assert order(another_thing, graph(2, {}, {}), policy) == [0, 1]


@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=3, max_size=3), min_size=1, max_size=8), st.data()
)
def test_newest_first_only_reorders_the_best(scores: list[list[float]], data: st.DataObject) -> None:
    n = len(scores)
    ages = np.array(data.draw(st.lists(st.sampled_from([0.0, 1.0, 30.0]), min_size=n, max_size=n)))
    question = replace(ask(scores), ages=ages, order=-ages)
    links, policy = graph(n, {}, {}), replace(OFF, fading=0.0)
    plain, newest = (rank(question, links, replace(policy, newest_depth=depth)) for depth in (0, 3))
    assert sorted(plain.tolist()) == sorted(newest.tolist())
    assert set(best_rows(plain, 3).tolist()) == set(best_rows(newest, 3).tolist()) or len(set(plain.tolist())) < n


SCORES = st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=3, max_size=3), min_size=1, max_size=8)
EDGES = st.dictionaries(st.integers(0, 7), st.lists(st.integers(0, 5), max_size=4), max_size=8)


@given(SCORES, EDGES, EDGES, st.lists(st.integers(0, 5), max_size=3, unique=True), st.data())
def test_any_graph_gives_finite_scores_and_bm25_when_all_parts_are_off(
    scores: list[list[float]],
    mentions: dict[int, list[int]],
    titles: dict[int, list[int]],
    named: list[int],
    data: st.DataObject,
) -> None:
    n = len(scores)
    links = graph(n, {u: e for u, e in mentions.items() if u < n}, {u: e for u, e in titles.items() if u < n})
    question = ask(scores, named, in_name=data.draw(st.lists(st.integers(0, 2))), dated=[0])
    ranked = rank(question, links, Policy())
    assert ranked.shape == (n,) and np.isfinite(ranked).all()
    nothing_said = replace(question, stated=(), ages=None, order=None)
    assert rank(nothing_said, links, Policy()).tolist() == ranked.tolist()
    plain = np.array(scores).sum(axis=1)
    assert order(question, links, OFF) == np.lexsort((np.arange(n), -plain)).tolist()
    assert rank(question, links, Policy()).tolist() == ranked.tolist()


@given(SCORES)
def test_discounting_never_lets_a_unit_pass_one_with_the_same_names_and_a_higher_score(
    scores: list[list[float]],
) -> None:
    question = ask(scores, named=[0], in_name=[0, 1, 2])
    ranked = rank(question, graph(len(scores), {}, {0: [0]}), replace(OFF, discount=0.5))
    top = np.array(scores).sum(axis=1).max()
    assert ranked.max() == pytest.approx(1.0 if top else 0.0)


def test_an_empty_index_and_an_empty_question() -> None:
    none = Features(from_dense(np.empty((0, 0))), [], {}, np.empty(0, np.int32))
    assert rank(none, link_mentions(*[from_dense(np.empty((0, 0)))] * 3), Policy()).tolist() == []
    blank = Features(from_dense(np.empty((0, 3))), [], {}, np.empty(0, np.int32))
    assert rank(blank, graph(3, {0: [1]}, {2: [1]}), Policy()).tolist() == [0, 0, 0]


@given(st.lists(st.sampled_from([0.0, 1.0, 2.0])), st.integers(0, 10))
def test_best_is_the_head_of_a_stable_descending_sort(scores: list[float], k: int) -> None:
    expected = sorted(range(len(scores)), key=lambda i: (-scores[i], i))[:k]
    assert best_rows(np.array(scores), k).tolist() == expected


@pytest.mark.parametrize("n", [511, 512, 20_000])
@pytest.mark.parametrize("kinds", [1, 3, 50_000])
def test_best_of_many_is_the_same_with_ties_and_with_hidden_ones(n: int, kinds: int) -> None:
    rng = np.random.default_rng(n + kinds)
    scores = rng.integers(0, kinds, n).astype(float)
    scores[rng.random(n) < 0.3] = -np.inf
    expected = np.lexsort((np.arange(n), -scores))
    for k in (1, 5, 30, n - 1, n):
        assert best_rows(scores, k).tolist() == expected[:k].tolist()


@pytest.mark.parametrize("seed", range(4))
def test_a_walk_of_single_steps_ranks_as_the_matrices_do(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_units, n_entities = 600, 300
    popular = 1 / np.arange(1, n_entities + 1)
    counts = rng.multinomial(7, popular / popular.sum(), n_units).astype(float)
    definitions = np.zeros((n_entities, n_units))
    definitions[rng.permutation(n_entities)[:200], np.arange(200)] = 1
    terms = rng.random((n_units, 5)) * (rng.random((n_units, 5)) < 0.1)
    question = Features(
        from_dense(terms.T), [((7, 40), np.arange(2))], {7: 1.0, 40: 1.0}, np.arange(0, 600, 50, dtype=np.int32)
    )
    links = link_mentions(*map(from_dense, (counts, definitions, counts.T)))
    frequencies = links.units.sizes
    hub = np.where(frequencies > 30, 0.1, 1.0)  # a twentieth of the units
    weights = hub * (np.log((n_units + 1) / np.maximum(frequencies, 1)) + 1)
    for least, off in ((0.0, 1e-12), (1e-5, 0.02)):
        steps = Walk(Step(links.entities, weights, least), Step(links.units, None, least))
        one, other = (rank(question, way, Policy()) for way in (links, replace(links, steps=steps)))
        np.testing.assert_allclose(one, other, atol=off)


def test_every_weight_is_used() -> None:
    links = graph(8, {0: [0, 1], 1: [1], 2: [2], 3: [1, 2], 6: [3], 7: [3]}, {2: [1], 4: [0], 5: [0]})
    terms = [[3.0, 0.0], [0.0, 1.0], [1.6, 1.0], [2.0, 0.0], [1.0, 0.0], [0.9, 0.3], [0.0, 0.9], [1.0, 0.1]]
    ages = np.array([9.0, 0.0, 5.0, 7.0, 1.0, 3.0, 2.0, 0.0])
    asked = ask(terms, named=[0], in_name=[0], dated=[1, 3])
    question = replace(asked, ages=ages, replies=np.arange(8) == 3, stated=stated([2, 5]), meant=np.linspace(0.1, 0, 8))
    question = replace(question, held=np.arange(8) / 8, order=-ages, heeded=np.array([7], np.int32))
    question = replace(question, logged=np.array([2]))
    usual = rank(question, links, Policy())
    for field in fields(Policy):
        value = getattr(Policy(), field.name)
        changed = replace(Policy(), **{field.name: 1 if isinstance(value, int) else value / 2})
        assert rank(question, links, changed).tolist() != usual.tolist(), field.name

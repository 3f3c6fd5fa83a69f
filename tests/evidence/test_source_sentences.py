"""A description leads to the sentences that it was made from."""

from graphrag_lite.evidence.source_sentences import SentenceIndex, SourceSentence

FIRST = "It rained. Alice Smith met Bob Jones in Paris. Then they parted."
SECOND = "Then they parted. Bob Jones founded Acme, a maker of anvils. Alice Smith paid."
UNITS = [("en", 0, FIRST), ("en", len(FIRST) - 17, SECOND)]


def texts(places: list[SourceSentence]) -> list[str]:
    source = FIRST[: len(FIRST) - 17] + SECOND
    return [source[place.start : place.end] for place in places]


def test_the_sentence_that_says_it_is_chosen_over_one_with_the_name_alone() -> None:
    found = SentenceIndex(UNITS).best([0, 1], ["BOB JONES"], "Bob Jones is the founder of Acme, which makes anvils.", 1)
    assert texts(found) == ["Bob Jones founded Acme, a maker of anvils."]


def test_a_pair_is_in_the_sentence_that_names_both() -> None:
    found = SentenceIndex(UNITS).best([0, 1], ["ALICE SMITH", "BOB JONES"], "They know each other.", 1)
    assert texts(found) == ["Alice Smith met Bob Jones in Paris."]
    assert found[0].unit == 0
    units = [
        ("en", 0, "Anna Karlovna danced. The prince with Anna bowed. Prince Paul met the whole court and Karlovna.")
    ]
    found = SentenceIndex(units).best([0], ["ANNA KARLOVNA", "PAUL"], "They danced.", 1)
    assert (found[0].start, found[0].end) == (50, 95)


def test_only_the_named_units_are_read_and_the_overlap_counts_once() -> None:
    evidence = SentenceIndex(UNITS)
    assert texts(evidence.best([1], ["ALICE SMITH"], "", 1)) == ["Alice Smith paid."]
    assert texts(evidence.best([0, 1], ["PARTING"], "They parted.", 2)) == ["Then they parted."]
    assert evidence.best([0, 1], ["ZORBLAX"], "Une autre langue.", 2) == []
    assert evidence.best([], ["BOB JONES"], "Bob.", 2) == []


def test_what_is_too_long_for_a_sentence_is_not_cited() -> None:
    table = "Acme " + "1 2 3 4 5 6 7 8 9 " * 60
    assert SentenceIndex([("en", 0, table)]).best([0], ["ACME"], "Acme makes anvils.", 1) == []

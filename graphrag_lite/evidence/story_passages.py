"""Passages of a story: a sentence that a page tells, with those that follow it and go on."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from graphrag_lite.evidence.report_facts import Fact
from graphrag_lite.evidence.report_statements import Sources
from graphrag_lite.evidence.stories import LEAST_OF, is_astray


def passages(
    chosen: Sequence[Fact],
    stretch: Sequence[int],
    people: Sequence[Collection[str]],
    gender: str,
    sources: Sources,
) -> list[Fact]:
    """Return a passage of each stretch of a story: of facts of it, best first, the first one that goes on, with the
    sentences that follow it, as far as these tell who does what. The first of all stays."""
    found: dict[int, Fact] = {}
    for fact, number in zip(chosen, stretch, strict=True):
        others = {one.location for key, other in found.items() if key != number for one in other.statements}
        if fact.location in others or (
            number in found and (found[number].first is chosen[0].first or len(found[number].statements) >= LEAST_OF)
        ):
            continue
        passage, text = [fact.first], fact.sentence.text
        for one in sources.following(fact.first, others):
            text = f"{text} {one.sentence.text}"
            if is_astray(one.sentence.text, n_named(text, people), gender):
                break
            passage.append(one)
        if number not in found or len(passage) >= LEAST_OF:
            found[number] = replace(fact, statements=tuple(passage))
    return list(found.values())


def n_named(text: str, people: Iterable[Collection[str]]) -> int:
    """Return how many people a text names, each by one of some names."""
    return sum(any(name in text for name in names) for names in people)

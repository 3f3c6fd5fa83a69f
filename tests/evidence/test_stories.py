from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.evidence.key_sentences import Sentence
from graphrag_lite.evidence.report_choice import best_of, own_names
from graphrag_lite.evidence.report_facts import Fact
from graphrag_lite.evidence.stories import TRIED, begins, chapters, dialogue, is_spoken
from graphrag_lite.evidence.story_passages import passages

STORY = (
    "STAVE TWO\n\nTHE FIRST OF THE THREE SPIRITS\n\nScrooge woke.\n\n'Who are you?' said he. It was cold.\n\n'A Ghost.'"
)


@given(st.permutations(range(30)))
def test_a_story_is_told_to_its_end_by_the_best_of_each_stretch(worths: list[int]) -> None:
    told: list[Any] = [SimpleNamespace(sentence=Sentence(f"{n}", frozenset([f"{n}"]), 1, 1.0)) for n in range(30)]
    idf = {f"{n}": 1.0 for n in range(30)}
    chosen = best_of(told, [worth + 1.0 for worth in worths], [False] * 30, True, most=11, idf=idf)
    stretches = range(8), range(8, 15), range(15, 23), range(23, 30)
    best = {stretch: sorted(stretch, key=worths.__getitem__, reverse=True)[:TRIED] for stretch in stretches}
    assert [[i for i in chosen if i in stretch] for stretch in best] == [*best.values()]
    assert chosen[0] == max(range(30), key=worths.__getitem__)


def test_a_passage_is_the_first_of_its_stretch_that_goes_on_and_the_first_of_all_stays() -> None:
    texts = ["Ann rose.", "Ann slept.", "Ann left Bob.", "Bob met Ann.", "He wept.", "Ann ran."]
    goes_on: dict[str, list[str]] = {"Ann left Bob.": ["He wept."], "Ann ran.": ["He fell."], "Bob met Ann.": ["No."]}

    def stated(text: str) -> Any:
        return SimpleNamespace(sentence=Sentence(text, frozenset(), 1, 1.0), location=("d", text))

    facts = [Fact(text, (), (stated(text),), stated(text).sentence) for text in texts]
    sources: Any = SimpleNamespace(
        following=lambda one, _: [stated(text) for text in goes_on.get(one.sentence.text, [])]
    )
    found = passages(facts, [0, 0, 1, 1, 2, 2], [["Ann"], ["Bob"]], "f", sources)
    assert [[one.sentence.text for one in fact.statements] for fact in found] == [
        ["Ann rose."],  # though another of its stretch might go on
        ["Ann left Bob.", "He wept."],  # told once
        ["Ann ran."],  # nobody knows who fell
    ]


def test_what_is_said_in_a_story_is_told_from_what_is_narrated() -> None:
    assert dialogue(STORY) == 2 / 5
    assert dialogue("Rosa weakened.\n\n'It will rain,' she said.\n\nPhoenix waits.\n\nSo does Utah.") == 1 / 4
    assert is_spoken(STORY, STORY.index("It was cold"))
    assert not is_spoken(STORY, STORY.index("Scrooge"))


def test_a_sentence_of_a_story_bears_its_chapter() -> None:
    first, heading = chapters(STORY)[-1]
    assert first == STORY.index("Scrooge") and heading == "The First of the Three Spirits"
    assert chapters("MR. PARSONS RUNS — AND FALLS.\n\nHe ran.") == [(31, "Mr. Parsons Runs")]
    assert chapters("CHAP. II. THE REFORMER.\n\nHe ran.") == [(25, "The Reformer")]
    assert chapters("Chapter 12\n\nHe ran in\nPart 2 of it.") == [(12, "Chapter 12")]
    assert chapters("He ran.\n\nShe fell.") == []


def test_a_scene_is_narrated_at_length_and_may_say_when_it_was() -> None:
    long, late = "Ann rose and left. " * 30, "That evening Ann rose and left. " * 30
    text = f"He slept.\n\n{long}\n\n{late}\n\nAnn rose. 'Why?'"
    places = [text.index(place) for place in (long, late, "Ann rose. 'Why?'", "He slept.")]
    said, said_when, spoken, alone = (begins(text, place, text.index(".", place)) for place in places)
    assert said_when == 2 * said == 8 * spoken == 8 * alone > 0


def test_the_name_of_a_family_is_none_of_one_of_them_alone() -> None:
    family = [
        {"id": name, "title": name, "type": "person", "acronym": ""}
        for name in ("Bob Cratchit", "Mrs. Cratchit", "Ebenezer Fox")
    ]
    assert own_names(family[0], family) == ("Bob Cratchit", "Bob")
    assert own_names(family[2], family) == ("Ebenezer Fox", "Fox", "Ebenezer")

from hypothesis import given
from hypothesis import strategies as st

from graphrag_lite.evidence.stories import chapters, dialogue, is_spoken, spread, worth

STORY = (
    "STAVE TWO\n\nTHE FIRST OF THE THREE SPIRITS\n\nScrooge woke.\n\n'Who are you?' said he. It was cold.\n\n'A Ghost.'"
)


@given(st.permutations(range(30)), st.integers(1, 30))
def test_a_story_is_told_to_its_end_by_the_best_of_each_stretch(ranked: list[int], most: int) -> None:
    chosen = list(spread(ranked, len(ranked), most))
    assert len(chosen) == len({number * most // len(ranked) for number in chosen}) == most
    assert chosen[0] == ranked[0]


def test_what_is_said_in_a_story_is_told_from_what_is_narrated() -> None:
    assert dialogue(STORY) == 2 / 5
    assert dialogue("Rosa weakened.\n\n'It will rain,' she said.\n\nPhoenix waits.\n\nSo does Utah.") == 1 / 4
    assert is_spoken(STORY, STORY.index("It was cold"))
    assert not is_spoken(STORY, STORY.index("Scrooge"))


def test_a_sentence_of_a_story_bears_its_chapter() -> None:
    first, heading = chapters(STORY)[-1]
    assert first == STORY.index("Scrooge") and heading == "The First of the Three Spirits"
    assert chapters("MR. PARSONS RUNS — AND FALLS.\n\nHe ran.") == [(31, "Mr. Parsons Runs")]
    assert chapters("He ran.\n\nShe fell.") == []


def test_what_people_do_is_worth_more_than_how_they_look() -> None:
    people = ["Michael Warden", "Ann"]
    assert worth("Michael Warden attended the great meeting in Yorkshire.", people) == 1.0
    assert worth("Warden bowed his head, and looked at the lamp beside his bed.", people) < 1.0
    assert worth("Michael Warden determined to leave Yorkshire in the morning.", people) > 1.0
    assert worth("The great meeting in Yorkshire was attended by many.", people) == 0.0


def test_people_who_meet_are_told_before_thoughts_and_what_points_back() -> None:
    people = ["Michael Warden", "Ann"]
    met = worth("Michael Warden read Ann the letter of her father in the garden.", people)
    assert met > worth("Michael Warden read his sister the letter of her father then.", people) == 1.0
    assert met > worth("Perhaps Michael Warden would have told Ann of the letter there.", people)
    assert met > worth("Michael Warden told Ann that it had come with the letter then.", people)

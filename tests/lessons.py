"""A text of five people and ten sentences, enough for a community with a report."""

from collections.abc import Sequence
from itertools import combinations

PEOPLE = ("Alice Smith", "Bob Jones", "Carol White", "Dan Brown", "Eve Black")
SKILLS = tuple("skate,cook eel,sail a yacht,mend nets,read charts,carve oak,brew,keep bees,ski,bake".split(","))
ENGLISH = "{} taught {} how to {} in the long winter of {}, because the harbour was closed."
FRENCH = "{} a montré à {} comment on peut {} pendant le long hiver de {}, parce que le port était fermé."


def lessons(sentence: str = ENGLISH, people: Sequence[str] = PEOPLE, skills: Sequence[str] = SKILLS) -> str:
    """Return who taught whom what: `sentence` has places for two people, a skill and a year."""
    pairs = zip(combinations(people, 2), skills, strict=True)
    return " ".join(sentence.format(*pair, skill, 1900 + n) for n, (pair, skill) in enumerate(pairs))

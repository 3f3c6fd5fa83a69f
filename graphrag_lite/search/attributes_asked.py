"""Whether any sentence tells of what a question names what it asks of it: abstention by sentence.

`retrieval/abstention.py` asks whether a passage fits a question as a whole. A passage about somebody does so by the
name, though nobody says how tall she is. So beside the one name of a question some sentence has to hold another word
of it, in any form. Where it asks for an attribute that texts tell in few ways (height, age, marriage), what is read for
the answer has to hold one of these; so it is for a number of things. In a large corpus of passages, a word that no text
holds in any form tells as much in a short question.
"""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag_lite.retrieval import top_k
from graphrag_lite.retrieval.abstention import INFLECTED, MIN_UNITS
from graphrag_lite.retrieval.bm25 import LEAST_STEM, YEAR
from graphrag_lite.retrieval.entity_names import find_mentions
from graphrag_lite.retrieval.other_words import amounts, attributes_told, general_terms, in_other_words, role_terms
from graphrag_lite.search.answer_type import Sought, kind_asked
from graphrag_lite.search.beside_names import (
    beside,
    beside_names,
    has_form,
    is_about,
    is_held,
    rarest,
    text_of,
    together,
)
from graphrag_lite.search.definitions import only_alike, thing_asked
from graphrag_lite.search.sentence_choice import QUANTIFIERS
from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.sentences import sentences
from graphrag_lite.text.words import ASKING, UNSPACED, content_words, terms

if TYPE_CHECKING:
    import numpy.typing as npt

    from graphrag_lite.retrieval.question import Question

    Scores = npt.NDArray[np.floating[Any]]

READ = 12  # best text units that an answer is read from
HOPS = 2  # terms besides a name from which a question may lead on from the document about it to another
WHOLE_NAME = 3  # words of a name that some sentence has to hold together
LEAST_NAME = 3  # letters of a name's word
PART = 0.5  # of a word is an n-gram of a script without spaces
LEAST_BESIDE = 0.1  # of what is asked of a name, by idf: with less beside it nobody tells it
LONG = 8  # terms of a question that holds its name by the way
# Terms of a question of which each counts, where so few of a corpus's words are new (`Bm25.novelty`); and the least
# terms of a text unit: with fewer it is a sentence, and nothing stands beside a name.
SHORT, KNOWN, PASSAGE = 4, 0.05, 15
UNHEARD = 0.3  # of a small corpus, whose next word is new so often: that none of its texts has a word tells nothing
FEW, KNOWN_OF_FEW = 2, 0.1  # with fewer words, each of them counts more
_NUMBER = re.compile(r"[0-9]{3,4}")
# Amounts of time are added up, not told; people are told as what they are, or by the number alone ("31 came").
_HOW_MANY = re.compile(
    r"(?i)how many (?!times\b|people (?!do|work)|(?:minute|hour|day|week|month|year)s?\b)([\w-]+(?: [\w-]+)?)"
)
_ABOUT = re.compile(r"\b(?:say|said|think|decide|write|tell us|mention) (?:\w+ )?about (.+)", re.I)
_PRONOUN = re.compile(r"\b(?:he|she|his|hers?|him|they|their|them|who|whose)\b", re.I)
_OF_MANY = re.compile(r"\b(?:we|our|us|its?|they|their|them|who|whose)\b", re.I)  # of an organization
_HOW_TO = re.compile(r"\W*how (?:do|can|should|could|would) (?:I|we)\b", re.I)
_HOLDER = re.compile(r"\W*who (?:is|was) (?:(?:the|an?) |.*\w['’]s? )([a-z]+)(?: (?:of|for|at|in) .*)?\W*$", re.I)
_OWN = re.compile(r"\b(?:I|my|me|we|our)\b")


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question asks, in terms.

    `thing` is what it asks to define, `told` how texts tell each of the attributes that it asks for, `counted` of what
    it asks how many there are.
    `names` are of what it names, `words` all others that say something, `others` those of them that ask for no
    attribute; `meant` has the words and forms that mean the same as each.
    """

    question: "Question"
    thing: str
    told: Sequence[re.Pattern[str]]
    counted: Set[str]
    names: Set[str]
    words: Set[str]
    others: Set[str]
    meant: Mapping[str, Set[str]]

    def tell(self, texts: Iterable[str]) -> list[bool]:
        """Return for each attribute whether one of some texts tells it."""
        read = list(texts)
        return [any(map(says.search, read)) for says in self.told]


def nothing_told(question: "Question", scores: "Scores") -> bool:
    """Say whether no text unit tells what a question asks of what it names.

    `scores` (n_units,) rank text units. False where that cannot be told: of languages whose words have forms that
    nothing strips, of a question in another language than the texts, where text units are single sentences, and of what
    somebody asks of himself, which may have to be added up.
    """
    index, bm25 = question.index, question.index.bm25
    told_apart = question.language in index.languages and len(bm25.units) >= PASSAGE * bm25.n_units
    if not told_apart:
        return False
    asked = _asked(question)
    if _OWN.search(question.text):
        return _HOW_TO.match(question.text) is not None and _misses_every_word(asked)
    best = [unit for unit in top_k.best_rows(scores, READ).tolist() if scores[unit] > 0]
    if best and index.document_of(best[0])[1] != question.analyzed_in:  # it tells attributes in words of its own
        return False
    if only_alike(question, asked.thing, scores) or _is_nowhere(asked, best) or _is_not_beside_unspaced(asked, best):
        return True
    if question.analyzed_in not in FUNCTION_WORDS:
        return False
    if _is_of_another(asked, scores):
        return True
    inflected = question.analyzed_in != "en" and bm25.novelty[1] >= INFLECTED
    if not inflected and (_misses_a_word(asked) or _misses_its_topic(question) or _is_in_pieces(asked, scores)):
        return True
    names = {term for term in asked.names if bm25.holds(term)}
    if (inflected and not asked.told) or not _asks_of_one(asked, names, best):
        return False
    one = " ".join(question.capitalized) in question.text and not inflected
    split = one and 1 < len(names) <= WHOLE_NAME and not together(index, names, scores)
    return split or _is_not_beside(asked, rarest(bm25, names), scores)


def _asked(question: "Question") -> _Asked:
    counted = _counted(question)
    length = sum(1.0 if not UNSPACED.match(term) else PART for term in question.weights)
    attributes = attributes_told(question.text, question.analyzed_in) if length <= LONG else []
    names = question.names or (set(question.terms_of(" ".join(_known_names(question)))) if attributes else set())
    names = names - counted - general_terms() - role_terms()
    words = {term for term in question.terms if not UNSPACED.match(term)}
    words -= names | ASKING | QUANTIFIERS | general_terms()
    return _Asked(
        question,
        thing=thing_asked(question.as_read),
        told=[says for says, _ in attributes],
        counted=counted,
        names=names,
        words=words,
        others=words.difference(*(asking for _, asking in attributes)),
        meant={term: in_other_words(term, question.analyzed_in) for term in words},
    )


def _is_nowhere(asked: _Asked, best: Iterable[int]) -> bool:
    """Say whether the best text units do not tell an attribute, or no sentence holds what is counted and a number."""
    read = [text_of(asked.question.index, unit) for unit in best]
    if not all(asked.tell(read)):
        return True
    spoken = (text[start:end] for text in read for start, end in sentences(text, "en"))
    return bool(asked.counted) and not any(
        has_form(asked.counted, terms(one, "en")) and Sought().has_count(one) for one in spoken
    )


def _is_not_beside_unspaced(asked: _Asked, best: Sequence[int]) -> bool:
    """Say whether none of the attributes is told beside a name in a script without spaces."""
    index = asked.question.index
    names = _unspaced_names(asked.question, [text_of(index, unit) for unit in best]) if asked.told else ()
    near = (text for unit in best for text, _ in beside(index, unit, frozenset(), names))
    return bool(names) and not any(asked.tell(near))


def _is_of_another(asked: _Asked, scores: "Scores") -> bool:
    """Say whether an attribute of what has no name, or money, is not told beside the rarest word of a question.

    For money all other words stand there, too; half of more than two may lack.
    """
    words, bm25 = asked.others | asked.names, asked.question.index.bm25
    held = {term for term in words if bm25.holds(term)}
    paid = not amounts().isdisjoint(says.pattern for says in asked.told)
    if not asked.told or not held or not (paid or (held.isdisjoint(asked.names) and len(words) <= HOPS)):
        return False
    lacking = len(words) if not paid else len(words) // 2 if len(words) > 2 else 0
    near = list(beside_names(asked.question.index, rarest(bm25, held), set(), scores))
    return bool(near) and not any(
        all(asked.tell([text])) and sum(not has_form(asked.meant.get(term, {term}), own) for term in words) <= lacking
        for text, own in near
    )


def _asks_of_one(asked: _Asked, names: Set[str], best: Iterable[int]) -> bool:
    """Say whether a question asks something of one thing by its `names`, and does not lead on to another document.

    Of two things that it names, it asks what one of them is to the other, but for an attribute: that is of the rarer.
    """
    question = asked.question
    no_name = frozenset(asked.counted) | general_terms() | role_terms()
    called = " ".join(word for word in question.capitalized if not no_name.issuperset(terms(word, "en")))
    of_one = called in question.text.replace("-", " ") or bool(asked.told and not asked.others)
    named = len(question.weights) <= LONG and names and of_one
    if not named or not asked.words:
        return False
    return len(asked.others) <= HOPS or not any(is_about(question.index, unit, names) for unit in best)


def _is_not_beside(asked: _Asked, names: Set[str], scores: "Scores") -> bool:
    """Say whether nothing that stands beside one of some names tells what is asked of it."""
    question = asked.question
    sought, bm25 = {form for term in asked.others for form in asked.meant[term]}, question.index.bm25
    near = list(beside_names(question.index, names, set() if asked.told else sought, scores))
    of_it = (_of_others_left_out(question, text, names) for text, _ in near)
    if asked.counted:
        return not any(Sought().counts(text, asked.counted, question.language) for text in of_it)
    told = asked.tell(of_it)
    if told and not sought:  # how old somebody was who died is told by neither alone
        return not all(told)
    if bm25.novelty[0] > UNHEARD and not any(told) and not is_held(question.index, sought):
        return False
    return not any(told) and all(_share_beside(asked, own) < LEAST_BESIDE for _, own in near)


def _share_beside(asked: _Asked, own: Set[str]) -> float:
    """Return how much of what a question asks of a name stands beside it, by idf: of `own` terms."""
    weight = {term: value for term, value in asked.question.weights.items() if term in asked.others}
    held = fsum(value for term, value in weight.items() if has_form(asked.meant[term], own))
    return held / (fsum(weight.values()) or 1.0)


def _of_others_left_out(question: "Question", text: str, names: Set[str]) -> str:
    """Return what stands beside a name without the sentences that name another of its kind, and neither it nor "he".

    What the index does not know by the name is taken for a person, but where a question asks who does something to it.
    """
    index, language = question.index, question.analyzed_in
    kinds = {index.cell("entities", "type", entity) for entity in question.features.entities}
    kinds = kinds & {"person"} if kind_asked(question.as_read, language) == "person" else kinds or {"person"}
    pronoun = _PRONOUN if "person" in kinds else _OF_MANY

    def names_another(said: str) -> bool:
        if pronoun.search(said) or not names.isdisjoint(terms(said, language)):
            return False
        found = (entity for one in find_mentions(said, language, index.names) for entity in one.entities)
        return any(index.cell("entities", "type", entity) in kinds for entity in found)

    spoken = (text[start:end] for start, end in sentences(text, language))
    return " ".join(said for said in spoken if not names_another(said))


def _is_in_pieces(asked: _Asked, scores: "Scores") -> bool:
    """Say whether a question asks what a thing of several words is that no sentence holds."""
    question = asked.question
    pieces = set(question.terms_of(asked.thing)) - question.names - ASKING - {"number"}
    # "five" may be written "5", and "x" is a letter
    pieces = {term for term in pieces if len(term) > 1 and not Sought().has_count(term)}
    of_another = re.search(r"\w['’]s? ", asked.thing)  # "the landlord's conditions" may be told of her by "she"
    whole = 1 < len(pieces) == len(asked.thing.split()) <= WHOLE_NAME and not of_another
    return whole and not together(question.index, pieces, scores)


def _counted(question: "Question") -> set[str]:
    """Return the term of what a question asks how many there are; none where that may be added up, not told."""
    found = _HOW_MANY.search(question.text)
    return set(terms(found[1], "en")[:1]) if found and question.language == "en" else set()


def _misses_a_word(asked: _Asked) -> bool:
    """Say whether a short question has a word that no text holds, of a large corpus in which few words are new.

    A number that is no year ("error 502", "SUP-4106") tells as much in a small one, and so do all words that say
    something.
    """
    question, bm25 = asked.question, asked.question.index.bm25
    n_asked = len(question.weights.keys() - QUANTIFIERS)
    if n_asked > SHORT:
        return False
    if _misses_every_word(asked):
        return True
    numbers = (term for term in question.weights if _NUMBER.fullmatch(term) and not YEAR.fullmatch(term))
    if not all(map(bm25.holds, numbers)):
        return True
    held_by = _HOLDER.match(question.text)
    role = [form for term in question.terms_of(held_by[1]) for form in in_other_words(term, "en")] if held_by else []
    if role and not is_held(question.index, role):
        return True
    if bm25.n_units < MIN_UNITS or bm25.novelty[0] > (KNOWN if n_asked > FEW else KNOWN_OF_FEW):
        return False
    if any(len(name) >= LEAST_NAME and not bm25.holds(name) for name in asked.names):
        return True
    long = (meant for meant in asked.meant.values() if min(map(len, meant)) >= LEAST_STEM)
    return any(not is_held(question.index, meant) for meant in long)


def _misses_its_topic(question: "Question") -> bool:
    """Say whether no text holds a word of what a question asks "about", or a year for which it asks a number.

    A year in which documents are dated counts as held.
    """
    index = question.index
    topic = _ABOUT.search(question.text)
    own = set(question.terms_of(topic[1])) - ASKING if topic else set()
    if own and not is_held(index, (form for term in own for form in in_other_words(term, question.language))):
        return True
    years = [int(term) for term in question.weights if YEAR.fullmatch(term) and not index.bm25.holds(term)]
    if not years or kind_asked(question.text, question.language) != "number":
        return False
    dated = {date.fromordinal(int(day)).year for day in np.unique(index.days[~np.isnan(index.days)])}
    return not dated.issuperset(years)


def _misses_every_word(asked: _Asked) -> bool:
    """Say whether no text holds any word that says something, in any form: "How do I make pancakes?"."""
    said = [asked.meant.get(term, {term}) for term in asked.names | asked.words]
    forms = (form for meant in said for form in meant)
    return bool(said) and not asked.told and not is_held(asked.question.index, forms)


def _known_names(question: "Question") -> tuple[str, ...]:
    """Return the names of entities in a question, as it writes them."""
    found = find_mentions(question.text, question.language, question.index.names)
    return tuple(question.text[one.start : one.end] for one in found)


def _unspaced_names(question: "Question", texts: Iterable[str]) -> tuple[str, ...]:
    """Return the names in a question in a script without spaces, else words of it that a text has; of another none."""
    if not UNSPACED.search(question.text):
        return ()
    words = (word for word in content_words(question.text, question.language) if len(word) >= LEAST_NAME)
    return _known_names(question) or tuple(word for word in words if any(word in text for text in texts))

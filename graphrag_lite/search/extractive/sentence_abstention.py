"""Whether any sentence tells of what a question names what it asks of it: abstention by sentence.

`retrieval/abstention.py` asks whether a passage fits a question as a whole. A passage about somebody does so by the
name, though nobody says how tall she is. So beside the one name of a question some sentence has to hold another word
of it, in any form. Where it asks for an attribute that texts tell in few ways (height, age, marriage), one of these has
to stand close to the name; so it is for a number of things. In a large corpus, a word that no text holds tells as much.
"""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag_lite.retrieval import top_k
from graphrag_lite.retrieval.abstention import INFLECTED
from graphrag_lite.retrieval.bm25 import LEAST_STEM, MIN_UNITS, YEAR
from graphrag_lite.retrieval.other_words import amounts, general_terms, in_other_words, pronouns, role_terms
from graphrag_lite.retrieval.question import NOUNS_HAVE_CAPITALS
from graphrag_lite.retrieval.question_kinds import ASKS_FOR_YEAR, STATES_YEAR
from graphrag_lite.search.extractive.answer_type import Sought
from graphrag_lite.search.extractive.beside_names import (
    LEAST_NAME,
    Beside,
    apart_from_names,
    beside,
    beside_names,
    has_form,
    is_about,
    is_held,
    labels,
    of_names,
    rarest,
    text_of,
    together,
    unspaced_names,
)
from graphrag_lite.search.extractive.definitions import only_alike
from graphrag_lite.search.extractive.number_abstention import (
    is_of_another_year,
    is_of_no_version,
    is_of_no_year,
    tells_number,
)
from graphrag_lite.search.extractive.sentence_choice import QUANTIFIERS
from graphrag_lite.search.extractive.speaker_abstention import is_of_another_speaker
from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.sentences import sentences
from graphrag_lite.text.times import ANY_MONTH
from graphrag_lite.text.words import ASKING, UNSPACED, WORD_PATTERN, terms

if TYPE_CHECKING:
    import numpy.typing as npt

    from graphrag_lite.retrieval.question import Question

    Scores = npt.NDArray[np.floating[Any]]

READ = 12  # best text units that an answer is read from
HOPS = 2  # terms besides a name from which a question may lead on from the document about it to another
WHOLE_NAME = 3  # words of a name that some sentence has to hold together
# Characters between a name, "he" or "It", and what tells an attribute of it, at most. Told of a name alone, it is 48 at
# most over 12 sets; farther off, where a name stands in 20 sentences, nearly every attribute is told of something else.
CLOSE, CLOSE_TO_HE, CLOSE_TO_IT = 60, 10, 25
CLOSE_BEHIND = 40  # of where the sentence behind a name's begins
PART = 0.5  # of a word is an n-gram of a script without spaces
LEAST_BESIDE = 0.1  # of what is asked of a name, by idf: with less beside it nobody tells it
LEAST_APART = 0.5  # of it, apart from the name in a document that has it: with so much there it may be told
LONG = 8  # terms of a question that holds its name by the way
# Terms of a question of which each counts, where so few of a corpus's words are new (`Bm25.novelty`); and the least
# terms of a text unit: with fewer it is a sentence, and nothing stands beside a name.
SHORT, KNOWN, PASSAGE = 4, 0.05, 15
UNHEARD = 0.3  # of a small corpus, whose next word is new so often: that none of its texts has a word tells nothing
FEW, KNOWN_OF_FEW = 2, 0.1  # with fewer words, each of them counts more
_NUMBER = re.compile(r"[0-9]{3,4}|[0-9]+\.[0-9]+")
# Amounts of time are added up, not told; people are told as what they are, or by the number alone ("31 came").
_HOW_MANY = re.compile(
    r"(?i)how many (?!times\b|people (?!do|work)|(?:minute|hour|day|week|month|year)s?\b)([\w-]+(?: [\w-]+)?)"
)
_ONE = re.compile(r"\b(?:he|she|his|hers?|him)\b", re.I)
_LEANS = re.compile(r"\A\W*(?:its?|they|their|the|this)\b", re.I)
_WORD = re.compile(WORD_PATTERN)
_MONTH_OF = re.compile(rf"(?<!\w)(?:{ANY_MONTH})(?=\.? \d)", re.I)
_HOW_TO = re.compile(r"\W*how (?:do|can|should|could|would) (?:I|we)\b", re.I)
_HOLDER = re.compile(r"\W*who (?:is|was) (?:(?:the|an?) |.*\w['’]s? )([a-z]+)(?: (?:of|for|at|in) .*)?\W*$", re.I)
_ROW = re.compile(r"(?<!\w)[^\W\d_a-zß-ÿ][\w.-]*(?: [^\W\d_a-zß-ÿ][\w.-]*)+")
_PARTICLES = re.compile(
    r" (?:(?:von|van|der|den|de|da|di|du|del|della|la|le|zu|bin|ibn|al|of|the) )+(?=[^\W\d_a-zß-ÿ])"
)
_OWN = re.compile(r"\b(?:I|my|me|we|our)\b")


@dataclass(frozen=True, slots=True)
class _ParsedQuestion:
    """What a question asks, in terms.

    `called` are the names in it, `thing` is what it asks to define, `patterns` how texts tell each of the attributes
    that it asks for, `asking` are the terms that ask for them; `year`: it asks for a year. `counted` is of what it asks
    how many there are, `names` are of what it names, `words` all others that say something, `others` those of them that
    ask for no attribute; `meant` has the words and forms that mean the same as each.
    """

    question: "Question"
    called: Sequence[str]
    thing: str
    patterns: Sequence[re.Pattern[str]]
    counted: Set[str]
    names: Set[str]
    words: Set[str]
    others: Set[str]
    meant: Mapping[str, Set[str]]
    asking: frozenset[str]
    year: bool

    def tell(self, texts: Iterable[str]) -> list[bool]:
        """Return for each attribute whether one of some texts tells it."""
        read = list(texts)
        return [any(map(says.search, read)) for says in self.patterns]


def is_unanswerable(question: "Question", scores: "Scores") -> bool:
    """Say whether no text unit tells what a question asks of what it names.

    `scores` (n_units,) rank text units. False where that cannot be told: of languages whose words have forms that
    nothing strips, of a question in another language than the texts, where text units are single sentences, and of what
    somebody asks of himself, which may have to be added up.
    """
    index, bm25, parsed = question.index, question.index.bm25, _parse(question)
    best = [unit for unit in top_k.best_rows(scores, READ).tolist() if scores[unit] > 0]
    if len(bm25.units) < PASSAGE * bm25.n_units:
        return index.languages == [""] and parsed.asking.isdisjoint(labels(index, best)) and _is_nowhere(parsed, best)
    if _OWN.search(question.text):
        return _HOW_TO.match(question.text) is not None and _misses_every_word(parsed)
    if is_of_another_speaker(question) or is_of_no_year(question) or is_of_no_version(question, scores):
        return True
    if question.language not in index.languages or (best and index.document_of(best[0])[1] != question.analyzed_in):
        return _is_unstated_across_languages(parsed, scores)  # in words of its own
    names = {term for term in parsed.names if bm25.holds(term)}
    of_one = _asks_of_one(parsed, names, best)
    if is_of_another_year(question, parsed.patterns, of_names(index, best, names) if of_one else best):
        return True
    if only_alike(question, parsed.thing, scores) or _is_nowhere(parsed, best) or _is_not_beside_unspaced(parsed, best):
        return True
    if question.analyzed_in not in FUNCTION_WORDS:
        return False
    if _is_of_another(parsed, scores):
        return True
    inflected = question.analyzed_in != "en" and bm25.novelty[1] >= INFLECTED
    if not inflected and (_misses_a_word(parsed) or _is_in_pieces(parsed, scores)):
        return True
    if (inflected and not parsed.patterns) or not of_one:
        return False
    called = " ".join(question.capitalized)
    one = called in _PARTICLES.sub(" ", question.text) and not inflected and 1 < len(names) <= WHOLE_NAME
    return (one and not together(index, names, scores)) or _is_not_beside(parsed, rarest(bm25, names), scores)


def _parse(question: "Question") -> _ParsedQuestion:
    counted, called = _counted(question), _called(question)
    length = sum(1.0 if not UNSPACED.match(term) else PART for term in question.weights)
    attributes = question.attributes if length <= LONG else []
    names = question.names or (set(question.terms_of(" ".join(called))) if attributes else set())
    dates = question.terms_of(" ".join(_MONTH_OF.findall(question.text)))
    names = names.difference(counted, general_terms(), role_terms(), dates)
    words = {term for term in question.terms if not UNSPACED.match(term)}
    words -= names | ASKING | QUANTIFIERS | general_terms()
    words -= set(question.terms_of(" ".join(question.wording.frame + question.wording.light)))
    asking = frozenset[str]().union(*(own for _, own in attributes))
    return _ParsedQuestion(
        question,
        called,
        thing=question.definition.thing,
        patterns=[says for says, _ in attributes],
        counted=counted,
        names=names,
        words=words,
        others=words - asking,
        meant={term: in_other_words(term, question.analyzed_in) for term in words},
        asking=asking,
        year=ASKS_FOR_YEAR.search(question.as_read) is not None,
    )


def _called(question: "Question") -> list[str]:
    """Return the names in a question: known ones, and words with a capital, in a row where all nouns have one."""
    if question.language in NOUNS_HAVE_CAPITALS:
        return [*question.known_names, *_ROW.findall(question.text.partition(" ")[2])]
    return [*question.known_names, *question.capitalized]


def _is_nowhere(parsed: _ParsedQuestion, best: Iterable[int]) -> bool:
    """Say whether the best text units do not tell an attribute, or no sentence holds what is counted and a number."""
    read = [text_of(parsed.question.index, unit) for unit in best]
    if not all(parsed.tell(read)):
        return True
    spoken = ([text[start:end] for start, end in sentences(text, "en")] for text in read)
    return bool(parsed.counted) and not any(
        Sought().has_count(sentence) and _tells_count(parsed, before, sentence)
        for one in spoken
        for before, sentence in pairwise(("", *one))
    )


def _tells_count(parsed: _ParsedQuestion, before: str, sentence: str) -> bool:
    """Say whether a number is of what is counted, which its sentence has, or the one `before`: "200 were printed"."""
    own = terms(sentence, "en")
    elsewhere = has_form(parsed.counted, terms(before, "en")) and not parsed.others.isdisjoint(own)
    return has_form(parsed.counted, own) or (elsewhere and Sought().counts(sentence, parsed.others, "en"))


def _is_not_beside_unspaced(parsed: _ParsedQuestion, best: Sequence[int]) -> bool:
    """Say whether no attribute, or no year, is told beside a name in a script without spaces."""
    index = parsed.question.index
    if not parsed.patterns and not parsed.year:
        return False
    names = unspaced_names(parsed.question, parsed.asking, [text_of(index, unit) for unit in best])
    near = [one.text for unit in best for one in beside(index, unit, frozenset(), names, reach=1)] if names else []
    if not names or (parsed.year and not any(map(STATES_YEAR.search, near))):
        return bool(names)
    called = re.compile("|".join(map(re.escape, names)))  # a man's name may end in "husband"
    return bool(parsed.patterns) and not any(parsed.tell(called.sub(" ", text) for text in near))


def _is_of_another(parsed: _ParsedQuestion, scores: "Scores") -> bool:
    """Say whether an attribute of what has no name, or money, is not told beside the rarest word of a question.

    For money all other words stand there, too; half of more than two may lack.
    """
    words, bm25 = parsed.others | parsed.names, parsed.question.index.bm25
    held = {term for term in words if bm25.holds(term)}
    paid = not amounts().isdisjoint(says.pattern for says in parsed.patterns)
    if not parsed.patterns or not held or not (paid or (held.isdisjoint(parsed.names) and len(words) <= HOPS)):
        return False
    lacking = len(words) if not paid else len(words) // 2 if len(words) > 2 else 0
    near = list(beside_names(parsed.question.index, rarest(bm25, held), set(), scores))
    return bool(near) and not any(
        all(parsed.tell([one.text]))
        and sum(not has_form(parsed.meant.get(term, {term}), one.terms) for term in words) <= lacking
        for one in near
    )


def _asks_of_one(parsed: _ParsedQuestion, names: Set[str], best: Iterable[int]) -> bool:
    """Say whether a question asks something of one thing by its `names`, and does not lead on to another document.

    Of two things that it names, it asks what one of them is to the other, but for an attribute: that is of the rarer.
    """
    question = parsed.question
    no_name = frozenset(parsed.counted) | general_terms() | role_terms()
    capitals = question.capitalized if question.names else parsed.called[-1:]
    called = " ".join(word for word in capitals if not no_name.issuperset(terms(word, "en")))
    text = _PARTICLES.sub(" ", question.text.replace("-", " ").replace(",", ""))
    of_one = called in text or bool(parsed.patterns and not parsed.others)
    leads_on = len(parsed.others) > HOPS and any(is_about(question.index, unit, names) for unit in best)
    return bool(names and parsed.words and of_one) and len(question.weights) <= LONG and not leads_on


def _is_unstated_across_languages(parsed: _ParsedQuestion, scores: "Scores") -> bool:
    """Say whether texts in another language than a question's tell no attribute of its names, as it writes them."""
    index = parsed.question.index
    names = {name for name in parsed.names if index.bm25.holds(name)}
    if not parsed.patterns or not names:
        return False
    near = beside_names(index, rarest(index.bm25, names), set(), scores)
    return not any(_is_stated(parsed, says, one, names) for one in near for says in parsed.patterns)


def _is_not_beside(parsed: _ParsedQuestion, names: Set[str], scores: "Scores") -> bool:
    """Say whether nothing that stands beside one of some names tells what is asked of it."""
    question = parsed.question
    sought, bm25 = {form for term in parsed.others for form in parsed.meant[term]}, question.index.bm25
    near = list(beside_names(question.index, names, set() if parsed.patterns else sought, scores))
    if parsed.counted:
        rest = replace(parsed, others=parsed.others - parsed.counted)
        near += _texts_apart(rest, names, sought, scores)
        words = [parsed.counted, *(parsed.meant[term] for term in sorted(rest.others))] if rest.others else []
        return not any(Sought().counts(one.text, parsed.counted, "en") or tells_number(one.text, words) for one in near)
    stated = [any(_is_stated(parsed, says, one, names) for one in near) for says in parsed.patterns]
    if parsed.year and not any(STATES_YEAR.search(one.text) for one in near):
        return True
    if stated and not sought:  # how old somebody was who died is told by neither alone
        return not all(stated)
    if bm25.novelty[0] > UNHEARD and not any(stated) and not is_held(question.index, sought):
        return False
    if any(stated) or any(_share_beside(parsed, one.terms) >= LEAST_BESIDE for one in near):
        return False
    return bool(stated) or not _texts_apart(parsed, names, sought, scores)


def _texts_apart(parsed: _ParsedQuestion, names: Set[str], sought: Set[str], scores: "Scores") -> list[Beside]:
    """Return what holds most of what is asked of some names apart from them, in documents that have one."""
    apart = apart_from_names(parsed.question.index, names, sought, scores) if sought else ()
    return [one for one in apart if _share_beside(parsed, one.terms) > LEAST_APART]


def _share_beside(parsed: _ParsedQuestion, own: Set[str]) -> float:
    """Return how much of what a question asks of a name stands beside it, by idf: of `own` terms."""
    weight = {term: value for term, value in parsed.question.weights.items() if term in parsed.others}
    held = fsum(value for term, value in weight.items() if has_form(parsed.meant[term], own))
    return held / (fsum(weight.values()) or 1.0)


def _is_stated(parsed: _ParsedQuestion, says: re.Pattern[str], found: Beside, names: Set[str]) -> bool:
    """Say whether an attribute is told of a name: close to it, to "he", or to the "It" that a sentence begins with.

    In a text that is on what has the name it is told anywhere. In other languages than English, a sentence behind the
    name may leave out what it is on, or put a word there for it.
    """
    question = parsed.question
    if found.of_it:
        return says.search(found.text) is not None
    english = question.analyzed_in == "en"
    texts = [found.text[start:end] for start, end in sentences(found.text, question.analyzed_in)]
    for before, sentence in pairwise(("", *texts)):
        tells = [tell.span() for tell in says.finditer(sentence)]
        if not tells or (parsed.year and not STATES_YEAR.search(sentence)):
            continue
        close = [(span, CLOSE) for span in _of_names(sentence, names, question)]
        close += [(word.span(), CLOSE_TO_HE) for word in (_ONE if english else pronouns()).finditer(sentence)]
        if english:
            close += [(word.span(), CLOSE_TO_IT) for word in _LEANS.finditer(sentence)]
        elif _of_names(before, names, question):
            close.append(((0, 0), CLOSE_BEHIND))
        for first, last in tells:
            if any(max(first - end, start - last) <= reach for (start, end), reach in close):
                return True
    return False


def _of_names(text: str, names: Set[str], question: "Question") -> list[tuple[int, int]]:
    """Return where the words of a text are that are of a name, with a capital where the question's has one."""
    found = ((word, terms(word[0], question.analyzed_in)) for word in _WORD.finditer(text))
    any_case = question.names.isdisjoint
    return [
        word.span() for word, own in found if not names.isdisjoint(own) and (not word[0].islower() or any_case(own))
    ]


def _is_in_pieces(parsed: _ParsedQuestion, scores: "Scores") -> bool:
    """Say whether a question asks what a thing of several words is that no sentence holds."""
    question = parsed.question
    pieces = set(question.terms_of(parsed.thing)) - question.names - ASKING - {"number"}
    # "five" may be written "5", and "x" is a letter
    pieces = {term for term in pieces if len(term) > 1 and not Sought().has_count(term)}
    of_another = (
        re.search(r"\w['’]s? ", parsed.thing) is not None
    )  # "the landlord's conditions" may be told of her by "she"
    of_another = of_another or not pieces.isdisjoint(question.as_one)  # "bodyLimit"
    whole = 1 < len(pieces) == len(parsed.thing.split()) <= WHOLE_NAME and not of_another
    return whole and not together(question.index, pieces, scores)


def _counted(question: "Question") -> set[str]:
    """Return the term of what a question asks how many there are; none where that may be added up, not told."""
    found = _HOW_MANY.search(question.text)
    return set(terms(found[1], "en")[:1]) if found and question.language == "en" else set()


def _misses_a_word(parsed: _ParsedQuestion) -> bool:
    """Say whether a short question has a word that no text holds, of a large corpus in which few words are new.

    A number that is no year ("error 502", "SUP-4106") tells as much in a small one, and so do all words that say
    something.
    """
    question, bm25 = parsed.question, parsed.question.index.bm25
    n_terms = len(question.weights.keys() - QUANTIFIERS)
    if n_terms > SHORT:
        return False
    if _misses_every_word(parsed):
        return True
    numbers = (term for term in question.weights if _NUMBER.fullmatch(term) and not YEAR.fullmatch(term))
    if not all(map(bm25.holds, numbers)):
        return True
    held_by = _HOLDER.match(question.text)
    role = [form for term in question.terms_of(held_by[1]) for form in in_other_words(term, "en")] if held_by else []
    if role and not is_held(question.index, role):
        return True
    if bm25.n_units < MIN_UNITS or bm25.novelty[0] > (KNOWN if n_terms > FEW else KNOWN_OF_FEW):
        return False
    if any(len(name) >= LEAST_NAME and not bm25.holds(name) for name in parsed.names):
        return True
    long = (meant for meant in parsed.meant.values() if min(map(len, meant)) >= LEAST_STEM)
    return any(not is_held(question.index, meant) for meant in long)


def _misses_every_word(parsed: _ParsedQuestion) -> bool:
    """Say whether no text holds any word that says something, in any form: "How do I make pancakes?"."""
    meanings = [parsed.meant.get(term, {term}) for term in parsed.names | parsed.words]
    forms = (form for meant in meanings for form in meant)
    return bool(meanings) and not parsed.patterns and not is_held(parsed.question.index, forms)

"""What kind of thing a question asks for, and which sentences hold one.

An answer to "When was it launched?" says a date, one to "Who directs it?" names somebody (answer typing: Li and Roth,
COLING 2002; here by question words alone, nothing is learned).
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import dropwhile, takewhile
from typing import TYPE_CHECKING

from graphrag_lite.retrieval.entity_names import find_mentions
from graphrag_lite.retrieval.other_words import in_other_words
from graphrag_lite.retrieval.question_kinds import ASKS_FOR_STATEMENT, HOW_MANY, Kind
from graphrag_lite.search.extractive.code_names import holds_name
from graphrag_lite.search.extractive.definitions import defines, names_holder
from graphrag_lite.text.folding import fold, unaccented
from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.times import ANY_MONTH
from graphrag_lite.text.word_lists import expressions
from graphrag_lite.text.words import UNSPACED, WORD_PATTERN, terms

if TYPE_CHECKING:
    from graphrag_lite.retrieval.bm25 import Bm25
    from graphrag_lite.retrieval.features import Features
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

_FORMS = expressions(__package__, "sentence_choice.txt")
_WHY, _AMOUNT = re.compile(_FORMS["why"], re.I), re.compile(_FORMS["amount"])
SAYING = frozenset(("say", "said", "tell", "told", "think", "explain", "announc", "report"))
DENIED = re.compile(r"(?:\b(?:not|never|no longer|nicht|nie)|n['’]t) (\w+)")
_WORD = re.compile(WORD_PATTERN)
_MONTH = rf"(?:{ANY_MONTH})(?!\w)"
_TIME = re.compile(  # of folded texts
    r"(?<!\d)[12]\d{3}(?!\d)|\d\s?[年月日世]|\d:\d\d|centur(?:y|ies)\b|jahrhundert|siecle|siglo|seculo|the ky|"
    rf"(?<!\w)(?:{_MONTH}\.? \d|\d{{1,2}} {_MONTH})",
)
# No number is one of a name ("V3", "Apollo 11"), nor a year.
_NUMBER = re.compile(
    r"(?<![A-Za-z\d_.-])\d[\d.,]*|[〇一二三四五六七八九十百千万萬億亿]+"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w{3,5}teen|twenty|(?:thir|for|fif|six|seven|eigh|nine)ty"
    r"|dozen|hundred|thousand|[mb]illion)\b",
    re.I,
)
_STOP = re.compile(r"[,;:.!?()]")
WITHIN_WORDS = str.maketrans(dict.fromkeys("-'’", " "))
PUNCTUATION = ".,;:!?()[]{}'\"“”‘’«»…-–—"
REACH, NEAR = 60, 6  # characters before and behind a number that are looked at; in scripts without spaces
_YEAR = re.compile(r"(?:1[1-9]|20)\d\d\D?")
# "1.2.3", "v2", or a number behind a word of the question: "Java 8".
_VERSION = re.compile(r"(?<![\w.])v?\d{1,4}(?:\.\d+)+|(?<!\w)v\d+(?!\w)")
_NUMBERED = re.compile(r"([^\W\d_]+)[ -](\d{1,3})(?![\w.,:/-]?\d)")
_SECTION, _DIGITS = re.compile(r"\A[#\s]*\d+(?:\.\d+)*\.\s"), re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Sought:
    """What an answer is to hold beside the terms of its question: a kind of thing, or what things are.

    `words` are the question's as it writes them, in lower case, or as the texts' language does; it has `n_words`.
    `named` are the entities that it names: neither is an answer. `things` are names of what it asks the definition of,
    `role` are the forms of a role of which it asks who has it;
    `amount` is the first word of what the amount is called that it asks for;
    `how_many`: it asks for a count, of what one of the terms `counted` calls; `newest`: each document may tell anew;
    `why`: for a reason; `affirms`: for that or a `kind`, of what it does not deny.
    `idle` are terms of it that say next to nothing, `names` those of names.
    `others` are terms that mean the same as a term of it, `attributes` how texts tell those that it asks for, with the
    terms that ask. `within` says of a text unit and a character of its document whether a message that may be told has
    it, of which questions are told, too.
    """

    kind: Kind = ""
    words: frozenset[str] = frozenset()
    n_words: int = 0
    named: Collection[int] = frozenset()
    things: tuple[str, ...] = ()
    role: tuple[str, ...] = ()
    amount: str = ""
    how_many: bool = False
    counted: frozenset[str] = frozenset()
    newest: bool = False
    why: bool = False
    affirms: bool = False
    idle: Set[str] = frozenset()
    names: Set[str] = frozenset()
    others: Sequence[tuple[str, Set[str]]] = ()
    attributes: Sequence[tuple[re.Pattern[str], frozenset[str]]] = ()
    within: Callable[[int, int], bool] | None = None

    def is_defined(self, sentence: str) -> bool:
        """Say whether a sentence says by its form what the thing is, or who has the role."""
        return names_holder(sentence, self.role, self.words) if self.role else defines(sentence, self.things)

    def in_other_words(self, sentence: str, own: Set[str]) -> set[str]:
        """Return the terms asked for that a sentence with the terms `own` says in other words."""
        found = {term for term, others in self.others if term not in own and not others.isdisjoint(own)}
        return found.union(*(asking_terms for says, asking_terms in self.attributes if says.search(sentence)))

    def may_be_paraphrased(self, term: str, bm25: "Bm25") -> bool:
        """Say whether texts may tell in other words what a term of the question asks, that none of them holds."""
        others = (other for one, words in self.others if one == term for other in words)
        return any(term in asking_terms for _, asking_terms in self.attributes) or any(map(bm25.holds, others))

    def is_held(self, index: "SnapshotView", sentence: str, language: str) -> bool:
        """Say whether a sentence holds a thing of the kind that is asked for."""
        if self.kind == "time":
            return _TIME.search(unaccented(fold(sentence))) is not None
        if self.kind == "number":
            # "how much did it cost": an amount of money
            stated = (says.search(sentence) for says, _ in self.attributes)
            return self.has_count(sentence) and (not self.attributes or any(stated))
        if self.kind == "code":
            return holds_name(sentence, self.words)
        if self.kind == "version":
            found = _VERSION.findall(_SECTION.sub("", sentence))
            found += (number for word, number in _NUMBERED.findall(sentence) if word.casefold() in self.words)
            return any(not self.words.issuperset(_DIGITS.findall(version)) for version in found)
        others = self._named_beside(index, sentence, language) if self.kind else ()
        return any(index.cell("entities", "type", entity) == self.kind for entity in others)

    def names_any(self, index: "SnapshotView", sentence: str, language: str) -> bool:
        """Say whether a sentence names something that the question does not."""
        return any(True for _ in self._named_beside(index, sentence, language))

    def _named_beside(self, index: "SnapshotView", sentence: str, language: str) -> Iterator[int]:
        """Yield the entities that a sentence names and the question does not."""
        mentions = find_mentions(sentence, language, index.names)
        return (entity for mention in mentions for entity in mention.entities if entity not in self.named)

    def states_amount(self, sentence: str) -> bool | None:
        """Say whether a sentence states the amount that is asked for: None where it only tells a part's, or another's.

        >>> texts = ("Cloud revenue was $36.", "Now, revenue was $64.", "Its revenue rose.", "Bo's cloud revenue fell.")
        >>> [Sought(amount="revenue").states_amount(text) for text in texts]
        [None, True, False, None]
        """
        before = re.findall(rf"(?i)([\w-]*\s*)\b{self.amount}\b", sentence) if self.amount else []
        if not before:
            return False
        bare = re.search(rf"(?i)(?:{_FORMS['unowned']}){self.amount}\b({_FORMS['states']})?", sentence)
        named = bare or any(word.strip().casefold() in self.words for word in before)
        return bool(bare and bare[1]) if named else None

    def has_count(self, sentence: str) -> bool:
        """Say whether a sentence holds a number that counts something."""
        return any(self._is_count(sentence, number) for number in _NUMBER.finditer(sentence))

    def _is_count(self, text: str, number: re.Match[str]) -> bool:
        """Say whether a number is no year, none of the question, and none of a name, as in "Office 365"."""
        before = text[max(0, number.start() - REACH) : number.start()].split()[-2:]
        of_name = len(before) == 2 and before[-1][0].isupper() and before[-1].isalpha()
        return not of_name and number[0].strip(".,").casefold() not in self.words and not _YEAR.fullmatch(number[0])

    def counts(self, sentence: str, counted: Set[str], language: str) -> bool:
        """Say whether a sentence says how many of what is `counted`: a number, and such a term among its next words.

        >>> texts = ("Five of the ships sank.", "The ships sank in 1943.", "Nineteen thousand ships.", "1012 ships.")
        >>> [Sought().counts(text, {"ship"}, "en") for text in texts]
        [True, False, True, True]
        >>> Sought().counts("乗客214人にけがはなかった。", {"乗客"}, "ja")
        True
        """
        numbers = [number for number in _NUMBER.finditer(sentence) if self._is_count(sentence, number)]
        if UNSPACED.search(sentence):  # what is counted may stand before it, too
            near = (sentence[max(0, one.start() - NEAR) : one.end() + NEAR] for one in numbers)
            return any(not counted.isdisjoint(terms(text, language)) for text in near)
        after = (_STOP.split(sentence[number.end() : number.end() + REACH])[0] for number in numbers)
        return any(not counted.isdisjoint(terms(" ".join(_WORD.findall(text)[:3]), language)) for text in after)

    def shares_words(self, sentence: str) -> float:
        """Return the share of the question's words that a sentence holds as they are written there.

        >>> Sought(words=frozenset({"warn", "ghost"}), n_words=2).shares_words("I warn you, said the Spirit.")
        0.5
        """
        if not self.words:
            return 0.0
        own = (word.strip(PUNCTUATION) for word in sentence.casefold().translate(WITHIN_WORDS).split())
        return min(1.0, len(self.words.intersection(own)) / self.n_words)


def expected_answer(question: "Question", features: "Features | None" = None) -> Sought:
    """Return what an answer to a question is to hold; without its `features`, names in it are words as others are."""
    index, text = question.index, question.as_read
    kind, named = question.kind, features.entities if features else {}
    words = dict.fromkeys(word.casefold() for word in question.content)
    others = {form for word in words for _, form in question.translated(word)}
    role = question.definition.roles if kind == "person" else ()
    thing = "" if role else question.definition.thing
    mentions = find_mentions(thing, question.language, index.names) if features else []
    same = (entity for one in mentions if one.end - one.start == len(thing) for entity in one.entities)
    things = [thing, *(index.cell("entities", "title", entity) for entity in same)] if thing else []
    return Sought(
        kind=kind,
        words=frozenset(others).union(words),
        n_words=len(words),
        named=frozenset(named),
        things=tuple(dict.fromkeys(things)),
        role=role,
        amount=amount[1] or amount[2] if kind == "number" and (amount := _AMOUNT.search(text)) else "",
        how_many=(count := HOW_MANY.search(text)) is not None,
        counted=frozenset(question.terms_of(_counted(text[count.end() :], question.language)))
        if count
        else frozenset(),
        idle=(SAYING if ASKS_FOR_STATEMENT.search(text) else frozenset()).union(
            terms(" ".join(question.wording.light), question.analyzed_in)
        ),
        names=features.name_terms if features else frozenset(),
        why=(why := _WHY.search(text) is not None),
        affirms=(why or kind != "") and not DENIED.search(text),
        others=(
            *((term, in_other_words(term, question.analyzed_in)) for term in question.terms),
            *question.other_words.items(),
            *question.as_one.items(),
            *_number_forms(question),
        ),
        attributes=question.attributes,
        newest=(kind == "number" or bool(thing) or (bool(role) and " is " in text) or question.asks_now)
        and bool(features and not features.stated)
        and index.is_dated,
    )


def _counted(behind: str, language: str) -> str:
    """Return what is counted of what stands behind "how many".

    >>> _counted(" commercial seats were there?", "en"), _counted(" de Chinois vivent à Lyon ?", "fr")
    ('commercial seats', 'Chinois vivent')
    """
    no_noun = FUNCTION_WORDS.get(language, frozenset())
    words = dropwhile(lambda word: word.casefold() in no_noun, _WORD.findall(behind))
    return " ".join(takewhile(lambda word: word.casefold() not in no_noun, words))


def _number_forms(question: "Question") -> tuple[tuple[str, Set[str]], ...]:
    """Return the terms of numbers that titles write otherwise, each with the words that the question says: "q3"."""
    numbers = ((word, reading) for word, reading in question.readings.items() if any(map(str.isdigit, reading)))
    return tuple(
        (term, set(question.terms_of(word)) - {term})
        for word, reading in numbers
        for term in question.terms_of(reading)
    )

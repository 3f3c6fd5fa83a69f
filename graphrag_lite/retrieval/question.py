"""A question as one index reads it: its language, readings, terms, names, periods, each found once, when first used.

The way is from the text to words as the index reads them, from these to terms, names, periods and what kind of thing is
asked for, and from all of them to the `features` that `ranking` needs.
"""

import re
from collections.abc import Mapping
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from graphrag_lite.retrieval.bm25 import YEAR, term_idf
from graphrag_lite.retrieval.capitals import names_within
from graphrag_lite.retrieval.definition_questions import DefinitionQuestion, definition_question
from graphrag_lite.retrieval.entity_names import Mention, find_mentions, find_parts
from graphrag_lite.retrieval.features import Features, distinct_terms, scores_of_terms, widened
from graphrag_lite.retrieval.other_words import RequestedAttribute, general_terms, other_forms, requested_attributes
from graphrag_lite.retrieval.paraphrases import joined_words, paraphrase_terms
from graphrag_lite.retrieval.question_kinds import Kind, Wording, read_wording
from graphrag_lite.retrieval.readings import question_readings
from graphrag_lite.retrieval.spelling import respell
from graphrag_lite.retrieval.top_k import best_rows
from graphrag_lite.temporal.date_questions import DateQuestion, date_question
from graphrag_lite.text.change_logs import asks_for_changes, is_change_log
from graphrag_lite.text.folding import fold, unaccented
from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.language import closest_language, question_languages
from graphrag_lite.text.numbered_titles import Numbered, numbered_words
from graphrag_lite.text.period import Period
from graphrag_lite.text.periods import QuestionTimes, question_times
from graphrag_lite.text.relative_times import relative_dates
from graphrag_lite.text.translations import translations
from graphrag_lite.text.whole_corpus import Aspect, corpus_aspects
from graphrag_lite.text.words import ASKING, content_words, terms, without_asking

if TYPE_CHECKING:
    import numpy.typing as npt

    from graphrag_lite.retrieval.snapshot_view import SnapshotView
    from graphrag_lite.retrieval.vectors import Floats

# Times the weight of a word that the corpus does not hold, of one with a capital within the sentence: a question about
# Mongolia is not answered by what else it says. At 3, 11 of 2,020 questions with an answer are refused.
UNKNOWN_NAME = 2.0
LOOKED_AT = 50  # best text units by words of which is told whether they are of logs of changes
NOUNS_HAVE_CAPITALS = ("de",)
WORD = re.compile(r"[^\W\d_]+")


class Question:
    """A question and what `index` makes of it. It is handed down, and nothing of it is kept when it is answered.

    `as_of` is the last day that counts, `vector` what an embedding model made of it, of length 1.
    """

    def __init__(
        self, index: "SnapshotView", text: str, as_of: date | None = None, vector: "Floats | None" = None
    ) -> None:
        self.index = index
        self.text = text
        self.as_of = as_of
        self.vector = vector

    @cached_property
    def _languages(self) -> tuple[str, str]:
        """The language that its text tells where it is likely one of the corpus, and by itself; "" where none does."""
        return question_languages(self.text, self.index.languages)

    @cached_property
    def language(self) -> str:
        """Its language, as an ISO 639-1 code: one of the corpus, or another. Function words are those of it."""
        return self._languages[0] or self._closest

    @cached_property
    def analyzed_in(self) -> str:
        """The language that its words are analysed in: its own, else the one of the corpus that is most like it."""
        return self.language if self.language in self.index.languages else self._closest

    @cached_property
    def _closest(self) -> str:
        return closest_language(self.text, self.index.languages)

    @cached_property
    def readings(self) -> dict[str, str]:
        """How words of it are read: likely typing errors, and numbers that titles write otherwise."""
        # "older" is not "order"
        asking = frozenset[str]().union(*(asking_terms for _, asking_terms in self.attributes))
        left_out = {word for word in self.text.casefold().split() if asking.issuperset(terms(word, self.analyzed_in))}
        if self.language not in self.index.languages:
            words = content_words(self.text, self.language)
            held = (word for word in words if word.islower() or any(map(self.index.bm25.holds, self.terms_of(word))))
            left_out.update(map(str.casefold, held), FUNCTION_WORDS.get(self.language, ()))  # of its own language
        left_out |= self._words_of_times
        languages = (self.language, self.analyzed_in)
        return question_readings(self.index, self.text, languages, self.capitalized, left_out)

    @property
    def _words_of_times(self) -> set[str]:
        """The words by which it says when, in lower case: "June" is no error where chats have days in digits alone."""
        words = self._times_as_written.words
        return {word.casefold() for word in WORD.findall(self.text) if unaccented(fold(word)) in words}

    @cached_property
    def as_read(self) -> str:
        """Its text, with words as they are read."""
        return respell(self.text, self.readings) if self.readings else self.text

    @cached_property
    def terms(self) -> list[str]:
        """Its terms as it is read, as often as it says them, without function words of its own language.

        What says that the newest document is meant is none.
        """
        return self.terms_of(self.times.without_newest if self.means_newest else self.as_read)

    @cached_property
    def content(self) -> list[str]:
        """Its words that are no function words of its language, as it is read."""
        return content_words(self.as_read, self.language)

    @cached_property
    def numbered(self) -> list[Numbered]:
        """Its words with a number to them, as it is read, in order."""
        return numbered_words(self.as_read, self.language)

    @cached_property
    def wording(self) -> Wording:
        """What its words say by themselves."""
        return read_wording(self.as_read, self.language)

    @cached_property
    def attributes(self) -> list[RequestedAttribute]:
        """What tells each attribute that it asks for, and the terms that ask for it."""
        return requested_attributes(self.text, self.analyzed_in)

    @cached_property
    def definition(self) -> DefinitionQuestion:
        """What it asks the definition of, or who has which role."""
        return definition_question(self.times.without_now)

    @cached_property
    def asks_now(self) -> bool:
        """Whether it asks what holds now: of what says the same, the newest counts."""
        return self.times.without_now != self.as_read

    @cached_property
    def means_newest(self) -> bool:
        """Whether it asks for the newest document ("in the latest quarter"), and documents are dated."""
        return self.times.without_newest != self.as_read and self.index.is_dated

    def terms_of(self, text: str) -> list[str]:
        """Return the terms of a part of it, analysed as text units are.

        One that no text holds is its other forms that texts hold: "CFO" is chief and financial, and a name has those of
        all languages of the corpus. Where no text is in its language, each word is analysed in those of the corpus, as
        far as texts hold it so, and so are common words in their translations.
        """
        if self.language in self.index.languages:
            found = terms(without_asking(text, self.language), self.language)
            return [held for term in found for held in self._held(term)]
        found = []
        for word in content_words(text, self.language):
            written = [(code, word) for code in self.index.languages]
            forms = dict.fromkeys(tuple(terms(form, code)) for code, form in [*written, *self.translated(word)])
            held = [form for form in forms if any(map(self.index.bm25.holds, form))]
            found += dict.fromkeys(term for form in held or list(forms)[:1] for term in form)
        return found

    def _held(self, term: str) -> list[str]:
        held = self.index.bm25.holds
        if held(term) or term in general_terms():
            return [term]
        names = (name for name in self.capitalized if terms(name, self.language) == [term])
        elsewhere = (form for name in names for code in self.index.languages for form in terms(name, code))
        return sorted(filter(held, {*other_forms(term, self.language), *elsewhere})) or [term]

    def translated(self, word: str) -> list[tuple[str, str]]:
        """Return what a common word of it is in the languages of the corpus, (code, word); none for its own."""
        if self.language in self.index.languages:
            return []
        if word in self.capitalized and self.language not in NOUNS_HAVE_CAPITALS:
            return []
        return translations(word, self.language, self.index.languages)

    @cached_property
    def capitalized(self) -> list[str]:
        """Its words with a capital that they do not owe to the beginning of a sentence."""
        return names_within(self.text)

    @cached_property
    def names(self) -> set[str]:
        """Its terms that are names by their capital, none where other nouns have one."""
        language = self.analyzed_in
        return set() if language in NOUNS_HAVE_CAPITALS else set(terms(" ".join(self.capitalized), language))

    @cached_property
    def aspects(self) -> set[Aspect] | None:
        """Which aspects of the whole corpus it asks about, none for an overview; None where it asks about less.

        What its problems are, a corpus only says as a whole where documents share their titles, as tickets do.
        """
        found = corpus_aspects(self.text, self.language)
        if found is None and self._languages[1] != self.language:  # "Give me an overview" of texts in French
            found = corpus_aspects(self.text, self._languages[1])
        return None if found and "problem" in found and not self.index.recurring_titles else found

    @cached_property
    def date_question(self) -> DateQuestion | None:
        """What it asks that is computed of dates; None where it asks for none."""
        return date_question(self.text, self.language or "en")

    @cached_property
    def other_words(self) -> dict[str, set[str]]:
        """The terms in which texts may tell each of its terms otherwise, but those of names."""
        if self.language != self.analyzed_in:
            return {}
        found, _ = self._phrases
        return {term: others for term, others in found.items() if term not in self.names and term not in ASKING}

    @property
    def as_one(self) -> dict[str, set[str]]:
        """The terms that texts hold of some of its words in a row, written as one, by the term of each: "bodyLimit".

        Names are none: how texts write these is looked up.
        """
        return self._phrases[1]

    @cached_property
    def _phrases(self) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
        joined = joined_words(self.as_read, self.language, self.index.bm25.holds)
        found = paraphrase_terms(self.as_read, self.language)
        return found, {term: whole for term, whole in joined.items() if term not in self.names}

    @property
    def kind(self) -> Kind:
        """What kind of thing it asks for, by its question word; "" where none says."""
        return self.wording.kind

    @cached_property
    def now(self) -> date | None:
        """The day that relative dates are told from: the last that counts, else the newest of a document."""
        return self.as_of or self.index.attributes.newest

    @cached_property
    def times(self) -> QuestionTimes:
        """What it says of time."""
        written = self._times_as_written
        return question_times(self.as_read, self.now, self.language, self._spoken) if self.readings else written

    @cached_property
    def _times_as_written(self) -> QuestionTimes:
        return question_times(self.text, self.now, self.language, self._spoken)

    @cached_property
    def _spoken(self) -> str:
        """The language that it says times in: short texts may not tell theirs."""
        return self.language or closest_language(self.text, list(relative_dates()))

    @property
    def periods(self) -> list[Period]:
        """The periods that it asks about."""
        return self.times.periods

    @cached_property
    def mentions(self) -> list[Mention]:
        """The names of entities in its text as it is read, in order."""
        return find_mentions(self.as_read, self.language, self.index.names)

    @property
    def known_names(self) -> tuple[str, ...]:
        """The names of entities in it, as it writes them."""
        return tuple(self.as_read[one.start : one.end] for one in self.mentions)

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """What each of its terms weighs, for whether the corpus says anything.

        A name that the corpus does not hold weighs more than another word, and a guess is half of its due: the word as
        written is as much as its reading. What texts tell otherwise is what they tell.
        """
        index = self.index.bm25
        asking = general_terms().union(*(asking_terms for _, asking_terms in self.attributes))
        found = term_idf(index, (term if term in asking else self._most_common_form(term) for term in self.terms))
        for term in self.names:
            if term in found and not index.holds(term):
                found[term] *= UNKNOWN_NAME
        for word, reading in self.readings.items():
            if not any(map(str.isdigit, reading)):  # a number as titles write it is no guess
                as_read = sum(term_idf(index, terms(reading, self.analyzed_in)).values())
                found |= dict.fromkeys(terms(word, self.analyzed_in), as_read)
        return found

    def _most_common_form(self, term: str) -> str:
        """Return the most common of the terms in which texts tell one that none holds; itself where there is none."""
        bm25 = self.index.bm25
        alternatives = () if bm25.holds(term) else sorted(filter(bm25.holds, self.other_words.get(term, ())))
        return max(alternatives, key=lambda other: len(bm25.units_of(other)), default=term)

    @cached_property
    def features(self) -> Features:
        """What ranking needs of it: term scores, entities, and values and periods that it names.

        An ambiguous name stands for all its entities, the last word of a name for those it is of, less the more there
        are. The years of texts are searched from the first to the last year that it says, whatever it says about them.
        Newer counts more where it has an `as_of` and names no period.
        """
        text, language, index, attributes = self.as_read, self.language, self.index.bm25, self.index.attributes
        distinct = distinct_terms(self.terms, text, language, index)
        parts = find_parts(text, language, self.index.names, self.mentions)
        named = [*self.mentions, *parts]
        of_names = [self.terms_of(text[mention.start : mention.end]) for mention in named]
        position = {term: i for i, term in enumerate(distinct)}
        positions = (np.array([position[term] for term in own if term in position], dtype=np.int64) for own in of_names)
        entities = {entity: 1.0 / len(part.entities) for part in parts for entity in part.entities}
        entities |= {entity: 1.0 for mention in self.mentions for entity in mention.entities}
        what, how = self.wording.what, self.wording.how
        only_asks = set(self.terms_of(how)) - set(self.terms_of(what)) if how else set[str]()
        only_asks |= {term for word in ASKING.intersection(text.casefold().split()) for term in self.terms_of(word)}
        name_terms = frozenset(term for own in of_names for term in own)
        others = {term: words for term, words in self.other_words.items() if term not in name_terms}
        term_scores = widened(scores_of_terms(index, distinct, only_asks), distinct, others, index)
        years = [int(term) for term in distinct if YEAR.fullmatch(term)]
        stated, periods = attributes.stated_in(text, language, self.numbered), self.periods
        ages = order = None
        if self.now and attributes.newest:
            periods = [attributes.newest_day(self.now)] if self.means_newest else periods
            stated += map(attributes.dated_in, periods)
            ages = attributes.ages(self.now) if self.as_of and not periods else None
            newest_first = self.as_of or (attributes.replies is not None and self.wording.for_value)
            order = attributes.order if newest_first and not periods else None
        replies = None if self.wording.for_reply else attributes.replies
        return Features(
            term_scores=term_scores,
            names=[(mention.entities, at) for mention, at in zip(named, positions, strict=True)],
            entities=entities,
            dated_units=index.units_with_years(min(years), max(years)) if years else index.units[:0],
            stated=stated,
            ages=ages,
            order=order,
            replies=replies,
            heeded=None if replies is None or self.date_question else self._heeded(replies),  # not what is computed
            name_terms=name_terms,
            held=attributes.held_in(self.periods),
            meant=None if self.vector is None else self.index.meant(self.vector, term_scores),
        )

    @property
    def logged(self) -> "npt.NDArray[np.int64] | None":
        """Which of the best units by words are of logs of changes.

        None where the question may be about a change, and where most documents are such logs.
        """
        if asks_for_changes(self.text):
            return None
        scores = self.features.term_scores
        best = best_rows(scores.columns(np.ones(scores.shape[0])), LOOKED_AT)
        documents = [self.index.document_row[unit] for unit in best.tolist()]
        titled = {row: is_change_log(self.index.cell("documents", "title", row)) for row in {*documents}}
        of_logs = np.array([titled[row] for row in documents], np.bool_)
        return best[of_logs] if of_logs.any() and not self.index.is_of_change_logs else None

    def _heeded(self, replies: "npt.NDArray[np.bool_]") -> "npt.NDArray[np.int32]":
        """Return the units in which a user, and no reply, says what an assistant is to heed."""
        index = self.index.bm25
        matching = (index.all_of(terms(words, self.analyzed_in)) for words in self.wording.heeded)
        units: npt.NDArray[np.int32] = np.unique(np.concatenate([index.units[:0], *matching]))
        return np.extract(~replies[units], units)

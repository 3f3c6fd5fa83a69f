"""A question as one index reads it: its language, readings, terms, names, periods, each found once, when first used."""

from collections.abc import Mapping
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

from graphrag_lite.retrieval.abstention import NOUNS_HAVE_CAPITALS, term_weights
from graphrag_lite.retrieval.other_words import general_terms, other_forms
from graphrag_lite.retrieval.readings import question_readings
from graphrag_lite.retrieval.recurring_titles import recurring_titles
from graphrag_lite.retrieval.spelling import names_within, respell
from graphrag_lite.temporal.date_questions import Asked, date_question
from graphrag_lite.text.language import closest_language, question_language
from graphrag_lite.text.periods import without_newest, without_now
from graphrag_lite.text.translations import translations
from graphrag_lite.text.whole_corpus import Aspect, corpus_aspects
from graphrag_lite.text.words import content_words, terms, without_asking

if TYPE_CHECKING:
    from graphrag_lite.retrieval.ranking import Features
    from graphrag_lite.retrieval.snapshot_view import SnapshotView
    from graphrag_lite.retrieval.vectors import Floats


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
    def language(self) -> str:
        """Its language, as an ISO 639-1 code: one of the corpus, or another. Function words are those of it."""
        return question_language(self.text, self.index.languages) or self._closest

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
        return question_readings(self)

    @cached_property
    def as_read(self) -> str:
        """Its text, with words as they are read."""
        return respell(self.text, self.readings) if self.readings else self.text

    @cached_property
    def terms(self) -> list[str]:
        """Its terms as it is read, as often as it says them, without function words of its own language.

        What says that the newest document is meant is none.
        """
        return self.terms_of(without_newest(self.as_read, self.language) if self.means_newest else self.as_read)

    @cached_property
    def asks_now(self) -> bool:
        """Whether it asks what holds now: of what says the same, the newest counts."""
        return without_now(self.text) != self.text

    @cached_property
    def means_newest(self) -> bool:
        """Whether it asks for the newest document ("in the latest quarter"), and documents are dated."""
        return without_newest(self.as_read, self.language) != self.as_read and self.index.is_dated

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
        return None if found and "problem" in found and not recurring_titles(self.index) else found

    @cached_property
    def dates_asked(self) -> Asked | None:
        """What it asks that is computed of dates; None where it asks for none."""
        return date_question(self.text, self.language or "en")

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """What each of its terms weighs, for whether the corpus says anything (`abstention.term_weights`)."""
        return term_weights(self)

    @cached_property
    def features(self) -> "Features":
        """What ranking needs of it: term scores, entities, periods and values that it names."""
        from graphrag_lite.retrieval.features import question_features

        return question_features(self, self.as_read, self.terms)

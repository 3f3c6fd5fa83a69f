"""The sentences that a report can cite: what each says, how well it stands as a statement, and when that was.

Nothing is told of what stands in a licence, or recurs in document after document (`evidence.notices`); little is a
sentence worth that names a host, who speaks in many documents.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from graphrag_lite import tables
from graphrag_lite.attempts import Attempt, outcome, unguarded
from graphrag_lite.evidence.citation_marks import disarm
from graphrag_lite.evidence.document_signs import document_signs, hosts, notices
from graphrag_lite.evidence.key_sentences import Sentence
from graphrag_lite.evidence.mention_form import DEFINES, EARLY, mention_form
from graphrag_lite.evidence.notices import LONG, formulas, is_formula, is_noticed
from graphrag_lite.evidence.sentence_dates import resolved, stated_period
from graphrag_lite.tables import groups
from graphrag_lite.text.numbered_titles import without_part
from graphrag_lite.text.period import Period, whole
from graphrag_lite.text.plain_text import one_line
from graphrag_lite.text.relations import is_verb_form
from graphrag_lite.text.sentences import sentences, trimmed
from graphrag_lite.text.transcripts import PERSONS, form, is_talk, speakers, spoken_span
from graphrag_lite.text.word_lists import sections as word_lists
from graphrag_lite.text.words import terms

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]
ASIDE = 0.1  # what a sentence counts that names a host
STANDS = 0.37  # worth from which a sentence is told: below are those that lean on another, and what is said to "you"
SPOKEN = 0.5  # what "I" and "you" count less in a transcript than in a text: nobody knows who they are
LOOSE = 0.35  # what a sentence counts that goes on from another, that talk has filled, or that a quotation has cut
LISTED = 0.6  # what a sentence counts that names several as examples
_FILLER = re.compile(
    r"\b(?:you know|i mean|um+|uh+|kind of|sort of|i guess|gonna|stuff|yeah|basically|really cool|super (?:\w+))\b"
    r"|, like,?|\blike (?:a|in|was|it|he|we|super)\b|^like\b|\b(\w+) -- \1\b",
    re.I,
)
# What goes on from something, or is a clause without its main one: "When we were at school."
_LEANING = re.compile(
    r"you (?:have|must|need|are)\b|(?:optional|note|tip|important|warning|caution|example|prerequisites?)\s?:"
    r"|for (?:more|further) (?:information|details)|(?:when|while|because|although|who|which|if|where)\b[^,]*$"
    r"|(?:anyway|for (?:instance|example)|in other words|in addition|in contrast|as a (?:reminder|result)|also|again"
    r"|plus|well|par exemple|en outre|de plus|ainsi|außerdem|zum beispiel|por ejemplo|además"
    # Who "he" is, after "At Acme, he's", the sentence before says.
    r"|(?:a[st]|in|on|after|before|by|during|for|from|prior to|since|when|while|with)\b[^,.;]{0,70},? (?:s?he|they)\b"
    r"|(?:à|en|dans|après|avant|lors|depuis|pendant)\b[^,.;]{0,70},? (?:ils?|elles?)\b"
    r"|alternatively|however|therefore|thus|hence|consequently|similarly|otherwise|to be specific|more specifically"
    r"|(?:following|using|for|in|with|by|on|from|at|during|after|before|despite) (?:this|that|these|those|such)"
    r"|(?:dies|diese[mnrs]?|deshalb|daher|dabei|damit|dazu|darum|jedoch) |celui-ci|celle-ci|ceux-ci|pour cela|cependant"
    r"|est[aeo]s?|por (?:eso|ello)|sin embargo)\b"
    r"|また|さらに|しかし|そのため|その|この|これ|それ|こうした|彼|此外|另外|例如|因此|所以|然而|但是?|同时|随后|[这該该此其]|[他她它]们?"
    r"|(?:또한|그러나|따라서|하지만|그런|그리고|이러한|이를|이는|이와|이것|그것|그|이|이런|그런 다음|해당|대신에?)\s",
    re.I,
)
# What stands below a picture or over a table.
_CAPTION = re.compile(
    r"(?:(?:supplementary |extended data )?(?:table|figure|fig\.|tableau|tabelle|abbildung|abb\.|tabla|figura)"
    r"|[図表图]|그림|표)"
    r"\s?(?:S|[A-Z]\.?)?\d",
    re.I,
)
# After a name: "(1843-1899) is a", "est une"; the topic of a sentence in Chinese, Japanese and Korean.
_IS_A = re.compile(
    r"\W{0,3}(?:\([^)]{0,80}\)|,[^,.]{0,60},)?\s*(?:is|was|are|were|est|était|sont|ist|war|sind|es|era|è|é)\s"
    r"(?:\w+ly\s|also\s|now\s|auch\s|aussi\s)?(?:an?|the|one|un[ea]?|les?|la|l['’]|eine?|der|die|das|el|uno|il|een|het)\b",
    re.I,
)
_BRACKETS = r"(?:\([^)]{0,60}\)|（[^）]{0,60}）)?"
_TOPIC = re.compile(rf"{_BRACKETS}(?:是|とは|란|(?:は、?|은\s|는\s).*(?:である|です|の一つだ|だ|입니다|이다)[。.]?$)")
_BULLET = re.compile(
    r"(?:[-*+•▪–]|\d{1,2}[.)]|(?i:abstract|text|introduction|background|purpose|objectives?|aims?|results?|findings"
    r"|conclusions?|discussion|significance|importance|summary)\s?[:.])\s+(?=\S)"
)
_FOOTNOTE = re.compile(r"\s?\[\d{1,3}(?:[,–-]\s?\d{1,3})*\]")
_FOOTNOTES_AT_END = re.compile(rf"(?<=\S)(?:{_FOOTNOTE.pattern})+\s*$")
# What a paper points to: "(Ribet et al., 2004)", "(see Fig. 2A)", a key of its bibliography in brackets.
_WORK = r"(?:[A-Z][\w’'.-]+ ?){1,2}(?:et al\.,? |(?:and|&) [A-Z][\w’'-]+,? |, )\d{4}[a-z]?"
_POINTER = re.compile(
    rf"(?:{_FOOTNOTE.pattern}|\s?\((?:e\.g\.,? |see )?{_WORK}(?:[;,] ?(?:{_WORK}|\d{{4}}[a-z]?))*\)"
    r"|\s?\( ?(?:see |cf\. )?(?i:supplementa|appendix|figures?\b|figs?\b|tables?\b|eq\.|data not shown)[^()]{0,80}\)"
    r"|\s?\[(?:[a-z][\w\\-]*\d[\w-]*|[a-z]+\\_\w+)\]|(?<=\w)\[[A-Za-z][\w\\:,-]*\])(?: (?=[.,;]))?"
)
_CUT = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|Sen|Rep|Gov|Gen|Prof|Capt|Col|Lt|Sgt|Jan|Feb|Aug|Sept?|Oct|Nov|Dec|St|vs|e\.g|i\.e|al|Inc|Corp|No|(?<![.\w])[A-Z])\.$"
)
# What opens a paragraph that tells a picture or table.
_CAPTIONED = re.compile(rf"\s*(?:{_CAPTION.pattern})[\w–-]*\s?[.:|]", re.I)
# What is left of markup where lines were joined, and a list or a step's number that a sentence goes on with.
_MARKUP = re.compile(
    r"(?:^|\s)#{1,6}\s\w|!\[|```|!:|:: |(?:includ\w+|automating|following\b[^.:]{0,60}): |<\w+_\w+>|-{3}"
    r"|\bFIGURE \d+ \||\b(?:listed|plotted|shown|summari[sz]ed|depicted|given)"
    r" in (?:the )?(?:Table|Fig|Suppl)"
    r"|(?::|\s[*•-]|\s\d{1,2}\.)$"
)
# Three names side by side are examples: "from Acme, Hooli and Initech".
_EXAMPLES = re.compile(r"(?:\b[A-Z][\w&.’'-]*(?: [A-Z][\w&.’'-]*){0,3}, (?:and )?){2,}(?:and |to )?[A-Z]")
_LISTS = {language: frozenset(words) for language, words in word_lists(__package__, "instructions.txt").items()}
_PROCEDURE = re.compile(rf"\b(?:was|were) (?:\w+ly |then |also )?(?:{'|'.join(sorted(_LISTS['procedures']))})\b")
_INSTRUCTS = re.compile(
    r"(?:(?:after|at|before|by|for|from|if|in|on|once|to|under|when)\b[^,.]{0,80}, )?([^\W\d_]+)(?:\s(\w+))?",
    re.I,
)
_UNSPACED_INSTRUCTION = re.compile("|".join(_LISTS["zh"]) + "|.*(?:ください|하세요|하십시오|마세요)[。.]?$")
_CONTRACTED = re.compile(r"(?:n't|'(?:re|ve|ll|d|m)|^(?:s?he|it|that|there|what|who)'s)$")
_ENDS_IN_S = re.compile("[^sui]s$")
_WORD = re.compile(r"[A-Za-z][\w’'-]*")
# A heading in the line of its first sentence: "Installing the plugin The plugin enables ..."
_JOINED = re.compile(
    r"[^.,;:!?\"“”(]{3,90}?[\w)] (?=(?:The|These|This|You|If|When|It|An) [a-z])"
    r"|(?!During|Bring|Spring|String)[A-Z]\w{2,}ing\b[^.,;:!?\"“”(]{3,90}?[\w)] (?=(?:The|A|An) [A-Z])"
)
_PAIRS = (("“", "”"), ("(", ")"), ("（", "）"))
DOCUMENT = ["id", "title", "text", "language", "created_at", "blocks"]


@dataclass(frozen=True)
class Statement:
    """What a sentence says, and where: without its speaker's label and the time.

    `row` says that its document is a row of a table, `cell` that it is one of the row's values.
    """

    sentence: Sentence
    span: Row
    language: str = ""
    day: str = ""  # of its document, ISO 8601; empty where it has none, or all have the same
    row: bool = False
    cell: bool = False

    @cached_property
    def place(self) -> tuple[str, int]:
        return self.span["document_id"], self.span["char_start"]

    @property
    def stands(self) -> bool:
        return self.sentence.worth >= STANDS

    @cached_property
    def stated(self) -> Period | None:
        """When it says that something was."""
        return None if self.cell else stated_period(self.sentence.text, self._day, self.language)

    @property
    def period(self) -> Period | None:
        return self.stated or whole(self.day)

    @property
    def shown(self) -> str:
        """What it says, without marks of footnotes, with the dates of its "today" and "last year"."""
        text = _POINTER.sub("", self.sentence.text)
        return disarm(text if self.cell else resolved(text, self._day, self.language))

    @property
    def _day(self) -> date | None:
        return date.fromisoformat(self.day[:10]) if len(self.day) >= 10 else None


class Sources:
    """The documents that statements are read from, with their `document_signs`."""

    def __init__(
        self,
        source_documents: "pa.Table",
        source_units: "pa.Table",
        entity_mentions: "pa.Table",
        signs_before: "Sequence[pa.Table] | None" = None,
        attempt: Attempt = unguarded,
    ) -> None:
        import pyarrow.compute as pc

        self._documents = source_documents.select(DOCUMENT)
        self._rows = {identity: row for row, identity in enumerate(source_documents["id"].to_pylist())}
        self._opened: dict[str, Row] = {}
        columns = ("id", "char_start", "char_end")
        self._units = {identity: (start, end) for identity, start, end in tables.rows(source_units, *columns)}
        self.signs = document_signs(source_documents, signs_before, attempt)
        self.hosts = hosts(self.signs)
        self._named = {name.title() for name in self.hosts}
        self._attempt = attempt
        lengths = pc.utf8_length(source_documents["text"])
        self._notices = notices(self.signs, pc.sum(lengths).as_py() or 0)
        long = source_documents.filter(pc.greater_equal(lengths, LONG))
        spans = groups.of(entity_mentions, "document_id", long["id"].to_pylist())
        texts = dict(tables.rows(long, "id", "text"))
        self._formulas = formulas(set(tables.rows(spans, "document_id", "char_start", "char_end")), texts)
        self._dated = len({day[:10] for day in pc.unique(source_documents["created_at"]).to_pylist()}) > 1
        self._made: dict[tuple[str, int, int], Statement | None] = {}
        self._longest: dict[tuple[str, int], Statement] = {}

    def document(self, identity: str) -> Row:
        """Return a document's row, with its text and blocks."""
        if identity not in self._opened:
            self._opened[identity] = self._documents.slice(self._rows[identity], 1).to_pylist()[0]
        return self._opened[identity]

    def work(self, identity: str) -> str:
        """Return what a document is a part of, by its title: chapters and passages of one work are told as one."""
        return without_part(self.document(identity)["title"]) or identity

    def all_called(self, name: str) -> bool:
        """Say whether the titles of all documents begin with a name, in any letters."""
        import pyarrow.compute as pc

        return bool(pc.all(pc.starts_with(pc.utf8_lower(self._documents["title"]), name.lower())).as_py())

    def read(self, spans: Iterable[Row], each: Callable[..., Iterator[Any]]) -> None:
        """Read many sentences by the service `each`, a document at a time; what fails there is tried by `at`."""
        wanted = sorted({_where(span): span for span in reversed([*spans])}.items())  # the first at each place
        by_document = groupby((span for _, span in wanted), key=itemgetter("document_id"))
        told = [Told(identity, self.document(identity), list(found)) for identity, found in by_document]
        made = each(partial(_statements, named=self._named, dated=self._dated), told)
        for (where, _), one in zip(wanted, (one for several in made for one in several), strict=True):
            if one:
                self._made[where] = self._unless_noticed(one)

    def at(self, spans: Iterable[Row]) -> list[Statement]:
        """Return what the sentences at some spans say; those that cannot be read are left out.

        A text unit may end within a sentence that another holds on: it is one sentence, as far as any of them has it.
        """
        read = [one for span in spans if (one := self._at(span))]
        for one in read:
            known = self._longest.get(one.place)
            if not known or one.span["char_end"] > known.span["char_end"]:
                self._longest[one.place] = one
        return read

    def whole(self, one: Statement) -> Statement:
        """Return the longest statement of all that were read at the place of one."""
        return self._longest[one.place]

    def _at(self, span: Row) -> Statement | None:
        where = _where(span)
        if where not in self._made:
            document = self.document(span["document_id"])
            one = self._attempt(span["text_unit_id"], statement, span, document, self._named, self._dated)
            self._made[where] = self._unless_noticed(one) if one else None
        return self._made[where]

    def _unless_noticed(self, one: Statement) -> Statement:
        """Return a statement, worth nothing where it stands in a notice or is a formula."""
        document = self.document(one.span["document_id"])
        start, end = one.span["char_start"], one.span["char_end"]
        if one.cell or not one.stands:
            return one
        if is_noticed(self._notices.get(document["id"], ()), start, end) or (
            len(document["text"]) >= LONG and is_formula(document["text"][start:end], self._formulas)
        ):
            return replace(one, sentence=replace(one.sentence, worth=0.0))
        return one

    def row_text(self, one: Statement) -> list[Statement]:
        """Return the first sentence that a table's row holds below its card, in the text unit of a statement of it."""
        document, (start, end) = self.document(one.span["document_id"]), self._units[one.span["text_unit_id"]]
        start = max(start, *(block["char_end"] for block in document["blocks"] if block["kind"] == "card"))
        for first, last in sentences(document["text"][start:end], document["language"]):
            first, last = trimmed(document["text"], start + first, start + last)
            if first < last and not document["text"].startswith("#", first):
                return self.at([one.span | {"char_start": first, "char_end": last}])
        return []

    def defines(self, one: Statement, name: str) -> bool:
        """Say whether a statement says early what bears a name, or its last word, is."""
        text, start, end = self.document(one.span["document_id"])["text"], one.span["char_start"], one.span["char_end"]
        at = next((at for part in (name, name.split()[-1]) if (at := text.find(part, start, end)) >= 0), -1)
        last = at + (len(name) if text.startswith(name, at) else len(name.split()[-1]))
        if at < 0 or (at - start <= EARLY and (_IS_A.match(text, last, end) or _TOPIC.match(text, last, end))):
            return at >= 0
        return text.startswith(",", last) and mention_form(text, (at, last), (start, end), one.language)[0] == DEFINES


class Told(NamedTuple):
    """A document, and where sentences of it stand that a report may tell."""

    id: str
    document: Row
    spans: list[Row]


def _where(span: Row) -> tuple[str, int, int]:
    return span["document_id"], span["char_start"], span["char_end"]


def _statements(told: Told, named: Collection[str], dated: bool) -> list[Statement | None]:
    return [outcome(statement, span, told.document, named, dated)[0] for span in told.spans]


def statement(span: Row, document: Row, named: Collection[str], dated: bool) -> Statement:
    """Return what the sentence at a span of a document says; little is it worth where it names one of `named`."""
    text, language = document["text"], document["language"]
    cards = [block for block in document["blocks"] if block["kind"] == "card"]
    cell = any(block["char_start"] <= span["char_start"] < block["char_end"] for block in cards)
    first, last = span["char_start"], span["char_end"]
    start, end = (first, last) if cell else spoken_span(text, first, last)
    if start >= end:  # nothing but marks
        start, end = first, last
    if not cell:
        bullet = _BULLET.match(text, start, end)
        start = bullet.end() if bullet else start
        joined = _JOINED.match(text, start, end) if language == "en" else None
        start = joined.end() if joined else start
        end = start + len(_FOOTNOTES_AT_END.sub("", text[start:end]))
    words = one_line(text[start:end])
    found = terms(words, language)
    length = max(len(found), len(words.split()))
    worth = 1.0 if cell else form(text, start, end, language) * _loose(words, language, bool(speakers(text)))
    worth *= 1.0 if set(words.split()).isdisjoint(named) else ASIDE
    worth *= cell or not _CAPTIONED.match(text, text.rfind("\n\n", 0, start) + 1)
    place = span | {"char_start": start, "char_end": end}
    day = document["created_at"] if dated else ""
    return Statement(Sentence(words, frozenset(found), length, worth), place, language, day, bool(cards), cell)


def _loose(sentence: str, language: str, transcript: bool) -> float:
    """Return what a sentence counts beside its form (`transcripts.form`): talk and what is cut off, less.

    >>> [_loose(one, "en", True) for one in ("Whales sang.", "Thanks, Ann.", "When whales sang.")]
    [1.0, 0.0, 0.35]
    """
    marked = _CUT.search(sentence) or _CAPTION.match(sentence) or _MARKUP.search(sentence)
    if marked or (transcript and is_talk(sentence)) or (language == "en" and not _has_verb(sentence)):
        return 0.0
    worth = LISTED if _EXAMPLES.search(sentence) else 1.0
    if transcript and language in PERSONS and PERSONS[language].search(sentence):
        worth *= SPOKEN
    cut = sentence[:1] in ".,;()`" or " = " in sentence or sentence.count('"') % 2
    half = any(sentence.count(one) != sentence.count(other) for one, other in _PAIRS)
    leans = _LEANING.match(sentence) or _instructs(sentence, language)
    if cut or half or leans or _PROCEDURE.search(sentence) or (transcript and _FILLER.search(sentence)):
        worth *= LOOSE
    return worth


def _has_verb(sentence: str) -> bool:
    """Say whether an English sentence may have a finite verb: of what ends in -s, unless it must be a plural.

    >>> [_has_verb(one) for one in ("RNA extraction of the cell's DNA.", "A whale sings.", "They include Zep.")]
    [False, True, True]
    """
    words = [word.replace("’", "'") for word in _WORD.findall(sentence)]
    for before, word in zip(["", *map(str.casefold, words)], words, strict=False):
        low = word.casefold()
        if (
            low in _LISTS["verbs"]
            or is_verb_form(low, "en")
            or (before and low in _LISTS["en"])
            or _CONTRACTED.search(low)
        ):
            return True
        if word.islower() and before in _LISTS["before verbs"]:
            return True
        if before and before not in _LISTS["before nouns"] and word.islower() and _ENDS_IN_S.search(word):
            return True
    return False


def _instructs(sentence: str, language: str) -> bool:
    """Say whether a sentence tells its reader what to do, in its first clause or after one.

    >>> [_instructs(one, "en") for one in ("In the menu, click Save.", "Set it up.", "Use of Zep grew.", "请勿删除。")]
    [True, True, False, True]
    """
    if _UNSPACED_INSTRUCTION.match(sentence):
        return True
    found = _INSTRUCTS.match(sentence)
    verb, after = found.groups("") if found else ("", "")
    return verb.casefold() in _LISTS.get(language, ()) and after.casefold() not in _LISTS["not before"]

"""What one name does to the next one of its sentence, where the words between them say so by their form.

A label begins with a finite verb whose subject is the first name, and runs to the second name: "is the director of",
"later married". Verbs are told by closed classes, and by endings where English has them. A language without an entry
has no labels: none is better than a wrong one.
"""

import re

from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.names.name import Name
from graphrag_lite.text.names.words import function_words

MAX_LENGTH = 40  # characters between two names that still join them
_JOINING = re.compile(r"[^\W\d_]+(?:['’\- ][^\W\d_]+){0,5}")  # up to six words, no punctuation
_WORD = re.compile(r"[\w'’-]+")
_CLAUSE_END = re.compile(r"[.!?,;:()\n—–\"“”]|\b(?:19|20)\d\d\b")  # a year ends an opening phrase
_BEFORE = 60  # characters before the first name that are looked at
_OWNS = ("'", "’", "-")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Forms of "to be" and auxiliaries that state a fact. "Should", "would" and "may" do not.
_AUXILIARIES = {
    "en": _words("is was are were has had have will can did does do"),
    "fr": _words("est était fut sont étaient furent a ont avait"),
    "de": _words("ist war wurde wird sind waren wurden hat hatte"),
    "es": _words("es era fue son eran fueron ha había está"),
    "it": _words("è era fu sono erano furono ha aveva"),
    "pt": _words("é era foi são eram foram está"),
    "nl": _words("is was werd wordt zijn waren werden heeft had"),
}
_PAST = _words("""
    became began bought built brought beat bore broke came chose drew drove fell fought found gave grew held hid kept
    laid led left lost made met overtook oversaw ran rode rose sang sank saw sent set shot sold sought
    spent spoke stood struck swam taught told took underwent went withdrew woke won wore wrote
""")
# An -s is a plural, too: these are verbs.
_PRESENT = _words("""
    acquires allows becomes begins believes belongs brings builds buys combines comes competes complements comprises
    connects consists contains contributes covers creates defines delivers depends describes develops differs directs
    discusses employs enables establishes explains explores follows founds gives goes governs helps hires holds
    includes integrates interviews introduces invests involves joins keeps leads leaves lies lives loves makes marries
    meets offers opens operates outlines oversees owns pays performs portrays powers precedes presents
    produces protects provides publishes reads receives reaches recommends relies remains replaces represents requires
    runs sees sells serves shows speaks stars stands succeeds supports surrounds takes talks teaches tells
    thanks treats uses visits wants wins works writes
""")
# Mostly participles that belong to a noun before the name, and words that are no verbs.
_NO_PAST = _words("based called dubbed entitled hundred indeed named need related speed supposed titled")
# Their object is mostly a clause, of which the second name is the subject.
_CLAUSAL = _words("""
    said says thought thinks believed believes hoped hopes claimed claims argued argues knew knows felt feels stated
    states noted notes added explains explained suggested suggests means meant wished realized insisted recalled recalls
""")
_ADVERBS = _words("also later then now first soon never subsequently still once again even just always often")
_DETERMINERS = _words("the its his her their")
_OTHER_CLAUSE = _words("""
    and or but nor because although though if unless whether while when whenever where why how until since so than then
    like that which who whom whose what i he she they we you it me him them us there this these those
    not n't et ou mais que qui dont où car si il elle ils nous vous je on und oder aber dass weil wenn die er sie es wir
    ich y o pero porque e ma che cui perché mas en maar dat omdat
""")
# After these a name is no subject, or what it does is no fact.
_NO_SUBJECT_AFTER = _words("""
    of in at for with by from to on onto into about as like between among against over under through during than per
    via without within across toward towards behind beside near if whether unless would should could might may
    did does do is are was were be been has have had
""")


def relation(text: str, a: Name, b: Name, language: str) -> str:
    """Return the words between two neighbouring names of a sentence if they state what `a` does to `b`, else "".

    >>> def between(text, *names):
    ...     a, b = (Name(text.index(name), text.index(name) + len(name), name, "unknown", True) for name in names)
    ...     return relation(text, a, b, "en")
    >>> between("Sam Altman is the head of OpenAI.", "Sam Altman", "OpenAI")
    'is the head of'
    >>> between("Sam and his team at OpenAI", "Sam", "OpenAI"), between("The head of OpenAI met Al.", "OpenAI", "Al")
    ('', '')
    """
    said = " ".join(text[a.end : b.start].split())
    if len(said) > MAX_LENGTH or not _JOINING.fullmatch(said):
        return ""
    words = said.casefold().split()
    rest = words[1:] if words[0] in _ADVERBS or words[0].endswith("ly") else words
    if not rest or not _is_finite(rest, language) or not _AUXILIARIES[language].isdisjoint(rest[1:]):
        return ""
    if not _OTHER_CLAUSE.isdisjoint(words) or words[-1] in _CLAUSAL | {"a", "an"}:
        return ""
    if FUNCTION_WORDS[language].issuperset(words):  # "is the", "was in" say too little
        return ""
    return said if _is_subject(text, a) and _is_object(text, b, language) else ""


def _is_finite(words: list[str], language: str) -> bool:
    """Tell whether words begin with a finite verb."""
    first, second = words[0], words[1] if len(words) > 1 else ""
    if first in _AUXILIARIES.get(language, ()):
        return True
    if language != "en":
        return False
    if first in _PAST or (first.endswith("ed") and first not in _NO_PAST):
        return True
    if first.endswith("s") and second in _DETERMINERS:  # what follows a plural is no determiner
        return True
    return first in _PRESENT and (second != "of" or first == "consists")


def has_verb(words: list[str], language: str) -> bool:
    """Tell whether one of `words` may be a verb or a participle; in another language than English, any content word."""
    if language != "en":
        return not FUNCTION_WORDS.get(language, frozenset()).issuperset(words)
    known = _AUXILIARIES["en"] | _PAST | _PRESENT
    return any(word in known or (len(word) > 4 and word.endswith(("ed", "ing"))) for word in words)


def _is_subject(text: str, name: Name) -> bool:
    """Tell whether no word before a name makes it the end of a longer phrase: "the head of OpenAI"."""
    before = _CLAUSE_END.split(text[max(0, name.start - _BEFORE) : name.start])[-1]
    for word in reversed(_WORD.findall(before.casefold())):
        if word in _NO_SUBJECT_AFTER:
            return False
        if word in _OTHER_CLAUSE:
            return True
    return True


def _is_object(text: str, name: Name, language: str) -> bool:
    """Tell whether nothing after a name makes it the owner, a part or the subject of something else."""
    after = _WORD.match(text, name.end + 1) if text[name.end : name.end + 1] == " " else None
    if not after:
        return text[name.end : name.end + 1] not in _OWNS
    word = after[0]
    if word in _AUXILIARIES[language]:
        return False
    return word[0].isupper() or word in function_words(language) or word.endswith("ly")

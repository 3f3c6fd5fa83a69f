"""Function words by language: what BM25 leaves out of questions and text units (`function_words.txt`)."""

from graphrag_lite.text.word_lists import sections

_SECTIONS = sections(__package__, "function_words.txt")


def _of(kind: str) -> dict[str, list[str]]:
    return {name.removesuffix(kind): words for name, words in _SECTIONS.items() if name.endswith(kind)}


def _written(words: list[str]) -> frozenset[str]:
    """Return words as texts write them: Romanian has a cedilla, too, where it should have a comma below."""
    return frozenset(words) | {word.replace("ș", "ş").replace("ț", "ţ") for word in words}


QUESTION_WORDS = {language: frozenset(words) for language, words in _of(" asks").items()}
"""Function words that ask, by ISO 639-1 code: what tells most of which language a question is in."""
FUNCTION_WORDS = {
    language: _written(_SECTIONS[language] + _SECTIONS[f"{language} asks"]) for language in QUESTION_WORDS
}
"""Function words by ISO 639-1 code; a language that is not here has none."""
IDEOGRAPHIC_QUESTIONS = _of(" asking")
"""What only asks, by ISO 639-1 code, in scripts without spaces between words; what holds another is first."""
IDEOGRAPHIC_PARTICLES = _of(" particles")
"""What else a question in such a language says that no text in another language can say."""

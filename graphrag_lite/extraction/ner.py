"""Names typed by a pipeline that is installed (extra `ner`): of spaCy, GiNZA for Japanese, natasha for Russian.

`extract_graph_fast.extractor: ner`. The rules of `text.names` find names as ever; the pipeline of the text's language
adds those that it finds, and says of which type both are. A text in a language without one has what the rules find.
Nothing is downloaded: what pipelines there are is what is installed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from graphrag_lite.distribution import install_hint
from graphrag_lite.errors import PluginError
from graphrag_lite.extraction.extractor import Entity
from graphrag_lite.text.names.find import find_names
from graphrag_lite.text.names.name import Name

# Labels of OntoNotes, CoNLL and natasha; dates, numbers and nationalities name nothing.
TYPES = {
    **dict.fromkeys(("PERSON", "PER", "PS"), "person"),
    **dict.fromkeys(("ORG", "OG"), "organization"),
    **dict.fromkeys(("GPE", "LOC", "FAC", "LC"), "location"),
    "EVENT": "event",
    "WORK_OF_ART": "work",
    "PRODUCT": "product",
    "LAW": "law",
    "LANGUAGE": "language",
}
NATASHA = "natasha"
Found = list[tuple[int, int, str]]  # start, end, label


def extract(text: str, language: str, pipelines: Mapping[str, str] = MappingProxyType({})) -> list[Entity]:
    """Return the names of a text with their types. `pipelines` names one by language, where not the first installed.

    Raises PluginError where one that is named is not installed.
    """
    pipeline = _pipeline(language, pipelines.get(language, ""))
    return list(add_types(text, find_names(text, language), pipeline(text) if pipeline else []))


def add_types(text: str, names: Iterable[Name], found: Found) -> Iterator[Entity]:
    """Yield the names that are sure or `found`, with the type found where they have none, and what else is found.

    >>> names = [Name(0, 4, "Oslo", "unknown", anchored=False), Name(8, 12, "Then", "unknown", anchored=False)]
    >>> [(each.name, each.type) for each in add_types("Oslo by Then Ann", names, [(0, 4, "GPE"), (13, 16, "PERSON")])]
    [('Oslo', 'location'), ('Ann', 'person')]
    """
    left = [span for span in found if span[2] in TYPES]
    for name in names:
        over = [span for span in left if span[0] < name.end and name.start < span[1]]
        if name.anchored or over:
            kind = next((TYPES[label] for *_, label in over), "unknown")
            yield Entity(name.name, kind if name.type == "unknown" else name.type)
        left = [span for span in left if span not in over]
    for start, end, label in left:
        word = text[start:end].strip()
        if "\n" not in word and any(map(str.isalpha, word)) and not word[0].islower():
            yield Entity(word, TYPES[label])


@cache
def _pipeline(language: str, name: str) -> Callable[[str], Found] | None:
    """Return what finds the entities of a text in a language, None where nothing is installed for it."""
    if name == NATASHA or (language == "ru" and not name):
        try:
            return _natasha()
        except ImportError:
            if name:
                raise PluginError(f"pipelines: {NATASHA} is not installed (pip install natasha)") from None
    try:
        import spacy
    except ImportError:
        raise PluginError(f"extractor ner needs {install_hint('ner')}") from None
    installed = sorted(spacy.util.get_installed_models())
    named = name or next((each for each in installed if each.startswith(f"{language}_")), "")
    if not named:
        return None
    try:
        pipeline = spacy.load(named, exclude=["parser", "tagger", "lemmatizer", "attribute_ruler", "morphologizer"])
    except OSError:
        known = ", ".join(installed) or "none"
        raise PluginError(f"pipelines: {named} is no pipeline that is installed ({known}).") from None
    labels = _ontonotes() if language == "ja" else {}
    return lambda text: [(e.start_char, e.end_char, labels.get(e.label_, e.label_)) for e in pipeline(text).ents]


def _ontonotes() -> Mapping[str, str]:
    """Return the label of OntoNotes for each of GiNZA's."""
    try:
        from ginza import ENE_ONTONOTES_MAPPING
    except ImportError:
        return {}
    return ENE_ONTONOTES_MAPPING  # type: ignore[no-any-return]


def _natasha() -> Callable[[str], Found]:
    from natasha import Doc, NewsEmbedding, NewsNERTagger, Segmenter

    segmenter, tagger = Segmenter(), NewsNERTagger(NewsEmbedding())

    def found(text: str) -> Found:
        document: Any = Doc(text)
        document.segment(segmenter)
        document.tag_ner(tagger)
        return [(span.start, span.stop, span.type) for span in document.spans]

    return found

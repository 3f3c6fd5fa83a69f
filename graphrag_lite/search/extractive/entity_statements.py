"""What the graph says of an entity, as sentences of the corpus: its description."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graphrag_lite.search.answer import Statement
from graphrag_lite.search.extractive.read_unit import MAX_LENGTH
from graphrag_lite.text.transcripts import speakers, spoken_span, statement_form
from graphrag_lite.text.words import ASKING

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question
    from graphrag_lite.retrieval.snapshot_view import SnapshotView

MAX_ENTITIES = 2  # whose descriptions open an answer
MAX_DESCRIPTION = 2  # sentences of each: what a model says of an entity rests on up to 12


def entity_answer(question: "Question") -> list[Statement]:
    """Return what the graph says to a question that only names entities: their descriptions.

    A question that says more, or states a period or what a document is, is answered by the sentences that fit it; to a
    question about one of a person's films the description of the person is no answer.
    """
    index, features = question.index, question.features
    if not features.entities or features.stated or not set(question.terms) - features.name_terms <= ASKING:
        return []
    named = sorted(features.entities, key=lambda entity: (-features.entities[entity], entity))[:MAX_ENTITIES]
    opening: dict[tuple[int, int], Statement] = {}
    for statement in (described for entity in named for described in description_statements(index, entity)):
        opening.setdefault((statement.unit, statement.start), statement)
    return list(opening.values())[: max(index.search_settings.max_sentences - 2, 1)]


def description_statements(index: "SnapshotView", entity: int) -> list[Statement]:
    """Return the sentences that describe an entity (its row), below its name and type."""
    title, kind, sources = (index.cell("entities", name, entity) for name in ("title", "type", "sources"))
    heading = title if kind == "unknown" else f"{title} ({kind})"
    # What is longer is no sentence: a name that its text unit does not hold stands for all of that.
    short = (span for span in sources if span["char_end"] - span["char_start"] <= MAX_LENGTH)
    statements = (statement_at(index, span, heading) for span in short)
    return [statement for statement in statements if not _is_greeting(index, statement)][:MAX_DESCRIPTION]


def statement_at(index: "SnapshotView", span: Mapping[str, Any], about: str) -> Statement:
    """Return what is said at a span of `sources`, without who says it."""
    unit = index.unit_row[span["text_unit_id"]]
    return Statement(unit, *spoken_span(index.document_of(unit)[0], span["char_start"], span["char_end"]), about)


def _is_greeting(index: "SnapshotView", statement: Statement) -> bool:
    """Say whether a place is in a transcript and holds no statement: thanks, a question, half a sentence."""
    text, language = index.document_of(statement.unit)
    return bool(speakers(text)) and not statement_form(text, statement.start, statement.end, language)

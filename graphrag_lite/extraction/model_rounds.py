"""What a model is asked of a text unit, and begins to be asked before the stage's turn.

A unit is one conversation, which goes on as long as the model says that something was missed (gleaning, GraphRAG paper
A.1). The first requests of a run wait for this module, so that what reads replies is imported once one has come.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from graphrag_lite import prompts as forms
from graphrag_lite.errors import CallError, ReplyError
from graphrag_lite.extraction.unit_context import context_lines, dated
from graphrag_lite.llm.chat import Message
from graphrag_lite.llm.stage_model import AHEAD, StageModel
from graphrag_lite.prompts import Prompts
from graphrag_lite.settings import ExtractClaims, ExtractGraph, SplitTextUnits

if TYPE_CHECKING:
    import pyarrow as pa

    from graphrag_lite.replies.claim_records import Claim
    from graphrag_lite.replies.graph_records import GraphReply
    from graphrag_lite.run.services import Cut, Told

T = TypeVar("T")
MAX_NAMES = 100  # entities listed in one question
LONG = 200_000  # characters of a document that is not cut twice, to ask about it before the others are read


class Rounds(NamedTuple, Generic[T]):
    """What was found by each round, and why the last one failed that was asked for, if it did."""

    found: list[T]
    failed: ReplyError | CallError | None = None

    def recorded(self, model: StageModel, name: str) -> list[T]:
        """Return what was found; a round that failed is a failure under `name`."""
        if self.failed:
            model.failed(name, self.failed, f"gleaning {len(self.found)}, what was found before it is kept: ")
        return self.found


class NameSource(NamedTuple):
    """What a model is asked about for names: lines that tell of a text, and the text."""

    about: str
    text: str


class ClaimSource(NamedTuple):
    """What a model is asked about for claims: a text, when it was made, and the entities that are known to be in it."""

    text: str
    date: str  # as its source states it, empty where it does not
    names: tuple[str, ...]

    @classmethod
    def of(cls, text: str, date: str, names: Iterable[str]) -> "ClaimSource":
        return cls(text, date, tuple(dict.fromkeys(names))[:MAX_NAMES])


def first_request(source: NameSource, settings: ExtractGraph, prompts: Prompts) -> list[Message]:
    """Return the conversation that begins the extraction of a text; all of it before the text is the same for all."""
    own = (f"{kind} ({' '.join(line.split())})" for kind, line in settings.types.items())
    types = ", ".join([*own, *(kind for kind in settings.entity_types if kind not in settings.types)])
    examples = prompts.fill(forms.ExtractGraphExamplesPrompt()).strip()
    return [{"role": "user", "content": prompts.fill(forms.ExtractGraphPrompt(types, examples, *source))}]


async def names_of(
    settings: ExtractGraph, model: StageModel, prompts: Prompts, source: NameSource
) -> "Rounds[GraphReply]":
    """Return what the model found of entities and relationships, by round. Raises like `_rounds`."""

    def read(reply: str) -> "GraphReply":
        from graphrag_lite.replies.graph_records import read_graph

        return read_graph(reply, types=[*settings.types, *settings.entity_types])

    missed, more = forms.ExtractGraphMissedPrompt(), forms.ExtractGraphMorePrompt()
    first = first_request(source, settings, prompts)
    return await _rounds(model, first, read, prompts.fill(missed), prompts.fill(more), settings.max_gleanings)


async def claims_of(
    settings: ExtractClaims, model: StageModel, prompts: Prompts, source: ClaimSource
) -> "Rounds[tuple[list[Claim], int]]":
    """Return the claims, by round. Raises like `_rounds`."""
    from graphrag_lite.replies.claim_records import NONE, read_claims

    listed = ", ".join(" ".join(entity.split()) for entity in source.names) or NONE
    prompt = forms.ExtractClaimsPrompt(settings.claim_description, source.date or NONE, listed, source.text)
    missed, more = forms.ExtractClaimsMissedPrompt(), forms.ExtractClaimsMorePrompt()
    first: list[Message] = [{"role": "user", "content": prompts.fill(prompt)}]
    return await _rounds(model, first, read_claims, prompts.fill(missed), prompts.fill(more), settings.max_gleanings)


async def _rounds(
    model: StageModel, conversation: list[Message], read: Callable[[str], T], missed: str, more: str, max_gleanings: int
) -> Rounds[T]:
    """Return what `read` makes of every reply: of the first pass, then of up to `max_gleanings` rounds.

    `more` asks for the rest, `missed` for a yes or no before that: not before the first round, as the question would
    send the whole conversation once more to learn a word. Raises like `StageModel.ask` where the first pass fails.
    """

    def parse(reply: str) -> tuple[str, T]:
        return reply, read(reply)

    reply, result = await model.ask(conversation, parse)
    found = [result]
    try:
        for number in range(max_gleanings):
            conversation.append({"role": "assistant", "content": reply})
            if number and not await model.yes([*conversation, {"role": "user", "content": missed}]):
                break
            conversation.append({"role": "user", "content": more})
            reply, result = await model.ask(conversation, parse)
            found.append(result)
    except (ReplyError, CallError) as error:
        return Rounds(found, error)
    return Rounds(found)


def texts_begun(settings: ExtractGraph, cutting: SplitTextUnits, model: StageModel, prompts: Prompts) -> "Told":
    """Return what begins to ask about the first texts while files are read: as many as keep the model busy."""

    def begin(text: str, date: str) -> None:
        n_waiting = sum(not outcome.done() for outcome in model.begun.values())
        if n_waiting >= model.model.settings.concurrency or len(text) > LONG:
            return
        from graphrag_lite.text.sentences import sentences
        from graphrag_lite.text.splitting import split
        from graphrag_lite.text.tokens import token_counter

        count = token_counter(cutting.encoding)
        for unit in split(text, sentences(text), count, size=cutting.size, overlap=cutting.overlap):
            model.begin(
                partial(names_of, settings, model, prompts), NameSource(dated(date), text[unit.start : unit.end])
            )

    return begin


def names_begun(settings: ExtractGraph, model: StageModel, prompts: Prompts) -> "Cut":
    """Return what begins to ask about the first texts, while other documents are cut; `extract_graph` goes on."""

    def cut(source_documents: "pa.Table", episodes: "pa.Table") -> Callable[[str, int, str], None]:
        context = context_lines(source_documents, episodes)

        def begin(document_id: str, start: int, text: str) -> None:
            if text.strip() and len(model.begun) < AHEAD * model.model.settings.concurrency:
                source = NameSource(context(document_id, start, start + len(text)), text)
                model.begin(partial(names_of, settings, model, prompts), source)

        return begin

    return cut


def claims_begun(settings: ExtractClaims, model: StageModel, prompts: Prompts) -> Callable[[str, str, list[str]], None]:
    """Return what begins to ask about a text unit, given its text, date and names; `extract_claims` goes on."""

    def named(text: str, date: str, names: list[str]) -> None:
        if text.strip():
            model.begin(partial(claims_of, settings, model, prompts), ClaimSource.of(text, date, names))

    return named

"""Prompts for a corpus: its domain, the types of its entities, and examples of extraction from its own texts.

The model is asked about a sample. What it says is checked like every reply, and goes into prompt files as plain text:
one line of limited length where it describes, records that our parser has read and the text bears out where it
extracts.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from graphrag_lite import prompts, tables
from graphrag_lite.attempts import ignore, in_turn
from graphrag_lite.errors import OutputError, ReplyError, SettingsError
from graphrag_lite.llm.chat import ChatModel
from graphrag_lite.llm.model import open_model
from graphrag_lite.llm.stage_model import StageModel
from graphrag_lite.ops.exported import write_output
from graphrag_lite.replies.graph_records import Entity, GraphReply, Relationship, read_graph
from graphrag_lite.replies.json_reply import TEXT, object_schema, read_object
from graphrag_lite.replies.records import clean_field
from graphrag_lite.run import snapshots
from graphrag_lite.run.corpus_files import scan
from graphrag_lite.run.sync import run_coroutine
from graphrag_lite.settings import Settings
from graphrag_lite.stages.load_documents import load_documents
from graphrag_lite.stages.split_text_units import split_text_units
from graphrag_lite.text.sentences import sentences
from graphrag_lite.text.tokens import token_counter
from graphrag_lite.watch import Silence

# The prompts that say whose texts these are. Questions that follow in a conversation, and ratings, need it not.
ADAPTED = (
    "extract_graph.md",
    "extract_claims.md",
    "report_communities.md",
    "local_search.md",
    "basic_search.md",
    "global_map.md",
    "global_reduce.md",
)
EXAMPLES = "extract_graph_examples.md"
EXCERPT_TOKENS = 250  # of each text unit in the sample, and of each example
MAX_EXAMPLES = 3
MAX_TRIED = 8  # excerpts from which examples are made
MAX_TYPES, MAX_TYPE, MAX_LINE = 12, 40, 300  # types; characters of one, and of a sentence
SCHEMA = object_schema(domain=TEXT, language=TEXT, reader=TEXT, entity_types={"type": "array", "items": TEXT})


@dataclass(frozen=True)
class Description:
    """What the model says of a corpus."""

    domain: str
    language: str
    reader: str
    entity_types: tuple[str, ...]


@dataclass(frozen=True)
class Tuned:
    """What was written. `settings` are lines for settings.yaml; `usage` is what was asked (`Meter.to_dict`)."""

    domain: str
    language: str
    written: tuple[Path, ...]
    n_examples: int
    settings: str
    usage: dict[str, Any]


def tune(
    corpus: Path,
    root: Path,
    settings: Settings,
    *,
    n_units: int = 12,
    force: bool = False,
    model: ChatModel | None = None,
) -> Tuned:
    """Write prompts for a corpus into `root`/prompts, by asking the model about `n_units` text units of it.

    `model` takes the place of the one that the settings name. Raises OutputError, before anything is asked, where a
    file would be overwritten and `force` is not set; SettingsError, ModelError, ReplyError where no model can be asked
    or it says nothing of use.
    """
    if not settings.llm.model and model is None:
        raise SettingsError("llm.model: prompt-tune asks a model; name one, as in --set llm.model=NAME.")
    return run_coroutine(_tune(corpus, root, settings, n_units, force, model))


async def _tune(
    corpus: Path, root: Path, settings: Settings, n_units: int, force: bool, model: ChatModel | None
) -> Tuned:
    folder, output = root / "prompts", root / "output"
    there = [str(folder / name) for name in (*ADAPTED, EXAMPLES) if (folder / name).exists()]
    if there and not force:
        raise OutputError(f"{', '.join(there)} would be overwritten. Use --force if you mean that.")
    if not force:
        prompts.load(folder)  # a prompt of the user's that cannot be used is told before anything is spent
    excerpts = await _sample(corpus, output, settings, n_units)
    shipped = prompts.load()
    with snapshots.explain_write_errors(output):
        output.mkdir(parents=True, exist_ok=True)
    with open_model(settings.llm, output, model) as opened:
        await opened.chat.check()
        stage_model = opened.of("prompt_tune", [], Silence())
        description = await _describe(stage_model, shipped, excerpts)
        texts = {name: adapt_prompt(shipped.texts[name], description) for name in ADAPTED}
        adapted = prompts.Prompts({**shipped.texts, **texts})
        examples = await _examples(stage_model, adapted, description.entity_types, evenly_spaced(excerpts, MAX_TRIED))
        usage = dict(opened.meter.to_dict("prompt_tune"))
    if examples:
        texts[EXAMPLES] = escape("\n\n".join(examples) + "\n")
    for name, text in sorted(texts.items()):
        write_output(folder / name, text.encode())
    prompts.load(folder)
    written = tuple(folder / name for name in sorted(texts))
    lines = f"extract_graph:\n  entity_types: {json.dumps(description.entity_types, ensure_ascii=False)}"
    return Tuned(description.domain, description.language, written, len(examples), lines, usage)


async def _sample(corpus: Path, output: Path, settings: Settings, n_units: int) -> list[str]:
    """Return the beginnings of text units that are spread over the corpus, in its order."""
    files = tables.make("corpus_files", scan(corpus, leave_out=output, settings=settings.load_documents).rows)
    documents = await load_documents(files, settings.load_documents, corpus, ignore)
    units = await split_text_units(documents, settings.split_text_units, in_turn)
    count = token_counter(settings.split_text_units.encoding)
    return [_excerpt(text, count) for text in evenly_spaced(units["text"].to_pylist(), n_units)]


def evenly_spaced(items: Sequence[str], n: int) -> list[str]:
    """Return n items at equal distances, in their order; all where there are no more.

    >>> evenly_spaced("abcdefghi", 3), evenly_spaced("ab", 3)
    (['b', 'e', 'h'], ['a', 'b'])
    """
    if len(items) <= n:
        return list(items)
    return [items[(2 * index + 1) * len(items) // (2 * n)] for index in range(n)]


def _excerpt(text: str, count: Callable[[str], int]) -> str:
    """Return the first sentences of a text, as many as make an excerpt, and at least one, cut where it is too long."""
    end = 0
    for _, stop in sentences(text):
        if end and count(text[:stop]) > EXCERPT_TOKENS:
            break
        end = stop
    return text[:end].strip()[: EXCERPT_TOKENS * 8]


async def _describe(model: StageModel, texts: prompts.Prompts, excerpts: Sequence[str]) -> Description:
    numbered = "\n\n".join(f"Excerpt {number}:\n{text}" for number, text in enumerate(excerpts, start=1))
    message = {"role": "user", "content": texts.fill(prompts.DescribeCorpusPrompt(numbered))}
    return await model.ask([message], read_description, schema=SCHEMA)


def read_description(text: str) -> Description:
    """Read what the model says of a corpus. Raises ReplyError where it lacks the domain, or names no type of entity.

    >>> read_description('{"domain": "Ghost\\\\nstories.", "entity_types": ["Person", "ghost", "person"]}')
    Description(domain='Ghost stories.', language='', reader='', entity_types=('person', 'ghost'))
    """
    found = read_object(text)
    domain, language, reader = (_line(found.get(name)) for name in ("domain", "language", "reader"))
    listed = found.get("entity_types")
    listed = listed.split(",") if isinstance(listed, str) else listed if isinstance(listed, list) else []
    types = [_line(kind).casefold().strip(" .") for kind in listed if isinstance(kind, str)]
    usable = tuple(
        dict.fromkeys(kind for kind in types if 0 < len(kind) <= MAX_TYPE and kind.replace(" ", "").isalpha())
    )
    if not domain:
        raise ReplyError("its `domain` is missing or empty")
    if not usable:
        raise ReplyError("its `entity_types` names none: write a list of words, such as person")
    return Description(domain, language, reader, usable[:MAX_TYPES])


def _line(value: object) -> str:
    return clean_field(value)[:MAX_LINE] if isinstance(value, str) else ""


def adapt_prompt(template: str, description: Description) -> str:
    """Return a shipped prompt with what the corpus is, behind its first line.

    >>> print(adapt_prompt("Answer.\\n\\n$$5 $question", Description("Prices in $.", "French", "a baker", ())))
    Answer.
    <BLANKLINE>
    The corpus: Prices in $$. Most of it is in French. Read it as a baker would.
    <BLANKLINE>
    $$5 $question
    """
    first, _, rest = template.partition("\n")
    about = [f"The corpus: {description.domain.rstrip('.')}."]
    about += [f"Most of it is in {description.language.rstrip('.')}."] if description.language else []
    about += [f"Read it as {description.reader.rstrip('.')} would."] if description.reader else []
    return f"{first}\n\n{escape(' '.join(about))}\n\n{rest.lstrip()}"


def escape(text: str) -> str:
    """Return a text as it stands in a prompt file: a dollar sign begins no placeholder."""
    return text.replace("$", "$$")


async def _examples(
    model: StageModel, texts: prompts.Prompts, types: Sequence[str], excerpts: Sequence[str]
) -> list[str]:
    """Return the best examples that the model makes of excerpts, in the order of the corpus."""
    shown = texts.fill(prompts.ExtractGraphExamplesPrompt())

    async def extract(excerpt: str) -> GraphReply:
        filled = prompts.ExtractGraphPrompt(entity_types=", ".join(types), examples=shown, about="", text=excerpt)
        message = {"role": "user", "content": texts.fill(filled)}
        try:
            return valid_records(await model.ask([message], partial(read_graph, types=types)), excerpt, types)
        except ReplyError:
            return GraphReply()

    found = await model.map(extract, excerpts, lambda excerpt: excerpt[:60])
    good = {index: reply for index, reply in enumerate(found) if reply and reply.relationships}
    worth = {index: len(reply.entities) + 2 * len(reply.relationships) for index, reply in good.items()}
    best = sorted(good, key=lambda index: (-worth[index], index))[:MAX_EXAMPLES]
    return [render_example(excerpts[index], good[index], types) for index in sorted(best)]


def valid_records(reply: GraphReply, text: str, types: Sequence[str]) -> GraphReply:
    """Return what can stand in an example: entities of these types that the text names, and relationships of them."""
    folded = " ".join(text.split()).casefold()
    known = {kind.casefold() for kind in types}
    entities: dict[str, Entity] = {}
    for entity in reply.entities:
        if entity.type in known and entity.description and entity.name.casefold() in folded:
            entities.setdefault(entity.name, entity)
    relationships: dict[tuple[str, str], Relationship] = {}
    for relationship in reply.relationships:
        ends = relationship.source, relationship.target
        if set(ends) <= entities.keys() and relationship.relation and relationship.description:
            relationships.setdefault(ends, relationship)
    return GraphReply(tuple(entities.values()), tuple(relationships.values()))


def _marks(found: Relationship) -> list[str]:
    """Return the last field of a record, none for what is so and lasts."""
    marks = [mark for mark in (found.polarity, found.kind) if mark not in ("positive", "state")]
    return [" ".join(marks)] if marks else []


def render_example(text: str, reply: GraphReply, types: Sequence[str]) -> str:
    """Return an example as `extract_graph_examples.md` holds it: types, text, records."""
    rows: list[tuple[str, ...]] = [("entity", e.name, e.type, e.description) for e in reply.entities]
    rows += [
        (
            *("relationship", found.source, found.target, found.relation, found.description),
            *(f"{found.strength:g}", found.valid_at, found.invalid_at, *_marks(found)),
        )
        for found in reply.relationships
    ]
    records = [f'("{kind}"<|>{"<|>".join(fields)})##' for kind, *fields in rows]
    return "\n".join([f"Entity types: {', '.join(types)}", "Text:", text, "Records:", *records, "<|COMPLETE|>"])

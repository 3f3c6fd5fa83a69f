"""A model's judgement of names that the rules leave open: which of two that are alike mean the same."""

import logging
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from graphrag_lite.errors import ReplyError
from graphrag_lite.evidence.packing import pack_ranges
from graphrag_lite.llm.stage_model import StageModel
from graphrag_lite.prompts import Prompts
from graphrag_lite.prompts import ResolveEntitiesPrompt as PairsPrompt
from graphrag_lite.replies.chosen_numbers import number_list_schema, read_chosen
from graphrag_lite.resolution.candidate_pairs import grey_pairs
from graphrag_lite.resolution.ladder import Resolution
from graphrag_lite.resolution.model_decisions import Pair, merge_clusters, merge_groups
from graphrag_lite.resolution.name_keys import exact_key
from graphrag_lite.text.plain_text import cut_line

LONGEST_NAME = 120  # characters, in a question

logger = logging.getLogger(__name__)


class FirstMention(NamedTuple):
    """How an entity first comes up, so that later documents do not change what a question shows of it."""

    position: int  # among the mentions, by date
    name: str  # its own rather than a short one
    description: str  # of the same mention, which has one if any does


async def joined_by_model(
    rows: Sequence[Resolution],
    mentions: Sequence[tuple[str, str, str]],
    max_pairs: int,
    model: StageModel,
    prompts: Prompts,
) -> list[Resolution]:
    """Ask the model about the grey pairs, and merge what it calls the same; a pair without an answer stays apart.

    `mentions` are (name, type, description), by date. Pairs are asked in the order in which the later of the two comes
    up, in packs that a new document changes little: the memo answers those that it leaves as they were.
    """
    entities = {exact_key(row.name): row.key for row in rows if not row.document_id}
    types: dict[str, Counter[str]] = defaultdict(Counter)
    seen: dict[str, FirstMention] = {}
    ranks: dict[str, tuple[bool, int]] = {}
    for position, (name, kind, description) in enumerate(mentions):
        entity = entities.get(key := exact_key(name))
        if entity is None:  # it means several, each in documents of its own
            continue
        types[entity][kind] += 1
        if (rank := (key == entity, bool(description))) > ranks.get(entity, (False, -1)):
            ranks[entity] = rank
            seen[entity] = FirstMention(seen[entity].position if entity in seen else position, name, description)
    known = {
        entity: frozenset(k.casefold() for k in found if k not in ("", "unknown")) for entity, found in types.items()
    }
    pairs = grey_pairs(entities, known)
    ordered = sorted(pairs, key=lambda pair: (max(seen[pair[0]].position, seen[pair[1]].position), pair))
    questions = [
        [ordered[position] for position in pack]
        for pack in pack_ranges(["\n".join(p) for p in ordered], [1] * len(ordered), max_pairs)
    ]

    async def work(question: list[Pair]) -> frozenset[int] | None:
        content = prompts.fill(PairsPrompt(pairs="\n\n".join(_lines(question, seen))))
        parse = partial(read_chosen, n=len(question), word="same")
        try:
            same, n_unknown = await model.ask(
                [{"role": "user", "content": content}], parse, schema=number_list_schema("same")
            )
        except ReplyError as error:  # the index can do without these answers: the names stay apart
            model.failed(_name(question, seen), error, "kept apart: ")
            return None
        if n_unknown:
            logger.info("Ignored %d numbers of pairs that were not asked.", n_unknown)
        return same

    answers = await model.map(work, questions, partial(_name, seen=seen))
    verdicts = {
        pair: number in same
        for question, same in zip(questions, answers, strict=True)
        if same is not None
        for number, pair in enumerate(question, start=1)
    }
    same = [pair for pair in pairs if verdicts.get(pair)]
    different = [pair for pair in pairs if verdicts.get(pair) is False]
    return merge_groups(rows, merge_clusters(same, different).values(), types)


def _lines(question: Sequence[Pair], seen: dict[str, FirstMention]) -> Iterator[str]:
    """Yield the numbered pairs of one question."""
    for number, (one, other) in enumerate(question, start=1):
        yield f"{number}. {_shown(seen[one])}\n{' ' * len(str(number))}  {_shown(seen[other])}"


def _shown(entity: FirstMention) -> str:
    name, description = cut_line(entity.name, LONGEST_NAME), cut_line(entity.description)
    return f"{name} ({description})" if description else name


def _name(question: Sequence[Pair], seen: dict[str, FirstMention]) -> str:
    """Say which question it is, for the list of failures."""
    one, other = (cut_line(seen[entity].name, LONGEST_NAME) for entity in question[0])
    more = f" and {len(question) - 1} more pairs of names" if len(question) > 1 else ""
    return f'"{one}", "{other}"{more}'

"""Which facts later statements have ended, as a model judges: about 20 pairs at once, by their numbers."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

from graphrag_lite.errors import ReplyError
from graphrag_lite.evidence.packing import pack_ranges
from graphrag_lite.llm.stage_model import StageModel
from graphrag_lite.prompts import FoldFactsPrompt as PairsPrompt
from graphrag_lite.prompts import Prompts
from graphrag_lite.replies.chosen_numbers import number_list_schema, read_chosen
from graphrag_lite.temporal.contradictions import Pair, undecided_pairs
from graphrag_lite.temporal.fact_rows import Coded
from graphrag_lite.temporal.fold import FactMentions
from graphrag_lite.temporal.numbered import WordedMentions
from graphrag_lite.text.plain_text import cut_line

WORDS = ("subject", "relation", "object")


async def judged_ends(
    worded: WordedMentions,
    mentions: FactMentions,
    undecided: Collection[int],
    sentences: Callable[[Any], Coded],
    max_pairs: int,
    model: StageModel,
    prompts: Prompts,
) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs of rows asked about, and those of which the model says that the second ends the first.

    `worded` are the mentions in words, `sentences` gives those of rows. Pairs are asked about in the order in which
    they were said, in packs that a new document changes little.
    """
    import numpy as np

    found = undecided_pairs(mentions, undecided)
    rows = np.unique(np.array(found, dtype=np.int64))
    worded = worded.take(rows)
    words = zip(*(worded[name].to_pylist() for name in WORDS), strict=True)
    shown = {
        row: f"{' '.join(map(cut_line, parts))} (from {start}): {cut_line(sentence)}"
        for row, parts, start, sentence in zip(
            rows.tolist(), words, worded["valid_at"].to_pylist(), sentences(rows).words().to_pylist(), strict=True
        )
    }
    ids = dict(zip(rows.tolist(), worded["id"].to_pylist(), strict=True))
    ordered = sorted(found, key=lambda pair: (mentions.reported_at[list(pair)].max(), ids[pair[1]], ids[pair[0]]))
    packed = pack_ranges([" ".join(ids[row] for row in pair) for pair in ordered], [1] * len(ordered), max_pairs)
    questions = [ordered[pack.start : pack.stop] for pack in packed]

    def name(question: Sequence[Pair]) -> str:
        return shown[question[0][0]]

    async def work(question: Sequence[Pair]) -> list[Pair]:
        lines = [f"{n}. {shown[one]}\n   Later: {shown[other]}" for n, (one, other) in enumerate(question, start=1)]
        content = prompts.fill(PairsPrompt(pairs="\n\n".join(lines)))
        parse = partial(read_chosen, n=len(question), word="ended")
        try:
            ended, _ = await model.ask(
                [{"role": "user", "content": content}], parse, schema=number_list_schema("ended")
            )
        except ReplyError as error:  # the index can do without: what no answer ends goes on
            model.failed(name(question), error, "not ended: ")
            return []
        return [pair for number, pair in enumerate(question, start=1) if number in ended]

    answers = await model.map(work, questions, name)
    return found, sorted(pair for answer in answers for pair in answer or ())

"""What stages will ask whose questions depend on answers to come: as in the last run, else as measured or guessed."""

from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from operator import add
from pathlib import Path
from typing import Any, get_args

from graphrag_lite import tables
from graphrag_lite.errors import GraphragLiteError
from graphrag_lite.run import snapshots
from graphrag_lite.settings import Settings
from graphrag_lite.settings.models import Asking

MEASURED = "estimate: as with gpt-4o-mini's replies about A Christmas Carol"
HALF_MEASURED = f"{MEASURED}, the length of a reply guessed"
GUESSED = "estimate: guessed"
LAST_RUN = "estimate: as in the last run"
CALLS_OF_LAST_RUN = "estimate: as many calls as in the last run, their length guessed"


@dataclass(frozen=True)
class Amount:
    """Calls, and the tokens of all of them."""

    calls: float = 0
    prompt_tokens: float = 0
    completion_tokens: float = 0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(*map(add, astuple(self), astuple(other)))


@dataclass(frozen=True)
class Rate:
    """What a stage asks: calls for every 1,000 tokens of text, and the tokens of one call."""

    calls: float
    prompt_tokens: float
    completion_tokens: float
    basis: str

    def of(self, text_tokens: float) -> Amount:
        """Return what the stage asks about so much text: in whole calls, at least one about any text."""
        calls = max(round(self.calls * text_tokens / 1000), 1) if text_tokens and self.calls else 0
        return Amount(calls, calls * self.prompt_tokens, calls * self.completion_tokens)


# Measured on 57,000 tokens in units of 600, with gpt-4o-mini's replies to extraction and the length of its 101 reports.
# There is no real reply to the few calls that merge descriptions (1) and tell names apart (4).
RATES = {
    "resolve_entities": Rate(0.07, 1250, 60, HALF_MEASURED),
    "fold_facts": Rate(0.01, 1800, 20, GUESSED),
    "summarize_descriptions": Rate(0.02, 1330, 200, HALF_MEASURED),
    "report_communities": Rate(0.71, 1490, 790, MEASURED),
}
ASKS = ("enabled", "model", "max_gleanings")  # settings of a stage by which it asks more or less
# The 84 replies to units of 1,200 tokens hold 640 tokens on average in our form of records; the later half, which is
# mostly gleanings, a fifth more than the first. A unit of a quarter of the size has about half of the entities
# (GraphRAG paper 3.1.1), so a reply's length goes with the square root of the unit's.
REPLY_TOKENS, REPLY_UNIT_TOKENS = 640, 1200
CLAIMS_TOKENS = 200  # of a reply about claims: a guess, there is no real one
YES_TOKENS = 1
# What is asked again when a corpus grows: at least this share of all, and so much for each share that is new. 800
# passages of musique_openie, and 1, 4, 8, 27, 80, 280 more: reports .08 .06 .07 .10 .21 .43 of all, pairs of names .09
# .17 .26 .58 .78 .78. New entities move the borders of communities, and pairs from one question into the next.
# Of merged descriptions 1% more of two corpora of transcripts changed .19 to .33: those of what the new text names too.
CHANGED = {
    "report_communities": (0.06, 1.6),
    "resolve_entities": (0.08, 16.0),
    "summarize_descriptions": (0.05, 20.0),
}
# Reports with communities.mode: stable, the same passages one after the other: .01 .02 .03 .07 .20 .55 of all. 1% more
# of the transcripts: .02 and .06 in the mean.
SMALL = 0.005  # of the text: what is less changes in proportion. One sentence of 900,000 characters: 3 calls
STABLE = {**CHANGED, "report_communities": (0.02, 2.2)}


@dataclass(frozen=True)
class Estimates:
    """What the stages of the last run asked (`Meter.to_dict`, by stage) about so many text units and tokens of text."""

    usage: Mapping[str, Mapping[str, Any]]
    n_units: int = 0
    n_tokens: int = 0
    changed: Mapping[str, tuple[float, float]] = field(default_factory=lambda: STABLE)

    @staticmethod
    def of(output: Path, settings: Settings) -> "Estimates":
        """Read them from the current snapshot, where the settings name its model, and of stages that ask as often."""
        try:
            folder = snapshots.current(output)
            manifest = snapshots.read_manifest(folder)
            if any(manifest["settings"]["llm"][name] != getattr(settings.llm, name) for name in ("model", "models")):
                return Estimates({})
            sizes = tables.read(folder, "source_units", only=["n_tokens"])["n_tokens"].to_pylist()
            sections = {name: manifest["settings"][name] for name in get_args(Asking)}
            n_reports = manifest["tables"]["community_reports"]["rows"]
        except (GraphragLiteError, KeyError):
            return Estimates({})
        now = settings.model_dump()
        usage = {
            name: record["usage"]
            for name, record in manifest["stages"].items()
            if "usage" in record
            and name in sections
            and all(sections[name].get(key) == now[name].get(key) for key in ASKS)
        }
        if reports := usage.get("report_communities"):  # nothing was asked about those that were kept
            usage["report_communities"] = {**reports, "memo_hits": max(n_reports - reports["calls"], 0)}
        changed = STABLE if settings.communities.mode == "stable" else CHANGED
        return Estimates(usage, len(sizes), sum(sizes), changed)

    def amount(self, stage: str, new_tokens: float, n_tokens: int) -> Amount:
        """Return what a stage that is not in rounds asks about a corpus, of which so much is new since the last run."""
        new = new_tokens / max(n_tokens, 1)
        least, slope = self.changed.get(stage, (0.0, 1.0)) if stage in self.usage else (1.0, 0.0)
        if stage in self.usage:
            least *= min(1.0, new / SMALL)
        share = min(1.0, least + slope * new) if new_tokens else 0.0
        return self.rate(stage).of(n_tokens * share)

    def rate(self, stage: str) -> Rate:
        """Return the rate of a stage that is not in rounds."""
        usage, usual = self.usage.get(stage), RATES[stage]
        if not usage or not self.n_tokens:
            return usual
        n_calls = usage["calls"]
        rate = (n_calls + usage["memo_hits"]) * 1000 / self.n_tokens
        if not n_calls:
            return Rate(rate, usual.prompt_tokens, usual.completion_tokens, CALLS_OF_LAST_RUN)
        return Rate(rate, usage["prompt_tokens"] / n_calls, usage["completion_tokens"] / n_calls, LAST_RUN)

    def rounds(self, stage: str, unit_tokens: float, max_gleanings: int) -> Rate:
        """Return the rate of a stage in rounds, `calls` being the share of questions for more that get a yes.

        Without a run to tell it is 1: the most that can be asked.
        """
        length = REPLY_TOKENS * (unit_tokens / REPLY_UNIT_TOKENS) ** 0.5 if stage != "extract_claims" else CLAIMS_TOKENS
        usage = self.usage.get(stage)
        most = Rate(1.0, 0, length, "estimate: a further round for every question that may lead to one")
        if not usage or not usage["calls"]:
            return most
        requests = (usage["calls"] + usage["memo_hits"]) / max(self.n_units, 1)  # of a unit
        if max_gleanings < 2:
            return Rate(0.0, 0, usage["completion_tokens"] / usage["calls"], LAST_RUN)
        if requests < 1:  # the last run asked about few of the units, and it is not known how many
            return most
        share = _share_of_yes(requests, max_gleanings)
        questions = sum(share**number for number in range(max_gleanings - 1))
        texts = usage["calls"] * max(1 - questions / max(requests, 1), 0.1)  # calls whose reply is more than a word
        return Rate(share, 0, usage["completion_tokens"] / texts, LAST_RUN)


def _share_of_yes(requests: float, rounds: int) -> float:
    """Return the share of yes with which a unit makes so many requests: its first two, the questions, further rounds.

    >>> _share_of_yes(3.5, 2), round(_share_of_yes(2.0 + 1 + 0.5 + 0.5 + 0.25, 3), 3)
    (0.5, 0.5)
    """
    low, high = 0.0, 1.0
    for _ in range(30):
        share = (low + high) / 2
        made = 2 + sum(share**k for k in range(rounds - 1)) + sum(share**k for k in range(1, rounds))
        low, high = (share, high) if made < requests else (low, share)
    return round((low + high) / 2, 6)


def gleanings(
    first: Amount, question: Amount, further: Amount, rate: Rate, rounds: int, question_tokens: int, more_tokens: int
) -> tuple[Amount, Amount]:
    """Return the questions whether something was missed, and the further rounds, that a run will ask.

    `first`, `question` and `further` are the requests that are certain: a unit's first that no kept answer serves.
    What follows on each is `rate`; a conversation grows by the reply and by the next question (tokens).
    """
    conversation = first.prompt_tokens / max(first.calls, 1) + rate.completion_tokens
    if question.calls:
        conversation = question.prompt_tokens / question.calls - question_tokens
    new = (first.calls + further.calls) * sum(rate.calls**number for number in range(rounds - 1))
    questions = question + Amount(new, new * (conversation + question_tokens))
    new = first.calls + questions.calls * rate.calls
    to_come = further + Amount(new, new * (conversation + more_tokens))
    return (
        questions + Amount(0, 0, questions.calls * YES_TOKENS),
        to_come + Amount(0, 0, to_come.calls * rate.completion_tokens),
    )

"""What a run would ask of models, told before anything is spent.

The stages are rehearsed: they run in memory on the answers of the memo, and what they ask beyond those is what a run
would pay for. What depends on answers that nobody has given yet is estimated.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import ceil
from pathlib import Path
from typing import Any

from graphrag_lite import pipeline, prompts, tables
from graphrag_lite.attempts import attempting, ignore, in_turn
from graphrag_lite.errors import SettingsError
from graphrag_lite.llm.chat import ChatModel, Embedder, Usage
from graphrag_lite.llm.meter import Meter, cost_of
from graphrag_lite.llm.model import Model
from graphrag_lite.llm.openai_embedder import MemoisedEmbedder, memoised_embedder
from graphrag_lite.llm.providers import chat_model, models_of_stages
from graphrag_lite.llm.rehearsal import FIRST, MORE, YES_NO, RehearsedStage, by_line, open_rehearsal
from graphrag_lite.ops.estimates import Amount, Estimates, gleanings
from graphrag_lite.read.readers import Readers, all_readers
from graphrag_lite.run import results, stamps
from graphrag_lite.run.corpus_files import scan
from graphrag_lite.run.lost_readers import refuse_without_readers
from graphrag_lite.run.sync import run_coroutine
from graphrag_lite.settings import Settings
from graphrag_lite.settings.models import Llm
from graphrag_lite.stages.embed_text_units import EmbeddingInputs, text_excerpts
from graphrag_lite.stages.load_documents import fields_of
from graphrag_lite.text.tokens import token_counter
from graphrag_lite.watch import Silence

ONE_EACH = "estimate: one a text unit"
IN_ROUNDS = ("extract_graph", "extract_claims")  # stages that converse about each text unit
LARGE_UNITS = 1200  # tokens: fewer calls, and fewer names for the length (GraphRAG paper 3.1.1)
SUMS = ("calls", "memo_hits", "prompt_tokens", "completion_tokens", "cost", "exact")


@dataclass(frozen=True)
class PlannedCalls:
    """What one step of a stage asks. Calls and prompt tokens are `exact` or not; completion tokens never are.

    `memo_hits` are requests that kept answers serve; `cost` is in US dollars, None where the prices are not known.
    """

    stage: str
    step: str
    calls: int
    memo_hits: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    exact: bool
    basis: str


@dataclass(frozen=True)
class Stop:
    """The setting that would stop the run, its value, and the stage that the run would come to."""

    setting: str
    limit: float
    stage: str


@dataclass(frozen=True)
class CheaperPlan:
    """A cheaper way to make the same index: what to set, and what the whole run would then ask."""

    setting: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


@dataclass(frozen=True)
class Plan:
    """What a run would ask of the model, in the order of its stages."""

    method: str
    model: str | None
    embedding_model: str | None
    documents: int
    text_units: int
    text_tokens: int
    steps: tuple[PlannedCalls, ...]
    total: PlannedCalls
    stop: Stop | None
    cheaper: tuple[CheaperPlan, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return what `plan --json` prints: documented in docs/json.md, and stable."""
        values = asdict(self)
        values["total"] = {name: values["total"][name] for name in SUMS}
        return values


def plan(
    corpus: Path, output: Path, settings: Settings, model: ChatModel | None = None, embedder: Embedder | None = None
) -> Plan:
    """Say what `pipeline.index` would ask of models if it ran now. Writes nothing, needs no key and no endpoint.

    `model` and `embedder` take the place of those that the settings name; only their identities are used, under which
    answers are kept. Raises InputError for a corpus that cannot be used, PromptError for prompts that cannot,
    PluginError where the run would lack a reader that the last one had.
    """
    if model is None and (lacking := settings.lack_a_model()):
        raise SettingsError("\n".join(lacking))
    return run_coroutine(_plan(corpus, output, settings, model, embedder))


def with_choices(made: Plan, corpus: Path, output: Path, settings: Settings, model: ChatModel | None = None) -> Plan:
    """Return a plan with the choices beside it that ask for fewer tokens; each of them is a plan of its own.

    There are none where answers are kept: another choice would ask anew for them.
    """
    if not settings.asks or (output / "current").exists() or made.total.memo_hits:
        return made
    units, graph = settings.split_text_units, settings.extract_graph
    choices: dict[str, dict[str, Any]] = {
        f"split_text_units.size={LARGE_UNITS}": {"split_text_units": units.model_copy(update={"size": LARGE_UNITS})},
        "extract_graph.max_gleanings=0": {"extract_graph": graph.model_copy(update={"max_gleanings": 0})},
    }
    cheaper: list[CheaperPlan] = []
    for setting, changes in choices.items():
        total = run_coroutine(_plan(corpus, output, settings.model_copy(update=changes), model, None)).total
        if total.prompt_tokens < made.total.prompt_tokens:
            cheaper.append(CheaperPlan(setting, total.calls, total.prompt_tokens, total.completion_tokens, total.cost))
    return replace(made, cheaper=tuple(cheaper))


async def _plan(
    corpus: Path, output: Path, settings: Settings, model: ChatModel | None, embedder: Embedder | None
) -> Plan:
    readers = all_readers()
    files = scan(corpus, leave_out=output, settings=settings.load_documents, readers=readers)
    refuse_without_readers(corpus, output, readers, settings.load_documents)
    standard, embeds = settings.asks, bool(embedder or settings.embeddings.model)
    chat, embedding = settings.llm.model if standard else None, settings.embeddings.model
    if not standard and not embeds:
        _tell_columns(corpus, [path for path, *_ in files.rows], readers, settings)
        return Plan(settings.method, None, None, 0, 0, 0, (), _total(()), None)
    if standard:
        Meter(settings.llm)  # refuses a budget that it cannot keep
    count = by_line(token_counter(settings.split_text_units.encoding))
    chat_of_run = chat_model(settings.llm, model) if standard else None
    others = models_of_stages(settings.llm, model) if standard else {}
    with open_rehearsal(settings.llm, chat_of_run, others, output / "memo.sqlite", count) as rehearsed:
        memoised = memoised_embedder(settings.embeddings, settings.llm, rehearsed.memo, embedder) if embeds else None
        services = dict.fromkeys(("extractor", "count", "refresh", "named", "told", "cut")) | {
            "corpus": corpus,
            "readers": readers,
            "prompts": prompts.load((output.parent / "prompts") if standard else None),
            "model": rehearsed,
            "each": in_turn,
            "fail": ignore,
            "attempt": attempting(ignore),
            "mode": settings.communities.mode,
        }
        run = _DryRun(settings, output, services, rehearsed, Estimates.of(output, settings))
        run.know("corpus_files", tables.make("corpus_files", files.rows), files.digest)
        stages = pipeline.stages(settings.method)
        last = max(i for i, stage in enumerate(stages) if "source_units" in stage.writes or (standard and stage.asks))
        for stage in stages[: last + 1]:
            await run.take(stage)
        if memoised:
            run.embed(memoised, count)
    steps = tuple(run.steps)
    sizes = run.table("source_documents").num_rows, run.table("source_units").num_rows, run.n_tokens
    return Plan(settings.method, chat, embedding, *sizes, steps, _total(steps), _stop(steps, settings.llm))


@dataclass
class _DryRun:
    """A rehearsal under way: what is known of each table, and the steps so far."""

    settings: Settings
    output: Path
    services: dict[str, Any]
    model: Model
    estimates: Estimates
    steps: list[PlannedCalls] = field(default_factory=list)
    exact: bool = True  # what the stage reads is as it will be, and it lacked no answer
    missing: float = 0.0  # tokens of the text units of which nothing has been extracted yet
    _guessed: set[str] = field(default_factory=set)  # tables that lack what answers will say
    _tables: dict[str, Any] = field(default_factory=dict)  # in memory, or the folder that holds it
    _digests: dict[str, str] = field(default_factory=dict)

    def know(self, name: str, table: Any, sha256: str) -> None:
        self._tables[name] = table
        self._digests[name] = sha256

    def table(self, name: str) -> Any:
        found = self._tables[name]
        return tables.read(found, name) if isinstance(found, Path) else found

    @property
    def n_tokens(self) -> int:
        """Return the tokens of all text units."""
        return sum(self.table("source_units")["n_tokens"].to_pylist())

    async def take(self, stage: stamps.Stage) -> None:
        """Find the result of a stage, rehearse it, or, where what it reads is not known, estimate what it asks."""
        asks = stage.asks and self._may_ask(stage.name)
        self.exact = set(stage.reads) <= self._tables.keys() - self._guessed
        if not set(stage.reads) <= self._tables.keys():
            if asks and stage.name in IN_ROUNDS:
                self._add_expected_rounds(stage.name)
            elif asks:
                amount = self.estimates.amount(stage.name, self.missing, self.n_tokens)
                self._add(stage.name, "", 0, amount, self.estimates.rate(stage.name).basis)
            return
        if reused := results.reusable_result(stage, self.settings, self.services, self._digests, self.output):
            folder, record = reused
            for name in stage.writes:
                self.know(name, folder, record["tables"][name]["sha256"])
            if asks:
                self._add(stage.name, "", 0, Amount(), "unchanged")
            return
        asking = RehearsedStage(self.model.at(stage.name), stage.name, [], Silence())
        read = {name: self.table(name) for name in stage.reads}
        stamp = stamps.stamp_of(stage, self.settings, self.services, self._digests)
        last = results.last_result(stage, stamp, results.last_run(self.output))
        services = {**self.services, "model": asking, "last": last}
        written = await stage.run(**read, **stamps.arguments(stage, self.settings, services))
        n_missing = sum(asking.calls.values())
        if stage.name in IN_ROUNDS and asks:
            certain = [Amount(asking.calls[kind], asking.prompt_tokens[kind]) for kind in (FIRST, YES_NO, MORE)]
            self._add_conversation(stage.name, certain, asking.hits, self._counted(True))
            # A unit's requests end where an answer is missing, so what it says is not known.
            new = n_missing * self.n_tokens / max(self.table("source_units").num_rows, 1)
            self.missing = max(self.missing, new)
        elif asks:
            self._add_rehearsed(asking)
        self.exact = self.exact and not n_missing
        if stage.name in IN_ROUNDS and n_missing:
            return
        for name, table in zip(stage.writes, written if isinstance(written, tuple) else (written,), strict=True):
            self.know(name, table, tables.sha256(table, name) if self.exact else "of answers that are missing")
            self._guessed |= set() if self.exact else {name}

    def embed(self, embedder: MemoisedEmbedder, count: Callable[[str], int]) -> None:
        """Count what the embedding model would be sent: all of it is known, whatever the answers of the other model."""
        calls = hits = n_tokens = 0
        new: set[str] = set()
        inputs = EmbeddingInputs(self.table("source_documents"), self.table("source_units"))
        excerpts = [excerpt for _, excerpt, _ in text_excerpts(inputs, attempt=attempting(ignore))]
        for texts, own in ((inputs, embedder), (excerpts, embedder.of_questions())):
            n_before = len(new)
            for text in texts:
                if (key := own.key(text)) not in new:
                    if own.known(key) is not None:
                        hits += 1
                    else:
                        new.add(key)
                        n_tokens += count(f"{own.text_prefix}{text}")
            calls += ceil((len(new) - n_before) / embedder.batch_size)
        cost = _cost(n_tokens, 0, self.settings.llm, embedder.model)
        self.steps.append(PlannedCalls("embed_text_units", "", calls, hits, n_tokens, 0, cost, True, "counted"))

    def _may_ask(self, stage: str) -> bool:
        section = getattr(self.settings, stage)
        return bool(getattr(section, "enabled", True) and getattr(section, "model", True))

    def _add_expected_rounds(self, stage: str) -> None:
        """Add the steps of a stage that will converse about text units of which nothing has been extracted yet.

        A text is asked about once, however many units hold it; in a stage that has never asked, every text.
        """
        units = self.table("source_units")
        n_texts = len(set(units["text"].to_pylist()))
        share = self.missing / max(self.n_tokens, 1) if stage in self.estimates.usage else 1.0
        length = self.n_tokens / max(units.num_rows, 1) + len(self.services["prompts"].texts[f"{stage}.md"]) // 4
        calls = ceil(n_texts * share)
        self._add_conversation(stage, [Amount(calls, calls * length), Amount(), Amount()], Counter(), ONE_EACH)

    def _add_conversation(self, stage: str, certain: Sequence[Amount], hits: Mapping[str, int], basis: str) -> None:
        """Add the steps of requests that are certain (first ones, questions for more, further ones), and to come."""
        rounds = getattr(self.settings, stage).max_gleanings
        rate = self.estimates.rounds(stage, self.n_tokens / max(self.table("source_units").num_rows, 1), rounds)
        first, question, further = certain
        replies = Amount(completion_tokens=first.calls * rate.completion_tokens)
        self._add(stage, "first pass", hits.get(FIRST, 0), first + replies, basis)
        if not rounds:
            return
        lengths = [len(self.services["prompts"].texts[f"{stage}_{name}.md"]) // 4 for name in ("missed", "more")]
        questions, to_come = gleanings(first, question, further, rate, rounds, *lengths)
        known, basis = not first.calls, ONE_EACH if rounds == 1 else rate.basis
        if rounds > 1:
            self._add(stage, "anything missed?", hits.get(YES_NO, 0), questions, self._counted(known) or basis)
            known = known and not question.calls
        self._add(stage, "what was missed", hits.get(MORE, 0), to_come, self._counted(known) or basis)

    def _add_rehearsed(self, asking: RehearsedStage) -> None:
        calls = sum(asking.calls.values())
        completion = calls * self.estimates.rate(asking.stage).completion_tokens
        amount = Amount(calls, sum(asking.prompt_tokens.values()), completion)
        self._add(asking.stage, "", sum(asking.hits.values()), amount, self._counted(not calls))

    def _counted(self, known: bool) -> str:
        return "counted" if known and self.exact else ""

    def _add(self, stage: str, step: str, hits: int, amount: Amount, basis: str) -> None:
        calls, prompt, completion = map(round, (amount.calls, amount.prompt_tokens, amount.completion_tokens))
        cost = _cost(prompt, completion, self.settings.llm, self.settings.llm.of(stage).model)
        basis = basis or "estimate: on the answers that are kept"
        exact = not basis.startswith("estimate")
        self.steps.append(PlannedCalls(stage, step, calls, hits, prompt, completion, cost, exact, basis))


def _tell_columns(corpus: Path, paths: Sequence[str], readers: Readers, settings: Settings) -> None:
    """Read the tables of a corpus: of each that names no text itself the log says which columns are taken for what."""
    root = corpus.parent if corpus.is_file() else corpus
    fields = fields_of(settings.load_documents)
    for path in filter(readers.has_rows, paths):
        file = root / path
        if file.is_file() and file.stat().st_size <= settings.load_documents.max_file_mb * 1e6:
            next(iter(readers.read(file.read_bytes(), path, fields)), None)


def _cost(prompt_tokens: int, completion_tokens: int, llm: Llm, model: str | None) -> float | None:
    """Return US dollars, as if the provider's cache served nothing."""
    prices = llm.prices_of(model)
    return None if prices is None else round(cost_of(Usage(prompt_tokens, 0, completion_tokens), prices), 6)


def _total(steps: tuple[PlannedCalls, ...]) -> PlannedCalls:
    calls, hits, prompt, completion = (sum(getattr(step, name) for step in steps) for name in SUMS[:4])
    costs = [step.cost for step in steps]
    cost = None if None in costs or not costs else round(sum(filter(None, costs)), 6)
    return PlannedCalls("total", "", calls, hits, prompt, completion, cost, all(step.exact for step in steps), "")


def _stop(steps: tuple[PlannedCalls, ...], llm: Llm) -> Stop | None:
    """Return what would stop a run of these steps, None where nothing would."""
    calls, cost = 0, 0.0
    for step in steps:
        calls += step.calls
        cost += step.cost or 0.0
        if llm.max_calls is not None and calls > llm.max_calls:
            return Stop("llm.max_calls", llm.max_calls, step.stage)
        if llm.max_cost is not None and cost > llm.max_cost:
            return Stop("llm.max_cost", llm.max_cost, step.stage)
    return None

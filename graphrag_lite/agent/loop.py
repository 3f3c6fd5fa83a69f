"""The loop with a model: each step is one call of a tool, until it answers, or has to."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any

from graphrag_lite.agent import requests
from graphrag_lite.agent.calls import ANSWER, Call, Seen, described_tools, read_call
from graphrag_lite.agent.citing import spans_of
from graphrag_lite.agent.context import LAST, LEAST_WINDOW, AgentContext, ToolTurn, cut_to_tokens, used_tokens
from graphrag_lite.agent.memory_tools import LEFT_OUT, source_status
from graphrag_lite.agent.pages import RecordPage
from graphrag_lite.agent.session import Session
from graphrag_lite.agent.tools import TOOLS, Tool, call, step_record
from graphrag_lite.errors import CallError, InputError, ReplyError
from graphrag_lite.evidence.records import Shown
from graphrag_lite.llm.meter import Stopped
from graphrag_lite.memory.store import MESSAGE
from graphrag_lite.prompts import AgentSearchPrompt, AgentSummaryPrompt
from graphrag_lite.retrieval.question import Question
from graphrag_lite.search.answer import Answer, ranked
from graphrag_lite.search.local_search import answer_by
from graphrag_lite.search.methods import Query
from graphrag_lite.search.model_query import Asking, Writing

UNREADABLE = 3  # replies in a row that are no call, after which local search answers
MAX_WORDS = 100  # of a summary
FOLDED = 0.75  # of the window: more is summarised in several calls
AGAIN = "You have made this call before. Its result is the same:"
OF_MEMORY = ("archival_memory_search", "archival_memory_insert", "core_memory_append", "core_memory_replace")
OF_TALK = ("conversation_search", "conversation_search_date")
EARLIER = 4  # messages of the session that a context begins with


class Ended(Exception):
    """The model does not answer; says why."""


@dataclass
class Loop:
    """A model at work on one question: its context, what it has seen, and what it was answered."""

    question: Question
    query: Query
    session: Session
    asking: Asking
    context: AgentContext
    most: int  # calls of the model
    n_calls: int = 0
    n_unreadable: int = 0
    seen: Seen = field(default_factory=Seen)
    results: dict[str, str] = field(default_factory=dict)
    steps: list[Mapping[str, Any]] = field(default_factory=list)

    async def run(self) -> Answer:
        """Return what the model answers; where it does not, the answer of local search, which says why."""
        made: Answer | bool = True
        try:
            while made is True and self.n_calls < self.most - 1:
                made = await self._turn(self.context.messages(), self.context.tools)
                if not isinstance(made, Answer):
                    await self._make_room()
            if not isinstance(made, Answer):
                answer = [tool for tool in self.context.tools if tool["name"] == ANSWER]
                made = await self._turn(self.context.messages(LAST), answer)
        except Stopped as stopped:
            return self._local(f"The model was asked no more ({stopped})")
        except Ended as ended:
            return self._local(str(ended))
        return made if isinstance(made, Answer) else self._local(f"The model gave no answer within {self.most} steps")

    async def _turn(self, messages: Sequence[Mapping[str, str]], tools: Sequence[Mapping[str, Any]]) -> Answer | bool:
        """Ask once and do what is called. Return the answer, or whether the model wants to see what came."""
        self.n_calls += 1
        reply = await self.asking.model.call(messages, tools)
        try:
            made = read_call(reply)
        except ReplyError as error:
            self.n_unreadable += 1
            if self.n_unreadable == UNREADABLE:
                raise Ended(f"{UNREADABLE} replies of the model in a row could not be read") from None
            self._came(Call("unreadable", {}), reply, f"Error: {error}", _nothing(str(error)))
            return True
        self.n_unreadable = 0
        try:
            if made.tool == ANSWER:
                return self._answer(requests.read_arguments(requests.AnswerArguments, json.dumps(made.arguments)), made)
            if made.tool not in {tool["name"] for tool in tools}:
                raise InputError(f"There is no tool {made.tool!r}. There are: {', '.join(t['name'] for t in tools)}.")
            self._look(made)
        except InputError as error:
            self._came(made, str(made), f"Error: {error}", _nothing(str(error)))
            return True
        return made.heartbeat

    def _look(self, made: Call) -> None:
        arguments = self.seen.meant(made.arguments)
        key = json.dumps([made.tool, arguments], sort_keys=True)
        if key in self.results:
            self._came(made, str(made), f"{AGAIN}\n{self.results[key]}", _nothing(AGAIN))
            return
        page = call(self.session, made.tool, json.dumps(arguments), room=self.context.room)
        self.results[key] = self.seen.shown(page)
        if TOOLS[made.tool].writes:
            self.context.system = system_message(self.session, self.query, self.asking)
            self.results = {key: self.results[key]}  # what was found in memory before may not be all
        self._came(made, str(made), self.results[key], page)

    def _came(self, made: Call, reply: str, result: str, page: Mapping[str, Any]) -> None:
        before = self.context.in_use
        self.context.add(reply, result)
        after = self.context.in_use
        self.steps.append(
            {**step_record(made.tool, made.arguments, page, after - before, after), "thought": made.thought}
        )

    def _answer(self, given: requests.AnswerArguments, made: Call) -> Answer:
        """Return what the model answers, with the marks left out whose ids it was not shown."""
        index = self.question.index
        ids = self.seen.meant(given.citations)
        shown = Shown(citations=[spans_of(index, one) if self.seen.has(one) else [] for one in ids])
        writing = Writing({n for n, spans in enumerate(shown.citations, start=1) if spans}, self.asking.show)
        writing.add(given.text)
        ranking = ranked(self.session.scores(self.question), index.document_row, self.query.top_k)
        found = self.asking.answer(self.question, "agent", ranking, shown, writing.finish())
        last = step_record(made.tool, {}, asdict(RecordPage(1, 1, 1, [])), 0, self.context.in_use)
        return replace(found, steps=[*self.steps, {**last, "thought": made.thought}])

    def _local(self, why: str) -> Answer:
        """Return the answer of local search in the place of the model's, and say why."""
        found = answer_by(self.question, self.query, self.session.scores(self.question), "agent")
        if self.asking.show:
            self.asking.show(found.answer)
        model = self.asking.model.model
        usage = model.meter.to_dict(self.asking.model.stage)
        failures = [f"{why}: local search answers without it"]
        return replace(found, steps=self.steps, failures=failures, model=model.identity.get("model"), usage=usage)

    async def _make_room(self) -> None:
        """Let the oldest calls leave a full context, and have what they came to summarised."""
        portion: list[ToolTurn] = []
        for turn in [*self.context.leaving(), None]:
            if portion and (turn is None or used_tokens([*portion, turn]) > FOLDED * self.context.window):
                self.context.summary = await self._summary(portion)
                portion = []
            if turn:
                portion.append(turn)

    async def _summary(self, turns: Sequence[ToolTurn]) -> str:
        messages = "\n\n".join(f"{turn.call}\n{turn.result}" for turn in turns)
        prompt = AgentSummaryPrompt(MAX_WORDS, self.context.summary or "(nothing)", messages, self.question.text)
        if self.n_calls < self.most - 1:
            self.n_calls += 1
            with suppress(CallError):
                reply = await self.asking.model.call(
                    [{"role": "user", "content": self.asking.prompts.fill(prompt)}], ()
                )
                if words := reply.split()[:MAX_WORDS]:
                    return cut_to_tokens(" ".join(words), 280)
        return cut_to_tokens(f"{_listed(turns)} {self.context.summary}", 280)


def _listed(turns: Sequence[ToolTurn]) -> str:
    """Return the ids and titles in results, where no summary of them can be had."""
    listed = []
    for turn in turns:
        try:
            records = json.loads(turn.result)["records"]
        except (ValueError, KeyError, TypeError):
            continue
        listed += [f"{record.get('id', '')} {record.get('title', '')}".strip() for record in records]
    return "Seen: " + "; ".join(dict.fromkeys(listed)) + "."


def _nothing(note: str) -> dict[str, Any]:
    return asdict(RecordPage(0, 0, 0, [], note))


def tools_for(session: Session, query: Query) -> dict[str, Tool]:
    """Return the tools for a query: those of memory where a session is named, those of talk where any is known."""
    left_out = set() if query.session is not None else set(OF_MEMORY)
    if query.session is None and "message" not in session.index.column("episodes", "kind").unique().to_pylist():
        left_out |= set(OF_TALK)
    return {name: tool for name, tool in TOOLS.items() if name not in left_out}


def system_message(session: Session, query: Query, asking: Asking) -> str:
    """Return the words that a context begins with, with the core memory of its session."""
    blocks = session.memory.blocks(session.name) if query.session is not None else {}
    return asking.prompts.fill(AgentSearchPrompt(blocks.get("task", "") or "-", blocks.get("user", "") or "-"))


def open_loop(question: Question, query: Query, session: Session, asking: Asking, *, steps: int, tokens: int) -> Loop:
    """Return a loop before its first step. Raises InputError for a budget that cannot hold a page."""
    earlier, hidden = _earlier(session, query)
    tools = described_tools(tools_for(session, query))
    context = AgentContext(system_message(session, query, asking), question.text, tools, tokens, earlier, hidden)
    if context.window < LEAST_WINDOW:
        raise InputError(f"A budget of {tokens} tokens cannot hold a page; it must be {context.least} or more.")
    return Loop(question, query, session, asking, context, steps)


def _earlier(session: Session, query: Query) -> tuple[list[str], int]:
    """Return the last messages of a session from before it was first asked this, and how many others there are.

    One that rests on what the conditions of the query leave out is not among them.
    """
    if query.session is None:
        return [], 0
    messages = [session.memory.entry(rowid) for rowid in session.memory.listed(MESSAGE, query.session)]
    same_question = (n for n, one in enumerate(messages) if one.role == "user" and one.content == query.question)
    messages = messages[: next(same_question, len(messages))]
    usable = (one for one in reversed(messages) if source_status(session.index, one) != LEFT_OUT)
    shown = [f"{one.role}: {cut_to_tokens(' '.join(one.content.split()), 100)}" for one in islice(usable, EARLIER)]
    return shown[::-1], len(messages) - len(shown)

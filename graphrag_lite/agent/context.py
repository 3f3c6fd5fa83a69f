"""The working context of a model that calls tools: what it is shown, never more than the budget.

Fixed are the system's words with core memory, the tools, and the question with the summary of what has left. Calls with
their results take the rest, the window: the oldest leave it at 90%, until half is free, and the last three stay.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphrag_lite.agent.pages import LEAST
from graphrag_lite.llm.chat import Message, estimated_tokens, prompt_tokens, tool_tokens

REPLY = 1024  # tokens kept for a reply
SUMMARY = 300  # tokens kept for the summary: 100 words
ALERT, FULL, FREE = 0.75, 0.9, 0.5  # of the window: where the model is told, where calls leave, how much they leave
STAY = 3  # newest calls that stay
RESULT, CALL = 5, 16  # a result has at most a fifth of the window, a call a sixteenth: three pairs always fit
LEAST_WINDOW = RESULT * LEAST
ALERTED = "(Your context is nearly full: the oldest calls will soon leave it. Note now what matters.)"
LAST = "This is the last turn: call `answer` now, with what you have seen."


@dataclass(frozen=True, slots=True)
class ToolTurn:
    """A call as the model made it, and what it was answered."""

    call: str
    result: str


@dataclass
class AgentContext:
    """What a model is shown. `earlier` are messages of the session, `hidden` counts those that are not shown."""

    system: str
    question: str
    tools: Sequence[Mapping[str, Any]]
    tokens: int
    earlier: Sequence[str] = ()
    hidden: int = 0
    summary: str = ""
    turns: list[ToolTurn] = field(default_factory=list)
    alerted: bool = False  # by the next request
    above: bool = False  # what alerts

    def messages(self, last: str = "") -> list[Message]:
        """Return the messages; `last` is said after them."""
        everything = self.hidden + len(self.earlier) + 2 * len(self.turns)
        parts = [f"{self.hidden} of {everything} messages are hidden."]
        parts += [f"What they came to: {self.summary}"] if self.summary else []
        parts += ["Earlier in this session:", *self.earlier] if self.earlier else []
        messages: list[Message] = [
            {"role": "system", "content": self.system},
            {"role": "user", "content": "\n".join([*parts, f"Question: {self.question}"])},
        ]
        for turn in self.turns:
            messages += [{"role": "assistant", "content": turn.call}, {"role": "user", "content": turn.result}]
        notice = "\n".join(filter(None, (ALERTED if self.alerted else "", last)))
        return [*messages, {"role": "user", "content": notice}] if notice else messages

    @property
    def in_use(self) -> int:
        """Tokens of the next request, with its tools, and without the reply."""
        return prompt_tokens(self.messages()) + tool_tokens(self.tools)

    @property
    def window(self) -> int:
        """Tokens for calls and their results."""
        fixed = AgentContext(self.system, self.question, self.tools, 0, self.earlier).in_use
        notices = estimated_tokens(ALERTED + LAST) + 8
        return self.tokens - REPLY - SUMMARY - notices - fixed

    @property
    def least(self) -> int:
        """The least budget that would do."""
        return self.tokens - self.window + LEAST_WINDOW

    @property
    def room(self) -> int:
        """Tokens that a result may have."""
        return max(self.window // RESULT, LEAST)

    def add(self, call: str, result: str) -> None:
        """Take in a call and its result; what is too long is shortened."""
        self.turns.append(ToolTurn(cut_to_tokens(call, self.window // CALL), cut_to_tokens(result, self.room + 40)))
        before, self.above = self.above, used_tokens(self.turns) > ALERT * self.window
        self.alerted = self.above and not before

    def leaving(self) -> list[ToolTurn]:
        """Take out the calls that have to leave, oldest first: at 90% until half is free; the last three stay."""
        gone: list[ToolTurn] = []
        if used_tokens(self.turns) > FULL * self.window:
            while len(self.turns) > STAY and used_tokens(self.turns) > FREE * self.window:
                gone.append(self.turns.pop(0))
        while self.turns and used_tokens(self.turns) > self.window:  # core memory may have grown meanwhile
            gone.append(self.turns.pop(0))
        self.hidden += 2 * len(gone)
        self.above = used_tokens(self.turns) > ALERT * self.window
        return gone


def used_tokens(turns: Sequence[ToolTurn]) -> int:
    """Estimate the tokens of calls with their results."""
    return sum(estimated_tokens(turn.call) + estimated_tokens(turn.result) + 8 for turn in turns)


def cut_to_tokens(text: str, tokens: int) -> str:
    """Return the beginning of a text, of at most so many tokens.

    >>> cut_to_tokens("abcdefgh" * 9, 4)
    'abcdefghabcde…'
    """
    if estimated_tokens(text) <= tokens:
        return text
    return text.encode("utf-8", "replace")[: 4 * tokens - 3].decode("utf-8", "ignore") + "…"

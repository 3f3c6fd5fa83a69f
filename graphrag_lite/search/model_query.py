"""What search asks a model, and how its answers are read: checked marks, recognised abstentions, counted failures."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from graphrag_lite.errors import CallError, GraphragLiteError, ModelError, ReplyError, UnansweredError
from graphrag_lite.evidence.citation_marks import Marks, complete_length
from graphrag_lite.evidence.records import Shown
from graphrag_lite.llm.chat import ChatModel, Reply, Request
from graphrag_lite.llm.stage_model import StageModel
from graphrag_lite.prompts import Prompts
from graphrag_lite.replies.json_reply import TEXT, object_schema, read_object
from graphrag_lite.search.answer import NOTHING, Answer, Ranking, answered, cite
from graphrag_lite.text.sentences import sentences

if TYPE_CHECKING:
    from graphrag_lite.retrieval.question import Question

T = TypeVar("T")
R = TypeVar("R")
Show = Callable[[str], None]

ABSTENTION = "not in the records"  # what the prompts ask for, in lower case
BEGINNING = 80  # characters of an answer in which it is looked for, however it is dressed
NOT_WORDS = re.compile(r"[\W_]+")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
LINE_MARKER = re.compile(r"^\s*(?:[-*+•>]\s+|\d{1,3}[.)]\s+)*")
HEADING = re.compile(r"#{1,6}\s|\*\*[^*]*\*\*:?$|[|:\-\s]*$")
POINTS_SCHEMA = object_schema(
    points={"type": "array", "items": object_schema(description=TEXT, score={"type": "integer"})}
)


class CheckedFirst:
    """A chat model whose endpoint is checked before the first request, and not where the memo answers everything."""

    def __init__(self, chat: ChatModel) -> None:
        self.chat = chat
        self._check: asyncio.Task[None] | None = None

    @property
    def identity(self) -> Mapping[str, Any]:
        return self.chat.identity

    async def check(self) -> None:
        self._check = self._check or asyncio.create_task(self.chat.check())
        await asyncio.shield(self._check)

    async def complete(self, request: Request) -> Reply:
        await self.check()
        return await self.chat.complete(request)

    async def stream(self, request: Request) -> AsyncIterator[str | Reply]:
        await self.check()
        async for piece in self.chat.stream(request):
            yield piece


@dataclass(frozen=True, slots=True)
class Point:
    """What a map call found. Marks in `description` are numbers of that call's context."""

    description: str
    score: float


@dataclass(frozen=True, slots=True)
class Written:
    """An answer as it was shown. `numbers`: number in the context -> number in the text, in order of use."""

    text: str
    numbers: Mapping[int, int] = field(default_factory=dict)
    n_dropped: int = 0


class _Ended(GraphragLiteError):
    """Carries an error past what a stage's map takes for the failure of one item; the other calls are cancelled."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


async def map_all(model: StageModel, work: Callable[[T], Awaitable[R]], items: Sequence[T]) -> list[R]:
    """Return the results of `work` in the order of items, as many at once as the limits allow. Any error ends it."""

    async def carried(item: T) -> R:
        try:
            return await work(item)
        except ModelError:
            raise
        except Exception as error:
            raise _Ended(error) from None

    try:
        return await model.map(carried, items, str)  # type: ignore[return-value] # no failure reaches it
    except _Ended as ended:
        raise ended.error from None


@dataclass(frozen=True)
class Asking:
    """One question's way to the model. With `show`, the answer is told in pieces as it comes."""

    model: StageModel
    prompts: Prompts
    response_type: str
    show: Show | None = None

    async def map(self, work: Callable[[T], Awaitable[R]], items: Sequence[T]) -> list[R]:
        """Return the results of `work`, which tells its own failures to `failed`, in the order of items."""
        return await map_all(self.model, work, items)

    def failed(self, what: str, error: CallError | ReplyError) -> None:
        """Record a call without which the answer can be written; one that used up its attempts ends the question.

        The others would wait as long, for an endpoint that answers nobody.
        """
        if isinstance(error, UnansweredError):
            raise UnansweredError(f"{what}: {error}")
        self.model.failed(what, error)

    async def yes(self, prompt: object) -> bool:
        """Return whether the model says yes to a prompt that asks for it."""
        return await self.model.yes(self._messages(prompt))

    async def ask(self, prompt: object, read: Callable[[str], T], schema: Mapping[str, Any]) -> T:
        """Return what `read` makes of the reply to a prompt that asks for JSON."""
        return await self.model.ask(self._messages(prompt), read, schema=schema)

    async def write(self, prompt: object, marks: range) -> Written:
        """Return the answer to a prompt, with the marks that point to nothing left out."""
        writing = Writing(marks, self.show)
        if self.show is None:
            writing.add(await self.model.ask(self._messages(prompt), str))
        else:
            async for piece in self.model.stream(self._messages(prompt)):
                writing.add(piece)
        return writing.finish()

    def nothing(self) -> Written:
        """Say that the corpus does not say: nothing was found to ask the model about."""
        return Writing(range(0), self.show).finish()

    def answer(
        self, question: "Question", method: str, ranking: Ranking, shown: Shown, written: Written, n_dropped: int = 0
    ) -> Answer:
        """Make an answer of what was written; every mark is resolved to the places of its record."""
        index = question.index
        return answered(
            question,
            method,
            ranking,
            answer=written.text,
            citations=[
                cite(index, n, statement)
                for number, n in written.numbers.items()
                for statement in shown.citations[number - 1]
            ],
            model=self.model.model.identity.get("model"),
            n_dropped_citations=n_dropped + written.n_dropped,
            n_uncited_sentences=uncited(written.text, question.language),
            failures=[f"{what}: {error}" for what, error, _ in self.model.failures],
            usage=self.model.model.meter.to_dict(self.model.stage),
        )

    def _messages(self, prompt: object) -> list[dict[str, str]]:
        return [{"role": "user", "content": self.prompts.fill(prompt)}]


class Writing:
    """An answer that is being written. Nothing is shown before its marks are closed, and checked.

    >>> pieces = []
    >>> writing = Writing(range(1, 9), pieces.append)
    >>> for piece in ("He died [", "7, 99", "]. So", " it was", " [98]."):
    ...     writing.add(piece)
    >>> writing.finish(), pieces
    (Written(text='He died [1]. So it was.', numbers={7: 1}, n_dropped=2), ['He died', ' [1]. So', ' it was', '.'])
    """

    def __init__(self, marks: Container[int], show: Show | None = None) -> None:
        self._marks = Marks(shown=marks)
        self._show = show
        self._waiting = ""
        self._shown: list[str] = []

    def add(self, piece: str) -> None:
        self._waiting += piece
        if not self._shown:
            self._waiting = self._waiting.lstrip()
            begun = _words(self._waiting[:BEGINNING])
            if ABSTENTION.startswith(begun) or _abstains(begun):
                return
        n_ready = complete_length(self._waiting)
        self._tell(self._waiting[:n_ready])
        self._waiting = self._waiting[n_ready:]

    def finish(self) -> Written:
        if self._shown or not _abstains(_words(self._waiting[:BEGINNING])):
            self._tell(self._waiting.rstrip())
        if not self._shown:
            self._tell(NOTHING)
        return Written("".join(self._shown).rstrip(), self._marks.numbers, self._marks.n_dropped)

    def _tell(self, text: str) -> None:
        if text := self._marks.renumber(text):
            self._shown.append(text)
            if self._show:
                self._show(text)


def _words(text: str) -> str:
    return NOT_WORDS.sub(" ", text).strip().casefold()


def _abstains(begun: str) -> bool:
    return begun == ABSTENTION or begun.startswith(f"{ABSTENTION} ")


def read_points(reply: str) -> list[Point]:
    """Read the points of a map reply, points of score 0 left out. Raises ReplyError.

    >>> read_points('So: {"points": [{"description": "A [7].", "score": "90"}, {"description": "B", "score": 0}]}')
    [Point(description='A [7].', score=90.0)]
    """
    rows = read_object(reply).get("points")
    if not isinstance(rows, list):
        raise ReplyError('it is not JSON of the form {"points": [{"description": "...", "score": 80}]}')
    return [point for row in rows if (point := read_point(row)).score > 0 and point.description]


def read_point(row: Any, text: str = "description") -> Point:
    """Read one point, its text from the field of that name. Raises ReplyError."""
    description = row.get(text) if isinstance(row, dict) else None
    if not isinstance(description, str):
        raise ReplyError(f"a point has no `{text}`")
    score = NUMBER.search(str(row.get("score")))
    if score is None:
        raise ReplyError("a point has no `score`, a whole number from 0 to 100")
    return Point(" ".join(description.split()), min(max(float(score[0]), 0.0), 100.0))


def uncited(text: str, language: str) -> int:
    """Count the sentences of an answer that have no mark; headings, and what introduces a list, state nothing.

    >>> uncited("# Marley\\n\\nHe was dead. [1] Scrooge knew it.\\n\\n- He signed [2].", "en")
    1
    """
    n_uncited = 0
    if text == NOTHING:
        return 0
    for line in text.splitlines():
        line = line[LINE_MARKER.match(line).end() :].strip()  # type: ignore[union-attr] # it matches nothing, too
        if HEADING.match(line):
            continue
        for start, end in sentences(line, language):
            sentence = line[start:end].strip()
            stated = any(char.isalpha() for char in sentence) and not sentence.endswith((":", "："))
            n_uncited += stated and not re.search(r"\[\d+\]", sentence)
    return n_uncited

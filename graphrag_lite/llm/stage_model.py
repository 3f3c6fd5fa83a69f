"""What a stage asks of the model: every answer memoised, limited, counted, and repaired once where it is unusable.

stage -> StageModel.ask -> memo -> budget -> limits, retries -> ChatModel
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from math import ceil
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

from graphrag_lite.attempts import ENDS_RUN, describe_error
from graphrag_lite.errors import CallError, ModelError, ReplyError, WaitingError
from graphrag_lite.llm.chat import Message, Reply, Request, first_word
from graphrag_lite.llm.limits import TURN
from graphrag_lite.llm.meter import Stopped
from graphrag_lite.llm.own_loop import together
from graphrag_lite.llm.thinking import complete_text, without_thinking
from graphrag_lite.settings.models import Asking
from graphrag_lite.text.plain_text import cut_line
from graphrag_lite.watch import Watch

if TYPE_CHECKING:
    from graphrag_lite.llm.model import Model

T = TypeVar("T")
R = TypeVar("R")
REPAIR = (
    "Your last reply could not be used: {error}\n"
    "Answer the first request again, completely, and in exactly the form it asks for."
)
AHEAD = 8  # items begun for each request that may be in flight: breadth first, so that few long chains end a stage
BEGUN = 2  # items begun before their turn for each such request
YES_NO = ("Yes", "No")
STAGES = get_args(Asking)
SPEAKS_AT_ONCE = Request(())  # by which the memo holds whether a model's last streamed answer began with no thinking
EXCERPT = 80  # characters of an unusable reply that a user is shown


@dataclass
class StageModel:
    """The model, as one stage sees it."""

    model: "Model"
    stage: str
    failures: list[tuple[str, str, int]]
    watch: Watch
    stopped: Stopped | None = None  # why nothing more is asked
    begun: dict[Any, Future[Any] | asyncio.Future[Any]] = field(default_factory=dict)  # outcomes of `begin`, by item
    after: Future[None] | asyncio.Future[None] | None = None  # what is begun before its turn waits for this
    refused: ModelError | None = None  # by which nothing more is begun
    _turns: asyncio.Semaphore | None = None

    def begin(self, work: Callable[[T], Awaitable[Any]], item: T) -> None:
        """Start what will be asked of an item, for `outcome` to take in its turn.

        Its requests take the places that no request of an earlier stage waits for. So many items are begun at once as
        fill all places, also while some wait for the next of their requests.
        """
        turns = self._turns = self._turns or asyncio.Semaphore(BEGUN * self.model.settings.concurrency)

        async def outcome() -> Any:
            try:
                if self.after:
                    await asyncio.shield(asyncio.wrap_future(self.after))
                async with turns:
                    if self.refused:
                        return self.refused
                    return await work(item)
            except Exception as error:  # for whoever takes it to judge
                if isinstance(error, ModelError):
                    self.refused = error
                return error

        if item not in self.begun:
            self.begun[item] = self.model.started(outcome())

    async def outcome(self, work: Callable[[T], Awaitable[R]], item: T) -> R:
        """Return what comes of an item: of what was begun before its turn, or of `work`."""
        if not self.begun or (begun := self.begun.pop(item, None)) is None:
            return await work(item)
        if isinstance(outcome := await asyncio.wrap_future(begun), Exception):
            raise outcome
        return cast(R, outcome)

    async def ask(
        self,
        messages: Sequence[Message],
        parse: Callable[[str], T],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> T:
        """Return what `parse` makes of the reply; `parse` raises ReplyError for one that cannot be used.

        An unusable reply is shown to the model once, with the error; only a reply that was parsed is memoised, under
        this request. Raises ReplyError or CallError where there is no usable reply, ModelError where none can come.
        """
        request = Request(tuple(messages), schema, (), max_tokens)
        return await self.model.beside(self._answered(request, parse))

    async def call(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> str:
        """Return what the model says where it may call `tools`. It is kept as it is, and read by whoever asked."""
        request = Request(tuple(messages), tools=tuple(tools))
        return await self.model.beside(self._answered(request, str, lambda reply: without_thinking(reply.text)))

    async def yes(self, messages: Sequence[Message]) -> bool:
        """Return whether the model says yes to a question that asks for yes or no."""
        return await self.model.beside(self._answered(Request(tuple(messages), None, YES_NO), _yes))

    async def map(
        self, work: Callable[[T], Awaitable[R]], items: Sequence[T], name: Callable[[T], str]
    ) -> list[R | None]:
        """Return the results of `work` over items, in their order, as many at once as the limits allow.

        Items start in their order: one may wait for another before it. Where no usable reply comes, or `work` raises
        what nobody foresaw, the failure is recorded under the item's `name` and its result is None. Raises ModelError
        where the model failed more than `max_failure_ratio` of the items, or all of them, or the budget is spent: once
        what is in flight is answered and kept. Raises WaitingError where the rest is asked in a batch.

        All of it is done in the loop where the model is asked, which may be another thread's.
        """
        return await self.model.beside(self._mapped(work, items, name))

    async def _mapped(
        self, work: Callable[[T], Awaitable[R]], items: Sequence[T], name: Callable[[T], str]
    ) -> list[R | None]:
        results: list[R | None] = [None] * len(items)
        done = n_failed = 0
        waits = False
        most = min(ceil(self.model.settings.max_failure_ratio * len(items)), len(items) - 1)  # never all
        indices = iter(range(len(items)))

        async def attempted(item: T) -> R | None:
            nonlocal n_failed, waits
            try:
                return await work(item)
            except WaitingError:
                waits = True
                return None
            except (ReplyError, CallError) as error:
                n_failed += 1
                self.failed(name(item), error)
                if n_failed > most:
                    raise self._too_many(f"{n_failed} of {len(items)}", f"{name(item)}: {error}") from None
                return None
            except ENDS_RUN:
                raise
            except Exception as error:
                self.failures.append((name(item), describe_error(error), 1))
                return None

        async def lane() -> None:
            nonlocal done
            for index in indices:
                try:
                    results[index] = await attempted(items[index])
                except Stopped as stopped:
                    raise await self._end(stopped) from None
                done += 1
                self.watch.advance(done, len(items))
                self.watch.spend(self.model.meter.to_dict(self.stage))
                if self.stopped:
                    return

        await together(lane() for _ in range(min(len(items), AHEAD * self.model.settings.concurrency)))
        if waits and (batches := self.model.batches):
            await batches.submit(self.model.meter.room(self.stage, list(batches.open.values())))
        return results

    def _too_many(self, failed: str, last: str) -> Stopped:
        return Stopped(
            f"{self.stage}: {failed} could not be done, more than llm.max_failure_ratio allows. Nothing was published;"
            f" what was answered is kept, and the next run goes on from there. The last: {last}"
        )

    async def _end(self, stopped: Stopped) -> Stopped:
        """Have nothing more asked, wait until what is in flight is answered, and return the first that ended it."""
        self.stopped = self.stopped or stopped
        await self.model.beside(self.model.end(stopped))
        return self.stopped

    def failed(self, name: str, error: ReplyError | CallError, before: str = "") -> None:
        """Record what there is no usable answer to; `before` is put before the error. A reply was tried twice."""
        self.failures.append((name, f"{before}{error}", 2 if isinstance(error, ReplyError) else 1))

    async def stream(self, messages: Sequence[Message]) -> AsyncIterator[str]:
        """Yield the answer in pieces as they come; a memoised one at once. An answer cut off raises ReplyError.

        Only a closing tag may tell that what came before was thinking, so the first answer of a model comes as a whole.
        """
        request = Request(tuple(messages))
        memo = self.model.memo
        key, manner = (memo.key(self.model.identity, one) for one in (request, SPEAKS_AT_ONCE))
        if (found := memo.get(key)) is not None and (known := without_thinking(found.text)):
            self.model.meter.hit(self.stage)
            yield known
            return
        at_once, pieces = memo.get(manner) == Reply("yes"), ""
        async with self.model.meter.call(self.stage, request) as count:
            async for piece in self.model.chat.stream(request):
                if isinstance(piece, str):
                    pieces += piece
                    if at_once:
                        yield piece
                    continue
                count(piece.usage)
                try:
                    answer = complete_text(piece)
                except ReplyError as error:
                    raise ReplyError(f"The model's answer cannot be used: {error}. Ask again.") from None
                await memo.put(key, replace(piece, text=answer))
                if (spoke := pieces.split() == answer.split()) != at_once:
                    await memo.put(manner, Reply("yes" if spoke else "no"))
                if not at_once:
                    yield answer
                elif not spoke:
                    raise ReplyError("what was shown was the model's thinking. Its answer is kept: ask again")

    async def _answered(
        self, request: Request, parse: Callable[[str], T], text_of: Callable[[Reply], str] = complete_text
    ) -> T:
        key = self.model.memo.key(self.model.identity, request)
        if (known := self._remembered(key, parse, text_of)) is not None:
            return known[0]
        async with self.model.alone(key):
            if (known := self._remembered(key, parse, text_of)) is not None:  # the same was asked by another meanwhile
                return known[0]
            reply = await self._complete(request, key)
            try:
                result = parse(text_of(reply))
            except ReplyError as error:
                answer = {"role": "assistant", "content": without_thinking(reply.text).strip() or "(nothing)"}
                again = {"role": "user", "content": REPAIR.format(error=error)}
                repair = replace(request, messages=(*request.messages, answer, again))
                reply = await self._complete(repair, self.model.memo.key(self.model.identity, repair))
                try:
                    result = parse(text_of(reply))
                except ReplyError as problem:
                    raise ReplyError(f"{problem} (the model said: {cut_line(reply.text, EXCERPT)!r})") from None
            await self.model.memo.put(key, replace(reply, text=without_thinking(reply.text)))
            return result

    def _remembered(self, key: str, parse: Callable[[str], T], text_of: Callable[[Reply], str]) -> tuple[T] | None:
        if (found := self.model.memo.get(key)) is None:
            return None
        try:
            result = parse(text_of(found))
        except ReplyError:  # by the parser of another version, or a reply that one kept with its thinking
            return None
        self.model.meter.hit(self.stage)
        return (result,)

    async def _complete(self, request: Request, key: str) -> Reply:
        if self.stopped:
            raise self.stopped
        TURN.set(STAGES.index(self.stage) if self.stage in STAGES else -1)
        if self.model.batches is not None:
            reply = await self.model.batches.reply(key, request)
            self.model.meter.take(self.stage, reply.usage)
            return reply
        async with self.model.meter.call(self.stage, request) as count:
            try:
                reply = await self.model.chat.complete(request)
            except ENDS_RUN:
                raise
            except (Exception, asyncio.CancelledError) as error:  # of a model that is not ours
                if (asks := asyncio.current_task()) and asks.cancelling():
                    raise  # it is the run that is cancelled
                raise CallError(describe_error(error)) from error
            count(reply.usage)
            return reply


def _yes(text: str) -> bool:
    word = first_word(text)
    if word not in ("yes", "y", "no", "n"):
        raise ReplyError(f"{text[:40]!r} is neither yes nor no")
    return word.startswith("y")

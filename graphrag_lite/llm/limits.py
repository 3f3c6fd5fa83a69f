"""Limits of an endpoint: requests and tokens per minute, requests in flight, and pauses that it asks for."""

import asyncio
import math
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from heapq import heappop, heappush
from itertools import count

WINDOW = 60.0  # seconds: the minute of "per minute"
NO_DATE = (ValueError, TypeError, OverflowError)  # what reading one raises for what is none
UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
RETRY_DELAY = re.compile(r'"retryDelay"\s*:\s*"([^"]{1,20})"')
RESET = re.compile(r'"x-ratelimit-reset"\s*:\s*"?(\d{13})\b', re.IGNORECASE)  # OpenRouter's: a moment, in ms
MOMENT = re.compile(r"(\d{13})")  # the same in a header; others name seconds there
DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(h|ms|m|s)")
TURN: ContextVar[int] = ContextVar("turn", default=-1)  # place of the stage that makes a request; -1: a question


@dataclass(slots=True)
class Slot:
    """A request that was let through: when (seconds), and its tokens, an estimate until the real number is known."""

    started: float
    tokens: int
    counted: bool = False  # within the last minute


class Slots:
    """So many requests may be in flight; of those that wait, one of an earlier stage goes first."""

    def __init__(self, n: int) -> None:
        self._n_free = n
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._n_came = count()

    async def __aenter__(self) -> None:
        if self._n_free:  # nobody waits then
            self._n_free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (TURN.get(), next(self._n_came), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it had come already
                await self.__aexit__()
            raise

    async def __aexit__(self, *_: object) -> None:
        while self._waiting:
            if not (turn := heappop(self._waiting)[2]).done():
                turn.set_result(None)
                return
        self._n_free += 1


class Limits:
    """Lets requests through in the order of their stages, then as they come, none sooner than the limits allow.

    Of any 60 seconds none sees more requests or tokens begin than a minute may; a request of more tokens than that
    goes alone. Who waits sleeps until the moment that it may go: nothing polls.
    """

    def __init__(
        self, concurrency: int, requests_per_minute: int | None = None, tokens_per_minute: int | None = None
    ) -> None:
        self.requests_per_minute = requests_per_minute
        self.tokens_per_minute = tokens_per_minute
        self._slots = Slots(concurrency)
        self._turn = asyncio.Lock()
        self._changed = asyncio.Event()
        self._window: deque[Slot] = deque()
        self._tokens = 0  # in the window
        self._resume_at = 0.0

    @asynccontextmanager
    async def slot(self, tokens: int) -> AsyncIterator[Slot]:
        """Wait until a request of about so many tokens may go, and count it; `correct` tells the real number."""
        async with self._slots:
            async with self._turn:
                while (wait := self._wait(tokens)) > 0:
                    self._changed.clear()
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._changed.wait(), wait)
                slot = Slot(time.monotonic(), tokens)
                if self.requests_per_minute or self.tokens_per_minute:
                    slot.counted = True
                    self._window.append(slot)
                    self._tokens += tokens
            yield slot

    def correct(self, slot: Slot, tokens: int) -> None:
        """Count what a request has really used in place of its estimate."""
        if slot.counted:
            self._tokens += tokens - slot.tokens
            slot.tokens = tokens
            self._changed.set()

    def pause(self, seconds: float) -> float:
        """Let no request go for so many seconds. Returns by how many this is longer than any pause before it."""
        until = time.monotonic() + seconds
        longer = until - max(self._resume_at, time.monotonic())
        self._resume_at = max(self._resume_at, until)
        return max(longer, 0.0)

    def _wait(self, tokens: int) -> float:
        """Return in how many seconds a request may go, as far as is known now."""
        now = time.monotonic()
        while self._window and self._window[0].started <= now - WINDOW:
            gone = self._window.popleft()
            gone.counted = False
            self._tokens -= gone.tokens
        full = self.requests_per_minute is not None and len(self._window) >= self.requests_per_minute
        many = self.tokens_per_minute is not None and self._tokens + tokens > self.tokens_per_minute
        wait = self._window[0].started + WINDOW - now if self._window and (full or many) else 0.0
        return max(wait, self._resume_at - now)


def retry_after(headers: Mapping[str, str], text: str = "") -> float | None:
    """Return how many seconds a refused request is asked to wait.

    By retry-after-ms, or Retry-After (seconds, a date), or OpenRouter's X-RateLimit-Reset, or what the text of the
    answer says, as Gemini's and OpenRouter's do.

    >>> retry_after({"retry-after": "7"}), retry_after({"retry-after-ms": "250"}), retry_after({})
    (7.0, 0.25, None)
    >>> retry_after({}, '{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "32s"}')
    32.0
    """
    with suppress(ValueError):
        return _number(headers.get("retry-after-ms", "")) / 1000
    value = headers.get("retry-after", "")
    with suppress(ValueError):
        return _number(value)
    with suppress(*NO_DATE):
        until, now = _moment(value), time.time()
        with suppress(*NO_DATE):  # by the clock of who names it
            now = _moment(headers.get("date", ""))
        return max(until - now, 0.0)
    if moment := MOMENT.fullmatch(headers.get("x-ratelimit-reset", "")) or RESET.search(text):
        return max(int(moment[1]) / 1000 - time.time(), 0.0)
    return seconds(found[1]) if (found := RETRY_DELAY.search(text)) else None


def pause_before_next(headers: Mapping[str, str], tokens: int) -> float:
    """Return in how many seconds the endpoint has room for another such request, by its x-ratelimit headers.

    `reset` is when all of `limit` is free again; the room for one request comes sooner.

    >>> pause_before_next({
    ...     "x-ratelimit-limit-tokens": "1000", "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1m",
    ... }, tokens=100)
    6.0
    """
    return max(_until_room(headers, "requests", 1), _until_room(headers, "tokens", tokens))


def _until_room(headers: Mapping[str, str], what: str, needed: int) -> float:
    try:
        remaining = int(headers[f"x-ratelimit-remaining-{what}"])
        limit = int(headers.get(f"x-ratelimit-limit-{what}", 0))
    except (KeyError, ValueError):
        return 0.0
    reset = seconds(headers.get(f"x-ratelimit-reset-{what}", ""))
    if remaining >= needed or reset is None:
        return 0.0
    share = (min(needed, limit) - remaining) / (limit - remaining) if limit > remaining else 1.0
    return reset * max(share, 0.0)


def seconds(text: str) -> float | None:
    """Read a duration as rate-limit headers write it; None for what is none.

    >>> seconds("1m12.5s"), seconds("6ms"), seconds("20"), seconds("soon")
    (72.5, 0.006, 20.0, None)
    """
    with suppress(ValueError):
        return _number(text)
    parts = DURATION.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text.strip():
        return None
    return sum(float(number) * UNITS[unit] for number, unit in parts)


def _moment(date: str) -> float:
    """Read a date of HTTP, of UTC where it names no zone, as seconds. Raises one of NO_DATE for what is none."""
    moment = parsedate_to_datetime(date)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _number(text: str) -> float:
    """Read a number of seconds. Raises ValueError for what is none, such as nan."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return max(number, 0.0)

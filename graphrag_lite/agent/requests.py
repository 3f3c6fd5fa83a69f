"""What each tool is asked for: its arguments with their limits. Help, JSON schemas and docs are made of these."""

import json
from datetime import date
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from graphrag_lite.agent.pages import SIZE
from graphrag_lite.errors import InputError

MAX_QUERY = 2000  # characters
Query = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_QUERY)]
Day = Annotated[date, Field(strict=False)]  # as YYYY-MM-DD
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100_000)]


class ToolArguments(BaseModel):
    """The arguments of a tool. Its docstring says what the tool returns."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


class Paged(ToolArguments):
    """Arguments of a tool that returns pages."""

    page: int = Field(1, ge=1, description="which page, from 1")
    size: int = Field(SIZE, ge=1, le=SIZE, description="records of a page")


class Searched(Paged):
    """Arguments of a search over the index."""

    where: list[str] = Field(
        [],
        max_length=20,
        description="conditions that all have to hold, such as path=notes/*, date>=2024-03-01, speaker=Ana",
    )


class SearchPassages(Searched):
    """Passages of the documents that fit a query best, best first, each with its text."""

    query: Query = Field(description="what to look for: a question, or words")


class SearchEntities(Searched):
    """Entities whose names a query says, then those that share words with it, the most frequent first."""

    query: Query = Field(description="a name, or words of it")


class SearchReports(Searched):
    """Community reports that fit a query best, best first, each with its title and summary."""

    query: Query = Field(description="what to look for: a theme, or words")
    level: int | None = Field(None, ge=0, description="of one level only, 0 the coarsest")


class SearchFacts(Searched):
    """Facts about the names that a query says, or that fit it best: what held or happened from when to when."""

    query: Query = Field(description="a name, a question, or words")
    valid_at: Day | None = Field(None, description="only what held on that day, YYYY-MM-DD")
    as_of: Day | None = Field(None, description="only what documents dated until that day said, YYYY-MM-DD")


class Timeline(Searched):
    """What is dated of somebody, something or the subject of a question, in the order of time."""

    query: Query = Field(description="a name, or a question")
    first: Day | None = Field(None, alias="from", description="not what was over before that day, YYYY-MM-DD")
    last: Day | None = Field(None, alias="to", description="not what began after that day, YYYY-MM-DD")


class GetEntity(Paged):
    """What the index says of one entity, and a page of its relationships, the heaviest first, with their sentences."""

    id: Query = Field(description="the id of an entity, or its exact name")


class ReadSource(ToolArguments):
    """Lines of a document, or of a text unit, as they are."""

    id: Query = Field(description="the id of a text unit or of a document")
    line_start: int = Field(1, ge=1, description="the first line to show, from 1")
    num_lines: int = Field(20, ge=1, le=200, description="how many lines to show")


class AnswerArguments(ToolArguments):
    """The answer, which ends the search, with the places that its marks cite."""

    text: Text = Field(description="the answer; every sentence ends with marks such as [1], places in `citations`")
    citations: list[str] = Field([], max_length=50, description="ids of records that were seen; [1] is the first")


class ConversationSearch(Searched):
    """What was said: messages of this session that fit a query, then passages of conversations in the corpus."""

    query: Query = Field(description="what to look for: a question, or words")


class ConversationSearchDate(Searched):
    """What was said from one day to another, in the order of time: in this session, then in the corpus."""

    start_date: Day = Field(description="the first day, YYYY-MM-DD")
    end_date: Day = Field(description="the last day, YYYY-MM-DD; it counts, too")


class ArchivalMemorySearch(Paged):
    """Notes of all sessions that fit a query best, best first, then the newest."""

    query: Query = Field(description="what to look for: a question, or words")
    tags: list[str] = Field([], description="only notes that have all of these tags")


class ArchivalMemoryInsert(ToolArguments):
    """Keep a note for later sessions."""

    content: Text = Field(description="the note, understandable on its own")
    tags: list[str] = Field([], max_length=20, description="words to find it by")
    citations: list[str] = Field([], max_length=20, description="ids of records that it rests on")


class CoreMemoryAppend(ToolArguments):
    """Add a line to a block of core memory, which every context begins with."""

    name: str = Field(description="the block: task or user")
    content: Text = Field(description="the line")


class CoreMemoryReplace(ToolArguments):
    """Replace text in a block of core memory."""

    name: str = Field(description="the block: task or user")
    old_content: str = Field(description="text that occurs in the block exactly once")
    new_content: str = Field("", description="what takes its place; empty deletes it")


R = TypeVar("R", bound=ToolArguments)


def read_arguments(request: type[R], given: str) -> R:
    """Return the arguments that a JSON object states. Raises InputError that names what would be right.

    >>> read_arguments(SearchPassages, '{"query": "comets", "page": 2}')
    SearchPassages(page=2, size=5, where=[], query='comets')
    >>> read_arguments(SearchPassages, '{"query": "comets", "page": -1}')
    Traceback (most recent call last):
    graphrag_lite.errors.InputError: page: Input should be greater than or equal to 1
    """
    try:
        values = json.loads(given or "{}")
    except ValueError as error:
        raise InputError(f"The arguments are no JSON ({error}). Such as: {example(request)}") from None
    if not isinstance(values, dict):
        raise InputError(f"The arguments are one JSON object, such as: {example(request)}")
    try:
        return request.model_validate(values)
    except ValidationError as error:
        raise InputError("; ".join(_problem(one, request) for one in error.errors())) from None


def _problem(error: ErrorDetails, request: type[ToolArguments]) -> str:
    name = ".".join(map(str, error["loc"]))
    if error["type"] == "extra_forbidden":
        return f"{name}: there is no such argument; there are {', '.join(schema(request)['properties'])}"
    if error["type"].startswith("date"):
        return f"{name}: {error['input']!r} is no day of the calendar, as YYYY-MM-DD."
    if error["type"] == "list_type" and isinstance(error["input"], str):
        return f"{name}: Input should be a list: {json.dumps([error['input']], ensure_ascii=False)}"
    return f"{name}: {error['msg']}"


def example(request: type[ToolArguments]) -> str:
    """Return JSON that calls a tool.

    >>> example(ReadSource)
    '{"id": "...", "line_start": 1, "num_lines": 20}'
    """
    fields = sorted(request.model_fields.items(), key=lambda item: not item[1].is_required())
    return json.dumps({field.alias or name: "..." if field.is_required() else field.default for name, field in fields})


def schema(request: type[ToolArguments]) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments."""
    found = request.model_json_schema()
    for field in found["properties"].values():
        field.pop("title", None)
    return {key: found[key] for key in ("type", "properties", "required", "additionalProperties") if key in found}

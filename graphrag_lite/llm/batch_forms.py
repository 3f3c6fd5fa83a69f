"""How the batch endpoints of providers differ: what makes a job, what is told of it, how requests and answers look.

Here a request is always a line of OpenAI's form, and an answer one of its chat completions: a form translates both.

| | job of | told apart by | answers |
| --- | --- | --- | --- |
| OpenAI, Azure, Groq | a file that is uploaded | metadata | two files |
| Anthropic | its requests | when it was made, and of how many | a page of lines |
| Gemini | its requests | display name | in the job; in the order of the requests where keys are left out |
"""

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from graphrag_lite.llm.openai_fields import parse_json, token_count

TAG = "graphrag-lite"  # under which OpenAI keeps it
CHAT = "/v1/chat/completions"
MAX_TOKENS = 8192  # of a reply, which Anthropic has to be told
BEFORE = datetime.timedelta(minutes=10)  # by which a provider's clock may be behind ours
INVALID = (3, 400, "invalid_request_error")  # error codes of a request that is never taken

NONE = (ValueError, LookupError, TypeError, AttributeError, OverflowError)  # what reading raises for what is none

Line = Mapping[str, Any]
Result = tuple[str, int, Any]
"""Key, status, body; status 0 where the model was not asked."""


@dataclass(frozen=True)
class WantedJob:
    """A job that is looked for: its tag, how many requests it has, and when its file was written."""

    tag: str
    n_requests: int
    written_at: datetime.datetime


@dataclass(frozen=True)
class BatchForm:
    """A kind of batch endpoint. Paths are below the address of chat, without `below` at its end.

    `create` returns the path and body that make a job of lines; with `uploads`, the lines go into a file, whose id
    takes their place. `page` returns the jobs of a page of the list and the parameters of the next one; `state` what a
    job's id and status are; `is_wanted` whether it is the one that is looked for, without a doubt where it has `tags`;
    `result_paths` those of its answers; `results` what a line of them, or a job that holds them, says.
    """

    jobs: str
    create: Callable[[str, Any, str], tuple[str, dict[str, Any]]]
    page: Callable[[Mapping[str, Any]], tuple[Sequence[Any], dict[str, str] | None]]
    state: Callable[[Mapping[str, Any]], tuple[str, str]]
    is_wanted: Callable[[Mapping[str, Any], WantedJob], bool]
    result_paths: Callable[[Mapping[str, Any]], Sequence[str]]
    results: Callable[[Any], Iterator[Result]]
    first_page: Mapping[str, str]
    tags: bool = True
    uploads: bool = False
    max_bytes: int = 90_000_000
    below: str = ""
    key_header: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] | None = None  # of the settings, by what they are called; None: all, as they are


# OpenAI's


def _openai_job(_: str, file_id: Any, tag: str) -> tuple[str, dict[str, Any]]:
    body = {"input_file_id": file_id, "endpoint": CHAT, "completion_window": "24h", "metadata": {TAG: tag}}
    return "batches", body


def _openai_page(answer: Mapping[str, Any]) -> tuple[Sequence[Any], dict[str, str] | None]:
    rows = answer.get("data") or []
    return rows, {"after": str(rows[-1]["id"])} if rows and answer.get("has_more") else None


def _openai_result(row: Any) -> Iterator[Result]:
    response = row.get("response") or {"status_code": 0, "body": row.get("error")}
    status = int(response["status_code"])
    if status == 200:
        response["body"]["choices"][0]["message"]
    yield str(row["custom_id"]), status, response["body"]


# Anthropic's


def anthropic_params(body: Line) -> dict[str, Any]:
    """Return a request of OpenAI's form as one of `/v1/messages`.

    >>> messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who?"}]
    >>> anthropic_params({"model": "m", "messages": messages, "max_tokens": 9})
    {'model': 'm', 'max_tokens': 9, 'messages': [{'role': 'user', 'content': 'Who?'}], 'system': 'Be brief.'}
    """
    params = {"max_tokens": MAX_TOKENS} | {name: body[name] for name in body if name != "messages"}
    params["max_tokens"] = params.pop("max_completion_tokens", params.pop("max_tokens"))
    system, messages = _parts(body["messages"])
    return params | {"messages": messages} | ({"system": system} if system else {})


def _anthropic_job(_: str, lines: Any, __: str) -> tuple[str, dict[str, Any]]:
    requests = [{"custom_id": line["custom_id"], "params": anthropic_params(line["body"])} for line in lines]
    return "messages/batches", {"requests": requests}


def _anthropic_page(answer: Mapping[str, Any]) -> tuple[Sequence[Any], dict[str, str] | None]:
    return answer.get("data") or [], {"after_id": str(answer.get("last_id"))} if answer.get("has_more") else None


def _anthropic_state(job: Mapping[str, Any]) -> tuple[str, str]:
    status = str(job.get("processing_status"))
    return str(job["id"]), "completed" if status == "ended" else status


def _anthropic_is_wanted(job: Mapping[str, Any], wanted: WantedJob) -> bool:
    """Return whether a job is of as many requests, and not older than the file: another's has none of our keys."""
    n_requests = sum(filter(None, map(token_count, (job.get("request_counts") or {}).values())))
    made_at = datetime.datetime.fromisoformat(str(job["created_at"]))
    return n_requests == wanted.n_requests and made_at >= wanted.written_at - BEFORE


def _anthropic_result(row: Any) -> Iterator[Result]:
    result = row["result"]
    if result["type"] != "succeeded":
        error = (result.get("error") or {}).get("error") or {}
        yield str(row["custom_id"]), 400 if error.get("type") in INVALID else 0, error
        return
    message, used = result["message"], result["message"].get("usage") or {}
    cached = token_count(used.get("cache_read_input_tokens")) or 0
    fresh = (token_count(used.get(name)) or 0 for name in ("input_tokens", "cache_creation_input_tokens"))
    text = "".join(part["text"] for part in message["content"] if part.get("type") == "text")
    finish = {"max_tokens": "length", "refusal": "content_filter"}.get(str(message.get("stop_reason")), "stop")
    answer = _completion(text, finish, cached + sum(fresh), cached, token_count(used.get("output_tokens")) or 0)
    yield str(row["custom_id"]), 200, answer


# Gemini's

GEMINI_CONFIG = {
    "temperature": "temperature",
    "max_tokens": "maxOutputTokens",
    "max_completion_tokens": "maxOutputTokens",
    "top_p": "topP",
    "seed": "seed",
    "stop": "stopSequences",
}


def gemini_request(body: Line) -> dict[str, Any]:
    """Return a request of OpenAI's form as one of `generateContent`.

    >>> gemini_request({"model": "m", "messages": [{"role": "user", "content": "Who?"}], "temperature": 0.0})
    {'contents': [{'role': 'user', 'parts': [{'text': 'Who?'}]}], 'generationConfig': {'temperature': 0.0}}
    """
    system, turns = _parts(body["messages"])
    roles = {"assistant": "model"}
    contents = [{"role": roles.get(m["role"], "user"), "parts": [{"text": m["content"]}]} for m in turns]
    config: dict[str, Any] = {name: body[ours] for ours, name in GEMINI_CONFIG.items() if ours in body}
    if "response_format" in body:
        config["responseMimeType"] = "application/json"
    instruction = {"systemInstruction": {"parts": [{"text": system}]}} if system else {}
    return {"contents": contents, "generationConfig": config} | instruction


def _gemini_job(model: str, lines: Any, tag: str) -> tuple[str, dict[str, Any]]:
    requests = [{"request": gemini_request(line["body"]), "metadata": {"key": line["custom_id"]}} for line in lines]
    batch = {"display_name": f"{TAG}-{tag}", "input_config": {"requests": {"requests": requests}}}
    return f"models/{model.removeprefix('models/')}:batchGenerateContent", {"batch": batch}


def _gemini_page(answer: Mapping[str, Any]) -> tuple[Sequence[Any], dict[str, str] | None]:
    token = answer.get("nextPageToken")
    return answer.get("operations") or [], {"pageToken": str(token)} if token else None


def _gemini_state(job: Mapping[str, Any]) -> tuple[str, str]:
    state = str((job.get("metadata") or job).get("state")).rpartition("_STATE_")[2].lower()
    return str(job["name"]).removeprefix("batches/"), "completed" if state == "succeeded" else state


def _gemini_results(job: Any) -> Iterator[Result]:
    """Yield the answers that a job holds; where none has a key, each is called by its place."""
    rows = job.get("response") or {}
    while isinstance(rows, Mapping):
        rows = rows.get("inlinedResponses") or []
    keys = [_gemini_key(row) for row in rows]
    for index, (key, row) in enumerate(zip(keys, rows, strict=True)):
        if key or not any(keys):
            with suppress(*NONE):
                yield key or str(index), *_gemini_answer(row)


def _gemini_key(row: Any) -> str:
    with suppress(*NONE):
        return str(row["metadata"]["key"])
    return ""


def _gemini_answer(row: Any) -> tuple[int, Any]:
    if (answer := row.get("response")) is None:
        error = row.get("error") or {}
        return 400 if error.get("code") in INVALID else 0, error
    used = answer.get("usageMetadata") or {}
    counts = (
        token_count(used.get(f"{n}TokenCount")) or 0 for n in ("prompt", "cachedContent", "candidates", "thoughts")
    )
    prompt, cached, completion, thought = counts
    candidate = (answer.get("candidates") or [{"finishReason": answer["promptFeedback"]["blockReason"]}])[0]
    parts = (candidate.get("content") or {}).get("parts") or []
    text = "".join(part.get("text") or "" for part in parts if not part.get("thought"))
    finish = {"MAX_TOKENS": "length", "STOP": "stop"}.get(str(candidate.get("finishReason")), "content_filter")
    return 200, _completion(text, finish, prompt, cached, completion + thought)


def _parts(messages: Sequence[Mapping[str, str]]) -> tuple[str, list[Mapping[str, str]]]:
    """Return what the system says, and the messages of the others."""
    system = "\n\n".join(message["content"] for message in messages if message["role"] == "system")
    return system, [message for message in messages if message["role"] != "system"]


def _completion(text: str, finish: str, prompt: int, cached: int, completion: int) -> dict[str, Any]:
    details = {"cached_tokens": cached}
    usage = {"prompt_tokens": prompt, "prompt_tokens_details": details, "completion_tokens": completion}
    return {"choices": [{"message": {"content": text}, "finish_reason": finish}], "usage": usage}


def read_results(form: BatchForm, text: str) -> Iterator[Result]:
    """Yield what can be read of the answers of a job, one or more to a line."""
    for line in text.split("\n"):
        with suppress(*NONE):
            yield from form.results(parse_json(line))


FORMS = {
    "openai": BatchForm(
        jobs="batches",
        create=_openai_job,
        page=_openai_page,
        state=lambda job: (str(job["id"]), str(job.get("status"))),
        is_wanted=lambda job, wanted: (job.get("metadata") or {}).get(TAG) == wanted.tag,
        result_paths=lambda job: [
            f"files/{job[name]}/content" for name in ("output_file_id", "error_file_id") if job.get(name)
        ],
        results=_openai_result,
        first_page={"limit": "100"},
        uploads=True,
    ),
    "anthropic": BatchForm(
        jobs="messages/batches",
        create=_anthropic_job,
        page=_anthropic_page,
        state=_anthropic_state,
        is_wanted=_anthropic_is_wanted,
        result_paths=lambda job: [f"messages/batches/{job['id']}/results"],
        results=_anthropic_result,
        first_page={"limit": "100"},
        tags=False,
        key_header="x-api-key",
        headers={"anthropic-version": "2023-06-01"},
    ),
    "gemini": BatchForm(
        jobs="batches",
        create=_gemini_job,
        page=_gemini_page,
        state=_gemini_state,
        is_wanted=lambda job, wanted: (job.get("metadata") or {}).get("displayName") == f"{TAG}-{wanted.tag}",
        result_paths=lambda _: [],
        results=_gemini_results,
        first_page={"pageSize": "100"},
        max_bytes=15_000_000,  # 20 MB may stand in the request itself
        below="/openai",
        key_header="x-goog-api-key",
        parameters=GEMINI_CONFIG,
    ),
}

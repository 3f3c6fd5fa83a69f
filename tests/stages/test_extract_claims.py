"""Claims: off by default, gleanings that count, names as resolved, dates in ISO 8601, words that the text holds."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from graphrag_lite import prompts, tables
from graphrag_lite.errors import CallError, ModelError
from graphrag_lite.llm.chat import Reply, Request
from graphrag_lite.settings import ExtractClaims
from graphrag_lite.stages.extract_claims import extract_claims
from tests.stub_model import StubModel, stage_model

PROMPTS = prompts.load()
MISSED = PROMPTS.fill(prompts.ExtractClaimsMissedPrompt())
MORE = PROMPTS.fill(prompts.ExtractClaimsMorePrompt())
TEXT = "On 19 December 1843 Ruth Velm said that Tarn Foods\n  had sold “mouldy” flour. Tarn Foods denied it."
FIRST = (
    '("claim"<|>Ruth Velm<|>NONE<|>Statement<|>TRUE<|>19 December 1843<|>NONE<|>Ruth Velm spoke.<|>'
    '"On 19 December 1843 Ruth Velm said")##<|COMPLETE|>'
)
SECOND = (
    '("claim"<|>TARN FOODS<|>Velm<|>FRAUD<|>suspected<|>in those days<|>NONE<|>Tarn Foods sold bad flour.<|>'
    'tarn foods had sold "mouldy" flour)##<|COMPLETE|>'
)


def documents(*texts: str) -> Any:
    return tables.make(
        "source_documents",
        [
            {"id": f"d{n}", "source_id": f"{n}", "title": "", "text": text, "path": f"{n}", "content_sha256": ""}
            | {"mime": "", "language": "en", "created_at": "2024-05-01" if n == 0 else "", "metadata": "{}"}
            for n, text in enumerate(texts)
        ],
    )


def units(*texts: str) -> Any:
    return tables.make(
        "source_units",
        [
            {"id": f"u{n}", "document_id": f"d{n}", "ordinal": 0, "char_start": 0, "char_end": len(text)}
            | {"text": text, "n_tokens": 9}
            for n, text in enumerate(texts)
        ],
    )


def run(
    reply: Callable[[Request], "str | Reply | Exception"], *texts: str, **settings: Any
) -> tuple[list[dict[str, Any]], StubModel, list[tuple[str, str, int]]]:
    """Return the claims, the model, and the failures. Every unit names Ruth Velm and Tarn Foods."""
    names = [("Ruth Velm", "Ruth Velm"), ("Tarn Foods", "Tarn Foods Ltd"), ("Velm", "Ruth Velm")]
    mentions = [
        {"text_unit_id": f"u{n}", "document_id": f"d{n}", "name": name, "type": "person", "description": ""}
        | {"char_start": 0, "char_end": 1, "mention_start": -1, "anchored": True, "round": 0}
        for n in range(len(texts))
        for name, _ in names[:2]
    ]
    resolutions = [
        {"document_id": "", "name": name, "entity_id": title, "title": title, "type": "person", "rule": "exact"}
        for name, title in names
    ]
    stub = StubModel(reply)
    model, failures = stage_model(stub)
    table = asyncio.run(
        extract_claims(
            documents(*texts),
            units(*texts),
            tables.make("entity_mentions", mentions),
            tables.make("entity_resolutions", resolutions),
            settings=ExtractClaims(**{"enabled": True, **settings}),
            model=model,
            prompts=PROMPTS,
        )
    )
    tables.check("covariates", table)
    return table.to_pylist(), stub, failures


def gleaning(request: Request) -> str:
    """Say a claim, that one was missed, and the one that was missed; then that nothing was."""
    said = [message["content"] for message in request.messages]
    if said[-1] == MISSED:
        return "Yes" if MORE not in said else "No"
    return SECOND if said[-1] == MORE else FIRST


def test_off_by_default_and_no_call() -> None:
    claims, stub, failures = run(gleaning, TEXT, enabled=False)
    assert (claims, stub.requests, failures) == ([], [], [])
    assert not ExtractClaims().enabled


def test_a_gleaned_claim_counts() -> None:
    """The reference pays for claim gleanings and throws them away."""
    claims, stub, failures = run(gleaning, TEXT)
    assert [row["type"] for row in claims] == ["STATEMENT", "FRAUD"] and failures == []
    roles = [message["role"] for message in stub.requests[1].messages]
    assert roles == ["user", "assistant", "user"] and stub.requests[1].messages[1]["content"] == FIRST
    assert len(stub.requests) == 2
    assert len(run(gleaning, TEXT, max_gleanings=0)[1].requests) == 1
    assert len(run(gleaning, TEXT, max_gleanings=3)[1].requests) == 3  # until nothing was missed


def test_a_claim_as_it_is_stored() -> None:
    (first, second), *_ = run(gleaning, TEXT)
    assert (first["subject_id"], first["object_id"]) == ("Ruth Velm", "NONE")
    assert (second["subject_id"], second["object_id"]) == ("Tarn Foods Ltd", "Ruth Velm")  # as resolved
    assert (first["covariate_type"], first["text_unit_id"], first["human_readable_id"]) == ("claim", "u0", 0)
    assert (first["status"], first["start_date"], first["end_date"]) == ("TRUE", "1843-12-19", "")
    assert (second["status"], second["start_date"]) == ("SUSPECTED", "")
    assert second["description"] == "Tarn Foods sold bad flour. (in those days)"
    assert first["source_text"] == "On 19 December 1843 Ruth Velm said"
    assert second["source_text"] == "Tarn Foods\n  had sold “mouldy” flour"  # as the text has it
    assert first["id"] != second["id"] and len(first["id"]) == 32
    assert run(gleaning, TEXT)[0] == [first, second]


def test_a_quotation_that_the_text_does_not_hold_stays_as_given() -> None:
    (claim,), *_ = run(lambda _: FIRST.replace("Ruth Velm said", "she wept"), TEXT, max_gleanings=0)
    assert claim["source_text"] == "On 19 December 1843 she wept"


def test_the_question_lists_the_entities_of_the_unit_and_its_date_before_its_text() -> None:
    stub = run(gleaning, TEXT, "Another text.", max_gleanings=0, claim_description="frauds of millers")[1]
    one, other = (request.messages[0]["content"] for request in stub.requests)
    assert one.startswith("Extract claims about entities from a text.\n")
    assert "Entities: Ruth Velm, Tarn Foods\n" in one and one.index("Ruth Velm, Tarn Foods") < one.index(TEXT)
    assert "Date of the text: 2024-05-01\n" in one and "frauds of millers" in one
    shared = next(i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    assert shared > 0.8 * (len(one) - len(TEXT))  # what varies stands last


def test_a_claim_made_twice_in_a_unit_is_one_and_in_two_units_two() -> None:
    twice = FIRST.replace("<|COMPLETE|>", "") + FIRST.replace("Ruth Velm<|>NONE", "RUTH VELM<|>none")
    claims, stub, _ = run(lambda _: twice, TEXT, "Ruth Velm said it again.", max_gleanings=0)
    assert [row["text_unit_id"] for row in claims] == ["u0", "u1"] and len({row["id"] for row in claims}) == 2
    assert [row["human_readable_id"] for row in claims] == [0, 1] and len(stub.requests) == 2


def test_failures_are_recorded_and_what_was_found_before_is_kept() -> None:
    def reply(request: Request) -> str | Exception:
        if "gone" in request.messages[0]["content"].rpartition("Text:\n")[2]:
            return "I cannot help with that."
        if request.messages[-1]["content"] == MORE:
            return CallError("HTTP 500")
        return gleaning(request)

    claims, _, failures = run(reply, TEXT, "All is gone.", *(f"Text {n}." for n in range(30)))
    assert {row["text_unit_id"] for row in claims} == {f"u{n}" for n in range(32) if n != 1}
    assert len(failures) == 32 and ("u1", 2) in {(name, attempts) for name, _, attempts in failures}
    assert any("kept" in problem for name, problem, _ in failures if name == "u0")
    with pytest.raises(ModelError):
        run(lambda _: CallError("HTTP 500"), TEXT, "Another.")


def test_a_unit_without_claims_is_no_failure() -> None:
    claims, _, failures = run(lambda request: "No" if request.choices else "<|COMPLETE|>", TEXT)
    assert claims == [] and failures == []

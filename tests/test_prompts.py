"""Prompt files: what the shipped ones promise, and what is said of a user's that cannot be used."""

import string
from pathlib import Path

import pytest

from graphrag_lite import prompts
from graphrag_lite.errors import PromptError
from graphrag_lite.prompts import PROMPTS, load, shipped
from graphrag_lite.settings import ExtractClaims, ExtractGraph
from graphrag_lite.text.tokens import token_counter

SAME_IN_A_RUN = {"entity_types", "examples", "claim_description", "max_words", "max_follow_ups", "response_type"}
TEXTS = shipped()


@pytest.mark.parametrize("name", PROMPTS)
def test_variable_text_comes_last(name: str) -> None:
    """So that all requests of a kind begin alike, and a provider's cache serves the beginning."""
    variable = [field for field in PROMPTS[name].__annotations__ if field not in SAME_IN_A_RUN]
    template = string.Template(TEXTS[name])
    places = {found["named"]: found.start() for found in template.pattern.finditer(TEXTS[name]) if found["named"]}
    first = min((places[value] for value in variable), default=len(TEXTS[name]))
    fixed = string.Template(TEXTS[name][first:]).substitute(dict.fromkeys(places, ""))
    assert len(fixed) < 100, fixed
    assert all(place < first for value, place in places.items() if value in SAME_IN_A_RUN)


def test_every_prompt_has_a_first_line_of_its_own() -> None:
    assert len({TEXTS[name].split("\n")[0] for name in PROMPTS}) == len(PROMPTS)


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
def test_what_all_texts_are_asked_with_is_long_enough_for_a_cache(encoding: str) -> None:
    """OpenAI's holds what prompts begin with from 1,024 tokens on."""
    own, kinds = load(), ", ".join(ExtractGraph().entity_types)
    graph = own.fill(
        prompts.ExtractGraphPrompt(kinds, own.fill(prompts.ExtractGraphExamplesPrompt()).strip(), "|", "|")
    )
    claims = own.fill(prompts.ExtractClaimsPrompt(ExtractClaims().claim_description, "|", "|", "|"))
    count = token_counter(encoding)
    for content, before in ((graph, "\nText:\n|"), (claims, "\nDate of the text: |")):
        assert count(content[: content.rindex(before)]) >= 1024


def test_a_prompt_of_the_root_takes_the_place_of_the_shipped_one(tmp_path: Path) -> None:
    (tmp_path / "extract_graph_missed.md").write_text("Anything else?")
    (tmp_path / "notes.md").write_text("$nothing of ours")
    loaded = load(tmp_path)
    assert loaded.texts == {name: TEXTS[name] for name in PROMPTS} | {"extract_graph_missed.md": "Anything else?"}
    assert loaded.digests("extract_graph") != load().digests("extract_graph")
    assert loaded.digests("global") == load().digests("global") != {}


def test_every_problem_with_prompts_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "extract_graph.md").write_text("Types: $entity_types. Names: $names $text")
    (tmp_path / "global_map.md").write_text("It costs $5: $records $question")
    (tmp_path / "basic_search.md").write_text(" \n")
    with pytest.raises(PromptError) as raised:
        load(tmp_path)
    said = str(raised.value).splitlines()
    folder = str(tmp_path)
    assert said[0] == "These prompts cannot be used:"
    assert [f"  {folder}/extract_graph.md: ${name} is missing" for name in ("about", "examples")] == said[1:3]
    assert f"  {folder}/extract_graph.md: $names is not a placeholder of this prompt" in said
    assert any(line.startswith(f"  {folder}/global_map.md: a $ that starts no placeholder") for line in said)
    assert f"  {folder}/basic_search.md: it is empty" in said and len(said) == 6


def test_a_misspelt_file_is_told_and_files_of_others_are_not(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("Mine.")
    assert load(tmp_path) == load()
    (tmp_path / "extract_grph.md").write_text(TEXTS["extract_graph.md"])
    with pytest.raises(
        PromptError, match=r"extract_grph\.md: no prompt has this name\. Did you mean extract_graph\.md"
    ):
        load(tmp_path)

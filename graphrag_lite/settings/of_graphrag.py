"""A settings file of microsoft/graphrag: told for what it is, with what takes the place of each of its keys."""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

# Sections that only its files have, of versions 1 to 3.
OWN = frozenset(
    "models completion_models embedding_models input input_storage output output_storage update_output cache reporting"
    " chunks chunking vector_store embed_text embed_graph umap cluster_graph community_reports extract_graph_nlp"
    " local_search global_search drift_search basic_search encoding_model entity_extraction claim_extraction"
    " parallelization async_mode table_provider update_output_storage prune_graph workflows".split()
)
# Key, with * for a part of it, and ours; the first that fits counts. One that fits none has nothing to set here.
REPLACED = {
    "embedding.*.model": "embeddings.model",
    "embedding.*.model_provider": "embeddings.provider",
    "embedding.*.type": "embeddings.provider",
    "embedding.*.api_base": "embeddings.base_url",
    "embedding.*.api_key": "embeddings.api_key_env, the name of the variable that holds it",
    "models.*.model": "llm.model",
    "models.*.model_provider": "llm.provider",
    "models.*.type": "llm.provider",
    "models.*.api_base": "llm.base_url",
    "models.*.api_key": "llm.api_key_env, the name of the variable that holds it",
    "models.*.temperature": "llm.temperature",
    "models.*.concurrent_requests": "llm.concurrency",
    "models.*.tokens_per_minute": "llm.tokens_per_minute",
    "models.*.requests_per_minute": "llm.requests_per_minute",
    "models.*.max_retries": "llm.max_attempts",
    "models.*.request_timeout": "llm.timeout",
    "models.*.max_tokens": "llm.parameters, {max_tokens: ...}",
    "llm.*": "the key of the same name in llm",
    "embeddings.llm.model": "embeddings.model",
    "input.file_pattern": "load_documents.include, globs",
    "input.text_column": "load_documents.text_field",
    "input.title_column": "load_documents.title_field",
    "input.id_column": "load_documents.id_field",
    "input*.base_dir": "the argument CORPUS; without it, ROOT/input",
    "chunks.size": "split_text_units.size",
    "chunks.overlap": "split_text_units.overlap",
    "chunks.encoding_model": "split_text_units.encoding",
    "encoding_model": "split_text_units.encoding",
    "extract_graph.entity_types": "extract_graph.entity_types",
    "extract_graph.max_gleanings": "extract_graph.max_gleanings",
    "extract_claims.enabled": "extract_claims.enabled",
    "extract_claims.description": "extract_claims.claim_description",
    "extract_claims.max_gleanings": "extract_claims.max_gleanings",
    "summarize_descriptions.max_length": "summarize_descriptions.max_tokens",
    "summarize_descriptions.max_input_tokens": "summarize_descriptions.max_input_tokens",
    "cluster_graph.max_cluster_size": "detect_communities.max_cluster_size",
    "cluster_graph.seed": "detect_communities.seed",
    "community_reports.max_length": "report_communities.max_words",
    "community_reports.max_input_length": "report_communities.max_input_tokens",
    "local_search.top_k_entities": "search.max_entities",
    "*_search.*max_context_tokens": "search.max_context_tokens",
    "*_search.*data_max_tokens": "search.max_context_tokens",
    "global_search.map_max_length": "search.response_type, in words",
    "drift_search.n_depth": "search.drift_depth",
    "drift_search.drift_k_followups": "search.drift_follow_ups",
    "*.*prompt": "files of ROOT/prompts, which `graphrag-lite init` writes",
}
# What versions call otherwise.
RENAMED = {
    "completion_models.": "models.",
    "embedding_models.": "embedding.",
    "models.default_embedding_model.": "embedding.model.",
    "chunking.": "chunks.",
    "entity_extraction.": "extract_graph.",
    "claim_extraction.": "extract_claims.",
}


def replacements(values: Mapping[str, Any]) -> list[str]:
    """Return what takes the place of each key of a file of microsoft/graphrag, a line each; none for a file of ours.

    >>> replacements({"chunks": {"size": 1200}, "cache": {"type": "file"}})
    ['chunks.size: split_text_units.size', 'nothing to set here: cache']
    >>> replacements({"split_text_units": {"size": 600}})
    []
    """
    if not OWN & values.keys():
        return []
    found: list[str] = []
    without: dict[str, None] = {}
    for key in _keys(values):
        ours = _ours(key)
        if ours:
            found.append(f"{key}: {ours}")
        else:
            without[key.split(".")[0]] = None
    told = [line.split(".")[0].split(":")[0] for line in found]
    left = [section for section in without if section not in told]
    return [*found, *([f"nothing to set here: {', '.join(left)}"] if left else [])]


def _ours(key: str) -> str:
    known = key
    for theirs, other in RENAMED.items():
        known = known.replace(theirs, other, 1) if known.startswith(theirs) else known
    return next((ours for pattern, ours in REPLACED.items() if _fits(known, pattern)), "")


def _fits(key: str, pattern: str) -> bool:
    parts, wanted = key.split("."), pattern.split(".")
    return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))


def _keys(values: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from _keys(value, f"{above}{name}.")
        else:
            yield f"{above}{name}"

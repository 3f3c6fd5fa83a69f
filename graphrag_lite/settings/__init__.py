"""Settings: one frozen section per stage, and the only place with defaults.

They come from `settings.yaml` under the root (or `--config FILE`), then `--set section.key=value`.
The YAML key of a section is the stage's name. `file.load` reads them, `file.render_defaults` writes the commented
file that `init` ships.
"""

from typing import Literal, Self

from pydantic import Field, model_validator

from graphrag_lite.settings.known_names import KnownNames
from graphrag_lite.settings.models import Embeddings, Llm
from graphrag_lite.settings.values import Options, SettingsSection

IN_ENTITIES_YAML = "of entities.yaml"  # and so not of settings.yaml


class LoadDocuments(SettingsSection):
    """How a corpus folder becomes documents."""

    title_field: str = Field("title", description="field of a JSON object or CSV column that holds the title")
    text_field: str = Field("text", description="field or column that holds the text")
    id_field: str = Field("id", description="field or column that holds the document's own id")
    time_field: str = Field("timestamp", description="field or column that holds when the document was made")
    sender_field: str = Field("speaker", description="field or column that holds who wrote a message")
    include: list[str] = Field([], description="globs of the files to read, such as docs/**/*.md; none: all")
    exclude: list[str] = Field(
        ["node_modules", "bower_components", "__pycache__", "site-packages", "*.egg-info", "_sources"],
        description="globs of files and folders to leave out, beside hidden ones; one without a slash: anywhere",
    )
    max_file_mb: float = Field(256.0, gt=0, description="a larger file is recorded as a failure (MB)")


class SplitTextUnits(SettingsSection):
    """How documents are cut into text units (GraphRAG paper 3.1.1)."""

    size: int = Field(600, ge=20, description="most tokens in a text unit")
    overlap: int = Field(100, ge=0, description="about how many tokens a unit repeats of the one before")
    encoding: Literal["cl100k_base", "o200k_base", "characters"] = Field(
        "cl100k_base", description="tokeniser: cl100k_base, o200k_base, or characters (one token per 4, an estimate)"
    )

    @model_validator(mode="after")
    def _overlap_is_smaller(self) -> Self:
        if self.overlap > self.size // 2:
            raise ValueError(f"overlap must be at most half of size ({self.size // 2})")
        return self


class ExtractGraphFast(SettingsSection):
    """Entities and relationships by text analysis (method: fast)."""

    extractor: str | None = Field(None, description="what finds them; null: ours; or what an installed package brings")
    options: Options = Field({}, description="of that extractor")
    max_neighbours: int = Field(6, ge=1, description="a name is related to at most this many names that follow it")
    title_strength: float = Field(0.5, ge=0, description="strength of the tie between a document's title and its names")
    max_title_units: int = Field(
        3, ge=0, description="longer documents (text units) do not tie their names to the title"
    )
    names: list[str] = Field([], description=IN_ENTITIES_YAML)


class ExtractGraph(SettingsSection):
    """Entities and relationships by a model (method: standard; GraphRAG paper 3.1.2)."""

    entity_types: list[str] = Field(
        ["person", "organization", "location", "event", "work", "concept"], description="kinds of entities to look for"
    )
    max_gleanings: int = Field(1, ge=0, description="rounds that look for what was missed")
    names: list[str] = Field([], description=IN_ENTITIES_YAML)
    types: dict[str, str] = Field({}, description=IN_ENTITIES_YAML)


class ExtractClaims(SettingsSection):
    """Claims about entities by a model (method: standard); off by default, as in graphrag."""

    enabled: bool = Field(False, description="whether claims are extracted")
    claim_description: str = Field(
        "Any claims or facts that could be relevant to information discovery.", description="which claims to look for"
    )
    max_gleanings: int = Field(1, ge=0, description="rounds that look for what was missed")


class ResolveEntities(SettingsSection):
    """When two names are one entity; each rung can be switched off."""

    lexical: bool = Field(True, description="join names whose character 3-grams nearly agree")
    lexical_threshold: float = Field(0.9, gt=0, le=1, description="Jaccard index from which they do")
    alias: bool = Field(True, description="join a short name with the one longer name it can mean")
    model: bool = Field(
        True, description="ask the model about pairs that the other rungs leave open (method: standard)"
    )
    max_pairs: int = Field(20, ge=1, description="pairs in one question to the model")
    known: KnownNames = Field(KnownNames(), description=IN_ENTITIES_YAML)


class FoldFacts(SettingsSection):
    """Facts that hold from when to when, folded from dated statements."""

    policies: dict[str, Literal["functional", "inverse", "multi", "event"]] = Field(
        {}, description="values a relation has at a time, such as {lives in: functional}; the others are learned"
    )
    max_ended_share: float = Field(
        0.05, ge=0, le=1, description="a run stops that would end more of the open facts by what others say"
    )
    model: bool = Field(
        True, description="ask the model what a newer statement ends where no policy says so (method: standard)"
    )
    max_pairs: int = Field(20, ge=1, description="pairs in one question to the model")


class SummarizeDescriptions(SettingsSection):
    """What is said of an entity or a relationship."""

    max_sentences: int = Field(2, ge=1, description="sentences in an entity's description")
    max_tokens: int = Field(
        400, ge=50, description="a model's descriptions of one thing are merged once they are longer together (tokens)"
    )
    max_input_tokens: int = Field(4000, ge=200, description="descriptions in one question to the model (tokens)")


class DetectCommunities(SettingsSection):
    """Hierarchical Leiden."""

    max_cluster_size: int = Field(10, ge=2, description="larger communities are split again, if they can be")
    resolution: float = Field(1.0, gt=0, description="higher finds more and smaller communities")
    seed: int = Field(0xDEADBEEF, ge=0, description="of the random numbers; the same seed gives the same result")


class ReportCommunities(SettingsSection):
    """Community reports by a model (method: standard; GraphRAG paper 3.1.4)."""

    max_input_tokens: int = Field(8000, ge=500, description="what a report is made from (tokens)")
    max_words: int = Field(1500, ge=50, description="length that the model is asked to keep to")


class ReportCommunitiesFast(SettingsSection):
    """Community reports from the corpus's own sentences (method: fast)."""

    max_findings: int = Field(8, ge=1, description="most findings in a report")
    max_summary_sentences: int = Field(3, ge=1, description="sentences in a summary")


class IndexSearch(SettingsSection):
    """BM25 (Lucene variant)."""

    k1: float = Field(1.5, ge=0, description="saturation of term frequency")
    b: float = Field(0.75, ge=0, le=1, description="normalisation by length, 0 none to 1 full")


class Search(SettingsSection):
    """Answers."""

    top_k: int = Field(10, ge=1, description="documents and text units to retrieve, at least")
    max_sentences: int = Field(5, ge=1, description="sentences chosen for a local or basic answer")
    max_reports: int = Field(5, ge=1, description="community reports that a global answer draws on")
    max_context_tokens: int = Field(
        12000, ge=500, description="a model answers from records of this length; each map call of global search too"
    )
    max_entities: int = Field(10, ge=1, description="entities in the context of local search by a model")
    drift_follow_ups: int = Field(
        4, ge=1, description="DRIFT search: follow-up questions of each answer and each round"
    )
    drift_depth: int = Field(2, ge=1, description="DRIFT search: rounds of follow-up questions")
    timeout: float = Field(600.0, gt=0, description="seconds that a model may take for one question, in all")
    response_type: str = Field("multiple paragraphs", description="form of a model's answer, such as a list")


class Communities(SettingsSection):
    """How communities and their reports follow a corpus that changes."""

    mode: Literal["stable", "full"] = Field(
        "stable",
        description="stable: go on from the last run, keep what hardly changed; full: the same bytes as from nothing",
    )


class Snapshots(SettingsSection):
    """Published runs. One stays while it is among the newest `keep`, or younger than `keep_days`."""

    keep: int = Field(3, ge=1, description="how many snapshots stay on disk")
    keep_days: float | None = Field(None, gt=0, description="younger ones stay as well (days); null: none")


ASKING = ("standard",)  # methods that make an index by a model


class Settings(SettingsSection):
    """All settings of a run."""

    method: Literal["fast", "standard"] = Field(
        "fast", description="fast: embedded text analysis, no key, no network; standard: the model of section llm"
    )
    workers: int | None = Field(
        None, ge=1, description="processes for text analysis; null: one per core on the command line, one from Python"
    )
    engine: Literal["pool", "ray"] = Field(
        "pool", description="who does text analysis: processes of this machine, or a Ray cluster (the extra ray)"
    )
    ray_address: str | None = Field(
        None, description="the cluster to join, such as auto on one of its machines; null: a new one of this machine"
    )
    load_documents: LoadDocuments = LoadDocuments()
    split_text_units: SplitTextUnits = SplitTextUnits()
    llm: Llm = Llm()
    embeddings: Embeddings = Embeddings()
    extract_graph: ExtractGraph = ExtractGraph()
    extract_claims: ExtractClaims = ExtractClaims()
    extract_graph_fast: ExtractGraphFast = ExtractGraphFast()
    resolve_entities: ResolveEntities = ResolveEntities()
    fold_facts: FoldFacts = FoldFacts()
    summarize_descriptions: SummarizeDescriptions = SummarizeDescriptions()
    communities: Communities = Communities()
    detect_communities: DetectCommunities = DetectCommunities()
    report_communities: ReportCommunities = ReportCommunities()
    report_communities_fast: ReportCommunitiesFast = ReportCommunitiesFast()
    index_search: IndexSearch = IndexSearch()
    search: Search = Search()
    snapshots: Snapshots = Snapshots()

    @property
    def asks(self) -> bool:
        """Whether making the index asks a model."""
        return self.method in ASKING

    def lack_a_model(self) -> list[str]:
        """Return what is wrong with these settings for who makes an index by them; its reader needs no model."""
        if self.asks and not self.llm.model:
            return [f"llm.model: method {self.method} asks a model; name one, such as gpt-4o-mini"]
        return []

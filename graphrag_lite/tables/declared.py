"""All tables, one class each, whose annotations are its Arrow schema and its data dictionary.

Final tables carry every column of microsoft/graphrag 3.x's table of the same name, with the same types, and more.
Working tables, which only later stages read, are marked `final=False` and live in `work/` of a snapshot.
Tables are Parquet. Those that a search opens at every start are marked `mapped=True`: uncompressed Arrow files, which
are mapped into memory, so that a question reads only the pages that it touches.
Row order is part of a table: equal content gives equal bytes.
"""

from typing import Annotated, Any, NamedTuple, NewType

SCHEMA_VERSION = 7
Int32 = NewType("Int32", int)
Float32 = NewType("Float32", float)

TABLES: dict[str, type] = {}
WORKING: set[str] = set()
MAPPED: set[str] = set()
BLOCKS: dict[str, int] = {}


def table(name: str, *, final: bool = True, mapped: bool = False, block: int | None = None) -> Any:
    """Register a class as the table `name`. A mapped one is written in blocks of so many rows.

    A block of a column of lists holds 2^31 values at most.
    """

    def register(cls: type) -> type:
        TABLES[name] = cls
        if not final:
            WORKING.add(name)
        if mapped:
            MAPPED.add(name)
        if block:
            BLOCKS[name] = block
        return cls

    return register


class Key(NamedTuple):
    """A foreign key: what a column holds, or lists, are ids of `table`; `check` derives its rules from it.

    `back` is the column of that table which says the same from the other side. An `optional` key may be empty.
    """

    table: str
    back: str = ""
    optional: bool = False


class Span:
    """A place in a document that a statement rests on."""

    text_unit_id: str
    document_id: str
    char_start: int
    char_end: int


class Block:
    """A stretch of a document, characters [char_start, char_end), and what it is.

    A `page` of a PDF, a `slide`, a `sheet`, a `time` of a recording: where in the file it stands is the label. `code`,
    `references` and the `card` of a row's cells are no prose. A `message`: its sender is the label. A `link`: the label
    is the page that it leads to. A cell, with its column as label: a `person`, an `organization`, a `value` of few
    that the column has, or the row's own `key`.
    """

    kind: str
    label: str
    char_start: int
    char_end: int


class Message:
    """What somebody says in a document, characters [char_start, char_end); ids are those of its source.

    `time` is ISO 8601; one that cannot be read is `unread_time`. Both are empty where the message states none.
    """

    speaker: str
    role: str
    conversation: str
    time: str
    unread_time: str
    id: str
    reply_to: str
    char_start: int
    char_end: int


class Finding:
    """One finding of a community report, as in graphrag."""

    explanation: str
    summary: str


class Citation:
    """What the mark [n] in a text points to: characters of a document, inside a text unit."""

    n: int
    text_unit_id: str
    document_id: str
    char_start: int
    char_end: int


@table("corpus_files", final=False)
class CorpusFiles:
    """The files of the corpus folder, by path: what a run starts from."""

    path: Annotated[str, "relative to the corpus folder, with /"]
    size: Annotated[int, "bytes"]
    sha256: Annotated[str, "of the file's bytes"]


@table("source_documents", final=False)
class SourceDocuments:
    """Documents as loaded, ordered by path and source id."""

    id: Annotated[str, "hash of the content: title, text, dates, metadata"]
    source_id: Annotated[str, "its own id, which no other of its file has: of its JSONL or CSV row, else the path"]
    title: Annotated[str, "from the row, the heading or the file name"]
    text: Annotated[str, "the text that all character spans refer to"]
    path: Annotated[str, "file in the corpus folder"]
    content_sha256: Annotated[str, "of the file's bytes"]
    mime: Annotated[str, "media type of the file"]
    language: Annotated[str, "ISO 639-1 code of the text, empty where undecided"]
    created_at: Annotated[str, "ISO 8601 time that the source states, empty where it states none"]
    metadata: Annotated[str, "JSON object of everything else the row holds"]
    blocks: Annotated[list[Block], "pages, slides, code, cells, messages in the text, by place"]
    messages: Annotated[list[Message], "who says what, and when, by place; none where it is no conversation"]


@table("episodes")
class Episodes:
    """What was said or written at one time, by document and place: each message of a conversation, or a document."""

    id: Annotated[str, "hash of conversation, speaker, time and text, and of its place among equal ones"]
    document_id: Annotated[str, "documents.id", Key("documents")]
    ordinal: Annotated[int, "place within the document, from 0"]
    kind: Annotated[str, "message; json for a row of a table; text for any other document"]
    conversation: Annotated[str, "conversation, thread or session that it is of, as its source names it"]
    speaker: Annotated[str, "who says it, as its source names them; empty where none is named"]
    role: Annotated[str, "user or assistant, in a chat with an assistant"]
    reference_time: Annotated[str, "ISO 8601 time that it states, else documents.created_at"]
    reply_to: Annotated[str, "episodes.id of what it answers, empty unknown", Key("episodes", optional=True)]
    char_start: Annotated[int, "first character in documents.text"]
    char_end: Annotated[int, "one past the last character"]


@table("source_units", final=False)
class SourceUnits:
    """Text units as split, ordered by document and place."""

    id: Annotated[str, "hash of the text, and of its place among equal texts"]
    document_id: Annotated[str, "documents.id"]
    ordinal: Annotated[int, "place within the document, from 0"]
    char_start: Annotated[int, "first character in documents.text"]
    char_end: Annotated[int, "one past the last character"]
    text: Annotated[str, "documents.text[char_start:char_end], exactly"]
    n_tokens: Annotated[int, "tokens of the text"]


@table("entity_mentions", final=False)
class EntityMentions:
    """What each text unit names: raw extraction, one row a mention."""

    text_unit_id: Annotated[str, "text_units.id", Key("text_units")]
    document_id: Annotated[str, "documents.id", Key("documents")]
    name: Annotated[str, "as extracted"]
    type: Annotated[str, "as extracted, by local evidence only"]
    description: Annotated[str, "as extracted; empty where a span stands for it"]
    char_start: Annotated[int, "of the sentence that holds the mention, in documents.text; -1 unknown"]
    char_end: Annotated[int, "end of that sentence"]
    mention_start: Annotated[int, "first character of the mention in documents.text; -1 for a title, or not found"]
    anchored: Annotated[bool, "false where the corpus must confirm the name"]
    round: Annotated[int, "0 = first pass, 1.. = gleaning"]


@table("relationship_mentions", final=False)
class RelationshipMentions:
    """Which names each text unit relates: raw extraction, one row an instance."""

    text_unit_id: Annotated[str, "text_units.id", Key("text_units")]
    document_id: Annotated[str, "documents.id", Key("documents")]
    source: Annotated[str, "name as extracted"]
    target: Annotated[str, "name as extracted"]
    relation: Annotated[str, "words that join the two, or a model's word for the relation; empty where none do"]
    description: Annotated[str, "as extracted; empty where a span stands for it"]
    strength: Annotated[float, "how directly the text relates them: 1 = same sentence; a model says 1-10"]
    valid_at: Annotated[str, "ISO 8601, when the relation began to hold; empty unknown"]
    invalid_at: Annotated[str, "ISO 8601, when it ceased to hold; empty unknown"]
    kind: Annotated[str, "state, event or plan, as a model says; state where nobody does"]
    polarity: Annotated[str, "positive; negative where a model reads that it is not, or no longer, so"]
    char_start: Annotated[int, "of the sentence that states it, in documents.text; -1 unknown"]
    char_end: Annotated[int, "end of that sentence"]
    round: Annotated[int, "0 = first pass, 1.. = gleaning"]


@table("fact_mentions", final=False)
class FactMentions:
    """What each document says held, or happened, and when: one row a time that a sentence states, by place.

    Days are ISO 8601, [valid_at, invalid_at): what held "from 1993 until 2006" has 1993-01-01 and 2007-01-01; where
    only the beginning (since, joined) or the end (until) is stated, the other is empty, and so unknown. An `event`, or
    a state said of a time alone ("in 1993 she was mayor"), lies within the two, which are those of the time stated: it
    tells no beginning and no end. A `plan` is dated after its reference time. A `negative` statement says that subject
    and object are not, or no longer, so related from valid_at on ("left Acme"). Each sentence is read once, in the
    first text unit that holds it. What has no subject or object told is kept, dated.
    """

    id: Annotated[str, "hash of document, place and time"]
    text_unit_id: Annotated[str, "text_units.id, the first that holds the sentence", Key("text_units")]
    document_id: Annotated[str, "documents.id", Key("documents")]
    episode_id: Annotated[str, "episodes.id; empty where the document has none", Key("episodes", optional=True)]
    subject: Annotated[str, "name as in entity_mentions, the speaker, or what the document is about; may be empty"]
    relation: Annotated[str, "words that say what subject does to object, or what happens; may be empty"]
    object: Annotated[str, "name as in entity_mentions, else words; may be empty"]
    kind: Annotated[str, "state (lasts), event (within the time, or so then), plan (after reference_time)"]
    polarity: Annotated[str, "positive; negative where it says that this is not, or no longer, so"]
    valid_at: Annotated[str, "ISO 8601 day, first that is meant; empty unknown"]
    invalid_at: Annotated[str, "ISO 8601 day, first that is not meant any more; empty unknown, or still so"]
    precision: Annotated[
        str,
        "of the vaguer of the two as stated: day, week, month, season, year, decade, century; seen: when it was said",
    ]
    time_text: Annotated[str, "words that state the time; of what was seen, those that say it"]
    reference_time: Annotated[str, "ISO 8601, when it was said: of the message, else of the document; empty unknown"]
    char_start: Annotated[int, "of the sentence, in documents.text"]
    char_end: Annotated[int, "end of that sentence"]
    round: Annotated[int, "0 = first pass, 1.. = gleaning"]


@table("entity_resolutions", final=False)
class EntityResolutions:
    """Which entity a name means: name as extracted, by document where documents differ."""

    document_id: Annotated[str, "where this holds; empty for the whole corpus", Key("documents", optional=True)]
    name: Annotated[str, "as extracted"]
    entity_id: Annotated[str, "entities.id; empty where the name was dropped", Key("entities", optional=True)]
    title: Annotated[str, "entities.title"]
    type: Annotated[str, "entities.type"]
    rule: Annotated[str, "exact, lexical, alias, model, stated (entities.yaml), or the reason for dropping"]


@table("word_counts", final=False)
class WordCounts:
    """How often the corpus writes each word in lower case: what it mostly writes so is no name."""

    word: Annotated[str, "word in lower case"]
    n: Annotated[int, "times"]


@table("relation_resolutions")
class RelationResolutions:
    """Which relation a wording of fact_mentions stands for, by wording. One that says nothing has no row."""

    wording: Annotated[str, "fact_mentions.relation"]
    relation: Annotated[str, "relation_policies.relation: the commonest of the wordings that are one"]
    inverse: Annotated[bool, "whether subject and object change places, as in founded, was founded by"]
    rule: Annotated[str, "exact (but for case, width, blanks and underscores) or stem (English: with its preposition)"]


@table("relation_policies")
class RelationPolicies:
    """How many values a relation has at a time, by relation. It decides whether a newer value ends an older one."""

    relation: Annotated[str, "as most mentions word it"]
    kind: Annotated[str, "functional (one object a subject), inverse (one subject an object), multi or event"]
    rule: Annotated[
        str, "settings, learned (from intervals that texts state) or default (of a few known relations, else multi)"
    ]
    n: Annotated[int, "intervals that were followed by another value; of a relation of events: intervals"]
    closed_share: Annotated[float, "of those, the share over when it began; of events: points in time. 0 for none"]
    n_mentions: Annotated[int, "mentions of the relation"]


@table("facts")
class Facts:
    """What held, or happened, when, as fact_mentions tell it together, by subject, relation, time and object.

    Valid time is [valid_at, invalid_at), the sources' time [created_at, expired_at): a fact that a later document ends
    is two rows, the open one that was told until then, and the ended one told since. What documents tell today has no
    expired_at.
    """

    id: Annotated[str, "hash of what the row says"]
    subject_id: Annotated[str, "entities.id; empty where the subject is no entity", Key("entities", optional=True)]
    subject: Annotated[str, "entities.title, else as the mention says it"]
    relation: Annotated[str, "relation_policies.relation"]
    object_id: Annotated[str, "entities.id; empty where the object is no entity", Key("entities", optional=True)]
    object: Annotated[str, "entities.title, else as the mention says it; may be empty"]
    fact: Annotated[str, "sentence that states it: of its beginning, else of its end"]
    kind: Annotated[str, "state (lasts), event (at some time from valid_at to invalid_at) or plan"]
    valid_at: Annotated[str, "ISO 8601, when it begins to hold; empty unknown"]
    invalid_at: Annotated[str, "ISO 8601, when it holds no more; empty unknown, or still so"]
    precision: Annotated[str, "of the vaguer of the two, as in fact_mentions; empty where both are unknown"]
    created_at: Annotated[str, "reference_time of the first mention that makes it so; empty where that has none"]
    expired_at: Annotated[str, "reference_time of the mention since which it is told otherwise; empty: it still is"]
    ended_by: Annotated[str, "stated, negated (a text says that it is no longer so) or succeeded (by another value)"]
    invalidated_by: Annotated[str, "fact_mentions.id of what ends it; empty", Key("fact_mentions", optional=True)]
    conflict: Annotated[bool, "whether another fact, or a denial, contradicts it, and nothing tells which is right"]
    prior_id: Annotated[str, "facts.id of the spell before, of the same value; empty", Key("facts", optional=True)]
    fact_group_id: Annotated[str, "hash of subject, relation and object: the same of all its spells"]
    n_mentions: Annotated[int, "mentions that say so"]
    n_documents: Annotated[int, "documents that say so"]
    sources: Annotated[list[Span], "where they stand, the first ten by reference_time"]


@table("documents")
class Documents:
    """Documents, as published."""

    id: Annotated[str, "hash of the content"]
    human_readable_id: Annotated[int, "row number"]
    title: Annotated[str, "from the row, the heading or the file name"]
    text: Annotated[str, "the text that all character spans refer to"]
    text_unit_ids: Annotated[list[str], "in order of place", Key("text_units", back="document_id")]
    creation_date: Annotated[str, "created_at, under graphrag's name"]
    raw_data: Annotated[str, "metadata, under graphrag's name"]
    source_id: Annotated[str, "its own id, which no other of its file has: of its JSONL or CSV row, else the path"]
    path: Annotated[str, "file in the corpus folder"]
    content_sha256: Annotated[str, "of the file's bytes"]
    mime: Annotated[str, "media type of the file"]
    language: Annotated[str, "ISO 639-1 code of the text, empty where undecided"]
    created_at: Annotated[str, "ISO 8601 time that the source states, empty where it states none"]
    metadata: Annotated[str, "JSON object of everything else the row holds"]
    blocks: Annotated[list[Block], "pages, slides, code, cells, messages in the text, by place"]


@table("text_units")
class TextUnits:
    """Text units, as published."""

    id: Annotated[str, "hash of the text, and of its place among equal texts"]
    human_readable_id: Annotated[int, "row number"]
    text: Annotated[str, "documents.text[char_start:char_end], exactly"]
    n_tokens: Annotated[int, "tokens of the text"]
    document_id: Annotated[str, "documents.id", Key("documents")]
    entity_ids: Annotated[list[str], "entities that it names", Key("entities")]
    relationship_ids: Annotated[list[str], "relationships that it states", Key("relationships")]
    covariate_ids: Annotated[list[str], "claims that it makes", Key("covariates", back="text_unit_id")]
    ordinal: Annotated[int, "place within the document, from 0"]
    char_start: Annotated[int, "first character in documents.text"]
    char_end: Annotated[int, "one past the last character"]


@table("mention_forms", final=False)
class MentionForms:
    """What each mention is in its sentence, by document and place; a text that stays is not read again."""

    document_id: Annotated[str, "documents.id", Key("documents")]
    mention_start: Annotated[int, "entity_mentions.mention_start"]
    length: Annotated[int, "characters of the name"]
    char_start: Annotated[int, "entity_mentions.char_start"]
    char_end: Annotated[int, "entity_mentions.char_end"]
    form: Annotated[Int32, "1: the sentence says what bears the name; 0: it names it; -1: by it or to it is spoken"]
    begins: Annotated[int, "first character of what the sentence says, behind label and brackets"]


@table("entities")
class Entities:
    """Entities, most frequent first."""

    id: Annotated[str, "hash of the resolved name"]
    human_readable_id: Annotated[int, "row number"]
    title: Annotated[str, "name"]
    type: Annotated[
        str, "person, organization, location, event, work, product, law, language, date, concept, code or unknown"
    ]
    description: Annotated[str, "what the corpus says of it"]
    text_unit_ids: Annotated[list[str], "text units that name it", Key("text_units", back="entity_ids")]
    frequency: Annotated[int, "number of text units that name it"]
    degree: Annotated[int, "number of relationships"]
    n_mentions: Annotated[int, "number of mentions"]
    n_documents: Annotated[int, "number of documents that name it"]
    sources: Annotated[list[Span], "where the description's sentences stand"]


@table("relationships")
class Relationships:
    """Relationships, heaviest first. Undirected: source sorts before target unless the text says who acts."""

    id: Annotated[str, "hash of the two entity ids"]
    human_readable_id: Annotated[int, "row number"]
    source: Annotated[str, "entities.title"]
    target: Annotated[str, "entities.title"]
    description: Annotated[str, "sentence that best states it"]
    weight: Annotated[float, "sum of strengths, by normalised PMI"]
    combined_degree: Annotated[int, "degree of source plus degree of target"]
    text_unit_ids: Annotated[list[str], "text units that state it", Key("text_units", back="relationship_ids")]
    source_id: Annotated[str, "entities.id of source", Key("entities")]
    target_id: Annotated[str, "entities.id of target", Key("entities")]
    relation: Annotated[str, "words that join the two most often"]
    n_mentions: Annotated[int, "number of sentences that state it"]
    sources: Annotated[list[Span], "where the description's sentence stands"]


@table("covariates")
class Covariates:
    """Claims. Empty unless a model extracted them."""

    id: Annotated[str, "hash of the claim"]
    human_readable_id: Annotated[int, "row number"]
    covariate_type: Annotated[str, "claim"]
    type: Annotated[str, "kind of claim"]
    description: Annotated[str, "what is claimed"]
    subject_id: Annotated[str, "entities.title of the subject"]
    object_id: Annotated[str, "entities.title of the object, or NONE"]
    status: Annotated[str, "TRUE, FALSE or SUSPECTED"]
    start_date: Annotated[str, "ISO 8601"]
    end_date: Annotated[str, "ISO 8601"]
    source_text: Annotated[str, "the words that claim it"]
    text_unit_id: Annotated[str, "text_units.id", Key("text_units")]


@table("communities")
class Communities:
    """Communities of related entities, by level and number. A level is a partition of what its parents split into."""

    id: Annotated[str, "hash of level and members when it first came up; kept while most of it stays"]
    human_readable_id: Annotated[int, "equals community"]
    community: Annotated[int, "number, kept as id is: by size at first, new ones count on"]
    level: Annotated[int, "0 = the whole graph's partition; deeper = finer"]
    parent: Annotated[int, "community number, -1 at level 0"]
    children: Annotated[list[int], "community numbers one level deeper"]
    title: Annotated[str, "its most connected entities, numbered where another community has the same"]
    entity_ids: Annotated[list[str], "members, most connected first", Key("entities")]
    relationship_ids: Annotated[list[str], "relationships with both ends inside", Key("relationships")]
    text_unit_ids: Annotated[list[str], "text units that state those relationships", Key("text_units")]
    period: Annotated[str, "date of the newest dated document in it, empty where none is dated"]
    size: Annotated[int, "number of entities"]


@table("community_reports")
class CommunityReports:
    """Reports on communities: by a model on all, else on those of four entities that three sentences tell of."""

    id: Annotated[str, "hash of community and content"]
    human_readable_id: Annotated[int, "equals community"]
    community: Annotated[int, "communities.community"]
    level: Annotated[int, "communities.level"]
    parent: Annotated[int, "communities.parent"]
    children: Annotated[list[int], "communities.children"]
    title: Annotated[str, "main entities, theme and years; a model's words where one wrote it"]
    summary: Annotated[str, "what its main entity is, and its most central statements, with marks [n]"]
    full_content: Annotated[str, "the whole report in Markdown"]
    rank: Annotated[float, "importance, 0-10"]
    rating_explanation: Annotated[str, "why that rank"]
    findings: Annotated[list[Finding], "other statements in the order of time, each with its mark [n]"]
    full_content_json: Annotated[str, "the report as JSON"]
    period: Annotated[str, "communities.period"]
    size: Annotated[int, "communities.size"]
    citations: Annotated[list[Citation], "what the marks point to"]
    input_sha256: Annotated[str, "hash of what the report was made from"]
    stale: Annotated[bool, "kept although its community has changed a little since (communities.mode: stable)"]
    age: Annotated[int, "runs for which it has been stale, 0 where it is not"]


@table("report_bases", final=False)
class ReportBases:
    """What each report's community held when the report was written: how far it has moved away since is told by it."""

    community_id: Annotated[str, "communities.id", Key("communities")]
    report_id: Annotated[str, "community_reports.id", Key("community_reports")]
    entity_ids: Annotated[list[str], "members then, sorted"]
    relationship_ids: Annotated[list[str], "relationships with both ends inside then, sorted"]
    weights: Annotated[list[float], "relationships.weight of each then"]


@table("document_signs", final=False)
class DocumentSigns:
    """What a document's text tells of how its sentences are to be read, in the order of documents."""

    document_id: Annotated[str, "documents.id", Key("documents")]
    speakers: Annotated[list[str], "names that open several of its lines, in lower case, sorted"]
    notice_starts: Annotated[list[int], "first characters of its licences and legal notices"]
    notice_ends: Annotated[list[int], "ends of them"]


@table("report_sentences", final=False)
class ReportSentences:
    """How each sentence reads that a report may tell, by document and place: one that stays is not read again."""

    document_id: Annotated[str, "documents.id", Key("documents")]
    language: Annotated[str, "documents.language, in which it was read"]
    char_start: Annotated[int, "of the sentence, in documents.text"]
    char_end: Annotated[int, "end of that sentence"]
    said_start: Annotated[int, "first character of what is said, without label, bullet and time"]
    said_end: Annotated[int, "end of that"]
    worth: Annotated[float, "how well it stands as a statement, whomever it names: 0 not at all, 1 well"]
    length: Annotated[int, "words, those without content too"]
    terms: Annotated[list[str], "its analysed words, each once, sorted"]


@table("failures")
class Failures:
    """What could not be done: kept, shown, retried by the next run."""

    document: Annotated[str, "path, path:line, text unit id, or what else could not be done"]
    stage: Annotated[str, "stage that failed"]
    error: Annotated[str, "what went wrong"]
    attempts: Annotated[int, "times tried in this run"]


@table("search_terms", final=False, mapped=True)
class SearchTerms:
    """BM25 postings over text units, by term."""

    term: Annotated[str, "analysed word"]
    rows: Annotated[list[Int32], "row numbers of text_units"]
    scores: Annotated[list[Float32], "BM25 score of the term in that text unit"]


@table("search_report_terms", final=False, mapped=True)
class SearchReportTerms:
    """BM25 postings over community reports, by term."""

    term: Annotated[str, "analysed word"]
    rows: Annotated[list[Int32], "row numbers of community_reports"]
    scores: Annotated[list[Float32], "BM25 score of the term in that report"]


@table("search_links", final=False, mapped=True)
class SearchLinks:
    """Which text units name each entity: one row an entity, in the order of entities."""

    rows: Annotated[list[Int32], "row numbers of text_units that name it"]
    counts: Annotated[list[Float32], "mentions there"]
    defines: Annotated[list[Int32], "row numbers of text_units whose document's title is its name"]


@table("search_counts", final=False)
class SearchCounts:
    """The terms of each text that search_terms and search_report_terms are made of: one row a different text, by key.

    A text that reads as it did is not analysed again.
    """

    key: Annotated[str, "hash of language and text"]
    terms: Annotated[list[str], "its terms, in order"]
    counts: Annotated[list[Int32], "how often it holds each"]


@table("search_units", final=False, mapped=True)
class SearchUnits:
    """What each text unit is of and names: one row a text unit, in the order of text_units."""

    document: Annotated[int, "row number of documents"]
    day: Annotated[int, "day of the last message in it, else of its document, 1 = 0001-01-01; 0 unknown"]
    order: Annotated[int, "place in the order in which text units were said, equal where it is not told; 0 undated"]
    entities: Annotated[list[Int32], "row numbers of entities that it names"]
    counts: Annotated[list[Float32], "mentions of each"]


@table("search_names", final=False, mapped=True)
class SearchNames:
    """The names by which a question can mean an entity, ordered by key, name and entity."""

    key: Annotated[str, "its words as they are compared, joined by U+001F; empty where it is not looked up"]
    name: Annotated[str, "a name as some document writes it"]
    entity: Annotated[int, "row number of entities"]


OF_TITLES = ""  # the field of search_values that titles have


@table("search_values", final=False, mapped=True)
class SearchValues:
    """Values of metadata that documents share, such as a source or an author: a question can mean them by it."""

    field: Annotated[str, "field of the metadata; empty for a word with a number in titles, such as ep 3"]
    value: Annotated[str, "its value"]
    rows: Annotated[list[Int32], "row numbers of text_units of documents that have it"]


@table("search_times", final=False, mapped=True)
class SearchTimes:
    """When what text units say held or happened, by fact_mentions: one row a text unit, in the order of text_units."""

    firsts: Annotated[list[Int32], "first day of each, 1 = 0001-01-01; 0 unknown"]
    lasts: Annotated[list[Int32], "last day of each; 0 unknown, or still so"]
    lasting: Annotated[list[Int32], "1 where a state is told to last, 0 where the time is all that is told"]
    starts: Annotated[list[Int32], "first character of each statement in documents.text"]


@table("search_vectors", final=False, mapped=True, block=65536)
class SearchVectors:
    """Vectors of text units by the embedding model, in their order; only where `embeddings.model` is set."""

    vector: Annotated[list[Float32], "of length 1, or zeros where the model failed; all have as many numbers"]


@table("search_vector_cells", final=False, mapped=True)
class SearchVectorCells:
    """Cells that many vectors are divided into, so that a question looks into the nearest; none up to a million."""

    centre: Annotated[list[Float32], "of length 1, as many numbers as a vector"]
    rows: Annotated[list[Int32], "row numbers of text_units, ascending; each is in one cell"]


@table("search_vector_weight", final=False)
class SearchVectorWeight:
    """How much vectors count in local search, learned from the corpus; one row, where `embeddings.model` is set."""

    weight: Annotated[float, "what a standard deviation of cosines is worth, where BM25's best is 1; 0: nothing"]
    n_probes: Annotated[int, "sentences that it was learned from"]
    coefficient: Annotated[float, "of the vectors beside BM25, in a conditional logit model"]
    gain: Annotated[float, "twice the log likelihood that vectors add; below 9 the weight is 0"]


OPTIONAL = ("search_vectors", "search_vector_cells", "search_vector_weight")
FINAL = [name for name in TABLES if name not in WORKING]

"""Entities and relationships in a model's reply: records of `replies.records`, each field in its place and clean."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from graphrag_lite.replies.records import FORMS, NOTHING, WORDS, clean_field, parse_records, unreadable
from graphrag_lite.text.dates import iso_date, iso_period

ENTITY, RELATIONSHIP = FORMS["entity"], FORMS["relationship"]
MAX_NAME = 200  # characters; a longer one is a sentence
MIN_STRENGTH, MAX_STRENGTH = 1.0, 10.0
STRENGTH = re.compile(
    r"(?:strength|weight|score)?\W{0,4}(\d{1,3}(?:[.,]\d{1,4})?)\s?(?:%|/\s?10|/\s?100|out of 10)?", re.I
)
UNSAID = NOTHING | {"ongoing", "present"}
STATE, NEGATIVE, POSITIVE = "state", "negative", "positive"
KINDS = frozenset((STATE, "event", "plan"))
# What a field behind the strength says of the relation, not of its time; replies in JSON repeat what record it is.
MARKS = KINDS | {NEGATIVE, POSITIVE, "relationship"}
MAX_MARK = 40  # characters
STRENGTHS: dict[str, float] = WORDS["strengths"]
SAME_TYPES = tuple(frozenset(row.split()) for row in WORDS["types"]["same"])


@dataclass(frozen=True, slots=True)
class Entity:
    """One entity, as a reply declares it. The type is lower-case, "unknown" where none is given."""

    name: str
    type: str = "unknown"
    description: str = ""


@dataclass(frozen=True, slots=True)
class Relationship:
    """One relationship, as a reply states it. Strength is 1-10, 1.0 where none is given; dates are ISO 8601 or "".

    Its kind is state, event or plan, its polarity positive or negative: state and positive where none is given.
    """

    source: str
    target: str
    relation: str = ""
    description: str = ""
    strength: float = MIN_STRENGTH
    valid_at: str = ""
    invalid_at: str = ""
    kind: str = STATE
    polarity: str = POSITIVE


@dataclass(frozen=True, slots=True)
class GraphReply:
    """What one reply says, in its order, without exact repetitions, and the number of records that were dropped."""

    entities: tuple[Entity, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    n_dropped: int = 0


def read_graph(text: str, types: Sequence[str]) -> GraphReply:
    """Read a reply to `extract_graph` or `extract_graph_more`; `types` are the kinds of entities that were asked for.

    A record that cannot be used is dropped and counted. Raises ReplyError for a reply with no usable record, unless it
    says with the completion mark alone that there is nothing.

    >>> read_graph('("entity"<|>Scrooge<|>PERSON<|>A miser)##("relationship"<|>Scrooge<|>Fred<|>8)', ["person"])
    ... # doctest: +NORMALIZE_WHITESPACE
    GraphReply(entities=(Entity(name='Scrooge', type='person', description='A miser'),),
      relationships=(Relationship(source='Scrooge', target='Fred', relation='', description='', strength=8.0,
      valid_at='', invalid_at='', kind='state', polarity='positive'),), n_dropped=0)
    """
    found = parse_records(text, ENTITY, RELATIONSHIP)
    n_dropped = len(found.dropped)
    entities: dict[Entity, None] = {}
    relationships: dict[Relationship, None] = {}
    for kind, *raw in found.rows:
        fields = [clean_field(field) for field in raw]
        if (kind or _kind(fields, types)) == ENTITY.kind:
            entity = _entity(fields, types)
            if entity:
                entities.setdefault(entity)
        else:
            entity = None
            relationship = _relationship(fields)
            if relationship:
                relationships.setdefault(relationship)
                continue
        n_dropped += entity is None
    if not entities and not relationships and not found.bare:
        raise unreadable(
            n_dropped,
            '("entity"<|>name<|>type<|>description) and ("relationship"<|>source<|>target<|>RELATION<|>'
            "description<|>strength<|>valid_at<|>invalid_at<|>kind)",
            "where there is nothing to extract",
        )
    return GraphReply(tuple(entities), tuple(relationships), n_dropped)


@lru_cache(maxsize=10_000)
def known_type(written: str, types: tuple[str, ...]) -> str:
    """Return the one of `types` that a reply means, else what it says in lower case, "unknown" for nothing.

    >>> [known_type(said, ("person", "organization")) for said in ("PERSON", "Organisations", "people", "ship", "")]
    ['person', 'organization', 'person', 'ship', 'unknown']
    """
    by_key = {_type_key(kind): kind.casefold() for kind in reversed(types)}
    for part in (written, *re.split(r"[/,;|(:]", written, maxsplit=4)):
        key = _type_key(part)
        if key in by_key:
            return by_key[key]
        same = [kind for row in SAME_TYPES if key in row for kind in sorted(row) if kind in by_key]
        if key and len(same) == 1:
            return by_key[same[0]]
    kind = written.casefold().strip("<>[](){}#*_ \t\"'")
    return "unknown" if kind in UNSAID or len(kind) > MAX_NAME else kind


def _type_key(kind: str) -> str:
    key = "".join(char for char in unicodedata.normalize("NFKC", kind).casefold() if char.isalnum())
    key = key.replace("organisation", "organization")
    return key[:-1] if len(key) > 4 and key.endswith("s") and key.isascii() else key


def _is_type(field: str, types: Sequence[str]) -> bool:
    return len(field.split()) <= 3 and known_type(field, tuple(types)) in {kind.casefold() for kind in types}


def _kind(fields: list[str], types: Sequence[str]) -> str:
    """Say what a record without a kind is: an entity has its type in the second place."""
    return ENTITY.kind if 2 <= len(fields) <= 3 and _is_type(fields[1], types) else RELATIONSHIP.kind


def is_name(name: str) -> bool:
    """Tell whether a text can be a name: not empty, and no sentence."""
    return 0 < len(name) <= MAX_NAME and any(char.isalnum() for char in name)


def _entity(fields: list[str], types: Sequence[str]) -> Entity | None:
    """Put the fields of an entity in their places: name, type, description. None where there is no name."""
    while fields and not fields[-1]:
        fields = fields[:-1]
    if not fields or [field.casefold() for field in fields[:2]] == ["name", "type"]:  # the form itself, echoed
        return None
    type_at = next((i for i, field in enumerate(fields[1:4], 1) if _is_type(field, types)), 0)
    if not type_at and len(fields) > 2 and _is_type(fields[0], types):
        fields = [fields[1], fields[0], *fields[2:]]
    if type_at > 1 and len(fields) > 3:
        fields = ["<|>".join(fields[:type_at]), *fields[type_at:]]  # a name that holds the delimiter
    elif type_at == 2:
        fields = [fields[0], fields[2], fields[1]]
    elif not type_at and len(fields) == 2 and len(fields[1].split()) > 3:
        fields = [fields[0], "", fields[1]]
    name, kind, *rest = [*fields, ""]
    if not is_name(name) and not (name and "<|>" in name):
        return None
    description = " ".join(part for part in rest if part and not STRENGTH.fullmatch(part))
    return Entity(name, known_type(kind, tuple(types)), description)


def _relationship(fields: list[str]) -> Relationship | None:
    """Put the fields of a relationship in their places. None where it does not have two names.

    Replies leave the relation or the dates out, and put the strength elsewhere: a number is the strength, what looks
    like a date is one, short words before the description are the relation, a kind or a polarity behind it is that.
    """
    if len(fields) < 2 or [field.casefold() for field in fields[:2]] == ["source", "target"]:
        return None
    source, target, *rest = fields
    if not is_name(source) or not is_name(target):
        return None
    strength: float | None = None
    texts: list[str] = []
    dates: list[str] = []
    marks: set[str] = set()
    for position, field in enumerate(rest):
        late = position > 2 or strength is not None
        words = set(re.findall(r"\w+", field[:MAX_MARK].casefold())) if late else set()
        if words and words <= MARKS:
            marks |= words
            continue
        sole = position > 1 or position == len(rest) - 1
        if strength is None and (value := _strength(field, word=sole)) is not None:
            strength = value
        elif position and (iso_date(field) or (late and _is_date(field))):
            dates.append(field)
        elif field.casefold() not in UNSAID:
            texts.append(field)
    relation = ""
    if texts and (len(texts) > 1 or _in_capitals(texts[0])) and _is_relation(texts[0]):
        relation, texts = re.sub(r"[\s-]+", "_", texts[0]).upper(), texts[1:]
    valid_at, invalid_at = iso_period(*[*dates, "", ""][:2])
    description = " ".join(texts)
    kind = min(marks & KINDS, default=STATE)
    polarity = NEGATIVE if NEGATIVE in marks else POSITIVE
    stated = (relation, description, strength or MIN_STRENGTH, valid_at, invalid_at)
    return Relationship(source, target, *stated, kind, polarity)


def _is_date(field: str) -> bool:
    return field.casefold() in UNSAID or any(iso_period(field, ""))


def _in_capitals(field: str) -> bool:
    return field == field.upper() != field.lower()


def _is_relation(field: str) -> bool:
    """Say whether a field can be the kind of a relation: a few words, no sentence."""
    return len(field) <= 60 and len(re.split(r"[\s_-]+", field)) <= 6 and not re.search(r"[.!?;:,。！？，；：]", field)


def _strength(field: str, *, word: bool) -> float | None:
    """Read a strength: 8, 8.5, 8/10, 80%, 0.8, "strength: 8"; "high" or "seven" where it cannot be a relation."""
    if word and field.casefold() in STRENGTHS:
        value = STRENGTHS[field.casefold()]
    elif found := STRENGTH.fullmatch(field):
        value = float(found.group(1).replace(",", "."))
        if field.endswith(("%", "100")) and value > MAX_STRENGTH:
            value /= 10
        elif 0 < value < 1:
            value *= 10
    else:
        return None
    return min(MAX_STRENGTH, max(MIN_STRENGTH, value))

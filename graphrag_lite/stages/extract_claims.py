"""Text units -> claims about entities, by a model."""

import logging
from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING

from graphrag_lite import tables
from graphrag_lite.evidence.quotations import Quotable
from graphrag_lite.extraction.model_rounds import ClaimSource, claims_of
from graphrag_lite.llm.stage_model import StageModel
from graphrag_lite.prompts import Prompts
from graphrag_lite.replies.claim_records import NONE, Claim
from graphrag_lite.resolution.name_keys import exact_key
from graphrag_lite.run.services import Attempt, unguarded
from graphrag_lite.settings import ExtractClaims

if TYPE_CHECKING:
    import pyarrow as pa

Row = tuple[str, ...]
Unit = tuple[str, str, str]  # id, document, text


logger = logging.getLogger(__name__)


async def extract_claims(
    source_documents: "pa.Table",
    source_units: "pa.Table",
    entity_mentions: "pa.Table",
    entity_resolutions: "pa.Table",
    settings: ExtractClaims,
    model: StageModel,
    prompts: Prompts,
    attempt: Attempt = unguarded,
) -> "pa.Table":
    """Ask the model about every text, once for all units that hold it; nothing where claims are not enabled.

    Rows stand in the order of units, then of replies; a claim that a unit makes twice is one row. A unit without a
    usable first reply is recorded as a failure and has no rows; one whose later round failed keeps what was found.
    """
    if not settings.enabled:
        return tables.make("covariates", [])
    names: dict[str, list[str]] = defaultdict(list)
    for unit_id, name in tables.rows(entity_mentions, "text_unit_id", "name"):
        names[unit_id].append(name)
    units = list(zip(*(source_units[c].to_pylist() for c in ("id", "document_id", "text")), strict=True))
    dates = dict(tables.rows(source_documents, "id", "created_at"))
    units_of: dict[ClaimSource, list[Unit]] = {}
    for unit in units:
        if unit[2].strip():
            units_of.setdefault(ClaimSource.of(unit[2], dates[unit[1]], names[unit[0]]), []).append(unit)
    titles = _Titles(entity_resolutions)

    async def work(source: ClaimSource) -> dict[str, list[tuple[Row, Row]]]:  # while other replies are on their way
        first = units_of[source][0][0]
        found = (await model.outcome(partial(claims_of, settings, model, prompts), source)).recorded(model, first)
        if n_dropped := sum(n for _, n in found):
            logger.info("%s: dropped %d records of claims that cannot be read.", first, n_dropped)
        claims = [claim for several, _ in found for claim in several]
        return {unit[0]: attempt(unit[0], _rows, unit, claims, titles) or [] for unit in units_of[source]}

    replies = await model.map(work, list(units_of), name=lambda source: units_of[source][0][0])
    found = {identity: made for several in replies for identity, made in (several or {}).items()}
    rows: dict[Row, Row] = {}
    for identity, *_ in units:
        for same, row in found.get(identity, ()):
            rows.setdefault(same, row)
    numbered = [(identity, number, *rest) for number, (identity, *rest) in enumerate(rows.values())]
    return tables.make("covariates", numbered)


def _rows(unit: Unit, claims: list[Claim], titles: "_Titles") -> list[tuple[Row, Row]]:
    """Return what tells each claim of a text unit from others, and its row."""
    identity, document_id, text = unit
    quotable = Quotable(text)
    made: list[tuple[Row, Row]] = []
    for claim in claims:
        subject, other = titles.of(document_id, claim.subject), titles.of(document_id, claim.object)
        source = _quoted(claim.source_text, quotable)
        values = (claim.type, claim.description, subject, other, claim.status, claim.start_date, claim.end_date)
        same = (identity, exact_key(subject), exact_key(other), claim.type, exact_key(claim.description))
        row_id = tables.content_id("claim", identity, *values, source)
        made.append((same, (row_id, "claim", *values, source, identity)))
    return made


class _Titles:
    """What the names in claims mean: in their document, else in the corpus, else by their key; else as given."""

    def __init__(self, entity_resolutions: "pa.Table") -> None:
        self._exact: dict[tuple[str, str], str] = {}
        self._by_key: dict[tuple[str, str], str] = {}
        columns = ("document_id", "name", "entity_id", "title")
        for document_id, name, entity_id, title in tables.rows(entity_resolutions, *columns):
            if entity_id:
                self._exact[document_id, name] = title
                self._by_key.setdefault((document_id, exact_key(name)), title)

    def of(self, document_id: str, name: str) -> str:
        if name == NONE:
            return NONE
        for scope in (document_id, ""):
            title = self._exact.get((scope, name)) or self._by_key.get((scope, exact_key(name)))
            if title:
                return title
        return name


def _quoted(source: str, text: Quotable) -> str:
    """Return the words that a model quotes as the text writes them, with the gaps; as given where they are not there.

    >>> text = Quotable("“Bah!” said Scrooge. “Humbug!”")
    >>> _quoted("bah ... Humbug", text), _quoted("He laughed.", text)
    ('Bah!” said Scrooge. “Humbug', 'He laughed.')
    """
    spans = text.find(source)
    return text.text[spans[0][0] : spans[-1][1]] if spans else source

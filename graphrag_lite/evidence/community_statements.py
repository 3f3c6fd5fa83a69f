"""What is told of a community: the statements of its relationships and members, of which its page is chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphrag_lite.evidence.report_statements import Sources
from graphrag_lite.evidence.statement import ReportStatement

Row = dict[str, Any]


@dataclass(frozen=True)
class CommunityStatements:
    """Rows and statements by id.

    `entity` and `relationship` are rows, `stated` what a relationship states, `named` the statements that name an
    entity, `leads` its definition; `idf` is what a term is worth.
    """

    entity: Mapping[str, Row]
    stated: Mapping[str, ReportStatement]
    named: Mapping[str, Sequence[ReportStatement]]
    leads: Mapping[str, ReportStatement]
    idf: Mapping[str, float]
    sources: Sources

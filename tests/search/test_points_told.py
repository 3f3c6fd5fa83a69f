"""Points that follow what announces them are told with it, in documents and mails."""

from pathlib import Path

import pytest

import graphrag_lite

MAIL = """From: Ada Holm <ada@holm.example>
To: Olaf Berg <olaf@berg.example>
Subject: Harbour rules

The harbour rules of the northern port have three levels:

- pilots
- crews
- guests

The dues are paid in May. We founded the port on two essential duties. The first is the care for ships. The second
is the care for crews. Nobody has to like them.
"""


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which levels do the harbour rules have?", "three levels: - pilots - crews - guests [1]"),
        (
            "On which essential duties was the port founded?",
            "first is the care for ships. The second is the care for crews. [1]",
        ),
    ],
)
def test_points_and_lists_are_told_with_what_announces_them(tmp_path: Path, question: str, told: str) -> None:
    (tmp_path / "rules.eml").write_text(MAIL)
    assert told in graphrag_lite.index(tmp_path, tmp_path).query(question).answer

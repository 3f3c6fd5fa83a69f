"""The script that fetches public sets builds our slices, byte for byte, of files in the public form."""

import http.server
import json
import sys
import threading
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

ROOT = Path(__file__).parents[1]
SETS = ROOT.parent / "shared" / "data" / "qa"

sys.path.insert(0, str(ROOT / "benchmarks"))

import fetch_data  # noqa: E402


def public_form(folder: Path, prefix: str) -> dict[str, Any]:
    """Return a slice as its source publishes it: articles of paragraphs with questions; ours are in another order."""
    corpus, questions = (
        [json.loads(line) for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
        for name in ("corpus", "questions")
    )
    asked = defaultdict(list)
    for row in questions:
        answers = [{"text": text, "answer_start": 0} for text in [*row["answers"], row["answers"][0]]]
        asked[row["supporting_ids"][0]].append(
            {"id": row["id"].removeprefix(f"{prefix}q_"), "question": row["question"], "answers": answers}
        )
    articles = defaultdict(list)
    for row in sorted(corpus, key=lambda row: row["text"]):
        articles[row["title"]].append({"context": row["text"], "qas": asked[row["id"]]})
    return {"data": [{"title": title, "paragraphs": found} for title, found in articles.items()]}


@pytest.mark.skipif(not SETS.exists(), reason="../shared/data/qa is not there")
def test_slices_are_built_as_they_were_measured(tmp_path: Path) -> None:
    """From a server on this machine; of a paragraph that reads otherwise it is told that it is missing."""
    (tmp_path / "public").mkdir()
    for name, source in fetch_data.SOURCES.items():
        first, second = (tmp_path / "public" / address.rpartition("/")[2] for address in source.addresses)
        first.write_text(json.dumps(public_form(SETS / name, source.prefix)))
        second.write_text('{"data": []}')
    serve = partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path / "public"))
    serve.log_message = lambda *_: None  # type: ignore[attr-defined]
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        threading.Thread(target=server.serve_forever).start()
        result = CliRunner().invoke(
            fetch_data.main, [str(tmp_path / "sets"), "--from", f"http://127.0.0.1:{server.server_port}"]
        )
        server.shutdown()
    assert result.exit_code == 0 and result.output.count("as measured") == len(fetch_data.SOURCES), result.output
    for name in fetch_data.SOURCES:
        for file in ("corpus.jsonl", "questions.jsonl"):
            assert (tmp_path / "sets" / name / file).read_bytes() == (SETS / name / file).read_bytes(), (name, file)
    changed = tmp_path / "public" / "valid-v1.3.json"
    squad = json.loads(changed.read_text())
    squad["data"][0]["paragraphs"][0]["context"] += "。"
    changed.write_text(json.dumps(squad))
    result = CliRunner().invoke(
        fetch_data.main, [str(tmp_path / "sets"), "jsquad_ja", "--from", (tmp_path / "public").as_uri()]
    )
    assert "1 rows are not there: ja_" in result.output

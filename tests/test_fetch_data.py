"""The script that fetches public sets reads each published form, served on loopback, and tells what is not as measured."""

import http.server
import io
import json
import sys
import threading
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

ROOT = Path(__file__).parents[1]
SETS = ROOT.parent / "shared" / "data" / "qa"

sys.path.insert(0, str(ROOT / "benchmarks"))

import fetch_data  # noqa: E402
import public_forms  # noqa: E402

ASKED = {"id": "1", "question": "Who?", "answers": [{"text": "Ann"}, {"text": "Ann"}]}
SQUAD = {"data": [{"title": "Oslo", "paragraphs": [{"context": "A paper\n\nAnn came.", "qas": [ASKED]}]}]}
MUSIQUE = {
    "id": "2hop__1_2",
    "paragraphs": [
        {"title": "A", "paragraph_text": "Ann.", "is_supporting": True},
        {"title": "B", "paragraph_text": "Bo.", "is_supporting": False},
    ],
    "question": "Who?",
    "answer": "Ann",
    "answer_aliases": ["A."],
}
HOTPOT = {
    "_id": "5a",
    "context": [["B", ["Bo. ", "He is old."]], ["C", ["Cy."]]],
    "supporting_facts": [["B", 1]],
    "question": "How old?",
    "answer": "old",
    "type": "bridge",
}
TIMEQA = {
    "link": "/wiki/Ann_Li",
    "type": "P69",
    "paras": [
        "Ann Li",
        "Ann Li ( born 1980 in Bergen ) is a painter .",
        "Early life .",
        "Ann Li studied in Oslo from 2001 to 2003 and left .",
    ],
    "questions": [["Where?", [{"para": 3, "answer": "Oslo"}]], ["When?", [{"para": 0, "answer": ""}]]],
}
FACT = {
    "title": "T",
    "author": "a",
    "url": "u",
    "source": "s",
    "category": "c",
    "published_at": "2023-01-01",
    "fact": "F.",
}
SESSION = [{"role": "user", "content": "I moved.", "has_answer": True}, {"role": "assistant", "content": "Fine."}]
ORACLE = {
    "question_id": "q1",
    "question_type": "knowledge-update",
    "question": "Where?",
    "answer": "Oslo",
    "question_date": "2023/05/30 (Tue) 23:40",
    "haystack_dates": ["2023/05/20 (Sat) 02:21"],
    "haystack_session_ids": ["s1"],
    "haystack_sessions": [SESSION],
}
CHAT = [{"turns": [[{"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "Hello ->-> 1,1"}]]}]
PROBES = {
    "abstention": [{"question": "Why?", "ideal_response": "-"}],
    "order": [{"question": "Q", "source_chat_ids": [0]}],
}
STORY, ASKS = (
    "section,text\n1,Once.\n2,Then.\n",
    'question_id,cor_section,question,ex-or-im1,answer1\n1,"1,2",Who?,implicit,a cat\n',
)
TREE = {
    "id": "m",
    "question": "Why?",
    "answer": "b",
    "meta": {"triples": {"sent1": "ice is cold", "sent2": "it melts"}},
}
RAGAS = "data.context,data.user_input,metadata.uuid\n\"['One. Two.']\",how?,u1\n"
TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><title>Novel</title><div><div><head>I</head><p>It
rained.</p></div><div><p>It snowed.</p></div></div></TEI>"""
# form: files in the published form, numbers of documents and questions, something of one document, gold of a question
PUBLISHED: dict[str, tuple[dict[str, Any], tuple[int, int], dict[str, str], int]] = {
    "squad": ({"a.json": SQUAD}, (1, 1), {"title": "Oslo"}, 1),
    "squad_untitled": ({"a.json": SQUAD}, (1, 1), {"title": ""}, 1),
    "squad_papers": ({"a.json": SQUAD}, (1, 1), {"title": "A paper", "text": "Ann came."}, 1),
    "hops": (
        {"a.jsonl": [MUSIQUE, HOTPOT], "b.json": [{"title": "D", "text": "Di."}]},
        (5, 2),
        {"text": "Bo. He is old."},
        1,
    ),
    "timeqa": ({"a.json": [TIMEQA]}, (2, 2), {"title": "Ann Li / Early life"}, 1),
    "quoted_facts": (
        {"a.json": [{"query": "Q", "answer": "Yes", "question_type": "t", "evidence_list": [FACT]}]},
        (1, 1),
        {"text": "F."},
        1,
    ),
    "evidence_turns": (
        {"oracle": [ORACLE], "s": [ORACLE | {"question_id": "q2"}]},
        (3, 1),
        {"timestamp": "2023-05-20T02:21:00"},
        1,
    ),
    "chat_files": (
        {
            "x/20260105_1400.txt": "Hi.",
            "q.json": {"0": {"question": "Q", "answer": "a", "evidence": "20260105_14:00<and>x", "type": "Multi"}},
        },
        *((1, 1), {"title": "chat 2026-01-05 14:00"}, 1),
    ),
    "long_chats": (
        {"c/7/chat.json": CHAT, "c/7/p/probing_questions.json": PROBES},
        (1, 2),
        {"text": "Hello", "timestamp": "2024-03-15"},
        1,
    ),
    "told_stories": (
        {"s/a-cat-story.csv": STORY, "q/a-cat-questions.csv": ASKS},
        (2, 1),
        {"title": "a cat", "text": "Then."},
        2,
    ),
    "entailment": ({"a.jsonl": [TREE]}, (2, 1), {"text": "Ice is cold."}, 2),
    "made_questions": ({"a.csv": RAGAS}, (1, 1), {"text": "One. Two."}, 1),
    "texts": ({"a/one.txt": "Text.", "q.csv": "question_id,question_text\n1,What?\n"}, (1, 1), {"title": "one"}, 0),
    "parts_of_texts": (
        {"1_10.txt": "EP_1.txt b", "1_9.txt": "EP_1.txt a"},
        (1, 0),
        {"text": "EP_1.txt a\n\nEP_1.txt b"},
        0,
    ),
    "novels": ({"n.xml": TEI}, (2, 0), {"text": "I\n\nIt rained.", "title": "Novel / part 1"}, 0),
    "parallel_news": ({"d.tsv": "bbc.1\nbbc.1\n", "eng.txt": "One.\nTwo.\n"}, (1, 0), {"text": "One.\nTwo."}, 0),
}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """Serve a folder, and yield it with its address."""
    folder = tmp_path_factory.mktemp("public")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever).start()
        yield folder, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def fetched(target: Path, name: str, address: str) -> tuple[int, str]:
    fetch_data.fetched.cache_clear()
    done = CliRunner().invoke(fetch_data.main, [str(target), name, "--from", address])
    return done.exit_code, done.output


def test_every_form_of_the_table_is_known_and_tried() -> None:
    assert {source["form"] for source in fetch_data.SOURCES.values()} <= set(public_forms.FORMS) == set(PUBLISHED)
    listed = {path.stem for path in (ROOT / "benchmarks" / "slices").iterdir()}
    assert listed == {name for name, source in fetch_data.SOURCES.items() if "whole" not in source}


@pytest.mark.parametrize("form", PUBLISHED)
def test_a_published_form_is_read(
    form: str, public: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fetched from an archive, of which other files are left alone; what differs from what was measured is told."""
    files, counts, held, n_gold = PUBLISHED[form]
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("repo-c0ffee/README", "Not of the set.")
        for name, content in files.items():
            lines = content if isinstance(content, str) else json.dumps(content)
            if name.endswith(".jsonl"):
                lines = "\n".join(map(json.dumps, content))
            archive.writestr(f"repo-c0ffee/data/{name}", lines)
    (public[0] / "repo.zip").write_bytes(sink.getvalue())
    source = {"form": form, "prefix": "x", "from": ["me/repo@c0ffee:data/*"], "whole": "0 documents"}
    monkeypatch.setitem(fetch_data.SOURCES, "dulce", source)
    code, said = fetched(tmp_path, "dulce", public[1])
    assert code == 1 and f"{counts[0]} documents, {counts[1]} questions" in said, said
    documents, questions = (rows_of(tmp_path / "dulce" / f"{name}.jsonl") for name in ("corpus", "questions"))
    assert (len(documents), len(questions)) == counts
    assert any(held.items() <= row.items() for row in documents)
    known = {row["id"] for row in documents}
    assert max((len(row["supporting_ids"]) for row in questions), default=0) == n_gold
    assert all(set(row["supporting_ids"]) <= known for row in questions)


def public_form(folder: Path, prefix: str) -> dict[str, Any]:
    """Return a slice as its source publishes it: articles of paragraphs with questions; ours are in another order."""
    corpus, questions = (rows_of(folder / f"{name}.jsonl") for name in ("corpus", "questions"))
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
def test_a_slice_is_built_as_it_was_measured(public: tuple[Path, str], tmp_path: Path) -> None:
    """Byte for byte; of a paragraph that reads otherwise, a file that moved and one of another form it is told."""
    squad = public_form(SETS / "cmrc2018_zh", "zh")
    first, second = (public[0] / f"cmrc2018_{part}.json" for part in ("dev", "trial"))
    first.write_text(json.dumps(squad))
    second.write_text('{"data": []}')
    assert fetched(tmp_path, "cmrc2018_zh", public[1]) == (0, "cmrc2018_zh: as measured\n")
    for file in ("corpus.jsonl", "questions.jsonl"):
        assert (tmp_path / "cmrc2018_zh" / file).read_bytes() == (SETS / "cmrc2018_zh" / file).read_bytes(), file
    squad["data"][0]["paragraphs"][0]["context"] += "。"
    first.write_text(json.dumps(squad))
    code, said = fetched(tmp_path, "cmrc2018_zh", public[1])
    assert code == 1 and "1 rows of the slice are not there" in said
    second.write_text('[{"rows": []}]')
    assert "not in the form that was measured" in fetched(tmp_path, "cmrc2018_zh", public[1])[1]
    second.unlink()
    code, said = fetched(tmp_path, "cmrc2018_zh", public[1])
    assert code == 1 and "/cmrc2018_trial.json: HTTP Error 404" in said

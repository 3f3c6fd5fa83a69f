"""The script that fetches public sets reads each published form, served on loopback, and tells what is not as measured."""

import hashlib
import http.server
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
import gold_forms  # noqa: E402
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
DOCRED = {
    "title": "Ann Li",
    "sents": [["Ann", "Li", "(", "b.", "1980", ")", "paints", "."], ["Li", "'s", "home", "is", "Oslo", "."]],
    "vertexSet": [
        [
            {"name": "Li", "sent_id": 1, "pos": [0, 1], "type": "PER"},
            {"name": "Ann Li", "sent_id": 0, "pos": [0, 2], "type": "PER"},
        ],
        [{"name": "Oslo", "sent_id": 1, "pos": [4, 5], "type": "LOC"}],
    ],
    "labels": [{"h": 0, "t": 1, "r": "P551", "evidence": [1]}],
}
BRAT = """T1\tPROP_PER 0 6\tAnn Li
T2\tNOM_PER 14 24\tthe painter
T3\tPRON_PER 8 11\tshe
T4\tPRON_PER 30 33\tyou
T5\tAnn_Li-0 0 6\tAnn Li
T6\tAnn_Li-0 8 11\tshe
T7\tAnn_Li-0 13 24\tthe painter
T8\tyou-1 30 33\tyou
T9\tAnn_Li-0 14 24\tpainter
"""


def pdf_of(*pages: str) -> bytes:
    """Return a PDF with a line on each page; readers find its objects without a table of them."""
    kids = " ".join(f"{4 + 2 * place} 0 R" for place in range(len(pages)))
    parts = [
        "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj",
        f"2 0 obj<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>endobj",
        "3 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj",
    ]
    for place, text in enumerate(pages):
        drawn, own = f"BT /F 12 Tf 9 99 Td ({text}) Tj ET", 4 + 2 * place
        box = "/MediaBox[0 0 300 200]/Resources<</Font<</F 3 0 R>>>>"
        parts.append(f"{own} 0 obj<</Type/Page/Parent 2 0 R{box}/Contents {own + 1} 0 R>>endobj")
        parts.append(f"{own + 1} 0 obj<</Length {len(drawn)}>>stream\n{drawn}\nendstream endobj")
    return "\n".join(["%PDF-1.4", *parts, "trailer<</Root 1 0 R>>", "%%EOF"]).encode()


FINANCE = {
    "financebench_id": "1",
    "question": "Sales?",
    "answer": "$5",
    "question_type": "metrics",
    "evidence": [{"doc_name": "AB_C_2023Q2_10Q", "evidence_page_num": 1}],
}
GML = """graph [ node [ id 1 label "Ann A" value 0 source "x" ] node [ id 5
 label "Bo" value "l" ] node [ id 7 label "C" value 1 ] edge [ source 5 target 1 ] edge [ source 1 target 5 ]
 edge [ source 7 target 7 ] ]"""
# form: files in the published form, files of ours
TABLES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "graph_gml": ({"g.gml": GML}, {"edges.tsv": "0\t1\n", "labels.tsv": "0\t0\tAnn A\n1\tl\tBo\n2\t1\tC\n"}),
    "graph_pairs": (
        {"e.txt": "0 1\n1 0\n1 1\n", "e-labels.txt": "0 8\n1 9\n"},
        {"edges.tsv": "0\t1\n", "labels.tsv": "0\t8\t0\n1\t9\t1\n"},
    ),
    "as_published": ({"f/train.txt": "3\t1\t2\t1926\t1929\n"}, {"train.txt": "3\t1\t2\t1926\t1929\n"}),
}
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
    "relations_in_documents": (
        {"a.json": [DOCRED]},
        (1, 0),
        {"id": "x_000", "text": "Ann Li (b. 1980) paints. Li's home is Oslo."},
        0,
    ),
    "chains": (
        {"a/7_old_tale_brat.ann": BRAT, "a/7_old_tale_brat.txt": "Ann Li, she, a painter now. Do you?"},
        (1, 0),
        {"id": "x_7_old_tale", "title": "old tale"},
        0,
    ),
    "report_pages": (
        {"pdfs/AB_C_2023Q2_10Q.pdf": pdf_of("First.", "Sales were 5."), "q.jsonl": [FINANCE]},
        (2, 1),
        {"title": "AB_C 10Q 2023 Q2, page 2", "text": "Sales were 5."},
        1,
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
    used = {source["form"] for source in fetch_data.SOURCES.values()}
    assert used <= {*public_forms.FORMS, *gold_forms.GOLD, *gold_forms.TABLES}
    assert set(PUBLISHED) == {*public_forms.FORMS, *gold_forms.GOLD}
    assert {*TABLES, "graph_karate"} == set(gold_forms.TABLES)
    listed = {path.stem for path in (ROOT / "benchmarks" / "slices").iterdir()}
    assert listed == {name for name, source in fetch_data.SOURCES.items() if not {"whole", "files"} & {*source}}


def serve(folder: Path, files: dict[str, Any]) -> None:
    """Put files, and one more, into an archive as GitHub gives them."""
    with zipfile.ZipFile(folder / "repo.zip", "w") as archive:
        archive.writestr("repo-c0ffee/README", "Not of the set.")
        for name, content in files.items():
            lines = content if isinstance(content, str | bytes) else json.dumps(content)
            if name.endswith(".jsonl"):
                lines = "\n".join(map(json.dumps, content))
            archive.writestr(f"repo-c0ffee/data/{name}", lines)


@pytest.mark.parametrize("form", PUBLISHED)
def test_a_published_form_is_read(
    form: str, public: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fetched from an archive, of which other files are left alone; what differs from what was measured is told."""
    if form == "report_pages":
        pytest.importorskip("pypdfium2", reason="the extra `documents` is not installed")
    files, counts, held, n_gold = PUBLISHED[form]
    serve(public[0], files)
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


def test_gold_stands_in_files_of_its_own(
    public: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name is the longest mention, or the most frequent name of a chain; chains of pronouns are none."""
    found = {}
    for form in ("relations_in_documents", "chains"):
        serve(public[0], PUBLISHED[form][0])
        source = {"form": form, "prefix": "x", "from": ["me/repo@c0ffee:data/*"], "whole": ""}
        monkeypatch.setitem(fetch_data.SOURCES, "dulce", source)
        fetched(tmp_path / form, "dulce", public[1])
        found[form] = rows_of(tmp_path / form / "dulce" / "entities.jsonl")
        assert "entities" not in rows_of(tmp_path / form / "dulce" / "corpus.jsonl")[0]
    ann, oslo = found["relations_in_documents"]
    assert (ann["name"], ann["aliases"], ann["sentences"], oslo["type"]) == ("Ann Li", ["Li"], [0, 1], "LOC")
    (stated,) = rows_of(tmp_path / "relations_in_documents" / "dulce" / "relations.jsonl")
    assert (stated["head"], stated["relation"], stated["tail"]) == ("Ann Li", "residence", "Oslo")
    (chain,) = found["chains"]
    assert (chain["name"], chain["type"], chain["proper"]) == ("Ann Li", "PER", True)
    assert chain["mentions"] == [[0, 6], [8, 11], [13, 24], [14, 24]]


@pytest.mark.parametrize("form", TABLES)
def test_graphs_and_facts_are_told_by_their_bytes(
    form: str, public: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, ours = TABLES[form]
    serve(public[0], files)
    measured = {name: hashlib.sha256(text.encode()).hexdigest()[:12] for name, text in ours.items()}
    source = {"form": form, "from": ["me/repo@c0ffee:data/*"], "files": measured}
    monkeypatch.setitem(fetch_data.SOURCES, "dulce", source)
    assert fetched(tmp_path, "dulce", public[1]) == (0, "dulce: as measured\n")
    assert {path.name: path.read_text() for path in (tmp_path / "dulce").iterdir()} == ours
    first = next(iter(measured))
    measured[first] = "0"
    code, said = fetched(tmp_path, "dulce", public[1])
    assert code == 1 and f"{first} not as measured" in said


def test_the_karate_club_is_as_measured(tmp_path: Path) -> None:
    pytest.importorskip("networkx", reason="the extra for exports is not installed")
    assert fetched(tmp_path, "karate", "")[0] == 0


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

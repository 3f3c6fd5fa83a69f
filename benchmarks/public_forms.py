"""Public sets in the form in which they are published, read as documents and questions: a function for each form.

Each takes the files, by their names, and the prefix of its set's ids, and returns rows of corpus.jsonl and
questions.jsonl. Fields that no figure rests on are left out.
"""

import ast
import csv
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any
from xml.etree import ElementTree as ET

Row = dict[str, Any]
Files = Mapping[str, bytes]
Set = tuple[list[Row], list[Row]]
TEI = "{http://www.tei-c.org/ns/1.0}"


def key_of(*parts: str) -> str:
    """Return what tells a text from others: 12 digits of a SHA-1."""
    return hashlib.sha1("\x1f".join(parts).encode()).hexdigest()[:12]


def rows_of(content: bytes) -> list[Any]:
    """Read JSON, or JSON lines."""
    text = content.decode("utf-8-sig")
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    return found if isinstance(found, list) else [found]


def _all_rows(files: Files) -> list[Any]:
    return [row for content in files.values() for row in rows_of(content)]


def asked_row(identity: str, question: str, answers: Iterable[Any], gold: Iterable[str], kind: str, **more: Any) -> Row:
    """Return a question, with the ids of the documents that answer it."""
    distinct = list(dict.fromkeys(str(answer) for answer in answers if answer != ""))
    return {
        "id": identity,
        "question": question,
        "answers": distinct,
        "supporting_ids": list(gold),
        "type": kind,
    } | more


def _passage(prefix: str, title: str, text: str) -> Row:
    return {"id": f"{prefix}_{key_of(title, text)}", "title": title, "text": text}


def squad(files: Files, prefix: str) -> Set:
    """Read SQuAD's JSON: a paragraph is a document; questions without an answer are left out."""
    return _squad(files, prefix, lambda title, text: (title, text))


def squad_untitled(files: Files, prefix: str) -> Set:
    """Read SQuAD's JSON, of which the titles are not used."""
    return _squad(files, prefix, lambda _, text: ("", text))


def squad_papers(files: Files, prefix: str) -> Set:
    """Read SQuAD's JSON, whose texts are papers that begin with their title."""
    return _squad(files, prefix, lambda _, text: (text.partition("\n")[0].strip(), text.partition("\n")[2].strip()))


def _squad(files: Files, prefix: str, form: Callable[[str, str], tuple[str, str]]) -> Set:
    documents, questions = [], []
    for article in (article for whole in _all_rows(files) for article in whole["data"]):
        for paragraph in article["paragraphs"]:
            title = article.get("title", "")
            found = _passage(prefix, *form(title, paragraph["context"]))
            documents.append(found | {"article": title})
            for asked in paragraph["qas"]:
                if asked["answers"] and not asked.get("is_impossible"):
                    texts = (answer["text"] for answer in asked["answers"])
                    identity = f"{prefix}q_{asked['id']}"
                    questions.append(
                        asked_row(identity, asked["question"], texts, [found["id"]], "single_hop", article=title)
                    )
    return documents, questions


def hops(files: Files, prefix: str) -> Set:
    """Read MuSiQue's, HotpotQA's and 2Wiki's questions with their paragraphs, and lists of more paragraphs."""
    documents, questions = [], []
    for row in _all_rows(files):
        if "question" not in row:
            documents.append(_passage(prefix, row["title"], row["text"]))
            continue
        if "paragraphs" in row:
            parts = [(one["title"], one["paragraph_text"], one["is_supporting"]) for one in row["paragraphs"]]
        else:
            titles = {title for title, _ in row["supporting_facts"]}
            parts = [(title, " ".join(map(str.strip, lines)), title in titles) for title, lines in row["context"]]
        found = [(_passage(prefix, title, text), gold) for title, text, gold in parts]
        documents += [passage for passage, _ in found]
        gold_ids = [passage["id"] for passage, gold in found if gold]
        answers = [row["answer"], *row.get("answer_aliases", [])]
        identity = row.get("id") or row["_id"]
        questions.append(
            asked_row(identity, row["question"], answers, gold_ids, row.get("type") or identity.split("__")[0])
        )
    return documents, questions


def timeqa(files: Files, prefix: str) -> Set:
    """Read TimeQA: a paragraph is a document, the first one its page's title, short ones headings of those below."""
    documents, questions = [], []
    for row in _all_rows(files):
        page = row["link"].removeprefix("/wiki/")
        own = f"{prefix}_{hashlib.sha1(page.encode()).hexdigest()[:12]}"
        section = ""
        for place, text in enumerate(row["paras"]):
            if not place:
                continue
            if text.endswith(" .") and not text.startswith("-") and len(text.split()) <= 8:
                section = f" / {text[:-2]}"
            else:
                documents.append({"id": f"{own}:{place}", "title": row["paras"][0] + section, "text": text})
        for question, answers in row["questions"]:
            told = [answer for answer in answers if answer["answer"]]
            gold = dict.fromkeys(f"{own}:{answer['para']}" for answer in told)
            kind = "answerable" if told else "unanswerable"
            asked = asked_row(
                f"{prefix}_{key_of(page, question)}", question, (one["answer"] for one in told), gold, kind
            )
            questions.append(asked | {"property": row["type"], "page": page})
    return documents, questions


def quoted_facts(files: Files, prefix: str) -> Set:
    """Read MultiHop-RAG: each fact that a question quotes is a document, with what is known of its article."""
    documents, questions = [], []
    for place, row in enumerate(_all_rows(files)):
        gold = []
        for one in row["evidence_list"]:
            identity = f"f_{key_of(one['url'], one['fact'])}"
            known = {name: one[name] for name in ("source", "author", "category", "url")}
            documents.append(
                {"id": identity, "title": one["title"], "text": one["fact"], "timestamp": one["published_at"]} | known
            )
            gold.append(identity)
        questions.append(asked_row(f"{prefix}_{place}", row["query"], [row["answer"]], gold, row["question_type"]))
    return documents, questions


def evidence_turns(files: Files, prefix: str) -> Set:
    """Read LongMemEval: turns that are evidence (`longmemeval_oracle`), and all turns of sessions, dated by them."""
    documents, questions = [], []
    for name, content in files.items():
        for row in rows_of(content):
            sessions = zip(row["haystack_dates"], row["haystack_session_ids"], row["haystack_sessions"], strict=True)
            gold: list[str] = []
            for place, (date, session, turns) in enumerate(sessions):
                for turn, said in enumerate(turns):
                    if "oracle" in name and not said.get("has_answer"):
                        continue
                    identity = f"{row['question_id']}:{session}:{turn}"
                    day = _day(date)
                    title = f"chat session {day[:10]}"
                    more = {"timestamp": day, "speaker": said["role"], "session": session, "part": place}
                    documents.append({"id": identity, "title": title, "text": said["content"]} | more)
                    gold.append(identity)
            if "oracle" in name:
                more = {"question_date": _day(row["question_date"])}
                if row["question_type"] == "knowledge-update" and len(gold) > 1:
                    more |= {"latest_supporting_id": gold[-1], "superseded_ids": gold[:-1]}
                kind = row["question_type"]
                questions.append(asked_row(row["question_id"], row["question"], [row["answer"]], gold, kind) | more)
    return documents, questions


def _day(date: str) -> str:
    return datetime.strptime(re.sub(r" \(\w+\)", "", date), "%Y/%m/%d %H:%M").isoformat()  # noqa: DTZ007


def chat_files(files: Files, prefix: str) -> Set:
    """Read LiHua-World: a file is a document, called as its time; questions name the times of their evidence."""
    documents = []
    for name, content in files.items():
        stem = PurePosixPath(name).stem
        if name.endswith(".txt"):
            at = datetime.strptime(f"{stem}_0000"[:13], "%Y%m%d_%H%M")  # noqa: DTZ007
            told = {"id": stem, "title": f"chat {at:%Y-%m-%d %H:%M}", "text": content.decode().strip()}
            documents.append(told | {"timestamp": at.isoformat()})
    known = {row["id"] for row in documents}
    questions = []
    (asked,) = (json.loads(content) for name, content in files.items() if name.endswith(".json"))
    for place, row in asked.items():
        times = [one.strip().replace(":", "") for one in re.split("<and>|<or>", row["evidence"])]
        gold = [one for one in times if one in known]
        questions.append(asked_row(f"{prefix}_{place}", row["question"], [row["answer"]], gold, row["type"]))
    return documents, questions


def long_chats(files: Files, prefix: str) -> Set:
    """Read BEAM: `chat.json` and `probing_questions.json` of each chat; a message is a document."""
    documents, questions = [], []
    for name, content in files.items():
        number = re.search(r"/(\d+)/", name)
        assert number, name
        own = f"{prefix}{number[1]}"
        if name.endswith("/chat.json"):
            day = None
            for message in (one for batch in json.loads(content) for turn in batch["turns"] for one in turn):
                day = message.get("time_anchor") or day
                text = re.sub(r" *->-> [\d,]+$", "", message["content"])
                told = {"id": f"{own}:{message['id']}", "title": f"chat {number[1]}", "text": text}
                at = datetime.strptime(day, "%B-%d-%Y").date().isoformat() if day else None  # noqa: DTZ007
                more = {"speaker": message["role"], "conversation": f"chat {number[1]}", "turn": message["id"]}
                documents.append(told | {"timestamp": at} | more)
            continue
        for kind, asked in json.loads(content).items():
            for place, row in enumerate(asked):
                parts = row.get("source_chat_ids", [])
                named = [one for part in parts.values() for one in part] if isinstance(parts, dict) else parts
                gold = dict.fromkeys(f"{own}:{one}" for one in named)
                answers = [row.get("answer") or row.get("ideal_answer") or row.get("ideal_response") or ""]
                questions.append(asked_row(f"{own}:{kind}:{place}", row["question"], answers, gold, kind))
    return documents, questions


def told_stories(files: Files, prefix: str) -> Set:
    """Read FairytaleQA: a section of a story is a document; `*-story.csv` and `*-questions.csv`."""
    tables = {
        PurePosixPath(name).stem: list(csv.DictReader(io.StringIO(text.decode()))) for name, text in files.items()
    }
    documents: list[Row] = []
    questions: list[Row] = []
    for name, rows in tables.items():
        story = name.removesuffix("-story")
        if story == name:
            continue
        sections = {row["section"]: _passage(prefix, story.replace("-", " "), row["text"]) for row in rows}
        documents += sections.values()
        for row in tables.get(f"{story}-questions", []):
            gold = [sections[one.strip()]["id"] for one in row["cor_section"].split(",")]
            answers = [row.get(f"answer{number}") or "" for number in range(1, 7)]
            identity = f"{prefix}q_{key_of(story, row['question_id'])}"
            questions.append(asked_row(identity, row["question"], answers, gold, row["ex-or-im1"]))
    return documents, questions


def entailment(files: Files, prefix: str) -> Set:
    """Read EntailmentBank, task 1: a fact is a document, written as a sentence."""
    documents, questions = [], []
    for row in _all_rows(files):
        facts = [_passage(prefix, "", f"{fact[:1].upper()}{fact[1:]}.") for fact in row["meta"]["triples"].values()]
        documents += facts
        gold = [fact["id"] for fact in facts]
        questions.append(asked_row(row["id"], row["question"], [row["answer"]], gold, f"{len(gold)} facts"))
    return documents, questions


def made_questions(files: Files, prefix: str) -> Set:
    """Read questions that Ragas has made (CSV): the passages of each are a list in Python's form."""
    documents, questions = [], []
    for content in files.values():
        for row in csv.DictReader(io.StringIO(content.decode())):
            passages = [_passage(prefix, "", text) for text in ast.literal_eval(row["data.context"])]
            documents += passages
            gold = [passage["id"] for passage in passages]
            questions.append(asked_row(row["metadata.uuid"], row["data.user_input"], [], gold, f"{len(gold)} passages"))
    return documents, questions


def texts(files: Files, prefix: str) -> Set:
    """Read files of text, a document each; questions without answers in CSV, in the column `question_text`."""
    documents, questions = [], []
    for name, content in files.items():
        path = PurePosixPath(name)
        if path.suffix in (".txt", ".md"):
            documents.append({"id": path.stem, "title": path.stem, "text": content.decode("utf-8", "replace")})
        elif path.suffix == ".csv":
            for place, row in enumerate(csv.DictReader(io.StringIO(content.decode("utf-8-sig")))):
                asked = next(row[name] for name in row if name.startswith("question") and "id" not in name)
                questions.append(asked_row(f"{prefix}_{path.stem}_{place}", asked, [], [], path.stem))
    return documents, questions


def parts_of_texts(files: Files, prefix: str) -> Set:
    """Read files of text that begin with the name of the text that they are parts of, and join those."""
    rows, questions = texts(files, prefix)
    joined: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda row: [int(digits) for digits in re.findall(r"\d+", row["id"])]):
        joined.setdefault(row["text"].partition(".txt")[0], []).append(row["text"])
    return [
        {"id": key_of(name), "title": name.replace("_", " "), "text": "\n\n".join(parts)}
        for name, parts in joined.items()
    ], questions


def novels(files: Files, prefix: str) -> Set:
    """Read TEI: the lowest division of a novel is a document, its paragraphs apart by blank lines."""
    documents = []
    for name, content in files.items():
        root = ET.fromstring(content)
        title = "".join(next(root.iter(f"{TEI}title")).itertext()).strip()
        work, lowest = (
            PurePosixPath(name).stem,
            (part for part in root.iter(f"{TEI}div") if not [*part.iter(f"{TEI}div")][1:]),
        )
        for place, part in enumerate(lowest):
            lines = (
                " ".join("".join(one.itertext()).split()) for one in part.iter() if one.tag in (f"{TEI}p", f"{TEI}head")
            )
            row = {
                "id": f"{work}_c{place:03}",
                "title": f"{title} / part {place + 1}",
                "text": "\n\n".join(filter(None, lines)),
            }
            documents.append(row)
    return documents, []


def parallel_news(files: Files, prefix: str) -> Set:
    """Read NTREX: a line is a sentence, and `DOCUMENT_IDS.tsv` says of which document."""
    of = {name: content.decode().splitlines() for name, content in files.items()}
    (places,) = (lines for name, lines in of.items() if name.endswith(".tsv"))
    (lines,) = (lines for name, lines in of.items() if not name.endswith(".tsv"))
    joined: dict[str, list[str]] = {}
    for place, line in zip(places, lines, strict=True):
        joined.setdefault(place.split("\t")[0], []).append(line)
    rows = [{"id": f"{prefix}:{name}", "title": name, "text": "\n".join(said)} for name, said in joined.items()]
    return rows, []


FORMS: dict[str, Callable[[Files, str], Set]] = {
    form.__name__: form
    for form in (
        *(squad, squad_untitled, squad_papers, hops, timeqa, quoted_facts, evidence_turns, chat_files, long_chats),
        *(told_stories, entailment, made_questions, texts, parts_of_texts, novels, parallel_news),
    )
}

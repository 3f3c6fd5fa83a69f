"""Public sets that are more than documents and questions: gold names, pages of PDFs, graphs, dated facts.

`GOLD` reads as FORMS of public_forms.py does; the rows of a document's `entities` and `relations` become files of their
own. `TABLES` returns whole files by their names.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from public_forms import Files, Row, Set, asked_row, key_of, rows_of

RELATION_NAMES = Path(__file__).parent / "relation_names.tsv"


def relations_in_documents(files: Files, prefix: str) -> Set:
    """Read Re-DocRED: tokens joined, the longest mention names an entity, properties by their Wikidata labels."""
    labels = dict(line.split("\t") for line in RELATION_NAMES.read_text(encoding="utf-8").splitlines())
    documents = []
    for place, row in enumerate(row for content in files.values() for row in rows_of(content)):
        identity = f"{prefix}_{place:03}"
        lines = [_joined(tokens) for tokens in row["sents"]]
        entities = []
        for mentions in row["vertexSet"]:
            names = list(dict.fromkeys(_joined(one["name"].split()) for one in mentions))
            name = max(names, key=len)
            told = {"doc_id": identity, "name": name, "type": mentions[0]["type"]}
            aliases = sorted(one for one in names if one != name)
            entities.append(told | {"aliases": aliases, "sentences": sorted({one["sent_id"] for one in mentions})})
        relations = []
        for one in row["labels"]:
            head, tail = entities[one["h"]], entities[one["t"]]
            told = {"doc_id": identity, "head": head["name"], "relation": labels.get(one["r"], one["r"])}
            told |= {"tail": tail["name"], "pid": one["r"], "head_type": head["type"], "tail_type": tail["type"]}
            relations.append(told | {"evidence_sentences": one["evidence"]})
        told = {"id": identity, "title": row["title"], "text": " ".join(lines), "sentences": lines}
        documents.append(told | {"entities": entities, "relations": relations})
    return documents, []


def _joined(tokens: list[str]) -> str:
    text = re.sub(r" ([,.;:!?)\]%])", r"\1", " ".join(tokens))
    return re.sub(r"(?<=\w) ('s|n't)\b", r"\1", re.sub(r"([(\[$]) ", r"\1", text))


def chains(files: Files, prefix: str) -> Set:
    """Read LitBank's brat files: an excerpt is a document, a chain with a noun or a name in it an entity."""
    documents = []
    for name, content in files.items():
        if not name.endswith(".ann"):
            continue
        stem = PurePosixPath(name).stem.removesuffix("_brat")
        text = files[f"{name.removesuffix('.ann')}.txt"].decode()
        kinds: dict[tuple[int, int], str] = {}
        spans: dict[str, list[tuple[int, int]]] = {}
        for line in content.decode().splitlines():
            if not line.startswith("T"):
                continue
            label, start, end = line.split("\t")[1].split()
            span = (int(start), int(end))
            if re.fullmatch(r"(?:PROP|NOM|PRON)_[A-Z]{3}", label):
                kinds[span] = label
            else:
                spans.setdefault(label, []).append(span)
        entities = [_chain(sorted(found), kinds, text) for found in sorted(spans.values(), key=min)]
        told = {"id": f"{prefix}_{stem}", "title": re.sub(r"^\d+_", "", stem).replace("_", " "), "text": text}
        named = [{"doc_id": told["id"]} | entity for entity in entities if entity]
        documents.append(told | {"entities": named})
    return documents, []


def _chain(spans: list[tuple[int, int]], kinds: Mapping[tuple[int, int], str], text: str) -> Row | None:
    """Return an entity: called by its most frequent name, without one by its most frequent noun; None of pronouns."""
    of = {kind: [one for one in spans if kinds.get(one, "").startswith(kind)] for kind in ("PROP", "NOM")}
    named = sorted(of["PROP"] + of["NOM"])
    if not named:
        return None
    words = [" ".join(text[start:end].split()) for start, end in named]
    names = [" ".join(text[start:end].split()) for start, end in of["PROP"] or of["NOM"]]
    (name, _), (kind, _) = Counter(names).most_common(1)[0], Counter(kinds[one][-3:] for one in named).most_common(1)[0]
    told = {"name": name, "type": kind, "aliases": sorted(set(words) - {name}), "proper": bool(of["PROP"])}
    return told | {"mentions": [list(one) for one in spans]}


def report_pages(files: Files, prefix: str) -> Set:
    """Read FinanceBench: a page of a PDF is a document, its text by pypdfium2; questions name their pages from 0."""
    import pypdfium2

    documents, questions = [], []
    for name, content in files.items():
        if name.endswith(".pdf"):
            report = pypdfium2.PdfDocument(content)
            for place, page in enumerate(report):
                title = _page(PurePosixPath(name).stem, place)
                text = page.get_textpage().get_text_range().replace("\r\n", "\n").strip()
                documents.append({"id": key_of(title), "title": title, "text": text})
            report.close()
        else:
            for row in rows_of(content):
                pages = (_page(one["doc_name"], one["evidence_page_num"]) for one in row["evidence"])
                gold = dict.fromkeys(map(key_of, pages))
                identity = f"{prefix}_{row['financebench_id']}"
                questions.append(asked_row(identity, row["question"], [row["answer"]], gold, row["question_type"]))
    return documents, questions


def _page(report: str, place: int) -> str:
    """Return a page's title.

    >>> _page("AMCOR_2023Q2_10Q", 4)
    'AMCOR 10Q 2023 Q2, page 5'
    """
    name = re.sub(r"^(.+?)_(\d{4})(Q\d)?_(.+)$", r"\1 \4 \2 \3", report).strip()
    return f"{name}, page {place + 1}"


GOLD: dict[str, Callable[[Files, str], Set]] = {
    form.__name__: form for form in (relations_in_documents, chains, report_pages)
}


def _graph(nodes: Mapping[Any, tuple[str, str]], edges: set[tuple[str, str]]) -> dict[str, bytes]:
    """Return edges.tsv, each edge once and without loops, and labels.tsv: node, class, name; nodes are numbered."""
    number = {node: str(place) for place, node in enumerate(nodes)}
    pairs = sorted({(min(ends), max(ends)) for ends in ((number[a], number[b]) for a, b in edges if a != b)})
    labels = "".join(f"{number[node]}\t{group}\t{name}\n" for node, (group, name) in nodes.items())
    return {"edges.tsv": "".join(f"{a}\t{b}\n" for a, b in pairs).encode(), "labels.tsv": labels.encode()}


def graph_gml(files: Files) -> dict[str, bytes]:
    """Read GML with a `label` and a `value` (the class) of each node."""
    (content,) = files.values()
    text = content.decode()
    node = r'\bnode\s*\[\s*id\s+(\d+)\s+label\s+"([^"]*)"\s+value\s+"?([^"\s]+)'
    nodes = {found[1]: (found[3], found[2]) for found in re.finditer(node, text)}
    return _graph(nodes, set(re.findall(r"\bedge\s*\[\s*source\s+(\d+)\s+target\s+(\d+)", text)))


def graph_pairs(files: Files) -> dict[str, bytes]:
    """Read SNAP's lists: an edge a line; and in `*labels*` a node and its class."""
    of = {"labels" in name: [line.split() for line in text.decode().splitlines()] for name, text in files.items()}
    return _graph({node: (group, node) for node, group in of[True]}, {(a, b) for a, b in of[False]})


def graph_karate(_: Files) -> dict[str, bytes]:
    """Return the karate club of networkx; there is nothing to fetch."""
    import networkx

    club = networkx.karate_club_graph()
    return _graph({n: (club.nodes[n]["club"].replace(" ", "_"), str(n)) for n in club}, set(club.edges()))


def as_published(files: Files) -> dict[str, bytes]:
    """Return files as they are."""
    return {PurePosixPath(name).name: content for name, content in files.items()}


TABLES: dict[str, Callable[[Files], dict[str, bytes]]] = {
    form.__name__: form for form in (graph_gml, graph_pairs, graph_karate, as_published)
}

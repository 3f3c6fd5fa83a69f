"""One HTML file that shows an index: no request leaves it, and nothing in the corpus can run in it.

What stands in `page/` is put into the page here: its data are packed and encoded, so no text of the corpus is part of
the HTML, and the page's own policy runs these scripts alone, told by their hashes.
"""

import base64
import gzip
import hashlib
import html
import json
from importlib.resources import files
from string import Template
from typing import Any

from graphrag_lite.retrieval.snapshot_view import SnapshotView
from graphrag_lite.text.plain_text import printable
from graphrag_lite.views import page_data

MAX_BYTES = 20_000_000  # of a page: above, texts of documents are left out
SCRIPTS = (  # in this order, each may use those before it; what they begin is begun by the last
    *("d3-hierarchy.min.js", "reading.js", "elements.js", "map.js", "moving.js"),
    *("pages.js", "timeline.js", "search.js", "start.js"),
)


def page(view: SnapshotView, title: str, *, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the page of a snapshot. Equal tables give equal bytes.

    Where it would be larger than `max_bytes`, the texts of documents are left out, and the page says so.
    """
    texts = _packed([printable(text) for text in view.column("documents", "text").to_pylist()])
    data = _packed(page_data.page_graph(view, title, with_texts=True))
    if len(texts) + len(data) > max_bytes:
        texts, data = _packed([]), _packed(page_data.page_graph(view, title, with_texts=False))
    script = "\n".join(map(_part, SCRIPTS))
    style = _part("style.css")
    values = {
        "title": html.escape(printable(title)),
        "script": script,
        "script_hash": _hash(script),
        "style": style,
        "style_hash": _hash(style),
        "data": data,
        "texts": texts,
    }
    return Template(_part("page.html")).substitute(values).encode()


def _packed(values: Any) -> str:
    raw = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()
    return base64.b64encode(gzip.compress(raw, 9, mtime=0)).decode()


def _part(name: str) -> str:
    return files("graphrag_lite.views").joinpath("page", name).read_text(encoding="utf-8")


def _hash(source: str) -> str:
    """Return how a Content-Security-Policy names a script or style that stands in the page."""
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()

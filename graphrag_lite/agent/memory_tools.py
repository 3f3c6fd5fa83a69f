"""The tools over what was said, in the corpus and in the session, and over what is remembered."""

from dataclasses import asdict
from functools import partial
from operator import itemgetter

import pyarrow.compute as pc

from graphrag_lite.agent import requests
from graphrag_lite.agent.citing import spans_of
from graphrag_lite.agent.index_tools import document_named, passage, passages_for
from graphrag_lite.agent.pages import Record, RecordPage, make_page
from graphrag_lite.agent.session import Session
from graphrag_lite.errors import InputError
from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.memory import core
from graphrag_lite.memory.store import MESSAGE, Entry
from graphrag_lite.retrieval.snapshot_view import LimitedView, SnapshotView
from graphrag_lite.search.answer import cite

SPOKEN = "message"  # the kind of an episode that somebody says
LEFT_OUT = "left out"  # of what rests on documents that the conditions or the day of a query leave out


def conversation_search(session: Session, request: requests.ConversationSearch) -> RecordPage:
    index = session.index.limited(request.where)
    own = [] if request.where or not session.name else session.memory.search(request.query, MESSAGE, session.name)
    talks = {message["document_id"] for message in _messages(index)}
    ids = index.column("documents", "id").to_pylist()
    fitting = passages_for(session, request.query, request.where)
    found = [partial(_entry, session, rowid) for rowid in own]
    found += [partial(passage, index, unit) for unit in fitting if ids[index.document_row[unit]] in talks]
    return make_page(found, partial.__call__, request.page, request.size)


def conversation_search_date(session: Session, request: requests.ConversationSearchDate) -> RecordPage:
    first, last = request.start_date.isoformat(), request.end_date.isoformat()
    if last < first:
        raise InputError(f"end_date {last} is before start_date {first}.")
    index = session.index.limited(request.where)
    own = [] if request.where or not session.name else session.memory.listed(MESSAGE, session.name, first, last)
    messages = [one for one in _messages(index) if first <= one["reference_time"][:10] <= last]
    found = [partial(_entry, session, rowid) for rowid in own]
    found += [partial(_message, index, one) for one in sorted(messages, key=itemgetter("reference_time"))]
    return make_page(found, partial.__call__, request.page, request.size)


def _messages(index: SnapshotView) -> list[Record]:
    """Return the messages that the corpus holds."""
    table = index.arrow("episodes")
    found: list[Record] = table.filter(pc.equal(table["kind"], SPOKEN)).to_pylist()
    return found


def _message(index: SnapshotView, message: Record) -> Record:
    document = document_named(index, message["document_id"])
    span = {name: message[name] for name in ("char_start", "char_end")}
    return {
        **{name: message[name] for name in ("id", "speaker", "conversation")},
        "date": message["reference_time"],
        "document": index.cell("documents", "source_id", document),
        **span,
        "text": escape_marks(index.document_text(document)[slice(*span.values())]),
    }


def archival_memory_search(session: Session, request: requests.ArchivalMemorySearch) -> RecordPage:
    rowids = session.notes(request.query, request.tags)
    return make_page(rowids, partial(_entry, session), request.page, request.size)


def source_status(index: SnapshotView, entry: Entry) -> str:
    """Return whether all that an entry rests on "stands" in the index, is "left out" or "gone"; "" for none."""
    if not entry.citations or _stand(index, entry):
        return "stands" if entry.citations else ""
    while isinstance(index, LimitedView):
        index = index.whole
    return LEFT_OUT if _stand(index, entry) else "gone"


def _stand(index: SnapshotView, entry: Entry) -> bool:
    try:
        texts = [index.document_text(document_named(index, str(one["document"]))) for one in entry.citations]
        cited = zip(texts, entry.citations, strict=True)
        return all(text[one["char_start"] : one["char_end"]] == one["text"] for text, one in cited)
    except (InputError, KeyError, TypeError):  # an imported note may cite in another form
        return False


def archival_memory_insert(session: Session, request: requests.ArchivalMemoryInsert) -> RecordPage:
    spans = {identity: spans_of(session.index, identity) for identity in request.citations}
    if unknown := [identity for identity, found in spans.items() if not found]:
        raise InputError(f"citations: the index has nothing with the id {unknown[0]!r}.")
    cited = tuple(asdict(cite(session.index, n, one)) for n, found in enumerate(spans.values(), 1) for one in found)
    made = Entry(request.content, session=session.name, tags=tuple(request.tags), citations=cited)
    (identity,) = session.memory.add([made])
    return RecordPage(1, 1, 1, [_entry(session, session.memory.named(identity))])


def core_memory_append(session: Session, request: requests.CoreMemoryAppend) -> RecordPage:
    return _block(request.name, core.append(session.memory, session.name, request.name, request.content))


def core_memory_replace(session: Session, request: requests.CoreMemoryReplace) -> RecordPage:
    change = partial(core.replace, session.memory, session.name, request.name)
    return _block(request.name, change(request.old_content, request.new_content))


def _block(name: str, content: str) -> RecordPage:
    return RecordPage(1, 1, 1, [{"id": name, "text": content, "characters_left": core.LIMIT - len(content)}])


def _entry(session: Session, rowid: int) -> Record:
    """Return a note or a message; what rests on documents that are left out is not told."""
    entry = session.memory.entry(rowid)
    stated = {"id": entry.id, "session": entry.session, "role": entry.role, "date": entry.created_at}
    rests = {"source": source_status(session.index, entry)} if entry.citations else {}
    text = "" if rests.get("source") == LEFT_OUT else escape_marks(entry.content)
    return {**stated, "tags": list(entry.tags), "text": text, **rests}

"""Mails (.eml): who wrote them to whom and when, and what is new in them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from graphrag_lite.read.documents import Composer, Fields, Loaded, Reader, replace_surrogates
from graphrag_lite.read.mail_code import prose_and_code
from graphrag_lite.text.word_lists import expressions

if TYPE_CHECKING:
    from email.message import EmailMessage, MIMEPart

WROTE, FROM, SENT, SUBJECT, ORIGINAL, FORWARDED, PHONE = expressions(__package__, "mail.txt").values()
ADDRESS = r"<[^<>\s]{1,80}@[^<>\s]{1,80}>"
SIGNATURE = re.compile(r"(?m)^(?:-- ?$|_{30,}\n[^\n]*mailing list\n).*\Z", re.S)
BY_PHONE = re.compile(rf"(?m)^(?:{PHONE})\s*\Z")
# The line before what is answered: marks of quotation follow it, or it says who wrote, with an address.
ATTRIBUTION = re.compile(
    rf"(?m)^(?:On [^\n]{{8,120}}\n)?(?!>)[^\n]{{0,160}}"
    rf"(?:(?:{WROTE})[^\n]{{0,80}}(?:\n[^\n:>]{{1,60}}>)?|{ADDRESS}[^\n]{{0,40}})[::][ \t]*\n(?:[ \t]*\n)*(?=>)"
    rf"|^(?!>)[^\n]{{0,160}}{ADDRESS}\s(?:a )?(?:{WROTE})[^\n]{{0,10}}:[ \t]*$"
)
# The head of an earlier mail, and all of that: it is a document of its own, or not given.
EARLIER = re.compile(
    rf"(?m)^(?:-{{2,}}[ ]?(?:{ORIGINAL})[^\n]*\n"
    rf"|(?:_{{10,}}[ \t]*\n)?\W?(?:{FROM})\W?[::][^\n]{{2,200}}\n\W?(?:{SENT})\W?[::][^\n]*\d{{4}}[^\n]*\n"
    rf"(?:[^\n]+\n){{0,4}}\W?(?:{SUBJECT})\W?[::]).*\Z",
    re.S,
)
FORWARDS = re.compile(rf"(?i)\s*(?:{FORWARDED})\s*[::]")
QUOTED = re.compile(r"(?m)^[A-Z]{0,3}>.*\n?")  # also by initials: "AL> Shall we?"
# The same in HTML.
MARKED = ["blockquote[type=cite]", "blockquote[class~=gmail_quote]", "[class~=yahoo_quoted]", "[id=Signature]"]
MARKED += ["[class~=moz-cite-prefix]", "[class~=gmail_signature]", "[class~=moz-signature]"]


class Mail(NamedTuple):
    """What is kept of a mail: `people` by from, to and cc; what else its head states; `ids` as a message has them."""

    subject: str
    sent: str
    people: dict[str, list[str]]
    text: str
    metadata: dict[str, str]
    ids: dict[str, str]


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    yield thread([parsed(data)], path)


def parsed(data: bytes) -> Mail:
    """Return what a mail holds. Raises ValueError where it is none."""
    from email import message_from_bytes, policy

    message: EmailMessage = message_from_bytes(data, policy=policy.default)
    heads = _heads(message)
    if not any(heads.get(name) for name in ("from", "to", "subject", "date")):
        raise ValueError("is no mail: it has no From, To, Subject or Date")
    people = {
        name.lower(): [replace_surrogates(who) for who in _people(message, name, heads) if who]
        for name in ("From", "To", "Cc")
    }
    attached = [file for part in message.iter_attachments() if (file := part.get_filename())]
    metadata = {name: ", ".join(shown) for name, shown in people.items() if shown}
    metadata |= {"attachments": replace_surrogates(", ".join(attached))} if attached else {}
    metadata |= {name: replace_surrogates(heads[key]) for name, key in IDS.items() if heads.get(key)}
    subject = replace_surrogates(str(message["Subject"] or "").strip())
    sent = replace_surrogates(heads.get("date", ""))
    body = _body(message)
    text = "\n\n".join(filter(None, (_whole(body) if FORWARDS.match(subject) else _new(body), *_attached(message))))
    return Mail(subject, sent, people, replace_surrogates(text), metadata, _thread(heads))


def ids_of(data: bytes) -> dict[str, str]:
    """Return the ids that a mail states, by its head alone."""
    from email import policy
    from email.parser import BytesHeaderParser

    head = re.split(rb"\r?\n\r?\n", data, maxsplit=1)[0]
    return _thread(_heads(BytesHeaderParser(policy=policy.default).parsebytes(head)))


def thread(mails: Sequence[Mail], source_id: str) -> Loaded:
    """Make a document of mails: of each a card of who writes to whom, then what is new in it."""
    composer = Composer()
    for mail in mails:
        composer.part()
        start = composer.length
        for name, people in mail.people.items():
            for index, person in enumerate(people):
                composer.add(", " if index else f"{name.capitalize()}: ")
                composer.add(person, "person", "writes to")
            composer.add("\n" if people else "")
        composer.mark("card", "", start)
        composer.add("\n" if composer.length > start else "")
        start = composer.length
        for is_code, piece in prose_and_code(mail.text):
            composer.add(piece, "code" if is_code else "")
        composer.mark_message(start, next(iter(mail.people["from"]), ""), time=mail.sent, **mail.ids)
    metadata = {name: value for mail in reversed(mails) for name, value in mail.metadata.items()}
    return composer.loaded(source_id, mails[0].subject, metadata)


IDS = {"message_id": "message-id", "in_reply_to": "in-reply-to"}


def _heads(message: "EmailMessage") -> dict[str, str]:
    return {name.lower(): " ".join(str(value).split()) for name, value in reversed(list(message.raw_items()))}


def _thread(heads: Mapping[str, str]) -> dict[str, str]:
    """Return the id of a mail, of the one that it answers, and of the first of its thread (RFC 5322 section 3.6.4)."""
    own, answered, all_before = (
        replace_surrogates(heads.get(name, "")) for name in ("message-id", "in-reply-to", "references")
    )
    return {"id": own, "reply_to": answered, "conversation": next(iter(all_before.split()), answered or own)}


def _people(message: "EmailMessage", header: str, heads: Mapping[str, str]) -> Iterator[str]:
    """Yield the names, or where there are none the addresses, of a header."""
    from email.utils import getaddresses

    try:
        values = [str(value) for value in message.get_all(header, [])]
    except (AttributeError, IndexError, TypeError, ValueError):  # so fails Python's parser on '<' and '"'
        values = [heads[header.lower()]]
    for name, address in getaddresses(values):
        yield name.strip() or address


def _body(message: "EmailMessage") -> str:
    """Return the text of a mail, and what of it stands behind a picture, as some programs cut it."""
    behind = (part for part in message.iter_attachments() if part.get_content_type() == "text/plain")
    shown = (message.get_body(("plain", "html")), *(part for part in behind if not part.get_filename()))
    return "\n".join(_text(part) for part in shown if part is not None)


def _attached(message: "EmailMessage") -> Iterator[str]:
    """Yield the mails that are forwarded as attachments, each below what its head says."""
    for part in message.iter_attachments():
        within = part.get_content() if part.get_content_type() == "message/rfc822" else None
        if within and "from" in (heads := _heads(within)):
            lines = [f"{name.capitalize()}: {heads[name]}" for name in ("from", "date", "subject") if heads.get(name)]
            yield "\n".join([*lines, "", _body(within)]).strip()


def _text(part: "MIMEPart") -> str:
    try:
        text = str(part.get_content())
    except (LookupError, ValueError):  # of an encoding that there is not
        text = (part.get_payload(decode=True) or b"").decode("utf-8", "replace")  # type: ignore[union-attr]
    if part.get_content_subtype() == "html":
        from graphrag_lite.read.formats.web_page import read_page

        return read_page(text, MARKED).text or read_page(text).text
    return text


def _new(text: str) -> str:
    """Return what a mail says beside the mail that it answers, unless it says nothing else.

    >>> _new("Hi.\\n\\nOn Mon, 29 May 2023 at 10:00, Bo Diaz <bo@x.org>\\nwrote:\\n\\n> Shall we?\\nYes.\\n")
    'Hi.\\n\\nYes.'
    """
    text = text.replace("\r\n", "\n")
    new = ATTRIBUTION.sub("", EARLIER.sub("", SIGNATURE.sub("", text)))
    new = BY_PHONE.sub("", QUOTED.sub("", new).rstrip())
    return (new if new.strip() else text).strip()


def _whole(text: str) -> str:
    """Return a mail with the one that it forwards, without marks of quotation: nobody else may have that."""
    return re.sub(r"(?m)^(?:> ?)+", "", text.replace("\r\n", "\n")).strip()


READER = Reader({".eml": "message/rfc822"}, read)

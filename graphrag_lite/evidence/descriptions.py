"""Several descriptions of one thing: which of them differ, how they stand together, how they are cut short."""

from collections.abc import Callable, Iterable, Sequence

from graphrag_lite.text.sentences import sentences

ENDS = ".!?…。！？｡।؟\"'”’»」』)）"
SPACELESS = "。！？｡…」』）"  # after these, the next sentence follows at once


def distinct_descriptions(descriptions: Iterable[str]) -> list[str]:
    """Return descriptions without empty ones and repetitions, each on one line, sorted.

    >>> distinct_descriptions(["A miser.", "a  MISER.", "", "A banker."])
    ['A banker.', 'A miser.']
    """
    by_key: dict[str, str] = {}
    for line in sorted(" ".join(description.split()) for description in descriptions):
        by_key.setdefault(line.casefold().rstrip(ENDS), line)
    return sorted(line for line in by_key.values() if line)


def join_descriptions(descriptions: Sequence[str]) -> str:
    """Return descriptions one after the other, each ended as a sentence.

    >>> join_descriptions(["A miser", "He died."]), join_descriptions(["他是商人。", "他死了。"])
    ('A miser. He died.', '他是商人。他死了。')
    """
    if len(descriptions) < 2:
        return "".join(descriptions)
    ended = [text if text.endswith(tuple(ENDS)) else f"{text}." for text in descriptions]
    return "".join(text if text.endswith(tuple(SPACELESS)) else f"{text} " for text in ended).rstrip()


def cut_to_tokens(text: str, most: int, count: Callable[[str], int]) -> str:
    """Return the first sentences of a text that are `most` tokens together; a part of the first where it is longer.

    >>> cut_to_tokens("Marley was dead. Nobody doubted it. Scrooge signed.", 8, lambda text: len(text.split()))
    'Marley was dead. Nobody doubted it. Scrooge signed.'
    >>> cut_to_tokens("Marley was dead. Nobody doubted it. Scrooge signed.", 6, lambda text: len(text.split()))
    'Marley was dead. Nobody doubted it.'
    """
    head = text[: 40 * most]  # no token is longer
    if len(head) == len(text) and count(text) <= most:
        return text
    end = 0
    filled = 0
    for start, stop in sentences(head):
        filled += count(head[start:stop])
        if filled > most:
            break
        end = stop
    if end:
        return head[:end].rstrip()
    low, high = 0, min(len(head), 40 * most)
    while low < high:  # the longest beginning that fits
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(head[:middle]) < most else (low, middle - 1)
    return (head[:low].rpartition(" ")[0] or head[:low]).rstrip() + "…"

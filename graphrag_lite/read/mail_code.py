"""What in a mail is no prose: patches, code, and what programs print."""

import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

_DIFF = re.compile(r"(?:diff -|Index: \S|(?:---|\+\+\+|\*\*\*) [\w./]|@@ -\d)")
_IN_DIFF = re.compile(
    r"[-+ \t@\\]|\*\*\*|(?:diff|index|new file|deleted file|similarity|rename|old mode|new mode) |={5}|\s*$"
)
_STATED = re.compile(r"---$| \S.* \|\s+(?:\d+\b|Bin )| \d+ files? changed\b| (?:create|delete|rename) (?:mode )?\S")
_PRINTED = re.compile(
    r"\S+\.\w{1,4}:(?:\d+:| In function)|make(?:\[\d+\])?: |\s{2,}(?:CC|CXX|LD|AR) +\S|\s*[$%] \S|\s*>>> "
)
_WRITTEN = re.compile(r".*[;{}]\s*$|\s*\(.*|.*\)\)\s*$|\s*(?://|/\*|\*/|#include|#define|#if|#endif)")
_SHARE = 0.5  # of the lines of a paragraph: with more such lines it is code


def prose_and_code(text: str) -> Iterator[tuple[bool, str]]:
    """Yield a text in pieces of whole lines, each with whether it is code.

    >>> list(prose_and_code("See:\\n--- a/x.c\\n+++ b/x.c\\n@@ -1 +1 @@\\n-int a;\\n+int b;\\nThanks\\n"))
    [(False, 'See:\\n'), (True, '--- a/x.c\\n+++ b/x.c\\n@@ -1 +1 @@\\n-int a;\\n+int b;\\n'), (False, 'Thanks\\n')]
    """
    for is_code, lines in groupby(_lines(text), itemgetter(0)):
        yield is_code, "".join(line for _, line in lines)


def _lines(text: str) -> Iterator[tuple[bool, str]]:
    in_diff = False
    for blank, paragraph in groupby(text.splitlines(keepends=True), lambda line: not line.strip()):
        lines = [*paragraph]
        written = len(lines) > 1 and sum(map(bool, map(_WRITTEN.match, lines))) > _SHARE * len(lines)
        for line in lines:
            in_diff = bool(_DIFF.match(line) or (in_diff and _IN_DIFF.match(line)))
            yield in_diff or (not blank and (written or bool(_STATED.match(line) or _PRINTED.match(line)))), line

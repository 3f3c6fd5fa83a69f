"""The names found so far in a text, while an extractor for a script without capitals adds to them."""


class Spans:
    """Names found so far; none overlaps another."""

    def __init__(self, size: int) -> None:
        self.spans: list[tuple[int, int, str, bool]] = []
        self._used = bytearray(size)

    def free(self, start: int, end: int) -> bool:
        return end > start and not any(self._used[start:end])

    def used(self, position: int) -> bool:
        return self._used[position] != 0

    def add(self, start: int, end: int, kind: str, anchored: bool) -> bool:
        if not self.free(start, end):
            return False
        self._used[start:end] = b"\x01" * (end - start)
        self.spans.append((start, end, kind, anchored))
        return True

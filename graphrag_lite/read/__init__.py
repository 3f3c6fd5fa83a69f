"""Bytes of a file -> documents: encodings, rows, stated times, one reader a format. Opens no file, knows no table."""

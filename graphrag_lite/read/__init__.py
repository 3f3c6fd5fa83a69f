"""Bytes of a file -> documents: encodings, formats, one reader a format. Opens no file, and knows no table."""

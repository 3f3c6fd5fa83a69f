"""An index of microsoft/graphrag, read: its files, texts, records and marks. Pure, but for reading the files."""

"""One module a format. Each has a `READER`; `read.readers` finds it by its being here."""

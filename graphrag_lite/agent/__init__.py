"""Many small looks at an index: tools that return pages. Nothing here opens a file or a URL, or asks a model."""

"""Many small looks at an index: tools that return pages, and who calls them. No tool opens a file, or asks a model."""

"""The stages of the pipeline, one file each. A stage is a function from tables to tables."""

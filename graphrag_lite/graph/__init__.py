"""Graph algorithms: Leiden, PageRank, resolution. Pure functions."""

"""Search over a snapshot: BM25, ranking, context, answers."""

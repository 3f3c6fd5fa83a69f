"""A run: the loop over stages, stamps, workers, snapshots, log. Alone writes output/, and knows no stage."""

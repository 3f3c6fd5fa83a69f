"""The model boundary: what stages and search ask of a model, and the only code that reaches a network."""

"""Text analysis: tokens, sentences, splitting, words, names. Pure functions."""

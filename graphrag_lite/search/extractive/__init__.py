"""Answers without a model: what a kind of question is told, sentence by sentence, each with its place in the corpus."""

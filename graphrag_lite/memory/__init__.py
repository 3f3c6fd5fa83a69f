"""What is remembered beside the corpus: notes, core blocks, messages of sessions. The only store that no run makes."""

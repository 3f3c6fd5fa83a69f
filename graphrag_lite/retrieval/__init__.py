"""A snapshot as search reads it, a question as the index reads it, and rankings. Writes no answer, asks no model."""

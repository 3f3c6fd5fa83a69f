"""Which names mean one entity: exact, lexical, alias and model's decisions, as pure functions. Reads no text."""

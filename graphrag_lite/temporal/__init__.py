"""What held when: dated statements, facts folded from them, answers computed of dates. Pure functions, no ranking."""

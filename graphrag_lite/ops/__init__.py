"""What an operator does around runs: plan, tune, evaluate, check, schedule, measure, go back. Prints nothing."""

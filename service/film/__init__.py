"""A film of a match to a transcript."""

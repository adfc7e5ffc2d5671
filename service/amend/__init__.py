"""A match that is over, put right by a person."""

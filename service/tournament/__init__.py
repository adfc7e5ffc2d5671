"""A tournament as values: who plays whom next, how they stand, what they won."""

"""The game as values: see rules/README.md.

Nothing is re-exported here, so that no sensor reaches the game through the root.
"""

"""Reads checkers, dice and cube from pictures of a board: see vision/README.md."""

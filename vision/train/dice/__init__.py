"""Trains the two networks that find and read dice; needs torch."""

"""Dice and the doubling cube in a picture: where each lies, what it shows, how it lies."""

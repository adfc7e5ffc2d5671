"""What is wrong with a film."""

from __future__ import annotations


class FilmError(ValueError):
    """A film that cannot be read: what was expected, what came, what to do next."""

"""Benchmarks, a file a room: `python -m tests.bench [room ...]` runs them."""

"""Painted boards with their truth: for tests, the simulator and training."""

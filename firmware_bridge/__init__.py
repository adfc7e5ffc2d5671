"""Talks to the sensor board: see firmware_bridge/README.md."""

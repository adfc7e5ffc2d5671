"""See the room's README.md."""

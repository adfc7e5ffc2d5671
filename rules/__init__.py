"""The game as values (rules/README.md); re-exports nothing: no back door for the sensors."""

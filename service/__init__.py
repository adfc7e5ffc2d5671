"""Composes sensors and rules into a refereed table: see service/README.md."""

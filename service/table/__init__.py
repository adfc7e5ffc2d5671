"""The process that owns one table."""

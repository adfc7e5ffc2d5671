"""The table's state machine."""

"""Reconcile and referee composed, and the boards they hear."""

"""What can be learned from a match that is over."""

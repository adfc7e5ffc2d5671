"""State to what faces may show."""

"""Journal: entries, their bytes, their chain and their file."""

"""Raw recordings, written and played back."""

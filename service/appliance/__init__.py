"""The family of processes, and what helps where no engineer is."""

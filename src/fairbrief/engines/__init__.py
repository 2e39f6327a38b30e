"""Where work runs and what is kept of it."""

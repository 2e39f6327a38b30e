"""Anything that turns records into summaries."""

"""Judges of how strongly texts support or resemble other texts."""

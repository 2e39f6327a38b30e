"""Choosing among several summaries, and sweeping over settings."""

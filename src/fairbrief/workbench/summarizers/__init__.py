"""Summarizers of records."""

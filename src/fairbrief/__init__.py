"""Fairbrief audits how fairly summaries represent who and what they summarize."""

__version__ = "0.1.0"

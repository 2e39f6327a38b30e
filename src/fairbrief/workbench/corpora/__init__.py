"""Builders of audit inputs, and statistics of inputs before summarization."""

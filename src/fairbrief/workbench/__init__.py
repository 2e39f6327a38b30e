"""Builders of audit inputs: records, summaries, their claims and human judgements."""

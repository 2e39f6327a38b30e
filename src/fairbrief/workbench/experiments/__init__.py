"""Whole experiments from one file: data, summaries of a grid of settings, units, audit, comparisons, gate."""

"""Arrangements of estimates and their per-record statistics, for a terminal, a browser, a paper or a program."""

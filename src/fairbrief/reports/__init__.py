"""Arrangements of estimates and their evidence, for a terminal, a browser, a paper or a program."""

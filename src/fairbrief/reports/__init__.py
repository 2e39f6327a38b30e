"""Arrangements of estimates and their per-record statistics, for a terminal, a browser, a paper or a program."""

from fairbrief.reports.audit_folder import load, write_all

__all__ = ["load", "write_all"]

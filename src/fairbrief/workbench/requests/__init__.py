"""Requests to summarizers and chat models whose answers are in a journal before they count."""

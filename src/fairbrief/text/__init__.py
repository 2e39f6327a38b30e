"""Strings only: sentences, tokens, chunks, pronouns, names, people found in text, word lists."""

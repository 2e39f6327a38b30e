"""Strings only: sentences, tokens, pronouns, names, people found in text, words of groups, replies of models."""

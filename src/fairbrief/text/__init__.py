"""Functions of strings: sentences, tokens, pronouns, names, people in text, group words, replies of models."""

<<<<<<< HEAD
"""Strings only: sentences, tokens, chunks, pronouns, names, people found in text, word lists."""
=======
"""Strings only: how texts are cut into tokens, sentences and n-grams."""
>>>>>>> fa0497e (Say what a paper's protocol is)

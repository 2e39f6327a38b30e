"""Readers of annotated corpora: CoNLL, CorefUD, OntoNotes."""

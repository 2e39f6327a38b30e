"""Inputs with controlled people: copies of a document that differ only in names, titles and pronouns.

Annotated documents become templates; a template filled with assignments becomes a set of records that differ only in
the described people (Steen & Markert, section 5).
"""

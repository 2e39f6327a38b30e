"""Inputs with controlled people: the same documents, with other names, titles and pronouns in them.

Annotated documents become templates; a template filled with assignments becomes a set of records that
differ in who the people are said to be, and in nothing else (Steen & Markert, section 5).
"""

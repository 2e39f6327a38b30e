"""How far scorers, people and settings agree."""

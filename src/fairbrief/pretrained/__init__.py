"""Local models: the location of their weights, their device and their precision."""

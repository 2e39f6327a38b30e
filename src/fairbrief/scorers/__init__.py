"""How strongly texts support or resemble other texts."""

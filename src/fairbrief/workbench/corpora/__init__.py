"""Inputs that we make, and what is learned from inputs before they are summarized."""

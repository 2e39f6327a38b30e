"""Calibration, real data, speed, damaged inputs, and long runs: each a script, each with its results."""

"""Scores and ranks beyond the thesis."""

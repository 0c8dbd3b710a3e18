"""Noise beyond the thesis."""

"""Analyses of the papers: which statements stand on a choice that nobody printed."""

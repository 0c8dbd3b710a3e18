"""Data sets, each file compressed. README.md says whose they are, and under which licence."""

"""Beyond chapter 6: risk groups against other models, censoring, measurement error, stability."""

"""One module per experiment: a plan in, tidy rows out."""

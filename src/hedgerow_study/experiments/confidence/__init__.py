"""ConfDTree: trees that doubt unusual values, on the data sets of the paper (Katz and others)."""

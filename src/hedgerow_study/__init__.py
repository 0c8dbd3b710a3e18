"""Four papers on decision trees, redone: experiments, reports, the workflow and its audit."""

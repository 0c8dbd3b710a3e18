"""Questions of our own beside the papers: a folder each, as in `hedgerow_study.experiments`."""

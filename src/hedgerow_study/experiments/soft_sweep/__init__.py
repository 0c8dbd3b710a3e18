"""The sweep of the pruning confidence."""

"""Beyond the paper of ConfDTree: parts of its gain, other learners, categories, probabilities."""

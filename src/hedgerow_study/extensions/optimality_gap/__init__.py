"""Whether the best tree of a depth pays: in training data, in test data, under noise."""

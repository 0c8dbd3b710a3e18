"""One question, many answers: learners beside one another on the same doubtful data."""

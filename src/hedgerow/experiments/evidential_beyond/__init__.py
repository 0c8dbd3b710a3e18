"""Beyond the paper of E2M: other answers to doubt, intervals, votes, misjudged doubt."""

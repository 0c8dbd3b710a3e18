"""Beyond the paper of EIG: mechanisms, imputers, other learners, pruning, real gaps, noise."""

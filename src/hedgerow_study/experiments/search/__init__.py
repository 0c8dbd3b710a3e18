"""Trees by Monte Carlo search (thesis, chapter 4)."""

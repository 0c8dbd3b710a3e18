"""Learners that search the space of trees: UCT-DT and ETE (thesis, chapter 4)."""

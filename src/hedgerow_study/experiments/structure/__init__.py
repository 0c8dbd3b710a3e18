"""The edit distance of trees (thesis, chapter 5)."""

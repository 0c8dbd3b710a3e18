"""The illustrations of chapter 3."""

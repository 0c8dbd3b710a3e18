"""What goes beyond chapter 4."""

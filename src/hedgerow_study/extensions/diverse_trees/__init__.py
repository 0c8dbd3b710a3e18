"""What goes beyond chapter 5."""

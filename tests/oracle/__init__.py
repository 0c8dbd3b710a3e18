"""Plain references written from the papers' equations; slow, short, and independent."""

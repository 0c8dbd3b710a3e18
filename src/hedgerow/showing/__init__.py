"""How results are shown: numbers as texts, figures on disk, templates of pages."""

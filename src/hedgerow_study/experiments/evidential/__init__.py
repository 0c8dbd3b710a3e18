"""E2M trees on evidential data (Sutton-Charani, Destercke and Denoeux)."""

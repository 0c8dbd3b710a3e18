"""What came out before: at the scale of the papers, and in the last runs?"""

"""What is asked for: which settings, and which version of each data file?"""

"""Which jobs will a run make and why, and what will they take?"""

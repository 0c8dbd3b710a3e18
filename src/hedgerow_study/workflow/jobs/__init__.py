"""What does a job run: which function of which rule, with what code, for which part?"""

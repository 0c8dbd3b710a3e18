"""Audit: whether results are what a run recorded, and what is out of date.

`verify` compares a run with its manifest, and `rerun` reruns jobs of it in a copy. `tables`
compares two tables number by number. `reference_results` checks the tracked results at paper
scale. `status` lists what is out of date and why. `command` serves the command line.
"""

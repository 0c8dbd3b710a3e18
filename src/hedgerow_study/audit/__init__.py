"""Checks for those who trust nobody: are results what was recorded, and what is out of date?

`verify` compares a run with its manifest, `redo` reruns jobs of it in a copy, `tables` compares
two tables number by number, `kept` checks the tracked results at paper scale, `status` says what is
out of date and why, and `command` is what the command line calls.
"""

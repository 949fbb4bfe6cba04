"""The rules: pure functions from what happened and what is asked to what happens next.

Nothing here reads a clock, a file, the network or a global source of chance.
"""

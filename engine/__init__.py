"""The rules: pure functions from past events and a command to new events.

Nothing here reads a clock, a file, the network or a global random source.
"""

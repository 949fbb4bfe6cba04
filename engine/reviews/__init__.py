"""Looking back on a match that is over: what its choices cost, what was luck, and where it was decided.

A choice is held against our best guess from what its seat could see and infer at that time. Luck is told with
hindsight. There is no I/O and no clock here: chance arrives as an argument.
"""

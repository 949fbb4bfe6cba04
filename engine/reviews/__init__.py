"""Reviews of finished matches: the cost of choices, luck, and the decisive turns.

A choice is compared with our best guess from what its seat could see and infer at that time; luck uses hindsight. There
is no I/O and no clock, and randomness is an argument.
"""

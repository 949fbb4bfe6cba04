"""Puzzles: a position of a round with a task that has a clear answer. How they are found, checked and solved."""

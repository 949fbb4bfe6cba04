"""Puzzles: a position of a round with a task that has a definite answer. How they are checked and solved."""

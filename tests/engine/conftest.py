"""Hypothesis for the rules: the same examples in every run, and no clock."""

from hypothesis import settings

from tests.depth import deep

settings.register_profile("rules", deadline=None, derandomize=True, database=None, max_examples=deep(25))
settings.load_profile("rules")
